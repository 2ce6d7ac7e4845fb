"""A fragment's neighbourhood as text: a tree for a terminal, dot for Graphviz, mermaid for Markdown."""

from collections.abc import Iterator, Mapping

from memcli.cli.show import Style
from memcli.cli.words import COLOUR_OF_VERDICT, percent
from memcli.model import SHORT_ID
from memcli.neighbourhood import Neighbourhood

_TEXT = 60  # letters of a text that are shown
_DOWN, _UP = ("└─ ", "├─ ", "│  "), ("┌─ ", "├─ ", "│  ")  # the last of several, another one, and past it


def tree(near: Neighbourhood, style: Style) -> Iterator[str]:
    """What it is derived from above, what is derived from it below. Whoever was met before is not followed again."""
    met = {near.root}
    above = list(_branches(near, near.parents, near.root, style, met, "", _UP))
    yield from reversed(above)
    yield _node(near, near.root, style, bold=True)
    yield from _branches(near, near.children, near.root, style, met, "", _DOWN)


def _branches(
    near: Neighbourhood,
    edges: Mapping[str, tuple[str, ...]],
    ident: str,
    style: Style,
    met: set[str],
    indent: str,
    signs: tuple[str, str, str],
) -> Iterator[str]:
    """The lines below a fragment, the outermost last."""
    last, middle, through = signs
    beyond = near.more.get(ident, 0) if edges is near.children else 0
    others = edges.get(ident, ())
    for number, other in enumerate(others):
        ends = number == len(others) - 1 and not beyond
        again = other in met
        met.add(other)
        yield f"{indent}{last if ends else middle}{_node(near, other, style)}{' (again)' if again else ''}"
        if not again:
            yield from _branches(near, edges, other, style, met, indent + ("   " if ends else through), signs)
    if beyond:
        yield f"{indent}{last}and {beyond} more"


def _node(near: Neighbourhood, ident: str, style: Style, bold: bool = False) -> str:
    view = near.views.get(ident)
    if view is None:
        return style.paint(f"{style.clean(ident[:SHORT_ID])} (not here)", "dim")
    fragment = view.fragment
    name = style.clean(fragment.name)
    marks = [fragment.type, *(part for part in (fragment.scope, fragment.state) if part not in ("workspace", "active"))]
    text = view.text if len(view.text) <= _TEXT else view.text[: _TEXT - 1] + "…"
    sure = style.paint(percent(view.confidence), COLOUR_OF_VERDICT.get(view.verdict, "green"))
    return f"{style.paint(name, 'bold') if bold else name} [{', '.join(marks)}] {sure}: {style.clean(text)}"


def dot(near: Neighbourhood) -> Iterator[str]:
    """A digraph for Graphviz, which reads `&lt;` in labels as the character."""
    yield "digraph mem {"
    yield "  node [shape=box];"
    for ident, label in _labels(near):
        dashed = "" if ident in near.views else ", style=dashed"
        bold = ", style=bold" if ident == near.root else ""
        yield f"  {_quoted(ident)} [label={_quoted(label)}{dashed}{bold}];"
    for parent, child in near.edges():
        yield f"  {_quoted(parent)} -> {_quoted(child)};"
    yield "}"


def mermaid(near: Neighbourhood) -> Iterator[str]:
    """A flowchart for Markdown. Nodes have numbers: an id of foreign origin could be a word of mermaid's own."""
    yield "graph TD"
    numbers = {}
    for number, (ident, label) in enumerate(_labels(near)):
        numbers[ident] = f"n{number}"
        yield f'  n{number}["{_entities(label)}"]'
    for parent, child in near.edges():
        yield f"  {numbers[parent]} --> {numbers[child]}"
    yield f"  style {numbers[near.root]} stroke-width:3px"


def _labels(near: Neighbourhood) -> Iterator[tuple[str, str]]:
    """Every id with its label, always escaped: both languages know tags."""
    escaped = Style(terminal=False)
    for ident in (*near.views, *near.missing()):
        yield ident, _node(near, ident, escaped)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _entities(text: str) -> str:
    """A label in mermaid's own escapes."""
    return text.replace("#", "#35;").replace('"', "#quot;")
