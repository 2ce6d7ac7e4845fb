"""`mem hook NAME EVENT`: what agents and git call. It never blocks, never fails, prints nothing of its own; but for the
two checks that somebody installs in order to be stopped (`gatekeeper`).

Called at every turn and every commit, so it imports nothing before it knows that there is something to do.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # the names are for the type checker only; importing them costs a tenth of a hook's time
    from collections.abc import Mapping

# What stands in the git directory while git replays commits one by one or looks for a bad one. A lone
# CHERRY_PICK_HEAD is none of them: it also stands during a single cherry-pick, which deserves its sweep.
_BUSY = ("rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG")


def main(args: list[str], env: "Mapping[str, str]") -> int:
    """Answer `mem hook ARGS`; 0, whatever happens (DESIGN.md, law 19), and 1 only for a check that says no."""
    try:
        if args[:1] == ["git"] and args[1:2] in (["pre-push"], ["pre-commit"]):
            from memcli.agents import gatekeeper

            return gatekeeper.main(args[1], args[2:], env, os.getcwd())
        if args[:1] == ["git"]:
            _git(args[1:], env, os.getcwd())
    except Exception:  # noqa: S110  a hook has nobody to tell, and must not fail
        pass
    return 0


def wanted(event: str, args: list[str], git_dir: str) -> bool:
    """Whether an event of git deserves a sweep. `args` are those that git gives the hook, `git_dir` is the work tree's.

    One sweep for one thing done: none for each commit that is replayed, and one for what ended it. post-merge and
    post-rewrite run although the marks of what they end still stand. An amend has had its post-commit, and a
    post-checkout whose third argument is 0 was about files, not about a branch.
    """
    if event == "post-merge":
        return True
    if event == "post-rewrite":
        return args[:1] != ["amend"]
    if event == "post-commit" or (event == "post-checkout" and args[2:3] != ["0"]):
        return not any(os.path.exists(os.path.join(git_dir, mark)) for mark in _BUSY)
    return False


def _git(args: list[str], env: "Mapping[str, str]", cwd: str) -> None:
    """Start the sweep in the background if git's event wants one."""
    event = args[0] if args else ""
    if not wanted(event, args[1:], _git_dir(env, cwd)):
        return
    from memcli import background

    background.start(["sweep", "--reason", event], background.without_repository(env), cwd)


def _git_dir(env: "Mapping[str, str]", cwd: str) -> str:
    """The work tree's own git directory. Git calls hooks at the top of the work tree, and names it unless it's .git
    there (which a new linked worktree has as a file)."""
    path = os.path.join(cwd, env.get("GIT_DIR") or ".git")
    if not os.path.isfile(path):
        return path
    with open(path, encoding="utf-8", errors="surrogateescape") as link:
        return os.path.join(cwd, link.read().removeprefix("gitdir:").strip())
