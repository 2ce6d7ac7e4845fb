"""How many tokens a piece of text is, exactly, without a network; the only importer of tiktoken.

tiktoken knows the patterns and the hash of each rank table and would fetch the tables themselves. We ship the table of
`SHIPPED` as package data, find others in tiktoken's own cache, and give them to tiktoken's constructors in place of
its loader. Loading costs 300 ms, so whoever counts remembers the counts by `piece_key`.
"""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memcli.digests import blake2b
from memcli.errors import UnknownEncoding

if TYPE_CHECKING:
    from tiktoken import Encoding

SHIPPED = "o200k_base"
DATA = os.path.join(os.path.dirname(__file__), "data")

_HINT = (
    f"{SHIPPED} ships with mem; others work when tiktoken's cache (TIKTOKEN_CACHE_DIR) holds their ranks, and mem "
    "never fetches them"
)
_loaded: dict[str, "Encoding"] = {}


def load(encoding: str = SHIPPED, env: Mapping[str, str] | None = None) -> "Encoding":
    """The tokenizer of that name; `env` tells where tiktoken's cache is. Takes some 300 ms, once a process.

    Raises UnknownEncoding when tiktoken has no such name, or its ranks are not at hand or not the right ones.
    """
    if encoding not in _loaded:
        from tiktoken import Encoding

        _loaded[encoding] = Encoding(**_definition(encoding, env or {}))
    return _loaded[encoding]


def count(text: str, encoding: str = SHIPPED, env: Mapping[str, str] | None = None) -> int:
    """The exact number of tokens of a text; special tokens in it are text as any other. Loads the tokenizer."""
    return len(load(encoding, env).encode_ordinary(text))


def piece_key(encoding: str, piece: str) -> bytes:
    """Twelve bytes under which a store remembers the count of a piece in an encoding."""
    return blake2b(f"{encoding}\0{piece}".encode("utf-8", "surrogatepass"), digest_size=12).digest()


class Counter:
    """Counts the pieces of one output, loading the tokenizer only when it must (DESIGN.md, section 8, Budget).

    A piece is counted exactly if the package or the store (`known`: piece key → count, or None) has its count. One
    that nobody counted yet is charged its UTF-8 bytes, never less than its tokens, while all such charges together
    stay under a tenth of `budget`; beyond that the tokenizer is loaded. A piece keeps the count it was first given, so
    that sums can be undone.

    `fresh` holds the counts found on the way, for the caller to store; `charged` the pieces that were only charged;
    `exact` says that there are none.
    """

    def __init__(
        self,
        known: Callable[[bytes], int | None],
        encoding: str = SHIPPED,
        budget: int = 0,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.fresh: dict[bytes, int] = {}
        self.charged: list[str] = []
        self._known = known
        self._encoding = encoding
        self._env = env
        # an encoding that is not at hand must not pass unnoticed because little was to be counted
        self._allowance = budget / 10 if encoding == SHIPPED else 0
        self._spent = 0
        self._seen = _constants(encoding)

    @property
    def exact(self) -> bool:
        """Whether every count so far was the exact one."""
        return not self.charged

    def __call__(self, piece: str) -> int:
        """The tokens of a piece (or its bytes, see above). Raises UnknownEncoding."""
        counted = self._seen.get(piece)
        if counted is None:
            key = piece_key(self._encoding, piece)
            counted = self._known(key)
            if counted is None:
                counted = self._new(key, piece)
            self._seen[piece] = counted
        return counted

    def _new(self, key: bytes, piece: str) -> int:
        if self._encoding == SHIPPED and piece[1:].isdecimal() and piece.isascii() and piece[0] == " ":
            return _number(piece)
        size = len(piece.encode("utf-8", "surrogatepass"))
        if self._encoding not in _loaded and self._spent + size < self._allowance:
            self._spent += size
            self.charged.append(piece)
            return size
        self.fresh[key] = count(piece, self._encoding, self._env)
        return self.fresh[key]


def _number(piece: str) -> int:
    """Tokens of a space and decimal digits in SHIPPED: its pattern takes three digits at a time, each a token."""
    return 1 + (len(piece) + 1) // 3


def _constants(encoding: str) -> dict[str, int]:
    """Pieces of the wrapper and the map, counted when the package was made: piece → tokens."""
    if encoding != SHIPPED:
        return {}
    import json

    with open(os.path.join(DATA, f"{SHIPPED}.counted.json"), encoding="utf-8") as file:
        counted: dict[str, int] = json.load(file)
    return counted


def _definition(encoding: str, env: Mapping[str, str]) -> dict[str, Any]:
    """What tiktoken's own constructor says of the encoding, run with a loader that stays on this machine."""
    from types import FunctionType

    from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # it ships no types

    def ranks(url: str, expected_hash: str) -> dict[bytes, int]:
        return _parse(_table(encoding, url, expected_hash, env))

    def elsewhere(**_: object) -> None:
        raise UnknownEncoding(f"no token ranks for {encoding!r} on this machine", _HINT)

    # the constructors call each other, so each is run in a copy of their module that has our loader in it
    module = {**vars(openai_public), "load_tiktoken_bpe": ranks, "data_gym_to_mergeable_bpe_ranks": elsewhere}
    for name, constructor in openai_public.ENCODING_CONSTRUCTORS.items():
        module[name] = FunctionType(constructor.__code__, module, name)
    if encoding not in openai_public.ENCODING_CONSTRUCTORS:
        raise UnknownEncoding(f"no token encoding is called {encoding!r}", _HINT)
    definition: dict[str, Any] = module[encoding]()
    return definition


def _table(encoding: str, url: str, expected_hash: str, env: Mapping[str, str]) -> bytes:
    """The rank table that tiktoken would fetch from `url`, checked against the hash that tiktoken carries."""
    from hashlib import sha256

    shipped = url.rpartition("/")[2] == f"{SHIPPED}.tiktoken"
    data = _packaged() if shipped else _cached(url, env)
    if data is not None and sha256(data).hexdigest() == expected_hash:
        return data
    if shipped:
        raise UnknownEncoding("the token ranks that ship with mem are damaged", "install mem again")
    raise UnknownEncoding(f"no token ranks for {encoding!r} on this machine", _HINT)


def _packaged() -> bytes | None:
    import gzip
    import zlib

    try:
        with gzip.open(os.path.join(DATA, f"{SHIPPED}.tiktoken.gz")) as file:
            return file.read()
    except (OSError, EOFError, zlib.error):
        return None


def _cached(url: str, env: Mapping[str, str]) -> bytes | None:
    """The file that tiktoken keeps of the address, in the folder where it looks itself."""
    from hashlib import sha1

    folder = env.get("TIKTOKEN_CACHE_DIR", env.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    name = sha1(url.encode(), usedforsecurity=False).hexdigest()
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except OSError:
        return None


def _parse(table: bytes) -> dict[bytes, int]:
    """Lines of base64 token, space, rank."""
    from binascii import a2b_base64

    fields = table.split()
    return dict(zip(map(a2b_base64, fields[::2]), map(int, fields[1::2]), strict=True))
