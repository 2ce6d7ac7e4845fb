"""Renames of files, folders and symbols, edited, chained, undone: the anchor is where its content is (law 4)."""

import os

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import listed
from tests.faces.histories import (
    KEY,
    ask,
    collect,
    edit,
    is_fresh,
    is_gone,
    is_moved,
    judged,
    move,
    probe,
    where,
)  # fmt: skip

OTHER = "\n".join(f"def other_{n}(row):\n    return row[{n}]\n" for n in range(12))
HERE = {"was": "src/users.py", "now": "lib/people.py"}


def test_a_plain_move_is_seen_at_once(repo: Repo) -> None:
    """Before git is told, staged, committed and collected: moved, with the new path on every face."""
    probe(repo)
    (repo.path / "lib").mkdir()
    (repo.path / "src/users.py").rename(repo.path / "lib/people.py")
    assert is_moved(judged(repo), **HERE)
    repo.git("add", "-A")
    assert is_moved(judged(repo), **HERE)
    repo.commit("moved")
    collect(repo)
    found = judged(repo)
    assert is_moved(found, **HERE) and is_moved(judged(repo, at="HEAD"), **HERE) and is_fresh(judged(repo, at="HEAD~1"))
    assert "src/users.py → lib/people.py" in found["anchors"][0]["evidence"]
    texts = [done.out for done in ask(repo, ["list"], ["search", "address"], ["render"], ["show", KEY], ["why", KEY])]
    assert all("lib/people.py" in text for text in texts), texts
    for path in ("lib/people.py", "lib", "src/users.py"):
        assert len(listed(repo, "--path", path)) == 1, path
    assert ask(repo, ["sweep", "--json"])[0].json["changes"] == []


def test_confirmed_where_it_is_now(repo: Repo) -> None:
    """A confirmed fragment is stamped at the new path: fresh, and followed from there."""
    probe(repo)
    move(repo, "src/users.py", "lib/people.py", "move")
    assert ask(repo, ["confirm", KEY])[0].code == 0
    found = judged(repo)
    assert is_fresh(found) and where(found) == [(None, "lib/people.py")]
    move(repo, "lib/people.py", "app/people.py", "again")
    assert is_moved(judged(repo), was="lib/people.py", now="app/people.py")


def test_a_move_with_an_edit(repo: Repo) -> None:
    """A third of the lines changed on the way, none that it speaks about: followed at no cost; then one of those."""
    probe(repo, "create_user in src/users.py raises ValueError")
    text = USERS[: USERS.index("def list_users")]
    text += "def newest(store):\n    rows = list(store)\n    rows.sort()\n    return rows\n"
    repo.git("rm", "-q", "src/users.py")
    repo.commit("move and edit", **{"lib/people__py": text})
    found = judged(repo)
    assert where(found) == [("src/users.py", "lib/people.py")] and found["confidence"] >= 0.9
    edit(repo, 'raise ValueError("bad address")', "return None", "lib/people.py")
    repo.commit("and what it says")
    found = judged(repo)
    assert is_gone(found) and where(found) == [("src/users.py", "lib/people.py")]


def test_a_chain_of_moves(repo: Repo) -> None:
    """Through three names in three commits, each of them collected but the last: the newest name."""
    probe(repo)
    for old, new in (("src/users.py", "a/one.py"), ("a/one.py", "b/two.py"), ("b/two.py", "lib/people.py")):
        move(repo, old, new, f"to {new}")
    assert is_moved(judged(repo), **HERE)
    assert is_moved(judged(repo, at="HEAD~1"), was="src/users.py", now="b/two.py")
    move(repo, "lib/people.py", "src/users.py", "home again")
    assert is_fresh(judged(repo))


