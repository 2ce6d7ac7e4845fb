"""What the history says about paths: commits, moves, distances, the way between two commits."""

from memcli import git
from memcli.git.objects import History
from tests.conftest import Repo


def history(repo: Repo) -> History:
    found = git.find(str(repo.path), {})
    assert found is not None
    return found.history()


def test_a_rename_shows_with_both_names(repo: Repo) -> None:
    """The commits that touched a path or its new name, newest first, with what they did; those before `since` not."""
    first = repo.git("rev-parse", "HEAD")
    repo.git("mv", "src/users.py", "src/people.py")
    moved = repo.commit("Rename users")
    repo.write("src/people.py", (repo.path / "src/people.py").read_text() + "\nMORE = 1\n")
    changed = repo.commit("Add more")
    repo.commit("Elsewhere", other__py="x = 1\n")
    found = history(repo).log("HEAD", {"src/users.py", "src/people.py"}, first)
    assert [(commit.id, commit.subject) for commit in found] == [(changed, "Add more"), (moved, "Rename users")]
    (touch,) = found[1].touches
    assert (touch.status, touch.was, touch.path) == ("R", "src/users.py", "src/people.py")
    assert touch.old == touch.new and found[0].touches[0].status == "M"
    assert history(repo).renames(moved) == {"src/people.py": "src/users.py"}
    assert history(repo).distance(first, changed) == 2 and history(repo).distance("0" * 40, changed) is None


def test_the_way_between_two_commits_is_a_line(repo: Repo) -> None:
    """Through a merge it goes by the side that comes from the first commit; a merge counts for what it brought."""
    first = repo.git("rev-parse", "HEAD")
    repo.git("switch", "-qc", "side")
    side = repo.commit("Side", side__py="x = 1\n")
    repo.git("switch", "-q", "main")
    main = repo.commit("Main", main__py="y = 1\n")
    repo.git("merge", "-q", "--no-ff", "-m", "Join", "side")
    join = repo.git("rev-parse", "HEAD")
    asked = history(repo)
    assert asked.line(first, join) == [first, main, join] and asked.line(side, join) == [side, join]
    assert asked.line(join, first) == [] and asked.line(first, first) == [first]
    assert [commit.id for commit in asked.along([first, main, join], {"side.py"})] == [join]


def test_odd_subjects_and_names(repo: Repo) -> None:
    """Subjects and paths with anything in them come back whole, whatever the user's configuration says."""
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "log.follow", "true")
    repo.write("odd\n:name\tö.py", "x = 1\n")
    made = repo.commit("commit 123:\x01 <b> ö")
    (found,) = history(repo).log("HEAD", {"odd\n:name\tö.py"})
    assert found.id == made and "<b> ö" in found.subject and found.touches[0].path == "odd\n:name\tö.py"
    assert history(repo).named([made, "0" * 40]).keys() == {made}
    assert history(repo).log("0" * 40, {"x"}) == [] == history(repo).log("HEAD", set())
