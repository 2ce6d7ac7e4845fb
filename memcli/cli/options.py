"""Options that several commands share, each declared once.

The metavar is also what completions go by: TYPE, SCOPE, STATE, ID, PATH, FILE, or choices written `a|b` (see complete).
"""

from typing import Annotated

from memcli.cli.declare import Argument, Option

Ids = Annotated[list[str], Argument(metavar="ID", help="An id, a unique prefix of one, or a key.")]
Id = Annotated[str, Argument(metavar="ID", help="An id, a unique prefix of one, or a key.")]
At = Annotated[str | None, Option("--at", metavar="REV", help="Ask about that commit's tree.")]
Session = Annotated[str | None, Option("--session", metavar="NAME", help="The session that asks.")]
MOST = 2**31 - 1  # what any machine can count to

Limit = Annotated[int | None, Option("--limit", "-n", metavar="N", min=1, max=MOST, help="At most N of them.")]
Types = Annotated[list[str] | None, Option("--type", "-t", metavar="TYPE", help="Only of this type (repeatable).")]
Scopes = Annotated[list[str] | None, Option("--scope", metavar="SCOPE", help="Only in this scope (repeatable).")]
Paths = Annotated[list[str] | None, Option("--path", "-p", metavar="PATH", help="Only about this path (repeatable).")]
States = Annotated[list[str] | None, Option("--state", metavar="STATE", help="Only in this state (repeatable).")]
Minimum = Annotated[
    float | None, Option("--min-confidence", metavar="X", min=0.0, max=1.0, help="Only from this confidence on.")
]
All = Annotated[bool, Option("--all", "-a", help="Every state and confidence, other sessions' too.")]
Stale = Annotated[bool, Option("--stale", help="Only those whose code changed or is gone.")]
Unverified = Annotated[bool, Option("--unverified", help="Only those that can't be compared.")]
