"""Settings: precedence, what is wrong with a file in one line, editing a file, and where things are."""

import os
from pathlib import Path
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import Usage
from memcli.scopes import APPROVAL
from memcli.settings import (
    OPTIONS,
    Settings,
    known_key,
    load,
    parse,
    set_value,
    user_config_file,
    user_data_dir,
    value_of,
)


def file(folder: Path, text: str | bytes, name: str = "config.toml") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


# loading


def test_the_defaults_hold_without_files() -> None:
    """No file, no variable, no flag: the record's own defaults, each said to be one, and the table agrees with it."""
    settings, origins = load("/nowhere/a.toml", None, {})
    assert settings == Settings()
    assert set(origins.values()) == {"default"}
    assert set(origins) == {option.key for option in OPTIONS}
    assert {o.field for o in OPTIONS if not o.key.startswith("approve.")} | {"approve"} == set(Settings._fields)


def test_each_layer_wins_over_the_one_before(tmp_path: Path) -> None:
    """Defaults < user file < repository file < environment < flags, and the origin tells which."""
    user = file(tmp_path, "minimum = 0.1\nbudget = 11\nfloor = 0.01\n", "user.toml")
    repo = file(tmp_path, "budget = 22\nencoding = 'cl100k_base'\n", "repo.toml")
    env = {"MEM_ENCODING": "o200k_base", "MEM_SEARCH_LIMIT": "5"}
    settings, origins = load(user, repo, env, {"search.limit": 7})
    assert (settings.minimum, settings.floor) == (0.1, 0.01)
    assert (settings.budget, settings.encoding, settings.limit) == (22, "o200k_base", 7)
    assert (origins["minimum"], origins["budget"]) == (user, repo)
    assert (origins["encoding"], origins["search.limit"]) == ("MEM_ENCODING", "flag")
    assert load(user, repo, env, {"search.limit": "8"})[0].limit == 8


def test_tables_and_dotted_keys_are_the_same(tmp_path: Path) -> None:
    """[export] auto, export.auto and export_auto name one key."""
    for text in ("[export]\nauto = 'x'", "export.auto = 'x'", "export_auto = 'x'", "export-auto = 'x'"):
        assert load(file(tmp_path, text), None, {})[0].export_auto == "x"


def test_approval_can_be_tightened_and_loosened(tmp_path: Path) -> None:
    """Every rule of law 15 has a key; the others keep their values."""
    path = file(tmp_path, '[approve]\nagent.user = "accept"\nagent.workspace = "propose"\n')
    approve = load(path, None, {"MEM_APPROVE_CAPTURE_STATE": "propose"})[0].approve
    assert approve == {
        **APPROVAL,
        "agent.user": "accept",
        "agent.workspace": "propose",
        "capture.state": "propose",
    }


