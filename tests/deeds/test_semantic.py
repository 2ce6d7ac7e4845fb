"""Search by meaning: an order among what words found, off unless asked for, absent without the extra."""

import importlib.util
import os

import pytest

import memcli
from memcli.api import Memory
from tests.conftest import Repo

HERE = importlib.util.find_spec("wordllama") is not None


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """Two fragments that share one word with the question; one is about what it means."""
    memory = memcli.open(repo.path)
    memory.save("the physician sees every patient in the morning")
    memory.save("the build sees every branch of the repository")
    return repo


def meaning(repo: Repo) -> Memory:
    """The memory with the setting on."""
    return memcli.open(repo.path, env={**os.environ, "MEM_SEARCH_SEMANTIC": "1"})


@pytest.mark.skipif(not HERE, reason="memcli[semantic] is not installed")
def test_meaning_orders_what_words_found(filled: Repo) -> None:
    """Of two texts with the same words of the query the one that means it comes first; each time the same."""
    first, second = meaning(filled).search("a doctor sees the hospital")
    assert first.view.text.startswith("the physician") and first.score > second.score
    assert "meaning" in dict(first.reasons)
    assert meaning(filled).search("a doctor sees the hospital") == (first, second)
    assert meaning(filled).search("zzz qqq xxx") == ()


def test_off_by_default(filled: Repo) -> None:
    """Without the setting meaning counts nothing, whether the model is there or not."""
    assert all("meaning" not in dict(hit.reasons) for hit in memcli.open(filled.path).search("doctor sees"))


@pytest.mark.skipif(HERE, reason="memcli[semantic] is installed")
def test_without_the_extra(filled: Repo) -> None:
    """The setting alone changes no answer, and says what is missing."""
    plain = filled.mem("search", "doctor sees")
    asked = filled.mem("search", "doctor sees", MEM_SEARCH_SEMANTIC="1")
    assert (asked.code, asked.out) == (plain.code, plain.out)
    assert "memcli[semantic]" in asked.err