def test_a_path_that_came_back(repo: Repo) -> None:
    """Deleted and written anew: with its content it is fresh, with another it is gone, however fresh the file is."""
    probe(repo)
    repo.git("rm", "-q", "src/users.py")
    repo.commit("gone")
    assert is_gone(judged(repo))
    repo.commit("other content", **{"src/users__py": OTHER})
    assert is_gone(judged(repo)) and is_gone(judged(repo, at="HEAD"))
    repo.commit("back", **{"src/users__py": USERS})
    assert is_fresh(judged(repo))


def test_a_copy_is_no_move_until_the_first_is_gone(repo: Repo) -> None:
    """Copied the fragment stays where it was; when that is deleted it is at the copy."""
    probe(repo)
    repo.commit("copy", **{"lib/people__py": USERS})
    assert is_fresh(judged(repo))
    repo.git("rm", "-q", "src/users.py")
    repo.commit("the first one goes")
    assert is_moved(judged(repo), **HERE)


def test_a_module_that_became_a_package(repo: Repo) -> None:
    """src/users.py → src/users/__init__.py: what was a file is a folder, and the content is in it."""
    probe(repo)
    repo.git("mv", "src/users.py", "src/moving.py")
    move(repo, "src/moving.py", "src/users/__init__.py", "a package")
    assert is_moved(judged(repo), was="src/users.py", now="src/users/__init__.py")
    probe(repo, "the package of users lives in src/users", "src/users", key="note:package")
    assert is_fresh(judged(repo, "note:package"))


@pytest.mark.parametrize("folds", ["false", "true"])
def test_a_rename_in_case_only(repo: Repo, folds: str) -> None:
    """Users.py → users.py, whatever core.ignorecase says of the file system."""
    repo.git("config", "core.ignorecase", folds)
    repo.git("mv", "src/users.py", "src/Users.py")
    repo.commit("upper")
    probe(repo, "create_user in src/Users.py lowers the address")
    move(repo, "src/Users.py", "src/users.py", "lower")
    assert is_moved(judged(repo), was="src/Users.py", now="src/users.py")
    assert is_moved(judged(repo, at="HEAD"), was="src/Users.py", now="src/users.py")


NAMES = ["a b.py", 'quo"te.py', "line\nfeed.py", os.fsdecode(b"latin-\xe9.py"), "\u00e9.py", "e\u0301.py", "-dash.py"]