def test_being_off_is_said_by_the_environment() -> None:
    """MEM_DISABLE, MEM_NO_BACKGROUND and CI switch off by being there; 0 and nothing do not."""
    assert not load(None, None, {"MEM_DISABLE": "1"})[0].enabled
    assert not load(None, None, {"MEM_NO_BACKGROUND": "1"})[0].background
    assert not load(None, None, {"CI": "true"})[0].background
    off = load(None, None, {"MEM_DISABLE": "0", "CI": "", "MEM_NO_BACKGROUND": "false"})[0]
    assert off.enabled and off.background
    assert load(None, None, {"MEM_ENABLED": "no"})[1]["enabled"] == "MEM_ENABLED"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minimun = 0.3", "unknown key 'minimun'"),
        ("[approve]\nagnet.user = 'accept'", "unknown key 'approve.agnet.user'"),
        ("minimum = 1.5", "minimum is '1.5'"),
        ("minimum = nan", "minimum is 'nan'"),
        ("minimum = '0.3'", "minimum is '0.3'"),
        ("minimum = true", "minimum is 'True'"),
        ("budget = 0", "budget is '0'"),
        ("budget = 1.5", "budget is '1.5'"),
        ("budget = false", "budget is 'False'"),
        ("enabled = 1", "enabled is '1'"),
        ("encoding = ''", "encoding is ''"),
        ("encoding = [1]", r"encoding is '\[1\]'"),
        ("approve.agent.user = 'never'", "approve.agent.user is 'never'"),
        ("minimum = ", "is not valid TOML"),
        ("minimum = 1\nminimum = 1", "is not valid TOML"),
        (b"author = '\xff'", "not text in UTF-8"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_file_and_key(tmp_path: Path, text: str | bytes, message: str) -> None:
    """One line with the file and the key, and a hint that helps."""
    path = file(tmp_path, text)
    with pytest.raises(Usage, match=message) as caught:
        load(None, path, {})
    assert path in caught.value.message
    assert "\n" not in caught.value.message


def test_a_typo_is_answered_with_the_key_that_was_meant() -> None:
    """The nearest key is in the hint, or where to find them all."""
    with pytest.raises(Usage) as caught:
        known_key("minimun")
    assert caught.value.hint == "did you mean minimum?"
    with pytest.raises(Usage) as caught:
        known_key("qqqqqq")
    assert "mem config" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("variable", "value"), [("MEM_MINIMUM", "much"), ("MEM_BUDGET", "1.5"), ("MEM_ENABLED", "maybe")]
)
def test_what_is_wrong_in_the_environment_is_named_by_its_variable(variable: str, value: str) -> None:
    """The variable and the value stand in the message."""
    with pytest.raises(Usage, match=f"{variable}: .* is '{value}'"):
        load(None, None, {variable: value})


def test_a_folder_in_the_place_of_a_file_is_one_line(tmp_path: Path) -> None:
    """What can't be read at all says why."""
    with pytest.raises(Usage, match=r"can't read the configuration .*: Is a directory"):
        load(str(tmp_path), None, {})


@given(st.binary(max_size=60))
def test_any_bytes_in_a_file_raise_only_our_own_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file of anything is understood or refused in one line."""
    try:
        load(file(tmp_path_factory.getbasetemp(), content, "any.toml"), None, {})
    except Usage as error:
        assert "\n" not in error.message


def test_every_key_has_a_value_that_config_can_show() -> None:
    """value_of answers for each key of the table, with the default when nothing is set."""
    assert all(value_of(Settings(), option.key) == option.default for option in OPTIONS)
    assert get_type_hints(Settings)["minimum"] is float


# editing

OWNERS = """\
# my settings
minimum = 0.4   # not too strict

[export]
# a copy for the backup
auto = "a.jsonl"

