"""How near a fragment's files are to those that somebody works on: the same, beside them, importing or imported. Pure.

Imports are read as text, by the words that languages begin them with; what a name resolves to is not asked, only
whether a path ends like it.
"""

import re
from collections.abc import Callable, Collection
from functools import lru_cache

ABOUT, IMPORT, BESIDE, HERE = 2.0, 1.5, 1.4, 1.1  # times the relevance; HERE: in the folder one stands in
_MAX_TEXT = 200_000  # characters of a file whose imports are read
_MOST_READ = 40  # files whose imports are read to see whether they import a path

_FROM = r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w \t,]*)"  # Python
_PLAIN = r"^[ \t]*(?:pub )?(?:import|use|using|mod|require|require_relative|include)[ \t]+(?:static )?([.\w:/]+)"
_QUOTED = r"""(?:\bfrom|\bimport|\brequire\(?|#[ \t]*include|^[ \t]*(?:_ )?)[ \t(]*["'<]([^"'<>\n]{1,200})["'>]"""


class Focus:
    """What a search prefers: fragments about `paths` (files or folders; from the root), about what lies in their
    folders, what they import and what imports them; a little what lies below the folder `here`. `read` gives the text
    of a file of the tree; each is read once, and only so many."""

    def __init__(self, paths: Collection[str], here: str, read: Callable[[str], str] = lambda path: "") -> None:
        self._paths = paths
        self._here = here
        self._read = read
        self._imports: dict[str, frozenset[str]] = {}

    @property
    def most(self) -> float:
        """The most that `factor` gives."""
        return ABOUT if self._paths else HERE if self._here else 1.0

    def factor(self, anchored: Collection[str]) -> tuple[float, str]:
        """What the relevance of a fragment about these paths counts more, and why; 1 and nothing where none is near."""
        best = (1.0, "")
        for path in anchored:
            if self._here and path.startswith(f"{self._here}/"):
                best = max(best, (HERE, f"in {self._here}"))
            for wanted in self._paths:
                best = max(best, self._near(path, wanted))
        return best

    def _near(self, path: str, wanted: str) -> tuple[float, str]:
        if wanted in ("", ".", path) or path.startswith(f"{wanted}/"):
            return ABOUT, f"about {wanted}"
        if self._brings(wanted, path):
            return IMPORT, f"{wanted} imports {path}"
        if self._brings(path, wanted):
            return IMPORT, f"{path} imports {wanted}"
        folder = wanted.rpartition("/")[0]
        return (BESIDE, f"in {folder}") if folder and path.startswith(f"{folder}/") else (1.0, "")

    def _brings(self, path: str, other: str) -> bool:
        """Whether the file at `path` seems to import the one at `other`. False once too many files were read."""
        if path not in self._imports:
            if len(self._imports) >= _MOST_READ:
                return False
            self._imports[path] = imports_of(self._read(path)[:_MAX_TEXT])
        return not self._imports[path].isdisjoint(_endings(other))


def imports_of(text: str) -> frozenset[str]:
    """What a source text imports, as ends of paths without suffix: `from a.b import c` gives a/b and a/b/c."""
    found: set[str] = set()
    for module, names in re.findall(_FROM, text, re.MULTILINE):
        found |= {module, *(f"{module}.{name.split()[0]}" for name in names.split(",") if name.strip())}
    dotted = {*found, *re.findall(_PLAIN, text, re.MULTILINE)}
    quoted = {_without_suffix(name) for name in re.findall(_QUOTED, text, re.MULTILINE)}
    paths = {re.sub(r"\.|::", "/", name.strip(".")) for name in dotted if "/" not in name}
    return frozenset(_plain(path) for path in paths | quoted if _plain(path))


@lru_cache(maxsize=512)
def _endings(path: str) -> Collection[str]:
    """The ends of a path that an import may name, without suffix: of a/b/c.py these are c, b/c and a/b/c."""
    parts = re.sub(r"/(__init__|index|mod)$", "", _without_suffix(path)).split("/")
    return frozenset("/".join(parts[at:]) for at in range(len(parts)))


def _plain(path: str) -> str:
    return re.sub(r"^(?:\.{1,2}/|@/|~/|/|crate/|self/|super/)+", "", path)


def _without_suffix(path: str) -> str:
    return re.sub(r"(?<=[^/.])\.\w{1,5}$", "", path)
