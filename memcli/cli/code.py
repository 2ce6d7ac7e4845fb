"""The commands that follow the code: sweep, and the git hooks that start it."""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

from memcli import background, githooks, registry
from memcli.cli import options, words
from memcli.cli.declare import Option
from memcli.cli.frame import Answer, Call, Document
from memcli.cli.progress import progress
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError, NoRepository, Usage
from memcli.model import View
from memcli.scopes import Viewer, check_scope, visible
from memcli.settings import user_data_dir
from memcli.shapes import change_json, fragment_json
from memcli.sweep import SweepRequest, Swept
from memcli.sweep import sweep as run_sweep
from memcli.transfer import keep_copy

DryRun = Annotated[bool, Option("--dry-run", help="Report only; store nothing.")]
Since = Annotated[
    str | None, Option("--since", metavar="REV", help="What changed since the merge base of REV and HEAD.")
]
Check = Annotated[bool, Option("--check", help="Exit 1 if anything is below the minimum (with --since: fell).")]
AllStores = Annotated[bool, Option("--all-stores", help="Sweep every store that this user has.")]
Every = Annotated[str | None, Option("--every", metavar="TIME", help="Stay and sweep every 30s, 10m, 2h.")]
Scope = Annotated[str | None, Option("--scope", metavar="SCOPE", help="Only workspace, or only user scope.")]
Cron = Annotated[str | None, Option("--cron", metavar="EXPR", help="Stay and sweep by a cron expression.")]


def sweep(
    call: Call,
    dry_run: DryRun = False,
    at: options.At = None,
    since: Since = None,
    check: Check = False,
    all_stores: AllStores = False,
    every: Every = None,
    cron: Cron = None,
    scope: Scope = None,
) -> Answer:
    """Recompute every confidence against the code as it is, store it, and report what moved and why."""
    if every is not None or cron is not None:
        if None not in (every, cron):
            raise Usage("--every can't go with --cron", "one says how often, the other when")
        _alone(dry_run or check or at is not None or since is not None, "--every and --cron")
        from memcli.cli import resident

        return resident.stay(call, every, cron, all_stores)
    if all_stores:
        _alone(check or at is not None or since is not None, "--all-stores")
        return stores_answer(sweep_all(call, SweepRequest(dry_run)))
    context = call.open(at)
    every_one = check or call.options.json
    swept = sweep_here(call, context, SweepRequest(dry_run, since, every_one, scope and check_scope(scope)))
    fallen = _failing(context, swept, since is not None) if check else ()
    return sweep_answer(swept, fallen, listed=since is None)


def hooks_install(call: Call) -> Answer:
    """Let git start a sweep, in the background, after each commit, merge, checkout and rebase.

    What stands in a hook already stays and runs. Installing again changes nothing.
    """
    folder, roots = hooks_place(call.open())
    return _hooks(githooks.install(folder, background.program(), roots), report=True)


def hooks_uninstall(call: Call) -> Answer:
    """Take mem's part out of the git hooks again, and leave everything else as it is."""
    folder, roots = hooks_place(call.open())
    return _hooks(githooks.uninstall(folder, roots), report=True)


def hooks_status(call: Call) -> Answer:
    """Say which git hooks are installed, and where."""
    return _hooks(githooks.status(hooks_place(call.open())[0], background.program()))


def hooks_place(context: Context) -> tuple[str, list[str]]:
    """The folder that git runs hooks from, and the folders that belong to the repository."""
    repository = context.repository
    if repository is None:
        raise NoRepository("not in a git repository, so there are no hooks", "go to one, or name it with -C")
    roots = [folder for folder in (repository.root, repository.common_dir, repository.git_dir) if folder]
    return repository.hooks_dir().path, roots


def sweep_here(call: Call, context: Context, request: SweepRequest) -> Swept:
    """One sweep of the store here, with its progress on a terminal."""
    swept = run_sweep(context, request._replace(progress=progress("sweeping", call.options.quiet)))
    if not (request.dry_run or request.since or context.at):
        keep_copy(context)
    return swept


