"""Rendering as a deed: what is counted ahead, and kept."""

import memcli
from memcli import read, rendering, tokens
from memcli.context import Context
from memcli.model import View
from tests.conftest import Repo


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
