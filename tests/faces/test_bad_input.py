"""Bad input, as a user meets it: one line that names it, a hint, the right exit code, nothing stored.

A store in a bad condition: test_bad_store. A mistake in options: test_cli_commands. Configuration files: test_settings.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.cli.commands import COMMANDS
from tests.conftest import Repo, Result, run_mem
from tests.faces.black_box import AUTH, answers, listed, loaded, saved, shell, told

LONG = "x" * 100_000


def raw(repo: Repo, *args: bytes, **env: str) -> Result:
    """`mem` with arguments that are bytes."""
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"memcli", *args],
        cwd=repo.path, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


REFUSED = {
    "": "the text is empty",
    " \t ": "the text is empty",
    "bell \x07 here": "U+0007 at character 6 of the text",
    "escape \x1b[31m here": "U+001B",
    "delete \x7f here": "U+007F",
    "next line \x85 here": "U+0085",
    LONG: "100,000 bytes",
    "é" * 33_000: "66,000 bytes",
}


def test_texts_that_are_refused(repo: Repo) -> None:
    """Empty, too long, with control characters: refused by name, as an argument and on stdin, where NUL can stand."""
    for text, done in zip(REFUSED, answers(repo, *(["save", text] for text in REFUSED)), strict=True):
        told(done, 1, REFUSED[text])
    for text, word in (*list(REFUSED.items())[:3], ("nul \0 here", "U+0000")):
        told(repo.mem("save", "-", input=text), 1, word)
    assert not (repo.path / ".git/mem").exists()


def test_bytes_that_are_no_text(repo: Repo) -> None:
    """Arguments that are not UTF-8 are refused in texts and keys, and found nowhere else; they are told legibly."""
    saved(repo, "decision:auth", AUTH)
    told(raw(repo, b"save", b"a\xffb text"), 2, "byte 0xff at offset 1")
    odd = os.fsdecode(b"\xff")
    calls = (("save", odd, "text of it"), ("show", odd), ("list", "--at", odd), ("list", "--type", odd), ("query", odd),
             ("import", odd), ("-C", odd, "list"), ("config", odd), (odd,), ("list", f"--{odd}"))  # fmt: skip
    for args, done in zip(calls, answers(repo, *calls), strict=True):
        assert done.code in (1, 2) and not done.out and len(done.err.splitlines()) <= 3, (args, done)
        assert done.err.startswith("mem: ") and "fault" not in done.err, (args, done)
    assert [done.code for done in answers(repo, ("search", odd), ("list", "--path", odd), ("list", "--all"))] == [
        1,
        0,
        0,
    ]
    assert len(listed(repo, "--all")) == 1


def test_what_a_line_quotes_is_cut(repo: Repo) -> None:
    """A huge argument is refused or not found in a line of a screen or two, wherever it stands."""
    saved(repo, "decision:auth", AUTH)
    calls = (
        ("show", LONG), ("save", "--key", LONG, "text of it"), ("save", "text of it", "--ref", LONG), (LONG,),
        ("list", f"--{LONG}"), ("list", "--at", LONG), ("list", "--type", LONG), ("sweep", "--every", LONG),
        ("sweep", "--cron", LONG), ("import", LONG), ("-C", LONG, "list"), ("query", LONG), ("config", LONG),
        ("config", "minimum", LONG), ("completion", LONG), ("hooks", LONG), ("render", "--encoding", LONG),
        ("sweep", "--every", "9" * 5_000 + "s"),
        ("query", "9" * 5_000), ("list", "--limit", "9" * 5_000), ("list", "--min-confidence", "9" * 5_000),
    )  # fmt: skip
    for args, done in zip(calls, answers(repo, *calls), strict=True):
        assert done.code in (1, 2) and not done.out and len(done.err) < 2_000, (args[:2], len(done.err), done.err[:200])
    many = (("search", LONG), ("search", *(["word"] * 5_000)), ("list", "--path", LONG), ("render", "--path", LONG))
    assert all(done.code in (0, 1) and "fault" not in done.err for done in answers(repo, *many))
    assert len(listed(repo, "--all")) == 1
    assert repo.mem("save", "lines of it", "--path", f"README.md:{'9' * 5_000}").code == 0


ENDS = (
    ("list", "--limit", "9" * 30),
    ("search", "address", "--limit", "9" * 30),
    ("pending", "--limit", "9" * 30),
    ("list", "--min-confidence", "nan"),
    ("save", "text of it", "--confidence", "nan"),
    ("save", "text of it", "--confidence", "inf"),
    ("list", "--limit", "0"),
    ("list", "--limit", "-1"),
    ("sweep", "--since", ""),
    ("list", "--at", ""),
    ("list", "--at", "--all"),
    ("list", "--path", ""),
    ("render", "--window", "10", "--reserve", "99"),
    ("config", "minimum", "nan"),
    ("sweep", "--every", "0s"),
    ("sweep", "--every", "999999999999d"),
)


def test_numbers_and_names_at_their_ends(repo: Repo) -> None:
    """Too big, too small, no number at all, empty: a usage error in plain characters."""
    saved(repo, "decision:auth", AUTH)
    for args, done in zip(ENDS, answers(repo, *ENDS), strict=True):
        assert done.code == 2, (args, done)
        told(done, 2)
        assert "&gt;" not in done.err and "&lt;" not in done.err
    assert len(listed(repo, "--all")) == 1


def test_huge_budgets_are_budgets(repo: Repo) -> None:
    """A budget or a query's limit beyond every machine word is just large."""
    saved(repo, "decision:auth", AUTH)
    assert AUTH in repo.mem("render", "--budget", "9" * 30).out
    done = repo.mem("query", "memory", "--limit", "9" * 30)
    assert done.code == 0 and len(done.out.splitlines()) == 1 and "cut to 500" in done.err


