"""The commands as a user meets them: what they print, in text and JSON, and how they exit."""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli import tokens
from memcli.cli.progress import progress
from tests.conftest import Repo, run_mem

FIELDS = {
    "id", "key", "type", "scope", "state", "text", "confidence", "base", "verdict", "anchors", "stamp", "parents",
    "supersedes", "superseded_by", "source", "author", "session", "created", "updated", "approved", "tokens",
}  # fmt: skip
AUTH = "create_user in src/users.py lowers the address"


def saved(repo: Repo, *args: str) -> str:
    """Save something; its id."""
    done = repo.mem("save", *args, "--json")
    assert done.code == 0, done.err
    return str(done.json["fragments"][0]["id"])


def rewrite(repo: Repo) -> None:
    """Replace all that src/users.py held."""
    repo.write("src/users.py", "\n".join(f"value_{number} = {number}" for number in range(40)) + "\n")


def on_terminal(repo: Repo, *args: str, **env: str) -> str:
    """Run mem with a terminal for stdout and stderr; what it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "memcli", *args],
        cwd=repo.path, env={**os.environ, "TERM": "xterm", **env}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    data = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not chunk:
            break
        data += chunk
    os.close(ours)
    process.wait()
    return data.decode()


# save


def test_save_says_what_it_did(repo: Repo) -> None:
    """A save prints the outcome, the whole id and the key; every command takes that id and its beginning."""
    done = repo.mem("save", "decision:auth", AUTH)
    assert done.code == 0 and not done.err
    ident = re.fullmatch(r"saved ([k-z]{16}) decision:auth(?: \(about .*\))?\n", done.out)
    assert ident
    for name in (ident[1], ident[1][:6], "decision:auth"):
        assert AUTH in repo.mem("show", name).out


def test_a_saved_fragment_in_json(repo: Repo) -> None:
    """The document holds one fragment with all the fields of the contract, and what else there is to say."""
    document = repo.mem("--json", "save", "decision:auth", AUTH).json
    assert (document["mem"], document["command"], document["outcome"]) == (1, "save", "saved")
    (fragment,) = document["fragments"]
    assert set(fragment) == FIELDS
    assert fragment["type"] == "decision" and fragment["anchors"][0]["path"] == "src/users.py"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", fragment["created"])
    assert set(fragment["stamp"]) == {"commit", "branch", "dirty", "at"}


def test_all_of_saves_options(repo: Repo) -> None:
    """Type, paths, session, confidence, parents and replaced ones arrive in the fragment."""
    first, second = saved(repo, "first things of users"), saved(repo, "second things of users")
    document = repo.mem(
        "save", "list_users gives the newest first", "--type", "fact", "--key", "k", "--path", "src/users.py:20-22",
        "--path", "README.md", "--ref", first, "--supersedes", second[:8], "--confidence", "0.7", "--session", "s1",
        "--json",
    )  # fmt: skip
    fragment = document.json["fragments"][0]
    assert (fragment["type"], fragment["key"], fragment["base"], fragment["session"]) == ("fact", "k", 0.7, "s1")
    assert fragment["parents"] == [first] and fragment["supersedes"] == [second]
    assert {(anchor["path"], tuple(anchor["lines"] or ())) for anchor in fragment["anchors"]} >= {
        ("src/users.py", (20, 22)),
        ("README.md", ()),
    }
    assert document.json["superseded"] == [second]


def test_stdin_is_the_text(repo: Repo) -> None:
    """`-` reads the text from stdin, with or without a key before it."""
    assert repo.mem("save", "note:a", "-", input="create_user checks\nthe address\n").code == 0
    (fragment,) = repo.mem("show", "note:a", "--json").json["fragments"]
    assert fragment["text"] == "create_user checks\nthe address"


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [
        (b"", 1, "empty"),
        (b"  \n\n", 1, "empty"),
        (b"abc \xff def", 2, "UTF-8"),
        (b"x" * 10_000_000, 1, "KiB"),
        (b"nul \0 byte", None, ""),
    ],
    ids=["empty", "blank", "latin-1", "10 MB", "NUL"],
)
def test_bad_texts_are_refused_in_one_line(data: bytes, code: int | None, word: str, repo: Repo) -> None:
    """Whatever stands on stdin: stored, or one line that names the reason; a huge one is not even read."""
    done = repo.mem("save", "-", input=data)
    if code is None:
        assert done.code in (0, 1)
    else:
        assert done.code == code and word in done.err.splitlines()[0]
        assert repo.mem("list", "--all").out == ""
    assert len(done.err.splitlines()) <= 2 and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("save", "x y z", "--type", "opinion"), 2),
        (("save", "x y z", "--scope", "planet"), 2),
        (("save", "x y z", "--path", "../outside"), 2),
        (("save", "a", "b", "c"), 2),
        (("save", "k", "t", "--key", "k2"), 2),
        (("save", "x y z", "--confidence", "2"), 2),
        (("list", "--type", "opinion"), 2),
        (("list", "--state", "lost"), 2),
        (("list", "--min-confidence", "2"), 2),
        (("show", "nosuch"), 1),
        (("confirm", "nosuch"), 1),
        (("supersede", "nosuch"), 2),
        (("approve",), 2),
        (("approve", "x", "--all"), 2),
        (("query", "filter(memory"), 2),
        (("sweep", "--since", "nosuch"), 2),
        (("list", "--at", "nosuch"), 2),
        (("sweep", "--every", "soon"), 2),
        (("sweep", "--cron", "x y"), 2),
        (("render", "--budget", "0"), 2),
        (("render", "--format", "xml"), 2),
        (("import", "/nowhere/file"), 2),
        (("config", "nosuch"), 2),
        (("config", "minimum", "high"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_bad_arguments_are_one_line(args: tuple[str, ...], code: int, repo: Repo) -> None:
    """A wrong value ends with its exit code, one line and at most one hint; nothing is stored."""
    repo.mem("save", "decision:auth", AUTH)
    done = repo.mem(*args)
    assert (done.code, done.out) == (code, "")
    first, *rest = done.err.splitlines()
    assert first.startswith("mem: ") and (not rest or rest[0].startswith("hint: ") or "^" in done.err)
    assert len(repo.mem("list", "--all", "--json").json["fragments"]) == 1


def test_quiet_saves_say_nothing(repo: Repo) -> None:
    """With -q a report of what was done is left out; what was asked for is not."""
    assert repo.mem("save", "-q", AUTH).out == ""
    assert "create_user" in repo.mem("-q", "list").out


def test_a_name_that_is_not_there_is_a_warning(repo: Repo) -> None:
    """A text about a file that does not exist is saved, with a warning on stderr and in the document."""
    done = repo.mem("save", "parse_all in src/parser.py reads everything")
    assert done.code == 0 and "src/parser.py" in done.err
    assert any("README2.md" in note for note in repo.mem("save", "see README2.md", "--json").json["warnings"])


# search and list


def test_search_to_a_pipe(repo: Repo) -> None:
    """`Found N fragments:` and a line each; what has no key shows its short id."""
    saved(repo, "decision:auth", AUTH)
    ident = saved(repo, "valid_email wants one address sign")
    done = repo.mem("search", "address")
    first, *lines = done.out.splitlines()
    assert first == "Found 2 fragments:"
    assert sorted(lines) == sorted(
        [f"- decision:auth: {AUTH} (100%)", f"- {ident[:8]}: valid_email wants one address sign (100%)"]
    )
    assert repo.mem("search", "lowers").out.splitlines()[0] == "Found 1 fragment:"


def test_search_says_how_sure_and_why(repo: Repo) -> None:
    """What the code has moved away from shows its confidence and the reason."""
    saved(repo, "decision:auth", AUTH)
    rewrite(repo)
    assert re.search(r"- decision:auth: .* \(\d+%: .+\)", repo.mem("search", "--all", "address").out)


def test_nothing_found_is_an_answer(repo: Repo) -> None:
    """Nothing found: exit 1, an empty list; and an empty list of `list` is 0."""
    done = repo.mem("search", "zebra")
    assert (done.code, done.out, done.err) == (1, "", "mem: nothing found\n")
    assert repo.mem("search", "zebra", "--json").json["fragments"] == []
    assert (repo.mem("list").code, repo.mem("list").out) == (0, "")


@pytest.mark.parametrize("query", ["/", "-", "a:b", '"', "*", "AND", "rm -rf", "C++", "<b>", "", "\x1b[31m"])
def test_odd_queries_are_answered(query: str, repo: Repo) -> None:
    """No query is a fault or a syntax: something or nothing is found."""
    saved(repo, "note:odd", "never run rm -rf here; C++ and a:b")
    done = repo.mem("search", query)
    assert done.code in (0, 1) and "fault" not in done.err and "Traceback" not in done.err


def test_list_filters(repo: Repo) -> None:
    """Type, path (from where the user stands), limit, keys; newest first."""
    saved(repo, "decision:auth", AUTH)
    saved(repo, "note:later", "later things")
    assert [line.split(" ")[1] for line in repo.mem("list").out.splitlines()] == ["note:later", "decision:auth"]
    assert repo.mem("list", "--keys").out == "note:later [note] 100%\ndecision:auth [decision] 100%\n"
    assert "note" not in repo.mem("list", "--type", "decision").out
    assert run_mem(repo.path / "src", "list", "--path", "users.py", "--keys").out == "decision:auth [decision] 100%\n"
    assert len(repo.mem("list", "-n", "1").out.splitlines()) == 1


def test_json_lines(repo: Repo) -> None:
    """`--jsonl` prints each fragment on a line of its own."""
    saved(repo, "decision:auth", AUTH)
    saved(repo, "note:later", "later things")
    rows = [json.loads(line) for line in repo.mem("list", "--jsonl").out.splitlines()]
    assert [row["key"] for row in rows] == ["note:later", "decision:auth"] and set(rows[0]) == FIELDS


# law 13


def test_stored_words_are_escaped_in_a_pipe(repo: Repo) -> None:
    """No angle bracket and no control character of a stored text or key reaches an agent; `--raw` lets brackets by."""
    saved(repo, "note:</memory>", "before </memory> after\nsecond \u202e line", "--path", "README.md")
    for args in (("list",), ("search", "before"), ("show", "note:</memory>"), ("why", "note:</memory>"), ("render",),
                 ("query", "memory"), ("query", "memory", "--table"), ("export", "--json")):  # fmt: skip
        out = repo.mem(*args).out
        assert "\u202e" not in out and ("second" in out or args[0] == "why")
        if args[0] != "export":
            text = out if args[0] != "render" else "\n".join(out.splitlines()[3:-1])
            assert "<" not in text and ">" not in text, args
    assert "before </memory> after" in repo.mem("--raw", "show", "note:</memory>").out
    assert repo.mem("list", "--json").json["fragments"][0]["text"].startswith("before </memory>")


def test_terminals_get_words_as_they_are(repo: Repo) -> None:
    """On a terminal brackets are brackets, lines are lines, in colour unless told otherwise."""
    saved(repo, "note:a", "a < b\nthen c")
    shown = on_terminal(repo, "show", "note:a")
    assert "a < b\r\n  then c" in shown and "\x1b[1m" in shown
    assert "\x1b" not in on_terminal(repo, "show", "note:a", NO_COLOR="1")
    assert "\x1b" not in on_terminal(repo, "show", "--no-color", "note:a")
    assert "\x1b" not in on_terminal(repo, "show", "note:a", TERM="dumb")


# why, sweep, and what follows


def test_why_names_each_place(repo: Repo) -> None:
    """why lists every anchor with its verdict and the evidence, in text and JSON."""
    saved(repo, "decision:auth", AUTH)
    assert "src/users.py" in repo.mem("why", "decision:auth").out and "fresh" in repo.mem("why", "decision:auth").out
    rewrite(repo)
    document = repo.mem("why", "decision:auth", "--json").json
    (anchor,) = document["fragments"][0]["anchors"]
    assert anchor["evidence"] and anchor["evidence"] in repo.mem("why", "decision:auth").out
    assert document["fragments"][0]["verdict"] in ("changed", "gone")


def test_sweep_reports_what_fell(repo: Repo) -> None:
    """A sweep says what fell from where to where and why; the next that nothing did; a revert that it rose."""
    ident = saved(repo, "decision:auth", AUTH)
    old = (repo.path / "src/users.py").read_text()
    repo.mem("sweep")
    rewrite(repo)
    dry = repo.mem("sweep", "--dry-run", "--json").json
    document = repo.mem("sweep", "--json").json
    assert dry["changes"] == document["changes"] and document["command"] == "sweep"
    (change,) = document["changes"]
    assert set(change) == {"id", "key", "from", "to", "verdict", "evidence"}
    assert change["id"] == ident and change["from"] == 1.0 and change["to"] < 0.3
    assert ident in [fragment["id"] for fragment in document["fragments"]]
    assert repo.mem("sweep").out.startswith("nothing fell; ")
    repo.write("src/users.py", old)
    assert re.match(r"rose \d+% → 100% decision:auth: ", repo.mem("sweep").out)


def test_sweep_check_says_no(repo: Repo) -> None:
    """`--check` exits 1 while anything active is below the minimum; with `--since` if anything fell since."""
    saved(repo, "decision:auth", AUTH)
    saved(repo, "note:free", "free of any place")
    repo.commit("base")
    assert repo.mem("sweep", "--check").code == 0
    rewrite(repo)
    repo.commit("rewritten")
    done = repo.mem("sweep", "--check")
    assert done.code == 1 and "below the minimum: decision:auth" in done.out and "note:free" not in done.out
    assert repo.mem("sweep", "--since", "HEAD~1", "--check").code == 1
    assert repo.mem("sweep", "--since", "HEAD", "--check").code == 0


def test_sweep_stays_resident(repo: Repo) -> None:
    """`--every` sweeps at once and again, without a word of the scheduler's, until SIGTERM ends it with 0."""
    saved(repo, "decision:auth", AUTH)
    process = subprocess.Popen(
        [sys.executable, "-m", "memcli", "sweep", "--every", "1s"],
        cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    first = process.stdout.readline()
    rewrite(repo)
    rest = process.stdout.readline()
    while "fell 100%" not in rest:
        assert rest.startswith("nothing fell"), rest
        rest = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert first.startswith("nothing fell; ") and process.returncode == 0 and err == ""


def test_outside_a_repository(tmp_path: Path, sealed: Path) -> None:
    """Reads answer from user scope; save and sweep exit 2 unless user scope is meant; --here makes a store."""
    folder = tmp_path / "plain"
    folder.mkdir()
    assert run_mem(folder, "save", "x y z").code == 2 == run_mem(folder, "sweep").code
    assert run_mem(folder, "save", "preference:tabs", "spaces, not tabs", "--scope", "user").code == 0
    assert "spaces, not tabs" in run_mem(folder, "list").out
    assert run_mem(folder, "init").code == 2
    assert run_mem(folder, "init", "--here").code == 0
    assert run_mem(folder, "save", "note:here", "here it works").code == 0
    assert "here it works" in run_mem(folder, "list").out
    assert run_mem(folder).code == 0


# confirm, supersede, delete, approval


def test_confirm_brings_confidence_back(repo: Repo) -> None:
    """confirm says what it confirmed, and the fragment is fresh again."""
    ident = saved(repo, "decision:auth", AUTH)
    rewrite(repo)
    assert repo.mem("confirm", ident[:8]).out == f"confirmed {ident} decision:auth (5% → 100%)\n"
    assert repo.mem("show", ident, "--json").json["fragments"][0]["confidence"] == 1.0


def test_supersede_and_undo(repo: Repo) -> None:
    """A superseded fragment has confidence 0 and is no longer found; --undo takes that back."""
    old, new = saved(repo, "old things about users"), saved(repo, "new things about users")
    assert repo.mem("supersede", old, "--by", new).out == f"superseded {old}\n"
    assert old[:8] not in repo.mem("list").out
    assert repo.mem("show", old, "--json").json["fragments"][0]["confidence"] == 0
    assert repo.mem("supersede", old, "--undo").code == 0
    assert old[:8] in repo.mem("list").out


def test_saving_under_a_key_supersedes(repo: Repo) -> None:
    """The save names what it replaced."""
    old = saved(repo, "decision:auth", AUTH)
    done = repo.mem("save", "decision:auth", "valid_email is called first")
    assert f"superseded {old} decision:auth" in done.out


def test_delete_removes_for_good(repo: Repo) -> None:
    """Several at once; then no state holds them."""
    first, second = saved(repo, "first things of users"), saved(repo, "second things of users")
    done = repo.mem("delete", first, second)
    assert done.code == 0 and done.out.splitlines() == [f"deleted {first}", f"deleted {second}"]
    assert repo.mem("list", "--all").out == ""
    assert repo.mem("delete", first).code == 1


def test_proposals_wait_for_approval(repo: Repo) -> None:
    """A proposal is listed by pending alone until it is approved; a rejected one stays out."""
    one, two = saved(repo, "note:one", "first idea", "--propose"), saved(repo, "note:two", "other idea", "--propose")
    assert repo.mem("list").out == "" and repo.mem("search", "idea").code == 1
    assert {row["id"] for row in repo.mem("pending", "--json").json["fragments"]} == {one, two}
    assert "first idea" in repo.mem("pending").out
    assert repo.mem("reject", two).out == f"rejected {two} note:two\n"
    assert repo.mem("approve", "--all").out == f"approved {one} note:one\n"
    assert repo.mem("list", "--keys").out == "note:one [note] 100%\n"
    assert repo.mem("approve", one).code == 1


# query, render


def test_query_prints_rows(repo: Repo) -> None:
    """A JSON object a line, a table on demand, a document with count and truncated."""
    for number in range(3):
        saved(repo, f"note:{number}", f"idea number {number}")
    expression = "map(memory, {key: .key, type: .type})"
    assert json.loads(repo.mem("query", expression).out.splitlines()[0]) == {"key": "note:2", "type": "note"}
    assert repo.mem("query", expression, "--table").out.splitlines()[:2] == ["key     type", "note:2  note"]
    document = repo.mem("query", expression, "--limit", "2", "--json").json
    assert (len(document["rows"]), document["count"], document["truncated"]) == (2, 3, True)
    assert repo.mem("query", 'filter(memory, .type == "error")').code == 0


def test_a_query_mistake_shows_its_place(repo: Repo) -> None:
    """The mistake is one line, and under it the query with carets at the place."""
    done = repo.mem("query", "filter(memry, .a)")
    assert done.code == 2 and done.err.splitlines()[1:] == ["filter(memry, .a)", "       ^^^^^"]
    assert repo.mem("--json", "query", "filter(memry, .a)").json["error"]["kind"] == "bad-query"


def test_render_prints_the_block(repo: Repo) -> None:
    """The block as the design shows it; nothing for an empty store; JSON as one document."""
    assert (repo.mem("render").code, repo.mem("render").out) == (0, "")
    saved(repo, "decision:auth", AUTH)
    lines = repo.mem("render").out.splitlines()
    assert lines[0] == "<memory>" and lines[-1] == "</memory>" and f"decision:auth [decision]: {AUTH}" in lines
    document = repo.mem("render", "--json").json
    assert (document["mem"], document["command"]) == (1, "render")
    assert [row["key"] for row in document["fragments"]] == ["decision:auth"]
    assert repo.mem("render", "--format", "markdown").out.startswith("## Memory")
    tight = repo.mem("render", "--budget", "20")
    assert (tight.code, tight.out) == (1, "") and len(tight.err.splitlines()) <= 2


# store


def test_export_comes_back(repo: Repo, tmp_path: Path) -> None:
    """What export wrote comes back byte for byte elsewhere; a bad line is refused and the rest is stored."""
    saved(repo, "decision:auth", AUTH)
    saved(repo, "note:two", "a < b, and more", "--propose")
    exported = repo.mem("export").out
    assert len(exported.splitlines()) == 2
    other = Repo(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    done = other.mem("import", "-", input=exported + "not json\n")
    assert done.code == 1 and done.out == "2 added, 0 updated, 0 unchanged, 0 proposed, 1 refused\n"
    assert "line 3" in done.err
    assert other.mem("export").out == exported
    assert other.mem("import", "-", input=exported).out.startswith("0 added, 0 updated, 2 unchanged")
    assert "> a < b, and more" in repo.mem("export", "--format", "markdown").out


def test_init_makes_the_store_once(repo: Repo) -> None:
    """init makes the store in the git directory, --yes installs the hooks, and again it changes nothing."""
    done = repo.mem("init")
    assert done.code == 0 and done.out == f"made {repo.path}/.git/mem\n" and "mem hooks install" in done.err
    assert repo.mem("init", "--yes").out.splitlines()[0].startswith("there already: ")
    assert repo.mem("hooks", "status").out.count("installed post-") == 4
    assert not repo.git("status", "--porcelain")


def test_hooks_come_and_go(repo: Repo) -> None:
    """install, status and uninstall name each hook; uninstall leaves the folder as it was."""
    before = sorted(os.listdir(repo.path / ".git/hooks"))
    assert repo.mem("hooks", "install").out.count("made post-") == 4
    states = repo.mem("hooks", "status", "--json").json["hooks"]
    assert {row["hook"]: row["state"] for row in states} == dict.fromkeys(
        ("post-commit", "post-merge", "post-checkout", "post-rewrite"), "installed"
    )
    assert repo.mem("hooks", "uninstall").code == 0
    assert sorted(os.listdir(repo.path / ".git/hooks")) == before


def test_the_overview(repo: Repo) -> None:
    """Bare `mem` shows counts, what is stale, what waits and the last sweep, in text and JSON."""
    assert repo.mem().code == 0
    saved(repo, "decision:auth", AUTH)
    saved(repo, "note:two", "second idea", "--propose")
    rewrite(repo)
    repo.mem("sweep")
    out = repo.mem().out
    assert "1 active, 1 proposed" in out and "decision:auth" in out and "1 await approval" in out
    document = repo.mem("--json").json
    assert document["states"] == {"active": 1, "proposed": 1} and document["pending"] == 1
    assert set(document["last_sweep"]) == {"at", "commit", "by"} and set(document) >= {"verdicts", "hooks", "agents"}


def test_stats_count(repo: Repo) -> None:
    """stats counts by state, verdict, type and scope."""
    saved(repo, "decision:auth", AUTH)
    document = repo.mem("stats", "--json").json
    assert document["types"] == {"decision": 1} and document["scopes"] == {"workspace": 1}
    assert "verdict: 1 fresh" in repo.mem("stats").out


def test_config_shows_and_sets(repo: Repo, sealed: Path) -> None:
    """Each setting with its value and origin; the repository's file beats the user's, a variable beats both."""
    assert "minimum = 0.3  (default)" in repo.mem("config").out
    repo.mem("config", "minimum", "0.2", "--user")
    assert f"minimum = 0.2  ({sealed}/.config/mem/config.toml)" in repo.mem("config").out
    assert repo.mem("config", "minimum", "0.4").out == f"minimum = 0.4  ({repo.path}/.git/mem/config.toml)\n"
    assert repo.mem("config", "minimum", "--json", MEM_MINIMUM="0.5").json["settings"] == [
        {"name": "minimum", "value": 0.5, "origin": "MEM_MINIMUM"}
    ]
    assert repo.mem("config", "minimum", "--unset").out.startswith("minimum = 0.2")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_sweep_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only on a terminal, after a second, on one line that is taken away at the end."""
    assert progress("sweeping", quiet=False) is None  # pytest's stderr is no terminal
    terminal, clock = Terminal(), iter([0.0, 0.5, 2.0, 2.01, 3.0])
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    assert progress("sweeping", quiet=True) is None
    tell = progress("sweeping", quiet=False)
    assert tell
    for done in (200, 400, 600, 800):
        tell(done, 800)
    assert terminal.getvalue() == "\rsweeping 400 of 800\x1b[K\r\x1b[K"


def test_notes_beside_an_answer(repo: Repo, tmp_path: Path) -> None:
    """A terminal hears of proposals that wait, a pipe does not; outside a repository a read says where it looks."""
    saved(repo, "note:one", "first idea", "--propose")
    assert "1 proposal wait" in on_terminal(repo, "list") and repo.mem("list").err == ""
    assert "user scope" in run_mem(tmp_path, "list").err
    assert run_mem(tmp_path, "-q", "list").err == ""


def test_paths_and_words_that_are_not_utf8(repo: Repo) -> None:
    """A path of odd bytes is an escape in JSON and quoted in text; odd bytes in a text or key are refused."""
    odd = os.fsdecode(b"caf\xe9.py")
    try:
        repo.write(odd, "LIMIT = 1\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    done = repo.mem("save", "note:odd", "LIMIT is one", "--path", odd)
    assert done.code == 0, done.err
    assert r"caf\udce9.py" in repo.mem("show", "note:odd", "--json").out
    assert '"caf\\351.py"' in repo.mem("why", "note:odd").out
    for args in (("save", odd), ("save", odd, "text"), ("save", "text", "--key", odd)):
        done = repo.mem(*args)
        assert done.code in (1, 2) and len(done.err.splitlines()) <= 2 and "fault" not in done.err
    for args in (("search", odd), ("show", odd), ("list", "--path", odd), ("query", odd)):
        assert repo.mem(*args).code in (0, 1, 2)


def test_another_commit_can_be_asked(repo: Repo) -> None:
    """`--at REV` answers about that commit's tree, on list, show, why, search and render."""
    saved(repo, "decision:auth", AUTH)
    repo.commit("base")
    rewrite(repo)
    repo.commit("rewritten")
    assert repo.mem("list", "--keys").out == ""
    assert repo.mem("list", "--keys", "--at", "HEAD~1").out == "decision:auth [decision] 100%\n"
    assert repo.mem("search", "address", "--at", "HEAD~1").code == 0 and repo.mem("search", "address").code == 1
    assert "fresh" in repo.mem("why", "decision:auth", "--at", "HEAD~1").out
    assert "decision:auth" in repo.mem("render", "--at", "HEAD~1").out and "decision:auth" not in repo.mem("render").out


def test_every_store_is_swept(repo: Repo, tmp_path: Path) -> None:
    """`--all-stores` sweeps the stores of all repositories that this user saved in."""
    other = Repo(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.commit("first", README__md="# other\n")
    saved(repo, "decision:auth", AUTH)
    saved(other, "note:readme", "README.md says what it is")
    document = repo.mem("sweep", "--all-stores", "--json").json
    assert {Path(row["path"]).name for row in document["stores"]} == {"app", "other"}
    assert all(len(row["fragments"]) == 1 for row in document["stores"])


def test_tokens_are_shown_once_they_are_counted(repo: Repo) -> None:
    """Null until somebody counted; then the exact number for the line in a block, in JSON and in queries."""
    ident = saved(repo, "fact:paging", "the API pages by fifty")
    assert repo.mem("show", ident, "--json").json["fragments"][0]["tokens"] is None
    assert repo.mem("_background", "count").code == 0
    line = "fact:paging [fact]: the API pages by fifty\n"
    expected = tokens.count(line)
    for call in (("show", ident), ("list",), ("search", "fifty"), ("why", ident)):
        assert repo.mem(*call, "--json").json["fragments"][0]["tokens"] == expected, call
    assert repo.mem("query", "map(memory, .tokens)", "--json").json["rows"] == [{"value": expected}]


def test_what_is_left_of_an_earlier_session_is_marked(repo: Repo) -> None:
    """Law 10: a session with no unfinished work of its own is shown that of the one before it, and told so."""
    saved(repo, "progress:parser", "half of the parser works", "--scope", "session", "--session", "one")
    for call in (("list",), ("search", "parser"), ("render",)):
        assert "(earlier session)" in repo.mem(*call, "--session", "two").out, call
        assert "earlier session" not in repo.mem(*call, "--session", "one").out, call
    assert repo.mem("list", "--json", "--session", "two").json["fragments"][0]["note"] == "earlier session"
