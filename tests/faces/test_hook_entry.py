"""`mem hook NAME EVENT`: silent, quick to start, never failing; git's events start the sweep."""

import subprocess
import sys
from pathlib import Path

import pytest

from memcli.agents import hook
from tests.standin import StandIn

BUSY = ("rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG")


@pytest.mark.parametrize("event", ["post-commit", "post-merge", "post-checkout", "post-rewrite"])
def test_events_of_git_want_a_sweep(tmp_path: Path, event: str) -> None:
    """Each of the four, in a repository that is doing nothing else, is worth a sweep, with no arguments too."""
    assert hook.wanted(event, [], str(tmp_path))


@pytest.mark.parametrize("mark", BUSY)
def test_replaying_is_silent_and_its_end_is_not(tmp_path: Path, mark: str) -> None:
    """While git replays or bisects, commits and checkouts are silent; what ends it sweeps though the mark stands."""
    (tmp_path / mark).mkdir()
    wanted = {event: hook.wanted(event, [], str(tmp_path)) for event in ("post-commit", "post-checkout")}
    assert wanted == {"post-commit": False, "post-checkout": False}
    assert hook.wanted("post-rewrite", ["rebase"], str(tmp_path))
    assert hook.wanted("post-merge", ["0"], str(tmp_path))


def test_a_single_cherry_pick_is_swept(tmp_path: Path) -> None:
    """CHERRY_PICK_HEAD alone, or a merge under way, silences nothing."""
    (tmp_path / "CHERRY_PICK_HEAD").touch()
    (tmp_path / "MERGE_HEAD").touch()
    assert hook.wanted("post-commit", [], str(tmp_path))


@pytest.mark.parametrize(
    ("event", "args", "wanted"),
    [
        ("post-checkout", ["a", "b", "0"], False),
        ("post-checkout", ["a", "b", "1"], True),
        ("post-rewrite", ["amend"], False),
        ("post-rewrite", ["rebase"], True),
        ("pre-push", [], False),
        ("", [], False),
    ],
)
def test_arguments_of_git(tmp_path: Path, event: str, args: list[str], wanted: bool) -> None:
    """A checkout of files, an amend (its post-commit has run) and foreign events want nothing."""
    assert hook.wanted(event, args, str(tmp_path)) is wanted


def test_git_event_starts_the_sweep_without_gits_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The child runs `_background sweep` in the work tree, and knows nothing of the index that git was busy with."""
    standin = StandIn(tmp_path)
    (tmp_path / "app" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "app")
    env = standin.env | {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/next-index-7.lock", "GIT_WORK_TREE": "."}
    assert hook.main(["git", "post-commit"], env) == 0
    assert standin.facts["args"] == ["_background", "sweep", "--reason", "post-commit"]
    assert standin.facts["cwd"] == str((tmp_path / "app").resolve())
    assert not {"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} & set(standin.facts["env"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("named", [True, False])
def test_a_linked_worktree_has_its_own_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    """A rebase in a linked worktree silences that worktree, whether git names its directory or .git leads there."""
    standin = StandIn(tmp_path)
    own = tmp_path / "app" / ".git" / "worktrees" / "side"
    (own / "rebase-merge").mkdir(parents=True)
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {own}\n")
    env = standin.env | ({"GIT_DIR": str(own)} if named else {})
    monkeypatch.chdir(side)
    assert hook.main(["git", "post-commit"], env) == 0
    monkeypatch.chdir(tmp_path / "app")
    assert hook.main(["git", "post-merge"], standin.env) == 0
    assert standin.facts["args"][-1] == "post-merge"


@pytest.mark.parametrize(
    "args", [[], ["git"], ["git", "x"], ["claude", "Stop"], ["codex", "session-start"], ["\udcff"]]
)
def test_whatever_is_asked_it_exits_0_and_says_nothing(args: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Any agent's event, none, and nonsense: 0, and not a byte."""
    assert hook.main(args, {}) == 0
    assert capfd.readouterr() == ("", "")


def test_a_fault_does_not_reach_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its folder gone, or a .git that is nonsense, the hook still exits 0."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert hook.main(["git", "post-commit"], {}) == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").write_bytes(b"\0\xff")
    assert hook.main(["git", "post-commit"], {}) == 0


def test_an_agents_event_imports_next_to_nothing() -> None:
    """What an agent calls at each turn loads no module but its own: start-up is its whole cost."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from memcli.agents import hook\n"
        "hook.main(['claude', 'PostToolUse'], {})\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["memcli", "memcli.agents", "memcli.agents.hook"]
