"""The sweep: what it reports, what it stores, what it leaves alone."""

import json

import pytest

import memcli
from memcli import errors
from tests.conftest import Repo


def fell(repo: Repo, **options: object) -> dict[str, tuple[float, float]]:
    """text → (before, after) of a sweep's changes."""
    swept = memcli.open(repo.path).sweep(**options)
    return {change.view.fragment.text: (change.before, change.after) for change in swept.changes}


def remove_users(repo: Repo) -> None:
    repo.git("rm", "-q", "src/users.py")
    repo.commit("remove the users")


@pytest.fixture
def memory(repo: Repo) -> memcli.Memory:
    """A memory with one fragment about src/users.py, one about README.md and one about nothing."""
    made = memcli.open(repo.path)
    made.save("users are made here", path="src/users.py")
    made.save("the readme greets", path="README.md")
    made.save("we like small commits")
    return made


def test_a_sweep_reports_what_fell_and_why(repo: Repo, memory: memcli.Memory) -> None:
    """From where to where, with the evidence."""
    memory.sweep()
    remove_users(repo)
    (change,) = memory.sweep().changes
    assert (change.view.fragment.text, change.before, change.after) == ("users are made here", 1.0, 0.23)
    assert change.view.assessment.evidence == "src/users.py is gone"


def test_sweeping_twice_equals_sweeping_once(repo: Repo, memory: memcli.Memory) -> None:
    """Law 1: the second one finds nothing, and reads say the same before, between and after."""
    remove_users(repo)
    before = memory.list(all=True)
    assert fell(repo)
    assert memory.list(all=True) == before
    assert fell(repo) == {}
    assert memory.list(all=True) == before


def test_a_revert_is_reported_as_a_rise(repo: Repo, memory: memcli.Memory) -> None:
    """The confidence comes back, and the sweep says so."""
    remove_users(repo)
    memory.sweep()
    repo.git("revert", "--no-edit", "HEAD")
    assert fell(repo) == {"users are made here": (0.23, 1.0)}


def test_a_dry_run_stores_nothing(repo: Repo, memory: memcli.Memory) -> None:
    """It can be asked as often as one likes."""
    memory.sweep()
    remove_users(repo)
    assert fell(repo, dry_run=True) == fell(repo, dry_run=True) == fell(repo) != {}


def test_only_what_could_have_moved_is_looked_at(repo: Repo, memory: memcli.Memory) -> None:
    """Cost grows with what changed, not with what is stored."""
    for number in range(20):
        memory.save(f"fact {number} of the readme", path="README.md")
    memory.sweep()
    remove_users(repo)
    swept = memory.sweep()
    assert [view.fragment.text for view in swept.views] == ["users are made here"]
    assert swept.active == 23


def test_a_sweep_never_undoes_what_others_saved_meanwhile(repo: Repo, memory: memcli.Memory) -> None:
    """It writes no fragment: what was saved or deleted while it ran stays so."""
    saved = []

    def progress(done: int, of: int) -> None:
        saved.append(memory_elsewhere(repo))

    memory.sweep(progress=progress)
    assert saved
    assert saved[0].startswith("saved")
    assert "said meanwhile" in {view.fragment.text for view in memory.list()}


def memory_elsewhere(repo: Repo) -> str:
    """A save by another process."""
    return repo.mem("save", "said meanwhile").out


def test_since_compares_with_the_merge_base(repo: Repo, memory: memcli.Memory) -> None:
    """What this branch makes stale, whatever happened on main since; nothing is stored."""
    repo.git("switch", "-q", "-c", "topic")
    remove_users(repo)
    repo.git("switch", "-q", "main")
    repo.git("rm", "-q", "README.md")
    repo.commit("main goes on")
    repo.git("switch", "-q", "topic")
    assert fell(repo, since="main") == {"users are made here": (1.0, 0.23)}
    assert fell(repo) == {"users are made here": (1.0, 0.23)}


def test_since_an_unrelated_history_is_an_error_with_a_hint(repo: Repo, memory: memcli.Memory) -> None:
    """A shallow clone in CI lacks the merge base: it is told how to fetch more."""
    repo.git("switch", "-q", "--orphan", "island")
    repo.commit("alone")
    with pytest.raises(errors.GitFailed, match="no commit in common") as caught:
        memory.sweep(since="main")
    assert "fetch-depth" in (caught.value.hint or "")
    with pytest.raises(errors.UnknownRevision):
        memory.sweep(since="nowhere")


def test_at_a_commit_asks_about_that_tree_and_stores_nothing(repo: Repo, memory: memcli.Memory) -> None:
    """Section 7: no checkout, no change of what a later sweep reports."""
    remove_users(repo)
    then = memcli.open(repo.path, at="HEAD~1").sweep()
    assert then.changes == ()
    assert len(then.views) == 3
    assert fell(repo) == {"users are made here": (1.0, 0.23)}


def test_superseded_fragments_are_not_swept(repo: Repo) -> None:
    """Law 7: a superseded fragment whose file changes is not listed as stale."""
    memory = memcli.open(repo.path)
    memory.save("users are made here", "where", path="src/users.py")
    memory.save("users are made elsewhere", "where")
    remove_users(repo)
    assert fell(repo) == {}


def test_user_scope_is_swept_for_each_repository(repo: Repo) -> None:
    """What one repository's sweep found of a user's fragment is not another's news."""
    memcli.open(repo.path).save("users are made in src/users.py", scope="user")
    remove_users(repo)
    assert fell(repo) == {"users are made in src/users.py": (1.0, 0.23)}
    assert fell(repo) == {}


def test_comparisons_are_remembered_by_content(repo: Repo, memory: memcli.Memory) -> None:
    """After a sweep the answer needs no comparison: the store holds pair and verdict under the blobs' ids."""
    text = (repo.path / "src/users.py").read_text()
    repo.write("src/users.py", text.replace("email.lower()", "email"))
    memory.sweep()
    (view,) = [view for view in memory.list() if view.fragment.text == "users are made here"]
    with memcli.open(repo.path)._context() as ctx:
        shelf = ctx.shelves["workspace"]
        known = shelf.checker.scene.contents.change(view.fragment.anchors[0], "src/users.py")
        assert known and known.verdict == "changed" and not shelf.checker.scene.contents.fresh


def test_the_report_of_the_command(repo: Repo, memory: memcli.Memory) -> None:
    """`mem sweep` says what fell from where to where and why, and when nothing did; `--check` exits 1."""
    assert repo.mem("sweep").out.startswith("nothing fell")
    remove_users(repo)
    checked = repo.mem("sweep", "--dry-run", "--check")
    assert checked.code == 1
    out = repo.mem("sweep").out
    assert "100% → 23%" in out
    assert "src/users.py is gone" in out
    document = json.loads(repo.mem("sweep", "--json").out)
    assert (document["mem"], document["command"], document["changes"]) == (1, "sweep", [])
    assert len(document["fragments"]) == 3


def test_what_was_imported_is_looked_at_whatever_its_times_say(repo: Repo, memory: memcli.Memory) -> None:
    """An old fragment that came after the last sweep is new to it."""
    first = repo.git("rev-parse", "HEAD")
    repo.git("rm", "-q", "src/users.py")
    repo.commit("less")
    memory.sweep()
    line = {"text": "users", "stamp": {"commit": first}, "anchors": [{"path": "src/users.py"}]}
    memory.import_lines([json.dumps({**line, "created": "2020-01-01", "updated": "2020-01-01"})])
    assert fell(repo) == {"users": (1.0, 0.23)}
