"""Git hooks with real git: what runs when, what stays of the user's hooks, what uninstall gives back.

The program that the hooks start is a stand-in that writes down its arguments.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import githooks, hookscript
from memcli.errors import OutsideRepository
from tests.conftest import Repo
from tests.standin import eventually

SCRIPTS = Path(__file__).parents[2] / "hooks"
SHELLS = [shell for shell in ("sh", "bash", "dash", "ksh", "mksh", "zsh") if shutil.which(shell)]


class Hooked(Repo):
    """The repository with its hooks folder, and what the stand-in was called with."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.hooks = path / ".git" / "hooks"
        self.log = path.parent / "it's called.log"
        self.program = path.parent / "stand in"
        self.program.write_text(f'#!/bin/sh\necho "$@" >>"{self.log}"\n')
        self.program.chmod(0o755)
        self.command = [str(self.program), "it's"]

    def install(self, folder: Path | None = None) -> dict[str, githooks.Done]:
        done = githooks.install(str(folder or self.hooks), self.command, [str(self.path)])
        return {one.hook: one for one in done}

    def uninstall(self, folder: Path | None = None) -> dict[str, githooks.Done]:
        return {one.hook: one for one in githooks.uninstall(str(folder or self.hooks), [str(self.path)])}

    def states(self) -> dict[str, str]:
        return {one.hook: one.state for one in githooks.status(str(self.hooks), self.command)}

    def hook(self, name: str, content: str | bytes, mode: int = 0o755) -> Path:
        path = self.write(f".git/hooks/{name}", content)
        path.chmod(mode)
        return path

    def calls(self) -> list[str]:
        """The events that the stand-in was started for, in order."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line.removeprefix("it's hook git ") for line in lines]

    def swept(self, *events: str) -> None:
        """Wait until there are as many calls as these, and a little longer: they are the ones, and no more come."""
        eventually(lambda: len(self.calls()) >= len(events))
        time.sleep(0.2)
        assert self.calls() == list(events)


@pytest.fixture
def hooked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    monkeypatch.delenv("MEM_NO_BACKGROUND")
    return Hooked(repo.path)


def test_a_commit_runs_it(hooked: Hooked) -> None:
    """After install a commit starts the program once, with the event's name; the hooks are executable."""
    assert {one.action for one in hooked.install().values()} == {"made"}
    hooked.commit("second", a__txt="1")
    hooked.swept("post-commit")
    assert {(hooked.hooks / name).stat().st_mode & 0o777 for name in githooks.HOOKS} == {0o755}


def test_the_hook_does_not_wait(hooked: Hooked) -> None:
    """Git is through while the program is still running, and waits for none of its streams."""
    hooked.program.write_text(
        f'#!/bin/sh\nread -r line <"{hooked.path.parent}/gate"\necho "$@" "$line" >>"{hooked.log}"\n'
    )
    os.mkfifo(hooked.path.parent / "gate")
    hooked.install()
    commit = ["git", "commit", "--allow-empty", "-m", "second"]
    subprocess.run(commit, cwd=hooked.path, capture_output=True, check=True, timeout=60)
    assert not hooked.log.exists()
    (hooked.path.parent / "gate").write_text("open\n")
    hooked.swept("post-commit open")


@pytest.mark.parametrize("said_no", [{"CI": "1"}, {"MEM_NO_BACKGROUND": "1"}, {"MEM_DISABLE": "1"}])
def test_no_sweep_where_someone_said_no(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch, said_no: dict[str, str]
) -> None:
    """CI, MEM_NO_BACKGROUND and MEM_DISABLE=1 keep the program from being started."""
    hooked.install()
    with monkeypatch.context() as said:
        for name, value in said_no.items():
            said.setenv(name, value)
        hooked.commit("silent")
    hooked.git("commit", "-q", "--allow-empty", "-m", "swept")
    hooked.swept("post-commit")