def test_places_that_lead_out(repo: Repo, tmp_path: Path) -> None:
    """Above, absolute, through a link, into .git: refused, unread; and nothing is stored."""
    (tmp_path / "secret.txt").write_text("create_user\n")
    (repo.path / "out").symlink_to(tmp_path)
    paths = ("../secret.txt", "/etc/passwd", "out/secret.txt", ".git/config", "src/../../secret.txt", "a\nb/../..")
    for done in answers(repo, *(("save", "text of create_user", "--path", path) for path in paths)):
        told(done, 2)
    assert not (repo.path / ".git/mem").exists()


def test_a_place_that_is_not_there_is_a_warning(repo: Repo) -> None:
    """A path, a symbol, lines beyond the end: saved, exit 0, and the warning says what it is anchored to instead."""
    for path, word in (
        ("nothere.py", "nothere.py is not there"),
        ("src/users.py#nosuch", "no definition of nosuch"),
        ("src/users.py:900-1000", "anchored to the whole file"),
    ):
        done = repo.mem("save", f"text about case {len(word)}", "--path", path)
        assert done.code == 0 and word in done.err and len(done.err.splitlines()) == 1, done
    told(repo.mem("save", "text about lines", "--path", "src/users.py:9-3"), 2, "no such lines")


def test_ids_that_mean_none_or_several(repo: Repo) -> None:
    """Unknown is 1, the beginning of several is 2, on every command that takes an id; half of a list is not done."""
    one, two = "kkkkkkkkkkkkkkkk", "kkkkkkkklkkkkkkk"
    loaded(repo, [{"id": one, "text": "the first of two"}, {"id": two, "text": "the second of two"}])
    for verb in ("show", "why", "confirm", "delete", "approve", "reject"):
        unknown, several, none = answers(repo, (verb, "nosuch"), (verb, "kkkk"), (verb, ""))
        told(unknown, 1, "nosuch")
        told(several, 2, "kkkk")
        told(none, 1)
    calls = (("supersede", "nosuch", "--by", one), ("supersede", one, "--by", "kkkk"), ("save", "new", "--ref", "kkkk"),
             ("delete", one, "nosuch"), ("confirm", one, "nosuch"))  # fmt: skip
    assert [done.code for done in answers(repo, *calls)] == [1, 2, 2, 1, 1]
    assert {fragment["state"] for fragment in listed(repo, "--all")} == {"active"} and len(listed(repo)) == 2
    for ident in (one, one[:9], two[:9].upper()):
        assert repo.mem("show", ident).code == 0


