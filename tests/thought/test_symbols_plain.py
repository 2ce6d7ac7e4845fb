"""Where a symbol's definition begins and ends, without a grammar."""

import pytest

from memcli.symbols import find_definition

PYTHON = """\
import re

@cache
def first(a):
    if a:
        return [
            1,
        ]

    return None

class Box:
    size = 3

    def open(self):
        return self.size

    def close(self):
        pass

LIMIT = 50
"""

TYPESCRIPT = """\
export const limit = 50;

export async function createUser(name: string) {
  if (!name) {
    throw new Error("{");
  }
  return { name };
}

class Store {
  private items = [];
  add(item: string) {
    this.items.push(item);
  }
}
"""

GO = """\
type Server struct {
	addr string
}

func (s *Server) Start() error {
	return nil
}
"""

RUBY = """\
class Account
  def close
    @open = false
  end
end
"""


@pytest.mark.parametrize(
    ("text", "symbol", "lines"),
    [
        (PYTHON, "first", (3, 10)),
        (PYTHON, "Box", (12, 19)),
        (PYTHON, "Box.close", (18, 19)),
        (PYTHON, "LIMIT", (21, 21)),
        (TYPESCRIPT, "createUser", (3, 8)),
        (TYPESCRIPT, "limit", (1, 1)),
        (TYPESCRIPT, "Store.add", (12, 14)),
        (GO, "Start", (5, 7)),
        (GO, "Server", (1, 3)),
        (RUBY, "close", (2, 4)),
    ],
)
def test_a_definition_is_found_with_its_whole_body(text: str, symbol: str, lines: tuple[int, int]) -> None:
    """The first line with its decorators, to the last line of the body, in several languages."""
    assert find_definition(text, symbol) == lines


@pytest.mark.parametrize("symbol", ["nothing", "", "Box.nothing", "first.open", "(", "a" * 5000])
def test_what_is_not_defined_is_not_found(symbol: str) -> None:
    """A name that no line defines gives None, whatever it looks like."""
    assert find_definition(PYTHON, symbol) is None


def test_a_form_feed_begins_no_line() -> None:
    """Lines are git's: ended by \\n or \\r\\n and by nothing else; by \\r where a text has no others."""
    assert find_definition("a = 1\x0c\u2028\rc = 2\r\ndef b():\n    pass\n", "b") == (2, 3)
    assert find_definition("a = 1\rdef b():\r    pass\r", "b") == (2, 3)


@pytest.mark.parametrize("line", ["return first(", "  await first(a", "else if first(a"])
def test_a_use_is_no_definition(line: str) -> None:
    """A call after a word of statements is not taken for a function after its type."""
    assert find_definition(f"{line}\n  b)\n", "first") is None
