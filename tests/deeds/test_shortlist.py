"""What a block is chosen from: found by type, word, path and time, checked against the tree, bounded by the budget."""

import json
from typing import Any

import pytest

import memcli
from memcli import rendering, shortlist
from memcli.model import View
from tests.conftest import Repo

HOUR = 3_600_000
NOW = 1_700_000_000_000
LONG = "a sentence of quite ordinary words that takes some room in any block, whatever it may be about, and number"


def chosen(repo: Repo, budget: int = 1500, prompt: str = "", path: str | None = None) -> shortlist.Shortlist:
    with memcli.open(repo.path, now=NOW)._context() as ctx:
        return shortlist.shortlist(ctx, budget, prompt, path)


def keys(views: tuple[View, ...]) -> list[str | None]:
    return [view.key for view in views]


def saved(repo: Repo, hours: int, text: str, key: str, **options: Any) -> str:
    """Save something so many hours ago; its id."""
    return memcli.open(repo.path, now=NOW - hours * HOUR).save(text, key, **options).view.id


def filled(repo: Repo, number: int) -> None:
    """Many notes, the first the oldest, all older than an hour."""
    lines = [
        json.dumps({"text": f"{LONG} {n}", "key": f"note:n{n}", "created": NOW - HOUR - (number - n) * 1000})
        for n in range(number)
    ]
    memcli.open(repo.path).import_lines(lines)


def test_all_of_a_small_store(repo: Repo) -> None:
    """Every fragment that may be shown is on the list, and none is said to be unseen."""
    filled(repo, 7)
    found = chosen(repo)
    assert len(found.views) == 7 and found.unseen == 0 and not found.hidden


def test_of_a_large_store_as_much_as_the_budget_asks_for(repo: Repo) -> None:
    """The newest ones first, enough to choose from, more for a larger budget; the others are counted."""
    filled(repo, 900)
    small, large, whole = (chosen(repo, budget) for budget in (300, 900, 100_000))
    assert len(small.views) < len(large.views) < len(whole.views) == 900
    assert keys(small.views)[0] == "note:n899"
    for found in (small, large, whole):
        assert len(found.views) + found.unseen == 900
        assert sum(len(view.text.split()) for view in found.views) > 3 * 300


def test_the_work_and_the_error_are_found_behind_any_number(repo: Repo) -> None:
    """Old as they are: the unfinished work with what it is derived from and what depends on it, the unresolved error;
    what is finished or handled is passed over."""
    prompt = saved(repo, 90, "add an endpoint for users", "prompt:build")
    tool = saved(repo, 89, "wrote the handlers", "tool:write", refs=(prompt,))
    work = saved(repo, 88, "it compiles, tests pending", "result:build", refs=(tool,))
    below = saved(repo, 87, "use one handler for all of them", "decision:one", refs=(work,))
    saved(repo, 86, "and one table", "decision:table", refs=(below,))
    saved(repo, 85, "login times out", "error:login")
    saved(repo, 84, "logout times out: fixed", "error:logout")
    saved(repo, 83, "parser finished", "progress:parser")
    filled(repo, 400)
    found = keys(chosen(repo, 300).views)
    assert {"prompt:build", "tool:write", "result:build", "decision:one", "decision:table", "error:login"} <= {*found}
    assert not {"error:logout", "progress:parser"} & {*found}


def test_what_depends_is_found_until_there_is_enough(repo: Repo) -> None:
    """Of hundreds that hang off one piece of work the newest are looked at."""
    work = saved(repo, 90, "it compiles, tests pending", "result:build")
    for number in range(80):
        saved(repo, 80 - number, f"{LONG} {number}", f"fact:f{number}", refs=(work,))
    filled(repo, 400)
    found = keys(chosen(repo, 200).views)
    assert "fact:f79" in found and "fact:f0" not in found


def test_words_of_the_prompt_are_found_behind_any_number(repo: Repo) -> None:
    """Whole words of text and key, identifiers by their parts, stop words aside; the key's come first."""
    saved(repo, 90, "the users table has no index", "note:k")
    saved(repo, 90, "nothing else is in it", "user:table")
    saved(repo, 90, "superusers and tabletops", "note:m")
    saved(repo, 90, "the and of is it there", "note:n")
    saved(repo, 90, "createUser fails on Mondays", "note:p")
    filled(repo, 400)
    found = chosen(repo, 200, "What is the USER table of the app?")
    fit = {view.key: found.relevance[view.id] for view in found.views if view.id in found.relevance}
    assert fit.keys() == {"note:k", "user:table", "note:p"}
    assert [key for key, (in_key, _) in fit.items() if in_key] == ["user:table"]
    assert fit["note:k"][1] > fit["note:p"][1]


