"""Confidence over real histories: the cases in which other tools are wrong (laws 1 to 9)."""

import os
import subprocess
from pathlib import Path

import pytest

import memcli
from memcli.model import AnchorDrift, View
from tests.conftest import Repo

TEXT = "`create_user` lowercases the email address first"


def remember(repo: Repo, text: str = TEXT, path: str | tuple[str, ...] = "src/users.py", **options: str) -> str:
    """Save in the repository; gives the id."""
    return memcli.open(repo.path).save(text, path=path, **options).view.fragment.id


def look(repo: Repo, ident: str, at: str | None = None) -> View:
    """The fragment as it reads there now."""
    return memcli.open(repo.path, at=at).get(ident)


def verdict(repo: Repo, ident: str, at: str | None = None) -> tuple[str, float]:
    found = look(repo, ident, at).assessment
    return found.verdict, found.confidence


def anchor(repo: Repo, ident: str) -> AnchorDrift:
    return look(repo, ident).assessment.anchors[0]


def edit(repo: Repo, old: str, new: str, path: str = "src/users.py") -> None:
    target = repo.path / path
    text = target.read_text()
    assert old in text
    target.write_text(text.replace(old, new))


FRESH = ("fresh", 1.0)


def test_what_was_saved_dirty_and_then_committed_is_fresh(repo: Repo) -> None:
    """Law 3: the stamp is what the author saw on disk, not what HEAD had."""
    edit(repo, "email.lower()", "email.casefold()")
    ident = remember(repo)
    assert look(repo, ident).fragment.stamp.dirty
    repo.commit("those very bytes")
    assert verdict(repo, ident) == FRESH


def test_index_and_work_tree_may_differ(repo: Repo) -> None:
    """Law 3: what counts is the file on disk, whatever is staged."""
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    repo.git("add", "-A")
    edit(repo, "LIMIT = 60", "LIMIT = 70")
    ident = remember(repo, "LIMIT is 70")
    assert verdict(repo, ident) == FRESH


def test_a_renamed_file_is_followed(repo: Repo) -> None:
    """Law 4: git mv is no drift; the anchor shows the new path and where it was."""
    ident = remember(repo)
    (repo.path / "lib").mkdir()
    repo.git("mv", "src/users.py", "lib/people.py")
    repo.commit("rename")
    assert verdict(repo, ident) == ("moved", 1.0)
    assert (anchor(repo, ident).path, anchor(repo, ident).was) == ("lib/people.py", "src/users.py")


def test_a_rename_that_git_was_not_told_of_is_followed(repo: Repo) -> None:
    """Content decides: a plain mv counts at once, before any commit."""
    ident = remember(repo)
    (repo.path / "src/users.py").rename(repo.path / "src/people.py")
    assert verdict(repo, ident) == ("moved", 1.0)


def test_a_rename_together_with_an_edit_elsewhere_is_followed(repo: Repo) -> None:
    """Half of the lines in common make it the same file; the edit is judged as an edit."""
    ident = remember(repo)
    repo.git("mv", "src/users.py", "src/people.py")
    edit(repo, "reverse=True", "reverse=False", "src/people.py")
    repo.commit("rename and edit")
    assert anchor(repo, ident).path == "src/people.py"
    assert verdict(repo, ident)[1] > 0.9


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("\n", "  \n", "fresh"),
        ("\n\n\n", "\n\n\n\n\n", "fresh"),
        ("\n", "\r\n", "fresh"),
        ("    users = sorted(", "    users = sorted( ", "reformatted"),
        ("def create_user", "# who is new\ndef create_user", "comments"),
    ],
)
def test_what_is_no_change_costs_nothing(repo: Repo, old: str, new: str, expected: str) -> None:
    """Law 4: white space, blank lines, line ends, formatting and comments leave the confidence as it was."""
    ident = remember(repo)
    target = repo.path / "src/users.py"
    target.write_bytes(target.read_bytes().replace(old.encode(), new.encode()))
    repo.commit("cosmetics")
    assert verdict(repo, ident) == (expected, 1.0)