def test_closed_streams(repo: Repo) -> None:
    """With stdin, stdout or both closed from the start, whatever is asked is done or refused in order."""
    done = shell(
        repo,
        """
        $mem save - <&-; echo $?; $mem import - <&-; echo $?
        $mem save 'text with stdout closed' >&-; echo $?; $mem list >&-; echo $?
        $mem save 'text with all of them closed' <&- >&- 2>&-; echo $?
        $mem show nosuch 2>&-; echo $?; $mem show nosuch --json >&-; echo $?; $mem init <&- >&- ; echo $?
        """,
    )
    assert done.out.split() == ["2", "2", "0", "0", "0", "1", "1", "0"], done
    assert "fault" not in done.err and "Traceback" not in done.err
    assert sum(line.startswith("mem: there is no stdin") for line in done.err.splitlines()) == 2
    assert len(listed(repo)) == 2


def test_a_reader_that_leaves(repo: Repo) -> None:
    """`mem list | head -1` ends with 0 and without a word, however much was left to say."""
    rows = "".join(f'{{"text": "fragment {number} {"y" * 200}"}}\n' for number in range(2_000))
    assert repo.mem("import", "-", input=rows).code == 0
    commands = ("list", "list --json", "list --jsonl", "query memory --limit 500", "export", "search fragment -n 2000",
                "export --format markdown")  # fmt: skip
    script = "\n".join(f'$mem {command} | head -c 300 >/dev/null; echo "${{PIPESTATUS[0]}}"' for command in commands)
    done = shell(repo, script)
    assert (done.out.split(), done.err) == (["0"] * len(commands), "")


def test_a_full_disk_behind_stdout(repo: Repo) -> None:
    """An answer that can't be written is 2 and says so; what was stored before it is stored, once."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = shell(
        repo, "for i in 1 2; do $mem save 'text to a full disk' >/dev/full; echo $?; done; $mem list >/dev/full"
    )
    assert done.out.split() == ["2", "2"] and done.code == 2
    assert done.err.count("mem: the output can't be written: ") == 3 and len(done.err.splitlines()) == 6
    assert len(listed(repo)) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEM_MINIMUM", "high"),
        ("MEM_FLOOR", "2"),
        ("MEM_BUDGET", "-4"),
        ("MEM_SEARCH_LIMIT", "0"),
        ("MEM_ENABLED", "perhaps"),
        ("MEM_APPROVE_PERSON_WORKSPACE", "never"),
    ],
)
def test_variables_that_make_no_sense(repo: Repo, name: str, value: str) -> None:
    """One line with the variable's name, on reads and writes; a hook and a completion say nothing at all."""
    saved(repo, "decision:auth", AUTH)
    for done in answers(repo, ("list",), ("save", "new text of it"), ("render",), (), **{name: value}):
        told(done, 2, name)
    for done in answers(repo, ("hook", "git", "post-commit"), ("_complete", "ids", "d"), ("_background", "sweep"),
                        **{name: value}):  # fmt: skip
        assert (done.code, done.err) == (0, "")
    assert len(listed(repo)) == 1


def test_variables_that_are_odd_and_harmless(repo: Repo) -> None:
    """An author, session or unknown variable of anything is stored or passed over, and shown without its tricks."""
    odd = "A<b>B\u202e"
    ident = saved(repo, "scope session text", "--scope", "session", MEM_SESSION=odd, MEM_AUTHOR=odd, MEM_NOSUCH=odd)
    out = repo.mem("show", ident).out
    assert "\x1b" not in out and "\u202e" not in out and "<" not in out and "A&lt;b&gt;B" in out
    assert repo.mem("list", MEM_SESSION=odd).out.count(ident[:8]) == 1 and repo.mem("list").out == ""
    assert raw(repo, b"save", b"another text", MEM_AUTHOR=os.fsdecode(b"a\xff")).code == 0
    assert repo.mem("export").code == repo.mem("export", "--format", "markdown").code == 0


def test_a_configuration_that_is_broken(repo: Repo) -> None:
    """Every command that needs it says which file and why, and the hint helps; help, hooks and version go on."""
    saved(repo, "decision:auth", AUTH)
    config = repo.path / ".git/mem/config.toml"
    for content in (b"[a", b"minimum = 'x'", b"\xff\xfe", b"nosuchkey = 1"):
        config.write_bytes(content)
        for done in answers(repo, ("list",), ("save", "new text of it"), ("config",), ()):
            told(done, 2, str(config))
            assert "`mem config`" not in done.err, "a hint that leads back to the same error"
    for done in answers(repo, ("--help",), ("--version",), ("hook", "git", "post-commit"), ("hooks", "status")):
        assert done.code == 0
    config.unlink()
    assert len(listed(repo)) == 1


