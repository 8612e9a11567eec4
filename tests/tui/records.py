"""A real record in a temporary place, with a job of every kind of link that an invented session is on."""

import os
from pathlib import Path

from refloat.model.saving import Runner
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.record.chain import add_step, begin_step
from refloat.record.contents import hold
from refloat.record.handovers import NewDecision, add_decision
from refloat.record.running import note_command
from refloat.record.store import Record, open_record
from refloat.testing.fakes import fake_machine
from refloat.testing.jobs import END, ENDING, NOW, OPENING, fill
from refloat.testing.samples import SAMPLES
from refloat_tui.bench_record import BenchRecord

GONE = Runner(os.uname().nodename, 2**22 + 1, "1")
"""A process of this host that is proved dead: no process number is so high."""


def open_at(directory: Path) -> Record:
    return open_record(directory / "data", NOW)


def story_of(_: object) -> Story:
    return SAMPLES["crashed"]().story


def empty_record(directory: Path) -> BenchRecord:
    return BenchRecord(fake_machine(directory, environment={"USER": "ada"}), story_of)


def some_record(directory: Path, session: Session) -> BenchRecord:
    """The job `retry` of every kind of link, on which the session has a step that a crash left in flight; a second job
    in its workspace, whose decision waits; and a third of somebody else.
    """
    with open_at(directory) as record:
        fill(record, directory / "data")
        mine = OPENING._replace(producer=session.name, workspace=session.workspace, tool="Bash")
        add_step(record, mine._replace(summary="mypy src"), ENDING, hold(b"mypy src"), hold(b"Success\n"))
        begun = begin_step(record, mine._replace(summary="git push origin main", runner=GONE), hold(b"git push"))
        note_command(directory / "data", begun.id, GONE)
        near = mine._replace(job="release", producer="human:ada", summary="build the wheel")
        add_step(record, near, ENDING, None, hold(b"built\n"))
        add_decision(record, NewDecision("release", END, "pending", "bob", "hold", None, note="waits for QA"))
        add_step(record, OPENING._replace(job="other", workspace="/elsewhere"), ENDING, None, hold(b"x"))
    return empty_record(directory)


def long_record(directory: Path, session: Session, steps: int) -> BenchRecord:
    """The job `long`, with that many steps of the session."""
    from refloat.record.chain import add_steps

    opening = OPENING._replace(job="long", producer=session.name, workspace=session.workspace)
    with open_at(directory) as record:
        rows = [(opening._replace(summary=f"step {n}"), ENDING, None, hold(b"%d" % n)) for n in range(1, steps + 1)]
        add_steps(record, rows)
    return empty_record(directory)


def alter(directory: Path, job: str, seq: int, summary: str) -> None:
    """Change a saved field behind the record's back."""
    import sqlite3

    with sqlite3.connect(directory / "data" / "record.db") as database:
        database.execute("UPDATE steps SET summary = ? WHERE job = ? AND seq = ?", (summary, job, seq))
    database.close()
