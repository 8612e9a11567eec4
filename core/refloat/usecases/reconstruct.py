"""A session that had no record, put on a job from its transcript.

Decides how what the transcript tells becomes steps, each labelled a reconstruction. Nothing was saved while it
happened: receipts of such steps prove only that they were not changed since they were put here. Gaps are named, in the
record too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, cast

from refloat.errors import NotDone
from refloat.model.saving import OUTCOMES, Ending, Opening, SavedOutcome, Tree
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.story import Story
from refloat.model.transcript import Step
from refloat.record.chain import add_within, check_name
from refloat.record.contents import Content, hold, keep
from refloat.record.engine import Connection
from refloat.record.rows import number
from refloat.record.store import NotWritten, Record, find_url, open_record

LABEL = "reconstructed from the transcript"
_UNKNOWN = Tree(unknown=LABEL)
_OUTCOMES: Final[Mapping[str, SavedOutcome]] = {word: word for word in OUTCOMES}


@dataclass(frozen=True, slots=True)
class Reconstructed:
    """What was put on the job."""

    session: SessionName
    receipts: tuple[str, ...]
    """The first is of the step that says what was done; the others are the session's steps, in their order."""
    gaps: tuple[str, ...]
    """Those of a step name it by the job's own number, too."""
    first: int
    """The number of the step that says what was done; the session's steps have the next ones."""


def reconstruct_on(
    data: Path, config: Path, environment: Mapping[str, str], job: str, session: SessionName, story: Story, now: Stamp
) -> Reconstructed:
    """`reconstruct` in the record of this machine.

    Raises:
        Unreadable: it cannot be opened.

    """
    with open_record(data, now, find_url(environment, config)) as record:
        return reconstruct(record, job, session, story, now)


def reconstruct(record: Record, job: str, session: SessionName, story: Story, now: Stamp) -> Reconstructed:
    """Put every step of a session on a job, all or none.

    Raises:
        NotDone: this session stands on that job already.
        NotWritten: the record did not take it.

    """
    check_name(job)
    with record.reading() as connection:
        _check_steps(connection, job, session, 0)
    told = list(story.every_step)
    gaps = find_gaps(story, told)
    title = f"{session} put here from its transcript: {_many(len(told), 'step')}, {_many(len(gaps), 'gap')}"
    head = Opening(job, session, "reconstruct", title, "reconstruction", now, story.summary.workspace, _UNKNOWN)
    # The job's numbers are given when the steps are written; here a place after this step must do.
    named = [gap.name("the {}. step after this one") for gap in gaps]
    noted = hold(json.dumps({"gaps": named}, ensure_ascii=True, indent=1).encode("ascii"))
    rows = [(head, Ending("ok", now, None, _UNKNOWN, f"{LABEL}; gaps are named in its output"), None, noted)]
    try:
        rows += [_step(record, job, session, story, step, now) for step in told]
    except OSError as error:
        raise NotWritten(f"the record cannot be written: {error}") from error
    signer = record.signer()
    with record.writing() as connection:
        sealed = [add_within(connection, *rows[0], signer)]  # from here no other writer has the job
        _check_steps(connection, job, session, 1)
        sealed += [add_within(connection, *row, signer) for row in rows[1:]]
    first = cast("int", sealed[0].row["seq"])
    return Reconstructed(
        session, tuple(one.receipt for one in sealed), tuple(gap.name("#{}", first) for gap in gaps), first
    )


def _check_steps(connection: Connection, job: str, session: SessionName, own: int) -> None:
    row = connection.row("links.count_reconstructed", job=job, producer=session)
    if (number(row or {}, "n") or 0) > own:
        raise NotDone(f"{session} stands on {job} already; take another job's name to put it there again")


class Gap(NamedTuple):
    """Something that the transcript does not hold."""

    what: str
    place: int | None = None
    """The step that it is of, as its place among all that are put on the job, from 1."""

    def name(self, form: str, first: int = 0) -> str:
        """As a sentence; `form` says where the step is, after the number `first`."""
        return self.what if self.place is None else f"{form.format(first + self.place)}: {self.what}"


def _many(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def find_gaps(story: Story, steps: Sequence[Step]) -> list[Gap]:
    """What the transcript does not hold."""
    gaps = [Gap(f"{problem.path}: {problem.what}") for problem in story.summary.problems]
    gaps += [
        Gap(f"{_where(step)}step {step.n} ({step.tool}) has no recorded result", place)
        for place, step in enumerate(steps, 1)
        if step.outcome == "dangling"
    ]
    untimed = sum(step.at is None for step in steps)
    if untimed:
        gaps.append(Gap(f"{_many(untimed, 'step')} without a recorded time"))
    gaps += [
        Gap(f"the transcript holds only part of the output of {_where(step)}step {step.n} ({step.tool})", place)
        for place, step in enumerate(steps, 1)
        if step.output_bytes > len(step.output.encode("utf-8", "replace"))
    ]
    unknown = sum(story.summary.unknown.values())
    if unknown:
        gaps.append(Gap(f"{_many(unknown, 'row')} of the transcript of a type that is not known here"))
    return gaps


def _step(
    record: Record, job: str, session: SessionName, story: Story, step: Step, now: Stamp
) -> tuple[Opening, Ending, Content | None, Content | None]:
    began = step.at or story.summary.started_at or now
    summary = step.summary or step.tool
    workspace = step.cwd or story.summary.workspace
    opening = Opening(job, session, step.tool, summary, "reconstruction", began, workspace, _UNKNOWN)
    note = f"{LABEL}: {_where(step)}step {step.n}, line {step.line}"
    outcome = _OUTCOMES.get(step.outcome, "dangling")
    ending = Ending(outcome, step.ended_at or began, step.exit_code, _UNKNOWN, note)
    output = None if outcome == "dangling" and not step.output else keep(record, _bytes(step.output))
    return opening, ending, keep(record, _bytes(step.input)), output


def _where(step: Step) -> str:
    return f"sub-agent {step.subagent}, " if step.subagent else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
