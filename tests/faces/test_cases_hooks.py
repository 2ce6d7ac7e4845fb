"""What people reported about hooks, with the real program behind them. What install and uninstall do to the hooks of
others, and what runs during a rebase: tests/deeds/test_githooks.py.
"""

import subprocess
import sys
import time

from tests.conftest import Repo
from tests.faces.black_box import AUTH, rewrite, saved, shell, shown
from tests.outside.store_world import HOLD, child


def swept_by(repo: Repo, reason: str) -> bool:
    """Wait until the last sweep is one of this hook's."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        last = repo.mem("--json").json["last_sweep"]
        if last and last["by"] == reason and last["commit"] == repo.git("rev-parse", "HEAD"):
            return True
        time.sleep(0.2)
    return False


def test_a_commit_is_swept_by_itself(repo: Repo) -> None:
    """After a commit that rewrites its file a fragment has fallen in the store, without a word of git's or ours."""
    ident = saved(repo, "decision:auth", AUTH)
    assert repo.mem("hooks", "install").code == 0
    rewrite(repo)
    done = shell(repo, "git commit -qam rewritten", MEM_NO_BACKGROUND="")
    assert done == (0, "", "")
    assert swept_by(repo, "post-commit")
    assert shown(repo, ident)["confidence"] < 0.3


def test_a_locked_store_holds_up_no_commit(repo: Repo) -> None:
    """While another process has the store locked a commit goes through, silently, before the lock is given back."""
    saved(repo, "decision:auth", AUTH)
    repo.mem("hooks", "install")
    with child(HOLD, repo.path / ".git/mem") as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        done = shell(repo, "git commit -q --allow-empty -m locked", MEM_NO_BACKGROUND="")
        assert done == (0, "", "") and holder.poll() is None
        holder.kill()
    assert repo.git("log", "-1", "--format=%s") == "locked"


def test_a_broken_memory_holds_up_no_commit(repo: Repo) -> None:
    """With a store of garbage, a configuration that is none, or a program that crashes, git hears and sees nothing."""
    saved(repo, "decision:auth", AUTH)
    repo.mem("hooks", "install")
    (repo.path / ".git/mem/config.toml").write_text("broken = [")
    assert shell(repo, "git commit -q --allow-empty -m one", MEM_NO_BACKGROUND="") == (0, "", "")
    (repo.path / ".git/mem/data.mdb").write_bytes(b"garbage")
    assert shell(repo, "git commit -q --allow-empty -m two", MEM_NO_BACKGROUND="") == (0, "", "")
    assert shell(repo, "git commit -q --allow-empty -m three", MEM_NO_BACKGROUND="", PYTHONHOME="/nowhere") == (
        0,
        "",
        "",
    )


def test_what_the_child_could_not_do_is_in_the_log(repo: Repo) -> None:
    """The background's faults are in the store's hook.log, which only its owner may read."""
    saved(repo, "decision:auth", AUTH)
    (repo.path / ".git/mem/config.toml").write_text("minimum = 7\n")
    assert repo.mem("_background", "sweep", MEM_NO_BACKGROUND="") == (0, "", "")
    (repo.path / ".git/mem/config.toml").unlink()
    subprocess.run(
        [sys.executable, "-c",
         "import memcli.sweep, sys; memcli.sweep.sweep = None\n"
         "from memcli.__main__ import main; main(['_background', 'sweep'])"],
        cwd=repo.path, check=True,
    )  # fmt: skip
    log = repo.path / ".git/mem/hook.log"
    assert "sweep: TypeError" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
