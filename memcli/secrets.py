"""Find live-looking secrets in a text (law 17). The rules are data, `data/secrets.json`; here is what they mean.

A rule has keywords, at least one of which must occur before its pattern is even compiled (a keyword with capitals is
looked for as it stands, others case aside), a regular expression whose quantifiers are bounded, so that no text makes
it slow, and a `check` for what a match must still pass to look live:

any        nothing more
format     it is not masked (ghp_xxxxxxxx)
random     it does not read as words (sk-learn-pipeline)
token      an assigned value of 10 characters or more (16 in prose) with letters and digits, no words, no reference
password   an assigned value with digits or signs among its letters; a plain word only
           behind a shouted name (DB_PASSWORD=letmein)
generic    20 characters or more of capitals, small letters and digits, near random
url        not a placeholder and not the user's name again

A secret's value never leaves this module: what is found is told by kind and position, and known again by fingerprint.
"""

import json
import os
import re
from functools import lru_cache
from math import log2
from typing import NamedTuple

_DATA = os.path.join(os.path.dirname(__file__), "data", "secrets.json")


class Secret(NamedTuple):
    """A secret found: the kind in words, where it stands (offsets in characters, end exclusive), and a fingerprint by
    which it can be allowed without being written down."""

    kind: str
    start: int
    end: int
    fingerprint: str


class Rule(NamedTuple):
    """One entry of the data file."""

    id: str
    name: str
    keywords: tuple[str, ...]
    check: str
    regex: str


class Rules(NamedTuple):
    """The data file: `placeholders` mark a value that holds one of them as not live, `words` a value that is one."""

    rules: tuple[Rule, ...]
    placeholders: tuple[str, ...]
    words: frozenset[str]


class Assigned(NamedTuple):
    """A value and how it was written: the name it was given to, `tight` when quoted or right behind the sign."""

    value: str
    name: str = ""
    user: str = ""
    tight: bool = True


def scan(text: str) -> tuple[Secret, ...]:
    """The live-looking secrets of a text, in their order, without overlaps: the more specific rule names it."""
    lowered = text.lower()
    found: list[Secret] = []
    for rule in _rules().rules:
        if any(word in (lowered if word.islower() else text) for word in rule.keywords):
            found += _matches(rule, text, found)
    return tuple(sorted(found, key=lambda secret: secret.start))


def _matches(rule: Rule, text: str, taken: list[Secret]) -> list[Secret]:
    found = []
    for match in re.finditer(rule.regex, text):
        start, end = match.span(_value_group(match))
        free = all(end <= other.start or start >= other.end for other in taken)
        if free and _looks_live(rule.check, _assigned(match, text[start:end])):
            found.append(Secret(rule.name, start, end, _fingerprint(rule.id, text[start:end])))
    return found


@lru_cache(maxsize=1)
def _rules() -> Rules:
    with open(_DATA, encoding="utf-8") as file:
        raw = json.load(file)
    rules = tuple(Rule(r["id"], r["name"], tuple(r["keywords"]), r["check"], r["regex"]) for r in raw["rules"])
    return Rules(rules, tuple(raw["placeholders"]), frozenset(raw["words"]))


