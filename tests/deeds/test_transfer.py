"""Export and import: byte-stable, states included, never losing the newer (section 8)."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memcli
from memcli import transfer
from tests.conftest import Repo


def lines(repo: Repo) -> list[str]:
    return list(memcli.open(repo.path).export_lines())


@pytest.fixture
def filled(repo: Repo) -> Repo:
    """Fragments of several states, scopes and kinds."""
    memory = memcli.open(repo.path)
    memory.save("Tests run with nose", "decision:tests")
    memory.save("Tests run with pytest", "decision:tests")
    memory.save("users are made in src/users.py", scope="user")
    memory.save("a proposal", propose=True)
    rejected = memory.save("another proposal", propose=True).view.fragment.id
    memory.reject(rejected)
    memory.save("half done", "progress:x", scope="session", session="one")
    memory.save("create_user checks", path="src/users.py#create_user")
    return repo


def clone(repo: Repo, name: str) -> Repo:
    """Another clone of the repository, with an empty store."""
    path = repo.path.parent / name
    repo.git("clone", "-q", str(repo.path), str(path))
    return Repo(path)


def test_export_import_export_changes_no_byte(filled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What export wrote comes back as it was, states included."""
    first = lines(filled)
    other = clone(filled, "other")
    monkeypatch.setenv("XDG_DATA_HOME", str(other.path.parent / "elsewhere"))
    done = memcli.open(other.path).import_lines(first)
    assert (done.added, done.refused) == (len(first), ())
    assert lines(other) == first
    again = memcli.open(other.path).import_lines(first)
    assert (again.unchanged, again.added, again.updated) == (len(first), 0, 0)
    assert lines(other) == first


def test_an_older_export_overwrites_nothing(filled: Repo) -> None:
    """The newer version of a fragment stays."""
    memory = memcli.open(filled.path)
    old = lines(filled)
    ident = memory.search("checks")[0].view.fragment.id
    memory.confirm(ident)
    newer = lines(filled)
    assert newer != old
    memory.import_lines(old)
    assert lines(filled) == newer


def test_a_line_needs_only_a_text(repo: Repo) -> None:
    """Everything else is filled in: a hand-written list of facts can be imported."""
    done = memcli.open(repo.path).import_lines(['{"text": "The API pages by 50", "key": "fact:paging"}', "", "{}"])
    assert (done.added, [number for number, _ in done.refused]) == (1, [3])
    view = memcli.open(repo.path).get("fact:paging")
    assert (view.fragment.type, view.fragment.state, view.fragment.source) == ("fact", "active", "import")


def test_a_stamped_commit_alone_gives_the_content(repo: Repo) -> None:
    """Section 7: what the file was at that commit is what the fragment is compared with."""
    first = repo.git("rev-parse", "HEAD")
    text = (repo.path / "src/users.py").read_text()
    repo.write("src/users.py", text.replace(text[text.index("def list_users") :], ""))
    repo.commit("without list_users")
    line = {"key": "k", "text": "`list_users` sorts", "stamp": {"commit": first}, "anchors": [{"path": "src/users.py"}]}
    memcli.open(repo.path).import_lines([json.dumps(line)])
    assert memcli.open(repo.path).get("k").assessment.verdict == "gone"
    assert memcli.open(repo.path, at=first).get("k").assessment.verdict == "fresh"


