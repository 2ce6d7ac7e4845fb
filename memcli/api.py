"""The Python interface: the same deeds as the command line, without any terminal or agent.

Every method opens what it needs and lets go of it, so that a resident process holds no store open between calls. Values
are the records of `memcli.model`; errors are those of `memcli.errors`, and nothing is printed.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from memcli import change, querying, read, rendering, save, searching, sweep, transfer
from memcli.context import Context
from memcli.errors import Usage
from memcli.model import Fragment, View
from memcli.query import Result
from memcli.read import Filter
from memcli.searching import Hit


def open(path: str | os.PathLike[str] = ".", **options: Any) -> "Memory":
    """The memory of the folder `path`: its repository's store and the user's own. See `Memory` for the options."""
    return Memory(path, **options)


class Memory:
    """The memory that a folder sees.

    `at`: a revision to ask about instead of the working tree. `author`: who asks (an agent's name makes it an agent).
    `session`: the session. `env`: the environment, os.environ by default. `now`: milliseconds since the epoch, the
    clock's by default.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = ".",
        *,
        at: str | None = None,
        author: str | None = None,
        session: str | None = None,
        env: Mapping[str, str] | None = None,
        now: int | None = None,
    ) -> None:
        self._path = os.path.abspath(path)
        if not os.path.isdir(self._path):
            raise Usage(f"there is no folder {self._path}", "memcli.open takes the folder of a repository")
        self._options = {"at": at, "author": author, "session": session, "explicit": True}
        self._env = os.environ if env is None else env
        self._now = now

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is held between calls; `with` is for the reader's eye."""

    def save(self, text: str, key: str | None = None, *, path: str | Sequence[str] = (), **options: Any) -> save.Saved:
        """Save a text; options are the fields of `memcli.save.Request`. Raises what `memcli.save.save` raises."""
        paths = (path,) if isinstance(path, str) else tuple(path)
        with self._context() as ctx:
            return save.save(ctx, save.Request(text, key, paths=paths, **options))

    def search(self, words: str, **options: Any) -> tuple[Hit, ...]:
        """What answers the words, best first; options are the fields of `memcli.read.Filter`."""
        with self._context() as ctx:
            return searching.search(ctx, words, Filter(**options)).hits

    def list(self, **options: Any) -> tuple[View, ...]:
        """The fragments, newest first; options are the fields of `memcli.read.Filter`."""
        with self._context() as ctx:
            return read.listing(ctx, Filter(**options))

    def get(self, ident: str) -> View:
        """The fragment with this id, prefix or key. Raises UnknownId, AmbiguousId."""
        with self._context() as ctx:
            return read.view(ctx, read.pick(ctx, ident))

    def query(self, expression: str, limit: int | None = None) -> Result:
        """The rows of a query expression. Raises BadQuery."""
        with self._context() as ctx:
            return querying.run(ctx, expression, limit)

    def render(self, budget: int | None = None, **options: Any) -> str:
        """The memory block within the budget in tokens; options are the fields of `memcli.rendering.Wanted`."""
        with self._context() as ctx:
            return rendering.render_block(ctx, rendering.Wanted(budget=budget, **options)).text

    def sweep(self, **options: Any) -> sweep.Swept:
        """Recompute all confidences; options are the fields of `memcli.sweep.SweepRequest`."""
        with self._context() as ctx:
            return sweep.sweep(ctx, sweep.SweepRequest(**options))

    def confirm(self, *idents: str) -> tuple[Fragment, ...]:
        """Stamp fragments anew, as the code is now."""
        with self._context() as ctx:
            return change.confirm(ctx, idents)

    def supersede(self, *olds: str, by: str) -> tuple[Fragment, ...]:
        """Let one fragment replace others."""
        with self._context() as ctx:
            return change.supersede_by(ctx, olds, by)

    def delete(self, *idents: str) -> tuple[Fragment, ...]:
        """Remove fragments for good."""
        with self._context() as ctx:
            return change.delete(ctx, idents)

    def pending(self) -> tuple[Fragment, ...]:
        """The proposals that wait for a person."""
        with self._context() as ctx:
            return change.pending(ctx)

    def approve(self, *idents: str) -> tuple[Fragment, ...]:
        """Accept proposals."""
        with self._context() as ctx:
            return change.approve(ctx, idents)

    def reject(self, *idents: str) -> tuple[Fragment, ...]:
        """Turn proposals down."""
        with self._context() as ctx:
            return change.reject(ctx, idents)

    def export_lines(self) -> Iterator[str]:
        """Every fragment as a line of JSON."""
        with self._context() as ctx:
            lines = [transfer.export_line(fragment) for fragment in transfer.export(ctx)]
        return iter(lines)

    def import_lines(self, lines: Iterable[str], propose: bool = False) -> transfer.Imported:
        """Store what `export_lines` gave."""
        with self._context() as ctx:
            return transfer.import_lines(ctx, lines, propose)

    @contextmanager
    def _context(self) -> Iterator[Context]:
        now = self._now if self._now is not None else time.time_ns() // 1_000_000
        with Context.open(self._path, self._env, now, **self._options) as ctx:
            yield ctx
