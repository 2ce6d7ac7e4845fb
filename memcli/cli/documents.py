"""Fragments as the JSON documents show them."""

from memcli.cli.frame import Document
from memcli.context import Context
from memcli.model import View
from memcli.shapes import fragment_json


def fragment(context: Context, view: View) -> Document:
    """A fragment's object, with the tokens of its line in a block where they were counted (None: not yet)."""
    from memcli import rendering  # 3 ms, for those who ask for JSON

    return fragment_json(view._replace(tokens=rendering.token_count(context, view)))