def test_secrets_are_refused_and_the_rest_stored(repo: Repo) -> None:
    """Law 17: import stores the rest and exits 1; export carries no file text."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file = repo.write("in.jsonl", "\n".join([json.dumps({"text": f"use {token}"}), json.dumps({"text": "fine"})]))
    done = repo.mem("import", str(file))
    assert done.code == 1
    assert token not in done.out + done.err
    assert [json.loads(line)["text"] for line in lines(repo)] == ["fine"]
    memcli.open(repo.path).save("users", path="src/users.py")
    assert "valid_email" not in "".join(lines(repo))


def test_foreign_lines_can_come_as_proposals(filled: Repo) -> None:
    """--propose: a person looks at them first."""
    other = clone(filled, "other")
    memcli.open(other.path).import_lines(lines(filled), propose=True)
    assert [view.fragment.text for view in memcli.open(other.path).list() if view.fragment.scope == "workspace"] == []


def test_a_newer_line_of_a_known_fragment_waits_too(repo: Repo) -> None:
    """--propose: it is proposed beside what it would replace, once."""
    memory = memcli.open(repo.path)
    memory.save("ours", "key")
    theirs = json.dumps({**json.loads(lines(repo)[0]), "text": "theirs", "updated": "2099-01-01T00:00:00Z"})
    assert memory.import_lines([theirs], propose=True).proposed == 1
    assert memory.import_lines([theirs], propose=True).unchanged == 1
    assert [view.fragment.text for view in memory.list()] == ["ours"]
    memory.approve(*(fragment.id for fragment in memory.pending()))
    assert [view.fragment.text for view in memory.list()] == ["theirs"]


def test_a_superseded_commit_that_was_dropped_loses_nothing(repo: Repo) -> None:
    """Save A, commit, save B over A, reset --hard: history says so, and A can be restored."""
    memory = memcli.open(repo.path)
    old = memory.save("A is so", "claim").view.fragment.id
    repo.commit("work", a__py="A = 1\n")
    memory.save("B is so", "claim")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert memory.get(old).fragment.state == "superseded"
    assert repo.mem("supersede", old, "--undo").code == 0
    assert memory.get(old).assessment.confidence == 1.0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    [
        "text",
        "key",
        "type",
        "scope",
        "state",
        "base",
        "stamp",
        "anchors",
        "parents",
        "supersedes",
        "id",
        "created",
        "approved",
    ]
)
records = st.dictionaries(fields, json_values, max_size=6).map(lambda record: {"text": "a text", **record})


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text() | records.map(json.dumps) | json_values.map(json.dumps))
def test_any_line_is_stored_or_refused(repo: Repo, line: str) -> None:
    """Arbitrary lines raise nothing but are counted; what is stored can be read again."""
    with memcli.open(repo.path)._context() as ctx:
        try:
            fragment = transfer.parse_line(line, ctx)
        except memcli.errors.MemError as error:
            assert "\n" not in error.message
        else:
            assert memcli.model.decode(memcli.model.encode(fragment)) == fragment


@pytest.mark.parametrize(
    "odd",
    [
        {"kind": "weird"}, {"blob": "zz", "kind": "file"}, {"disk": "a" * 39, "kind": "file"}, {"lines": [5, 2]},
        {"lines": [0, 2]}, {"lines": [1]}, {"lines": [1, "2"]}, {"identifiers": [1]}, {"path": "\ud800"},
    ],
)  # fmt: skip
def test_an_anchor_that_says_what_none_can_is_refused(repo: Repo, odd: dict[str, object]) -> None:
    """A kind, an id, lines or a path that no export writes: taken as they are they would answer nonsense later."""
    line = json.dumps({"text": "about users", "anchors": [{"path": "src/users.py", **odd}]})
    done = memcli.open(repo.path).import_lines([line])
    assert (done.added, len(done.refused)) == (0, 1) and "the anchor at" in done.refused[0][1]


def test_a_line_without_anchors_gets_those_that_its_text_names(repo: Repo) -> None:
    """Law 15: every write path stamps alike."""
    memcli.open(repo.path).import_lines(['{"text": "`create_user` checks the address", "key": "k"}'])
    view = memcli.open(repo.path).get("k")
    assert [anchor.path for anchor in view.fragment.anchors] == ["src/users.py"]
    assert view.fragment.stamp.commit == repo.git("rev-parse", "HEAD")


def test_what_an_agent_imports_into_user_scope_waits(repo: Repo) -> None:
    """Law 15: import is no way round the approval."""
    line = json.dumps({"text": "Prefer tabs", "scope": "user", "author": "Ada", "approved": "2026-01-01"})
    memcli.open(repo.path, author="claude").import_lines([line])
    (waiting,) = memcli.open(repo.path).pending()
    assert (waiting.text, waiting.approved) == ("Prefer tabs", None)


def test_an_agents_import_changes_nothing_that_a_person_wrote(repo: Repo) -> None:
    """Law 15: neither rewritten, nor rejected, nor superseded; and it signs with its own name."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    ident = person.save("Tests run with nose", "tests").view.id
    (line,) = lines(repo)
    record = json.loads(line) | {"updated": "2031-01-01T00:00:00Z"}
    changed = [record | {"text": "Tests run with unittest"}, record | {"state": "rejected"}]
    done = agent.import_lines([json.dumps(one) for one in changed])
    assert [number for number, _ in done.refused] == [1, 2]
    forged = {"text": "Tests run with pytest", "key": "tests", "author": "Ada", "base": 1.0, "approved": "2026-01-01"}
    agent.import_lines([json.dumps(forged)])
    assert person.get(ident).fragment.state == "active"
    (waiting,) = person.pending()
    assert (waiting.author, waiting.base, waiting.approved) == ("claude", 0.8, None)


def test_a_revision_that_is_none_is_one_error(repo: Repo) -> None:
    """It is not one of each line, and not passed over where there are no lines."""
    assert repo.mem("import", "-", "--at", "nowhere", input="").code == 2
