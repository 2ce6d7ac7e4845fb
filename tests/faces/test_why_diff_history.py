"""Reading a confidence: why, diff and history as people and programs see them, and confirming after a look."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import listed, loaded, saved, shell, told
from tests.faces.test_cli_commands import on_terminal

GOLDEN = Path(__file__).parent / "golden"
ABOUT = ("decision:auth", "`create_user` lowers the address", "--path", "src/users.py#create_user")


def dated(repo: Repo, day: int, message: str) -> str:
    """Commit all on a day of November, so that ids are the same in every run."""
    when = f"2026-11-{day:02}T10:00:00Z"
    repo.git("add", "-A")
    repo.git("commit", "-qm", message, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    return repo.git("rev-parse", "HEAD")


def edit(repo: Repo, path: str, old: str, new: str) -> None:
    text = (repo.path / path).read_text()
    assert old in text
    repo.write(path, text.replace(old, new))


@pytest.fixture
def story(tmp_path: Path) -> Repo:
    """Stamped, changed, moved, changed again; one edit is not committed."""
    repo = Repo(tmp_path / "story")
    repo.path.mkdir()
    repo.git("init", "-q")
    repo.write("src/users.py", USERS)
    dated(repo, 1, "first")
    saved(repo, *ABOUT)
    saved(repo, "note:list", "`list_users` gives the newest first", "--path", "src/users.py")
    edit(repo, "src/users.py", "bad address", "no address")
    dated(repo, 2, "Say it shorter")
    repo.write("other.py", "x = 1\n")
    dated(repo, 3, "Elsewhere")
    repo.git("mv", "src/users.py", "src/people.py")
    dated(repo, 4, "Rename users")
    edit(repo, "src/people.py", "email.lower()", "email.casefold()")
    dated(repo, 5, "Fold <the> address")
    return repo


def as_written(text: str) -> str:
    """The text without what differs from run to run: when it was saved, and ids."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    return re.sub(r"\b[k-z]{16}\b", "ID", text)


@pytest.mark.parametrize("verb", ["why", "diff", "history"])
def test_what_people_read(story: Repo, verb: str) -> None:
    """why, diff and history of a fragment whose file was changed, moved and changed: as in the golden files."""
    done = story.mem(verb, "decision:auth")
    assert (done.code, done.err) == (0, "")
    assert as_written(done.out) == (GOLDEN / f"{verb}.txt").read_text()


def test_why_in_json(story: Repo) -> None:
    """Each anchor's share: factor, the region's own commits newest first, the commit that moved it."""
    (fragment,) = story.mem("why", "decision:auth", "--json").json["fragments"]
    (reason,) = fragment["why"]
    assert [commit["subject"] for commit in reason["commits"]] == ["Fold <the> address", "Say it shorter"]
    assert reason["commits_of"] == "region" and not reason["uncommitted"]
    (move,) = reason["moved_in"]
    assert (move["from"], move["to"], move["commit"]["subject"]) == ("src/users.py", "src/people.py", "Rename users")
    assert fragment["confidence"] == pytest.approx(fragment["base"] * reason["factor"], abs=1e-3)
    edit(story, "src/people.py", "def create_user(name", "def create_user(first_name")
    (reason,) = story.mem("why", "decision:auth", "--json").json["fragments"][0]["why"]
    assert reason["uncommitted"] and "in the work tree, not committed" in story.mem("why", "decision:auth").out


def test_a_chain_of_renames_is_told_step_by_step(story: Repo) -> None:
    """Moved twice, once more uncommitted: each step with its commit."""
    (story.path / "lib").mkdir()
    story.git("mv", "src/people.py", "lib/persons.py")
    dated(story, 6, "Rename again")
    out = story.mem("why", "decision:auth").out
    assert re.search(
        r"moved from src/users.py in \w+, Rename users\n +moved from src/people.py in \w+, Rename again", out
    )
    story.git("mv", "lib/persons.py", "lib/all.py")
    assert "moved from src/users.py in the work tree, not committed" in story.mem("why", "decision:auth").out


def test_a_revert_leaves_no_commit_to_blame(story: Repo) -> None:
    """What came back is fresh: no commit is named; history shows the fall and the rise."""
    story.write("src/people.py", USERS)
    dated(story, 6, "Take it back")
    assert "Fold" not in story.mem("why", "decision:auth").out
    document = story.mem("history", "decision:auth", "--json").json
    assert [(fall["subject"]) for fall in document["falls"]] == ["Say it shorter", "Fold <the> address"]
    assert [rise["subject"] for rise in document["rises"]] == ["Take it back"]
    assert document["points"][-1]["commit"] is None and document["points"][-1]["confidence"] == 1.0


