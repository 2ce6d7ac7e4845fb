"""The commands that follow the code: sweep, and the git hooks that start it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from memcli import background, githooks, registry
from memcli.cli import options, words
from memcli.cli.declare import Option
from memcli.cli.frame import Answer, Call, Document
from memcli.cli.progress import progress
from memcli.cli.show import Style
from memcli.context import Context
from memcli.errors import MemError, NoRepository, NothingToCheck, Usage
from memcli.kinds import one_of
from memcli.model import View
from memcli.scopes import Viewer, check_scope, visible
from memcli.settings import user_data_dir
from memcli.shapes import change_json, fragment_json
from memcli.sweep import Change, SweepRequest, Swept
from memcli.sweep import sweep as run_sweep

FORMATS = ("text", "github")

DryRun = Annotated[bool, Option("--dry-run", help="Report only; store nothing.")]
Since = Annotated[
    str | None, Option("--since", metavar="REV", help="What changed since the merge base of REV and HEAD.")
]
Check = Annotated[bool, Option("--check", help="Exit 1 if anything is below the minimum (with --since: fell).")]
AllStores = Annotated[bool, Option("--all-stores", help="Sweep every store that this user has.")]
Every = Annotated[str | None, Option("--every", metavar="TIME", help="Stay and sweep every 30s, 10m, 2h.")]
Scope = Annotated[str | None, Option("--scope", metavar="SCOPE", help="Only workspace, or only user scope.")]
Cron = Annotated[str | None, Option("--cron", metavar="EXPR", help="Stay and sweep by a cron expression.")]
From = Annotated[
    str | None, Option("--from", metavar="FILE", help="The fragments that export wrote there, for this run only.")
]
Format = Annotated[str, Option("--format", "-f", metavar="text|github", help="github: annotations of its Actions.")]
PrePush = Annotated[bool, Option("--pre-push", help="Also stop a push that makes fragments stale.")]
PreCommit = Annotated[bool, Option("--pre-commit", help="Also stop a commit that makes fragments stale.")]


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
    file: From = None,
    form: Format = "text",
) -> Answer:
    """Recompute every confidence against the code as it is, store it, and report what moved and why."""
    github = one_of(form, FORMATS, "format") == "github"
    alone = check or github or (at, since, file) != (None, None, None)
    if every is not None or cron is not None:
        return _resident(call, every, cron, all_stores, dry_run or alone)
    if all_stores:
        _alone(alone, "--all-stores")
        return stores_answer(sweep_all(call, SweepRequest(dry_run)))
    context = call.open(at)
    if file is not None or github:  # what every other sweep does without
        from memcli.cli import landing
    export = landing.read_export(call, context, file) if file is not None else None
    below = _below(context)
    keep = (lambda view: True) if call.options.json else below if since is None else (lambda view: False)
    request = SweepRequest(
        dry_run, since, check or github or call.options.json, scope and check_scope(scope), keep=keep
    )
    swept = sweep_here(call, context, request._replace(given=export and export.given))
    if check and not swept.active:
        raise NothingToCheck(
            f"no fragment in {file} to check" if file else "there is no memory here to check",
            "a clone has none: --from FILE takes what `mem export` wrote and somebody committed",
        )
    fallen = _failing(swept, below if since is None else None) if check or github else ()
    answer = sweep_answer(swept, fallen if check else (), listed=since is None)
    if not github:
        return answer
    call.notes.append(landing.summary(swept, fallen))
    return answer._replace(text=lambda style: landing.annotations(context, fallen, export), report=False)


def _resident(call: Call, every: str | None, cron: str | None, all_stores: bool, others: bool) -> Answer:
    if None not in (every, cron):
        raise Usage("--every can't go with --cron", "one says how often, the other when")
    _alone(others, "--every and --cron")
    from memcli.cli import resident

    return resident.stay(call, every, cron, all_stores)


def hooks_install(call: Call, pre_push: PrePush = False, pre_commit: PreCommit = False) -> Answer:
    """Let git start a sweep, in the background, after each commit, merge, checkout and rebase.

    What stands in a hook already stays and runs. Installing again changes nothing.
    """
    folder, roots = hooks_place(call.open())
    checks = [hook for hook, wanted in (("pre-push", pre_push), ("pre-commit", pre_commit)) if wanted]
    return _hooks(githooks.install(folder, background.program(), roots, checks), report=True)


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
    passing = request.dry_run or request.since or request.given is not None or context.at
    if context.settings.export_auto is not None and not passing:
        from memcli.transfer import keep_copy  # with the modules that compare, which a second sweep does without

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


def sweep_answer(swept: Swept, fallen: Sequence[Change] = (), listed: bool = True) -> Answer:
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


def swept_lines(swept: Swept, style: Style, below: Sequence[Change] = ()) -> Iterator[str]:
    """What fell from where to where and why, or that nothing did; then what a check found below the minimum."""
    for change in swept.changes:
        yield words.change_line(change.view, change.before, change.after, style)
    fell = sum(change.fell for change in swept.changes)
    rose = len(swept.changes) - fell
    moved = ", ".join([f"{number} {verb}" for number, verb in ((fell, "fell"), (rose, "rose")) if number])
    yield f"{moved or 'nothing fell'}; {swept.looked} of {words.count(swept.active, 'active fragment')} looked at"
    for change in below:
        yield f"below the minimum: {style.clean(change.view.fragment.name)} {words.grade(change.view, style)}"


def _below(context: Context) -> Callable[[View], bool]:
    """What tells the views below the minimum, as reads do."""
    viewer = Viewer(minimum=context.settings.minimum, every_session=True)
    return lambda view: not visible(view.fragment, view.confidence, viewer)


def _failing(swept: Swept, below: Callable[[View], bool] | None) -> tuple[Change, ...]:
    """What makes `--check` say no, the worst first: all active fragments below the minimum, or (None) all that fell."""
    if below is None:
        return tuple(change for change in swept.changes if change.fell)
    views = sorted(filter(below, swept.views), key=lambda view: view.confidence)
    return tuple(Change(view, view.fragment.base, view.confidence) for view in views)


def _alone(bad: bool, what: str) -> None:
    if bad:
        raise Usage(
            f"{what} can't go with --dry-run, --check, --at, --since, --from or --format", "run one after the other"
        )


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