def test_a_change_far_away_costs_nothing(repo: Repo) -> None:
    """Law 5: another function of the file, and lines above, are not what the fragment speaks about."""
    ident = remember(repo)
    edit(repo, "reverse=True", "reverse=False")
    edit(repo, "import re\n", "import os\nimport re\n\nDEBUG = os.environ\n")
    repo.commit("elsewhere")
    assert verdict(repo, ident) == FRESH


def test_a_revert_restores_confidence(repo: Repo) -> None:
    """Law 1: confidence is a function of the tree, so the old tree gives the old value."""
    ident = remember(repo)
    repo.git("rm", "-q", "src/users.py")
    repo.commit("remove it")
    assert verdict(repo, ident)[0] == "gone"
    assert verdict(repo, ident)[1] < 0.3
    repo.git("revert", "--no-edit", "HEAD")
    assert verdict(repo, ident) == FRESH


def test_each_branch_has_its_own_value(repo: Repo) -> None:
    """Law 1: switching branches and back changes nothing but where one looks."""
    ident = remember(repo)
    repo.git("switch", "-q", "-c", "other")
    repo.git("rm", "-q", "src/users.py")
    repo.commit("remove it there")
    assert verdict(repo, ident)[0] == "gone"
    repo.git("switch", "-q", "main")
    assert verdict(repo, ident) == FRESH
    assert verdict(repo, ident, at="other")[0] == "gone"


def test_an_amended_and_collected_commit_changes_nothing(repo: Repo) -> None:
    """Law 2: the stamped commit may be gone for good; the content is what counts."""
    edit(repo, "LIMIT = 50", "LIMIT = 60")
    repo.commit("to be amended")
    ident = remember(repo)
    stamped = look(repo, ident).fragment.stamp.commit
    repo.git("commit", "-q", "--amend", "-m", "amended")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert str(stamped) not in repo.git("cat-file", "--batch-all-objects", "--batch-check")
    assert verdict(repo, ident) == FRESH


def test_a_change_inside_the_amend_is_seen(repo: Repo) -> None:
    """Law 2: the label does not hide a change either."""
    ident = remember(repo, "The users live in src/users.py")
    repo.git("rm", "-q", "src/users.py")
    repo.git("commit", "-q", "--amend", "-m", "without it")
    assert verdict(repo, ident)[0] == "gone"


def test_a_shallow_clone_judges_by_content(repo: Repo, tmp_path: Path) -> None:
    """Law 2: a clone without history compares the content that it has."""
    ident = remember(repo)
    exported = list(memcli.open(repo.path).export_lines())
    edit(repo, "reverse=True", "reverse=False")
    repo.commit("later")
    subprocess.run(["git", "clone", "-q", "--depth=1", repo.path.as_uri(), tmp_path / "shallow"], check=True)
    shallow = Repo(tmp_path / "shallow")
    memcli.open(shallow.path).import_lines(exported)
    found = look(shallow, ident).assessment
    assert found.confidence == 1.0  # the stamped content is out of reach, so nothing speaks against it
    assert found.verdict == "unverifiable"


def test_a_named_literal_gone_from_all_code_costs_most(repo: Repo) -> None:
    """DRIFT.md: an identifier that existed in the code and is nowhere now makes the text stale."""
    ident = remember(repo, path=())
    edit(repo, "create_user", "make_user")
    repo.write("docs/old.md", "create_user was its name\n")
    repo.commit("rename the function")
    found = look(repo, ident).assessment
    assert found.verdict == "gone"
    assert found.confidence < 0.25
    assert "create_user" in found.evidence