def test_a_program_that_is_gone_is_looked_for_on_the_path(hooked: Hooked, tmp_path: Path) -> None:
    """With the program that installed it gone, the hook starts the `mem` of the PATH; without one it is silent."""
    hooked.install()
    (tmp_path / "bin").mkdir()
    hooked.program.rename(tmp_path / "bin" / "mem")
    assert hooked.git("commit", "--allow-empty", "-m", "none", PATH="/usr/bin:/bin").endswith("none")
    hooked.git("commit", "-q", "--allow-empty", "-m", "found", PATH=f"{tmp_path}/bin:/usr/bin:/bin")
    eventually(lambda: hooked.calls() == ["hook git post-commit"])


# --- when git is busy ---


def branches(hooked: Hooked) -> None:
    """Three commits on side, one on main, no hooks yet; side is checked out."""
    hooked.git("checkout", "-q", "-b", "side")
    for number in "123":
        hooked.commit(f"side {number}", **{f"s{number}": number})
    hooked.git("checkout", "-q", "main")
    hooked.commit("main", m="m")
    hooked.git("checkout", "-q", "side")


def test_a_rebase_is_swept_once(hooked: Hooked) -> None:
    """However many commits are replayed, squashed and reworded, the one sweep is post-rewrite's at the end."""
    branches(hooked)
    hooked.install()
    hooked.git("rebase", "-q", "main")
    hooked.swept("post-rewrite")
    squash = "sed -i.bak -e 2s/pick/squash/ -e 3s/pick/reword/"
    hooked.git("rebase", "-q", "-i", "main", GIT_SEQUENCE_EDITOR=squash, GIT_EDITOR="true")
    hooked.swept("post-rewrite", "post-rewrite")


def test_a_rebase_in_a_linked_worktree_is_swept_once(hooked: Hooked) -> None:
    """A linked worktree has its own marks of a rebase: they silence it, and nothing else."""
    branches(hooked)
    hooked.git("checkout", "-q", "main")
    hooked.git("worktree", "add", "-q", "../linked", "side")
    hooked.install()
    linked = Repo(hooked.path.parent / "linked")
    linked.git("rebase", "-q", "main")
    hooked.swept("post-rewrite")
    linked.git("config", "core.editor", "false")
    linked.git("rebase", "-i", "--exec", "false", "HEAD~1", check=False, GIT_SEQUENCE_EDITOR="true")
    linked.git("commit", "-q", "--allow-empty", "-m", "in the rebase")
    hooked.commit("elsewhere", other="1")
    hooked.swept("post-rewrite", "post-commit")


def test_an_amend_is_swept_once(hooked: Hooked) -> None:
    """An amend runs post-commit and post-rewrite: one sweep."""
    hooked.install()
    hooked.git("commit", "-q", "--amend", "-m", "better")
    hooked.commit("last", a="1")
    hooked.swept("post-commit", "post-commit")


def test_cherry_picks_and_reverts(hooked: Hooked) -> None:
    """A single cherry-pick or revert is swept; several in one go are silent."""
    branches(hooked)
    hooked.git("checkout", "-q", "main")
    hooked.install()
    hooked.git("cherry-pick", "side~2")
    hooked.swept("post-commit")
    hooked.git("revert", "--no-edit", "HEAD")
    hooked.swept("post-commit", "post-commit")
    hooked.git("cherry-pick", "side~1", "side")
    hooked.commit("last", a="1")
    hooked.swept("post-commit", "post-commit", "post-commit")


def test_a_merge_is_swept_once(hooked: Hooked) -> None:
    """A merge that commits, and one that only moves the branch forward, are swept by post-merge."""
    branches(hooked)
    hooked.git("checkout", "-q", "main")
    hooked.install()
    hooked.git("merge", "-q", "side", "-m", "merged")
    hooked.swept("post-merge")
    hooked.git("checkout", "-q", "side")
    hooked.swept("post-merge", "post-checkout")
    hooked.git("merge", "-q", "main")
    hooked.swept("post-merge", "post-checkout", "post-merge")


def test_a_checkout_of_files_is_silent(hooked: Hooked) -> None:
    """Changing the branch is swept, taking files from one is not."""
    branches(hooked)
    hooked.install()
    hooked.git("checkout", "-q", "main", "--", "m")
    hooked.git("checkout", "-q", "-f", "main")
    hooked.swept("post-checkout")


