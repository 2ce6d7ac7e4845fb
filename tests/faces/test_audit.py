"""`mem audit`: lines of documents against the code that they name, without a store."""

import os
import stat
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import USERS, Repo, Result, run_mem
from tests.faces.black_box import rewrite, told

RULES = """\
# Rules

- `create_user` in `src/users.py` checks the address first.
- Everything about mail is in src/mail.py, wrapped over
  two lines.
- Nothing here names code.
"""
MAIL = "def send_mail(to, text):\n    return {'to': to, 'text': text, 'sent': True}\n\n\nLIMIT_OF_MAILS = 20\n"


@pytest.fixture
def docs(repo: Repo) -> Repo:
    """The repository with an AGENTS.md whose lines name two files."""
    repo.write("src/mail.py", MAIL)
    repo.commit("rules", AGENTS__md=RULES)
    return repo


def lines(repo: Repo, *args: str) -> dict[int, dict[str, Any]]:
    """Line number → line of the JSON document."""
    done = repo.mem("audit", "--json", *args)
    assert done.code in (0, 1), done
    assert not (repo.path / ".git/mem").exists()
    return {line["line"]: line for line in done.json["lines"]}


def test_what_holds_is_fresh(docs: Repo) -> None:
    """Lines that name code are stamped at their commit; others are not listed; nothing is stored."""
    found = lines(docs)
    assert {number: line["verdict"] for number, line in found.items()} == {3: "fresh", 4: "fresh"}
    assert found[3]["commit"] == docs.git("rev-parse", "HEAD")
    assert docs.mem("audit", "--check").code == 0


def test_the_document_of_a_line(docs: Repo) -> None:
    """A line's JSON, whole: file, numbers, words, verdict, evidence by anchor, commit."""
    commit = docs.git("rev-parse", "HEAD")
    docs.git("rm", "-q", "src/mail.py")
    done = docs.mem("audit", "AGENTS.md", "--json", "--check")
    assert done.code == 1
    document = done.json
    assert (document["mem"], document["command"], document["files"]) == (1, "audit", ["AGENTS.md"])
    assert (document["claims"], document["named"], document["drifted"], document["below_minimum"]) == (3, 2, 1, 1)
    assert document["lines"][0] == {
        "file": "AGENTS.md",
        "line": 4,
        "end_line": 5,
        "text": "Everything about mail is in src/mail.py, wrapped over two lines.",
        "verdict": "gone",
        "confidence": 0.23,
        "before": 1.0,
        "anchors": [
            {
                "path": "src/mail.py",
                "was": None,
                "lines": None,
                "symbol": None,
                "identifiers": [],
                "verdict": "gone",
                "drift": 0.77,
                "evidence": "src/mail.py is gone",
            }
        ],
        "moves": [],
        "reason": "src/mail.py is gone",
        "commit": commit,
    }


def test_the_worst_stands_first_with_its_place_and_reason(docs: Repo) -> None:
    """For people: file and line, how sure, why, the words; then how many lines there are."""
    docs.git("rm", "-q", "src/mail.py")
    rewrite(docs)
    done = docs.mem("audit")
    assert "AGENTS.md:3 (" in done.out
    assert "AGENTS.md:4 (23%: src/mail.py is gone) Everything about mail is in src/mail.py" in done.out
    assert done.out.splitlines()[-1] == "2 lines of 2 documents name code: 2 drifted, 2 below the minimum"


@pytest.mark.parametrize(
    "form",
    [
        "- Everything about mail is in src/mail.py,\n  wrapped over two lines.\n",
        "* Everything about mail\n  is in `src/mail.py`, wrapped over two lines.\n",
        "Everything about **mail** is in src/mail.py, wrapped over two lines.\n",
    ],
)
def test_another_form_is_no_writing(docs: Repo, form: str) -> None:
    """The commit that wrapped a line anew after the code was gone is passed over: the line is as old as its words."""
    born = docs.git("rev-parse", "HEAD")
    docs.git("rm", "-q", "src/mail.py")
    docs.commit("remove mail")
    docs.commit("format", AGENTS__md=f"# Rules\n\n{form}")
    docs.commit("again", AGENTS__md=f"# Rules\n\nSome words.\n\n{form}")
    found = lines(docs)[5]
    assert (found["commit"], found["verdict"], found["confidence"]) == (born, "gone", 0.23)


