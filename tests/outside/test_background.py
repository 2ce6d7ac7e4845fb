"""The detached child, and the turns that processes take at one store."""

import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli import background
from tests.standin import StandIn


@pytest.fixture
def standin(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def test_child_is_cut_off_from_its_starter(standin: StandIn, tmp_path: Path) -> None:
    """The child runs in the folder, in a session of its own, with no stream of ours, and isn't our child."""
    assert background.start(["sweep", "--reason", "x y"], standin.env, str(tmp_path))
    facts = standin.facts
    assert facts["args"] == ["_background", "sweep", "--reason", "x y"]
    assert Path(facts["cwd"]) == tmp_path.resolve()
    assert facts["null"] == [True, True, True]
    assert facts["session"] != os.getsid(0)
    assert facts["parent"] != os.getpid()


def test_child_keeps_no_descriptor_of_its_starter(standin: StandIn, tmp_path: Path) -> None:
    """Who waits for the end of a pipe that the starter had open is not kept waiting by the child."""
    wait = Path(f"{standin.said}.wait")
    wait.touch()
    end, inherited = os.pipe()
    os.set_inheritable(inherited, True)
    assert background.start([], standin.env, str(tmp_path))
    os.close(inherited)
    try:
        assert standin.facts
        assert select.select([end], [], [], 10)[0]
        assert os.read(end, 1) == b""
    finally:
        wait.unlink()
        os.close(end)


@pytest.mark.parametrize("said_no", [{"CI": "true"}, {"MEM_NO_BACKGROUND": "1"}, {"MEM_DISABLE": "1"}])
def test_no_child_where_someone_said_no(standin: StandIn, tmp_path: Path, said_no: dict[str, str]) -> None:
    """With CI, MEM_NO_BACKGROUND or MEM_DISABLE=1 nothing is started, and the answer says so."""
    assert not background.start([], standin.env | said_no, str(tmp_path))
    assert not standin.said.exists()


def test_empty_settings_say_nothing(standin: StandIn, tmp_path: Path) -> None:
    """An empty CI or MEM_NO_BACKGROUND, and a MEM_DISABLE other than 1, forbid nothing."""
    assert background.start([], standin.env | {"CI": "", "MEM_NO_BACKGROUND": "", "MEM_DISABLE": "0"}, str(tmp_path))
    assert standin.facts


def test_no_child_in_a_folder_that_is_gone(standin: StandIn, tmp_path: Path) -> None:
    """A folder that was removed meanwhile is an answer, not an error."""
    assert not background.start([], standin.env, str(tmp_path / "gone"))


def test_modules_of_the_users_folder_are_not_run(standin: StandIn, tmp_path: Path) -> None:
    """A repository with a json.py of its own can't get it run by our child."""
    (tmp_path / "json.py").write_text("raise SystemExit('not ours')\n")
    assert background.start([], standin.env, str(tmp_path))
    assert standin.facts


def test_what_git_told_a_hook_is_dropped() -> None:
    """The child asks its own folder which repository it is in; all else of the environment stays."""
    told = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/next-index-1", "GIT_WORK_TREE": ".", "GIT_PREFIX": "src/"}
    kept = {"HOME": "/home/ada", "GIT_CONFIG_GLOBAL": "/home/ada/config"}
    assert background.without_repository(told | kept) == kept


def test_a_turn_gives_the_job_once(tmp_path: Path) -> None:
    """Alone on the store, a process does its job and is through; the next one gets its turn as well."""
    assert list(background.turns(str(tmp_path), "sweep")) == ["sweep"]
    assert list(background.turns(str(tmp_path), "count")) == ["count"]


def test_who_comes_meanwhile_leaves_the_job_to_the_one_at_work(tmp_path: Path) -> None:
    """While one is at work others get nothing to do; it does what they asked for, once however often they did."""
    done = []
    for job in background.turns(str(tmp_path), "sweep"):
        done.append(job)
        if len(done) == 1:
            for late in ("sweep", "count", "sweep"):
                assert list(background.turns(str(tmp_path), late)) == []
    assert done == ["sweep", "count", "sweep"]


def test_who_comes_as_a_turn_ends_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request after the last look, and before the turn is given up, is taken up by the one who had the turn."""
    taken_up, late = background._taken_up, ["count"]

    def then_someone_comes(folder: str) -> Iterator[str]:
        yield from taken_up(folder)
        while late:
            assert list(background.turns(folder, late.pop())) == []

    monkeypatch.setattr(background, "_taken_up", then_someone_comes)
    assert list(background.turns(str(tmp_path), "sweep")) == ["sweep", "count"]


def test_a_turn_is_given_up_by_leaving_the_loop(tmp_path: Path) -> None:
    """A worker that fails leaves the store free, and what it had not begun to the next one."""
    with pytest.raises(RuntimeError):
        for _ in background.turns(str(tmp_path), "sweep"):
            assert list(background.turns(str(tmp_path), "count")) == []
            raise RuntimeError
    assert list(background.turns(str(tmp_path), "sweep")) == ["count", "sweep"]


def test_turns_make_no_store(tmp_path: Path) -> None:
    """Where the store is gone there is nothing to do, and it stays gone."""
    assert list(background.turns(str(tmp_path / "mem"), "sweep")) == []
    assert not (tmp_path / "mem").exists()


def test_turns_in_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    """A store whose lock can't be opened gives no turn, and no error."""
    (tmp_path / "background.lock").mkdir()
    assert list(background.turns(str(tmp_path), "sweep")) == []


def test_turns_keep_their_files_to_the_owner(tmp_path: Path) -> None:
    """What a turn writes into the store is readable for its owner only."""
    for job in background.turns(str(tmp_path), "sweep"):
        if job == "sweep":
            list(background.turns(str(tmp_path), "count"))
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_no_request_is_lost(tmp_path: Path) -> None:
    """Whatever the order in which workers come and go, what was written before a request is seen by a job after it."""
    store, wanted, seen, busy = tmp_path / "store", tmp_path / "wanted", set[str](), threading.Lock()
    store.mkdir()
    wanted.touch()

    def ask(who: int) -> None:
        for turn in range(40):
            with wanted.open("a") as file:
                file.write(f"{who}-{turn}\n")
            for _ in background.turns(str(store), "sweep"):
                assert busy.acquire(blocking=False), "two at work on one store"
                seen.update(wanted.read_text().split())
                busy.release()

    workers = [threading.Thread(target=ask, args=(who,)) for who in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(seen) == 160
    assert [path.name for path in store.iterdir()] == ["background.lock"]
