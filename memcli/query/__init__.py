"""The query language (DESIGN.md, section 6): a text and some relations in, rows out. Pure, in stages:

lexer → parser → tree (with places) → check (names, shapes) → plan → simplify → evaluate (scalars, streams).
"""

from memcli.query.answer import LIMIT, MAX_LIMIT, Result, run
from memcli.query.schema import SCHEMA, memory_row

__all__ = ["LIMIT", "MAX_LIMIT", "SCHEMA", "Result", "memory_row", "run"]
