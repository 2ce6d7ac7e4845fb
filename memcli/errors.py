"""What can go wrong, named after the user's situation.

Every error that a user can cause or meet is a `MemError`: one line, a hint, an exit code. They are raised where the
situation is known and printed in one place, the error door of `__main__`. Anything else that escapes is our fault.
"""


class MemError(Exception):
    """One line that names the situation, an optional hint on how to go on, and the exit code (DESIGN.md, law 18).

    `kind` is the stable word that `--json` shows; `code` is 1 when the answer is no, 2 for usage and environment.
    """

    kind = "error"
    code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Usage(MemError):
    """The command line, a configuration value or an option does not make sense."""

    kind = "usage"


class Refused(MemError):
    """The gate said no: a rule of writing was broken. Nothing was stored."""

    kind = "refused"
    code = 1


class UnknownId(MemError):
    """No fragment has this id, prefix or key."""

    kind = "unknown-id"
    code = 1


class AmbiguousId(MemError):
    """Several fragments begin with this prefix."""

    kind = "ambiguous-id"


class NoRepository(MemError):
    """The command needs a git repository and there is none here."""

    kind = "no-repository"


class OutsideRepository(MemError):
    """A path leads out of the repository (`..`, absolute, or through a link)."""

    kind = "outside-repository"


class ForeignRepository(MemError):
    """Git refuses the repository because somebody else owns it."""

    kind = "foreign-repository"


class UnknownRevision(MemError):
    """Git knows no such revision here."""

    kind = "unknown-revision"


class NothingToCheck(MemError):
    """A check was asked for where no fragment is: a yes would mean nothing."""

    kind = "nothing-to-check"


class GitFailed(MemError):
    """Git could not answer a question that it should be able to answer."""

    kind = "git"


class StoreLocked(MemError):
    """Another process holds the write lock for longer than we wait."""

    kind = "store-locked"


class StoreDamaged(MemError):
    """The store's file is cut short, garbage, or not a store of ours. It is never overwritten."""

    kind = "store-damaged"


class StoreTooNew(MemError):
    """A newer mem wrote this store. It is never reset."""

    kind = "store-too-new"


class StoreReadOnly(MemError):
    """The store can be read and not written here."""

    kind = "store-read-only"


class StoreFull(MemError):
    """The disk, or the map, has no room for the write. Nothing of it was stored."""

    kind = "store-full"


class BadQuery(MemError):
    """A query expression that can't be understood or is too costly; the message shows the place."""

    kind = "bad-query"


class UnknownEncoding(MemError):
    """No rank table for this token encoding is at hand."""

    kind = "unknown-encoding"


class HalfMarked(MemError):
    """A file does not have the one pair of marks between which mem writes."""

    kind = "half-marked"


class BudgetTooSmall(MemError):
    """The budget has no room for the wrapper and one fragment."""

    kind = "budget"
    code = 1
