"""Git's configuration as it holds for a repository: the files read by hand, the git program where that is not enough.

Order and meaning are those of git-config(1): system, user, repository, work tree, command line; the last one wins.
"""

import os
from collections.abc import Iterator, Mapping

from memcli.git.configfile import Config, Setting, read
from memcli.git.run import Git

MAX_INCLUDES = 10  # git's own depth


class _ConditionError(Exception):
    """A condition that only git can judge."""


def own(git_dir: str, common_dir: str) -> Config:
    """The repository's own settings, includes not followed: as git reads them to learn the repository's format."""
    shared = Config(read(f"{common_dir}/config"))
    if shared.flag("extensions.worktreeconfig"):
        return Config(shared.settings + read(f"{git_dir}/config.worktree"))
    return shared


def everything(repository: Config, git_dir: str, env: Mapping[str, str], git: Git) -> Config:
    """All settings that hold here. Starts git only for a `git -c` or an include that has to be judged by it."""
    if "GIT_CONFIG_PARAMETERS" in env:
        return _from_git(git)
    try:
        settings = [setting for path in user_files(env) for setting in _follow(read(path), git_dir, env)]
        return Config(settings + list(_follow(repository.settings, git_dir, env)) + _from_environment(env))
    except _ConditionError:
        return _from_git(git)


def user_files(env: Mapping[str, str]) -> list[str]:
    """The system's and the user's configuration files, in reading order; they need not exist."""
    files = []
    if not _yes(env.get("GIT_CONFIG_NOSYSTEM")):
        files.append(env.get("GIT_CONFIG_SYSTEM") or f"{system_folder(env)}/gitconfig")
    if "GIT_CONFIG_GLOBAL" in env:
        return [*files, env["GIT_CONFIG_GLOBAL"]]
    folder = user_folder(env)
    files += [f"{folder}/config"] if folder else []
    return files + ([f"{env['HOME']}/.gitconfig"] if env.get("HOME") else [])


def user_folder(env: Mapping[str, str]) -> str | None:
    """Where the user's other git files lie: `$XDG_CONFIG_HOME/git` or `~/.config/git`."""
    if env.get("XDG_CONFIG_HOME"):
        return env["XDG_CONFIG_HOME"] + "/git"
    return env["HOME"] + "/.config/git" if env.get("HOME") else None


def system_folder(env: Mapping[str, str]) -> str:
    """Where this git was built to look for its system files: /etc, or `etc` beside its own `bin`."""
    from shutil import which

    program = which("git", path=env.get("PATH"))
    prefix = os.path.dirname(os.path.dirname(program)) if program else ""
    return "/etc" if prefix in ("", "/", "/usr") else f"{prefix}/etc"


def expand(value: str, folder: str, env: Mapping[str, str]) -> str:
    """A path in a setting: `~/` is the home folder, relative ones start at `folder`."""
    if value == "~" or value.startswith("~/"):
        value = env.get("HOME", "") + value[1:]
    elif value.startswith("~"):
        value = os.path.expanduser(value)
    return os.path.normpath(os.path.join(folder, value))


def _follow(settings: list[Setting], git_dir: str, env: Mapping[str, str], depth: int = 0) -> Iterator[Setting]:
    """The settings with those of included files after each include that holds."""
    for setting in settings:
        yield setting
        if not setting.name.startswith(("include.path", "includeif.")) or not setting.value:
            continue
        folder = os.path.dirname(setting.origin)
        if depth < MAX_INCLUDES and _holds(setting.name, folder, git_dir, env):
            yield from _follow(read(expand(setting.value, folder, env)), git_dir, env, depth + 1)


def _holds(name: str, folder: str, git_dir: str, env: Mapping[str, str]) -> bool:
    """Whether an include's condition holds: `gitdir:` with a plain pattern is judged here, the rest is git's."""
    if name == "include.path":
        return True
    kind, _, pattern = name.removeprefix("includeif.").removesuffix(".path").partition(":")
    if kind not in ("gitdir", "gitdir/i") or any(sign in pattern for sign in "*?[\\"):
        raise _ConditionError
    anchored = pattern.startswith(("/", "~/", "./"))
    wanted = expand(pattern, folder, env) if anchored else f"/{pattern.rstrip('/')}"
    wanted = (os.path.realpath(wanted) if anchored else wanted) + ("/" if pattern.endswith("/") else "")
    place = git_dir + ("/" if pattern.endswith("/") else "")
    if kind == "gitdir/i":
        wanted, place = wanted.lower(), place.lower()
    if pattern.endswith("/"):
        return place.startswith(wanted) if anchored else wanted in place
    return place == wanted if anchored else place.endswith(wanted)


def _from_environment(env: Mapping[str, str]) -> list[Setting]:
    """GIT_CONFIG_COUNT and its pairs."""
    count = env.get("GIT_CONFIG_COUNT", "")
    numbers = range(int(count)) if count.isascii() and count.isdigit() and len(count) < 5 else range(0)
    pairs = ((env.get(f"GIT_CONFIG_KEY_{n}"), env.get(f"GIT_CONFIG_VALUE_{n}")) for n in numbers)
    return [Setting(_folded(key), value, "the environment") for key, value in pairs if key]


def _from_git(git: Git) -> Config:
    """All settings as git lists them, each with where it comes from."""
    parts = os.fsdecode(git.run("config", "-z", "--list", "--show-origin")).split("\0")
    settings = []
    for origin, entry in zip(parts[0::2], parts[1::2], strict=False):
        name, newline, value = entry.partition("\n")
        where = os.path.join(git.cwd, origin.removeprefix("file:")) if origin.startswith("file:") else "the environment"
        settings.append(Setting(name, value if newline else None, where))
    return Config(settings)


def _folded(key: str) -> str:
    """A name with its section and last part in lower case, the subsection as it is."""
    section, _, rest = key.partition(".")
    sub, dot, last = rest.rpartition(".")
    return f"{section.lower()}.{sub}{dot}{last.lower()}"


def _yes(value: str | None) -> bool:
    return value is not None and value.lower() not in ("", "0", "false", "no", "off")
