"""Attempts in the record: begun before the agent is started, so that no kill hides one.

Decides that what an attempt came to is written once. It is a note of what was started, no link of a job's chain: what
a force overruled is a receipted step besides.
"""

from typing import cast

from refloat.model.attempts import Attempt, Way
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.chain import storable
from refloat.record.engine import Row
from refloat.record.rows import get_stamp, get_text, number, stamp, text
from refloat.record.store import Record


def begin_attempt(record: Record, attempt: Attempt) -> None:
    """Write down that one begins.

    Raises:
        NotWritten: the record did not take it.

    """
    values = {
        "id": attempt.id,
        "parent": attempt.parent,
        "child": attempt.child,
        "operation": attempt.operation,
        "agent": attempt.agent,
        "workspace": attempt.workspace,
        "holder": attempt.holder,
        "command": attempt.command,
        "brief": attempt.brief,
        "forced": attempt.forced,
        "at": attempt.at,
    }
    with record.writing() as connection:
        connection.run("attempts.begin", **storable(values))


def note_process(record: Record, attempt: str, runner: Runner) -> None:
    """Write down the agent's process.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        connection.run("attempts.start", id=attempt, **runner._asdict())


def end_attempt(record: Record, attempt: str, at: Stamp, exit_code: int | None) -> None:
    """Write down that its process ended.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        connection.run("attempts.end", id=attempt, ended=at, exit_code=exit_code)


def link_child(record: Record, attempt: str, child: SessionName) -> None:
    """Write down which session came of it; what is known already stays.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        connection.run("attempts.link", **storable({"id": attempt, "child": child}))


def find_attempts(record: Record) -> tuple[Attempt, ...]:
    """Every attempt, oldest first."""
    with record.reading() as connection:
        return tuple(_attempt(row) for row in connection.rows("attempts.all"))


def _attempt(row: Row) -> Attempt:
    child = get_text(row, "child")
    return Attempt(
        id=text(row, "id"),
        parent=SessionName(text(row, "parent")),
        child=None if child is None else SessionName(child),
        operation=cast("Way", text(row, "operation")),  # whatever a later program wrote is shown as it is
        agent=text(row, "agent"),
        workspace=text(row, "workspace"),
        holder=text(row, "holder"),
        command=text(row, "command"),
        brief=get_text(row, "brief"),
        forced=get_text(row, "forced"),
        at=stamp(row, "at"),
        runner=Runner(get_text(row, "host"), number(row, "pid"), get_text(row, "pid_started")),
        ended=get_stamp(row, "ended"),
        exit_code=number(row, "exit_code"),
    )
