"""Before it lands: what a branch makes stale, told in real clones, to a continuous integration, and by git's hooks."""

import json
import re
from pathlib import Path

import pytest

from tests.conftest import USERS, Repo
from tests.faces.black_box import AUTH, rewrite, saved, shell, told

EXPORT = ".mem/memory.jsonl"
ANNOTATION = r"::warning file=([^,:]*),line=(\d+),endLine=(\d+),title=([^:]*)::(.*)"


@pytest.fixture
def topic(repo: Repo) -> Repo:
    """Two fragments and their committed export on main, and a branch from there that is checked out."""
    saved(repo, "decision:auth", AUTH, "--path", "src/users.py#create_user")
    saved(repo, "fact:readme", "the readme greets: 100%", "--path", "README.md")
    repo.write(EXPORT, repo.mem("export").out)
    repo.commit("the memory")
    repo.git("switch", "-q", "-c", "topic")
    return repo


def clone(repo: Repo, name: str, *options: str) -> Repo:
    """A clone of the topic branch, as a continuous integration makes it."""
    path = repo.path.parent / name
    repo.git("clone", "-q", *options, "-b", "topic", f"file://{repo.path}", str(path))
    return Repo(path)


def annotations(out: str) -> list[tuple[str, ...]]:
    found = [re.fullmatch(ANNOTATION, line) for line in out.splitlines()]
    assert all(found), out
    return [one.groups() for one in found if one]


CHECK = ("sweep", "--since", "origin/main", "--check")


def test_a_clone_checks_by_the_committed_export(topic: Repo) -> None:
    """Without a store: what fell between the merge base and here, exit 1, and no store is made by it."""
    topic.git("rm", "-q", "README.md")
    rewrite(topic)
    topic.commit("topic")
    cloned = clone(topic, "clone")
    done = cloned.mem(*CHECK, "--from", EXPORT)
    assert done.code == 1 and "README.md is gone" in done.out and "fell 100% → " in done.out
    assert not (cloned.path / ".git/mem").exists()
    assert cloned.mem("sweep", "--since", "HEAD", "--check", "--from", EXPORT).code == 0
    piped = cloned.mem(*CHECK, "--from", "-", input=(cloned.path / EXPORT).read_text())
    assert (piped.code, piped.out) == (1, done.out)


def test_annotations_stand_at_file_and_line(topic: Repo) -> None:
    """The worst first: what is gone at its line of the export, what changed where it is now; counted on stderr."""
    topic.git("rm", "-q", "README.md")
    topic.write("src/users.py", USERS.replace("email.lower()", "email"))
    topic.git("mv", "src/users.py", "src/people.py")
    topic.commit("topic")
    done = clone(topic, "clone").mem(*CHECK, "--from", EXPORT, "--format", "github")
    (gone, changed) = annotations(done.out)
    number = (topic.path / EXPORT).read_text().splitlines()
    (line,) = [place for place, text in enumerate(number, 1) if "fact:readme" in text]
    assert gone[:4] == (EXPORT, str(line), str(line), "mem%3A fact%3Areadme")
    assert gone[4] == "the readme greets: 100%25 (100%25 → 23%25: README.md is gone)"
    assert changed[0] == "src/people.py" and int(changed[1]) <= int(changed[2])
    assert done.code == 1 and done.err == "mem: 2 stale fragments; 2 fragments looked at\n"


def test_an_annotation_of_a_text_stands_where_the_file_holds_its_words(repo: Repo) -> None:
    """Nobody drew a place: the definition of a name, or the line with the rarest word; not line 1 of the file."""
    saved(repo, "note:a", "`valid_email` in src/users.py is strict")
    saved(repo, "note:b", "what src/users.py calls sorted comes first")
    repo.write("src/users.py", USERS.replace("True for", "Yes for").replace("bool(re.full", "any(re.").replace(
        "sorted(store.values(), key", "sorted(store.all(), by"))  # fmt: skip
    done = repo.mem("sweep", "--since", "HEAD", "--check", "--format", "github")
    text = (repo.path / "src/users.py").read_text().splitlines()
    places = {title: (path, text[int(first) - 1]) for path, first, _, title, _ in annotations(done.out)}
    assert places["mem%3A note%3Aa"] == ("src/users.py", "def valid_email(email):")
    assert places["mem%3A note%3Ab"][1].startswith("    users = sorted(")