[approve]
agent.user = "propose"
"""


def test_setting_a_value_keeps_every_other_line(tmp_path: Path) -> None:
    """Comments, order and other keys stay; the value is what load then reads."""
    path = file(tmp_path, OWNERS)
    set_value(path, "export.auto", "b.jsonl")
    assert Path(path).read_text() == OWNERS.replace("a.jsonl", "b.jsonl")
    set_value(path, "budget", "900")
    set_value(path, "approve.agent.workspace", "propose")
    set_value(path, "enabled", "off")
    settings = load(path, None, {})[0]
    assert (settings.minimum, settings.budget, settings.enabled, settings.export_auto) == (0.4, 900, False, "b.jsonl")
    assert settings.approve["agent.workspace"] == "propose"
    kept = [line for line in OWNERS.splitlines() if "auto" not in line]
    assert [line for line in Path(path).read_text().splitlines() if line in kept] == kept


def test_taking_a_value_out_gives_the_default_back(tmp_path: Path) -> None:
    """The line goes, the others stay; taking out what is not there changes nothing."""
    path = file(tmp_path, OWNERS)
    set_value(path, "minimum", None)
    assert load(path, None, {})[0].minimum == Settings().minimum
    before = Path(path).read_bytes()
    set_value(path, "budget", None)
    assert Path(path).read_bytes() == before


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    """Folders 0700, the file 0600, and no draft is left behind."""
    path = tmp_path / "a" / "mem" / "config.toml"
    set_value(str(path), "author", 'Ada "the \\ first"')
    assert load(str(path), None, {})[0].author == 'Ada "the \\ first"'
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(path.parent) == ["config.toml"]


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    """Dotfiles are often links: what they lead to is edited."""
    target = Path(file(tmp_path, "budget = 5", "real.toml"))
    target.chmod(0o644)
    link = tmp_path / "config.toml"
    link.symlink_to(target)
    set_value(str(link), "minimum", "0.2")
    assert link.is_symlink()
    assert target.read_text() == "budget = 5\nminimum = 0.2\n"
    assert target.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('author = """\nminimum = 0.1\n"""\n', "minimum", "0.2"),
        ("export = {auto = 'x'}\n", "export.auto", "y"),
        ("author = 'a' ; export.auto = 'x'\n", "export.auto", "y"),
    ],
)
def test_what_can_not_be_edited_safely_is_left_alone(tmp_path: Path, text: str, key: str, value: str) -> None:
    """Where a changed line would change something else, or nothing, the file stays and the message says so."""
    path = file(tmp_path, text)
    with pytest.raises(Usage, match=r"can't edit|not valid TOML"):
        set_value(path, key, value)
    assert Path(path).read_text() == text


def test_a_bad_value_or_key_is_refused_before_the_file_is_touched(tmp_path: Path) -> None:
    """Nothing is written for what load would refuse, nor into a file that is no TOML."""
    path = tmp_path / "config.toml"
    for key, value in (("minimum", "2"), ("minimun", "0.2"), ("encoding", " "), ("approve.agent.user", "maybe")):
        with pytest.raises(Usage):
            set_value(str(path), key, value)
    assert not path.exists()
    broken = file(tmp_path, "minimum = \n")
    with pytest.raises(Usage, match="not valid TOML"):
        set_value(broken, "minimum", "0.2")
    assert Path(broken).read_text() == "minimum = \n"


def test_a_place_that_can_not_be_written_is_one_line(tmp_path: Path) -> None:
    """A file in the place of the folder: the reason, not a traceback."""
    blocker = file(tmp_path, "", "file")
    with pytest.raises(Usage, match=r"can't (read|write) the configuration"):
        set_value(f"{blocker}/config.toml", "minimum", "0.2")


@given(st.sampled_from(OPTIONS), st.text(max_size=30))
def test_what_parses_is_read_back_from_the_file(
    tmp_path_factory: pytest.TempPathFactory, option: object, text: str
) -> None:
    """Whatever value a key takes is written so that load gives the same value."""
    key = next(o for o in OPTIONS if o is option).key
    path = str(tmp_path_factory.getbasetemp() / "round.toml")
    Path(path).write_text(OWNERS)
    try:
        set_value(path, key, text)
    except Usage:
        assert Path(path).read_text() == OWNERS
        return
    assert value_of(load(path, None, {})[0], key) == parse(key, text.strip())


# places


def test_the_users_files_are_where_the_platform_keeps_them() -> None:
    """XDG folders when absolute, else the usual ones below home; macOS has its own."""
    home = {"HOME": "/home/ada"}
    assert user_config_file(home) == "/home/ada/.config/mem/config.toml"
    assert user_data_dir(home, "linux") == "/home/ada/.local/share/mem"
    assert user_data_dir(home, "darwin") == "/home/ada/Library/Application Support/mem"
    xdg = {**home, "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"}
    assert user_config_file(xdg) == "/c/mem/config.toml"
    assert user_data_dir(xdg, "darwin") == user_data_dir(xdg) == "/d/mem"
    assert user_data_dir({**home, "XDG_DATA_HOME": "relative"}, "linux") == "/home/ada/.local/share/mem"


def test_without_home_the_account_says_where_it_is() -> None:
    """HOME unset or empty: the password database."""
    assert os.path.isabs(user_data_dir({}, "linux"))
    assert user_config_file({"HOME": ""}) == user_config_file({})
