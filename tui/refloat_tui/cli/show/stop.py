"""`stop` for a person: what would be signalled, what was, and what is verified of it."""

import shlex
from collections.abc import Iterator

from refloat.model.stamp import stamp_of_seconds
from refloat.model.stopping import Kin, Left, Stopped, StopPlan
from refloat_tui.cli.show.table import columns, counted, labelled, section

_RESULTS = {"stopped": "STOPPED", "not_verified": "NOT VERIFIED", "refused": "REFUSED"}
_LABEL = 14


def stopped_lines(stopped: Stopped, width: int) -> Iterator[str]:
    """The result first, then what was sent, what runs on, and what else was seen."""
    yield from labelled(_RESULTS[stopped.result], _named(stopped.session, stopped.why), width, _LABEL)
    sent = [f"{each.signal} to {each.pid}" for each in stopped.signals]
    if sent:
        yield from labelled("sent", ", ".join(sent), width, _LABEL)
    for note in stopped.notes:
        yield from labelled("seen", note, width, _LABEL)
    yield from section("STILL RUNNING", _left_rows(stopped.left, width))


def plan_lines(plan: StopPlan, width: int) -> Iterator[str]:
    """What would be done; nothing is."""
    if plan.refused is not None:
        yield from labelled("REFUSED", _named(plan.session, plan.refused), width, _LABEL)
    else:
        asks = ", then ".join(f"{ask.signal} ({ask.grace:g} s)" for ask in plan.asks)
        count = counted(len(plan.kin), "process", "processes")
        yield from labelled("WOULD STOP", f"{plan.session}: {count}; its owner gets {asks}", width, _LABEL)
        yield from labelled("", "what is left gets SIGTERM, then SIGKILL", width, _LABEL)
    for warning in plan.warnings:
        yield from labelled("note", warning, width, _LABEL)
    yield from section("PROCESSES", columns([_row(kin) for kin in plan.kin], width))
    yield from section("LEFT ALONE", _left_rows(plan.left, width))


def _named(session: str, why: str) -> str:
    """A sentence with the session that it is about, once."""
    return why if session in why else f"{session}: {why}"


def question_lines(plan: StopPlan, width: int) -> Iterator[str]:
    """Which process a person named, so that they can tell whether it is the one they mean."""
    row = plan.kin[0].process
    yield f"Process {row.pid} ({row.name})"
    yield from labelled("  runs", shlex.join(row.argv) or "its command line may not be read", width, _LABEL)
    yield from labelled("  in", row.cwd or "a directory that may not be read", width, _LABEL)
    yield from labelled("  since", stamp_of_seconds(row.started) or "a time that no calendar has", width, _LABEL)
    yield from labelled("  tied", f"to {plan.session}: {plan.confirm}", width, _LABEL)
    if len(plan.kin) > 1:
        yield from labelled("  with it", counted(len(plan.kin) - 1, "other process", "other processes"), width, _LABEL)
        yield from columns([_row(kin) for kin in plan.kin[1:]], width, "    ")


def _row(kin: Kin) -> tuple[str, str, str, str]:
    row = kin.process
    return str(row.pid), row.name, kin.role, shlex.join(row.argv) or row.name


def _left_rows(left: tuple[Left, ...], width: int) -> list[str]:
    return columns([(str(row.pid), row.name, row.why) for row in left], width)