def test_an_export_that_is_no_file_here_is_not_annotated(topic: Repo) -> None:
    """From stdin, or from outside the repository: what is gone is said of the run."""
    topic.git("rm", "-q", "README.md")
    text = (topic.path / EXPORT).read_text()
    outside = topic.path.parent / "outside.jsonl"
    outside.write_text(text)
    for done in (
        topic.mem("sweep", "--check", "--format", "github", "--from", "-", input=text),
        topic.mem("sweep", "--check", "--format", "github", "--from", str(outside)),
    ):
        assert done.out.startswith("::warning title=mem%3A fact%3Areadme::the readme greets"), done


def test_an_export_may_begin_with_a_byte_order_mark(topic: Repo) -> None:
    """As editors and shells of Windows leave one."""
    topic.write(EXPORT, b"\xef\xbb\xbf" + (topic.path / EXPORT).read_bytes().replace(b"\n", b"\r\n"))
    assert topic.mem("sweep", "--from", EXPORT, "--check").code == 0


def test_of_two_lines_with_one_id_the_newer_counts(topic: Repo) -> None:
    """A merge of two exports may leave both: as in an import, the older never wins, wherever it stands."""
    new = next(line for line in (topic.path / EXPORT).read_text().splitlines() if "fact:readme" in line)
    old = json.dumps(json.loads(new) | {"text": "an older text", "updated": "2001-01-01T00:00:00Z"})
    for lines in ((new, old), (old, new)):
        topic.write("two.jsonl", "\n".join(lines) + "\n")
        (found,) = topic.mem("sweep", "--from", "two.jsonl", "--json").json["fragments"]
        assert found["text"] == "the readme greets: 100%"


def test_more_than_github_shows_is_said(repo: Repo) -> None:
    """GitHub shows ten warnings of a step: how many there are stands on stderr."""
    for number in range(12):
        saved(repo, f"note:{number}", f"number {number} of the users", "--path", "src/users.py")
    repo.git("rm", "-q", "src/users.py")
    done = repo.mem("sweep", "--since", "HEAD", "--check", "--format", "github")
    assert len(annotations(done.out)) == 12
    assert done.err.startswith("mem: 12 stale fragments, of which GitHub shows the first 10;")


def test_a_text_cannot_end_its_annotation(repo: Repo) -> None:
    """Line feeds, colons and commands in a stored text stay inside the one line (law 13)."""
    saved(repo, "note:x", "one\n::error::two <b>", "--path", "README.md")
    repo.git("rm", "-q", "README.md")
    done = repo.mem("sweep", "--check", "--format", "github")
    assert len(annotations(done.out)) == 1 and "<" not in done.out


def test_without_since_what_is_below_the_minimum_is_annotated(topic: Repo) -> None:
    """`--format github` alone reports, `--check` makes it the exit code."""
    topic.git("rm", "-q", "README.md")
    done = topic.mem("sweep", "--format", "github")
    assert done.code == 0 and [one[3] for one in annotations(done.out)] == ["mem%3A fact%3Areadme"]
    assert topic.mem("sweep", "--format", "github", "--check").code == 1
    document = topic.mem("sweep", "--format", "github", "--json").json
    assert {"changes", "fragments"} <= document.keys()


def test_nothing_to_check_is_no_yes(repo: Repo) -> None:
    """No store, an empty one, an export of nothing: exit 2, and the hint names --from."""
    for args in ((), ("--since", "HEAD")):
        done = repo.mem("sweep", "--check", *args)
        told(done, 2, "no memory here")
        assert "--from" in done.err
    repo.mem("init")
    told(repo.mem("sweep", "--check"), 2, "no memory here")
    repo.write("empty.jsonl", "\n")
    told(repo.mem("sweep", "--check", "--from", "empty.jsonl"), 2, "empty.jsonl")
    told(repo.mem("sweep", "--check", "--from", "none.jsonl"), 2, "none.jsonl")


def test_a_shallow_clone_is_told_what_to_fetch(topic: Repo) -> None:
    """Neither an unknown branch nor a missing merge base is an answer: exit 2, and the hint names fetch-depth."""
    topic.commit("topic")
    shallow = clone(topic, "shallow", "--depth", "1")
    done = shallow.mem(*CHECK, "--from", EXPORT)
    told(done, 2, "origin/main")
    assert "fetch-depth" in done.err
    shallow.git("fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main")
    done = shallow.mem(*CHECK, "--from", EXPORT)
    told(done, 2, "no commit in common")
    assert "fetch-depth" in done.err
    shallow.git("fetch", "-q", "--unshallow", "origin")
    assert shallow.mem(*CHECK, "--from", EXPORT).code == 0