def test_other_words_are_a_new_writing(docs: Repo) -> None:
    """A claim that was mended in the very commit that moved its code is as old as that commit."""
    docs.git("mv", "src/mail.py", "src/post.py")
    fixed = docs.commit("move", AGENTS__md=RULES.replace("src/mail.py", "src/post.py"))
    found = lines(docs)[4]
    assert (found["commit"], found["verdict"]) == (fixed, "fresh")


def test_a_renamed_document_keeps_the_age_of_its_lines(docs: Repo) -> None:
    """The document's own move is no writing."""
    born = docs.git("rev-parse", "HEAD")
    docs.git("mv", "AGENTS.md", "CLAUDE.md")
    docs.commit("rename")
    assert lines(docs, "CLAUDE.md")[3]["commit"] == born


def test_a_line_that_is_not_committed_holds_now(docs: Repo) -> None:
    """What the author sees is what it is compared with."""
    docs.write("AGENTS.md", RULES + "- `LIMIT` in src/users.py is small.\n")
    found = lines(docs)
    assert (found[7]["commit"], found[7]["verdict"]) == (None, "fresh")


def test_a_name_that_is_gone_from_all_code(docs: Repo) -> None:
    """A code name that stood in the code when the line was written, with or without a path beside it."""
    docs.commit("note", AGENTS__md=RULES + "- The number `LIMIT_OF_MAILS` is a guess.\n")
    docs.write("src/mail.py", MAIL.replace("LIMIT_OF_MAILS", "MOST"))
    found = lines(docs)
    assert (found[7]["verdict"], found[7]["confidence"]) == ("gone", 0.16)
    assert "LIMIT_OF_MAILS" in found[7]["reason"]


def test_a_name_in_a_picture_is_chance(docs: Repo) -> None:
    """A binary content that is gone held no code names, whatever its bytes spell."""
    docs.write("logo.png", b"\x89PNG\0 LIMIT_TWO \0")
    docs.commit("note", AGENTS__md=RULES + "- Machines of `LIMIT_TWO` are small.\n")
    docs.git("rm", "-q", "logo.png")
    assert list(lines(docs)) == [3, 4]


def test_a_moved_path_is_a_finding_and_is_rewritten(docs: Repo) -> None:
    """Half the confidence, the new path; --fix shows the diff, --yes writes it; then there is nothing to do."""
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    found = lines(docs)[4]
    assert (found["verdict"], found["confidence"]) == ("moved", 0.5)
    assert found["moves"] == [{"was": "src/mail.py", "path": "src/post.py"}]
    assert "moved: src/mail.py → src/post.py" in docs.mem("audit").out
    shown = docs.mem("audit", "--fix")
    assert "+- Everything about mail is in src/post.py, wrapped over" in shown.out
    assert (docs.path / "AGENTS.md").read_text() == RULES
    assert "rewrote AGENTS.md" in docs.mem("audit", "--fix", "--yes").out
    assert (docs.path / "AGENTS.md").read_text() == RULES.replace("src/mail.py", "src/post.py")
    again = docs.mem("audit", "--fix", "--yes")
    assert again.out.splitlines()[-1] == "no path to rewrite"
    assert docs.git("status", "--short") == "M AGENTS.md"


def test_a_rewrite_keeps_mode_line_ends_and_links(docs: Repo) -> None:
    """Only the path differs; a link to the document stays a link."""
    text = RULES.replace("\n", "\r\n")
    docs.write("AGENTS.md", text)
    (docs.path / "AGENTS.md").chmod(0o755)
    (docs.path / "CLAUDE.md").symlink_to("AGENTS.md")
    docs.commit("windows")
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    assert docs.mem("audit", "CLAUDE.md", "--fix", "--yes").code == 0
    assert (docs.path / "AGENTS.md").read_bytes().decode() == text.replace("src/mail.py", "src/post.py")
    assert stat.S_IMODE((docs.path / "AGENTS.md").stat().st_mode) == 0o755
    assert (docs.path / "CLAUDE.md").is_symlink()


def test_all_documents_are_rewritten_or_none(docs: Repo) -> None:
    """One that its owner made read-only stays, and so do the others; no draft is left behind."""
    docs.commit("another", NOTES__md="Mail is in src/mail.py.\n")
    docs.git("mv", "src/mail.py", "src/post.py")
    (docs.path / "NOTES.md").chmod(0o444)
    names = sorted(os.listdir(docs.path))
    told(docs.mem("audit", "AGENTS.md", "NOTES.md", "--fix", "--yes"), 2, "NOTES.md is read-only")
    assert (docs.path / "AGENTS.md").read_text() == RULES and sorted(os.listdir(docs.path)) == names


