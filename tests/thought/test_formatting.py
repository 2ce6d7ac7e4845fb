"""What is no change (real formatters' output, see formatted/README.md; comments), and what is one: nothing hides."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import drift, fingerprint
from memcli.syntax import read, style_of
from memcli.syntax.languages import LANGUAGES

FORMATTED = Path(__file__).parent / "formatted"
PAIRS = sorted(FORMATTED.glob("*/*.after"))


def verdict(old: str | bytes, new: str | bytes, name: str) -> str:
    before, after = (data.encode() if isinstance(data, str) else data for data in (old, new))
    return drift.compare(fingerprint.of_content(before, name), fingerprint.of_content(after, name)).verdict


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.parent.name}-{pair.name}")
def test_a_formatters_output_is_no_change(pair: Path) -> None:
    """Law 4: what a real formatter makes of a file is `reformatted` (never comments or changed), there and back."""
    name = pair.name.removesuffix(".after")
    before, after = (FORMATTED / "before" / f"{name}.before").read_bytes(), pair.read_bytes()
    assert before != after
    assert verdict(before, after, name) == "reformatted"
    assert verdict(after, before, name) == "reformatted"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.parent.name}-{pair.name}")
@pytest.mark.parametrize("way", ["crlf", "tabs", "bom", "no newline", "blank lines", "no blank lines"])
def test_line_ends_tabs_and_blank_lines_are_no_change(pair: Path, way: str) -> None:
    """Law 4: CRLF, tabs for the spaces that indent, a byte order mark, a missing last newline, blank lines."""
    name, text = pair.name.removesuffix(".after"), pair.read_text()
    if way == "tabs" and name in ("config.yaml", "README.md", "page.html"):
        pytest.skip("tabs mean something else there")
    lines = text.split("\n")
    changed = {
        "crlf": text.replace("\n", "\r\n"),
        "tabs": "\n".join("\t" * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ") for line in lines),
        "bom": "\ufeff" + text,
        "no newline": text.rstrip("\n"),
        "blank lines": "\n\n".join(lines) if "`" not in text and '"""' not in text else "\n\n" + text + "\n\n",
        "no blank lines": "\n".join(line for line in lines if line.strip()),
    }[way]
    allowed: tuple[str, ...] = ("fresh", "reformatted") if way == "tabs" else ("fresh",)
    if way == "tabs" and any(part in text for part in ('"""\n', "`\n", "<<", 'R"')):
        allowed = ("fresh", "reformatted", "changed")  # the strings of lines in it are indented too
    assert verdict(text, changed, name) in allowed


