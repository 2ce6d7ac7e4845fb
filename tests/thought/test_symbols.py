"""Where a symbol's definition begins and ends, by the grammar of its language."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.symbols import LARGEST, definitions, find_definition
from memcli.symbols.grammar import language_of
from memcli.symbols.hints import may_define
from memcli.symbols.languages import BY_SUFFIX

SOURCES = Path(__file__).parent / "sources"

#: file in sources/ → symbol lines, symbol lines …
EXPECTED = {
    "billing.py": (
        "LIMIT 6-6, FLOOR 6-6, rates 7-10, Money 13-13, total 22-24, _retry 27-36, inner 31-32, _retry.wrap "
        "30-34, Kind 39-63, billing.Kind.SENT 45-45, Meta.ordering 48-48, Kind.label 50-56, Kind#send 58-63, "
        "shout 66-66, Pair 67-67, seen -, Kind.total -, nothing.total -"
    ),
    "shop.ts": (
        "limit 3-3, first 4-4, second 5-5, price 9-12, load 14-18, parse 16-16, Item 20-23, Item.describe "
        "22-22, Basket 25-27, Color.Red 30-30, Color.Blue 31-31, Shop.Inner.open 35-35, Cart 38-59, Cart.size "
        "40-40, Cart.#count 41-41, Cart.onChange 42-44, Cart.constructor 46-48, Cart.add 50-54, Cart.total "
        "56-58, Base 61-63, Base.close 62-62, version 66-66, local -, Base.add -"
    ),
    "view.tsx": ("Props 3-3, Badge 5-7, Page 9-15, main -"),
    "server.js": (
        "start 5-7, handlers 9-17, handlers.get 10-12, handlers.post 13-15, not-found 16-16, Queue 19-24, "
        "Queue.clear 21-23, Queue.push 26-28, stop 30-30, Timer.interval 33-33, Timer.tick 34-34, Timer.ticks "
        "36-38, methods.go 44-46, inner -, items -"
    ),
    "server.go": (
        "StateOpen 7-7, ErrClosed 11-11, ports 12-12, Server 16-19, Addr 17-17, Handler 22-22, Store.Get "
        "24-24, New 28-31, Server.Start 33-39, (*Server).Start 33-39, Handler.Start 41-42, server.New 28-31, "
        "Store.Start -"
    ),
    "stack.rs": (
        "LIMIT 3-3, NAME 4-4, Stack 7-12, Stack.items 11-11, Stack::EMPTY 15-15, crate::Stack::push 17-21, "
        "Stack::fmt 25-27, Shape 30-36, Shape::area 32-32, Shape.name 33-35, Event::Close 40-40, square "
        "43-47, tests::pushes 53-56, tests 49-57, Ints 59-59, Shape::push -"
    ),
    "Account.java": (
        "Account 6-41, LIMIT 9-9, version 11-12, Account.Account 14-16, Account#toString 22-26, close 30-34, "
        "com.acme.bank.Account.Builder.build 37-39, Point 43-47, Point.y 43-43, Point.Point 44-46, "
        "Status.OPEN 50-50, CLOSED.done 52-54, Status.done 57-59, Repository.PAGE 63-63, find 65-65, "
        "Audited.value 69-69, later -, task -"
    ),
    "list.c": (
        "LIMIT 3-3, SQUARE 4-5, compare_fn 7-7, Node 11-14, node 11-14, node.last 13-13, color 16-19, BLUE "
        "18-18, word 21-24, counts 26-29, list_push 33-41, list_size 43-46, list_dump 49-49, list_later "
        "54-54, fresh -, list -"
    ),
    "shape.cpp": (
        "geo 3-49, Box 5-22, Box::Box 24-25, Box::area 27-31, geo::Box::area 27-31, Box::~Box 33-36, "
        "Box::operator== 13-13, kLimit 15-15, Cache::hits 20-20, Mode::Exact 38-38, Real 40-40, counter "
        "44-47, geo::io::write 52-54, operator<< 57-59, shape_version 61-63, count -, io::area -"
    ),
    "account.rb": (
        "Bank 3-43, Bank::RATE 4-4, Account 6-40, LIMITS 7-9, Account.open 13-15, Bank::Account#empty? 21-23, "
        "owner= 25-27, audit 29-33, Account.find 36-38, Account::Error 42-42, Point 45-49, Point.distance "
        "46-48, n -"
    ),
    "Orders.cs": (
        "Acme.Shop.Line 5-6, Line.Count 6-6, Order 8-42, Limit 10-10, second 11-11, Order.Id 13-14, Name "
        "16-16, Changed 18-18, Order.Order 20-23, Order.Submit 25-34, Twice 29-32, Add 36-36, State.Closed "
        "47-47, IStore.Save 52-52, Point.X 55-55, Done 57-57"
    ),
    "User.php": (
        r"PAGE 7-7, User 9-30, App\Models\User 9-30, LIMIT 14-14, $name 15-15, User::__construct 17-20, "
        "User::find 22-27, User::label 29-29, Notifies::notify 39-41, Suit::Hearts 46-46, helper 49-52, "
        "handler 54-56, limit -"
    ),
    "Cart.kt": (
        "LIMIT 5-5, Names 7-7, Item 9-13, Item.price 12-12, Cart 15-36, Cart.owner 15-15, size 18-19, "
        "com.acme.shop.Cart.add 21-25, total 27-27, Cart.MAX 30-30, Cart.empty 32-34, Registry 38-42, "
        "Registry.find 41-41, Store.save 45-45, Color.BLUE 50-50, Color.lower 52-52, String.shout 55-57, load "
        "59-61, before -"
    ),
    "Player.swift": (
        "limit 3-3, Player 5-31, volume 7-7, Player.init 10-12, Player.play 18-22, shared 24-26, isPlaying "
        "28-30, Player.stop 34-36, Playable.length 40-40, Playable.play 41-41, Mode.shuffle 45-45, Song.title "
        "50-50, Songs 53-53, helper 55-57"
    ),
    "deploy.sh": ("LIMIT 4-4, TARGET 5-5, PATHS 6-9, COLORS 10-10, usage 12-16, build 18-23, deploy-all 25-27"),
}
CASES = [(file, *case.rsplit(" ", 1)) for file, cases in EXPECTED.items() for case in cases.split(", ")]


def source(file: str) -> str:
    return (SOURCES / f"{file}.txt").read_text()


def lines(told: str) -> tuple[int, int] | None:
    first, _, last = told.partition("-")
    return (int(first), int(last)) if first else None


@pytest.mark.parametrize(("file", "symbol", "told"), CASES)
def test_a_definition_is_found_by_its_grammar(file: str, symbol: str, told: str) -> None:
    """With what belongs to it above, whole, under each spelling of its name; the one with a body; and no local."""
    assert find_definition(source(file), symbol, file) == lines(told)


@pytest.mark.parametrize("file", EXPECTED)
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_change_nothing(file: str, end: str) -> None:
    """Windows' and old line ends give the same lines, and a form feed or a stray byte none more."""
    plain = source(file)
    assert definitions(plain.replace("\n", end), file) == definitions(plain, file) != ()


