"""The contents that anchors were stamped with and those in a tree now, and how they compare.

Only asked when something is not as it was stamped.
"""

from typing import Any, Protocol

from memcli import drift, fingerprint
from memcli.drift import Change
from memcli.fingerprint import Fingerprint
from memcli.git.hashing import blob_id
from memcli.git.paths import HERE
from memcli.git.tree import RepositoryTree, Tree
from memcli.model import Anchor
from memcli.regions import Span, core, region_now
from memcli.store import Writer
from memcli.symbols import find_definition, plain
from memcli.syntax import style_of

_FORMULA = 3  # raised whenever `drift.compare` may say something else of the same contents


class Kept(Protocol):
    """What drift asks of a store (`store.Reader`), or of what stands in for one (`loose.Loose`)."""

    def blob(self, ident: str) -> bytes | None:
        """The kept form of a content (`fingerprint.pack_text`, `pack_hashes`); None when it is not known."""

    def pair(self, old: str, new: str) -> Any:
        """The remembered comparison of two contents, or None."""

    def verdict(self, ident: str, content: bytes) -> Any:
        """The remembered assessment of a fragment on some content, or None."""

    def meta(self, name: str) -> Any:
        """A remembered value, or None."""


class Contents:
    """The contents of a tree beside those that a store keeps. `fresh` are the comparisons that the store did not know;
    `remember` writes them back."""

    def __init__(self, tree: RepositoryTree, reader: Kept) -> None:
        self._tree = tree
        self._reader = reader
        self.fresh: dict[tuple[str, str], Change] = {}
        self._stamped: dict[tuple[str, str | None], Fingerprint | None] = {}
        self._now: dict[tuple[str, bytes], Fingerprint | None] = {}
        self._texts: dict[str, str | None] = {}
        self.shifting: set[str] = set()  # paths that were written after the tree looked at them

    def remember(self, writer: Writer) -> None:
        """Write the comparisons to the store they belong to."""
        for (old, new), change in self.fresh.items():
            writer.set_pair(old, new, change)

    def stamped(self, anchor: Anchor) -> Fingerprint | None:
        """The content at the stamp; None when the store has none."""
        key = (anchor.path, anchor.blob)
        if key not in self._stamped:
            packed = self._packed(anchor)
            self._stamped[key] = fingerprint.unpack(packed, anchor.path) if packed else None
        return self._stamped[key]

    def read(self, path: str) -> bytes | None:
        """The content at a path as git would store it; None when it can't be read."""
        data, blob = self._tree.read(path), self._tree.entry(path).blob
        if data is not None and not is_content_of(data, blob or ""):
            self.shifting.add(path)
        return data

    def now(self, path: str, anchor: Anchor) -> Fingerprint | None:
        """The content at a path, spelt as the anchor's is; None when the clone lacks it."""
        key = (path, self.salt(anchor))
        if key not in self._now:
            self._now[key] = self._fingerprint(path, key[1])
        return self._now[key]

    def salt(self, anchor: Anchor) -> bytes:
        """What the anchor's content is hashed with; empty where its text is kept."""
        packed = self._packed(anchor)
        return salt_of(self._reader) if packed and fingerprint.is_hashed(packed) else b""

    def change(self, anchor: Anchor, path: str) -> Change | None:
        """How the content at the path differs from the stamped one; None when one of them can't be had."""
        # with their languages, because the same bytes are other tokens in another one
        before = f"{_FORMULA} {style_of(anchor.path)} {anchor.blob}"
        after = f"{style_of(path)} {self._tree.entry(path).blob}"
        known = self._reader.pair(before, after)
        if known is not None:
            return Change(known[0], tuple(known[1]), known[2], known[3])
        if (before, after) not in self.fresh:
            old, new = self.stamped(anchor), self.now(path, anchor)
            if old is None or new is None:
                return None
            if path in self.shifting:
                return drift.compare(old, new)  # to be remembered by nobody: it isn't that of these two ids
            self.fresh[before, after] = drift.compare(old, new)
        return self.fresh[before, after]

    def region_of(self, anchor: Anchor, path: str) -> Span | None:
        """The lines at the path where the region that the author drew is now: the definition of its symbol, else where
        its lines are. None when it is not there."""
        if anchor.lines is None:
            return None
        old, new = self.stamped(anchor), self.now(path, anchor)
        if old is None or new is None:
            return anchor.lines
        defined = self.definition(anchor.symbol, path) if anchor.symbol else None
        return defined or region_now(anchor.lines, old, new)

    def definition(self, symbol: str, path: str) -> Span | None:
        """The lines at the path that define a symbol; None when nothing there does."""
        text = self.text(path)
        return find_definition(text, symbol, path) if text is not None else None

    def defined(self, anchor: Anchor, path: str) -> dict[str, tuple[Span, Span]]:
        """The lines that define the anchor's identifiers, in the stamped content and at the path now, by indentation
        and brackets (grammars would cost a sweep more than all the rest), where they differ. None where only hashes are
        kept."""
        packed, now = self._packed(anchor), self.text(path)
        if packed is None or now is None or fingerprint.is_hashed(packed):
            return {}
        then = fingerprint.text_of(fingerprint.unpack_text(packed))
        found = {}
        for name in anchor.identifiers:
            old = plain.find(then, (name,))
            new = plain.find(now, (name,)) if old is not None else None
            if old is not None and new is not None and _lines(then, old) != _lines(now, new):
                found[name] = old, new
        return found

    def part(self, anchor: Anchor) -> Fingerprint | None:
        """The stamped region of an anchor that has one."""
        packed, whole = self._packed(anchor), self.stamped(anchor)
        if packed is None or whole is None or anchor.lines is None:
            return None
        span = core(anchor.lines, whole)
        if fingerprint.is_hashed(packed):
            return fingerprint.of_lines(whole, *span)
        return _part(fingerprint.text_of(fingerprint.unpack_text(packed)), span, anchor.path)

    def part_now(self, anchor: Anchor, path: str, span: Span) -> Fingerprint | None:
        """A region of what stands at the path, spelt as the anchor's is."""
        whole, text = self.now(path, anchor), self.text(path)
        if whole is None:
            return None
        if self.salt(anchor):
            return fingerprint.of_lines(whole, *core(span, whole))
        return None if text is None else _part(text, core(span, whole), path)

    def text(self, path: str) -> str | None:
        """The text at a path, its lines ended by LF; None where there is none."""
        if path not in self._texts:
            data = self.read(path)
            plain = data is not None and not fingerprint.is_binary(data)
            self._texts[path] = fingerprint.text_of(data or b"") if plain else None
        return self._texts[path]

    def _fingerprint(self, path: str, salt: bytes) -> Fingerprint | None:
        data, blob = self.read(path), self._tree.entry(path).blob
        if data is not None:
            return fingerprint.of_content(data, path, salt)
        return None if blob is None or self._tree.lacks(path) else fingerprint.opaque(blob)

    def _packed(self, anchor: Anchor) -> bytes | None:
        return self._reader.blob(anchor.blob) if anchor.blob else None


def _lines(text: str, span: Span) -> list[str]:
    return text.split("\n")[span[0] - 1 : span[1]]


def _part(text: str, span: Span, path: str) -> Fingerprint:
    return fingerprint.of_content("\n".join(_lines(text, span)).encode("utf-8", "surrogateescape"), path)


def pack_folder(tree: Tree, path: str) -> bytes | None:
    """The kept form of a folder's listing, by which it is known again elsewhere; None where git knows no file in it."""
    files = tree.below(path) if path != HERE else {}
    return fingerprint.pack_listing(files) if files else None


def salt_of(reader: Kept) -> bytes:
    """The store's own key for hashes of contents that must not be kept; empty before its first write."""
    return bytes.fromhex(reader.meta("salt") or "")


def is_content_of(data: bytes, blob: str) -> bool:
    """Whether a content is the one of this blob id: a file may be written between the look at it and its reading."""
    return blob_id(data, "sha1" if len(blob) == 40 else "sha256") == blob
