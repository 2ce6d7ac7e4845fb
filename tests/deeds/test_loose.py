"""Fragments that no store holds are assessed as those of a store are."""

import os

from memcli.anchoring import find_anchors
from memcli.check import Checker
from memcli.context import Context
from memcli.loose import Loose
from memcli.model import Assessment, Fragment, Stamp
from tests.conftest import Repo
from tests.faces.black_box import AUTH, rewrite

NOW = 1_800_000_000_000


def assessed(repo: Repo, commit: str) -> Assessment:
    """The claim AUTH, stamped at the commit, on the work tree."""
    with Context.open(str(repo.path), os.environ, NOW) as ctx:
        anchors = find_anchors(ctx, AUTH, (), ctx.history.tree(commit)).anchors
        fragment = Fragment(
            "", None, "note", "workspace", "active", AUTH, 1.0, Stamp(commit, None, False, NOW), anchors
        )
        return Checker(ctx.tree, Loose(ctx.history), 0.05, lambda: ()).assess(fragment)


def test_without_a_store_content_decides(repo: Repo) -> None:
    """Unchanged code is fresh, a rename moved, rewritten code gone; and no store comes into being."""
    born = repo.git("rev-parse", "HEAD")
    assert assessed(repo, born).verdict == "fresh"
    repo.git("mv", "src/users.py", "src/people.py")
    repo.commit("rename")
    moved = assessed(repo, born)
    assert (moved.verdict, moved.confidence, moved.anchors[0].path) == ("moved", 1.0, "src/people.py")
    repo.git("mv", "src/people.py", "src/users.py")
    rewrite(repo)
    assert assessed(repo, born).verdict == "gone"
    assert not (repo.path / ".git/mem").exists()
