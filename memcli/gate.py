"""The one gate that every write passes (laws 15 and 17): candidate in, accepted, proposed or refused with reasons out.

The checks that need the store or the repository (doubles, grounding) are asked by the deed that saves; what is here is
a function of the candidate and the approval policy alone.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from memcli.errors import Refused, Usage
from memcli.kinds import CONCLUSIONS, is_automatic
from memcli.scopes import APPROVAL
from memcli.secrets import scan
from memcli.text import escape, fold, unescape

MAX_TEXT_BYTES = 64 * 1024
MAX_KEY_BYTES = 200

# DESIGN.md, section 8, "Numbers": a person's word counts whole, an agent's or a program's is a little less sure; one
# that reads as transient or vague (section 8, "Secrets, doubles") less again, but still above the minimum.
PERSON_BASE = 1.0
PROGRAM_BASE = 0.8
LOWERED_BASE = 0.6

_BLOCK = r"(?m)^\s*(?:<|&lt;)memory(?:>|&gt;)\s*$|^\s*Legend: workflow chain, parents before children"  # fed back
_CONTROL = "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"  # C0, DEL, C1, and lone surrogates (bytes that are not UTF-8)

# What a text says that will not be true for long, and what says nothing that a reader could use. As whole words.
_TRANSIENT = (
    "right now",
    "at the moment",
    "currently down",
    "currently broken",
    "is down",
    "are down",
    "as of today",
    "for today",
    "this morning",
    "this afternoon",
    "just now",
    "for the time being",
    "temporarily",
)
_VAGUE = r"""(?x)
    (?:(?:it|this|that|everything|all)\ )?(?:now\ )?works?(?:\ now|\ fine)?
    | (?:various|some|misc|minor|small)\ (?:fixes|changes|things|stuff)
    | fix(?:ed)?\ (?:it|this|that|stuff|things|bugs?)
    | to\ ?do | tbd | wip | misc | asdf | foo | test | ok | done
    | looks\ good | see\ above | as\ discussed | be\ careful | remember\ this
    """


class Candidate(NamedTuple):
    """What somebody wants to write.

    `explicit` is a save that was asked for; what was mined from a text or extracted by a model is not. `source` names
    the path it came on (save, capture, import …). `supersedes_person` says that it would replace what a person wrote or
    approved, `propose` that its author wants it reviewed, `confidence` is the base he gives it (0 to 1).
    """

    text: str
    key: str | None = None
    type: str = "note"
    scope: str = "workspace"
    paths: tuple[str, ...] = ()
    is_agent: bool = False
    explicit: bool = True
    source: str = "save"
    supersedes_person: bool = False
    propose: bool = False
    confidence: float | None = None


class Verdict(NamedTuple):
    """What one check said: `outcome` is pass, warn, refuse or propose, `reason` a phrase a person understands."""

    check: str
    outcome: str
    reason: str = ""


class GateResult(NamedTuple):
    """What became of a candidate: `action` is accept, propose or refuse; `text` and `key` as they are to be stored;
    `base` the confidence at its stamp; all verdicts in the order of the checks; `error` to raise when it is refused."""

    action: str
    text: str
    key: str | None
    base: float
    verdicts: tuple[Verdict, ...]
    error: Refused | Usage | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons of the checks that warn, for stderr."""
        return tuple(verdict.reason for verdict in self.verdicts if verdict.outcome == "warn")


def pass_gate(candidate: Candidate, rules: Mapping[str, str] = APPROVAL) -> GateResult:
    """Run every check. Raises nothing: a refusal is a result, so that capture and import can count it and go on."""
    c, verdicts, error = _admit(candidate)
    if error:
        return GateResult("refuse", c.text, c.key, 0.0, verdicts, error)
    hint = check_relevance(c.text, c.type)
    approval = policy(c, rules)
    action = "propose" if approval.outcome == "propose" else "accept"
    base = _base(c, doubtful=hint.outcome == "warn")
    return GateResult(action, c.text, c.key, base, (*verdicts, hint, approval))


