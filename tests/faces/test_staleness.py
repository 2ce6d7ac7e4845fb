"""The staleness benchmark, on a small history of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import Repo

REF = dict.fromkeys(
    ("age", "commits_max", "changed_any", "lines_max", "missing_any", "lit_gone", "lit_repo_gone", "wocc_del"), 0.0
)


def example(ident: str, text: str, birth: str, edit: str, label: int, repo: str = "ada/app") -> dict[str, Any]:
    paths = [{"path": "src/users.py", "type": "file"}]
    common = {"id": ident, "repo": repo, "doc": "AGENTS.md", "text": text, "birth": birth, "eval": edit}
    return {
        **common,
        "paths": paths,
        "event": f"{repo}:{edit}",
        "label": label,
        "weak": 0,
        "ref": {**REF, "has_file": 1},
    }


def run(tmp_path: Path, examples: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    (tmp_path / "dev.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in examples))
    files = ["--predictions", str(tmp_path / "out.tsv"), "--features", str(tmp_path / "features.jsonl")]
    command = [sys.executable, "-m", "benchmarks.staleness", str(tmp_path / "dev.jsonl"), str(tmp_path), *files]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_every_line_is_answered_or_listed(repo: Repo, tmp_path: Path) -> None:
    """Lines that begin with a dash are asked about; what the gate refuses, a commit that is not there and a repository
    that is not there are each named; the clone itself stays as it was."""
    birth = repo.git("rev-parse", "HEAD")
    (repo.path / "src/users.py").unlink()
    edit = repo.commit("drop users")
    secret = "ghp_" + "a8Bc9De0Fg1Hi2Jk3Lm4" + "No5Pq6Rs7Tu8Vw9X"
    done = run(
        tmp_path,
        [
            example("kept", "- `src/users.py` holds create_user", birth, birth, 0),
            example("stale", "--limit of src/users.py is 50", birth, edit, 1),
            example("secret", f"src/users.py logs in with {secret}", birth, edit, 0),
            example("lost", "src/users.py", birth, "1" * 40, 0),
            example("away", "src/users.py", birth, edit, 1, "ada/away"),
        ],
    )
    predicted = dict(line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines())
    assert predicted == {"kept": "1.0", "stale": "0.23"}
    assert "secret: " in done.stderr and "lost: " in done.stderr and "2 refused" in done.stderr
    assert "2 of 4 lines without an answer" in done.stdout and "1 of 5 lines are in repositories" in done.stdout
    assert "ada/away" in done.stdout and secret not in done.stdout + done.stderr
    features = [json.loads(line) for line in (tmp_path / "features.jsonl").read_text().splitlines()]
    assert [one["mem"] and one["mem"]["verdict"] for one in features] == ["fresh", "gone", None, None]
    assert not (repo.path / ".git/mem").exists()
