"""A document as the claims it makes: a bullet, a paragraph, a table's row, a line of a code block, each with its lines.

For Markdown, and for what reads like it (reStructuredText, plain text). A guess about prose, as `mentions` is: what is
no claim of its own (headings, fences, comments, front matter, link definitions) is left out. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

_LONG = 6  # words; a shorter claim is the same only where it is one by itself, because it may stand in any sentence

_ITEM = r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s+|$)(?:\[[ xX]\]\s+)?"
_HEADING = r"\s{0,3}#{1,6}(?:\s|$)"
_RULE = r"\s*(?:([-=*_~^\"'`+.])\s*)(?:\1\s*){2,}$"  # a thematic break, or what underlines a heading
_FENCE = r"\s*(`{3,}|~{3,})"
_DEFINITION = r"\s{0,3}\[[^\]]+\]:\s"
_ROW = r"\s*\|.*\|\s*$"
_SEPARATOR = r"\s*\|?[\s:|+=-]*-[\s:|+=-]*$"
_DIRECTIVE = r"\s*\.\.(?:\s|$)"
_QUOTE = r"\s{0,3}(?:>\s?)+"
_BRANCH = r"([\s|│]*)(?:[├└]─+|\|--+|\+--+|`--+)\s*"  # before a name in a drawn tree of files
_WORD = r"[\w@$]+(?:[./:\#-]+\w+)*"


class Claim(NamedTuple):
    """What a document says in one place: its first and last line (from 1), and its text with wrapped lines joined and
    without the marks of lists and tables. `code`: a line of a code block, which may be an example. `about`: the text to
    look for names in, where it says more than `text` (the whole path of a file in a drawn tree)."""

    first: int
    last: int
    text: str
    code: bool = False
    about: str = ""

    @property
    def names(self) -> str:
        """Where the names that it holds are looked for."""
        return self.about or self.text


class Document:
    """A text and the claims in it; asked whether it says what another one said."""

    def __init__(self, text: str) -> None:
        self.lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, from the top down."""
        return tuple(claim for claim in _Splitter(self.lines).claims() if words_of(claim.text))

    def place_of(self, claim: Claim) -> tuple[int, int] | None:
        """The first and last line of where the document says the same in the same words, whatever the markup, the
        wrapping and the place; None where it does not."""
        words = words_of(claim.text)
        if words.count(" ") + 1 < _LONG:
            return self._own.get(words)
        at = self._stream.find(f" {words} ")
        if at < 0:
            return None
        return self._line_at(at + 1), self._line_at(at + len(words))

    @cached_property
    def _own(self) -> dict[str, tuple[int, int]]:
        return {words_of(claim.text): (claim.first, claim.last) for claim in reversed(self.claims)}

    @cached_property
    def _words(self) -> tuple[str, list[int]]:
        """All words, and where each line's begin among them."""
        parts, starts, size = [" "], [], 1
        for line in self.lines:
            starts.append(size)
            words = words_of(line)
            if words:
                parts.append(words + " ")
                size += len(words) + 1
        return "".join(parts), starts

    @property
    def _stream(self) -> str:
        return self._words[0]

    def _line_at(self, offset: int) -> int:
        """The line (from 1) that a place among the words is on; of lines without words the last begins there too."""
        return bisect_right(self._words[1], offset)


def words_of(text: str) -> str:
    """A text's words, paths and code names one after the other, without markup: the same for two texts that say the
    same in another form."""
    return " ".join(re.findall(_WORD, text))


def relative_names(text: str, folder: str) -> str:
    """The text with paths that begin at its document's folder by `../`, and imports (`@docs/a.md`), spelt from the root
    of the repository, as the rest of mem reads paths. What leads out of it stays as it is."""

    def resolved(match: re.Match[str]) -> str:
        return from_root(match.group(), folder) or match.group()

    text = re.sub(r"(?<![\w./-])(?:\.\./)+[\w.@+-]+(?:/[\w.@+-]+)*/?", resolved, text)
    return re.sub(r"(?<![\w/.@-])@(?=(?:[\w.-]+/)*[\w.-]+\.(?:mdc?|txt|rst)\b)", "", text)