def test_the_type_in_a_key_fits_no_prompt(repo: Repo) -> None:
    """`note` in a prompt is a word of the text or none: otherwise it would lift every key that begins with it."""
    saved(repo, 90, "cables of the piano", "note:cables")
    saved(repo, 90, "a note on pianos", "decision:x")
    found = chosen(repo, prompt="write a note about cables")
    in_key = {view.key: found.relevance[view.id][0] for view in found.views if view.id in found.relevance}
    assert in_key == {"note:cables": True, "decision:x": False}


def test_a_prompt_of_a_million_characters(repo: Repo) -> None:
    """Its beginning and its end count; it is only words to look for."""
    saved(repo, 90, "a needle in it", "note:l")
    saved(repo, 90, "a haystack", "note:m")
    filled(repo, 400)
    hay = " ".join(f"word{n}" for n in range(130_000))
    for prompt in (f"{hay} needle", f"needle {hay}"):
        found = chosen(repo, 200, prompt)
        assert [view.key for view in found.views if view.id in found.relevance] == ["note:l"]


def test_what_is_about_a_path_is_found_where_it_is_now(repo: Repo) -> None:
    """A file, what lies below a folder, and what was renamed into it; not what only looks like it."""
    repo.commit(**{"api/a__py": "def a():\n    return 1\n", "api2/b__py": "def b():\n    return 2\n"})
    repo.commit(old__py="\n".join(f"def f{n}():\n    return {n}\n" for n in range(9)))
    saved(repo, 90, "a is first", "note:a", path="api/a.py")
    saved(repo, 90, "b is second", "note:b", path="api2/b.py")
    saved(repo, 90, "old is last", "note:old", path="old.py")
    filled(repo, 400)
    repo.git("mv", "old.py", "api/new.py")
    repo.commit("moved")
    found = keys(chosen(repo, 200, path="api").views)
    assert {"note:a", "note:old"} <= {*found} and "note:b" not in found


def test_a_path_in_focus_is_found_beside_a_prompt_that_much_fits(repo: Repo) -> None:
    """However much fits the prompt better: what is about the path is looked at, and what fits too comes first."""
    saved(repo, 90, "users are ordinary", "note:users", path="src/users.py")
    filled(repo, 400)
    found = chosen(repo, 200, "ordinary words about a sentence", "src")
    (about,) = (view for view in found.views if view.key == "note:users")
    assert about.id in found.relevance
    block = memcli.open(repo.path, now=NOW).render(200, prompt="ordinary words about a sentence", path="src")
    assert "note:users [note]" in block


def test_what_is_below_the_minimum_makes_room_for_the_next(repo: Repo) -> None:
    """The file of the newest is gone: they are hidden, and older ones take their place; nobody swept."""
    filled(repo, 40)
    for number in range(30):
        saved(repo, 0, f"src/users.py has {LONG} {number}", f"fact:f{number}")
    repo.git("rm", "-q", "src/users.py")
    found = chosen(repo, 200)
    assert {*keys(found.hidden)} == {f"fact:f{number}" for number in range(30)}
    assert "note:n39" in keys(found.views)
    assert len(found.views) + found.unseen == 40


@pytest.mark.parametrize("budget", [200, 1500])
@pytest.mark.parametrize(
    "wanted", [{}, {"prompt": "users of the block"}, {"path": "src"}, {"prompt": "the block", "path": "src"}]
)
def test_a_sweep_changes_no_block(repo: Repo, budget: int, wanted: dict[str, str]) -> None:
    """Law 9: swept or not, the block of the tree as it is now is the same, byte for byte."""
    repo.commit(**{"src/a__py": "def alpha():\n    return 1\n", "src/b__py": "def beta():\n    return 2\n"})
    for number in range(60):
        name = "ab"[number % 2]
        saved(repo, number, f"`{'alpha' if name == 'a' else 'beta'}` has {LONG} {number}", f"fact:f{number}",
              path=f"src/{name}.py")  # fmt: skip
    saved(repo, 70, "src/users.py is half written", "progress:users")
    filled(repo, 200)
    memory = memcli.open(repo.path, now=NOW)
    for change in (lambda: repo.git("rm", "-q", "src/a.py"), lambda: repo.write("src/b.py", "def gamma():\n    pass\n"),
                   lambda: repo.git("mv", "src/users.py", "src/people.py")):  # fmt: skip
        change()
        before = memory.render(budget, **wanted)
        memory.sweep()
        assert memory.render(budget, **wanted) == before
        with memory._context() as ctx:
            rendering.count_all(ctx)
        assert memory.render(budget, **wanted) == before
