"""Settings and where each came from: defaults < user file < repository file < environment < flags.

A file is TOML, flat or in tables (`export.auto = "x"` is `[export] auto = "x"`). A key in the environment is MEM_ and
its name in capitals: MEM_EXPORT_AUTO. The repository's file lies in the common git directory, where no commit can bring
it (DESIGN.md, section 4).
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memcli.errors import MemError, Usage
from memcli.scopes import APPROVAL, MINIMUM


class Option(NamedTuple):
    """One key: what values it takes (`kind`: switch, share, count, text or approval), its default, help for people."""

    key: str
    kind: str
    default: object
    help: str

    @property
    def field(self) -> str:
        """Its field of `Settings`."""
        return _FIELDS.get(self.key) or self.key.replace(".", "_")

    @property
    def variable(self) -> str:
        """Its variable in the environment."""
        return "MEM_" + self.key.upper().replace(".", "_")


# Not `limit`: MEM_LIMIT is what many a container says about its memory.
_FIELDS = {"search.limit": "limit"}


OPTIONS = (
    Option("enabled", "switch", True, "hooks and capture do something"),
    Option("minimum", "share", MINIMUM, "the least confidence that is returned unasked"),
    Option("floor", "share", 0.05, "decay never takes a confidence below this share"),
    Option("budget", "count", 1500, "tokens of a rendered block"),
    Option("encoding", "text", "o200k_base", "how tokens are counted"),
    Option("search.limit", "count", 20, "hits of a search"),
    Option("search.semantic", "switch", False, "search by meaning, too: needs memcli[semantic]"),
    Option("query.limit", "count", 50, "rows of a query, at most 500"),
    Option("author", "text", None, "a person's name, instead of git's user.name"),
    Option("background", "switch", True, "sweeps and token counts run in a process of their own"),
    Option("export.auto", "text", None, "a file that gets a copy of the store after each sweep"),
    *(
        Option(f"approve.{rule}", "approval", default, f"a write of {rule.replace('.', ', ')}: accept or propose")
        for rule, default in APPROVAL.items()
    ),
)
_BY_KEY = {option.key: option for option in OPTIONS}
_APPROVE = "approve."

# Variables that switch something off by being there, whatever their value says.
_SWITCHES_OFF = {"MEM_DISABLE": "enabled", "MEM_NO_BACKGROUND": "background", "CI": "background"}

_NO = ("0", "false", "no", "off")
_SWITCH = {**dict.fromkeys(("1", "true", "yes", "on"), True), **dict.fromkeys(_NO, False)}


class Settings(NamedTuple):
    """The settings that hold. `approve` has the keys of `scopes.APPROVAL`; None means there is no such thing."""

    enabled: bool = True
    minimum: float = MINIMUM
    floor: float = 0.05
    budget: int = 1500
    encoding: str = "o200k_base"
    limit: int = 20
    search_semantic: bool = False
    query_limit: int = 50
    author: str | None = None
    background: bool = True
    export_auto: str | None = None
    approve: Mapping[str, str] = APPROVAL


def load(
    user_file: str | None,
    repo_file: str | None,
    env: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each key where its value came from: "default", a file, a variable or "flag".

    Files that are not there count as empty. Raises Usage naming file and key for what can't be understood.
    """
    values = {option.key: option.default for option in OPTIONS}
    origins = dict.fromkeys(values, "default")
    for key, value, origin in _layers(user_file, repo_file, env, flags or {}):
        values[key], origins[key] = value, origin
    approve = {rule: str(values[_APPROVE + rule]) for rule in APPROVAL}
    fields: dict[str, Any] = {o.field: values[o.key] for o in OPTIONS if o.field in Settings._fields}
    return Settings(**fields, approve=approve), origins


def _layers(
    user_file: str | None, repo_file: str | None, env: Mapping[str, str], flags: Mapping[str, object]
) -> Iterator[tuple[str, object, str]]:
    """Every key that is set, with its value and where, the strongest last."""
    for path in (user_file, repo_file):
        for key, value in _read(path) if path else ():
            yield key, _checked(key, value, path or ""), path or ""
    for option in OPTIONS:
        written = env.get(option.variable, "").strip()
        if written:
            yield option.key, parse(option.key, written, option.variable), option.variable
    for variable, key in _SWITCHES_OFF.items():
        if env.get(variable, "").strip().casefold() not in ("", *_NO):
            yield key, False, variable
    for name, value in flags.items():
        key = known_key(name, "flag")
        yield key, parse(key, str(value), "flag"), "flag"


def value_of(settings: Settings, key: str) -> object:
    """The value that a key has in the settings; the key as `known_key` gives it."""
    if key.startswith(_APPROVE):
        return settings.approve[key.removeprefix(_APPROVE)]
    return getattr(settings, _BY_KEY[key].field)