def test_only_the_worst_counts(story: Repo) -> None:
    """Of two anchors the worse decides, and why says of the other that it does not."""
    saved(story, "note:both", "both of them", "--path", "src/people.py#create_user", "--path", "other.py:1")
    edit(story, "src/people.py", "email.casefold()", "email")
    story.write("other.py", "y = 2\n")
    reasons = story.mem("why", "note:both", "--json").json["fragments"][0]["why"]
    assert sorted((reason["path"], reason["counts"]) for reason in reasons) == [
        ("other.py", True), ("src/people.py", False)
    ]  # fmt: skip
    assert "counts not: a worse one decides" in story.mem("why", "note:both").out


# what can't be compared


def test_unverifiable_says_its_age(story: Repo) -> None:
    """In commits and days, in why and in the list of the unverified."""
    saved(story, "note:none", "nothing that could be looked at")
    story.write("other.py", "x = 2\n")
    dated(story, 6, "more")
    assert "not checked for 1 commit, 0 days" in story.mem("why", "note:none").out
    listed = story.mem("list", "--unverified")
    assert "note:none" in listed.out and "(not checked for 1 commit, 0 days)" in listed.out
    assert (
        story.mem("list", "--unverified", "--json").json["fragments"][0]["note"] == "not checked for 1 commit, 0 days"
    )
    assert "decision:auth" not in listed.out


# diff


def test_a_diff_shows_the_regions_alone(story: Repo) -> None:
    """A change elsewhere in the file is not in it, unless `--full`; what did not change is said on stderr, exit 0."""
    saved(story, "note:valid", "`valid_email` here", "--path", "src/people.py#valid_email")
    done = story.mem("diff", "note:valid")
    assert (done.code, done.out) == (0, "") and "nothing changed" in done.err
    edit(story, "src/people.py", "users[:limit]", "users[: limit + 1]")
    done = story.mem("diff", "note:valid")
    assert "limit" not in done.out and "--full" in done.out
    assert "+    return users[: limit + 1]" in story.mem("diff", "note:valid", "--full").out


def test_a_full_diff_is_a_patch(repo: Repo) -> None:
    """git applies it to the stamped content."""
    saved(repo, *ABOUT)
    edit(repo, "src/users.py", "email.lower()", "email")
    patch = repo.mem("diff", "decision:auth", "--full").out
    wanted = (repo.path / "src/users.py").read_text()
    repo.git("checkout", "-q", "--", ".")
    subprocess.run(["git", "apply"], cwd=repo.path, input=patch.encode(), check=True)
    assert (repo.path / "src/users.py").read_text() == wanted


def test_a_diff_needs_no_old_commit(repo: Repo) -> None:
    """Amended away and collected: the store has the text; history says that it begins with the content."""
    repo.write("src/users.py", USERS + "\n# dirty\n")
    repo.commit("to be amended")
    saved(repo, *ABOUT)
    edit(repo, "src/users.py", "email.lower()", "email")
    repo.git("commit", "-qa", "--amend", "-m", "amended")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    out = repo.mem("diff", "decision:auth").out
    assert '-    return {"name": name, "email": email.lower()}\n+    return {"name": name, "email": email}\n' in out
    assert "not in this clone" in repo.mem("why", "decision:auth").out
    assert "not in this clone" in repo.mem("history", "decision:auth").out


def test_a_diff_of_hashes_names_lines(repo: Repo) -> None:
    """Of an ignored file only hashes are kept: the numbers of the changed lines are all there is to tell."""
    repo.commit("ignore", __gitignore="local.cfg\n")
    repo.write("local.cfg", "".join(f"setting_{n} = {n}\n" for n in range(9)))
    saved(repo, "note:cfg", "`setting_3` is three", "--path", "local.cfg")
    edit(repo, "local.cfg", "setting_3 = 3", "option = 4")
    done = repo.mem("diff", "note:cfg")
    assert "only hashes" in done.out and "changed lines of it: 4\n" in done.out and "setting_3" not in done.out


def test_binary_and_deleted_files(repo: Repo) -> None:
    """A binary file differs; of a deleted one the region is shown as removed."""
    repo.write("a.bin", b"\0\1")
    repo.commit("binary")
    saved(repo, "note:bin", "the binary", "--path", "a.bin")
    saved(repo, *ABOUT)
    repo.write("a.bin", b"\0\2")
    (repo.path / "src/users.py").unlink()
    assert repo.mem("diff", "note:bin").out == "a.bin: binary files differ\n"
    out = repo.mem("diff", "decision:auth").out
    assert "+++ /dev/null" in out and "-def create_user(name, email):" in out and "-def list_users" not in out


def test_a_diff_prints_no_control_characters(repo: Repo) -> None:
    """Escape sequences and bidirectional characters of the code are made visible; angle brackets stay."""
    repo.write("src/users.py", USERS + "\nEVIL = '<b>'\n")
    repo.commit("evil")
    saved(repo, "note:evil", "`EVIL` is set", "--path", "src/users.py")
    edit(repo, "src/users.py", "EVIL = '<b>'", "EVIL = '\x1b[31m\u202e<i>'")
    out = repo.mem("diff", "note:evil").out
    assert "+EVIL = '^[[31m<U+202E><i>'" in out and "\x1b" not in out and "\u202e" not in out


