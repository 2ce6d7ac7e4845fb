"""Which names occur in a tree, by `git grep`: one pass over the files for all of them."""

import os
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing

from memcli.errors import GitFailed
from memcli.git.run import Git

# prose: a name that lives on only there is gone from the code (DRIFT.md)
DOCUMENTATION = ("*.md", "*.markdown", "*.rst", "*.txt", "*.adoc")
DOCUMENTATION_NAMES = ("LICENSE*", "CHANGELOG*")
# switches that the user's own grep.* configuration could turn the other way
PLAIN = ("--no-line-number", "--no-column", "--no-color", "--no-recurse-submodules", "--no-textconv", "--no-heading")
MATCHING = ("-o", "-w", "-F", "-I", "-H", "-z", "--full-name")


def holding(git: Git, literals: Collection[str], place: str) -> set[str]:
    """Those of the literals that occur as whole words, in their case, in a file that is no documentation.

    `place` is `--untracked` for the work tree, or a commit's id. Raises GitFailed when git can't read all of it.
    """
    return set(_collect(git, literals, place, any_file=True))


def where(git: Git, literals: Collection[str], place: str) -> dict[str, set[str]]:
    """The paths of all files that hold each literal; otherwise as `holding`."""
    return _collect(git, literals, place, any_file=False)


def _collect(git: Git, literals: Collection[str], place: str, any_file: bool) -> dict[str, set[str]]:
    """The literals found, with the files they were found in; with `any_file` one file is enough."""
    missing = {text for text in literals if text and not any(sign in text for sign in "\n\r\0")}
    found: dict[str, set[str]] = {}
    while missing:
        new = _once(git, missing, place, any_file)
        found |= new
        missing -= new.keys()
        # git reports the longest of overlapping occurrences; only a name with other signs in it can hide by that
        if not new or all(_is_word(text) for text in missing):
            break
    return found


def _once(git: Git, wanted: Collection[str], place: str, any_file: bool) -> dict[str, set[str]]:
    """What one run of git reports; with `any_file` it is ended as soon as every literal was seen."""
    within = {text: [other for other in wanted if _occurs(other, text)] for text in wanted}
    found: dict[str, set[str]] = {}
    with closing(_matches(git, wanted, place)) as matches:
        for path, text in matches:
            for name in within.get(text, ()):
                found.setdefault(name, set()).add(path)
            if any_file and len(found) == len(within):
                break
    return found


def _matches(git: Git, wanted: Collection[str], place: str) -> Generator[tuple[str, str], None, None]:
    """Each occurrence that git reports, as path and literal. Ends git when it is closed early."""
    excluded = [f":(exclude,icase){name}" for name in DOCUMENTATION]
    excluded += [f":(exclude,icase,glob)**/{name}" for name in DOCUMENTATION_NAMES]
    process = git.start("grep", *PLAIN, *MATCHING, "-f", "-", place, "--", ".", *excluded, stdin=True, stderr=False)
    assert process.stdin and process.stdout
    before = "" if place.startswith("-") else f"{place}:"
    with process:
        try:
            process.stdin.write(os.fsencode("\n".join(sorted(wanted)) + "\n"))
            process.stdin.close()
            for path, text in _pairs(process.stdout):
                yield path.removeprefix(before), text
        except GeneratorExit:
            process.kill()
            raise
    if process.returncode not in (0, 1):
        raise GitFailed("git grep could not read all files", "git fsck may say more")


def _pairs(out: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """`path NUL match LF`, where a path may itself hold line feeds."""
    path = b""
    for line in out:
        name, end, text = line.partition(b"\0")
        path += name
        if end:
            yield os.fsdecode(path), os.fsdecode(text.removesuffix(b"\n"))
            path = b""


def _occurs(text: str, inside: str) -> bool:
    """Whether a text occurs in another as whole words, by git's notion of a word: letters, digits, underscore."""
    at = inside.find(text)
    while at >= 0:
        before, after = inside[at - 1 : at], inside[at + len(text) : at + len(text) + 1]
        if not _is_word(before) and not _is_word(after):
            return True
        at = inside.find(text, at + 1)
    return False


def _is_word(text: str) -> bool:
    return bool(text) and text.isascii() and text.replace("_", "a").isalnum()
