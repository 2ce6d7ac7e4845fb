"""Change one key of a small TOML file and leave every other line as its owner wrote it (there is no such writer in the
standard library). Values on one line only; whoever calls reads the result again and compares."""


def edited(text: str, key: str, literal: str | None) -> str:
    """The text with the line of a dotted key changed to the literal, added where TOML takes it, or taken out (None)."""
    lines = text.splitlines(keepends=True)
    number = next((n for n, table, name in _entries(lines) if canonical(_dotted(table, name)) == key), None)
    if number is not None:
        written = lines[number].partition("=")[0].strip()
        lines[number] = "" if literal is None else f"{written} = {literal}\n"
    elif literal is not None:
        _insert(lines, key, literal)
    return "".join(lines)


def canonical(name: str) -> str:
    """A key as mem compares it: quotes and case aside, `-` and `_` read as dots."""
    return name.strip().casefold().replace('"', "").replace("-", ".").replace("_", ".")


def _entries(lines: list[str]) -> list[tuple[int, str, str]]:
    """Each `name = value` line: its number, the table it stands in (empty above the first), and the name."""
    found, table = [], ""
    for number, line in enumerate(lines):
        table = _header(line) or table
        name, sign, _ = line.partition("=")
        if sign and not name.lstrip().startswith(("#", "[")):
            found.append((number, table, name))
    return found


def _insert(lines: list[str], key: str, literal: str) -> None:
    """Add the key below the header of its own table if there is one, else at the end of what stands above all tables
    (TOML forbids to name a table's key from outside it)."""
    headers = {number: table for number, line in enumerate(lines) if (table := _header(line))}
    own = next((n for n, table in headers.items() if key.startswith(canonical(table) + ".")), None)
    place = min(headers, default=len(lines)) if own is None else own + 1
    name = key if own is None else key.removeprefix(canonical(headers[own]) + ".")
    if place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += "\n"
    lines.insert(place, f"{name} = {literal}\n")


def _header(line: str) -> str | None:
    """The table that a line opens, if it does."""
    stripped = line.partition("#")[0].strip()
    return stripped.strip("[] \t") if stripped.startswith("[") else None


def _dotted(table: str, name: str) -> str:
    return f"{table}.{name.strip()}" if table else name