def test_a_bisect_is_silent(hooked: Hooked) -> None:
    """From start to reset a bisect sweeps nothing."""
    branches(hooked)
    hooked.install()
    hooked.git("bisect", "start", "HEAD", "HEAD~3")
    hooked.git("commit", "-q", "--allow-empty", "-m", "while bisecting")
    hooked.git("bisect", "good")
    hooked.git("bisect", "reset")
    hooked.commit("last", a="1")
    hooked.swept("post-commit")


# --- the user's own hooks ---

OWN = 'echo "$0 $# $-" >>own.log\ncat >>own.log\n'


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("ending", ["", "exec true\n", "exit 0\n", "false\n", "set -eu; false; echo never\n"])
@pytest.mark.parametrize("options", ["", " -e", " -u"])
def test_a_shell_hook_runs_as_before(hooked: Hooked, shell: str, ending: str, options: str) -> None:
    """In each shell, with `exec`, `exit`, `set -e` or a failure: the user's hook sees the same arguments, options and
    stdin, ends with the same status, and the program is started."""
    path = hooked.hook("post-rewrite", f"#!{shutil.which(shell)}{options}\n{OWN}{ending}")

    def run() -> tuple[int, bytes, bytes]:
        done = subprocess.run([path, "rebase"], cwd=hooked.path, input=b"a b\n", capture_output=True, check=False)
        own = hooked.path / "own.log"
        return done.returncode, done.stdout + done.stderr, own.read_bytes()

    before = run()
    (hooked.path / "own.log").unlink()
    assert hooked.install()["post-rewrite"].action == "added"
    assert run() == before
    eventually(lambda: hooked.calls() == ["post-rewrite"])