@pytest.mark.parametrize("file", EXPECTED)
def test_no_definition_is_turned_away_unread(file: str) -> None:
    """What lets most texts go without a tree never hides a definition."""
    text = source(file)
    language = language_of(text, file)
    assert language is not None
    assert [one for one in definitions(text, file) if not may_define(text, one.name, language.grammar)] == []


@pytest.mark.parametrize(
    "use",
    [
        "x = first(1)",
        "return first",
        "from a import b, first",
        "box.first()",
        "if not first:",
        "print(first(2))",
        "first(3)",
    ],
)
def test_a_text_that_only_uses_a_name_needs_no_tree(use: str) -> None:
    """A save looks into every file that holds a name; those are seldom its definition."""
    assert not may_define(f"def second():\n    {use}\n", "first", "tree_sitter_python")


def test_a_type_on_the_line_before_makes_no_call() -> None:
    """A prototype may have its type on a line of its own; a call has a statement's end before it."""
    assert may_define("static int\nfirst(int);\n", "first", "tree_sitter_c")
    assert not may_define("int second() {\n  first(1);\n}\n", "first", "tree_sitter_c")


def test_stray_bytes_stand_as_letters() -> None:
    """A file in an old encoding has its definitions, and they are found by the names as they were read."""
    text = b"# caf\xe9 \x0c\ndef pri\xe9():\n    return '\xff'\n\nclass B: pass\n".decode("utf-8", "surrogateescape")
    assert find_definition(text, "pri\udce9", "a.py") == (2, 3)
    assert find_definition(text, "B", "a.py") == (5, 5)
    assert find_definition("x = '\ud800'\ny = 2\n", "y", "a.py") == (2, 2)


@pytest.mark.parametrize(("text", "path"), [("box.size = 1\n", "a.py"), ("box.size = 1\n", "a.rb")])
def test_an_assignment_to_a_member_defines_nothing(text: str, path: str) -> None:
    """What is set from outside is defined elsewhere."""
    assert definitions(text, path) == ()
    assert find_definition(text, "size", path) is None


CONFLICT = """\
def before():
    return 1

<<<<<<< HEAD
def total(items):
    return sum(items)
=======
def total(items, tax):
    return sum(items) * tax
>>>>>>> other

def after():
    return 2
"""
UNCLOSED = """\
function open() {
  if (x) {
    return [1;
}

function next() {
  return 2;
}
"""


