"""The folder that git really runs hooks from."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from memcli.git.config import expand
from memcli.git.configfile import Config
from memcli.git.layout import Layout


class HooksFolder(NamedTuple):
    """Where hooks lie. `outside`: beyond the work tree and the common git folder, so shared with other repositories.
    `from_config`: the file that sets core.hooksPath (or `the environment`), None where it is git's default."""

    path: str
    outside: bool
    from_config: str | None


def hooks_folder(layout: Layout, config: Config, env: Mapping[str, str]) -> HooksFolder:
    """By githooks(5): core.hooksPath, relative to where hooks run, else `hooks` in the common git folder."""
    setting = config.setting("core.hookspath")
    if setting is None or not setting.value:
        return HooksFolder(f"{layout.common_dir}/hooks", False, None)
    path = expand(setting.value, layout.root or layout.git_dir, env)
    return HooksFolder(path, not _within(path, layout), setting.origin)


def _within(path: str, layout: Layout) -> bool:
    real = os.path.realpath(path)
    homes = [folder for folder in (layout.root, layout.common_dir, layout.git_dir) if folder]
    return any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in homes)
