"""Which names occur in a tree, by `git grep`: one pass over the files for all of them."""

import os
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing, suppress

from memcli.errors import GitFailed
from memcli.git.run import Git
from memcli.syntax import DOCUMENTATION, is_documentation

# switches that the user's own grep.* configuration could turn the other way
PLAIN = ("--no-line-number", "--no-column", "--no-color", "--no-recurse-submodules", "--no-textconv", "--no-heading")
MATCHING = ("-o", "-w", "-I", "-H", "-z", "--full-name")


def witnesses(
    git: Git, literals: Collection[str], place: str, among: Collection[str] | None = None, without: Collection[str] = ()
) -> dict[str, str]:
    """Those of the literals that occur as whole words, in their case, in a file that is no documentation → such a file.

    `place` is `--untracked` for the work tree, or a commit's id; `among` the only paths to look at, `without` paths to
    look past. Raises GitFailed when git can't read all of it.
    """
    found = _collect(git, literals, place, _limits(among, without), any_file=True)
    return {name: min(paths) for name, paths in found.items()}


def where(git: Git, literals: Collection[str], place: str, without: Collection[str] = ()) -> dict[str, set[str]]:
    """The paths of the files that hold each literal; otherwise as `witnesses`.

    A file may be left out where a literal with other signs than letters, digits and `_` stands only in a longer one.
    """
    return _collect(git, literals, place, _limits(None, without), any_file=False)


def _limits(among: Collection[str] | None, without: Collection[str]) -> list[bytes]:
    """The pathspecs for a search of some files, or of all, that hold code."""
    names = [b"."] if among is None else [b":(literal)" + os.fsencode(path) for path in among]
    documents = [b":(exclude,icase)*." + suffix.encode() for suffix in DOCUMENTATION]
    return names + documents + [b":(exclude,literal)" + os.fsencode(path) for path in without]


def _collect(
    git: Git, literals: Collection[str], place: str, limits: Collection[bytes], any_file: bool
) -> dict[str, set[str]]:
    """The literals found, with the files they were found in; with `any_file` one file is enough."""
    wanted = {text for text in literals if _is_possible(text)}
    names = {text for text in wanted if _is_name(text)}
    found = _once(git, names, place, limits, any_file) if names else {}
    others = wanted - names
    while others:
        new = _once(git, others, place, limits, any_file)
        found |= new
        others -= new.keys()
        if not new:
            break  # else one may have been hidden by another that overlaps it and is found: git reports no overlaps
    return found


def _once(
    git: Git, wanted: Collection[str], place: str, limits: Collection[bytes], any_file: bool
) -> dict[str, set[str]]:
    """What one run of git reports; with `any_file` it is ended as soon as every literal was seen."""
    found: dict[str, set[str]] = {}
    with closing(_matches(git, wanted, place, limits)) as matches:
        for path, text in matches:
            found.setdefault(text, set()).add(path)
            if any_file and len(found) == len(wanted):
                break
    return found


def _patterns(wanted: Collection[str]) -> tuple[str, str]:
    """The kind of pattern and the patterns, a line each. Git looks for plain strings one by one (300 of them in 30 MB:
    5 s), for the branches of one expression at once (0.5 s); that is exact for names, which can't overlap as words."""
    if all(_is_name(text) for text in wanted):
        return "-E", f"({'|'.join(sorted(wanted))})\n"
    return "-F", "\n".join(sorted(wanted)) + "\n"


def _matches(
    git: Git, wanted: Collection[str], place: str, limits: Collection[bytes]
) -> Generator[tuple[str, str], None, None]:
    """Each occurrence that git reports, as path and literal. Ends git when it is closed early."""
    kind, patterns = _patterns(wanted)
    process = git.start("grep", *PLAIN, *MATCHING, kind, "-f", "-", place, "--", *limits, stdin=True, stderr=False)
    assert process.stdin and process.stdout
    before = "" if place.startswith("-") else f"{place}:"
    with process:
        try:
            with suppress(BrokenPipeError):  # git may stop at once, for want of the commit
                process.stdin.write(os.fsencode(patterns))
                process.stdin.close()
            for found, text in _pairs(process.stdout):
                path = found.removeprefix(before)
                if not is_documentation(path):
                    yield path, text
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


def _is_possible(text: str) -> bool:
    """Whether a text can stand within a line of a file at all."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return bool(text) and not any(sign in text for sign in "\n\r\0")


def _is_name(text: str) -> bool:
    """Whether a text is all of what git takes for a word: ASCII letters, digits, underscore."""
    return text.isascii() and text.replace("_", "a").isalnum()