#: file → pairs that differ in comments alone
COMMENTS = {
    "a.py": [
        ("x = 1\n", "# why\nx = 1  # here\n"),
        ("x = 1  # noqa: E501\n", "x = 1  # type: ignore\n"),
        ("x = 1\n", "#!/usr/bin/env python\nx = 1\n"),
        ('def f():\n    "Old words."\n    return 1\n', 'def f():\n    """New\n\n    words."""\n    return 1\n'),
        ('"""Module."""\nx = 1\n', "x = 1\n"),
        ("x = '#' + y  # a\n", "x = '#' + y  # b\n"),
    ],
    "a.sh": [
        ("n=${#x} # count\n", "n=${#x} # number\n"),
        ("echo $# a#b # x\n", "echo $# a#b # y\n"),
        ("#!/bin/sh\nls\n", "#!/bin/bash\nls\n"),
    ],
    "a.js": [
        ("f('//x') // a\n", "f('//x') // b\n"),
        ("a = /['\"/*]/ // x\nb = 1", "a = /['\"/*]/ // y\nb = 1"),
        ("/* eslint-disable */ a = `// ${b} /*` /* x */", "a = `// ${b} /*` /* y */"),
        ("a / b / c // x", "a / b / c // y"),
    ],
    "a.tsx": [
        ("r = <b>{/* one */}it's</b>", "r = <b>{/* two */}it's</b>"),
        ("r = <b>{/* one */}it's</b>", "r = <b>it's</b>"),
    ],
    "a.c": [
        ('#include "a.h" // x\n', '#include "a.h" // y\n'),
        ("char c = '\"'; // x\n", "char c = '\"'; // y\n"),
        ('s = R"(// " )"; /* x */', 's = R"(// " )"; /* y */'),
        ("n = 1'000'000; // it's", "n = 1'000'000; // that's"),
    ],
    "a.cs": [('s = @"c:\\"; // x', 's = @"c:\\"; // y')],
    "a.java": [('s = """\n  // "x"\n  """; // a\n', 's = """\n  // "x"\n  """; // b\n')],
    "a.kt": [("/* a /* b */ c */ val x = 1", "/* a /* c */ d */ val x = 1")],
    "a.swift": [("/* a /* b */ c */ let x = 1", "let x = 1")],
    "a.go": [("//go:build linux\npackage a\n", "package a\n"), ('s := `// "` // x\n', 's := `// "` // y\n')],
    "a.rs": [
        ("fn f<'a>(x: &'a str) {} // x\n", "fn f<'a>(x: &'a str) {} // y\n"),
        ('let s = r#"// " "#; // x\n', 'let s = r#"// " "#; // y\n'),
        ("let c = '\"'; let d = '\\''; // x\n", "let c = '\"'; let d = '\\''; // y\n"),
        ("/* a /* b */ c */ fn f() {}\n", "/// docs\nfn f() {}\n"),
    ],
    "a.sql": [("select 1 -- a\n", "select 1 -- b\n"), ("/* a */ select '--' ", "select '--' ")],
    "a.lua": [("--[[ a\n b ]] x = 1", "--[==[ c ]] ]==] x = 1"), ("x = '--' -- a\n", "x = '--' -- b\n")],
    "a.hs": [("{- a {- b -} c -} x' = 1\n", "-- | d\nx' = 1\n"), ("a --> b\n-- c", "a --> b\n-- d")],
    "a.rb": [("=begin\na\n=end\nx = '#' # b\n", "x = '#' # c\n"), ('x = "#{y}" # a\n', 'x = "#{y}" # b\n')],
    "a.php": [("<?php a(); # x\n", "<?php a(); // y\n"), ("<?php #[Attr]\n/* x */", "<?php #[Attr]\n")],
    "a.html": [("<p>it's<!-- a --></p>", "<p>it's<!-- b\n--></p>")],
    "a.md": [("Text.\n<!-- a -->\n", "Text.\n<!-- b -->\n")],
    "a.vue": [("<script>\n// a\nx = 1\n</script>", "<script>\n// b\nx = 1\n</script>")],
    "a.css": [("a { b: c } /* x */", "a { b: c } /* y */")],
    "a.scss": [("a { b: url(//x) } // x", "a { b: url(//x) } // y")],
    "a.yaml": [("a: b#c # d\n", "a: b#c # e\n")],
    "a.toml": [("a = '#' # b\n", "a = '#' # c\n")],
    "a.ini": [("; a\n[x]\nb = 1\n", "# c\n[x]\nb = 1\n")],
    "Makefile": [("all: # a\n\tls\n", "all: # b\n\tls\n")],
    "Dockerfile": [("# a\nRUN ls\n", "# b\nRUN ls\n")],
    "a.vim": [('" a\nset x="y"\n', '" b\nset x="y"\n')],
    "a.tex": [("50\\% of % a\n", "50\\% of % b\n")],
    "a.bat": [("REM a\necho x\n", ":: b\necho x\n")],
    "a.ps1": [("<# a #> ls # b\n", "ls # c\n")],
    "a.el": [('(f ";") ; a\n', '(f ";") ; b\n')],
}


@pytest.mark.parametrize(("name", "old", "new"), [(name, *pair) for name, pairs in COMMENTS.items() for pair in pairs])
def test_comments_alone_have_their_own_verdict(name: str, old: str, new: str) -> None:
    """Law 4: documentation strings and comments that steer tools (noqa, go:build, #!) are comments as well."""
    assert verdict(old, new, name) == "comments"
    assert verdict(new, old, name) == "comments"


