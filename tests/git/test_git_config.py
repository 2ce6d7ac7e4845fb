"""Git's configuration, read by hand: the same answers as git's own."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import git
from memcli.git.configfile import parse
from tests.conftest import Repo

TRICKY = """\
; a comment
[core] bare = false # at the same line
\tAutoCRLF = input
[user]
\tname = "Ada ; Countess"  # not a part
[sec "Sub.Sec \\"x\\" ] y"]
\tlong = one \\
two \\
 three
\tescaped = a\\tb\\\\c \\"q\\"
\tbare
\tempty =
\tmid = a   b "  c  "
[Old.Style]
\tk = 1
[alias]
\tx = "!f() { echo \\"#1\\"; }; f"
"""


def values(repo: Repo, **env: str) -> list[tuple[str, str | None]]:
    """What git itself lists for a repository."""
    out = repo.git("config", "-z", "--list", check=True, **env)
    pairs = (entry.partition("\n") for entry in out.split("\0") if entry)
    return [(name, value if newline else None) for name, newline, value in pairs]


def ours(repo: Repo, **env: str) -> list[tuple[str, str | None]]:
    repository = git.find(str(repo.path), {**os.environ, **env})
    assert repository is not None
    return [(setting.name, setting.value) for setting in repository.config.settings]


def test_tricky_file(repo: Repo) -> None:
    """Quotes, escapes, comments, continued lines, subsections and bare keys mean what they mean to git."""
    (repo.path / ".git" / "config").write_text(TRICKY)
    assert ours(repo) == values(repo)


def test_layers_and_includes(repo: Repo, sealed: Path) -> None:
    """User files, includes, plain gitdir conditions, the work tree's file and the environment are in git's order."""
    (sealed / ".config" / "git").mkdir(parents=True)
    (sealed / ".config" / "git" / "config").write_text("[user]\n\tname = Xdg\n[a]\n\tb = 1\n")
    (sealed / "work.inc").write_text("[user]\n\tname = Worker\n[include]\n\tpath = more.inc\n")
    (sealed / "more.inc").write_text("[user]\n\temail = more@example.org\n")
    with (sealed / ".gitconfig").open("a") as file:
        file.write(f'[includeIf "gitdir:{repo.path.parent}/"]\n\tpath = work.inc\n')
        file.write(
            '[includeIf "gitdir:~/elsewhere/"]\n\tpath = missing.inc\n[includeIf "gitdir:app/"]\n\tpath = more.inc\n'
        )
        file.write("[user]\n\tlast = yes\n")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "core.attributesFile", "w")
    pairs = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "User.Name", "GIT_CONFIG_VALUE_0": "Env"}
    assert ours(repo) == values(repo)
    assert ours(repo, **pairs) == values(repo, **pairs)
    repository = git.find(str(repo.path), os.environ)
    assert repository and repository.user_name() == "Worker"


@pytest.mark.parametrize("condition", ["gitdir:**/app/.git", "onbranch:main", "hasconfig:remote.*.url:x"])
def test_conditions_that_git_must_judge(repo: Repo, sealed: Path, condition: str) -> None:
    """A condition beyond plain folders gives git's own answer."""
    (sealed / "inc").write_text("[user]\n\tname = Included\n")
    with (sealed / ".gitconfig").open("a") as file:
        file.write(f'[includeIf "{condition}"]\n\tpath = inc\n')
    assert ours(repo) == values(repo)


def test_command_line_of_git(repo: Repo) -> None:
    """Settings of `git -c`, which an alias or a hook inherits, count."""
    given_by_git = {"GIT_CONFIG_PARAMETERS": "'user.name=Cee'"}
    assert ours(repo, **given_by_git) == values(repo, **given_by_git)


def test_other_user_file(repo: Repo, tmp_path: Path) -> None:
    """GIT_CONFIG_GLOBAL stands for both of the user's files; without a repository they are read as well."""
    (tmp_path / "mine").write_text("[user]\n\tname = Gee\n")
    assert ours(repo, GIT_CONFIG_GLOBAL=str(tmp_path / "mine")) == values(
        repo, GIT_CONFIG_GLOBAL=str(tmp_path / "mine")
    )
    assert git.user_name(os.environ) == "Ada"
    assert git.user_name({**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}) is None


@given(st.text(alphabet=st.sampled_from('[]"\\=#; \n\tab.1-_\r'), max_size=60))
def test_any_text_parses(text: str) -> None:
    """No text makes the parser fail, and every name it gives has a section and a key."""
    assert all("." in setting.name for setting in parse(text))
