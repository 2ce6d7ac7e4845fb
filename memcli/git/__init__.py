"""The only package that knows git. Everything else asks these questions and gets plain records back.

`find(cwd, env)` gives the `Repository` of a folder: its places, settings, HEAD and paths; `worktree()`, what lies on
disk now; `history()`, what git has stored. Importing it starts no process and loads no library: pygit2 comes with the
first `history()`.
"""

from memcli.git.head import Head
from memcli.git.repository import Repository, find, user_name
from memcli.git.tree import MAX_BYTES, Entry, Known, RepositoryTree, Seen, Tree

__all__ = [
    "MAX_BYTES",
    "Entry",
    "Head",
    "Known",
    "Repository",
    "RepositoryTree",
    "Seen",
    "Tree",
    "find",
    "user_name",
]