def test_a_file_of_the_same_name_elsewhere_keeps_its_name(docs: Repo) -> None:
    """`mail.py` at the root did not move, though src/mail.py did."""
    docs.write("mail.py", "A = 1\n")
    docs.commit("both", NOTES__md="src/mail.py is like mail.py.\n")
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.mem("audit", "NOTES.md", "--fix", "--yes")
    assert (docs.path / "NOTES.md").read_text() == "src/post.py is like mail.py.\n"


def test_relative_paths_of_a_document_in_a_folder(docs: Repo) -> None:
    """`../src/mail.py` and a file beside the document are found, and rewritten as they were spelt."""
    docs.write("docs/b.md", "x\n")
    docs.write("docs/a.md", "Mail is in [the code](../src/mail.py), see [b](b.md).\n")
    docs.commit("docs")
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    assert docs.mem("audit", "docs", "--fix", "--yes").code == 0
    assert (docs.path / "docs/a.md").read_text() == "Mail is in [the code](../src/post.py), see [b](b.md).\n"


def test_check_says_no_below_the_minimum(docs: Repo) -> None:
    """1 when something named is gone, 0 when it only moved: then --fix helps."""
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    assert docs.mem("audit", "--check").code == 0
    docs.git("rm", "-q", "src/post.py")
    assert docs.mem("audit", "--check").code == 1


def test_since_shows_what_this_branch_broke(docs: Repo) -> None:
    """Only what fell after the merge base; what was wrong before is not this branch's fault."""
    docs.git("rm", "-q", "src/mail.py")
    docs.commit("remove mail")
    docs.git("checkout", "-q", "-b", "topic")
    assert lines(docs, "--since", "main", "--check") == {}
    assert docs.mem("audit", "--since", "main", "--check").code == 0
    docs.git("rm", "-q", "src/users.py")
    docs.commit("remove users")
    found = lines(docs, "--since", "main")
    assert list(found) == [3]
    assert (found[3]["before"], found[3]["verdict"]) == (1.0, "gone")
    assert docs.mem("audit", "--since", "main", "--check").code == 1


def test_since_shows_new_lines_that_are_false_already(docs: Repo) -> None:
    """A line of this branch that names what was gone when it was written."""
    docs.git("rm", "-q", "src/mail.py")
    docs.commit("remove mail", AGENTS__md="# Rules\n")
    docs.git("checkout", "-q", "-b", "topic")
    docs.commit("add", AGENTS__md="# Rules\n\nMail goes through `src/mail.py`.\n")
    found = lines(docs, "--since", "main")
    assert "was gone already when this was written" in found[3]["reason"]


def test_annotations_for_github(docs: Repo) -> None:
    """One workflow command a line, at file and line."""
    docs.git("rm", "-q", "src/mail.py")
    done = docs.mem("audit", "--check", "--format", "github")
    assert done.code == 1
    assert "::warning file=AGENTS.md,line=4,endLine=5,title=23%25 sure%3A gone::src/mail.py is gone" in done.out


def test_a_shallow_clone(docs: Repo) -> None:
    """Without the merge base: 2, and how to get it. Without --since the lines are as old as the clone reaches."""
    docs.commit("more", a__py="x = 1\n")
    docs.git("checkout", "-q", "-b", "topic")
    docs.commit("topic", b__py="y = 1\n")
    path = docs.path.parent / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{docs.path}", str(path)], check=True
    )
    told(run_mem(path, "audit", "--since", "origin/main", "--check"), 2, "no commit in common")
    for rev in ("origin/main", "HEAD~1"):
        assert "fetch-depth" in run_mem(path, "audit", "--since", rev).err
    plain = run_mem(path, "audit", "--json")
    assert (plain.code, {line["verdict"] for line in plain.json["lines"]}) == (0, {"fresh"})
    assert "shallow" in plain.err


def test_a_partial_clone_says_what_it_can_not_tell(docs: Repo) -> None:
    """A document whose old contents the clone lacks is named; where that is so of all, the answer is 2. Nothing is
    fetched."""
    docs.git("config", "uploadpack.allowFilter", "true")
    docs.commit("second", AGENTS__md=RULES + "- More.\n")
    docs.commit("new", NEW__md="Mail is in src/mail.py.\n")
    path = docs.path.parent / "clone"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", f"file://{docs.path}", str(path)], check=True)
    told(run_mem(path, "audit", "AGENTS.md"), 2, "can't tell who wrote AGENTS.md")
    done = run_mem(path, "audit", "AGENTS.md", "NEW.md")
    assert (done.code, "can't tell who wrote AGENTS.md" in done.err) == (0, True)
    assert "1 line of" in done.out


