"""How a command declares its options, at no cost, and the two ways of reading arguments by them.

A command's signature holds `Annotated[type, Option(…)]` and `Annotated[type, Argument(…)]`. `for_typer` makes of it
what typer understands: typer prints the help, is asked for completions, and explains every mistake. But importing typer
costs more than most commands take. So `parse` reads the plain cases by itself, as typer would (a property test holds it
to that), and gives None for all else: then typer is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Option:
    """An option: its spellings, the word for its value, its help, the least and the most that a number may be."""

    def __init__(
        self,
        *spellings: str,
        metavar: str | None = None,
        help: str = "",
        min: float | None = None,
        max: float | None = None,
    ) -> None:
        self.spellings = spellings
        self.metavar = metavar
        self.help = help
        self.min = min
        self.max = max


class Argument:
    """A positional argument: the word for it and its help."""

    def __init__(self, metavar: str, help: str = "") -> None:
        self.metavar = metavar
        self.help = help


class Parameter(NamedTuple):
    """One parameter of a command: `type` bool, int, float or str, `many` values or one."""

    name: str
    type: type
    many: bool
    declared: Option | Argument
    default: object
    required: bool


def parameters(function: Callable[..., object]) -> Iterator[Parameter]:
    """The parameters that a command declares, its `call` left out. Without `inspect`, which costs 4 ms."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[1 : code.co_argcount]
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    for name in names:
        annotation = function.__annotations__[name]
        value, many = _type(annotation.__origin__)
        yield Parameter(name, value, many, annotation.__metadata__[0], given.get(name), name not in given)


def _type(annotation: Any) -> tuple[type, bool]:
    """(type, many) of `T`, `T | None`, `list[T]` and `list[T] | None`."""
    alternatives = getattr(annotation, "__args__", ()) if not hasattr(annotation, "__origin__") else ()
    inner = next((one for one in alternatives if one is not type(None)), annotation)
    if getattr(inner, "__origin__", None) is list:
        return inner.__args__[0], True
    return inner, False


def valued(function: Callable[..., object]) -> set[str]:
    """The options of a command that take a value, in every spelling."""
    options = [one for one in parameters(function) if isinstance(one.declared, Option) and one.type is not bool]
    return {spelling for one in options if isinstance(one.declared, Option) for spelling in one.declared.spellings}


def parse(function: Callable[..., object], args: Sequence[str]) -> dict[str, object] | None:
    """The values of a command's parameters where the arguments are plain; None where typer must look at them."""
    known = list(parameters(function))
    options = {s: one for one in known if isinstance(one.declared, Option) for s in one.declared.spellings}
    values: dict[str, object] = {one.name: one.default for one in known}
    words: list[str] = []
    rest = iter(args)
    for word in rest:
        if word == "--":
            words += rest
        elif word[:1] != "-" or word == "-":
            words.append(word)
        elif not _take(word, rest, options, values):
            return None
    return values if _place(words, [one for one in known if isinstance(one.declared, Argument)], values) else None


def _take(word: str, rest: Iterator[str], options: Mapping[str, Parameter], values: dict[str, object]) -> bool:
    """Read one option; False for what is not plain."""
    spelling, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
    one = options.get(spelling)
    if one is None or (one.type is bool and equals):
        return False
    if one.type is bool:
        values[one.name] = True
        return True
    value = text if equals else next(rest, "--")
    if value[:1] == "-" and value != "-" and not equals:  # missing, or another option where a value should be
        return False
    return _set(one, value, values)


def _set(one: Parameter, text: str, values: dict[str, object]) -> bool:
    assert isinstance(one.declared, Option)
    value: object = text
    if one.type in (int, float):
        try:
            number = one.type(text)
        except ValueError:
            return False
        low, high = one.declared.min, one.declared.max
        if not ((low is None or number >= low) and (high is None or number <= high)):
            return False
        value = number
    if one.many:
        before = values[one.name]
        value = [*(before if isinstance(before, list) else ()), value]
    values[one.name] = value
    return True


def _place(words: list[str], wanted: Sequence[Parameter], values: dict[str, object]) -> bool:
    """Give the positional words to the arguments, the first ones first; False when they are too few or too many."""
    for one in wanted:
        taken = words if one.many else words[:1]
        words = [] if one.many else words[1:]
        if taken:
            values[one.name] = list(taken) if one.many else taken[0]
        elif one.required:
            return False
    return not words


def for_typer(function: Callable[..., object]) -> Callable[..., object]:
    """The command as typer wants it: the same parameters after a `ctx`, whose `obj` is the call."""
    import inspect
    from typing import Annotated

    import typer

    def run(ctx: typer.Context, **values: object) -> object:
        return function(ctx.obj, **values)

    def declared(declaration: Option | Argument) -> object:
        if isinstance(declaration, Argument):
            return typer.Argument(metavar=declaration.metavar, help=declaration.help)
        option: Any = typer.Option  # whose first spelling is typed as a default
        bounds = {"min": declaration.min, "max": declaration.max}
        return option(*declaration.spellings, metavar=declaration.metavar, help=declaration.help, **bounds)

    annotated: Any = Annotated
    kinds = inspect.Parameter
    signature = [kinds("ctx", kinds.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    for one in parameters(function):
        annotation = annotated[function.__annotations__[one.name].__origin__, declared(one.declared)]
        default = kinds.empty if one.required else one.default
        signature.append(kinds(one.name, kinds.KEYWORD_ONLY, default=default, annotation=annotation))
    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]  # what inspect looks for
    run.__annotations__ = {one.name: one.annotation for one in signature}
    run.__name__, run.__doc__ = function.__name__, function.__doc__
    return run
