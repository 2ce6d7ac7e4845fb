"""Which files git might convert before it stores them, decided by a look at the attribute files.

The look may err on the side of "might": then git is asked, once for all such paths (`git check-attr`). So a repository
without conversions, or one whose patterns plainly don't match, needs no process.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from memcli.git.run import Git, records

# attribute → the kind of conversion it takes part in (gitattributes(5))
KINDS = {
    "text": "lines",
    "eol": "lines",
    "crlf": "lines",
    "binary": "lines",
    "filter": "filter",
    "ident": "ident",
    "working-tree-encoding": "encoding",
}
ASKED = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")


class Attributes(NamedTuple):
    """A path's attributes as git states them: `set`, `unset`, `unspecified` or a value."""

    text: str = "unspecified"
    crlf: str = "unspecified"
    eol: str = "unspecified"
    filter: str = "unspecified"
    ident: str = "unspecified"
    encoding: str = "unspecified"


class _Rule(NamedTuple):
    """One line: a pattern and the kinds of conversion that its attributes take part in."""

    pattern: str
    kinds: frozenset[str]

    def may_match(self, path: str, fold_case: bool) -> bool:
        """False only where the pattern certainly does not match: a plain name, or a star and a plain ending."""
        pattern, name = self.pattern, path.rpartition("/")[2]
        if fold_case:
            pattern, name = pattern.lower(), name.lower()
        if any(sign in pattern.removeprefix("*") for sign in '/*?[\\"'):
            return True
        return name.endswith(pattern[1:]) if pattern.startswith("*") else name == pattern


class AttributeFiles:
    """The attribute files of a work tree, each read once, when a path below it is asked about.

    `outer` are those that hold for the whole tree and lie outside it: the system's, the user's, `info/attributes`.
    """

    def __init__(self, root: str, outer: Sequence[str], fold_case: bool = False) -> None:
        self._root = root
        self._outer = outer
        self._fold_case = fold_case
        self._macros: dict[str, frozenset[str]] = {}
        self._rules: dict[str, list[_Rule]] = {}

    def kinds(self, path: str) -> set[str]:
        """The kinds of conversion that may be set for a path: among lines, filter, ident and encoding."""
        found: set[str] = set()
        for file in self._files(path):
            for rule in self._rules_of(file):
                if not rule.kinds <= found and rule.may_match(path, self._fold_case):
                    found |= rule.kinds
        return found

    def _files(self, path: str) -> Iterator[str]:
        """The attribute files that can speak about a path; those that may define macros come first."""
        yield from self._outer
        folder = self._root
        yield f"{folder}/.gitattributes"
        for part in path.split("/")[:-1]:
            folder = f"{folder}/{part}"
            yield f"{folder}/.gitattributes"

    def _rules_of(self, file: str) -> list[_Rule]:
        if file not in self._rules:
            self._rules[file] = list(self._read(file))
        return self._rules[file]

    def _read(self, file: str) -> Iterator[_Rule]:
        # git follows no link to an attribute file inside the work tree
        if file not in self._outer and os.path.islink(file):
            return
        try:
            with open(file, encoding="utf-8-sig", errors="surrogateescape") as lines:
                for line in lines:
                    yield from self._parse(line.split())
        except (OSError, ValueError):
            return

    def _parse(self, words: list[str]) -> Iterator[_Rule]:
        if not words or words[0].startswith("#"):
            return
        if words[0].startswith('"'):
            words[0] = '"'  # quoted, perhaps with spaces: it may match, whatever follows
        kinds = frozenset[str]().union(*(self._kind(word) for word in words[1:]))
        if words[0].startswith("[attr]"):
            self._macros[words[0].removeprefix("[attr]")] = kinds
        elif kinds:
            yield _Rule(words[0], kinds)

    def _kind(self, word: str) -> frozenset[str]:
        name = word.lstrip("-!").partition("=")[0]
        return self._macros.get(name) or frozenset([KINDS[name]] if name in KINDS else [])


def ask(git: Git, paths: Collection[str]) -> dict[str, Attributes]:
    """The attributes of all paths, in one call to git."""
    if not paths:
        return {}
    names = b"\0".join(os.fsencode(path) for path in paths) + b"\0"
    parts = os.fsdecode(git.run("check-attr", "-z", "--stdin", *ASKED, input=names)).split("\0")
    values: dict[str, dict[str, str]] = {}
    for path, name, value in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        values.setdefault(path, {})["encoding" if name == "working-tree-encoding" else name] = value
    return {path: Attributes(**found) for path, found in values.items()}


def with_crlf_in_index(git: Git, paths: Collection[str]) -> set[str]:
    """Those of the paths whose text in the index has CRLF line ends: git leaves theirs alone where it only guesses."""
    if not paths:
        return set()
    out = git.run("--literal-pathspecs", "ls-files", "-z", "--eol", "--cached", "--", *map(os.fsencode, paths))
    lines = (record.partition("\t") for record in records(out))
    return {path for info, _, path in lines if info.split()[0] in ("i/crlf", "i/mixed")}