def test_what_can_not_be_audited(docs: Repo) -> None:
    """A file that is not there is a mistake; one that git does not know has nothing to be compared with."""
    told(docs.mem("audit", "NONE.md"), 2, "no file NONE.md")
    told(docs.mem("audit", "../x.md"), 2)
    docs.write("new.md", "About src/mail.py.\n")
    done = docs.mem("audit", "new.md")
    assert (done.code, done.out) == (0, "1 line of 1 document name code: 0 drifted\n")
    assert "new.md is not committed" in done.err
    docs.git("add", "new.md")
    docs.git("mv", "AGENTS.md", "CLAUDE.md")
    assert docs.mem("audit", "new.md", "CLAUDE.md").code == 0
    told(run_mem(docs.path.parent, "audit"), 2, "repository")


def test_a_submodules_document_is_audited_there(docs: Repo) -> None:
    """Its lines have no history in the outer repository: the answer says where to ask, not that all is well."""
    inner = Repo(docs.path.parent / "inner")
    docs.git("clone", "-q", ".", "../inner")
    docs.git("submodule", "add", "-q", str(inner.path), "sub")
    docs.commit("submodule")
    for name in ("sub/AGENTS.md", "sub", "sub/"):
        told(docs.mem("audit", name), 2, "submodule sub")
    assert docs.mem("-C", "sub", "audit").code == 0


def test_a_bare_repository_has_nothing_to_audit(docs: Repo) -> None:
    """The hint names no option that these commands lack."""
    docs.git("clone", "-q", "--bare", ".", "../bare.git")
    for verb in (["audit"], ["audit", "AGENTS.md"], ["seed"]):
        done = run_mem(docs.path.parent / "bare.git", *verb)
        told(done, 2, "bare repository")
        assert "--at" not in done.err and "--scope" not in run_mem(docs.path.parent, *verb).err


def test_a_byte_order_mark_is_no_word(docs: Repo) -> None:
    """The first claim of a document that begins with one names what it names; `--fix` leaves it where it is."""
    docs.commit("mark", BOM__md="\ufeffsrc/mail.py sends.\n")
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    assert docs.mem("audit", "BOM.md", "--fix", "--yes").code == 0
    assert (docs.path / "BOM.md").read_text() == "\ufeffsrc/post.py sends.\n"


def test_hostile_words_do_no_harm(docs: Repo) -> None:
    """What a document says goes out as stored words do (law 13)."""
    docs.commit("hostile", AGENTS__md="About src/mail.py </memory> \x1b[31m\u202e red\n")
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    done = docs.mem("audit", "--fix")
    assert "src/post.py &lt;/memory&gt;" in done.out
    assert not {"<", ">", "\x1b", "\u202e"} & set(done.out)


def test_on_a_terminal_it_asks_before_it_writes(docs: Repo) -> None:
    """The diff is shown, then the question; without a yes the document stays."""
    docs.git("mv", "src/mail.py", "src/post.py")
    docs.commit("move")
    assert "left AGENTS.md as it is" in typed(docs, b"n\n").out
    assert (docs.path / "AGENTS.md").read_text() == RULES
    done = typed(docs, b"y\n")
    assert done.out.index("src/post.py, wrapped") < done.out.index("Rewrite?") < done.out.index("rewrote AGENTS.md")
    assert "src/post.py" in (docs.path / "AGENTS.md").read_text()


def typed(repo: Repo, keys: bytes) -> Result:
    """`mem audit --fix` on a terminal of its own, at which somebody types."""
    import pty

    child, terminal = pty.fork()
    if not child:
        os.chdir(repo.path)
        os.execvp(sys.executable, [sys.executable, "-m", "memcli", "audit", "--fix"])  # noqa: S606 (its arguments are these)
    os.write(terminal, keys)
    out = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    return Result(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), out.decode(), "")


def test_a_file_may_be_rewritten_in_the_same_commit(docs: Repo) -> None:
    """Code and line that change together agree."""
    docs.write("src/users.py", USERS.replace("create_user", "make_user"))
    docs.commit("rename", AGENTS__md=RULES.replace("create_user", "make_user"))
    assert lines(docs)[3]["verdict"] == "fresh"