def test_a_bad_line_is_named(topic: Repo) -> None:
    """What is no fragment, or holds a secret, is an error at file and line, and nothing is checked."""
    good = (topic.path / EXPORT).read_text()
    topic.write(EXPORT, good + "\n{broken\n")
    told(topic.mem("sweep", "--from", EXPORT), 2, f"{EXPORT}:4: ")
    topic.write(EXPORT, json.dumps({"text": "AKIA" + "IOSFODNN7EXAMPLQ is the key"}) + "\n")
    told(topic.mem("sweep", "--from", EXPORT), 2, f"{EXPORT}:1: ")


def test_from_stores_nothing_and_leaves_the_store_aside(topic: Repo) -> None:
    """The fragments of the file only, for this run; what is here stays as it is."""
    before = (topic.path / ".git/mem/data.mdb").read_bytes()
    line = {"text": "the readme greets you", "stamp": {"commit": "main"}, "anchors": [{"path": "README.md"}]}
    topic.git("rm", "-q", "README.md")
    topic.write("one.jsonl", json.dumps(line) + "\n")
    done = topic.mem("sweep", "--from", "one.jsonl", "--json")
    assert [one["text"] for one in done.json["fragments"]] == ["the readme greets you"]
    assert (done.json["active"], done.json["changes"][0]["to"]) == (1, round(done.json["changes"][0]["from"] * 0.23, 4))
    assert (topic.path / ".git/mem/data.mdb").read_bytes() == before


def test_proposed_and_superseded_ones_do_not_count(repo: Repo) -> None:
    """Only active fragments of an export are checked."""
    rows = [
        {"text": f"users {state}", "state": state, "stamp": {"commit": "HEAD"}, "anchors": [{"path": "src/users.py"}]}
        for state in ("proposed", "superseded", "rejected")
    ]
    repo.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    repo.git("rm", "-q", "src/users.py")
    told(repo.mem("sweep", "--from", "rows.jsonl", "--check"), 2, "rows.jsonl")


def test_what_was_written_on_the_branch_does_not_fail_it(topic: Repo) -> None:
    """Its code did not exist at the base: it rose; unless the branch itself broke it again."""
    topic.commit("mail", **{"src/mail.py": "def send_mail(user):\n    return user.email\n"})
    saved(topic, "decision:mail", "send_mail in src/mail.py never waits")
    done = topic.mem("sweep", "--since", "main", "--check")
    assert done.code == 0, done
    topic.git("rm", "-q", "src/mail.py")
    done = topic.mem("sweep", "--since", "main", "--check")
    assert done.code == 1 and "decision:mail" in done.out


def test_at_a_commit(topic: Repo) -> None:
    """`--at` asks what that commit makes stale, whatever lies in the work tree."""
    topic.git("rm", "-q", "README.md")
    assert topic.mem("sweep", "--since", "main", "--check").code == 1
    assert topic.mem("sweep", "--since", "main", "--check", "--at", "HEAD").code == 0


@pytest.mark.parametrize("args", [("--all-stores",), ("--every", "1h")])
def test_what_cannot_go_together(repo: Repo, args: tuple[str, ...]) -> None:
    """An export and annotations belong to one repository and one run."""
    told(repo.mem("sweep", *args, "--from", EXPORT), 2, "can't go with")
    told(repo.mem("sweep", *args, "--format", "github"), 2, "can't go with")


# --- the hooks that may say no ---


@pytest.fixture
def shared(topic: Repo) -> Repo:
    """The topic branch with a remote that has main, and both checks installed."""
    topic.git("init", "-q", "--bare", "../remote.git")
    topic.git("remote", "add", "origin", "../remote.git")
    topic.git("push", "-q", "origin", "main")
    done = topic.mem("hooks", "install", "--pre-push", "--pre-commit")
    assert done.code == 0 and done.out.count("made ") == 6, done
    return topic


def test_a_push_that_makes_something_stale_is_stopped(shared: Repo) -> None:
    """With what fell and why on stderr; --no-verify goes past, and what the remote has already stops nothing more."""
    shared.git("rm", "-q", "README.md")
    shared.git("commit", "-q", "--no-verify", "-m", "less")
    done = shell(shared, "git push -q -u origin topic")
    assert done.code == 1 and done.out == ""
    assert "fell 100% → 23% fact:readme: README.md is gone" in done.err and "--no-verify" in done.err
    assert shared.git("ls-remote", "origin", "topic") == ""
    assert shell(shared, "git push -q -u origin topic --no-verify").code == 0
    shared.git("commit", "-q", "--allow-empty", "-m", "more")
    assert shell(shared, "git push -q origin topic") == (0, "", "")


