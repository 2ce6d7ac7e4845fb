"""`mem sweep --every` and `--cron`: a process that stays and sweeps, one at a time, until a signal ends it.

Nothing stays open between two sweeps: each opens its own context. A sweep that was missed, because the machine slept or
the one before took long, is made up for once.
"""

import gc
import logging
import signal
from datetime import UTC
from typing import TYPE_CHECKING, Any

from memcli.cli import code, door
from memcli.cli.frame import Answer, Call
from memcli.cli.show import put
from memcli.errors import Usage
from memcli.sweep import SweepRequest

if TYPE_CHECKING:
    from types import FrameType

SAID = Answer(lambda: {"changes": []}, lambda style: [], "changes", report=True, said=True)
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def stay(call: Call, every: str | None, cron: str | None, all_stores: bool = False) -> Answer:
    """Sweep now, then by the schedule, until SIGTERM (exit 0) or SIGINT (130); a sweep under way is finished first.

    Raises Usage for a schedule that can't be understood, and whatever the first sweep raises.
    """
    from apscheduler.schedulers.blocking import BlockingScheduler

    gc.enable()  # switched off for short processes
    trigger = _cron(cron) if cron is not None else _interval(every or "")
    logging.getLogger("apscheduler").disabled = True  # a skipped run is as it should be, and faults have our own door
    scheduler = BlockingScheduler(timezone=UTC)
    scheduler.add_job(
        _guarded, trigger, args=[call, all_stores], max_instances=1, coalesce=True, misfire_grace_time=None
    )
    signal.signal(signal.SIGTERM, _terminate)
    try:
        sweep_once(call, all_stores)
        scheduler.start()
    except SystemExit:
        pass
    finally:
        if scheduler.running:
            scheduler.shutdown(wait=True)
    return SAID


def sweep_once(call: Call, all_stores: bool) -> None:
    """One sweep, of the store here or of all, in contexts of its own, with its report."""
    call.renew()
    request = SweepRequest(reason="mem sweep, resident")
    if all_stores:
        answer = code.stores_answer(code.sweep_all(call, request))
    else:
        answer = code.sweep_answer(code.sweep_here(call, call.open(), request))
    put(answer, "sweep", call)
    call.renew()


def _guarded(call: Call, all_stores: bool) -> None:
    """A sweep whose error is told and does not end the process: the next one may find things in order."""
    try:
        sweep_once(call, all_stores)
    except BrokenPipeError:
        signal.raise_signal(signal.SIGTERM)
    except Exception as error:  # told at the error door; the scheduler would swallow it
        door.report(error, ["--json"] if call.options.json or call.options.jsonl else [], call.env)


def _terminate(number: int, frame: "FrameType | None") -> None:
    """Leave the wait for the next run, as an interrupt does."""
    raise SystemExit(0)


def _interval(every: str) -> Any:
    from apscheduler.triggers.interval import IntervalTrigger

    number, unit = every[:-1], every[-1:]
    size = int(number) if number.isdecimal() and len(number) < 10 else 0
    if unit not in UNITS or not 0 < size * UNITS[unit] <= 366 * UNITS["d"]:
        raise Usage(f"not a time between sweeps: {every!r}", "write it as 30s, 10m, 2h or 1d")
    return IntervalTrigger(seconds=size * UNITS[unit], timezone=UTC)


def _cron(expression: str) -> Any:
    from apscheduler.triggers.cron import CronTrigger

    try:
        return CronTrigger.from_crontab(expression)
    except (ValueError, LookupError) as error:
        raise Usage(
            f"not a cron expression: {expression!r} ({error})", 'five fields, as "*/30 9-18 * * mon-fri"'
        ) from None
