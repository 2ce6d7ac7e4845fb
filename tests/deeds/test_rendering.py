"""Rendering as a deed: what is counted ahead, and kept."""

import memcli
from memcli import read, rendering, tokens
from memcli.context import Context
from memcli.model import View
from tests.conftest import Repo
from tests.faces.black_box import loaded, saved, told


def test_counting_keeps_the_count_of_each_line(repo: Repo) -> None:
    """One look-up tells a render what a line costs, and it is the number that tiktoken gives."""
    memory = memcli.open(repo.path)
    views = [memory.save(f"fact {number} about `create_user`", f"fact:{number}").view for number in range(5)]
    with memory._context() as ctx:
        rendering.count_all(ctx)
    with memory._context() as ctx:
        counted = rendering.options_for(ctx, rendering.Wanted(), 400).counted
        assert counted is not None
        for view in views:
            assert counted(view) == tokens.count(f"{view.key} [fact]: {view.text}\n")
    memory.save("another text", "fact:0")
    with memory._context() as ctx:
        counted = rendering.options_for(ctx, rendering.Wanted(), 400).counted
        assert counted is not None
        assert counted(memory_view(ctx, "fact:0")) is None


def memory_view(ctx: Context, key: str) -> View:
    return read.view(ctx, read.pick(ctx, key))


def test_explain_tells_of_each_fragment_why_it_is_in_or_out(repo: Repo) -> None:
    """What has room and by which merit, what had none, what is below the minimum, what was not looked at."""
    saved(repo, "progress:users", "users are half written")
    saved(repo, "preference:tabs", "indent with tabs")
    saved(repo, "preference:giant", "giant words " * 200)
    saved(repo, "note:gone", "src/users.py is the best file")
    repo.git("rm", "-q", "src/users.py")
    done = repo.mem("render", "--explain", "--budget", "200", "--prompt", "tabs")
    lines = done.out.splitlines()
    assert lines[:4] == [
        "in  progress:users [progress] 100%: the work to resume",
        "in  preference:tabs [preference] 100%: fits the prompt",
        "out preference:giant [preference] 100%: left out: no room",
        "out note:gone [note] 23%: below the minimum confidence",
    ]
    used = tokens.count(repo.mem("render", "--budget", "200", "--prompt", "tabs").out)
    assert lines[4].endswith(" of 200 tokens") and used <= int(lines[4].split()[0]) <= 200
    document = repo.mem("render", "--explain", "--budget", "200", "--json").json
    assert [(row["key"], row["in"]) for row in document["fragments"]][-1] == ("note:gone", False)
    assert document["budget"] == 200 and document["unseen"] == 0
    loaded(repo, ({"text": f"a short text of no great matter, number {n}"} for n in range(500)))
    assert "further fragments: not looked at" in repo.mem("render", "--explain", "--budget", "200").out


def test_a_window_less_the_reserve_and_the_prompt(repo: Repo) -> None:
    """The budget of a model's window; with --budget the smaller of the two; a long prompt is counted, not measured."""
    loaded(repo, ({"text": f"a short text of no great matter, number {n}"} for n in range(200)))

    def budget(*args: str) -> int:
        return int(repo.mem("render", "--explain", "--json", *args).json["budget"])

    assert budget("--window", "2000", "--reserve", "500") == 1500
    assert budget("--window", "2000", "--reserve", "500", "--budget", "300") == 300
    assert budget("--window", "900", "--budget", "1000") == 900
    long = "many more words than fit a tenth " * 20
    assert budget("--window", "2000", "--prompt", long) == 2000 - tokens.count(long)
    assert 1980 <= budget("--window", "2000", "--prompt", "a few words") < 2000
    told(repo.mem("render", "--window", "100", "--reserve", "100"), 2, "budget")
    told(repo.mem("render", "--window", "100", "--prompt", long), 2, "budget")
