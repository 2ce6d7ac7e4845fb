# `make demo` and `make test` set up what they need, from a bare clone with Python 3.11+, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: demo test check format bench bench-edits bench-staleness bench-retrieval bench-render soak clean

demo: $(STAMP)
	@$(BIN)/python docs/demo.py

test: check

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.sweeping

# make bench-edits [REPOSITORIES=clones] [OPTIONS="--sample 6 --misses"]
bench-edits: $(STAMP)
	$(BIN)/python -m benchmarks.edits $(REPOSITORIES) $(OPTIONS)

# make bench-staleness EXAMPLES=dev.jsonl REPOSITORIES=clones [OPTIONS="--jobs 2 --predictions out.tsv"]
bench-staleness: $(STAMP)
	$(BIN)/python -m benchmarks.staleness $(EXAMPLES) $(REPOSITORIES) $(OPTIONS)

# make bench-retrieval CONVERSATIONS=locomo REPOSITORIES=clones [OPTIONS="--stale"]
bench-retrieval: $(STAMP)
	$(BIN)/python -m benchmarks.retrieval --conversations $(CONVERSATIONS) --repositories $(REPOSITORIES) $(OPTIONS)

# make bench-render [REPOSITORIES="clone …"] [OPTIONS="--notes 1500 --tasks 100"]
bench-render: $(STAMP)
	$(BIN)/python -m benchmarks.render $(REPOSITORIES) $(OPTIONS)

soak: $(STAMP)
	$(BIN)/python -m benchmarks.soak

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev --editable .
	@touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
