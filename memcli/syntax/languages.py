"""What each family of languages calls a comment, a string, a bracket that matters: the tables that `tokens` reads by.

Every pattern is linear: what is never closed ends at the end of its line or file, and nothing is tried twice.
"""

from typing import NamedTuple


class Language(NamedTuple):
    """A family of languages. `comments`, `strings` (with named groups), `aside` (never a token): patterns.

    `braces`: "all" count, those of a "block" of two statements or more, all but those of "arms" with one expression, or
    "none" (then no bracket counts at all).
    `nesting`: pattern of the white space that begins a line where indentation means something. `imports`: the words
    that begin a statement whose order among its like says nothing; `one_by_one`: each of its names stands alone.
    """

    comments: str = r"(?!)"
    strings: str = r"(?!)"
    aside: str = r"(?!)"
    braces: str = "none"
    nesting: str = r"(?!)"
    imports: frozenset[str] = frozenset()
    joins: bool = False  # adjacent literals are one
    one_by_one: bool = True
    plain_numbers: bool = False  # 1.0, 1. and 1 are one number
    fold: bool = False  # case says nothing
    markup: bool = False  # elements may stand in the code (JSX)
    prose: bool = False  # an underscore may be emphasis


def _quoted(quote: str, *, lines: bool = False, doubled: bool = False) -> str:
    """A string up to its closing quote, or the end of the line (of the file where it may span `lines`)."""
    inner = rf"[^{quote}]*+(?:{quote}{quote}[^{quote}]*+)*+" if doubled else ""
    end = "" if lines else r"\n"
    return (inner or rf"[^{quote}\\{end}]*+(?:\\(?s:.)[^{quote}\\{end}]*+)*+") + rf"{quote}?"


def _named(**patterns: str) -> str:
    return "|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns.items())


def _nested(depth: int) -> str:
    """Block comments inside block comments."""
    inner = r"/\*(?s:.*?)(?:\*/|\Z)"
    for _ in range(depth):
        inner = rf"/\*(?:[^*/]++|\*(?!/)|{inner}|/)*+(?:\*/|\Z)"
    return inner


_LINE = r"//[^\n]*"
_BLOCK = r"/\*(?s:.*?)(?:\*/|\Z)"
_HASH = r"(?<!\S)\#[^\n]*"
_DOUBLE = '"' + _quoted('"')
_DOUBLES = '"' + _quoted('"', lines=True)
_SINGLE = r"(?<!\w)'" + _quoted("'")  # after a letter it is an apostrophe, a prime, a digit's separator
_CHAR = r"(?<!\w)'(?:\\[^'\n]+|\\'|[^'\\\n])'"  # where a lone ' means something else (lifetimes, primes)
_TRIPLE = r"\"\"\"(?s:.*?)(?:\"\"\"|\Z)"
_TRIPLES = rf"{_TRIPLE}|'''(?s:.*?)(?:'''|\Z)"
_BACKTICK_RAW = r"`[^`]*+`?"
_FIELD = r"\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*+\}"
_TEMPLATE = rf"`(?:[^`\\$]++|\\(?s:.)|{_FIELD}|\$)*+`?"
_HEREDOC = r"<<[-~]?[ \t]*(?P<q>['\"\\]?)(?P<tag>[A-Za-z_]\w*)[^\n]*\n(?s:.*?)(?:^[ \t]*(?P=tag)\b|\Z)"
_REGEX = r"/(?![*/\s])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/\w*"  # bounded: it may be a division
_PARAGRAPH_MARKS = (
    r"^[ \t>]*(?:[-*+]|\d+[.)])(?=\s)|^[ \t>]*\#{1,6}(?=\s)|[ \t]\#+[ \t]*$"
    r"|^[ \t>]*(?P<mark>[-=*_])(?:[ \t]*(?P=mark))+[ \t]*$"
    r"|^[ \t>]*(?:```+|~~~+)|^[ \t]*[|:-][|:\- \t]*$|\\(?=[^\w\s])|[*|`]|__+|_"
)
_C = Language(
    comments=rf"{_LINE}|{_BLOCK}",
    strings=_named(
        raw=r'(?:u8|[uUL])?R"(?P<d>[^()\\\s]{0,16})\((?s:.*?)(?:\)(?P=d)"|\Z)|\$?@\$?"' + _quoted('"', doubled=True),
        block=_TRIPLE,
        string=rf"(?:u8|[uUL]|\$)?{_DOUBLE}|(?:u8|[uUL])?{_SINGLE}",
    ),
    joins=True,
    braces="block",
    imports=frozenset({"#include", "import", "using"}),
)
_SHELL = Language(
    comments=r"(?<![^\s;|&()])\#[^\n]*",
    strings=_named(heredoc=_HEREDOC, string=rf"{_DOUBLES}|(?<!\w)'[^']*+'?"),
    aside=r"\\.|\$(?=\()",
)
_HASHES = Language(comments=_HASH, strings=_named(string=rf"{_TRIPLES}|{_DOUBLE}|{_SINGLE}"))
_MARKUP = Language(comments=r"<!--(?s:.*?)(?:-->|\Z)", aside=r"/(?=\s*>)|(?i:<!doctype\s+html)")