def _fingerprint(rule: str, value: str) -> str:
    from hashlib import sha256  # only a text with a secret pays for it

    return sha256(f"mem\0{rule}\0{value}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _value_group(match: re.Match[str]) -> int | str:
    """The group that holds the secret: the assigned value, else the first group, else the whole match."""
    for name in ("quoted", "bare"):
        if match.groupdict().get(name) is not None:
            return name
    return 1 if match.re.groups else 0


def _assigned(match: re.Match[str], value: str) -> Assigned:
    groups = match.groupdict()
    loose = groups.get("pad") and not groups.get("quoted")
    trimmed = value.rstrip(".,:)]}>!?")
    return Assigned(trimmed, groups.get("name") or "", groups.get("user") or "", not loose)


# What a match must pass, by the name that the data file gives it.


def _looks_live(check: str, found: Assigned) -> bool:
    return _CHECKS[check](found)


def _is_format(found: Assigned) -> bool:
    return not re.search(r"([xX0*._-])\1{9}", found.value)


def _is_random(found: Assigned) -> bool:
    return _is_format(found) and not _is_placeholder(found.value) and not _reads_as_words(found.value)


def _is_token(found: Assigned) -> bool:
    value = found.value
    return (
        len(value) >= (10 if found.tight else 16)
        and _has_letter(value)
        and _has_digit(value)
        and _entropy(value) >= 2.8
        and not (_is_harmless(value) or _is_prose(value) or _reads_as_words(value))
    )


def _is_password(found: Assigned) -> bool:
    value = found.value
    if len(value) < 6 or _is_harmless(value):
        return False
    if found.tight and found.name.isupper():
        return True
    if not _has_letter(value) or _is_prose(value) or _is_name(value):
        return False
    return _has_digit(value) or (found.tight and re.search(r"[!@#$%^&*+=?~|\\]", value) is not None)


def _is_generic(found: Assigned) -> bool:
    value = found.value
    classes = (r"[A-Z]", r"[a-z]", r"[0-9]")
    return (
        len(value) >= 20
        and all(re.search(kind, value) for kind in classes)
        and _entropy(value) >= 3.5
        and not value.startswith("AAAA")  # a public ssh key
        and not (_is_harmless(value) or _is_prose(value) or _reads_as_words(value))
    )


def _is_url_password(found: Assigned) -> bool:
    value = found.value
    return value.casefold() != found.user.casefold() and not _is_placeholder(value) and not _is_reference(value)


_CHECKS = {
    "any": lambda found: True,
    "format": _is_format,
    "random": _is_random,
    "token": _is_token,
    "password": _is_password,
    "generic": _is_generic,
    "url": _is_url_password,
}


# What a value looks like.

_REFERENCE = r"""(?x)
    \$\{.*|\$\(.*|\$\w+|\{\{?.*|<.*|&lt;.*|%\w+%?|\[.*|!\w+        # ${VAR} $(cmd) $VAR {{x}} <x> %VAR% [x] !vault
    |(?:arn|op|vault|ssm|env|file|secret|secrets|sops|enc|https?)[:\[].*  # where the value is kept
    |[A-Za-z_][\w.]*[(\[].*|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+   # getenv("X"), self.token
    |[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+                                      # DB_PASSWORD
    """
_HARMLESS = r"""(?x)
    [^@\s]+@[\w-]+(?:\.[\w-]+)+                                     # an address
    |[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}               # a UUID
    |(?:sha\d+|md5|h1)[-:=].*                                           # a digest that says so
    |~?/[\w./@+-]*|\.{1,2}/.*|[a-z0-9_.-]+(?:/[a-z0-9_.-]+)+|[\w./-]+/[\w-]+\.[a-z]{1,5}  # a path
    """


def _is_harmless(value: str) -> bool:
    """True for a value that stands for a secret, or is plainly something else."""
    return _is_placeholder(value) or _is_reference(value) or re.fullmatch(_HARMLESS, value) is not None


def _is_placeholder(value: str) -> bool:
    folded = value.casefold()
    rules = _rules()
    masked = len(set(folded)) <= 2
    return masked or folded in rules.words or any(mark in folded for mark in rules.placeholders)


def _is_reference(value: str) -> bool:
    return re.fullmatch(_REFERENCE, value) is not None


def _is_prose(value: str) -> bool:
    """True for several words in quotes, and for a number with its unit: 12 characters, 90days."""
    return re.search(r"\s", value) is not None or re.fullmatch(r"\d+\W?[a-z]+", value) is not None


def _is_name(value: str) -> bool:
    """True for words joined by dashes, underscores or dots, or humps: refresh-token, userPassword, node-18."""
    return all(part.isalpha() or (part.isdigit() and len(part) <= 4) for part in re.split(r"[-_.]", value) if part)


def _reads_as_words(value: str) -> bool:
    """True when the value is made of words: by humps and signs at least two, of 3.5 letters in the mean or more, and
    no long number; a random string changes its kind of character every two."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", value)
    letters = [part for part in parts if part.isalpha()]
    if any(len(part) > 4 for part in parts if part.isdigit()):
        return False
    if len(letters) < 2:
        return not _has_digit(value)
    return sum(map(len, letters)) / len(letters) >= 3.5


def _has_letter(value: str) -> bool:
    return any(c.isalpha() for c in value)


def _has_digit(value: str) -> bool:
    return any(c.isdigit() for c in value)


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = [value.count(c) for c in set(value)]
    return -sum(n / len(value) * log2(n / len(value)) for n in counts)
