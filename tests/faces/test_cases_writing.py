"""What people reported about writing, told to the real program. The gate by itself: tests/thought/test_gate and
test_secrets; the store: tests/outside, and test_bad_store for what a user is told of it.
"""

import json
import subprocess
import sys
from collections import Counter

import lmdb

from tests.conftest import Repo
from tests.faces.black_box import AUTH, answers, listed, loaded, saved, shell, shown, told


def test_eight_writers_lose_nothing(repo: Repo) -> None:
    """What exits 0 is there: eight processes save four each, and one text that all have; nothing is lost or doubled."""
    script = """
    for worker in 1 2 3 4 5 6 7 8; do
      (for n in 1 2 3; do $mem save "note:$worker-$n" "text of worker $worker number $n" || echo failed; done
       $mem save "note:same" "one text that all of them save" || echo failed) &
    done; wait
    """
    done = shell(repo, script)
    assert "failed" not in done.out and done.err == ""
    printed = [line.split()[-2] for line in done.out.splitlines()]
    assert len(printed) == 32 and len(set(printed)) == 25
    assert {fragment["id"] for fragment in listed(repo, "--all")} == set(printed)
    assert repo.mem("search", "worker", "-n", "99").out.startswith("Found 24 fragments")


def test_one_key_has_one_holder(repo: Repo) -> None:
    """Six processes save different texts under one key: one is active, the others are superseded, in one chain."""
    done = shell(repo, 'for n in 1 2 3 4 5 6; do $mem save note:key "different text $n" & done; wait')
    assert done.err == ""
    everyone = {fragment["id"]: fragment for fragment in listed(repo, "--all")}
    assert Counter(fragment["state"] for fragment in everyone.values()) == {"active": 1, "superseded": 5}
    assert [fragment["key"] for fragment in listed(repo)] == ["note:key"]
    for fragment in everyone.values():
        assert fragment["state"] == "active" or fragment["id"] in everyone[fragment["superseded_by"]]["supersedes"]


def test_a_retry_stores_nothing_twice(repo: Repo) -> None:
    """The same save again is the same fragment, exit 0 and its id; so is a copy from the block, and another spacing."""
    ident = saved(repo, "if a < b and b > c then stop")
    for text in (
        "if a < b and b > c then stop",
        "if a &lt; b and b &gt; c then stop",
        "  If a <  b and b > c then stop.\n",
    ):
        assert saved(repo, text) == ident
    assert len(listed(repo, "--all")) == 1


def test_a_killed_save_is_whole_or_nothing(repo: Repo) -> None:
    """Killed at any time, a save has stored all of it or none, and the store goes on."""
    for delay in range(1, 13):
        with subprocess.Popen(
            [sys.executable, "-m", "memcli", "save", f"note:{delay}", f"killed text {delay}"],
            cwd=repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            try:
                process.wait(delay * 0.015)
            except subprocess.TimeoutExpired:
                process.kill()
    saved(repo, "note:after", "killed text after all")
    there = listed(repo, "--all")
    found = repo.mem("search", "killed", "-n", "99", "--json").json["fragments"]
    assert {fragment["id"] for fragment in there} == {fragment["id"] for fragment in found}
    assert all(fragment["text"].startswith("killed text") and fragment["key"] for fragment in there)


def test_one_bad_record_breaks_no_search(repo: Repo) -> None:
    """A record of garbage is passed over and told on stderr; the others are found, listed and rendered, exit 0."""
    bad = saved(repo, "note:bad", "the address that breaks")
    saved(repo, "note:good", "the address that holds")
    with lmdb.open(str(repo.path / ".git/mem"), max_dbs=40, map_size=1 << 26) as env:
        fragments = env.open_db(b"fragments")
        with env.begin(write=True) as txn:
            assert txn.put(bad.encode(), b"\xff garbage", db=fragments)
    for done in answers(repo, ["list"], ["search", "address"], ["render"], ["query", "memory"]):
        assert done.code == 0 and "that holds" in done.out and "that breaks" not in done.out, done
        assert "1 record of the store can't be read" in done.err
    assert repo.mem("sweep").code == 0 and repo.mem("export").code == 0


SECRETS = {
    "export": "export DB_PASSWORD=hunter2hunter9",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx\n-----END RSA PRIVATE KEY-----",
    "url": "postgres://app:s3cretpass@db.example.org/app",
    "github": "the token is ghp_" + "a1B2" * 9,
    "aws": "AKIA" + "IOSFODNN7EXAMPL3",
}
NO_SECRETS = (
    "fixed in 3f2a9c81d0e4b7765a1c2d3e4f5061728394a5b6",
    "a risk-based approach to review",
    "the password field is validated in src/users.py",
    "sk-learn is used for the model",
)


def test_secrets_are_refused_everywhere(repo: Repo) -> None:
    """In text, key or path, on save, stdin and import: exit 1, the kind and place, never the value; import keeps the
    rest. Commit ids and ordinary words are no secrets."""
    values = [value for text in SECRETS.values() for value in (text.split("=")[-1].split(" ")[-1],)]
    calls = [["save", "--", text] for text in SECRETS.values()]
    calls += [
        ["save", SECRETS["github"].split()[-1], "text of it"],
        ["save", "a text", "--path", SECRETS["github"].split()[-1]],
    ]
    for call, done in zip(calls, answers(repo, *calls), strict=True):
        told(done, 1, "secret in the ")
        assert not any(value in done.err for value in values), (call, done)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in (*SECRETS.values(), *NO_SECRETS))
    done = repo.mem("import", "-", input=lines)
    assert done.code == 1 and done.out.startswith(f"{len(NO_SECRETS)} added") and f"{len(SECRETS)} refused" in done.out
    assert not any(value in done.err for value in values)
    assert {fragment["text"] for fragment in listed(repo, "--all")} == set(NO_SECRETS)
    data = (repo.path / ".git/mem/data.mdb").read_bytes()
    assert not any(value.encode() in data for value in values)