#: the name of a family → what it is; the name goes into the keys of remembered comparisons
LANGUAGES = {
    "": Language(),
    "prose": _MARKUP._replace(aside=_PARAGRAPH_MARKS, prose=True),
    "python": Language(
        comments=r"\#[^\n]*",
        strings=_named(
            string=rf"(?:[rRbBuUfFtT]{{1,2}})?(?:{_TRIPLES}|{_DOUBLE})|(?:(?<!\w)[rRbBuUfFtT]{{1,2}}'|(?<!\w)')"
            + _quoted("'")
        ),
        joins=True,
        braces="all",
        nesting=r"(?<!\\\n)^[ \t]*(?=[^\s\#])",
        imports=frozenset({"import", "from"}),
    ),
    "c": _C,
    "nested": _C._replace(
        comments=rf"{_LINE}|{_nested(3)}",
        strings=_named(block=_TRIPLE, string=f"{_DOUBLE}|{_CHAR}"),
        joins=False,
        braces="arms",
    ),
    "rust": Language(
        comments=rf"{_LINE}|{_nested(3)}",
        strings=_named(raw=r'b?r(?P<h>\#*)"(?s:.*?)(?:"(?P=h)|\Z)', string=rf"[bc]?{_DOUBLES}|b?{_CHAR}"),
        braces="arms",
        imports=frozenset({"use", "pub", "mod", "extern"}),
        one_by_one=False,
    ),
    "go": Language(
        comments=rf"{_LINE}|{_BLOCK}",
        strings=_named(raw=_BACKTICK_RAW, string=f"{_DOUBLE}|{_SINGLE}"),
        braces="all",
        imports=frozenset({"import"}),
    ),
    "javascript": Language(
        comments=rf"{_LINE}|{_BLOCK}",
        strings=_named(soft=rf"(?<=[\w)]){_TEMPLATE}", template=_TEMPLATE, string=f"{_DOUBLE}|{_SINGLE}", regex=_REGEX),
        braces="all",
        plain_numbers=True,
        markup=True,
    ),
    "json": Language(
        comments=rf"{_LINE}|{_BLOCK}",
        strings=_named(string=f"{_DOUBLE}|{_SINGLE}"),
        braces="all",
        plain_numbers=True,
    ),
    "css": Language(
        comments=_BLOCK,
        strings=_named(bare=rf"{_DOUBLE}|{_SINGLE}|url\((?!\s*['\"])[^)\n]*\)?"),
        plain_numbers=True,
        fold=True,
    ),
    "php": Language(
        comments=rf"{_LINE}|\#(?!\[)[^\n]*|{_BLOCK}",
        strings=_named(string=rf"{_DOUBLES}|(?<!\w)'" + _quoted("'", lines=True)),
        braces="block",
    ),
    "shell": _SHELL,
    "powershell": Language(
        comments=r"<\#(?s:.*?)(?:\#>|\Z)|(?<![\w$`])\#[^\n]*",
        strings=_named(string=rf"(?<!\w)'[^']*+'?|{_DOUBLES}"),
        fold=True,
    ),
    "ruby": Language(
        comments=rf"^=begin\b(?s:.*?)(?:^=end[^\n]*|\Z)|{_HASH}",
        strings=_named(heredoc=_HEREDOC.replace("[-~]?[ \\t]*", "[-~]"), string=f"{_DOUBLE}|{_SINGLE}"),
    ),
    "hash": _HASHES,
    "yaml": Language(
        comments=_HASH,
        strings=_named(
            doubled=r"(?<![^\s\[\]{},:(-])'" + _quoted("'", doubled=True),
            soft=r"(?<![^\s\[\]{},:(-])" + _DOUBLES,
        ),
        nesting=r"^[ \t]*(?=- |-$|[\"'\w./<*&$][^\n]*?:(?:\s|$))",
    ),
    "sql": Language(
        comments=rf"--[^\n]*|{_BLOCK}",
        strings=_named(string="'" + _quoted("'", doubled=True) + f"|{_DOUBLE}"),
        fold=True,
    ),
    "lua": Language(
        comments=r"--\[(?P<e>=*)\[(?s:.*?)(?:\](?P=e)\]|\Z)|--[^\n]*",
        strings=_named(raw=r"\[(?P<r>=*)\[(?s:.*?)(?:\](?P=r)\]|\Z)", string=f"{_DOUBLE}|{_SINGLE}"),
        braces="all",
    ),
    "haskell": Language(
        comments=r"\{-(?:[^{-]++|-(?!\})|\{-(?s:.*?)(?:-\}|\Z)|\{)*+(?:-\}|\Z)|--+(?![^\w\s(){}\[\],;\"'`_-])[^\n]*",
        strings=_named(string=f"{_DOUBLE}|{_CHAR}"),
        braces="all",
    ),
    "dash": Language(comments=r"--[^\n]*", strings=_named(string=f"{_DOUBLE}|{_CHAR}"), fold=True),
    "markup": _MARKUP,
    "component": _MARKUP._replace(comments=rf"{_MARKUP.comments}|{_BLOCK}|^[ \t]*{_LINE}"),
    "lisp": Language(comments=r";[^\n]*|\#\|(?s:.*?)(?:\|\#|\Z)", strings=_named(string=_DOUBLES)),
    "assembler": Language(comments=rf"[;\#][^\n]*|{_BLOCK}", strings=_named(string=_DOUBLE)),
    "ini": Language(comments=r"(?<!\S)[;\#][^\n]*"),
    "tex": Language(comments=r"(?<!\\)%[^\n]*"),
    "erlang": Language(comments=r"%[^\n]*", strings=_named(string=f"{_DOUBLE}|{_SINGLE}"), braces="all"),
    "vim": Language(comments=r"^[ \t]*\"[^\n]*", strings=_named(string=f"{_DOUBLE}|{_SINGLE}")),
    "batch": Language(comments=r"(?i:^[ \t]*@?(?:rem\b|::)[^\n]*)", fold=True),
}
LANGUAGES["scss"] = LANGUAGES["css"]._replace(comments=rf"{_LINE}|{_BLOCK}")