def test_odd_names(repo: Repo) -> None:
    """Spaces, quotes, line feeds, bytes that are no UTF-8, composed and decomposed letters: each is followed to its new
    name, none is taken for another, and text output holds no control character."""
    for number, name in enumerate(NAMES):
        repo.write(name, f"def odd_{number}(row):\n    return row[{number}]\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "odd")
    for number, name in enumerate(NAMES):
        probe(repo, f"odd_{number} gives a part of the row", f"./{name}", key=f"note:{number}")
    assert {(f["verdict"], f["confidence"]) for f in listed(repo)} == {("fresh", 1.0)}
    for name in NAMES:
        (repo.path / name).rename(repo.path / f"moved {name}")
    repo.commit("moved")
    assert len(listed(repo)) == len(NAMES)
    for fragment in listed(repo):
        name = NAMES[int(fragment["key"].removeprefix("note:"))]
        assert is_moved(fragment, was=name, now=f"moved {name}"), fragment
    for done in ask(repo, ["list"], ["render"], ["search", "odd"], ["sweep"], ["why", "note:2"], ["show", "note:3"]):
        assert (done.code, done.err) == (0, "") and "".join(done.out.splitlines()).isprintable(), done


def test_composed_and_decomposed_are_two_names(repo: Repo) -> None:
    """Where the file system keeps them apart, é and e + accent are two files, and from one to the other is a rename."""
    repo.commit("composed", é__py="def accent_one(row):\n    return row[1]\n")
    probe(repo, "accent_one gives a part", "\u00e9.py")
    move(repo, "\u00e9.py", "e\u0301.py", "decomposed")
    assert is_moved(judged(repo), was="\u00e9.py", now="e\u0301.py")


# whole folders


def test_a_folder_of_twenty_files(repo: Repo) -> None:
    """Each file of it is followed by its content, though some are edited on the way."""
    for n in range(20):
        repo.write(
            f"src/handlers/h{n}.py", "".join(f"def handler_{n}_{m}(row):\n    return row[{m}]\n" for m in range(8))
        )
    repo.commit("handlers")
    for n in range(0, 20, 5):
        probe(repo, f"handler_{n}_3 in src/handlers/h{n}.py gives the third", key=f"note:{n}")
    edit(repo, "def handler_5_7(row):\n    return row[7]\n", "", "src/handlers/h5.py")
    repo.git("mv", "src/handlers", "web")
    repo.commit("the folder moves")
    for n in range(0, 20, 5):
        found = judged(repo, f"note:{n}")
        assert found["confidence"] >= 0.95 and where(found) == [(f"src/handlers/h{n}.py", f"web/h{n}.py")]


def test_equal_files_of_a_folder_keep_their_places(repo: Repo) -> None:
    """Of several files with one content the nearest by name is meant."""
    for name in ("one", "two", "three"):
        repo.write(f"src/{name}/config.ini", "[app]\nmode = fast\n")
    repo.commit("configs")
    probe(repo, "the mode of two", "src/two/config.ini")
    repo.git("mv", "src", "lib")
    repo.commit("moved")
    assert where(judged(repo)) == [("src/two/config.ini", "lib/two/config.ini")]


@pytest.fixture
def handlers(repo: Repo) -> Repo:
    """A folder of twenty files that moves as a whole."""
    for n in range(20):
        repo.write(
            f"src/handlers/h{n}.py", "".join(f"def handler_{n}_{m}(row):\n    return row[{m}]\n" for m in range(8))
        )
    repo.commit("handlers")
    return repo


def test_a_folder_that_was_deleted(handlers: Repo) -> None:
    """A folder whose files are nowhere is gone, not moved to where other files are."""
    probe(handlers, "one handler a file", "src/handlers")
    handlers.git("rm", "-q", "-r", "src/handlers")
    handlers.commit("no handlers")
    assert is_gone(judged(handlers))


@pytest.mark.parametrize("committed", [True, False])
def test_the_folder_itself(handlers: Repo, committed: bool) -> None:
    """A folder that an author drew, or that the text names, is found where its files went."""
    probe(handlers, "one handler a file", "src/handlers")
    probe(handlers, "the handlers live in src/handlers/, a file each", key="note:named")
    handlers.git("mv", "src/handlers", "web")
    if committed:
        handlers.commit("the folder moves")
    assert is_moved(judged(handlers), was="src/handlers", now="web")
    assert is_moved(judged(handlers, "note:named"), was="src/handlers", now="web")


def test_a_folder_moved_in_two_commits(handlers: Repo) -> None:
    """A chain of folder renames, the parent's too."""
    probe(handlers, "one handler a file", "src/handlers")
    handlers.git("mv", "src/handlers", "src/web")
    handlers.commit("first")
    handlers.git("mv", "src", "lib")
    handlers.commit("then")
    assert is_moved(judged(handlers), was="src/handlers", now="lib/web")
    assert is_moved(judged(handlers, at="HEAD~1"), was="src/handlers", now="src/web")


def test_two_files_swap_their_names(repo: Repo) -> None:
    """a ↔ b: each fragment follows its content, though something stands at its path."""
    repo.commit("other", **{"src/other__py": OTHER})
    probe(repo)
    probe(repo, "other_3 in src/other.py gives the third", key="note:other")
    repo.git("mv", "src/users.py", "src/tmp.py")
    repo.git("mv", "src/other.py", "src/users.py")
    move(repo, "src/tmp.py", "src/other.py", "swap")
    assert is_moved(judged(repo), was="src/users.py", now="src/other.py")
    assert is_moved(judged(repo, "note:other"), was="src/other.py", now="src/users.py")


def test_another_file_at_the_old_path(repo: Repo) -> None:
    """Moved away, and a new file (a shim, say) stands at the old path: the content decides."""
    probe(repo)
    move(repo, "src/users.py", "lib/people.py", "move")
    repo.commit("shim", **{"src/users__py": "from lib.people import *  # noqa\n"})
    assert is_moved(judged(repo), **HERE)


def test_a_link_at_the_old_path(repo: Repo) -> None:
    """Moved away, and a link to it at the old path: the content is where the link leads."""
    probe(repo)
    move(repo, "src/users.py", "lib/people.py")
    (repo.path / "src").mkdir(exist_ok=True)
    (repo.path / "src/users.py").symlink_to("../lib/people.py")
    repo.commit("link")
    assert is_moved(judged(repo), **HERE)


def test_a_rename_to_another_ending(repo: Repo) -> None:
    """users.js → users.ts with an edit is the same file."""
    rows = [f"function part{n}(row) {{ return row[{n}]; }}" for n in range(10)]
    repo.commit("parts", **{"src/parts__js": "\n".join(rows) + "\n"})
    probe(repo, "part3 in src/parts.js gives the third")
    move(repo, "src/parts.js", "src/parts.ts")
    rows[7] = "function part7(row: Row): Cell { return row[7]; }"
    repo.commit("typed", **{"src/parts__ts": "\n".join(rows) + "\n"})
    found = judged(repo)
    assert where(found) == [("src/parts.js", "src/parts.ts")] and found["confidence"] >= 0.9


def test_a_rename_among_many(repo: Repo) -> None:
    """In a tree of 400 files like it, far away, under another name and edited: it is found."""
    for n in range(400):
        repo.write(f"src/m/m{n}.py", f"def m_{n}(row):\n    return row[{n}]\n")
    repo.commit("many")
    probe(repo)
    move(repo, "src/users.py", "zoo/zebra.py")
    edit(repo, "LIMIT = 50", "LIMIT = 60", "zoo/zebra.py")
    repo.commit("far away")
    found = judged(repo)
    assert where(found) == [("src/users.py", "zoo/zebra.py")] and found["confidence"] >= 0.9


@pytest.mark.parametrize("symbol", [True, False])
def test_a_file_split_in_two(repo: Repo, symbol: bool) -> None:
    """The function that the text is about went to a file of its own: the fragment is there."""
    probe(repo, "create_user lowers the address", "src/users.py#create_user" if symbol else "src/users.py")
    start, end = USERS.index("def create_user"), USERS.index("def valid_email")
    body = USERS[start:end].rstrip() + "\n"
    repo.commit("split", **{"src/create__py": body, "src/users__py": USERS[:start] + USERS[end:]})
    found = judged(repo)
    assert found["confidence"] >= 0.75 and found["verdict"] in ("moved", "fresh", "changed")
    assert not symbol or is_moved(found, was="src/users.py", now="src/create.py")


@pytest.mark.parametrize("edited", [False, True])
def test_why_says_when_and_by_which_commit(repo: Repo, edited: bool) -> None:
    """The rename's own commit, short id and subject, though others came after it."""
    probe(repo)
    move(repo, "src/users.py", "lib/people.py")
    if edited:
        edit(repo, "LIMIT = 50", "LIMIT = 60", "lib/people.py")
    commit = repo.commit("Give people a home")
    repo.commit("more", a__py="A = 1\n")
    (done,) = ask(repo, ["why", KEY])
    assert commit[:7] in done.out and "Give people a home" in done.out, done.out
    (done,) = ask(repo, ["why", KEY, "--json"])
    assert commit[:7] in done.out, done.out


def test_why_says_the_last_of_a_chain(repo: Repo) -> None:
    """Through two names: the commit that gave it the name it has."""
    probe(repo)
    move(repo, "src/users.py", "a/one.py", "Halfway")
    commit = move(repo, "a/one.py", "lib/people.py", "At last")
    (done,) = ask(repo, ["why", KEY])
    assert commit[:7] in done.out and "At last" in done.out, done.out