def from_root(path: str, folder: str) -> str | None:
    """A path that is relative to a folder of the repository, from its root; None when it leads out of it."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


class _Splitter:
    """Reads a document's lines, one after the other. `_open` are the numbered lines of the claim that is being read,
    `_branches` the column and name of each folder above the line in a drawn tree (column -1: its root)."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._open: list[tuple[int, str]] = []
        self._branches: list[tuple[int, str]] = []
        self._in_list = False

    def claims(self) -> Iterator[Claim]:
        fence = ""
        for number, line in self._prose():
            mark = re.match(_FENCE, line)
            if fence and mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            elif not fence and mark:
                yield from self._close()
                fence, self._branches, self._in_list = mark.group(1), [], self._in_list and line[:1] == " "
            elif fence or self._is_indented_code(line):
                yield from self._code(number, line)
            else:
                yield from self._line(number, line)
        yield from self._close()

    def _is_indented_code(self, line: str) -> bool:
        """Whether a line outside of fences is code: indented after a blank line, and in no list."""
        if re.match(_ITEM, line):
            self._in_list = True
        elif line[:1].strip():
            self._in_list = self._in_list and bool(self._open)
        return not self._open and not self._in_list and re.match(r"(?: {4}|\t)\s*\S", line) is not None

    def _prose(self) -> Iterator[tuple[int, str]]:
        """The lines without front matter; those of HTML comments as blank ones."""
        start = self._front_matter()
        commented = False
        for number, line in enumerate(self._lines[start:], start + 1):
            kept, commented = _without_comments(line, commented)
            yield number, kept

    def _front_matter(self) -> int:
        """How many lines at the top are data about the document."""
        if self._lines[0].rstrip() not in ("---", "+++"):
            return 0
        ends = (n for n, line in enumerate(self._lines[1:200], 2) if line.rstrip() == self._lines[0].rstrip())
        return next(ends, 0)

    def _line(self, number: int, line: str) -> Iterator[Claim]:
        """A line outside of code: it goes on with the claim that is open, or ends it, or is one."""
        line = re.sub(f"^{_QUOTE}", "", line)
        if re.match(_ROW, line):
            yield from self._close()
            if not self._heads_table(number) and not re.fullmatch(_SEPARATOR, line):
                yield Claim(number, number, _joined([line.strip().strip("|").replace("|", " | ")]))
        elif re.fullmatch(_RULE, line):
            self._open = []  # what it underlines is a heading
        elif not line.strip() or re.match(f"{_HEADING}|{_DEFINITION}|{_DIRECTIVE}", line):
            yield from self._close()
        else:
            if re.match(_ITEM, line):
                yield from self._close()
            self._open.append((number, line))

    def _heads_table(self, number: int) -> bool:
        following = self._lines[number] if number < len(self._lines) else ""
        return "|" in following and re.fullmatch(_SEPARATOR, following) is not None

    def _close(self) -> Iterator[Claim]:
        opened, self._open = self._open, []
        if opened:
            lines = [re.sub(f"^{_ITEM}", "", opened[0][1]), *(line for _, line in opened[1:])]
            yield Claim(opened[0][0], opened[-1][0], _joined(lines))

    def _code(self, number: int, line: str) -> Iterator[Claim]:
        """A line of a code block; in a drawn tree of files with the path that the drawing means."""
        branch = re.match(_BRANCH, line)
        if not branch:
            self._branches = [(-1, line.strip().rstrip("/"))] if re.fullmatch(r"\s*[\w./-]+/?\s*", line) else []
            if line.strip():
                yield Claim(number, number, line.strip(), code=True)
            return
        depth, name = len(branch.group(1)), line[branch.end() :].split(" ")[0].split("\t")[0]
        self._branches = [one for one in self._branches if one[0] < depth]
        above = [folder for _, folder in self._branches]
        self._branches.append((depth, name.rstrip("/")))
        paths = ["/".join([*above[start:], name]) for start in ((0, 1) if self._rooted(above) else (0,))]
        yield Claim(number, number, line[branch.end() :].strip(), code=True, about=_ticked(paths))

    def _rooted(self, above: list[str]) -> bool:
        """Whether a drawn tree begins with its root, which may be the repository itself."""
        return bool(above) and self._branches[0][0] < 0


def _ticked(paths: Iterable[str]) -> str:
    """The paths as code; the project's own name above them may be a folder of it, or not."""
    return " ".join(f"`./{path.removeprefix('./')}`" for path in dict.fromkeys(paths) if "`" not in path)


def _without_comments(line: str, commented: bool) -> tuple[str, bool]:
    """A line without what stands in `<!-- -->`, and whether a comment is still open at its end."""
    kept = ""
    while True:
        before, sign, after = line.partition("-->" if commented else "<!--")
        if not commented:
            kept += before
        if not sign:
            return kept, commented
        line, commented = after, not commented


def _joined(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())
