"""The house: imports run one way, and each outside thing has one importer."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "memcli"

#: the floors, from the ground; a module imports only from its own package, from floors below, and from above it here
FLOORS = [
    ["errors", "model", "digests"],
    ["mentions", "text", "vocabulary"],
    [
        "kinds",
        "scopes",
        "secrets",
        "gate",
        "asker",
        "syntax",
        "symbols",
        "fingerprint",
        "likeness",
        "align",
        "drift",
        "regions",
        "annotations",
        "claims",
        "respelling",
        "manifests",
        "asked",
        "hits",
        "rank",
        "focus",
        "highlight",
        "render",
        "query",
    ],
    ["tomledit", "settings", "tokens", "git", "store", "registry", "background", "semantic"],
    ["contents", "listing", "lookout", "renames", "loose", "findings", "check", "context"],
    ["labels"],
    [
        "anchoring",
        "births",
        "claimed",
        "landing",
        "audit",
        "read",
        "shortlist",
        "remembered",
        "searching",
        "sweep",
        "save",
        "change",
        "transfer",
        "seed",
    ],
    [
        "shapes",
        "explain",
        "comparing",
        "timeline",
        "rendering",
        "section",
        "neighbourhood",
        "querying",
        "overview",
        "hookscript",
        "githooks",
        "background_jobs",
    ],
    ["agents", "cli", "api"],
    ["__init__", "__main__"],
]

#: each outside thing → the only place that may import it
OUTSIDE = {
    "lmdb": "store",
    "pygit2": "git",
    "tiktoken": "tokens",
    "tiktoken_ext": "tokens",
    "typer": "cli",
    "apscheduler": "cli",
    "rapidfuzz": "vocabulary",
    "Stemmer": "text",
    "tree_sitter": "symbols",
    "wordllama": "semantic",
}

#: a floor of pure thought touches none of these
IMPURE = {"os", "sys", "subprocess", "time", "datetime", "pathlib", "socket", "shutil", "tempfile", "threading"}
#: what pure modules may use of them, and why
ALLOWED = {
    ("text", "time"): "gmtime, a function of its argument",
    ("text", "datetime"): "parsing, a function of its argument",
    ("secrets", "os"): "where its data file lies",
    ("render", "os"): "where its data file lies",
}


def modules() -> Iterator[tuple[str, Path]]:
    """(name on its floor, file) of every module."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path.relative_to(ROOT).with_suffix("").parts[0], path


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a module imports, at its top or inside functions, type checking aside."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def floor_of(name: str) -> int:
    return next(number for number, floor in enumerate(FLOORS) if name in floor)


def test_every_module_has_its_floor() -> None:
    """A new module is put on a floor, and none is listed that is gone."""
    assert {name for name, _ in modules()} == {name for floor in FLOORS for name in floor}


def test_imports_run_one_way() -> None:
    """No module imports from a floor above its own."""
    upward = []
    for name, path in modules():
        for imported in imports(path):
            parts = imported.split(".")
            if parts[0] != "memcli" or len(parts) < 2 or parts[1] in ("__version__", name):
                continue
            if floor_of(parts[1]) > floor_of(name):
                upward.append(f"{path.relative_to(ROOT)} imports {imported}")
    assert not upward


def test_modules_of_a_floor_make_no_cycle() -> None:
    """Within a floor too, imports at the top of modules form no circle."""
    edges: dict[str, set[str]] = {}
    for name, path in modules():
        tops = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = [alias.name for node in tops for alias in node.names if getattr(node, "module", None) == "memcli"]
        names += [
            node.module.split(".")[1]
            for node in tops
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memcli.")
        ]
        edges.setdefault(name, set()).update(one for one in names if one != name)

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"a circle: {' → '.join((*above, name))}"
        for other in edges.get(name, ()):
            visit(other, (*above, name))

    for name in edges:
        visit(name, ())


def test_each_outside_thing_has_one_importer() -> None:
    """lmdb, git's library, the tokenizer, the command line's library: each is known in one place."""
    found = {(imported.split(".")[0], name) for name, path in modules() for imported in imports(path)}
    assert {(library, name) for library, name in found if library in OUTSIDE} <= set(OUTSIDE.items())


def test_thought_is_pure() -> None:
    """The pure floors touch neither disk nor clock nor environment."""
    pure = {name for floor in FLOORS[:3] for name in floor}
    used = {(name, imported.split(".")[0]) for name, path in modules() if name in pure for imported in imports(path)}
    assert {(name, library) for name, library in used if library in IMPURE} <= set(ALLOWED)