def test_a_diff_on_a_terminal_is_paged_and_coloured(repo: Repo) -> None:
    """By git's pager; one that quits early ends it quietly; to a pipe there is neither pager nor colour."""
    saved(repo, *ABOUT)
    edit(repo, "src/users.py", "email.lower()", "email")
    out = on_terminal(repo, "diff", "decision:auth", GIT_PAGER="sed s/^/paged:/")
    assert "paged:" in out and "\x1b[31m-    return" in out
    assert "Traceback" not in on_terminal(repo, "diff", "decision:auth", GIT_PAGER="true")
    piped = repo.mem("diff", "decision:auth", GIT_PAGER="sed s/^/paged:/")
    assert "paged:" not in piped.out and "\x1b" not in piped.out


# history


def test_a_name_lost_elsewhere_is_found_by_halves(repo: Repo) -> None:
    """The commit at which confidence fell is named, though it touched no anchored path."""
    repo.commit("helper", helper__py="def old_helper():\n    pass\n")
    saved(
        repo, "note:helper", "`old_helper` and `create_user` live here", "--path", "helper.py", "--path", "src/users.py"
    )
    repo.commit("copy", copy__py="def old_helper():\n    pass\n")
    repo.commit("cut", helper__py="def new_helper():\n    return 1 + 2 + 3\n")
    for number in range(5):
        repo.commit(f"filler {number}", filler__py=f"x = {number}\n")
    repo.commit("drop the copy", copy__py="pass\n")
    for number in range(5, 9):
        repo.commit(f"filler {number}", filler__py=f"x = {number}\n")
    falls = repo.mem("history", "note:helper", "--json").json["falls"]
    assert "drop the copy" in [fall["subject"] for fall in falls]


def test_saved_dirty_and_then_committed_never_fell(repo: Repo) -> None:
    """What the author saw was in no commit yet: the commits before it came are no evidence."""
    edit(repo, "src/users.py", "email.lower()", "email.upper()")
    saved(repo, *ABOUT)
    assert repo.mem("history", "decision:auth", "--json").json["falls"] == []
    repo.git("commit", "-qam", "those bytes")
    repo.commit("other", other__py="x = 1\n")
    document = repo.mem("history", "decision:auth", "--json").json
    assert document["falls"] == [] and document["points"][0]["label"] == "stamp"


def test_the_chain_of_supersession(repo: Repo) -> None:
    """What it replaced and what replaced it, whichever end is asked."""
    old = saved(repo, "decision:x", "the old text")
    new = saved(repo, "decision:x", "the new text")
    for ident, relation, other in ((old, "superseded_by", new), (new, "supersedes", old)):
        (link,) = repo.mem("history", ident, "--json").json["chain"]
        assert (link["relation"], link["id"]) == (relation, other)


def test_a_plain_terminal_gets_a_plain_plot(story: Repo) -> None:
    """No block characters under TERM=dumb."""
    out = story.mem("history", "decision:auth", TERM="dumb").out
    assert "█" not in out and "100% ###" in out


def test_history_stores_nothing(story: Repo) -> None:
    """The store's file is the same before and after; asked twice it says the same."""
    (store,) = (file for file in (story.path / ".git/mem").glob("*.mdb") if "lock" not in file.name)
    before = store.read_bytes()
    assert story.mem("history", "decision:auth").out == story.mem("history", "decision:auth").out
    assert store.read_bytes() == before


# confirm


def test_many_are_confirmed_from_a_list(story: Repo) -> None:
    """`mem list --stale --keys | mem confirm -` stamps all of them, and says from which confidence."""
    edit(story, "src/people.py", "def list_users(store", "def list_users(shop")
    done = shell(story, "$mem list --stale --keys | $mem confirm -")
    assert done.code == 0 and len(done.out.splitlines()) == 2, done
    assert re.search(r"confirmed [k-z]{16} decision:auth \(\d+% → 100%\)", done.out)
    assert story.mem("list", "--stale").out == ""
    assert story.mem("confirm", "-", input="\n").code == 2


def test_of_many_names_one_wrong_confirms_none(repo: Repo) -> None:
    """All or nothing: the stamps stay, the wrong name is told. How many there are is no matter, nor their line ends."""
    keys = [f"note:{'long-' * 37}{number}" for number in range(1400)]
    loaded(repo, [{"text": f"the claim {key}", "key": key, "anchors": [{"path": "src/users.py"}]} for key in keys])
    before = repo.mem("export").out
    repo.write("src/users.py", USERS + "MORE = 1\n")
    told(repo.mem("confirm", "-", input="\n".join([*keys, "note:nosuch"])), 1, "note:nosuch")
    assert repo.mem("export").out == before
    done = repo.mem("confirm", "-", input="\r\n".join(keys))
    assert (done.code, done.out.count("confirmed ")) == (0, len(keys))
    assert all(fragment["verdict"] == "fresh" for fragment in listed(repo))
