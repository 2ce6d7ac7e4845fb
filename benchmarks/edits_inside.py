"""Edits of the definition itself: its names, some of its lines, all of it."""

import re
from random import Random

from benchmarks.editing import (
    Change,
    body_replaced,
    indent_of,
    new_name,
    one_line_changed,
    statements,
    uses_replaced,
    with_lines,
    word_replaced,
)
from benchmarks.samples import Sample, has_word


def renamed(sample: Sample, dice: Random) -> Change | None:
    """The definition and all its uses under another name."""
    name = new_name(sample)
    changed = {path: word_replaced(text, sample.target.name, name) for path, text in sample.files.items()}
    return {path: text for path, text in changed.items() if text != sample.files[path]}


def renamed_once(sample: Sample, dice: Random) -> Change | None:
    """The definition under another name, its uses in other files as they were."""
    if not sample.users:
        return None
    lines, target = sample.lines, sample.target
    for number in range(target.first, target.body_first):
        lines[number - 1] = word_replaced(lines[number - 1], target.name, new_name(sample))
    return with_lines(sample, lines)


def local_renamed(sample: Sample, dice: Random) -> Change | None:
    """A local variable of the body under another name."""
    target = sample.target
    body = "\n".join(sample.lines[target.body_first - 1 : target.body_last])
    if target.is_class:
        return None
    pattern = r"^\s*(\w{3,}) = " if sample.language == "python" else r"(?:let|const|var)\s+(?:mut\s+)?(\w{3,})\s*[:=]"
    names = [name for name in dict.fromkeys(re.findall(pattern, body, re.MULTILINE)) if _is_local(name, body, sample)]
    if not names:
        return None
    new = word_replaced(body, dice.choice(names), "carried_value")
    return with_lines(
        sample, [*sample.lines[: target.body_first - 1], *new.split("\n"), *sample.lines[target.body_last :]]
    )


def _is_local(name: str, body: str, sample: Sample) -> bool:
    """Whether the name is nothing but a variable here: no field, key, keyword or word in a string."""
    header = "\n".join(sample.lines[sample.target.first - 1 : sample.target.body_first - 1])
    otherwise = rf"[.]{name}\b|\b{name}\s*:(?!:)|\b{name}=\S|[\"'`][^\"'`\n]*\b{name}\b|{{\s*{name}\b|,\s*{name}\s*}}"
    return not re.search(otherwise, body) and not has_word(header, name)


def number_changed(sample: Sample, dice: Random) -> Change | None:
    """Another number in one line of the body."""
    return one_line_changed(sample, dice, r"(?<![\w.\"'`])\d+(?![\w.\"'`])", lambda found: str(int(found[0]) + 7))


def one_line(sample: Sample, dice: Random) -> Change | None:
    """Another function called in one line of the body."""
    return one_line_changed(sample, dice, r"(?<![\w.])[a-z]\w{3,}(?=\()", lambda found: f"checked_{found[0]}")


def parameter(sample: Sample, dice: Random) -> Change | None:
    """One more parameter, the first after the receiver."""
    lines, target = sample.lines, sample.target
    if target.is_class:
        return None
    kind = {"python": "", "javascript": "", "swift": ": Bool", "go": " bool", "kotlin": ": Boolean", "java": None}
    suffix = kind.get(sample.language, ": bool" if sample.language == "rust" else ": boolean")
    if suffix is None:
        return None
    opening = rf"(\b{target.name}\s*(?:<[^>(]*>)?\(\s*(?:&mut self|&self|mut self|self|cls)?)(\s*,)?(\s*\))?"
    header = "\n".join(lines[target.first - 1 : target.body_first - 1])

    def with_it(found: re.Match[str]) -> str:
        received = found[1].rstrip().endswith(("self", "cls"))
        end = found[3] or ("" if received and found[2] else ", ")
        return f"{found[1]}{', ' if received else ''}extra_flag{suffix}{found[2] or ''}{end}"

    new = re.sub(opening, with_it, header, count=1)
    return with_lines(sample, [*lines[: target.first - 1], *new.split("\n"), *lines[target.body_first - 1 :]])


def half_rewritten(sample: Sample, dice: Random) -> Change | None:
    """The second half of the body replaced by statements of another function."""
    target, lines = sample.target, sample.lines
    starts = statements(sample)
    middle = (target.body_first + target.body_last) // 2
    start = min(starts, key=lambda number: abs(number - middle), default=None)
    if start is None or not 0.3 <= (start - target.body_first) / (target.body_last - target.body_first + 1) <= 0.7:
        return None
    indent = indent_of(lines[start - 1])
    new = body_replaced(lines, target._replace(body_first=start), sample.donor)
    return with_lines(sample, new) if indent == indent_of(lines[target.body_first - 1]) else None


def rewritten(sample: Sample, dice: Random) -> Change:
    """The body of another function in place of the target's."""
    return with_lines(sample, body_replaced(sample.lines, sample.target, sample.donor))


def deleted(sample: Sample, dice: Random) -> Change | None:
    """The definition gone, with another name wherever it was used."""
    lines, target = sample.lines, sample.target
    rest = "\n".join([*lines[: target.first - 1], *lines[target.last :]])
    return {**uses_replaced(sample), sample.path: word_replaced(rest, target.name, new_name(sample))}


def deleted_used(sample: Sample, dice: Random) -> Change | None:
    """The definition gone, and its uses in other files left as they were."""
    lines, target = sample.lines, sample.target
    return with_lines(sample, [*lines[: target.first - 1], *lines[target.last :]]) if sample.users else None
