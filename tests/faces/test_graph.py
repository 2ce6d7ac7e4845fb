"""References between fragments: `--ref`, the automatic chain, and `mem show --graph`."""

import json
import re

import pytest

from tests.conftest import Repo
from tests.faces.black_box import answers, loaded, saved, shown, told


@pytest.fixture
def chain(repo: Repo) -> dict[str, str]:
    """A workflow of one session, with a decision and two notes at its end: key → id."""
    texts = {
        "prompt:build": "Add a /users endpoint", "tool:write": "wrote handlers/users.go",
        "result:build": "compiles; tests <pending>", "decision:db": "SQLite, one file",
    }  # fmt: skip
    ids = {key: saved(repo, key, text, MEM_SESSION="s1") for key, text in texts.items()}
    ids["note:a"] = saved(repo, "note:a", "backups are copies", "--ref", "decision:db", "--ref", "prompt:build")
    ids["fact:u"] = saved(repo, "fact:u", "one writer at a time", "--scope", "user", "--ref", ids["decision:db"])
    return ids


def test_the_chain_of_types_gives_parents(repo: Repo, chain: dict[str, str]) -> None:
    """Each step hangs off the nearest earlier type of its session; an explicit reference takes its place."""
    parents = {key: shown(repo, ident)["parents"] for key, ident in chain.items()}
    assert parents["prompt:build"] == []
    assert parents["tool:write"] == [chain["prompt:build"]]
    assert parents["result:build"] == parents["decision:db"] == [chain["tool:write"]]
    assert parents["note:a"] == [chain["decision:db"], chain["prompt:build"]]
    assert saved(repo, "preference:tabs", "indent with tabs")
    assert shown(repo, "preference:tabs")["parents"] == []


def test_a_tree_for_the_terminal(repo: Repo, chain: dict[str, str]) -> None:
    """Ancestors above, descendants below, scopes named, all stored words escaped in a pipe."""
    done = repo.mem("show", "--graph", "decision:db")
    assert done.out.splitlines() == [
        "   ┌─ prompt:build [prompt] 100%: Add a /users endpoint",
        "┌─ tool:write [tool_result] 100%: wrote handlers/users.go",
        "decision:db [decision] 100%: SQLite, one file",
        "├─ note:a [note] 100%: backups are copies",
        "└─ fact:u [fact, user] 100%: one writer at a time",
    ]
    done = repo.mem("show", "--graph", "prompt:build")
    assert "tests &lt;pending&gt;" in done.out and done.out.count("note:a") == 2 and " (again)" in done.out


def test_many_children_are_counted(repo: Repo) -> None:
    """Of hundreds the last written dozen is drawn, the others are counted."""
    parent = saved(repo, "decision:db", "SQLite, one file")
    loaded(repo, ({"text": f"note number {n}", "parents": [parent]} for n in range(40)))
    lines = repo.mem("show", "--graph", "decision:db").out.splitlines()
    assert len(lines) == 14 and lines[-1] == "└─ and 28 more" and "note number 39" in lines[1]


def test_dot_and_mermaid(repo: Repo, chain: dict[str, str]) -> None:
    """Every node once with its label, every reference once; quotes and tags in texts end no label."""
    saved(repo, "error:q", 'says "no" \\ </b> #1', "--ref", "decision:db")
    dot, mermaid = answers(
        repo, ["show", "decision:db", "--format", "dot"], ["show", "--format=mermaid", "decision:db"]
    )
    assert dot.out.startswith("digraph mem {\n") and dot.out.endswith("\n}\n")
    assert f'"{chain["decision:db"]}" -> "{chain["note:a"]}";' in dot.out
    assert r'says \"no\" \\ &lt;/b&gt; #1"]' in dot.out
    assert "says #quot;no#quot; \\ &lt;/b&gt; #35;1" in mermaid.out
    assert mermaid.out.startswith("graph TD\n")
    for out, node, edge in ((dot.out, r' \[label="', " -> "), (mermaid.out, r'n\d+\["', " --> ")):
        assert len(re.findall(node, out)) == 6 and out.count(edge) == 5


def test_as_json(repo: Repo, chain: dict[str, str]) -> None:
    """The fragments, the references between them, and the ids that are nowhere."""
    assert repo.mem("delete", "tool:write").code == 0
    document = repo.mem("show", "--graph", "decision:db", "--json").json
    assert [row["key"] for row in document["fragments"]] == ["decision:db", "note:a", "fact:u"]
    assert document["missing"] == [chain["tool:write"]]
    assert {"from": chain["tool:write"], "to": chain["decision:db"]} in document["edges"]


def test_cycles_dangling_and_cross_scope_references_are_harmless(repo: Repo) -> None:
    """Fragments that refer to each other, to themselves, to nothing, to another scope: every read of them ends, in
    order; and a reference to nothing is refused at the save."""
    ids = [letter * 16 for letter in "klmno"]
    rows = [{"id": ids[n], "key": f"progress:p{n}", "text": f"step {n} goes on", "parents": [ids[n - 1], ids[n]]}
            for n in range(3)]  # fmt: skip
    rows[0]["parents"] = [ids[2], "z" * 16, ids[0]]
    rows.append({"id": ids[3], "key": "fact:user", "text": "in user scope", "scope": "user", "parents": [ids[0]]})
    rows.append({"id": ids[4], "key": "fact:here", "text": "in the workspace", "parents": [ids[3]]})
    loaded(repo, rows)
    block, tree, dot = answers(
        repo, ["render"], ["show", "--graph", "progress:p0"], ["show", "--format", "dot", "progress:p0"]
    )
    assert block.code == tree.code == dot.code == 0
    assert "fact:user [fact]: in user scope <- progress:p0\n" in block.out
    assert "fact:here [fact]: in the workspace <- fact:user\n" in block.out
    assert block.out.index("fact:user [") < block.out.index("fact:here [")
    assert "zzzzzzzz (not here)" in tree.out and "progress:p0 [progress] 100%: step 0 goes on (again)" in tree.out
    assert dot.out.count(" -> ") == len({*re.findall(r'".*" -> ".*"', dot.out)})
    told(repo.mem("save", "note:x", "refers to nothing", "--ref", "nosuch"), 1, "nosuch")
    assert json.loads(repo.mem("list", "--json").out)["fragments"][0]["key"] != "note:x"


def test_an_unknown_form_is_an_error(repo: Repo, chain: dict[str, str]) -> None:
    """The forms there are are named."""
    told(repo.mem("show", "decision:db", "--format", "svg"), 2, "svg")
    told(repo.mem("show", "--graph", "nosuch"), 1, "nosuch")
