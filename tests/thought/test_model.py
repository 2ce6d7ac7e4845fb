"""Records and their canonical bytes."""

import json

import pytest
from hypothesis import given

from memcli.model import Fragment, decode, encode
from tests.records import fragment, fragments


@given(fragments)
def test_decode_gives_back_what_encode_was_given(whole: Fragment) -> None:
    """decode(encode(f)) = f, to the types of its fields, for any text, path and time."""
    back = decode(encode(whole))
    assert back == whole
    assert repr(back) == repr(whole)


@given(fragments)
def test_one_fragment_has_one_spelling(whole: Fragment) -> None:
    """The bytes are canonical: encoding what was decoded changes none of them, and they are ASCII."""
    data = encode(whole)
    assert encode(decode(data)) == data
    assert data.isascii()


def test_fields_of_later_versions_are_passed_over() -> None:
    """A record of a newer mem with the same schema still reads."""
    known = fragment(text="kept")
    raw = json.loads(encode(known))
    raw |= {"tags": ["new"], "v": 2}
    raw["stamp"]["tree"] = "abc"
    assert decode(json.dumps(raw).encode()) == known


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b"{}", b'{"id": "k"}', b"\xff", b'{"stamp": 1}'])
def test_what_is_no_record_raises_only_what_readers_expect(data: bytes) -> None:
    """Damage shows as one of the errors that a reader counts as a damaged record."""
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        decode(data)
