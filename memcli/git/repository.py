"""One repository as mem asks about it: the façade over the other modules of this package."""

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from memcli.errors import OutsideRepository
from memcli.git import config, layout, owner, paths
from memcli.git.configfile import Config
from memcli.git.location import Location
from memcli.git.run import Git
from memcli.git.tree import Known, RepositoryTree

if TYPE_CHECKING:  # what reads do without is imported where it is used
    from memcli.git.hooks import HooksFolder
    from memcli.git.objects import History


class Repository(Location):
    """A repository that was found. Importing it loads no library and no process: those come with the questions."""

    _history: "History | None" = None

    def user_name(self) -> str | None:
        """git's user.name as it holds here, None when it is not set."""
        return self.config.get("user.name") or None

    def relative(self, path: str, cwd: str | None = None) -> str:
        """A path as the user writes it, relative to the root. Raises OutsideRepository, see `paths.relative`."""
        if self.root is None:
            plain = os.path.normpath(path) if path else ""
            if plain != paths.HERE and not paths.is_plain(plain):
                raise OutsideRepository(f"{path} is no path of a tree", "in a bare repository paths start at the root")
            return plain
        start = self.cwd if cwd is None else cwd
        return paths.relative(path, start, self.root, (self.git_dir, self.common_dir), self.folds_case)

    def status(self, names: Collection[str]) -> dict[str, str]:
        """Each path of the repository as clean, dirty, untracked or ignored, in one git call; {} in a bare one."""
        from memcli.git.status import status

        if self.root is None or not names:
            return {}
        return status(self.git, self.git_dir, self.root, names, self.submodules)

    def worktree(self, known: Known | None = None) -> RepositoryTree:
        """The work tree as it is now; HEAD's tree in a bare repository. Each call looks anew.

        `known` gives what was seen at a path the last time (a `Seen`, or its fields in a list), None for nothing: files
        that are as they were then are not read.
        """
        if self.root is None:
            return self.history().tree(self.head().commit)
        from memcli.git.worktree import WorkTree

        return WorkTree(self, known)

    def history(self) -> "History":
        """What git has stored: by libgit2, or by the git program where libgit2 can't open it. One for all callers."""
        if self._history is None:
            from memcli.git.libgit import open_history

            self._history = open_history(self)
        return self._history

    def contained(self, commits: Collection[str], head: str) -> set[str]:
        """Those of the commits that are in the history of `head`, in two git calls and without libgit2."""
        from memcli.git.program import ProgramHistory

        return ProgramHistory(self).contained(commits, head)

    def pager(self) -> str:
        """The pager that git would use here, as a shell's words; empty when git can't tell."""
        return os.fsdecode(self.git.ask("var", "GIT_PAGER").out).strip()

    def hooks_dir(self) -> "HooksFolder":
        """The folder that git runs hooks from."""
        from memcli.git.hooks import hooks_folder

        return hooks_folder(self.layout, self.config, self.env)


def find(cwd: str, env: Mapping[str, str], explicit: bool = False) -> Repository | None:
    """The repository that a folder belongs to, None outside one.

    `env` is the environment (GIT_DIR and the like count as with git); `explicit` says that the user named the folder
    (`-C`), which makes a repository around the home folder count. Raises ForeignRepository when git refuses it,
    NoRepository or GitFailed when GIT_DIR or a `.git` file leads nowhere.
    """
    place = layout.locate(cwd, env, explicit)
    if place is None:
        return None
    owner.ensure_ours(place, cwd, env)
    return Repository(place, os.path.realpath(cwd), env)


def user_name(env: Mapping[str, str]) -> str | None:
    """git's user.name as it holds outside any repository, None when it is not set."""
    nowhere = Git(env.get("HOME") or "/", env)
    return config.everything(Config([]), "", env, nowhere).get("user.name") or None