#: file → pairs that look alike and mean something else
CHANGES = {
    "a.py": [
        ("x = a + b", "x = a - b"),
        ("x = 1", "x = 1.0"),
        ("x = 10", "x = 100"),
        ("x = 'a b'", "x = 'a  b'"),
        ("x = 'a'", "x = a"),
        ("x = 'a'", "x = b'a'"),
        ("x = f('a # b')", "x = f('a # c')"),
        ("x = '''a\n b'''", "x = '''a\n  b'''"),
        ("x = Name", "x = name"),
        ("x = (a + b) * c", "x = a + b * c"),
        ("x = a - (b - c)", "x = a - b - c"),
        ("x = not (a or b)", "x = not a or b"),
        ("x = (a or b)[0]", "x = a or b[0]"),
        ("x = -(a + b)", "x = -a + b"),
        ("x = '%s' % (a, b)", "x = '%s' % a, b"),
        ("x = foo()", "x = foo"),
        ("f(g(a), b)", "f(g(a, b))"),
        ("f((a, b))", "f(a, b)"),
        ("x = [1, 2]", "x = {1, 2}"),
        ("x = []", "x = {}"),
        ("x = ['a', 'b']", "x = ['a' 'b']"),
        ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("for a in b:\n    if c:\n        d()\n        e()\n", "for a in b:\n    if c:\n        d()\n    e()\n"),
        ("if a: b()\nc()\n", "if a:\n    b()\n    c()\n"),
        ("import os as a", "import os as b"),
        ("from a import b\n", "from c import b\n"),
        ("x = 'text'\n", "x = 'other'\n"),
    ],
    "a.js": [
        ("x = - -y", "x = --y"),
        ("x = (a || b) && c", "x = a || b && c"),
        ("x = (await a).b", "x = await a.b"),
        ("foo()", "foo"),
        ("x = []", "x = {}"),
        ("if (a) { b(); c() }", "if (a) b(); c()"),
        ("x = 'a  b'", "x = 'a b'"),
        ("x = `a  b`", "x = `a b`"),
        ("x = `a ${b + c}`", "x = `a ${b - c}`"),
        ("x = /a  b/", "x = /a b/"),
        ("x = b ? 'a' : c", "x = b ? a : c"),
        ("x = a / b / c", "x = a / b * c"),
        ("import 'a'\nf()", "f()\nimport 'a'"),
    ],
    "a.go": [("x := (a + b) * c", "x := a + b * c"), ("s := `a\n  b`", "s := `a\n b`"), ("f(a...)", "f(a)")],
    "a.c": [("if (a) { b(); c(); }", "if (a) b(); c();"), ("x = (a + b) * c;", "x = a + b * c;"), ("*p", "p")],
    "a.rs": [("fn f(x: &'a T) {}", "fn f(x: &'b T) {}"), ('let x = r"a  b";', 'let x = r"a b";')],
    "a.sh": [("echo 'a  b'", "echo 'a b'"), ("cat <<X\na\n b\nX\n", "cat <<X\na\n  b\nX\n"), ("a | b", "a || b")],
    "a.yaml": [
        ("a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\nc: 2\n"),
        ("a: 1.10", "a: 1.1"),
        ("a: 'yes'", "a: yes"),
        ("a: b", "a: c"),
    ],
    "a.json": [('{"a": 1}', '{"a": "1"}'), ('{"a": []}', '{"a": {}}'), ('{"a": "b  c"}', '{"a": "b c"}')],
    "a.css": [("a { margin: 1px }", "a { margin: 1em }"), ("a > b {}", "a b {}")],
    "a.sql": [("select 'A'", "select 'a'"), ("a < b", "a > b")],
    "a.md": [("Use tabs.", "Use spaces."), ("Retry 3 times.", "Retry 5 times.")],
    "a.unknown": [("a + b", "a - b"), ("a 1", "a 2")],
}


@pytest.mark.parametrize(("name", "old", "new"), [(name, *pair) for name, pairs in CHANGES.items() for pair in pairs])
def test_what_means_something_else_is_a_change(name: str, old: str, new: str) -> None:
    """An operator, a number, a string, a bracket that groups or calls, a block's end: changed, in both directions."""
    assert verdict(old, new, name) == "changed"
    assert verdict(new, old, name) == "changed"


#: what DESIGN.md, section 8, leaves aside, or what can't be told apart without a grammar of the language
ASIDE = {
    "a.py": [("x = [1, -2]", "x = [1 - 2]"), ("x = 1,", "x = (1)")],
    "a.js": [("x = `a ${f(b)}`", "x = `a ${f, b}`")],
    "a.kt": [("import b\nimport a\n", "import a\nimport b\n")],
    "a.html": [("<p>a  b</p>", "<p>a b</p>")],
    "a.md": [("a\nb c\n", "a b\nc\n"), ("# A\n", "## A\n"), ("1. a\n1. b\n", "1. a\n2. b\n")],
    "a.py.txt": [("a * b", "a b")],
}