_SUFFIXES = {
    "prose": "md mdx markdown rst txt adoc asciidoc org textile",
    "python": "py pyi pyx pyw",
    "c": "c h cc cpp cxx hh hpp hxx m mm java cs groovy gradle proto zig v sv sol glsl",
    "nested": "kt kts scala swift dart",
    "rust": "rs",
    "go": "go",
    "javascript": "js jsx mjs cjs ts tsx mts cts",
    "json": "json json5 jsonc",
    "css": "css",
    "scss": "scss less sass",
    "php": "php",
    "shell": "sh bash zsh fish ksh bats",
    "powershell": "ps1 psm1 psd1",
    "ruby": "rb rake gemspec",
    "hash": "toml pl pm r jl ex exs nix tf hcl cmake mk make gitignore conf cfg properties env",
    "yaml": "yaml yml",
    "sql": "sql",
    "lua": "lua",
    "haskell": "hs elm",
    "dash": "ada adb ads vhd vhdl",
    "markup": "html htm xml svg xhtml",
    "component": "vue svelte astro",
    "lisp": "lisp el clj cljs scm rkt",
    "assembler": "asm s",
    "ini": "ini",
    "tex": "tex",
    "erlang": "erl hrl pro",
    "vim": "vim",
    "batch": "bat cmd",
}
_BY_SUFFIX = {suffix: family for family, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_BY_NAME = {
    **dict.fromkeys(("makefile", "dockerfile", "cmakelists.txt"), "hash"),
    **dict.fromkeys(("gemfile", "rakefile"), "ruby"),
    "jenkinsfile": "c",
}


def style_of(path: str) -> str:
    """The family of languages that the path's name tells: a key of LANGUAGES, or "" for the unknown."""
    name = path.rsplit("/", 1)[-1].lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2], "")