def known_key(name: str, where: str = "configuration") -> str:
    """The key of this name, `-` and `_` read as dots. Raises Usage with the nearest key."""
    from memcli import tomledit

    key = tomledit.canonical(name)
    if key in _BY_KEY:
        return key
    from memcli.text import nearest

    near = nearest(key, _BY_KEY)
    others = "`mem config` shows them all" if where == "configuration" else "take it out, or upgrade mem"
    raise Usage(f"{where}: unknown key {name[:60]!r}", f"did you mean {near}?" if near else others)


def parse(key: str, text: str, where: str = "configuration") -> object:
    """The value that a text (of a variable, a flag, `mem config KEY VALUE`) means for a key. Raises Usage."""
    kind = _BY_KEY[key].kind
    if kind == "switch":
        return _checked(key, _SWITCH.get(text.casefold(), text), where)
    try:
        number = float(text) if kind == "share" else int(text) if kind == "count" else None
    except ValueError:
        raise _wrong(key, text, where) from None
    return _checked(key, text if number is None else number, where)


def _checked(key: str, value: object, where: str) -> object:
    """The value in its type. Raises Usage when it is not one that the key takes."""
    kind = _BY_KEY[key].kind
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if kind == "switch" and isinstance(value, bool):
        return value
    if kind == "share" and number is not None and 0 <= number <= 1:
        return number
    if kind == "count" and isinstance(value, int) and number and number >= 1:
        return value
    if kind == "text" and isinstance(value, str) and value.strip():
        return value
    if kind == "approval" and value in ("accept", "propose"):
        return value
    raise _wrong(key, value, where)


_TAKES = {
    "switch": "true or false",
    "share": "a number from 0 to 1",
    "count": "a whole number from 1",
    "text": "a text in quotes",
    "approval": '"accept" or "propose"',
}


def _wrong(key: str, value: object, where: str) -> Usage:
    return Usage(f"{where}: {key} is {str(value)[:60]!r}", f"it takes {_TAKES[_BY_KEY[key].kind]}")


def _read(path: str) -> Iterator[tuple[str, object]]:
    """The keys and values of a file, tables flattened; none when there is no file. Raises Usage."""
    text = _text(path)
    if text is not None:
        for name, value in _flat(_toml(text, path)):
            yield known_key(name, path), value


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Usage(f"can't read the configuration {path}: {_why(error)}") from None


def _toml(text: str, path: str) -> dict[str, object]:
    import tomllib  # 7 ms, only for those who have a file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Usage(f"{path} is not valid TOML: {error}", "correct the line, or move the file away") from None


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not text in UTF-8"


# Writing


def set_value(path: str, name: str, value: str | None) -> None:
    """Set a key in a file, or take it out (None); every other line stays as it is. Makes file and folder (0600, 0700).

    Raises Usage for an unknown key, a value that it does not take, and a file that can't be read, edited or written.
    """
    key = known_key(name)
    literal = None if value is None else _literal(parse(key, value.strip()))
    before = _text(path) or ""
    wanted = {known_key(n, path): v for n, v in _flat(_toml(before, path)) if known_key(n, path) != key}
    from memcli import tomledit

    after = tomledit.edited(before, key, literal)
    if literal is not None:
        wanted[key] = parse(key, (value or "").strip())
    if _understood(after, path) != wanted:
        raise Usage(f"can't edit {path}: {key} is written there in a way that mem does not change", "edit it by hand")
    if after != before:
        _write(path, after)


def _understood(text: str, path: str) -> dict[str, object] | None:
    try:
        return {known_key(name, path): value for name, value in _flat(_toml(text, path))}
    except MemError:
        return None


def _literal(value: object) -> str:
    """A value as TOML writes it; JSON's strings are TOML's too."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _write(path: str, text: str) -> None:
    """Put the text in the place of the file in one step; a link stays a link, and the file keeps its mode."""
    target = os.path.realpath(path)
    draft = f"{target}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o600
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, target)
    except OSError as error:
        raise Usage(f"can't write the configuration {path}: {_why(error)}") from None


# Where things are


def user_config_file(env: Mapping[str, str]) -> str:
    """`$XDG_CONFIG_HOME/mem/config.toml`, else `~/.config/mem/config.toml`."""
    return os.path.join(_folder(env, "XDG_CONFIG_HOME", ".config"), "mem", "config.toml")


def user_data_dir(env: Mapping[str, str], platform: str | None = None) -> str:
    """The folder of the user's own store: `$XDG_DATA_HOME/mem`, else `~/.local/share/mem`, on macOS
    `~/Library/Application Support/mem`. `platform` is as in sys.platform, of this machine by default."""
    if platform is None:
        import sys

        platform = sys.platform
    usual = "Library/Application Support" if platform == "darwin" else ".local/share"
    return os.path.join(_folder(env, "XDG_DATA_HOME", usual), "mem")


def _folder(env: Mapping[str, str], variable: str, usual: str) -> str:
    """The folder that the variable names, if absolute (XDG's rule), else the usual one below home."""
    named = env.get(variable, "")
    return named if os.path.isabs(named) else os.path.join(_home(env), usual)


def _home(env: Mapping[str, str]) -> str:
    if env.get("HOME"):
        return env["HOME"]
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise Usage("there is no home folder to keep user scope in", "set HOME") from None
