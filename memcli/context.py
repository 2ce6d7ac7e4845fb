"""What a deed works with: the repository, the tree, the stores, the settings, the time and who asks; opened lazily.

A context lives for one command (or one call of a resident process). Reading keeps one consistent view of each store
until the context is closed or writes.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from memcli import asker as asking
from memcli import git, registry, settings
from memcli.asker import Asker
from memcli.check import Checker
from memcli.errors import MemError, NoRepository, Usage
from memcli.git import Repository, RepositoryTree
from memcli.model import Fragment
from memcli.settings import Settings
from memcli.store import Reader, Store, Writer

if TYPE_CHECKING:
    from memcli.contents import Kept
    from memcli.git.objects import History


class Shelf(NamedTuple):
    """An open store with what assesses its fragments."""

    reader: Reader
    checker: Checker


class Context:
    """Opened by `Context.open`; close it, or use it in a `with` block. `notes` is talk for stderr."""

    def __init__(
        self,
        cwd: str,
        env: Mapping[str, str],
        now: int,
        *,
        at: str | None = None,
        author: str | None = None,
        session: str | None = None,
        explicit: bool = False,
        flags: Mapping[str, object] | None = None,
    ) -> None:
        self.cwd = cwd
        self.env = env
        self.now = now
        self.at = at
        self.notes: list[str] = []
        self._author = author
        self._session = session
        self._explicit = explicit
        self._flags = flags or {}
        self._open = ExitStack()

    @classmethod
    def open(cls, cwd: str, env: Mapping[str, str], now: int, **options: object) -> Self:
        """A context for a folder at a time (milliseconds).

        Options: `at` (a revision to ask about instead of the working tree), `author`, `session`, `explicit` (the folder
        was named by -C), `flags` (settings from the command line).
        """
        return cls(cwd, env, now, **options)  # type: ignore[arg-type]  # the names and types are those of __init__

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the stores."""
        self._open.close()
        self.__dict__.pop("shelves", None)

    # the outside

    @cached_property
    def repository(self) -> Repository | None:
        """The repository here, if any. Raises ForeignRepository."""
        return git.find(self.cwd, self.env, explicit=self._explicit)

    @cached_property
    def tree(self) -> RepositoryTree | None:
        """The tree that is asked about: the commit of `at`, else the working tree; None without a repository.

        Raises UnknownRevision, and Usage for a bare repository without `at`.
        """
        if self.repository is None:
            return None
        if self.at is not None:
            return self.history.tree(self.history.resolve(self.at))
        return None if self.repository.is_bare else self.repository.worktree(self._seen)

    @cached_property
    def history(self) -> "History":
        """What git has stored. Raises NoRepository."""
        if self.repository is None:
            raise NoRepository("not in a git repository", "go to one")
        return self.repository.history()

    @cached_property
    def settings(self) -> Settings:
        """The settings that hold here. Raises Usage for a file that can't be understood."""
        return settings.load(settings.user_config_file(self.env), self._repository_config(), self.env, self._flags)[0]

    @cached_property
    def asker(self) -> Asker:
        """Who asks."""
        return asking.who(self.env, self._author, self._person)

    @cached_property
    def session(self) -> str | None:
        """The session that this belongs to."""
        return asking.session(self.env, self._session)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The repository's root commits: which repository it is, for fragments of user scope. Empty without one.

        Finding them is a walk over the whole history, so those of a branch are remembered when it is swept.
        """
        if self.repository is None:
            return ()
        known, branches = self.remembered_roots
        if self.repository.head().branch in branches:
            return known
        return tuple(sorted({*known, *self.history.roots()}))

    @property
    def remembered_roots(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The root commits that sweeps have found, and the branches that they were found on."""
        shelf = self.shelves.get("workspace")
        raw = (shelf.reader.meta("roots") if shelf else None) or {"roots": [], "branches": []}
        return tuple(raw["roots"]), tuple(raw["branches"])

    # the stores

    def store(self, scope: str) -> Store:
        """The store that holds fragments of a scope. Raises NoRepository."""
        if scope == "user":
            return Store(settings.user_data_dir(self.env))
        if self.repository is not None:
            return Store(self.repository.store_dir)
        here = self._here
        if here is None:
            raise NoRepository(
                "not in a git repository, so there is no workspace to remember for",
                "go to one, use --scope user, or make a store for this folder with `mem init --here`",
            )
        return Store(here)

    @cached_property
    def shelves(self) -> dict[str, Shelf]:
        """The open stores by scope, "workspace" (with its sessions) and "user"; those that exist. In a repository a
        user's store that can't be read (hidden by a sandbox, say) is noted and passed over."""
        found: dict[str, Shelf] = {}
        for scope in ("workspace", "user"):
            store = self._store_or_none(scope)
            if store is None or not store.exists:
                continue
            try:
                reader = self._open.enter_context(store.reading())
            except MemError as error:
                if scope == "workspace" or self.repository is None:
                    raise
                self.notes.append(f"without user scope: {error.message}")
                continue
            if reader is not None:
                found[scope] = Shelf(reader, self.checker(reader))
        return found

    def shelf(self, fragment: Fragment) -> Shelf:
        """The open store that a fragment came from."""
        return self.shelves["user" if fragment.scope == "user" else "workspace"]

    def checker(self, reader: "Kept") -> Checker:
        """What assesses the fragments of a store, or of what stands in for one, on this context's tree."""
        return Checker(self.tree, reader, self.settings.floor, lambda: self.roots)

    @contextmanager
    def writing(self, scope: str) -> Iterator[Writer]:
        """A write transaction on the store of a scope; makes the store. Views that were open are closed first."""
        store = self.store(scope)
        if scope == "user":
            _ = self.roots  # asked for now, while the workspace's view may still be opened
        self.close()
        if not store.exists and self.repository is not None:
            registry.add(settings.user_data_dir(self.env), self.repository.root or self.repository.git_dir)
        with store.writing() as writer:
            if writer.meta("salt") is None:
                import secrets

                writer.set_meta("salt", secrets.token_hex(16))
            yield writer

    def require_worktree(self, at: bool = False) -> Repository:
        """The repository, when there is a tree to stamp: raises NoRepository, or Usage in a bare one without `at`, for
        which the hint asks where the command takes it."""
        if self.repository is None:
            raise NoRepository(
                "not in a git repository", f"go to one, or {'use --scope user' if at else 'name it: -C'}"
            )
        if self.tree is None:
            hint = "say which commit you mean with --at REV" if at else "do it in a clone that has one"
            raise Usage("this is a bare repository: it has no work tree", hint)
        return self.repository

    # plumbing

    @cached_property
    def _here(self) -> str | None:
        """The store that `mem init --here` made in this folder or one above it."""
        import os

        folder = self.cwd
        while True:
            store = os.path.join(folder, ".mem")
            if os.path.isdir(store) and os.stat(store).st_uid == os.geteuid():  # nobody plants a store for others
                return store
            above = os.path.dirname(folder)
            if above == folder:
                return None
            folder = above

    def _store_or_none(self, scope: str) -> Store | None:
        try:
            return self.store(scope)
        except NoRepository:
            return None

    def _repository_config(self) -> str | None:
        return f"{self.repository.store_dir}/config.toml" if self.repository else None

    def _person(self) -> str | None:
        if self.settings.author:
            return self.settings.author
        return self.repository.user_name() if self.repository else git.user_name(self.env)

    def _seen(self, path: str) -> list[Any] | None:
        """What the store remembers of a path's stat (the fields of `git.Seen`), wherever the view is open."""
        shelves = self.__dict__.get("shelves")
        shelf = shelves.get("workspace") if shelves else None
        return shelf.reader.seen(self._worktree_id, path) if shelf else None

    @cached_property
    def _worktree_id(self) -> str:
        return self.repository.worktree_id if self.repository else ""
