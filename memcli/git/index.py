"""Paths that the index marks skip-worktree (sparse checkouts): absent on disk, and not gone."""

import os
from collections.abc import Collection

from memcli.git.run import LITERAL, Git, records
from memcli.git.tree import Entry

# the first version that has room for the mark (gitformat-index(5)); git writes it only when an entry needs it
FIRST_WITH_MARKS = 3


def may_skip(git_dir: str) -> bool:
    """Whether any entry can bear the mark, by the index's first bytes: then git has to be asked."""
    try:
        with open(f"{git_dir}/index", "rb") as file:
            head = file.read(8)
        split = any(name.startswith("sharedindex.") for name in os.listdir(git_dir))
    except OSError:
        return False
    return split or int.from_bytes(head[4:8], "big") >= FIRST_WITH_MARKS


def skipped(git: Git, paths: Collection[str]) -> dict[str, Entry]:
    """Those of the paths that bear the mark, or are folders of such, with the ids that the index has for them."""
    out = git.run(LITERAL, "ls-files", "-z", "-v", "-s", "--", *map(os.fsencode, paths))
    marked = {}
    for record in records(out):
        info, _, path = record.partition("\t")
        tag, mode, blob, _ = info.split()
        if tag.upper() == "S":
            marked[path] = Entry("symlink" if mode == "120000" else "file", blob, blob)
    entries = {path: marked[path] for path in paths if path in marked}
    folders = {parent for path in marked for parent in parents(path)}
    return entries | {path: Entry("dir") for path in paths if path in folders}


def parents(path: str) -> list[str]:
    """The folders above a path, the nearest last; not the root."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]
