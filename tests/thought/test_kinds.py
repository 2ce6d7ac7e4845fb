"""Types: what a key means, what a fragment hangs off, which keys are state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import Usage
from memcli.kinds import CHAIN, CONCLUSIONS, check_type, infer, is_automatic, parent_types
from memcli.model import TYPES

KEYS = {
    # families, before anything else
    "tool:write_users": "tool_result",
    "tool:decision": "tool_result",
    "thinking:why": "thinking",
    "session:config": "context",
    "session:error": "context",
    "checkpoint:summary": "context",
    # whole keys
    "last_action": "action",
    "last_files": "file",
    # a type's own name before the first colon
    "result:build": "result",
    "decision:storage": "decision",
    "Decision:Storage": "decision",
    "note:bug": "note",
    "fact:error:rate": "fact",
    "preference:task": "preference",
    "purpose": "purpose",
    # key words, on parts of the key, in the order of the types
    "goal": "prompt",
    "current-task": "prompt",
    "task:result": "prompt",
    "why-lmdb": "purpose",
    "build_wip": "progress",
    "in_progress": "progress",
    "buildOutput": "result",
    "HTTPDone": "result",
    "state.machine": "status",
    "what-we-decided": "decision",
    "prefer-tabs": "preference",
    "dev env": "context",
    "config2": "context",
    "config:path": "context",
    "path/to/x": "file",
    "login-bug": "error",
    "fail42": "error",
    # nothing matches: parts, not pieces of words
    "profile": "note",
    "likely": "note",
    "statement": "note",
    "debugger": "note",
    "my-fact": "note",
    "toolbox": "note",
    "été": "note",
    "": "note",
}


@pytest.mark.parametrize(("key", "kind"), KEYS.items())
def test_a_key_means_a_type(key: str, kind: str) -> None:
    """The rules of DESIGN.md section 1, in their order."""
    assert infer(key) == kind


@given(st.none() | st.text())
def test_any_key_means_a_known_type(key: str | None) -> None:
    """Whatever the key, the type is one of the fifteen; a key by itself never makes a fact."""
    assert infer(key) in TYPES
    if infer(key) == "fact":
        assert key is not None and key.casefold().startswith("fact")


def test_parents_are_the_nearest_earlier_types() -> None:
    """The chain goes back to the prompt; the others hang off a tool result or what comes before; three have none."""
    assert parent_types("status") == ("result", "tool_result", "progress", "purpose", "prompt")
    assert parent_types("prompt") == ()
    for kind in ("action", "error", "file", "decision", "fact", "note"):
        assert parent_types(kind) == ("tool_result", "progress", "purpose", "prompt")
    for kind in ("preference", "context", "thinking"):
        assert parent_types(kind) == ()


def test_every_type_is_placed() -> None:
    """Parents are earlier in the chain, so links can make no cycle; the sets hold known types only."""
    for kind in TYPES:
        assert kind not in parent_types(kind)
        assert set(parent_types(kind)) <= set(CHAIN)
    assert set(TYPES) >= CONCLUSIONS


def test_state_keys_are_automatic() -> None:
    """Only the keys that mem itself keeps are replaced in place."""
    state = ("last_action", "last_files", "session:config", "session:started", "checkpoint:summary")
    others = (None, "checkpoint:other", "last_action2", "result:build", "my session:x")
    assert all(is_automatic(key) for key in state)
    assert not any(is_automatic(key) for key in others)


def test_an_unknown_type_names_the_nearest() -> None:
    """A typo is answered with the word that was meant; case and dashes do not matter."""
    assert check_type("Tool-Result") == "tool_result"
    with pytest.raises(Usage) as caught:
        check_type("decison")
    assert "decision?" in (caught.value.hint or "")
    with pytest.raises(Usage) as caught:
        check_type("\x1b[31m")
    assert "\x1b" not in caught.value.message
