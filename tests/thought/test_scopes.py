"""Law 10: who is shown what, and what a session inherits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import Usage
from memcli.model import SCOPES, STATES, Fragment, Stamp
from memcli.scopes import APPROVAL, Viewer, ask, check_scope, check_state, earlier_session, readable, visible


def fragment(
    ident: str = "kkkkkkkkkkkkkkkk",
    kind: str = "note",
    scope: str = "workspace",
    state: str = "active",
    session: str | None = None,
    branch: str | None = "main",
    created: int = 1,
    text: str = "text",
) -> Fragment:
    return Fragment(
        ident,
        None,
        kind,
        scope,
        state,
        text,
        1.0,
        Stamp("c", branch, False, created),
        session=session,
        created=created,
        updated=created,
    )


def test_what_is_below_the_minimum_is_shown_only_when_asked_for() -> None:
    """Under 0.30 hidden, at 0.30 shown; --min-confidence 0, --all and --stale ask for the rest."""
    f = fragment()
    assert visible(f, 0.30, ask())
    assert visible(f, 3 * 0.1, ask())
    assert not visible(f, 0.29, ask())
    assert not visible(f, 0.5, ask(default=0.6))
    assert visible(f, 0.05, ask(minimum=0))
    assert visible(f, 0.05, ask(all=True))
    assert visible(f, 0.05, ask(below=True))


@pytest.mark.parametrize("state", [s for s in STATES if s != "active"])
def test_other_states_are_shown_only_when_asked_for(state: str) -> None:
    """Superseded (confidence 0), proposed, rejected: by --state and --all, not by default or --min-confidence 0."""
    f = fragment(state=state)
    assert not visible(f, 1.0, ask())
    assert not visible(f, 0.0, ask(minimum=0))
    assert visible(f, 0.0, ask(states=(state,)))
    assert visible(f, 0.0, ask(all=True))
    assert not visible(f, 0.0, ask(states=(state,), minimum=0.5))


def test_asking_for_a_state_asks_for_that_state_only() -> None:
    """--state proposed leaves the active ones out."""
    assert not visible(fragment(), 1.0, ask(states=("proposed",)))


def test_sessions_do_not_see_each_other() -> None:
    """A session's fragments are its own; --all shows them; workspace and user scope are for every session."""
    f = fragment(scope="session", session="a")
    assert visible(f, 1.0, ask("a"))
    assert not visible(f, 1.0, ask("b"))
    assert not visible(f, 1.0, ask(None))
    assert visible(f, 1.0, ask("b", all=True))
    assert visible(f, 1.0, ask("b", lent={f.id}))
    assert all(visible(fragment(scope=s, session="a"), 1.0, ask("b")) for s in ("workspace", "user"))


@given(
    st.sampled_from(STATES),
    st.sampled_from(SCOPES),
    st.sampled_from((None, "a", "b")),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
)
def test_visible_means_readable_and_asking_for_more_shows_more(
    state: str, scope: str, session: str | None, confidence: float, minimum: float, named: bool
) -> None:
    """What is visible is readable; --all shows whatever any other view shows."""
    f = fragment(scope=scope, state=state, session=session)
    viewer = ask("a", minimum=minimum if named else None, default=minimum)
    if visible(f, confidence, viewer):
        assert readable(f, viewer)
        assert visible(f, confidence, ask("a", all=True))
    assert visible(f, confidence, Viewer("a", minimum, STATES, True)) or confidence < minimum


def unfinished(f: Fragment) -> bool:
    return f.text != "done"


def work(ident: str, session: str, created: int, text: str = "half way", branch: str | None = "main") -> Fragment:
    return fragment(ident, "progress", "session", session=session, created=created, text=text, branch=branch)


def test_a_session_inherits_the_unfinished_work_of_the_newest_earlier_one() -> None:
    """Only that session's, only what is unfinished, only progress, result and status."""
    old, new, done = work("a", "one", 1), work("b", "two", 2), work("c", "two", 3, "done")
    thought = fragment("d", "thinking", "session", session="two", created=4)
    later = fragment("e", "thinking", "session", session="three", created=9)
    assert earlier_session([old, new, done, thought], "three", "main", unfinished) == {"b"}
    assert earlier_session([old, new, done, thought, later], "three", "main", unfinished) == {"b"}


def test_a_session_with_unfinished_work_of_its_own_inherits_nothing() -> None:
    """Its own progress is enough; finished work of its own is not."""
    earlier = work("a", "one", 1)
    assert earlier_session([earlier, work("b", "two", 2)], "two", "main", unfinished) == frozenset()
    assert earlier_session([earlier, work("b", "two", 2, "done")], "two", "main", unfinished) == {"a"}


def test_inheritance_stays_on_the_branch_and_in_time() -> None:
    """Not from another branch, not from a session that began later, not what is superseded, not without a session."""
    assert earlier_session([work("a", "one", 1, branch="topic")], "two", "main", unfinished) == frozenset()
    assert earlier_session([work("a", "one", 5), work("b", "two", 2, "done")], "two", "main", unfinished) == frozenset()
    gone = work("a", "one", 1)._replace(state="superseded")
    assert earlier_session([gone], "two", "main", unfinished) == frozenset()
    assert earlier_session([work("a", "one", 1)], None, "main", unfinished) == frozenset()


def test_a_finished_session_hides_older_leftovers() -> None:
    """When the newest earlier session finished its work, nothing older is dug up."""
    assert (
        earlier_session([work("a", "one", 1), work("b", "two", 2, "done")], "three", "main", unfinished) == frozenset()
    )


def test_unknown_scopes_and_states_name_the_nearest() -> None:
    """A typo is answered with the word that was meant."""
    assert check_scope("Workspace") == "workspace"
    assert check_state("proposed") == "proposed"
    with pytest.raises(Usage, match="unknown scope: 'worksapce'") as caught:
        check_scope("worksapce")
    assert "did you mean workspace?" in (caught.value.hint or "")
    with pytest.raises(Usage, match="unknown state"):
        check_state("stale")


def test_the_approval_table_covers_every_scope() -> None:
    """Each who has a rule for each scope, and rules say accept or propose."""
    for who in ("person", "agent", "capture"):
        assert all(f"{who}.{scope}" in APPROVAL for scope in SCOPES)
    assert set(APPROVAL.values()) == {"accept", "propose"}