@pytest.mark.parametrize(
    ("text", "path", "symbol", "first"),
    [
        (CONFLICT, "a.py", "before", 1),
        (CONFLICT, "a.py", "total", 5),
        (CONFLICT, "a.py", "after", 12),
        (UNCLOSED, "a.js", "open", 1),
        (UNCLOSED, "a.js", "next", 6),
        ("class A {\n  void f( {\n  }\n  void g() {\n  }\n", "A.java", "g", 4),
    ],
)
def test_broken_code_still_has_its_definitions(text: str, path: str, symbol: str, first: int) -> None:
    """A half-edited file, or one with the marks of a conflict, tells where its definitions begin."""
    found = find_definition(text, symbol, path)
    assert found is not None
    assert found[0] == first


def test_the_path_or_the_first_line_tells_the_language() -> None:
    """A script without a suffix is read by its `#!` line; without any of these, indentation tells."""
    text = '#!/usr/bin/env python3\nlast = """\ndef last():\n"""\ndef last(): ...\n'
    assert find_definition(text, "last", "bin/run") == (2, 4)
    assert definitions(text, "bin/run.unknown") == ()
    assert find_definition("resource main {\n  a\n}\n", "main", "a.tf") == (1, 3)


@pytest.mark.parametrize("suffix", sorted(BY_SUFFIX))
@pytest.mark.parametrize("nest", ["(", "[{", "f(a => {", "{\n"])
def test_no_nesting_is_too_deep(suffix: str, nest: str) -> None:
    """Ten thousand brackets neither end the process nor take long."""
    find_definition(f"name = {nest * 10_000}\nname", "name", f"a.{suffix}")


def test_a_large_text_gets_no_tree() -> None:
    """Over LARGEST characters only indentation and brackets are asked."""
    text = "def first():\n    pass\n" + "x = 1\n" * (LARGEST // 6)
    assert definitions(text, "a.py") == ()
    assert find_definition(text, "first", "a.py") == (1, 2)


@given(st.text(max_size=300), st.sampled_from(sorted(BY_SUFFIX)))
def test_any_text_has_its_definitions_within_it(text: str, suffix: str) -> None:
    """Whatever stands in a file: no exception, and each region is of lines that are there."""
    size = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for one in definitions(text, f"a.{suffix}"):
        assert 1 <= one.first <= one.last <= size
        assert find_definition(text, one.qualified, f"a.{suffix}") is None or one.name


@given(
    st.lists(st.lists(st.sampled_from(["pass", "x = [", "if x:", "'", "def", "}", "class A:"]), max_size=6), max_size=6)
)
@settings(max_examples=50)
def test_half_written_code_has_its_definitions_within_it(parts: list[list[str]]) -> None:
    """Pieces of code in any order: no exception, and lines that are there."""
    text = "\n".join("    " * depth + word for words in parts for depth, word in enumerate(words))
    for name in ("x", "A", "def"):
        found = find_definition(text, name, "a.py")
        assert found is None or 1 <= found[0] <= found[1] <= text.count("\n") + 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "@cache\n", "@route('/')\n@cache\n"]),
            st.sampled_from(["def", "async def"]),
            st.lists(st.sampled_from(["x = 1", "if a:\n        pass", "# note", "", 'y = """\nz\n"""']), max_size=4),
        ),
        max_size=6,
    )
)
def test_a_function_is_found_as_it_was_written(functions: list[tuple[str, str, list[str]]]) -> None:
    """Of a module of functions, each region holds exactly the source of its function."""
    sources = [
        f"{decorators}{word} f{number}(a):\n" + "".join(f"    {line}\n" for line in body) + "    return a"
        for number, (decorators, word, body) in enumerate(functions)
    ]
    text = "\n\n\n".join(sources)
    for number, written in enumerate(sources):
        first, last = find_definition(text, f"f{number}", "a.py") or (0, 0)
        assert "\n".join(text.split("\n")[first - 1 : last]) == written


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("absent", ["tree_sitter", "tree_sitter_python"])
def test_without_a_grammar_indentation_tells(absent: str) -> None:
    """An install that lacks the grammar, or tree-sitter, still finds most definitions."""
    code = f"import sys; sys.modules[{absent!r}] = None\nfrom memcli.symbols import definitions, find_definition\n"
    text = "'def first():\\n    pass\\n'"
    assert python(f"{code}print(find_definition({text}, 'first', 'a.py'), definitions({text}, 'a.py'))") == "(1, 2) ()"


def test_only_the_grammar_of_the_file_is_loaded_and_only_when_asked() -> None:
    """Importing costs nothing; a text that does not define the name is told without a tree."""
    code = "import sys\nfrom memcli.symbols import find_definition\nfind_definition('x = name()', 'name', 'a.py')\n"
    assert python(f"{code}print([one for one in sys.modules if 'tree_sitter' in one])") == "[]"
    code += "find_definition('def name(): ...', 'name', 'a.py')\n"
    assert python(f"{code}print('tree_sitter' in sys.modules, 'importlib.resources' in sys.modules)") == "True False"