def test_a_literal_that_moved_to_another_file_is_not_gone(repo: Repo) -> None:
    """It is still in the code, so it is no evidence."""
    ident = remember(repo)
    text = (repo.path / "src/users.py").read_text()
    start, end = text.index("def create_user"), text.index("def valid_email")
    repo.write("src/create.py", text[start:end])
    repo.write("src/users.py", text[:start] + text[end:])
    repo.commit("split")
    assert look(repo, ident).assessment.verdict != "gone"


def test_two_paths_and_one_gone(repo: Repo) -> None:
    """The worst anchor counts."""
    repo.commit("more", a__py="A = 1\n")
    ident = remember(repo, "A and the users belong together", path=("src/users.py", "a.py"))
    repo.git("rm", "-q", "a.py")
    repo.commit("less")
    found = look(repo, ident).assessment
    assert found.confidence == 0.23
    assert [one.verdict for one in found.anchors] == ["fresh", "gone"]
    assert found.evidence == "a.py is gone"


def test_a_path_that_came_back(repo: Repo) -> None:
    """Gone and restored by hand, without git: fresh again."""
    ident = remember(repo)
    data = (repo.path / "src/users.py").read_bytes()
    (repo.path / "src/users.py").unlink()
    assert verdict(repo, ident)[0] == "gone"
    repo.write("src/users.py", data)
    assert verdict(repo, ident) == FRESH


def test_a_file_that_became_a_folder_or_a_link(repo: Repo) -> None:
    """What stands at the path is something else: the content is not there."""
    ident = remember(repo, "The readme greets", path="README.md")
    (repo.path / "README.md").unlink()
    (repo.path / "README.md").mkdir()
    assert verdict(repo, ident)[0] == "gone"


def test_a_directory_is_judged_by_its_existence(repo: Repo) -> None:
    """DRIFT.md: changes inside a directory that still exists mean nothing."""
    ident = remember(repo, "The sources live in src", path="src")
    repo.commit("more", src__txt="x")
    repo.write("src/new.py", "x = 1\n")
    repo.commit("inside")
    assert verdict(repo, ident) == FRESH
    repo.git("mv", "src", "lib")
    repo.commit("moved")
    assert verdict(repo, ident)[0] in ("gone", "moved")


def test_ignored_files_are_compared_by_content(repo: Repo) -> None:
    """Law 6: an ignored file is never silently fresh; and its text is not kept."""
    repo.commit("ignore", **{".gitignore": "build/\n"})
    repo.write("build/out.cfg", "mode=fast\nlevel=three\n")
    ident = remember(repo, "The build writes mode and level into build/out.cfg", path="build/out.cfg")
    assert verdict(repo, ident) == FRESH
    repo.write("build/out.cfg", "speed=high\nother=thing\n")
    assert verdict(repo, ident)[0] in ("changed", "gone")
    assert verdict(repo, ident)[1] < 1.0


def test_an_absent_file_that_git_never_knew_is_unverifiable(repo: Repo) -> None:
    """Law 6: only evidence decays."""
    repo.write("scratch.txt", "notes\n")
    ident = remember(repo, "Scratch notes", path="scratch.txt")
    (repo.path / "scratch.txt").unlink()
    assert verdict(repo, ident) == ("unverifiable", 1.0)


def test_a_text_that_names_nothing_keeps_its_confidence(repo: Repo) -> None:
    """Law 6: a decision without a path survives 30 unrelated commits, and 30 looks."""
    ident = remember(repo, "We prefer small commits", path=())
    for number in range(30):
        repo.commit(f"unrelated {number}", notes__txt=f"{number}\n")
        assert verdict(repo, ident) == ("unverifiable", 1.0)


def test_citing_a_busy_file_does_not_make_it_fall(repo: Repo) -> None:
    """ "The cited file changed" is no evidence: edits elsewhere in README.md leave the fragments alone."""
    repo.commit("readme", **{"README.md": "# app\n\nRun make test before a commit.\n\n## Log\n"})
    idents = [remember(repo, f"make test runs before a commit, rule {n}", path="README.md") for n in range(5)]
    for number in range(10):
        target = repo.path / "README.md"
        target.write_text(target.read_text() + f"- entry {number}\n")
        repo.commit(f"entry {number}")
    assert {verdict(repo, ident) for ident in idents} == {FRESH}