def test_no_home_and_no_git(repo: Repo, sealed: Path, tmp_path: Path) -> None:
    """Without HOME everything works; without git on PATH so does what needs only the store, and the rest says so."""
    ident = saved(repo, "decision:auth", AUTH)
    empty = tmp_path / "bin"
    empty.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "HOME"} | {"XDG_DATA_HOME": str(sealed)}

    def bare(*args: str, **more: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "memcli", *args], cwd=repo.path, env={**env, **more}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    assert AUTH in bare("list").out and bare("save", "another text of it").code == 0
    pathless = {"PATH": str(empty)}
    for args in (["list"], ["search", "address"], ["show", ident], ["why", ident], ["render"], ["stats"], ["export"]):
        done = bare(*args, **pathless)
        assert (done.code, done.err) == (0, ""), (args, done)
    for args in (["confirm", ident], ["list", "--at", "HEAD"], ["sweep", "--since", "HEAD"]):
        told(bare(*args, **pathless), 2, "the git program was not found")


def test_somebody_elses_repository(repo: Repo) -> None:
    """Git's own words and hint, exit 2, and no store is made in it."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    for args in (("list",), ("save", "text of it"), ("hooks", "install"), ()):
        done = repo.mem(*args)
        told(done, 2, "dubious ownership")
        assert "hint: git config --global --add safe.directory" in done.err
    assert not (repo.path / ".git/mem").exists() and repo.mem("hook", "git", "post-commit") == (0, "", "")


def test_odd_locales(repo: Repo) -> None:
    """Texts are UTF-8 whatever the locale says, in and out, as arguments and on stdin."""
    for number, locale in enumerate(("C", "POSIX", "en_US.ISO-8859-1", "nonsense")):
        assert repo.mem("save", f"naïve café 見出し {number}", LC_ALL=locale).code == 0
        assert repo.mem("save", "-", input=f"Ünïcode on stdin {number}", LC_ALL=locale).code == 0
        out = repo.mem("list", LC_ALL=locale).out
        assert f"naïve café 見出し {number}" in out and f"Ünïcode on stdin {number}" in out
    narrow = repo.mem("save", "Größe in a narrow locale", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert narrow.code == 0 and "Größe in" in repo.mem("list").out


def test_unknown_words_everywhere(repo: Repo) -> None:
    """Each command of the table refuses an option that it does not have, and a word too many or too few, with 2."""
    calls = [[*command.name.split(), "--nosuch-option"] for command in COMMANDS]
    for done in answers(repo, *calls):
        told(done, 2, "--nosuch-option")
    words = (("list", "word"), ("show",), ("stats", "word"), ("pending", "word"), ("completion", "csh"), ("import",),
             ("init", "word"), ("export", "word"), ("sweep", "word"), ("hooks", "status", "word"))  # fmt: skip
    for done in answers(repo, *words):
        told(done, 2)


def test_two_thousand_are_listed(repo: Repo) -> None:
    """A listing has no hidden limit, and says the same in text, JSON and query."""
    rows = "".join(f'{{"text": "fragment {number} of it", "key": "note:{number}"}}\n' for number in range(2_000))
    assert repo.mem("import", "-", input=rows).out.startswith("2000 added")
    assert len(repo.mem("list").out.splitlines()) == 2_000 == len(listed(repo))
    assert repo.mem("query", "memory", "--json").json["count"] == 2_000
    assert len(repo.mem("export").out.splitlines()) == 2_000
    assert len(repo.mem("search", "fragment", "-n", "2000").out.splitlines()) == 2_001


def test_a_folder_without_permission(repo: Repo, tmp_path: Path) -> None:
    """A -C that can't be entered is told as the system tells it."""
    (tmp_path / "file").write_text("x")
    for folder in (str(tmp_path / "file"), str(tmp_path / "none"), ""):
        done = run_mem(repo.path, "-C", folder, "list")
        assert (done.code == 0) if not folder else done.code == 2, (folder, done)