@pytest.mark.parametrize("status", [0, 3])
def test_a_python_hook_runs_as_before(hooked: Hooked, status: int) -> None:
    """A Python hook keeps its docstring, its imports from the future, arguments, stdin and status."""
    script = (
        '#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n"""Own: \xe9\n\nof two lines."""\n'
        "from __future__ import annotations\n\nimport sys\n"
        f"print(__doc__, sys.argv[1:], sys.stdin.read(), sorted(globals()))\nsys.exit({status})\n"
    )
    path = hooked.hook("post-rewrite", script.encode("latin-1"))

    def run() -> tuple[int, bytes]:
        done = subprocess.run([path, "rebase"], cwd=hooked.path, input=b"a b\n", capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    before = run()
    assert hooked.install()["post-rewrite"].action == "added"
    assert run() == before
    assert before[0] == status
    hooked.swept("post-rewrite")
    subprocess.run([path, "amend"], cwd=hooked.path, input=b"", capture_output=True, check=False)
    assert run() == before
    hooked.swept("post-rewrite", "post-rewrite")
    hooked.uninstall()
    assert path.read_bytes() == script.encode("latin-1")


def test_a_failing_hook_changes_no_commit(hooked: Hooked) -> None:
    """A hook that fails as the user wrote it leaves the commit as successful as it was."""
    hooked.hook("post-commit", "#!/bin/sh\nexit 7\n")
    hooked.install()
    hooked.commit("second", a="1")
    hooked.swept("post-commit")


def test_a_hook_without_a_first_line_is_the_shells(hooked: Hooked) -> None:
    """Git gives a script without `#!` to the shell: it takes the block, and comes back as it was."""
    path = hooked.hook("post-commit", "touch own.log")
    hooked.install()
    hooked.commit("second", a="1")
    hooked.swept("post-commit")
    assert (hooked.path / "own.log").exists()
    hooked.uninstall()
    assert path.read_bytes() == b"touch own.log"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("options", ["", " -e", " -u", " -eu"])
@pytest.mark.parametrize("check", hookscript.CHECKS)
def test_only_a_check_that_says_no_stops_the_users_hook(hooked: Hooked, shell: str, options: str, check: str) -> None:
    """In each shell: a no is told and ends the hook with 1; a yes, a word without a no, a crash without a word, and a
    program that is gone let the user's own run as before, with its arguments, options, stdin and status."""
    path = hooked.hook(check, f"#!{shutil.which(shell)}{options}\n{OWN}exit 3\n")

    def run(program: str) -> tuple[int, bytes, bytes]:
        hooked.program.write_text(f"#!/bin/sh\n{program}\n")
        (hooked.path / "own.log").unlink(missing_ok=True)
        done = subprocess.run(
            [path, "origin", "url"], cwd=hooked.path, input=b"a b\n", capture_output=True, check=False
        )
        own = hooked.path / "own.log"
        return done.returncode, done.stdout + done.stderr, own.read_bytes() if own.exists() else b""

    code, said, own = run("true")
    assert (code, said) == (3, b"")
    githooks.install(str(hooked.hooks), hooked.command, [str(hooked.path)], [check])
    assert run("echo no; exit 1") == (1, b"no\n", b"")
    assert run("true") == run("echo lost >&2; exit 1") == run("exit 2") == run("kill $$") == (3, b"", own)
    assert run("echo not checked; exit 0") == (3, b"not checked\n", own)
    hooked.program.unlink()
    done = subprocess.run(
        [path], cwd=hooked.path, input=b"a b\n", capture_output=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )
    assert (done.returncode, done.stdout + done.stderr) == (3, b"")


def test_a_check_outside_the_repository_is_told_with_its_line(hooked: Hooked, tmp_path: Path) -> None:
    """For a global core.hooksPath the hint has the line of each check that was asked for, and the line does stop."""
    (tmp_path / "global").mkdir()
    with pytest.raises(OutsideRepository) as refused:
        githooks.install(str(tmp_path / "global"), hooked.command, [str(hooked.path)], ["pre-push"])
    line = githooks.line_to_add("pre-push")
    assert f"to pre-push: {line}" in (refused.value.hint or "")
    (tmp_path / "bin").mkdir()
    for code in (0, 1, 2):
        (tmp_path / "bin/mem").write_text(f"#!/bin/sh\necho said; exit {code}\n")
        (tmp_path / "bin/mem").chmod(0o755)
        done = subprocess.run(
            ["sh", "-ec", f"{line}\nexit 7"], env={"PATH": f"{tmp_path}/bin:/bin"}, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (1 if code == 1 else 7, b"", b"said\n")


REFUSED = {
    "another language": (b"#!/usr/bin/env node\nconsole.log(1)\n", 0o755, "run by node", True),
    "a compiled program": (b"\x7fELF\0\0", 0o755, "compiled", True),
    "CR LF": (b"#!/bin/sh\r\necho\r\n", 0o755, "CR LF", True),
    "not executable": (b"#!/bin/sh\necho\n", 0o644, "isn't executable", False),
    "a script of two languages": (
        b"#!/bin/sh\n''':'\nexec python3 \"$0\" \"$@\"\n'''\n",
        0o755,
        "another program",
        True,
    ),
    "a broken Python script": (b"#!/usr/bin/python3\nprint 'two'\n", 0o755, "no Python 3", True),
    "a line that goes on": (b"#!/usr/bin/python3\n'doc'; x = [\n1]\n", 0o755, "can't be taken apart", True),
    "half a block": (b"#!/bin/sh\n# >>> mem >>>\necho mine\n", 0o755, "no longer one pair", False),
    "two blocks": (b"#!/bin/sh\n" + 2 * b"# >>> mem >>>\n# <<< mem <<<\n", 0o755, "no longer one pair", False),
    "a block upside down": (b"#!/bin/sh\n# <<< mem <<<\n# >>> mem >>>\n", 0o755, "no longer one pair", False),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_take_the_block_is_left_alone(hooked: Hooked, case: str) -> None:
    """Such a hook keeps every byte and its mode, the reason is named with the line to add where one helps, and the
    other hooks are installed all the same."""
    content, mode, reason, by_hand = REFUSED[case]
    path = hooked.hook("post-commit", content, mode)
    done = hooked.install()
    assert done["post-commit"].action == "refused"
    assert reason in done["post-commit"].note
    assert ("mem hook git post-commit" in done["post-commit"].note) is by_hand
    assert {done[hook].action for hook in githooks.HOOKS[1:]} == {"made"}
    hooked.uninstall()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (content, mode)


def test_the_line_to_add_does_the_same(hooked: Hooked, tmp_path: Path) -> None:
    """The line that a refusal names, put into a hook by hand, starts the program in the background."""
    (tmp_path / "bin").mkdir()
    hooked.program.rename(tmp_path / "bin" / "mem")
    hooked.hook("post-checkout", f"#!/bin/sh\n{githooks.line_to_add('post-checkout')}\n")
    hooked.git("checkout", "-q", "-b", "new", PATH=f"{tmp_path}/bin:/usr/bin:/bin")
    eventually(lambda: len(hooked.calls()) == 1)
    assert hooked.calls()[0].startswith("hook git post-checkout ")
    assert hooked.calls()[0].endswith(" 1")


# --- where ---


def test_hooks_in_a_folder_of_the_repository(hooked: Hooked) -> None:
    """A core.hooksPath inside the repository is where git looks, so the hooks go there, into a new folder too."""
    hooked.git("config", "core.hooksPath", "dev/hooks")
    hooked.install(hooked.path / "dev" / "hooks")
    hooked.commit("second", a="1")
    hooked.swept("post-commit")
    hooked.uninstall(hooked.path / "dev" / "hooks")
    assert not list((hooked.path / "dev" / "hooks").iterdir())


def test_hooks_outside_the_repository_are_refused(hooked: Hooked, tmp_path: Path) -> None:
    """Nothing is written into a global core.hooksPath; the error says what to add there."""
    (tmp_path / "global").mkdir()
    with pytest.raises(OutsideRepository) as refused:
        hooked.install(tmp_path / "global")
    assert 'mem hook git "${0##*/}" "$@"' in (refused.value.hint or "")
    assert not list((tmp_path / "global").iterdir())


def test_a_link_stays_a_link(hooked: Hooked) -> None:
    """A hook that links to a script of the repository: the script takes the block, keeps its mode, gives it back."""
    script = hooked.write("scripts/hook.sh", "#!/bin/sh\ntouch own.log\n")
    script.chmod(0o750)
    (hooked.hooks / "post-commit").symlink_to("../../scripts/hook.sh")
    assert hooked.install()["post-commit"].action == "added"
    hooked.commit("second", a="1")
    hooked.swept("post-commit")
    assert (hooked.path / "own.log").exists()
    hooked.uninstall()
    assert os.readlink(hooked.hooks / "post-commit") == "../../scripts/hook.sh"
    assert (script.read_text(), script.stat().st_mode & 0o777) == ("#!/bin/sh\ntouch own.log\n", 0o750)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_out_of_the_repository_is_refused(hooked: Hooked, tmp_path: Path, there: bool) -> None:
    """A hook that links to a file elsewhere is not written through, be the file there or not."""
    if there:
        (tmp_path / "shared").write_text("#!/bin/sh\n")
        (tmp_path / "shared").chmod(0o755)
    (hooked.hooks / "post-commit").symlink_to(tmp_path / "shared")
    done = hooked.install()["post-commit"]
    assert (done.action, "leads out of the repository" in done.note) == ("refused", True)
    assert (tmp_path / "shared").exists() is there
    assert not there or (tmp_path / "shared").read_text() == "#!/bin/sh\n"


def test_a_folder_in_a_hooks_place_is_refused(hooked: Hooked) -> None:
    """What can't be read as a file is an answer with the system's reason."""
    (hooked.hooks / "post-merge").mkdir()
    assert hooked.install()["post-merge"][1::2] == ("refused", "Is a directory")
    assert hooked.uninstall()["post-merge"].action == "refused"
    assert hooked.states()["post-merge"] == "broken"


# --- again, older, half removed, gone ---


def test_installing_again_changes_nothing(hooked: Hooked) -> None:
    """The second install writes no byte, whether the hooks were made or the user's."""
    hooked.hook("post-merge", "#!/bin/bash\ntrue")
    hooked.install()
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in hooked.hooks.iterdir()}
    assert {one.action for one in hooked.install().values()} == {"unchanged"}
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in hooked.hooks.iterdir()} == before


@pytest.mark.parametrize("own", [None, "#!/bin/sh\n", "#!/bin/sh", "#!/usr/bin/env python3\nprint()\n", "true"])
def test_an_older_block_is_replaced_in_place(hooked: Hooked, own: str | None) -> None:
    """A block of another version gives way to the new one where it stands; uninstall gives back what was there."""
    path = hooked.hooks / "post-commit"
    if own is not None:
        hooked.hook("post-commit", own)
    hooked.install()
    now = path.read_bytes()
    old = now.replace(b"# >>> mem >>>", b"# >>> mem >>> older").replace(b"nice ", b"nice  ")
    path.write_bytes(old)
    assert hooked.states()["post-commit"] == "outdated"
    assert hooked.install()["post-commit"].action == "updated"
    assert path.read_bytes() == now
    hooked.uninstall()
    assert (path.read_text() if path.exists() else None) == own


def test_edits_made_meanwhile_stay(hooked: Hooked) -> None:
    """Lines that the user added around the block after the install stay, in a hook that was made for it too."""
    path = hooked.hook("post-merge", "#!/bin/sh\necho old\n")
    hooked.install()
    path.write_text(path.read_text().replace("#!/bin/sh\n", "#!/bin/sh\n# above\n") + "echo new\n")
    made = hooked.hooks / "post-commit"
    made.write_text(made.read_text() + "echo mine\n")
    assert hooked.uninstall()["post-commit"].action == "restored"
    assert made.read_text() == "#!/bin/sh\necho mine\n"
    assert path.read_text() == "#!/bin/sh\n# above\necho old\necho new\n"


def test_uninstall_takes_away_what_install_made(hooked: Hooked) -> None:
    """Made files go, foreign ones and those without a block stay; a second uninstall has nothing to do."""
    before = {path.name: path.read_bytes() for path in hooked.hooks.iterdir()}
    own = hooked.hook("pre-commit", "#!/bin/sh\nexit 0\n")
    hooked.install()
    assert {one.action for one in hooked.uninstall().values()} == {"removed"}
    own.unlink()
    assert {path.name: path.read_bytes() for path in hooked.hooks.iterdir()} == before
    assert {one.action for one in hooked.uninstall().values()} == {"absent"}


def test_half_a_block_is_never_eaten(hooked: Hooked) -> None:
    """With one mark deleted, install and uninstall refuse and say what to do; status calls it broken."""
    path = hooked.hook("post-commit", "#!/bin/sh\necho mine\n")
    hooked.install()
    half = path.read_text().replace("# <<< mem <<<\n", "")
    path.write_text(half)
    for done in (hooked.install(), hooked.uninstall()):
        assert (done["post-commit"].action, "by hand" in done["post-commit"].note) == ("refused", True)
    assert hooked.states()["post-commit"] == "broken"
    assert path.read_text() == half


def test_status_says_how_each_hook_stands(hooked: Hooked) -> None:
    """Missing before, installed after, outdated for another program, broken when git would not run it."""
    assert set(hooked.states().values()) == {"missing"}
    hooked.install()
    assert set(hooked.states().values()) == {"installed"}
    (hooked.hooks / "post-merge").chmod(0o644)
    assert hooked.states()["post-merge"] == "broken"
    others = githooks.status(str(hooked.hooks), ["mem"])
    assert {one.state for one in others if one.hook != "post-merge"} == {"outdated"}


@pytest.mark.parametrize(
    ("name", "mark"),
    [("lefthook", "call_lefthook run post-commit"), ("pre-commit", "# File generated by pre-commit: https://…")],
)
def test_a_manager_that_writes_the_hook_anew_is_named(hooked: Hooked, name: str, mark: str) -> None:
    """Whose hook will be written anew is told at install and by status, with the command that helps."""
    hooked.hook("post-commit", f"#!/bin/sh\n{mark}\n")
    notes = [hooked.install()["post-commit"].note, githooks.status(str(hooked.hooks), hooked.command)[0].note]
    assert all(note.startswith(name) and "mem hooks install" in note for note in notes)


def test_huskys_folder_is_named(hooked: Hooked) -> None:
    """In the folder that husky generates the block works and the note says that it won't last."""
    folder = hooked.path / ".husky" / "_"
    hooked.write(".husky/_/h", "exit 0\n")
    hooked.write(".husky/_/post-commit", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"').chmod(0o755)
    hooked.git("config", "core.hooksPath", ".husky/_")
    notes = [one.note for one in hooked.install(folder).values()]
    assert all(note.startswith("husky") for note in notes)
    hooked.commit("second", a="1")
    hooked.swept("post-commit")


# --- the text ---


@pytest.mark.parametrize("hook", githooks.HOOKS)
def test_the_scripts_are_what_is_installed(hooked: Hooked, hook: str) -> None:
    """A made hook is the script of hooks/ but for the program's own line and the remark that nothing else is in it."""
    hooked.install()
    shipped = (SCRIPTS / hook).read_text().splitlines()
    made = (hooked.hooks / hook).read_text().splitlines()
    differing = [(ours, theirs) for ours, theirs in zip(shipped, made, strict=True) if ours != theirs]
    assert [ours for ours, _ in differing] == ["        set -- mem", "# <<< mem <<<"]
    assert f"hook git {hook} &" in (SCRIPTS / hook).read_text()
    assert os.access(SCRIPTS / hook, os.X_OK)


@pytest.mark.parametrize("check", hookscript.CHECKS)
def test_the_scripts_of_the_checks_are_what_is_installed(hooked: Hooked, check: str) -> None:
    """So for the hooks that may say no."""
    githooks.install(str(hooked.hooks), hooked.command, [str(hooked.path)], [check])
    shipped = (SCRIPTS / check).read_text().splitlines()
    made = (hooked.hooks / check).read_text().splitlines()
    differing = [ours for ours, theirs in zip(shipped, made, strict=True) if ours != theirs]
    assert differing == ["        set -- mem", "# <<< mem <<<"]
    assert os.access(SCRIPTS / check, os.X_OK)
    assert {path.name for path in SCRIPTS.iterdir()} == {*githooks.HOOKS, *hookscript.CHECKS}


def same_after(content: bytes) -> None:
    """What takes the block gives it back exactly, and only once has it."""
    for hook in ("post-commit", "pre-push"):
        try:
            put = hookscript.put(content, hook, ["mem"])
        except hookscript.UnfitError:
            return
        assert hookscript.find(put)
        assert hookscript.put(put, hook, ["mem"]) == put
        assert hookscript.without(put) == content


LINES = st.lists(
    st.binary(max_size=12) | st.sampled_from([b"\n", b"\r\n", b"# <<< mem <<<", b"# >>> mem >>>", b"exit"])
)


@given(start=st.sampled_from([b"#!/bin/sh", b"#!/bin/sh\n", b"#!/usr/bin/env -S bash -e\n", b""]), lines=LINES)
def test_uninstall_is_the_inverse_of_install_for_shell(start: bytes, lines: list[bytes]) -> None:
    """Arbitrary bytes below a shell's first line, or without one, come back exactly."""
    content = start + b"".join(lines)
    if b"# >>> mem >>>" not in content:
        same_after(content)


PYTHON = [
    '"""doc"""',
    "from __future__ import annotations",
    "import os",
    "# coding: utf-8",
    "",
    "x = '''\n# y\n'''",
    "x=1;y=2",
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PYTHON), max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_uninstall_is_the_inverse_of_install_for_python(lines: list[str], end: str, last: bool) -> None:
    """Python scripts of all shapes come back exactly, and with the block they still compile."""
    content = ("#!/usr/bin/env python3\n" + end.join(lines) + (end if last else "")).encode()
    same_after(content)
    try:
        compile(content, "hook", "exec")
        put = [hookscript.put(content, hook, ["/path to/mem", "it's"]) for hook in ("post-commit", "pre-push")]
    except (SyntaxError, hookscript.UnfitError):
        return
    for script in put:
        compile(script, "hook", "exec")
