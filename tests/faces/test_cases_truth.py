"""What people reported about truth, told to the real program.

Covered below the faces, in tests/deeds: a busy file that is cited, uniform decay, reads that refresh, ignored files,
shallow clones, values of branches (test_check); names that are not there, similar texts, a text that is valid again
(test_save); what a sweep leaves alone (test_sweep).
"""

from tests.conftest import Repo
from tests.faces.black_box import AUTH, listed, loaded, rewrite, saved, shown


def test_a_busy_file_makes_nobody_fall(repo: Repo) -> None:
    """Twenty fragments about README.md and package.json, thirty commits on other lines of both: none falls, and each
    sweep says so."""
    package = ['"name": "app"', '"scripts": {"build": "make all"}', *(f'"field{n}": {n}' for n in range(30))]
    readme = [f"Paragraph {n} of the manual.\n" for n in range(30)]
    repo.commit("files", package__json="{\n" + ",\n".join(package) + "\n}\n", README__md="\n".join(readme))
    for number in range(3):
        saved(repo, f"note:readme-{number}", f"README.md explains part {number} of the app in a paragraph")
        saved(repo, f"note:package-{number}", f"the build of package.json is `make all`, seen {number} times")
    anchors = [fragment["anchors"][0]["path"] for fragment in listed(repo)]
    assert sorted(set(anchors)) == ["README.md", "package.json"]
    for number in range(5, 30, 2):
        package[number] = f'"field{number}": "changed"'
        readme.insert(0, f"News {number}.\n")
        repo.commit("busy", package__json="{\n" + ",\n".join(package) + "\n}\n", README__md="\n".join(readme))
    assert {fragment["confidence"] for fragment in listed(repo)} == {1.0}
    assert repo.mem("sweep").out.startswith("nothing fell; ")


def test_reading_refreshes_nothing(repo: Repo) -> None:
    """A stale fragment that is searched, rendered and shown stays as stale and as old as it was."""
    ident = saved(repo, "decision:auth", AUTH)
    rewrite(repo)
    before = shown(repo, ident)
    for args in (("search", "address", "--all"), ("render",), ("query", "memory"), ("why", ident), ("list", "--stale")):
        repo.mem(*args)
    assert shown(repo, ident) == before and before["confidence"] < 0.3


def test_a_supersession_outlives_the_commit_it_was_made_on(repo: Repo) -> None:
    """A, then B over A on a commit that is reset away: history says so, nothing is lost, and A can be restored."""
    old = saved(repo, "decision:auth", AUTH)
    repo.commit("two", a__py="one = 1\n")
    new = saved(repo, "decision:auth", "create_user in src/users.py keeps the address as it is")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert (shown(repo, old)["state"], shown(repo, old)["superseded_by"]) == ("superseded", new)
    assert {fragment["id"] for fragment in listed(repo, "--all")} == {old, new}
    assert repo.mem("supersede", old, "--undo").code == 0
    assert (shown(repo, old)["state"], shown(repo, old)["confidence"]) == ("active", 1.0)
    assert shown(repo, new)["state"] == "active" and shown(repo, new)["supersedes"] == []


def test_what_holds_on_a_branch_only_decays_elsewhere(repo: Repo) -> None:
    """Saved on a branch about its code, read on main, where that code is not: by content, and back again."""
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", feature__py="def feature_one():\n    return 1\n")
    ident = saved(repo, "feature_one in feature.py gives one")
    repo.git("switch", "-q", "main")
    here = shown(repo, ident)
    assert here["verdict"] == "gone" and here["confidence"] < 0.3 and "feature.py" in here["anchors"][0]["evidence"]
    assert listed(repo) == [] and repo.mem("render").out == ""
    repo.git("switch", "-q", "side")
    assert shown(repo, ident)["confidence"] == 1.0


def test_the_superseded_are_not_stale(repo: Repo) -> None:
    """A superseded fragment whose file changes is in no list of stale ones, and no sweep reports it."""
    old = saved(repo, "decision:auth", AUTH)
    new = saved(repo, "decision:auth", "valid_email in src/users.py wants one sign")
    rewrite(repo)
    assert [change["id"] for change in repo.mem("sweep", "--json").json["changes"]] == [new]
    assert [fragment["id"] for fragment in listed(repo, "--stale")] == [new]
    assert "1 stale" not in repo.mem().out and repo.mem("--json").json["stale"] == 1
    assert shown(repo, old)["verdict"] == "superseded"


def test_contradicting_texts_both_stay(repo: Repo) -> None:
    """Nothing supersedes by similarity: two notes with "no longer", two uses of one tool."""
    texts = ["Bun is no longer used for tests", "Bun is no longer used as runtime", "Bun for tests", "Bun as runtime"]
    for text in texts:
        assert repo.mem("save", text).code == 0
    assert {fragment["text"] for fragment in listed(repo)} == set(texts)


def test_a_pull_that_runs_no_hook_is_noticed(repo: Repo) -> None:
    """The next read sees what arrived, though no sweep ran since (git pull --rebase fires no post-merge)."""
    loaded(repo, [{"text": "free of places", "key": "note:free"}])
    saved(repo, "decision:auth", AUTH)
    repo.mem("sweep")
    clone = Repo(repo.path.parent / "upstream")
    repo.git("clone", "-q", str(repo.path), str(clone.path))
    rewrite(clone)
    clone.commit("theirs")
    repo.commit("mine", mine__py="x = 1\n")
    repo.git("pull", "-q", "--rebase", str(clone.path), "main")
    assert [fragment["key"] for fragment in listed(repo)] == ["note:free"]
    assert "decision:auth" in repo.mem("list", "--stale").out
