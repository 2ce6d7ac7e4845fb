"""Where samples come from: the files of a folder or a clone, and the draw among the definitions in them."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.samples import Definition, Sample, definitions, has_word, language_of

_LEAST_BODY = 6  # lines; of fewer, "half" and "one line" mean little
_FILE_LINES = range(60, 900)
_COMPANIONS = 8  # other files in a sample's repository
_STRANGE = 0.2  # a stranger shares a smaller part of the file's lines
_USED_TOO_MUCH = 6  # files; a name in more of them is an ordinary word


class Source(NamedTuple):
    """A folder of files or a clone: a name, and the texts of its files by path, read when they are asked for."""

    name: str
    root: Path
    is_clone: bool

    def paths(self) -> list[str]:
        """Its source files that are of a language known here, tests and what is generated left out."""
        if self.is_clone:
            listed = self._git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
        else:
            listed = [path.relative_to(self.root).as_posix() for path in self.root.glob("memcli/**/*.py")]
        return sorted(path for path in listed if language_of(path) and not re.search(r"vendor|generated|\.min\.", path))

    def read(self, path: str) -> str | None:
        """A file's text; None where it is none, has no plain line ends, or is too short or long to be worth it."""
        try:
            text = self._git("show", f"HEAD:{path}") if self.is_clone else (self.root / path).read_bytes().decode()
        except (UnicodeDecodeError, subprocess.CalledProcessError):
            return None
        return text if "\r" not in text and text.endswith("\n") and text.count("\n") in _FILE_LINES else None

    def _git(self, *args: str) -> str:
        done = subprocess.run(["git", "-C", str(self.root), *args], capture_output=True, check=True)
        return done.stdout.decode()


def draw(source: Source, count: int, dice: Random) -> Iterator[Sample]:
    """So many samples of a source, or as many as it has; every third is a class where there are any."""
    texts: dict[str, str | None] = {}
    paths = source.paths()
    dice.shuffle(paths)
    drawn = 0
    for path in paths:
        if drawn == count:
            return
        sample = _sample(source, path, paths, texts, dice, prefer_class=drawn % 3 == 2)
        if sample is not None:
            drawn += 1
            yield sample


def _sample(
    source: Source, path: str, paths: Sequence[str], texts: dict[str, str | None], dice: Random, prefer_class: bool
) -> Sample | None:
    language = language_of(path)
    alike = [other for other in paths if language_of(other) == language and other != path]
    near = sorted(alike, key=lambda other: (_apart(path, other), other))[: _COMPANIONS * 2]
    files = _read(source, [path, *near], texts)
    if path not in files or len(files) < 3:
        return None
    files = dict(list(files.items())[: _COMPANIONS + 1])
    found = definitions(files[path], language)
    target = _target(found, path, files, dice, prefer_class)
    if target is None:
        return None
    others = tuple(one for one in found if (one.first > target.last or one.last < target.first))
    far = _read(source, dice.sample(alike, min(len(alike), 12)), texts)
    strangers = [
        text
        for other, text in far.items()
        if other not in files and not has_word(text, target.name) and _in_common(files[path], text) < _STRANGE
    ]
    donor = _donor(files[path], target, strangers, language)
    if not strangers or not donor:
        return None
    words = _own_words(files[path].split("\n"), target)
    return Sample(source.name, language, path, files, target, others, words, donor, strangers[0])


def _in_common(text: str, other: str) -> float:
    """The share of a text's distinct lines that another one has too."""
    ours, theirs = ({line.strip() for line in one.split("\n")} for one in (text, other))
    return len(ours & theirs) / len(ours)


def _read(source: Source, paths: Sequence[str], texts: dict[str, str | None]) -> dict[str, str]:
    for path in paths:
        if path not in texts:
            texts[path] = source.read(path)
    return {path: text for path in paths if (text := texts[path]) is not None}


def _apart(path: str, other: str) -> int:
    """How many folders do not belong to both paths."""
    return len(set(path.split("/")[:-1]) ^ set(other.split("/")[:-1]))


def _target(
    found: Sequence[Definition], path: str, files: dict[str, str], dice: Random, prefer_class: bool
) -> Definition | None:
    """One with a body worth editing and a name that only it defines and few files hold."""
    defined = [one.name for other, text in files.items() for one in definitions(text, language_of(other))]
    good = [
        one
        for one in found
        if one.body_last - one.body_first + 1 >= _LEAST_BODY
        and len(one.name) >= 5
        and not one.name.startswith("__")
        and defined.count(one.name) == 1
        and sum(has_word(text, one.name) for text in files.values()) < _USED_TOO_MUCH
        and len(files[path].split("\n")) > 2 * (one.last - one.first)
    ]
    wanted = [one for one in good if one.is_class == prefer_class] or good
    return dice.choice(wanted) if wanted else None


def _own_words(lines: list[str], target: Definition) -> tuple[str, ...]:
    body = " ".join(lines[target.body_first - 1 : target.body_last])
    rest = " ".join(lines[: target.first - 1] + lines[target.last :]).lower()
    plain = sorted(set(re.findall(r"(?<!\w)[a-z]{5,}(?!\w)", body)))
    return tuple(word for word in plain if word[:5] not in rest and word[:4] not in target.name.lower())[:2]


def _donor(text: str, target: Definition, strangers: Sequence[str], language: str) -> tuple[str, ...]:
    """The body of another function, of at least as many lines and with next to none that stand in the file already."""
    here = {line.strip() for line in text.split("\n")}
    size = target.body_last - target.body_first + 1
    for stranger in strangers:
        lines = stranger.split("\n")
        for one in definitions(stranger, language):
            body = lines[one.body_first - 1 : one.body_last]
            own = [line for line in body if line.strip() and line.strip() not in here]
            if (
                not one.is_class
                and 5 <= len(body) <= 2 * size + 10
                and len(own) >= 0.8 * len([x for x in body if x.strip()])
            ):
                return _flush(body)
    return ()


def _flush(body: Sequence[str]) -> tuple[str, ...]:
    """The lines without what all of them are indented by."""
    depth = min(len(line) - len(line.lstrip()) for line in body if line.strip())
    return tuple(line[depth:] for line in body)