def test_a_commit_that_makes_something_stale_is_stopped(shared: Repo) -> None:
    """A commit is judged by the work tree against HEAD; a merge under way is left alone."""
    shared.git("rm", "-q", "README.md")
    done = shell(shared, "git commit -qm less")
    assert done.code == 1 and "fact:readme" in done.err and "git commit --no-verify" in done.err
    assert shared.git("log", "-1", "--format=%s") == "the memory"
    shared.mem("confirm", "fact:readme")
    shared.mem("delete", "fact:readme")
    assert shell(shared, "git commit -qm less") == (0, "", "")
    shared.git("switch", "-q", "main")
    shared.git("rm", "-q", "src/users.py")
    shared.git("commit", "-q", "--no-verify", "-m", "main goes on")
    shared.git("switch", "-q", "topic")
    shared.git("merge", "-q", "--no-commit", "--no-ff", "main")
    assert shell(shared, "git commit -qm merged") == (0, "", "")


@pytest.mark.parametrize(
    "env", [{"MEM_DISABLE": "1"}, {"CI": "1"}, {"PYTHONHOME": "/nowhere"}], ids=["disabled", "ci", "a crash"]
)
def test_the_checks_fail_open(shared: Repo, env: dict[str, str]) -> None:
    """Switched off, in a CI, or with a program that can't start, git goes on, silently."""
    shared.git("rm", "-q", "README.md")
    assert shell(shared, "git commit -qm less", **env) == (0, "", "")


def test_a_broken_store_stops_nothing_and_says_so(shared: Repo) -> None:
    """A fault of ours is a line on stderr, and git goes on."""
    (shared.path / ".git/mem/data.mdb").write_bytes(b"garbage")
    done = shell(shared, "git commit -qm less --allow-empty")
    assert done.code == 0 and done.err.startswith("mem did not check this commit: ")


def test_nothing_to_compare_with_stops_nothing(topic: Repo) -> None:
    """The first push to an empty remote, and a first commit, go through without a word."""
    topic.git("init", "-q", "--bare", "../remote.git")
    topic.git("remote", "add", "origin", "../remote.git")
    topic.mem("hooks", "install", "--pre-push")
    assert shell(topic, "git push -q origin topic") == (0, "", "")


OWN = {
    "sh": '#!/bin/sh -eu\ncat >own.log\necho "$#" >>own.log\nexit 5\n',
    "python": "#!/usr/bin/env python3\nimport sys\nopen('own.log', 'w').write(sys.stdin.read())\nsys.exit(5)\n",
}


@pytest.mark.parametrize("language", OWN)
def test_the_users_own_hook_gets_its_stdin(shared: Repo, language: str) -> None:
    """What git tells a pre-push hook on stdin reaches the user's own below the block, whose status counts; a no of the
    check keeps it from running; uninstall gives back its bytes."""
    path = shared.path / ".git/hooks/pre-push"
    shared.mem("hooks", "uninstall")
    path.write_text(OWN[language])
    path.chmod(0o755)
    assert "added pre-push" in shared.mem("hooks", "install", "--pre-push").out
    assert shell(shared, "git push -q origin topic").code == 1  # git's own code for a hook that failed
    head = shared.git("rev-parse", "HEAD")
    assert (shared.path / "own.log").read_text().splitlines()[0].startswith(f"refs/heads/topic {head} refs/heads/topic")
    (shared.path / "own.log").unlink()
    shared.git("rm", "-q", "README.md")
    shared.git("commit", "-q", "--no-verify", "-m", "less")
    assert "fact:readme" in shell(shared, "git push -q origin topic").err
    assert not Path(shared.path / "own.log").exists()
    shared.mem("hooks", "uninstall")
    assert path.read_text() == OWN[language]


def test_the_checks_are_opt_in(repo: Repo) -> None:
    """A plain install makes none; status and install know those that are there; uninstall takes them too."""
    before = sorted(path.name for path in (repo.path / ".git/hooks").iterdir())
    assert "pre-" not in repo.mem("hooks", "install").out + repo.mem("hooks", "status").out
    assert "made pre-push" in repo.mem("hooks", "install", "--pre-push").out
    assert "unchanged pre-push" in repo.mem("hooks", "install").out
    assert "installed pre-push" in repo.mem("hooks", "status").out
    assert "removed pre-push" in repo.mem("hooks", "uninstall").out
    assert sorted(path.name for path in (repo.path / ".git/hooks").iterdir()) == before
