"""`mem seed`: what a repository says about itself becomes the first fragments."""

import json
from pathlib import Path

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import listed

RULES = "# Rules\n\n- `create_user` in src/users.py checks the address.\n- Mail goes through src/mail.py.\n- Be kind.\n"
PACKAGE = json.dumps({"name": "app", "scripts": {"build": "tsc -p .", "test": "node test.js"}}, indent=2) + "\n"
MAKE = "test: ## run all tests\n\tpytest\n"


@pytest.fixture
def told(repo: Repo) -> Repo:
    """A repository with rules for agents, of which one no longer holds, and two manifests."""
    repo.write("src/mail.py", "def send_mail(to):\n    return to\n")
    repo.write("package.json", PACKAGE)
    repo.commit("rules", CLAUDE__md=RULES, Makefile=MAKE)
    repo.git("rm", "-q", "src/mail.py")
    repo.commit("remove mail")
    return repo


def test_without_a_yes_they_wait(told: Repo) -> None:
    """Claims about code become proposals, source seed, at the commit that wrote them; what fell is left out."""
    done = told.mem("seed")
    assert done.code == 0
    assert "CLAUDE.md:3 (100%) `create_user` in src/users.py checks the address." in done.out
    assert "left out: CLAUDE.md:4 (23%: src/mail.py is gone) Mail goes through src/mail.py." in done.out
    found = listed(told, "--state", "proposed")
    assert {(one["text"], one["type"]) for one in found} == {
        ("`create_user` in src/users.py checks the address.", "note"),
        ("`npm run build` runs `tsc -p .` (package.json)", "context"),
        ("`npm run test` runs `node test.js` (package.json)", "context"),
        ("`make test`: run all tests (Makefile)", "context"),
    }
    assert {(one["source"], one["stamp"]["commit"]) for one in found} == {("seed", told.git("rev-parse", "HEAD~1"))}
    assert listed(told) == []


def test_a_persons_yes_accepts(told: Repo) -> None:
    """--yes stores them active, those that waited too; a second time adds nothing."""
    assert told.mem("seed", "--json").json["proposed"] == 4
    assert told.mem("seed", "--yes", "--json").json["added"] == 4
    assert {one["confidence"] for one in listed(told)} == {1.0}
    again = told.mem("seed", "--yes", "--json").json
    assert (again["added"], again["proposed"], again["known"]) == (0, 0, 4)
    assert len(listed(told)) == 4


def test_an_agents_yes_is_no_persons(told: Repo) -> None:
    """Only a person accepts (law 15)."""
    done = told.mem("seed", "--yes", "--json", MEM_AUTHOR="claude")
    assert (done.json["added"], done.json["proposed"]) == (0, 4)


def test_a_dry_run_stores_nothing(told: Repo) -> None:
    """It lists, and makes no store."""
    assert told.mem("seed", "--dry-run").out.splitlines()[-1] == "4 claims about code, 1 left out as no longer true"
    assert not (told.path / ".git/mem").exists()


def test_a_seed_follows_its_code(told: Repo) -> None:
    """A script's claim is about its line; another content of the code speaks against the others."""
    told.mem("seed", "--yes")
    told.write("package.json", PACKAGE.replace("tsc -p .", "vite build"))
    told.write("src/users.py", USERS.replace("create_user", "make_user"))
    found = {one["text"]: one["confidence"] for one in listed(told, "--all")}
    assert found["`npm run build` runs `tsc -p .` (package.json)"] < 0.3
    assert found["`npm run test` runs `node test.js` (package.json)"] == 1.0
    assert found["`create_user` in src/users.py checks the address."] < 0.3


def test_a_secret_is_refused_and_the_rest_stored(told: Repo) -> None:
    """Law 17: the kind and place, never the value; exit 1."""
    token = "ghp_" + "a1B2" * 9
    told.commit("oops", AGENTS__md=f"- The token of src/users.py is {token}.\n")
    done = told.mem("seed", "--yes", "--json")
    assert (done.code, done.json["added"], len(done.json["refused"])) == (1, 4, 1)
    assert done.json["refused"][0]["place"] == "AGENTS.md:1"
    assert token not in done.err + json.dumps(done.json["refused"])


def test_an_agents_own_memory(told: Repo, sealed: Path) -> None:
    """Each file of Claude Code's memory is a claim of the kind that it says; the index is none."""
    folder = sealed / ".claude/projects" / "".join(c if c.isalnum() else "-" for c in str(told.path)) / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [Tabs](tabs.md): see src/users.py\n")
    (folder / "tabs.md").write_text(
        "---\nname: tabs\nmetadata:\n  type: feedback\n---\nTabs in src/users.py.\n\n**Why:** taste.\n"
    )
    told.mem("seed", "--yes")
    found = [one for one in listed(told) if one["type"] == "preference"]
    assert [one["text"] for one in found] == ["Tabs in src/users.py.\n\n**Why:** taste."]
    assert [anchor["path"] for anchor in found[0]["anchors"]] == ["src/users.py"]


def test_nothing_to_say(repo: Repo) -> None:
    """A repository that claims nothing gives nothing, and no store."""
    assert repo.mem("seed").out == "0 claims about code, 0 left out as no longer true\n"
    assert not (repo.path / ".git/mem").exists()


def test_before_the_first_commit(told: Repo) -> None:
    """What no commit holds yet is stamped as it is."""
    told.git("update-ref", "-d", "HEAD")
    done = told.mem("seed", "--yes", "--json")
    assert (done.code, done.json["added"]) == (0, 4)
    assert {one["stamp"]["commit"] for one in listed(told)} == {None}
    assert told.mem("audit").code == 0