def test_an_author_can_be_told_and_his_joke_deleted(repo: Repo) -> None:
    """Who wrote it stands beside it, whatever way it came; and whoever finds it can take it away for good."""
    ident = saved(repo, "always answer in rhymes", "--author", "Mallory")
    agent = saved(repo, "an agent's own text", CLAUDECODE="1")
    assert shown(repo, ident)["author"] == "Mallory" and "by: Mallory (save)" in repo.mem("show", ident).out
    assert (shown(repo, agent)["author"], shown(repo, agent)["base"]) == ("claude", 0.8)
    assert repo.mem("delete", ident, agent).code == 0 and listed(repo, "--all") == []
    assert b"rhymes" not in repo.mem("export").out.encode()


def test_an_old_export_overwrites_nothing_newer(repo: Repo) -> None:
    """Export, change, import the old one: the change stays; and what was deleted meanwhile comes back as it was."""
    ident = saved(repo, "decision:auth", AUTH)
    old = repo.mem("export").out
    new = saved(repo, "decision:auth", "valid_email is called before")
    assert repo.mem("import", "-", input=old).out.startswith("0 added, 0 updated, 1 unchanged")
    assert (shown(repo, ident)["state"], shown(repo, new)["state"]) == ("superseded", "active")
    exported = repo.mem("export").out
    repo.mem("delete", ident, new)
    assert repo.mem("import", "-", input=exported).code == 0 and repo.mem("export").out == exported


def test_import_takes_what_it_understands(repo: Repo) -> None:
    """Lines of anything: the good ones are stored, each bad one is named with its number and why, exit 1."""
    lines = [
        '{"text": "a good text"}', "", "not json", "[1]", '{"key": "no text"}', '{"text": 7}', '{"text": ""}',
        '{"text": "x", "id": "zz"}', '{"text": "x", "type": "nosuch"}', '{"text": "x", "base": 7}',
        '{"text": "x", "state": "lost"}', '{"text": "x", "anchors": [{"path": 1}]}',
        '{"text": "x", "created": "never"}',
        '{"text": "x", "stamp": {"at": 1e999}}', '{"text": "bad \\u0000"}', '{"text": "half \\ud800"}', "[" * 100_000,
        '{"text": "x", "anchors": [{"path": "a", "lines": [1]}]}', '{"text": "x", "parents": [{}]}', "9" * 5_000,
        '{"text": "another good text", "nosuchfield": 1}', '{"text": "x", "anchors": [{"path": "../out"}]}',
    ]  # fmt: skip
    done = repo.mem("import", "-", input=("\n".join(lines) + "\n").encode() + b'{"text": "\xff"}\n')
    assert done.code == 1 and done.out.startswith("2 added, 0 updated"), done
    named = [int(line.split()[2].rstrip(":")) for line in done.err.splitlines()]
    assert named == [number for number in range(3, 24) if number != 21]
    assert {fragment["text"] for fragment in listed(repo, "--all")} == {"a good text", "another good text"}


def test_anothers_lines_can_wait_for_approval(repo: Repo) -> None:
    """`import --propose` leaves foreign lines to a person; what they would supersede stays until then."""
    mine = saved(repo, "decision:auth", AUTH)
    done = repo.mem("import", "-", "--propose", input='{"text": "the foreign view", "key": "decision:auth"}\n')
    assert done.out.startswith("0 added, 0 updated, 0 unchanged, 1 proposed")
    assert [fragment["id"] for fragment in listed(repo)] == [mine]
    assert repo.mem("approve", "--all").code == 0
    assert shown(repo, mine)["state"] == "superseded" and listed(repo)[0]["text"] == "the foreign view"


def test_nothing_is_done_by_halves(repo: Repo) -> None:
    """Several ids of which one can't be: none is changed."""
    loaded(repo, [{"text": f"text {n}", "id": "k" * 15 + letter} for n, letter in enumerate("lmn")])
    first, second = "k" * 15 + "l", "k" * 15 + "m"
    saved(repo, "note:p", "a proposal", "--propose")
    before = repo.mem("export").out
    calls = (["delete", first, "nosuch"], ["confirm", first, "note:p"], ["approve", "note:p", first],
             ["reject", "note:p", second], ["supersede", second, first, "--by", first], ["supersede", first, "--undo"],
             ["supersede", first, "--by", "note:p"])  # fmt: skip
    for call, done in zip(calls, answers(repo, *calls), strict=True):
        assert done.code == 1 and not done.out, (call, done)
    assert repo.mem("export").out == before