@pytest.mark.parametrize(("name", "old", "new"), [(name, *pair) for name, pairs in ASIDE.items() for pair in pairs])
def test_the_limits_are_known(name: str, old: str, new: str) -> None:
    """Commas, a one-element tuple, brackets in a template's field, white space in marked up text, levels and numbers
    of paragraphs: `reformatted`, though some of them mean something else."""
    assert verdict(old, new, name) == "reformatted"


WORDS = st.lists(
    st.sampled_from(["name", "x1", "=", "+", "==", "'text a'", "12", "0xff", "call", "if", ".", "*"]), min_size=1
)
GAPS = st.sampled_from([" ", "  ", "\t", "\n", "\n\n  ", " \r\n"])
EXTENSIONS = ["go", "ts", "rs", "java", "sql", "lua", "php", "unknown"]


@given(st.data(), WORDS, st.sampled_from(EXTENSIONS))
def test_wrapping_anywhere_is_no_change(data: st.DataObject, words: list[str], extension: str) -> None:
    """Whatever white space stands between tokens, where lines mean nothing, the code is the same."""
    wrapped = "".join(word + data.draw(GAPS) for word in words)
    assert verdict(" ".join(words), wrapped, f"a.{extension}") in ("fresh", "reformatted")


@given(st.lists(st.sampled_from(["one", "two", "three", "it's", "a.b", "3", "(four)"]), min_size=1), st.data())
def test_a_paragraph_wrapped_anew_is_no_change(words: list[str], data: st.DataObject) -> None:
    """Prose is its words."""
    wrapped = "".join(word + data.draw(st.sampled_from([" ", "\n"])) for word in words)
    assert verdict("Start " + " ".join(words), "Start " + wrapped, "README.md") in ("fresh", "reformatted")


SIGNS = st.text(st.sampled_from("'\"`/*#-{}()[]<>\\\n\t =:;,ar0.$"), max_size=80)


@given(SIGNS | st.text(max_size=80), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_reads_as_any_language(text: str, style: str) -> None:
    """Arbitrary text never raises, and each of its lines is there."""
    assert len(read(text, style).lines) == text.count("\n") + 1


@given(st.binary(max_size=200), st.sampled_from(["a.py", "a.tsx", "a.md", "a.rs"]))
def test_any_bytes_have_a_fingerprint(data: bytes, name: str) -> None:
    """Arbitrary bytes never raise, and equal themselves."""
    assert drift.compare(*[fingerprint.of_content(data, name)] * 2).verdict == "fresh"


HOSTILE = [
    "'''",
    '"""',
    "/*",
    "`",
    "${",
    "`${",
    '"\\',
    "'\\",
    "--[[",
    "{-",
    "<!--",
    'r#"',
    "=begin\n",
    "<<A\n",
    "((",
    "*_",
]
HOSTILE += ["a:", "/[", "/*/", "-- ", "`${`", '@"', 'R"(', "\\\n", "- ", "|-", "<#", "# ", "url(", "{ ", "\"'"]


@pytest.mark.parametrize("style", sorted(LANGUAGES))
@pytest.mark.timeout(30)
def test_hostile_text_takes_no_longer_than_its_length(style: str) -> None:
    """What is opened twenty thousand times and never closed is read in one pass; quadratic time would end in the
    timeout, after a minute."""
    for piece in HOSTILE:
        text = piece * 20_000
        assert len(read(text, style).lines) == text.count("\n") + 1


def test_sorted_imports_are_no_change_and_others_are() -> None:
    """Imports sorted, grouped, joined and split are `reformatted`; another name or alias is changed."""
    old = "import sys, os\nfrom a import (c, b)\n\nx = 1\n"
    assert verdict(old, "import os\nimport sys\n\nfrom a import b\nfrom a import c\n\nx = 1\n", "a.py") == "reformatted"
    assert verdict(old, "import os\nimport re\n\nfrom a import b, c\n\nx = 1\n", "a.py") == "changed"
    assert verdict(old, "x = 1\n" + old.replace("x = 1\n", ""), "a.py") == "changed"


def test_every_suffix_has_a_family() -> None:
    """Each family is reached by some name, and names tell it in any case."""
    assert style_of("src/A.PY") == "python"
    assert style_of("Dockerfile") == "hash"
    assert style_of("LICENSE") == ""
