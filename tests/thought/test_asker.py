"""Who asks and in which session."""

import pytest

from memcli.asker import AGENTS, Asker, session, who


def ada() -> str:
    return "Ada"


def nobody() -> None:
    return None


def untouched() -> str:
    raise AssertionError("the person's name was looked up although somebody else asks")


def test_the_person_is_who_asks_when_nobody_else_does() -> None:
    """Git's user.name; without one the login name, else `unknown`."""
    assert who({}, None, ada) == Asker("Ada", False)
    assert who({"USER": "ada"}, None, nobody) == Asker("ada", False)
    assert who({}, None, nobody) == Asker("unknown", False)


@pytest.mark.parametrize("agent", AGENTS, ids=[agent.name for agent in AGENTS])
def test_a_known_agents_variable_means_that_agent(agent: object) -> None:
    """Each mark alone means its agent, and the person's name is not looked up; an empty or false mark means nothing."""
    known = next(a for a in AGENTS if a is agent)
    for mark in known.marks:
        assert who({mark: "1"}, None, untouched) == Asker(known.name, True)
        assert who({mark: ""}, None, ada) == Asker("Ada", False)
        assert who({mark: "0"}, None, ada) == Asker("Ada", False)


def test_a_persons_own_terminal_is_no_agent() -> None:
    """Variables that profiles and editors set for people do not make an agent."""
    env = {"CODEX_HOME": "/x", "CURSOR_TRACE_ID": "1", "GEMINI_API_KEY": "k", "CLAUDE_CONFIG_DIR": "/y"}
    assert who(env, None, ada) == Asker("Ada", False)


def test_the_order_is_program_author_agent_person() -> None:
    """MCP and hooks first, then --author, then MEM_AUTHOR, then the running agent."""
    env = {"MEM_AUTHOR": "Grace", "CLAUDECODE": "1"}
    assert who(env, "Ada", untouched, program="codex") == Asker("codex", True)
    assert who(env, "Ada", untouched) == Asker("Ada", False)
    assert who(env, None, untouched) == Asker("Grace", False)


def test_whoever_signs_as_an_agent_is_one() -> None:
    """--author claude is held to an agent's rules; a person whose name begins like one is not."""
    assert who({}, "claude", untouched).is_agent
    assert who({}, "Codex-CLI", untouched).is_agent
    assert who({}, "agent:reviewer", untouched).is_agent
    assert who({}, "claude/opus", untouched).is_agent
    assert not who({}, "Claude Monet", untouched).is_agent
    assert not who({}, "Agentha", untouched).is_agent


def test_a_session_is_the_option_then_the_variable_then_the_agents_own() -> None:
    """Blank values are none; another agent's variable is not looked at."""
    env = {"MEM_SESSION": "s2", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s3"}
    assert session(env, " s1 ") == "s1"
    assert session(env, " ") == "s2"
    assert session({**env, "MEM_SESSION": ""}) == "s3"
    assert session({"CLAUDE_CODE_SESSION_ID": "s3"}) is None
    assert session({"CODEX_THREAD_ID": "t", "CLAUDE_CODE_SESSION_ID": "s3"}) == "t"
    assert session({}) is None
