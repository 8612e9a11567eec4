"""What `continue` and `new` would do, for a person."""

from collections.abc import Iterator
from shlex import join

from refloat.model.situation import FORCE_HELPS
from refloat.usecases.start_agent import Plan
from refloat_tui.cli.show.table import labelled


def plan_lines(plan: Plan, width: int) -> Iterator[str]:
    """What forbids it, the exact command on one line, where it runs. A refused command is not shown as one to run."""
    ruling = plan.ruling
    if plan.refused is not None:
        yield from labelled("REFUSED", ruling.why, width, 10)
        if ruling.force_helps:
            yield from labelled("", FORCE_HELPS, width, 10)
        yield "refused   " + join(plan.command)
    else:
        yield "$ " + join(plan.command)
    yield from labelled("in", plan.workspace or "no recorded workspace", width, 10)
    if plan.brief is not None:
        written = "  (written first, private)" if plan.writes_brief else ""
        yield from labelled("brief", f"{plan.brief}{written}", width, 10)
    for words in plan.brief_words:
        yield from labelled("note", words, width, 10)
    if plan.refused is None:
        yield from labelled("because", ruling.why, width, 10)
    for why in ruling.overruled:
        yield from labelled("overruled", why, width, 10)
    for warning in ruling.warnings:
        yield from labelled("note", warning, width, 10)
    if not plan.installed:
        yield from labelled("missing", f"{plan.command[0]} is not installed here, or not on the PATH", width, 10)
