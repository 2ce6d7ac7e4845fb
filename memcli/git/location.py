"""Where one repository is and how it is set up: what the rest of this package works on.

Each answer is computed when first asked. A read of a store needs the places and the repository's own settings only.
"""

import os
from collections.abc import Mapping
from functools import cached_property

from memcli.git import config, head
from memcli.git.configfile import Config, read
from memcli.git.head import Head
from memcli.git.layout import Layout
from memcli.git.run import Git

STORE = "mem"


class Location:
    """The places of a repository that was found, absolute and free of links (see `layout.Layout`), and its settings.

    `cwd` is the folder that was asked from, `env` the environment.
    """

    def __init__(self, layout: Layout, cwd: str, env: Mapping[str, str]) -> None:
        self.layout = layout
        self.cwd = cwd
        self.env = env
        self.root = layout.root
        self.git_dir = layout.git_dir
        self.common_dir = layout.common_dir
        self.prefix = layout.prefix

    @property
    def is_bare(self) -> bool:
        """Whether there is no work tree."""
        return self.root is None

    @property
    def store_dir(self) -> str:
        """Where the store lies: `mem` in the common git folder, or `mem.dir` of the repository's own configuration
        (never a user's: that would throw all repositories into one store)."""
        return config.expand(self.layout.own.get("mem.dir") or STORE, self.common_dir, self.env)

    @property
    def object_format(self) -> str:
        """sha1 or sha256."""
        return (self.layout.own.get("extensions.objectformat") or "sha1").lower()

    @property
    def worktree_id(self) -> str:
        """A stable name of this work tree: `main`, or where it lies in `.git` (one may be called main)."""
        return "main" if self.git_dir == self.common_dir else f"worktrees/{os.path.basename(self.git_dir)}"

    @property
    def folds_case(self) -> bool:
        """Whether the file system takes names in any case."""
        return bool(self.layout.own.flag("core.ignorecase"))

    @property
    def is_shallow(self) -> bool:
        """Whether the history was cut off when it was cloned."""
        return os.path.exists(f"{self.common_dir}/shallow")

    @property
    def replaces(self) -> bool:
        """Whether git may show other objects in the place of some (git-replace(1))."""
        try:
            with open(f"{self.common_dir}/packed-refs", "rb") as file:
                packed = b" refs/replace/" in file.read()
        except OSError:
            packed = False
        return packed or os.path.isdir(f"{self.common_dir}/refs/replace")

    @cached_property
    def git(self) -> Git:
        """The git program, set on this repository whatever the environment says."""
        place = {"GIT_DIR": self.git_dir} | ({"GIT_WORK_TREE": self.root} if self.root else {})
        if self.env.get("GIT_COMMON_DIR"):
            place["GIT_COMMON_DIR"] = self.common_dir
        return Git(self.root or self.git_dir, self.env, place)

    @cached_property
    def config(self) -> Config:
        """All of git's settings that hold here: system, user, repository, command line."""
        return config.everything(self.layout.own, self.git_dir, self.env, self.git)

    @cached_property
    def submodules(self) -> tuple[str, ...]:
        """The paths of the submodules, as `.gitmodules` names them."""
        settings = read(f"{self.root}/.gitmodules") if self.root else []
        return tuple(
            s.value for s in settings if s.name.startswith("submodule.") and s.name.endswith(".path") and s.value
        )

    def head(self) -> Head:
        """What is checked out now; read anew at each call."""
        return head.read_head(self.git_dir, self.common_dir, self.git)