def test_drawn_lines_move_with_their_content(repo: Repo) -> None:
    """Lines inserted above a drawn region are no drift; rewriting it costs like a thing gone."""
    ident = remember(repo, "It checks, then stores", path="src/users.py:8-12")
    edit(repo, "import re\n", "import os\nimport re\n")
    assert verdict(repo, ident)[1] == 1.0
    edit(repo, "reverse=True", "reverse=False")
    assert verdict(repo, ident)[1] == 1.0


def test_a_drawn_symbol_that_is_rewritten_falls_below_the_minimum(repo: Repo) -> None:
    """A region that its author drew and that was wholly rewritten falls like a thing gone."""
    ident = remember(repo, "It lowercases the address", path="src/users.py#create_user")
    assert look(repo, ident).fragment.anchors[0].lines == (8, 12)
    text = (repo.path / "src/users.py").read_text()
    start, end = text.index("def create_user"), text.index("def valid_email")
    repo.write("src/users.py", text[:start] + "def create_person(row):\n    insert(row)\n\n\n" + text[end:])
    assert verdict(repo, ident)[1] < 0.3
    assert ident not in {view.fragment.id for view in memcli.open(repo.path).list()}


def test_binary_content_that_changed_is_no_evidence(repo: Repo) -> None:
    """There are no words to compare: changed, and no decay."""
    repo.write("logo.png", b"\x89PNG\0\1")
    repo.commit("logo")
    ident = remember(repo, "The logo is blue", path="logo.png")
    repo.write("logo.png", b"\x89PNG\0\2")
    assert verdict(repo, ident) == ("changed", 1.0)


def test_a_symlink_is_compared_by_its_target(repo: Repo) -> None:
    """The content of a link is where it points."""
    os.symlink("src/users.py", repo.path / "current")
    repo.commit("link")
    ident = remember(repo, "current points to the users", path="current")
    assert verdict(repo, ident) == FRESH
    (repo.path / "current").unlink()
    os.symlink("README.md", repo.path / "current")
    assert verdict(repo, ident)[0] in ("changed", "gone")


