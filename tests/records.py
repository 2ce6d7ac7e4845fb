"""Fragments for tests: one with the usual fields, and any at all as a hypothesis strategy."""

from typing import Any

from hypothesis import strategies as st

from memcli.model import STATES, TYPES, Anchor, Fragment, Stamp

IDS = [letter * 16 for letter in "klmnopq"]


def fragment(ident: str = IDS[0], text: str = "users are made here", **fields: Any) -> Fragment:
    """A fragment with the usual fields."""
    whole: dict[str, Any] = {"key": None, "type": "note", "scope": "workspace", "state": "active", "base": 1.0}
    whole |= {"stamp": Stamp(None, "main", False, 5), "created": 5, "updated": 5} | fields
    return Fragment(id=ident, text=text, **whole)


# any text, lone surrogates included: JSON can bring them, and a path's byte that is no UTF-8 is one
any_text = st.text(st.characters(codec=None), max_size=40)
some_text = st.one_of(st.sampled_from(["", "x", "users are made here", "x" * 600, "\udcff", "\ud800 lone"]), any_text)
_paths = st.one_of(st.sampled_from(["src/users.py", "d/" * 300 + "f", "caf\udce9.py"]), any_text)
_times = st.integers(-(1 << 62), 1 << 62)
_short = st.one_of(st.none(), st.text(max_size=8))
_lines = st.one_of(st.none(), st.tuples(st.integers(1, 9), st.integers(1, 9)))
_anchors = st.builds(
    Anchor, _paths, st.sampled_from(["file", "dir", "missing"]), _short, _short, _lines, _short, st.booleans(),
    st.booleans(), st.lists(any_text, max_size=3).map(tuple),
)  # fmt: skip
_stamps = st.builds(Stamp, _short, _short, st.booleans(), _times, st.lists(st.text(max_size=4), max_size=2).map(tuple))
_idents = st.lists(st.sampled_from(IDS), max_size=2).map(tuple)

fragments = st.builds(
    Fragment,
    id=st.sampled_from(IDS[:4]),
    key=st.one_of(st.none(), st.sampled_from(["", "a", "a:b", "k" * 600]), any_text),
    type=st.sampled_from(TYPES),
    scope=st.sampled_from(["session", "user", "workspace"]),
    state=st.sampled_from(STATES),
    text=some_text,
    base=st.floats(0, 1),
    stamp=_stamps,
    anchors=st.lists(_anchors, max_size=3).map(tuple),
    parents=_idents,
    supersedes=_idents,
    superseded_by=st.one_of(st.none(), st.sampled_from(IDS)),
    source=st.text(max_size=8),
    author=st.text(max_size=8),
    session=_short,
    created=_times,
    updated=_times,
    approved=st.one_of(st.none(), _times),
)