def _admit(candidate: Candidate) -> tuple[Candidate, tuple[Verdict, ...], Refused | Usage | None]:
    """The checks that can refuse, one after the other until one does: the candidate with text and key put in order."""
    steps: tuple[tuple[str, Callable[[Candidate], Candidate]], ...] = (
        ("text", lambda c: c._replace(text=check_text(c.text))),
        ("key", lambda c: c._replace(key=check_key(c.key))),
        ("confidence", lambda c: c._replace(confidence=check_confidence(c.confidence))),
        ("secrets", _without_secrets),
    )
    verdicts: list[Verdict] = []
    for name, step in steps:
        try:
            candidate = step(candidate)
        except (Refused, Usage) as error:
            return candidate, (*verdicts, Verdict(name, "refuse", error.message)), error
        verdicts.append(Verdict(name, "pass"))
    return candidate, tuple(verdicts), None


def _without_secrets(candidate: Candidate) -> Candidate:
    check_secrets(candidate.text, candidate.key, candidate.paths)
    return candidate


def check_text(text: str) -> str:
    """The text as it is stored: line ends as LF, `&lt;` and `&gt;` read as the characters, no white space around it.

    Raises Refused when it is blank, longer than 64 KiB of UTF-8, or holds control characters or half characters.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if not lines.strip():
        raise Refused("the text is empty", "say in a sentence what should be remembered; `-` reads it from stdin")
    size = len(lines.encode("utf-8", "surrogatepass"))
    if size > MAX_TEXT_BYTES:
        raise Refused(
            f"the text has {size:,} bytes; a fragment holds at most {MAX_TEXT_BYTES:,}",
            "save the conclusion and name the file that holds the rest with --path",
        )
    _check_characters(lines, "text", allowed="\n\t")
    if re.search(_BLOCK, lines):
        raise Refused("the text is a rendered memory block", "save the one conclusion that is new, in a sentence")
    return unescape(lines).strip()


def check_key(key: str | None) -> str | None:
    """The key as it is stored, without white space around it; None stays None. Raises Refused naming the rule."""
    if key is None:
        return None
    if not key.strip():
        raise Refused("the key is blank", "leave it out: a fragment needs no key")
    if len(key.strip().splitlines()) > 1:
        raise Refused("a key is one line", "put the rest into the text")
    _check_characters(key, "key", allowed="")
    clean = unescape(key).strip()
    if unescape(escape(clean)) != clean:
        raise Refused("the key holds characters that nobody sees, so nobody could type it", "leave them out")
    if clean[0] in "/-":
        raise Refused(f"a key does not begin with {clean[0]}", "write it as type:name, for instance decision:storage")
    size = len(clean.encode("utf-8"))
    if size > MAX_KEY_BYTES:
        raise Refused(f"the key has {size} bytes; a key has at most {MAX_KEY_BYTES}", "put the rest into the text")
    return clean


def check_name(name: str | None, what: str) -> None:
    """Raise Refused when the name of an author or a session is longer than a key, or holds control characters."""
    if name is None:
        return
    _check_characters(name, what, allowed="")
    if len(name.encode("utf-8", "surrogatepass")) > MAX_KEY_BYTES:
        raise Refused(f"the {what} has more than {MAX_KEY_BYTES} bytes", "use a shorter name")
    for secret in scan(name):
        raise _secret_refused(secret.kind, what, name, secret.start)


def check_confidence(value: float | None) -> float | None:
    """The base confidence that an author gives, 0 to 1; None when he gives none. Raises Usage outside of it."""
    if value is not None and not 0.0 <= value <= 1.0:
        raise Usage(f"a confidence lies between 0 and 1, not {value:g}", "for instance --confidence 0.8")
    return value


def check_secrets(text: str, key: str | None = None, paths: Iterable[str] = ()) -> None:
    """Raise Refused when text, key or a path holds a live-looking secret; it names kind and place, never the value."""
    for where, content in (("text", text), ("key", key or ""), *(("path", path) for path in paths)):
        for secret in scan(content):
            raise _secret_refused(secret.kind, where, content, secret.start)
    if key and _names_secret(key, text):
        raise _secret_refused("value of the key's password or token", "text", text, 0)


def _names_secret(key: str, text: str) -> bool:
    """True when the key names a secret and the text is its value: `mem save db-password …`."""
    if len(text.split()) > 1:
        return False
    start = len(key) + 2
    return any(secret.start >= start for secret in scan(f"{key}: {text}"))


def _secret_refused(kind: str, where: str, content: str, start: int) -> Refused:
    line = content.count("\n", 0, start) + 1
    column = start - content.rfind("\n", 0, start)
    return Refused(
        f"secret in the {where}: {kind}, line {line}, column {column}",
        "say where the secret is kept instead of what it is",
    )


def check_relevance(text: str, kind: str) -> Verdict:
    """Warn of a conclusion that will not be true for long, or says nothing; records of a workflow pass."""
    if kind not in CONCLUSIONS:
        return Verdict("relevance", "pass")
    plain = " ".join(fold(text).split()).strip(" .!")
    phrase = next((p for p in _TRANSIENT if re.search(rf"\b{p}\b", plain)), None)
    if phrase:
        return Verdict("relevance", "warn", f"reads as transient ({phrase!r}): will it still be true in a month?")
    if re.fullmatch(_VAGUE, plain):
        return Verdict("relevance", "warn", "reads as vague: name what it is about, and why")
    return Verdict("relevance", "pass")


def policy(candidate: Candidate, rules: Mapping[str, str] = APPROVAL) -> Verdict:
    """Accepted at once (pass) or a proposal, by law 15; `rules` are the configured values of `scopes.APPROVAL`."""
    if candidate.propose:
        return Verdict("approval", "propose", "proposed, as asked")
    rule = _rule(candidate)
    if rules.get(rule, APPROVAL[rule]) == "accept":
        return Verdict("approval", "pass")
    return Verdict("approval", "propose", f"{_WHY.get(rule, _WHY_ELSE)} (approve.{rule})")


def _rule(c: Candidate) -> str:
    """The name of the approval rule that a candidate falls under."""
    if c.supersedes_person and (c.is_agent or not c.explicit):
        return "agent.supersede"
    if c.explicit:
        return f"{'agent' if c.is_agent else 'person'}.{c.scope}"
    if is_automatic(c.key) and c.scope == "workspace":
        return "capture.state"
    return f"capture.{c.scope}"


_WHY_ELSE = "this repository or user asks for a person's approval"
_WHY = {
    "agent.user": "an agent's save into user scope waits for approval",
    "agent.supersede": "it would replace what a person wrote or approved",
    "capture.user": "what was captured into user scope waits for approval",
    "capture.workspace": "what was captured into the workspace waits for approval",
}


def base_confidence(is_person: bool, given: float | None = None) -> float:
    """The confidence at the stamp: as given, else 1.0 from a person, else 0.8."""
    if given is not None:
        return given
    return PERSON_BASE if is_person else PROGRAM_BASE


def _base(candidate: Candidate, doubtful: bool) -> float:
    is_person = candidate.explicit and not candidate.is_agent
    if doubtful and not is_person and candidate.confidence is None:
        return LOWERED_BASE
    return base_confidence(is_person, given=candidate.confidence)


def _check_characters(text: str, where: str, allowed: str) -> None:
    """Raise Refused at the first control character that is not allowed, and at half a character (a lone surrogate)."""
    match = next((m for m in re.finditer(_CONTROL, text) if m.group() not in allowed), None)
    if match is None:
        return
    point = ord(match.group())
    what = "is no text" if point >= 0xD800 else "is a control character"
    raise Refused(f"U+{point:04X} at character {match.start() + 1} of the {where} {what}", "leave it out")
