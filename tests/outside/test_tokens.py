"""Tokens without a network: the shipped ranks, the loader, the counter that loads as late as it can.

`python -m tests.outside.test_tokens` writes the counts of the constant pieces anew.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli import render, tokens
from memcli.errors import UnknownEncoding

COUNTED = os.path.join(tokens.DATA, f"{tokens.SHIPPED}.counted.json")


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has not loaded a tokenizer yet."""
    monkeypatch.setattr(tokens, "_loaded", {})
    yield


def never(key: bytes) -> int | None:
    """A store that knows no count."""
    return None


def constants() -> dict[str, int]:
    return {piece: tokens.count(piece) for piece in dict.fromkeys(render.constants())}


def test_shipped_ranks_are_tiktokens_own() -> None:
    """The packaged table is the very file whose hash tiktoken carries."""
    source = Path(sys.modules[tokens.load().__module__].__file__ or "").parent.parent / "tiktoken_ext/openai_public.py"
    table = tokens._packaged()
    assert table is not None
    assert hashlib.sha256(table).hexdigest() in source.read_text()


def test_counts_are_tiktokens() -> None:
    """A known sentence has the known tokens; a special token in a text is plain text."""
    encoding = tokens.load()
    assert encoding.name == "o200k_base"
    assert encoding.encode_ordinary("hello world") == [24912, 2375]
    assert tokens.count("<|endoftext|>") > 1
    assert encoding.encode("<|endoftext|>", allowed_special="all") == [199999]


def test_loading_needs_no_network_and_leaves_no_trace() -> None:
    """With every socket refused the tokenizer loads, tiktoken's registry stays empty and its cache unset."""
    script = (
        "import os, socket\n"
        "def refuse(*a, **k): raise OSError('no network')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from memcli import tokens\n"
        "assert tokens.count('hello world') == 2 and tokens.count('hi', 'o200k_harmony') == 1\n"
        "import tiktoken.registry\n"
        "assert not tiktoken.registry.ENCODINGS and 'TIKTOKEN_CACHE_DIR' not in os.environ\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_importing_and_charging_load_nothing_heavy() -> None:
    """Counting within the allowance imports neither tiktoken nor its regex."""
    script = (
        "import sys\n"
        "from memcli import tokens\n"
        "tokens.Counter(lambda key: None, budget=1500)(' a fresh save')\n"
        "assert not {'tiktoken', 'regex', 'requests', 'gzip'} & set(sys.modules), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("name", ["cl100k_base", "gpt2", "p50k_edit", "no_such_encoding", "", "../o200k_base"])
def test_ranks_not_at_hand_are_said_so(unloaded: None, name: str, tmp_path: Path) -> None:
    """An encoding that is unknown, or whose ranks are not on this machine, is an error with a hint, never a fetch."""
    with pytest.raises(UnknownEncoding) as caught:
        tokens.load(name, {"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert caught.value.code == 2
    assert "o200k_base" in (caught.value.hint or "")


def test_an_encoding_in_tiktokens_cache_is_used(
    unloaded: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks that tiktoken keeps under the hash of their address are found; wrong bytes there are refused."""
    table = tokens._packaged() or b""
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    kept = tmp_path / hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    kept.write_bytes(table)
    monkeypatch.setattr(tokens, "SHIPPED", "another")
    assert tokens.count("hello world", "o200k_base", {"TIKTOKEN_CACHE_DIR": str(tmp_path)}) == 2
    tokens._loaded.clear()
    kept.write_bytes(table[:-1])
    with pytest.raises(UnknownEncoding):
        tokens.load("o200k_base", {"TIKTOKEN_CACHE_DIR": str(tmp_path)})


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x1f\x8b\x08"])
def test_damaged_package_data_is_one_clear_error(
    unloaded: None, damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks cut short or overwritten are refused, not used."""
    (tmp_path / "o200k_base.tiktoken.gz").write_bytes(damage)
    monkeypatch.setattr(tokens, "DATA", str(tmp_path))
    with pytest.raises(UnknownEncoding, match="damaged"):
        tokens.load()


def test_counter_takes_known_counts() -> None:
    """A piece that the store knows is not counted again."""
    key = tokens.piece_key("o200k_base", " known")
    counter = tokens.Counter({key: 42}.get, budget=10)
    assert counter(" known") == 42
    assert counter.exact and not counter.fresh


def test_counter_charges_bytes_under_a_tenth_then_counts(unloaded: None) -> None:
    """Uncounted pieces cost their UTF-8 bytes while together under a tenth of the budget, beyond it their tokens; a
    piece keeps what it cost, and what was counted is handed back under its key."""
    counter = tokens.Counter(never, budget=100)
    assert counter(" añb") == 5
    assert counter(" añb") == 5
    assert not tokens._loaded and not counter.exact and counter.charged == [" añb"]
    assert counter(" hello world") == 2  # 5 + 12 bytes are too many
    assert tokens._loaded
    assert counter(" añb") == 5
    assert counter.fresh == {tokens.piece_key("o200k_base", " hello world"): 2}


def test_counter_refuses_an_unknown_encoding_at_the_first_piece() -> None:
    """Not even a small piece is charged for an encoding that is not there."""
    with pytest.raises(UnknownEncoding):
        tokens.Counter(never, "no_such_encoding", budget=10_000)(" x")


def test_numbers_are_counted_by_rule(unloaded: None) -> None:
    """A number of the map costs what tiktoken says, without the tokenizer and without a charge."""
    counter = tokens.Counter(never, budget=10)
    counts = {n: counter(f" {n}") for n in (*range(1001), 9_999, 10_000, 123_456, 1_000_000, 12_345_678)}
    assert not tokens._loaded and counter.exact
    assert counts == {n: tokens.count(f" {n}") for n in counts}


def test_piece_keys_differ_by_encoding_and_piece() -> None:
    """Keys are 12 bytes, of encoding and piece, for any text."""
    keys = {tokens.piece_key(e, p) for e in ("a", "b") for p in (" x", " x\n", "", "\udcff", "\xe9", "e\u0301")}
    assert len(keys) == 12
    assert {len(key) for key in keys} == {12}


@pytest.mark.parametrize(
    "text", ["a" * 65536, " " * 65536, "\u0301" * 32768, "aB" * 32768, "\ud800" * 99, "漢" * 21845]
)
def test_extreme_texts_are_counted(text: str) -> None:
    """The longest texts we take, and lone surrogates, have a count, never more than their bytes."""
    assert 0 < tokens.count(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_counts_of_constant_pieces_ship_with_the_package() -> None:
    """The table of counted pieces holds exactly what `render.constants` gives, with tiktoken's counts."""
    with open(COUNTED, encoding="utf-8") as file:
        assert json.load(file) == constants(), "run: python -m tests.outside.test_tokens"


if __name__ == "__main__":
    with open(COUNTED, "w", encoding="utf-8") as file:
        json.dump(constants(), file, ensure_ascii=False, indent=0)
        file.write("\n")
