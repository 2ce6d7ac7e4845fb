"""What the detached child does, called by hand: it works for all work trees that share its store."""

import json

from memcli.background_jobs import Job
from tests.conftest import Repo


def last_sweep(repo: Repo) -> dict[str, str]:
    found: dict[str, str] = json.loads(repo.mem("--json").out)["last_sweep"]
    return found


def test_a_job_is_a_file_name_and_back() -> None:
    """Whatever a work tree and a reason are called."""
    for job in (Job("sweep", "main", "post-commit"), Job("count", "worktrees/a@b", "x/y z")):
        assert Job.parse(job.spelt()) == job
        assert "/" not in job.spelt()


def test_what_another_work_tree_asked_for_is_done_there(repo: Repo) -> None:
    """A worker that takes up a linked work tree's sweep sweeps that one, and says who asked."""
    repo.mem("save", "users are in src/users.py")
    linked = Repo(repo.path.parent / "linked")
    repo.git("worktree", "add", "-q", str(linked.path), "-b", "side")
    linked.commit("aside", a__py="A = 1\n")
    asked = Job("sweep", "worktrees/linked", "post-commit").spelt()
    (repo.path / f".git/mem/background.asked.{asked}").touch()
    assert repo.mem("_background", "count").code == 0
    swept = last_sweep(linked)
    assert (swept["by"], swept["commit"]) == ("post-commit", linked.git("rev-parse", "HEAD"))
    assert json.loads(repo.mem("--json").out)["last_sweep"] is None


def test_a_job_of_a_work_tree_that_is_gone_is_dropped(repo: Repo) -> None:
    """It stops nothing else."""
    repo.mem("save", "users are in src/users.py")
    gone = repo.path / f".git/mem/background.asked.{Job('sweep', 'worktrees/none', 'post-commit').spelt()}"
    gone.touch()
    assert repo.mem("_background", "sweep").code == 0
    assert not gone.exists()
    assert last_sweep(repo)["by"] == "background"
