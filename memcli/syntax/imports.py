"""Imports in whatever order: sorting, grouping, splitting and joining them says nothing."""

from collections.abc import Iterator, Sequence

from memcli.syntax.languages import Language

_HEADS = frozenset({"import", "#include", "using", "use"})
_GLUE = frozenset({".", "as", "static"})


def sorted_imports(tokens: Sequence[str], statements: Sequence[int], language: Language) -> list[str]:
    """The tokens that count, each run of imports in an order of its own. `statements`: where each statement begins."""
    if not language.imports:
        return [token for token in tokens if token]
    out: list[str] = []
    run: set[str] = set()
    for start, end in zip(statements, [*statements[1:], len(tokens)], strict=True):
        statement = [token for token in tokens[start:end] if token]
        if not statement:
            continue
        if _is_import(statement, language):
            run.update(_names(statement, language))
            continue
        out += sorted(run)
        run.clear()
        out += statement
    return out + sorted(run)


def _is_import(statement: Sequence[str], language: Language) -> bool:
    if statement[0] not in language.imports:
        return False
    return statement[0] in _HEADS or "import" in statement or "use" in statement[:5]


def _names(statement: Sequence[str], language: Language) -> Iterator[str]:
    """Each imported name with the statement's head, or where names are nested the statement with its names sorted."""
    head = next(place for place, token in enumerate(statement) if token in _HEADS) + 1
    items = list(_items(statement[head:]))
    begin = " ".join(statement[:head])
    if language.one_by_one:
        yield from (f"{begin} {item}" for item in items)
    else:
        yield f"{begin} {' '.join(sorted(items))}"


def _items(tokens: Sequence[str]) -> Iterator[str]:
    item: list[str] = []
    for token in tokens:
        if token in "{}()[]\n":
            continue
        glued = token in _GLUE or token.startswith('"') or (item and item[-1] in _GLUE)
        if item and not glued:
            yield " ".join(item)
            item = []
        item.append(token)
        if token.startswith('"'):
            yield " ".join(item)
            item = []
    if item:
        yield " ".join(item)