class AllSwept(NamedTuple):
    """The sweep of each store that could be swept, with its folder, and how many could not."""

    found: tuple[tuple[str, Swept], ...]
    failed: int


def sweep_all(call: Call, request: SweepRequest) -> AllSwept:
    """A sweep of every store that this user has. What fails is told; a repository that is gone is no failure."""
    found, failed = [], 0
    for folder in registry.folders(user_data_dir(call.env)):
        try:
            with Context.open(folder, background.without_repository(call.env), call.now, explicit=True) as context:
                if context.repository is not None and context.repository.is_bare:
                    continue  # it has no work tree to compare with
                found.append((folder, sweep_here(call, context, request)))
        except MemError as error:
            call.notes.append(f"{folder}: {error.message}")
            failed += not isinstance(error, NoRepository)
    return AllSwept(tuple(found), failed)


def sweep_answer(swept: Swept, fallen: tuple[View, ...] = (), listed: bool = True) -> Answer:
    """The answer of one sweep. `fallen` is what a check said no to, `listed` whether the text names it."""
    return Answer(
        lambda: swept_json(swept),
        lambda style: swept_lines(swept, style, fallen if listed else ()),
        rows="changes",
        code=1 if fallen else 0,
        report=True,
    )


def stores_answer(swept_all: AllSwept) -> Answer:
    """The answer of a sweep of several stores; 2 when some could not be swept."""
    found, failed = swept_all
    return Answer(
        lambda: {"stores": [{"path": folder, **swept_json(swept)} for folder, swept in found]},
        lambda style: (
            [
                line
                for folder, swept in found
                for line in (f"{style.path(folder)}:", *(f"  {one}" for one in swept_lines(swept, style)))
            ]
            or ([] if failed else ["no store is known yet"])
        ),
        rows="stores",
        code=2 if failed else 0,
        report=True,
    )


def swept_json(swept: Swept) -> Document:
    """A sweep's document: what moved, and all that was looked at."""
    return {
        "commit": swept.commit,
        "active": swept.active,
        "changes": [change_json(*change) for change in swept.changes],
        "fragments": [fragment_json(view) for view in swept.views],
    }


def swept_lines(swept: Swept, style: Style, below: tuple[View, ...] = ()) -> Iterator[str]:
    """What fell from where to where and why, or that nothing did; then what a check found below the minimum."""
    for change in swept.changes:
        yield words.change_line(change.view, change.before, change.after, style)
    fell = sum(change.after < change.before for change in swept.changes)
    rose = len(swept.changes) - fell
    moved = ", ".join([f"{number} {verb}" for number, verb in ((fell, "fell"), (rose, "rose")) if number])
    yield f"{moved or 'nothing fell'}; {len(swept.views)} of {words.count(swept.active, 'active fragment')} looked at"
    for view in below:
        yield f"below the minimum: {style.clean(view.fragment.name)} {words.grade(view, style)}"


def _failing(context: Context, swept: Swept, since: bool) -> tuple[View, ...]:
    """What makes `--check` say no: with `--since` all that fell, else all active fragments below the minimum."""
    if since:
        return tuple(change.view for change in swept.changes if change.after < change.before)
    viewer = Viewer(minimum=context.settings.minimum, every_session=True)
    return tuple(view for view in swept.views if not visible(view.fragment, view.assessment.confidence, viewer))


def _alone(bad: bool, what: str) -> None:
    if bad:
        raise Usage(f"{what} can't go with --dry-run, --check, --at or --since", "run one after the other")


def _hooks(rows: tuple[Any, ...], report: bool = False) -> Answer:
    """Rows of install, uninstall (`action`) or status (`state`); any refused or broken one makes the answer no."""
    bad = any(row[1] in ("refused", "broken") for row in rows)
    return Answer(
        lambda: {"hooks": [row._asdict() for row in rows]},
        lambda style: (
            f"{row[1]} {row.hook}: {style.path(row.path)}{f' ({style.clean(row.note)})' if row.note else ''}"
            for row in rows
        ),
        rows="hooks",
        code=int(bad),
        report=report and not bad,
    )
