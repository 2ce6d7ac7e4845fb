"""Who asks, a person or an agent, and in which session (DESIGN.md, section 8, "Who asks" and "Session")."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Asker(NamedTuple):
    """Who writes or reads: the name that is kept as a fragment's author, and whether it is an agent or a program."""

    name: str
    is_agent: bool


class Agent(NamedTuple):
    """An agent that we know. `marks` are variables that its shells carry and a person's never do; `sessions` hold the
    id of its session; `aliases` are other names that people write for it."""

    name: str
    marks: tuple[str, ...]
    sessions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


# Seen in the shells these programs start, or in their documentation (November 2026). Left out on purpose: what a
# person's own terminal or profile sets too (CURSOR_TRACE_ID, CODEX_HOME, CLAUDE_CONFIG_DIR, GEMINI_API_KEY).
AGENTS = (
    Agent("claude", ("CLAUDECODE",), ("CLAUDE_CODE_SESSION_ID",), ("claude-code", "claude code")),
    Agent("codex", ("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_CI"), ("CODEX_THREAD_ID",), ("codex-cli",)),
    Agent("gemini", ("GEMINI_CLI", "GEMINI_SESSION_ID"), ("GEMINI_SESSION_ID",), ("gemini-cli",)),
    Agent("cursor", ("CURSOR_AGENT",), ("CURSOR_CONVERSATION_ID",), ("cursor-agent",)),
    Agent(
        "copilot",
        ("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"),
        ("COPILOT_AGENT_SESSION_ID",),
        ("copilot-cli", "github-copilot"),
    ),
    Agent("cline", ("CLINE_ACTIVE",)),
    Agent("opencode", ("OPENCODE",), ("OPENCODE_SESSION_ID",)),
)

_OFF = frozenset({"", "0", "false", "no", "off"})


def who(
    env: Mapping[str, str],
    author: str | None,
    person: Callable[[], str | None],
    program: str | None = None,
) -> Asker:
    """Who asks.

    `program` is the agent that speaks through MCP or a hook, `author` the `--author` option; `person` gives the
    person's name (git's user.name) and is called only when nobody else was found, because it may cost a process.
    """
    if program:
        return Asker(program, True)
    named = _text((author or env.get("MEM_AUTHOR") or "").strip())
    if named:
        return Asker(named, is_agent(named))
    agent = running_agent(env)
    if agent:
        return Asker(agent.name, True)
    return Asker(_text((person() or "").strip() or _login(env)), False)


def _text(name: str) -> str:
    """The name with `?` for bytes that are no UTF-8: somebody's name in another encoding is no reason to refuse."""
    return name.encode("utf-8", "replace").decode()


def session(env: Mapping[str, str], option: str | None = None) -> str | None:
    """The session of a command: `--session`, else MEM_SESSION, else the running agent's own variable, else None."""
    agent = running_agent(env)
    own = (env.get(name) for name in agent.sessions) if agent else ()
    return next((name.strip() for name in (option, env.get("MEM_SESSION"), *own) if name and name.strip()), None)


def running_agent(env: Mapping[str, str]) -> Agent | None:
    """The known agent whose mark the environment carries; the first of the table when there are several."""
    return next((agent for agent in AGENTS if any(_is_on(env.get(mark)) for mark in agent.marks)), None)


def is_agent(author: str) -> bool:
    """Whether an author's name is that of an agent: whoever signs as one is held to an agent's rules.

    A known agent's name, or `agent`, alone or before a sign: `agent`, `agent:reviewer`, `claude/opus`, `codex@ci`.
    """
    folded = author.casefold().strip()
    first = re.split(r"[:/@\[(]", folded)[0].strip()
    known = {name for agent in AGENTS for name in (agent.name, *agent.aliases)} | {"agent", "bot"}
    return bool({folded, first} & known)


def _is_on(value: str | None) -> bool:
    return value is not None and value.strip().casefold() not in _OFF


def _login(env: Mapping[str, str]) -> str:
    return env.get("USER") or env.get("LOGNAME") or "unknown"