def test_line_ends_as_the_attributes_say(repo: Repo) -> None:
    """With eol=crlf bytes on disk and in git differ; neither is drift, before and after a commit and a checkout."""
    repo.commit("attributes", **{".gitattributes": "*.txt text eol=crlf\n"})
    repo.write("notes.txt", b"one\r\ntwo\r\n")
    ident = remember(repo, "There are two notes", path="notes.txt")
    repo.commit("notes")
    (repo.path / "notes.txt").unlink()
    repo.git("checkout", "-q", "--", "notes.txt")
    assert (repo.path / "notes.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert verdict(repo, ident) == FRESH
    assert verdict(repo, ident, at="HEAD") == FRESH


def test_an_lfs_file_is_known_by_its_pointer(repo: Repo) -> None:
    """Smudged or as a pointer, it is the same content; no filter program is run."""
    repo.commit("attributes", **{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    data = b"model weights\n"
    repo.write("model.bin", data)
    ident = remember(repo, "The model is small", path="model.bin")
    oid = subprocess.run(["sha256sum"], input=data, capture_output=True, check=True).stdout.split()[0].decode()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n"
    repo.write("model.bin", pointer)
    assert verdict(repo, ident) == FRESH


def test_a_linked_worktree_shares_the_store_and_has_its_own_values(repo: Repo, tmp_path: Path) -> None:
    """Laws 1 and 16: one store; each work tree is judged by what lies in it, and sweeps do not mix."""
    ident = remember(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    linked = Repo(tmp_path / "linked")
    linked.git("rm", "-q", "src/users.py")
    assert verdict(linked, ident)[0] == "gone"
    assert len(memcli.open(linked.path).sweep().changes) == 1
    assert memcli.open(repo.path).sweep().changes == ()
    assert verdict(repo, ident) == FRESH
    repo.git("worktree", "remove", "--force", str(linked.path))
    assert verdict(repo, ident) == FRESH


def test_a_bare_repository_answers_at_a_commit(repo: Repo, tmp_path: Path) -> None:
    """There is no work tree, so the commit must be named."""
    subprocess.run(["git", "clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git")], check=True)
    bare = Repo(tmp_path / "bare.git")
    ident = memcli.open(bare.path, at="main").save(TEXT, path="src/users.py").view.fragment.id
    assert verdict(bare, ident, at="main") == FRESH
    with pytest.raises(memcli.errors.Usage, match="bare"):
        memcli.open(bare.path).sweep()


def test_unborn_and_detached_heads(tmp_path: Path) -> None:
    """Before the first commit the stamp has no commit; detached it has no branch; both compare."""
    (tmp_path / "new").mkdir()
    new = Repo(tmp_path / "new")
    new.git("init", "-q")
    new.write("a.py", "A = 1\n")
    ident = remember(new, "A is one", path="a.py")
    assert look(new, ident).fragment.stamp.commit is None
    new.commit("first")
    assert verdict(new, ident) == FRESH
    new.git("checkout", "-q", "--detach")
    other = remember(new, "A is the only one", path="a.py")
    assert look(new, other).fragment.stamp.branch is None
    assert verdict(new, other) == FRESH


def test_a_sha256_repository(tmp_path: Path) -> None:
    """The repository's own object format, where libgit2 can't look."""
    (tmp_path / "new").mkdir()
    new = Repo(tmp_path / "new")
    new.git("init", "-q", "--object-format=sha256")
    new.commit("first", a__py="A = 1\nB = 2\nC = 4\nD = 5\n")
    ident = remember(new, "A is one", path="a.py")
    assert len(look(new, ident).fragment.anchors[0].blob or "") == 64
    new.commit("second", a__py="A = 1\nB = 3\nC = 4\nD = 5\n")
    assert verdict(new, ident, at="HEAD~1") == FRESH
    new.git("mv", "a.py", "b.py")
    new.commit("third")
    assert verdict(new, ident)[1] == 1.0


def test_odd_names(repo: Repo) -> None:
    """Spaces, line feeds, bytes that are not UTF-8, and names that look like places are paths like any other."""
    for name in ("a b.py", "line\nfeed.py", os.fsdecode(b"latin-\xe9.py"), "odd:10.py", "x#y.py", "-dash.py"):
        repo.write(name, "A = 1\n")
        repo.git("add", "-A")
        repo.git("commit", "-qm", "odd")
        ident = remember(repo, f"A is one in file {len(name)} {name.isascii()}", path=f"./{name}")
        assert verdict(repo, ident) == FRESH
        (repo.path / name).unlink()
        assert verdict(repo, ident)[0] == "gone", name
        repo.git("rm", "-q", "--cached", "--", name)
        repo.git("commit", "-qm", "odd gone")


def test_user_scope_is_unverifiable_in_another_repository(repo: Repo, tmp_path: Path) -> None:
    """A path of the same name elsewhere is another path."""
    ident = remember(repo, scope="user")
    assert verdict(repo, ident) == FRESH
    (tmp_path / "other").mkdir()
    other = Repo(tmp_path / "other")
    other.git("init", "-q")
    other.commit("first", a__py="A = 1\n")
    assert verdict(other, ident) == ("unverifiable", 1.0)


def test_reading_never_changes_anything(repo: Repo) -> None:
    """Law 1: a hundred looks at a stale fragment leave it as stale as it was, and its record as it was."""
    ident = remember(repo)
    repo.git("rm", "-q", "src/users.py")
    first = look(repo, ident)
    memory = memcli.open(repo.path)
    for _ in range(50):
        memory.search("email")
        memory.list(all=True)
    assert look(repo, ident) == first


def test_a_secret_bearing_file_is_compared_and_not_kept(repo: Repo) -> None:
    """Law 17: of such a file only keyed hashes are in the store."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repo.commit("oops", config__py=f"TOKEN = '{token}'\nHOST = 'example.org'\nPORT = 8080\n")
    ident = remember(repo, "The HOST and PORT are in config.py", path="config.py")
    store = (repo.path / ".git/mem/data.mdb").read_bytes()
    assert token.encode() not in store
    edit(repo, "PORT = 8080\n", "", "config.py")
    assert 0.8 <= verdict(repo, ident)[1] < 1.0


def test_a_file_saved_about_before_git_knew_it_is_followed(repo: Repo) -> None:
    """Law 4 for a new file too: written, remembered, committed, renamed, edited."""
    repo.write("src/new.py", "def run_all():\n    step = 1\n    return step\n")
    ident = remember(repo, "run_all is it", "src/new.py")
    repo.commit("the new file")
    repo.git("mv", "src/new.py", "src/moved.py")
    repo.commit("moved")
    assert verdict(repo, ident) == ("moved", 1.0)
    repo.write("src/moved.py", "def run_all():\n    step = 1\n    return step\n\n\nmore = 2\n")
    assert verdict(repo, ident) == ("moved", 1.0)


def test_an_empty_file_is_not_found_again_in_another(repo: Repo) -> None:
    """Every repository has empty files: that there is one proves no rename."""
    repo.commit("packages", **{"one/e.py": "", "two/e.py": ""})
    ident = remember(repo, "the plugins' package", "one/e.py")
    repo.git("rm", "-q", "one/e.py")
    assert verdict(repo, ident) == ("gone", 0.23)


def test_a_file_that_outgrows_or_falls_below_the_limit_is_not_gone(repo: Repo) -> None:
    """Law 5: what is too large to be taken apart is no evidence of a rewrite."""
    rows = "".join(f"row {number} of the table\n" for number in range(50_000))
    assert len(rows) > 1 << 20
    repo.commit("table", **{"table.csv": rows})
    ident = remember(repo, "the table", "table.csv")
    repo.write("table.csv", rows[: (1 << 20) - 10])
    assert verdict(repo, ident) == ("changed", 1.0)


def test_what_others_name_changes_no_answer(repo: Repo) -> None:
    """Law 1: a name that an ignored file still holds is not missing there, whatever another fragment misses."""
    repo.write(".gitignore", "local.py\n")
    repo.write("local.py", "old_name = 1\nother = 2\n")
    repo.commit("shared", **{"shared.py": "old_name = 1\n"})
    here, there = remember(repo, "`old_name` in local.py"), remember(repo, "`old_name` in shared.py", "shared.py")
    repo.write("local.py", "old_name = 1\nother = 3\n")
    repo.write("shared.py", "new_name = 1\n")
    alone = look(repo, here).assessment
    together = {view.fragment.id: view.assessment for view in memcli.open(repo.path).list(minimum=0.0)}
    assert together[here] == alone and together[there].verdict == "gone"


def test_the_same_bytes_are_compared_in_each_language(repo: Repo) -> None:
    """Law 1: a comment in one language is text in another; whichever is asked about first, the answers stay."""
    repo.commit("twice", **{"x.py": "# limits\nA = 1\n", "x.js": "# limits\nA = 1\n"})
    idents = [remember(repo, f"about limits, {path}", path) for path in ("x.py", "x.js")]
    repo.commit("twice", **{"x.py": "# bounds\nA = 1\n", "x.js": "# bounds\nA = 1\n"})
    before = [verdict(repo, ident) for ident in idents]
    memcli.open(repo.path).sweep()
    assert [verdict(repo, ident) for ident in idents] == before
    assert [found for found, _ in before] == ["comments", "changed"]


def test_a_content_that_was_missing_is_looked_for_again(repo: Repo) -> None:
    """Law 9: what a sweep could not compare is compared as soon as it can be."""
    ident = remember(repo, "list_users")
    (line,) = memcli.open(repo.path).export_lines()
    text = (repo.path / "src/users.py").read_text()
    other = repo.path.parent / "other"
    repo.git("init", "-q", str(other))
    theirs = Repo(other)
    theirs.commit("rewritten", **{"src/users.py": text.replace("list_users", "all_users")})
    memcli.open(other).import_lines([line])
    memcli.open(other).sweep()
    assert verdict(theirs, ident)[0] == "unverifiable"
    theirs.write("src/users.py", text)
    memcli.open(other).save("as it was", path="src/users.py")
    theirs.git("checkout", "-q", "src/users.py")
    assert verdict(theirs, ident)[0] == "gone"


def test_names_beside_the_documentation_are_code(repo: Repo) -> None:
    """A name that moved into changelog_lib.py is not gone; one that lives on in CHANGELOG alone is."""
    repo.commit("code", **{"tool.py": "def parse_notes():\n    return 1\n\n\nkeep = 2\n"})
    ident = remember(repo, "`parse_notes` reads them", "tool.py")
    repo.commit("moved", **{"tool.py": "keep = 2\n", "changelog_lib.py": "import os\n\nparse_notes = 1\n"})
    assert look(repo, ident).assessment.anchors[0].verdict == "changed"
    repo.git("mv", "changelog_lib.py", "CHANGELOG")
    assert look(repo, ident).assessment.anchors[0].verdict == "gone"


def test_a_file_saved_untracked_and_committed_since_can_be_gone(repo: Repo) -> None:
    """Law 6: only what git never knew is unverifiable when it is absent."""
    repo.write("tool.py", "def run():\n    pass\n")
    ident = remember(repo, "The tool runs", path="tool.py")
    repo.commit("add the tool")
    repo.git("rm", "-q", "tool.py")
    repo.commit("and take it away")
    assert verdict(repo, ident) == ("gone", 0.23)


def test_a_broken_index_leaves_the_answer_open(repo: Repo) -> None:
    """Where git can't look around, nothing is known, and the read still answers."""
    ident = remember(repo)
    (repo.path / "src/users.py").unlink()
    (repo.path / ".git/index").write_bytes(b"garbage")
    assert verdict(repo, ident) == ("unverifiable", 1.0)


def test_user_scope_is_known_by_any_common_root(repo: Repo) -> None:
    """Law 1: a sweep on an orphan branch, or merging an unrelated history, does not make it another repository."""
    ident = remember(repo, scope="user")
    repo.git("switch", "-q", "--orphan", "island")
    repo.commit("alone", a__py="A = 1\n")
    memcli.open(repo.path).save("here")
    memcli.open(repo.path).sweep()
    assert look(repo, ident).assessment.verdict in ("gone", "unverifiable")
    repo.git("switch", "-q", "main")
    assert verdict(repo, ident) == FRESH
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "both", "island")
    assert verdict(repo, ident) == FRESH


def test_a_shallow_clone_knows_user_scope_by_its_content(repo: Repo, tmp_path: Path) -> None:
    """Law 2: no root can be seen there, so the content decides, or nothing does."""
    ident = remember(repo, scope="user")
    repo.commit("more", a__py="A = 1\n")
    subprocess.run(["git", "clone", "-q", "--depth=1", repo.path.as_uri(), tmp_path / "shallow"], check=True)
    shallow = Repo(tmp_path / "shallow")
    assert verdict(shallow, ident) == FRESH
    shallow.write("src/users.py", "LIMIT = 1\n")
    assert verdict(shallow, ident) == ("unverifiable", 1.0)
