"""mem: a git-aware memory for coding agents and the people beside them.

    import memcli

    with memcli.open("path/to/repository") as memory:
        memory.save("The parser keeps comments", path="src/parser.py")
        for hit in memory.search("comments"):
            print(hit.view.text, hit.view.confidence, hit.view.verdict)

`memcli.open` gives a `memcli.api.Memory`. Nothing is imported before it is asked for: a hook's start-up counts.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:  # for the type checker only; the names come from __getattr__
    from memcli.api import Memory, open

__all__ = ["Memory", "__version__", "open"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name in ("Memory", "open"):
        from memcli import api

        return getattr(api, name)
    raise AttributeError(f"module 'memcli' has no attribute {name!r}")
