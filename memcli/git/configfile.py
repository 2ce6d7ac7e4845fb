"""Git's configuration file format, read by hand and tolerantly: a line that makes no sense is passed over.

The format is that of git-config(1), section "Syntax".
"""

from collections.abc import Iterator
from typing import NamedTuple

ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


class Setting(NamedTuple):
    """One line: `section.key` or `section.subsection.key` (case folded but for the subsection), the value (None for a
    bare key, which means true), and the file that says so."""

    name: str
    value: str | None
    origin: str


class Config:
    """Settings in the order in which they were read; the last one of a name wins."""

    def __init__(self, settings: list[Setting]) -> None:
        self.settings = settings

    def setting(self, name: str) -> Setting | None:
        """The setting that wins for a lower-case name."""
        return next((setting for setting in reversed(self.settings) if setting.name == name), None)

    def get(self, name: str) -> str | None:
        """The value of a name; None when it is not set, or set without a value."""
        found = self.setting(name)
        return found.value if found else None

    def flag(self, name: str) -> bool | None:
        """The value as git reads a boolean; None when it is not set or is none."""
        found = self.setting(name)
        if found is None:
            return None
        return truth(found.value)


def truth(value: str | None) -> bool | None:
    """What a boolean setting's value says; None when it is no boolean."""
    if value is None or value.lower() in ("true", "yes", "on"):
        return True
    if value.lower() in ("false", "no", "off", ""):
        return False
    return int(value) != 0 if value.isascii() and value.removeprefix("-").isdigit() else None


def read(path: str) -> list[Setting]:
    """The settings of one file, includes not followed; nothing when it can't be read."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            text = file.read()
    except (OSError, ValueError):
        return []
    return parse(text, path)


def parse(text: str, origin: str = "") -> list[Setting]:
    """The settings of a configuration text, in its order."""
    settings: list[Setting] = []
    section = ""
    lines = iter(line.removesuffix("\r") for line in text.split("\n"))
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _header(rest)
        if not section or not rest or rest[0] in "#;":
            continue
        key, equals, raw = rest.partition("=")
        name = key.strip() if equals else _bare(rest)
        if name and name[0].isalpha() and name.replace("-", "").isalnum():
            settings.append(Setting(f"{section}.{name.lower()}", _value(raw, lines) if equals else None, origin))
    return settings


def _bare(rest: str) -> str:
    """A key without a value, its comment cut off."""
    return rest.partition("#")[0].partition(";")[0].strip()


def _header(line: str) -> tuple[str, str]:
    """`[section "sub"] rest` as (section.sub, rest); an empty section when it is none."""
    name, quote, tail = line[1:].partition('"')
    if not quote or "]" in name:
        name, bracket, rest = line[1:].partition("]")
        return (name.strip().lower() if bracket else ""), rest.strip()
    sub: list[str] = []
    signs = iter(tail)
    for sign in signs:
        if sign == '"':
            break
        sub.append(next(signs, "") if sign == "\\" else sign)
    rest = "".join(signs).strip()
    if not rest.startswith("]"):
        return "", ""
    return f"{name.strip().lower()}.{''.join(sub)}", rest[1:].strip()


def _value(raw: str, lines: Iterator[str]) -> str:
    """A value with quotes, escapes and comments resolved; a backslash at the end takes the next line in."""
    if not any(sign in raw for sign in '"\\#;'):
        return raw.strip()
    out: list[str] = []
    keep, quoted, at = 0, False, 0
    raw = raw.lstrip()
    while at < len(raw):
        sign = raw[at]
        at += 1
        if sign == "\\" and at == len(raw):
            raw, at = next(lines, ""), 0
            continue
        if sign == "\\":
            sign = ESCAPES.get(raw[at], raw[at])
            at, keep = at + 1, len(out) + 1
        elif sign == '"':
            quoted, keep = not quoted, len(out)
            continue
        elif sign in "#;" and not quoted:
            break
        out.append(sign)
        if quoted or not sign.isspace():
            keep = len(out)
    return "".join(out[:keep])
