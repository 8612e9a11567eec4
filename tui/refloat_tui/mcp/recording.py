"""Tools of the record: steps saved, jobs handed over, what was saved verified and written out."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from refloat import wire_record
from refloat.brief.find_secrets import find_secrets
from refloat.errors import NotDone
from refloat.machine import here as this
from refloat.model.saving import SavedOutcome
from refloat.usecases.export_job import export_job, write_export_file
from refloat.usecases.hand_over import NewDecision, NewWrap, decide_job, pick_up, wrap_job
from refloat.usecases.known_keys import known_in
from refloat.usecases.save_step import (
    Elsewhere,
    EndedElsewhere,
    begin_elsewhere,
    end_elsewhere,
    save_elsewhere,
)
from refloat.usecases.show_trail import list_jobs, show_trail
from refloat.usecases.targets import refuse_target
from refloat.usecases.tie_job import ties_here
from refloat.usecases.verify_saved import verify_ref
from refloat_tui.mcp import asked
from refloat_tui.mcp.answers import Document
from refloat_tui.mcp.door import Door

if TYPE_CHECKING:
    from refloat.record.store import Record


def step_begin(door: Door, given: asked.StepBegin, client: str) -> Document:
    """Save a step before it starts. It stays in flight, and marks where a crash sits, until step_end seals it."""
    begun = begin_elsewhere(door.desk, _told(door, given, client, "ok"))
    flying = {"seq": begun.seq, "id": begun.id, "state": "in_flight"}
    return {"schema": wire_record.SCHEMA, "job": begun.job, "step": flying}


def step_end(door: Door, given: asked.StepEnd, client: str) -> Document:
    """Seal a step that step_begin saved: its output as exact bytes, how it ended, its receipt."""
    del client
    warnings: list[str] = []
    ended = EndedElsewhere(_outcome(given.outcome, given.exit_code), given.exit_code, _bytes(given.output), given.note)
    sealed = end_elsewhere(door.desk, given.step, ended, "mcp", warnings.append)
    return _warned(wire_record.saved_step(sealed.job, sealed.row), warnings)


def step(door: Door, given: asked.Step, client: str) -> Document:
    """Save a step that has ended already, with its receipt."""
    warnings: list[str] = []
    told = _told(door, given, client, _outcome(given.outcome, given.exit_code))
    told = told._replace(exit_code=given.exit_code, output=_bytes(given.output), note=given.note)
    sealed = save_elsewhere(door.desk, told, warnings.append)
    return _warned(wire_record.saved_step(sealed.job, sealed.row), warnings)


def jobs(door: Door, given: asked.Jobs, client: str) -> Document:
    """Every job, the newest activity first."""
    del client
    desk = door.desk
    found = list_jobs(desk.data, desk.config, desk.environment, desk.now())
    ties = ties_here(desk.data, desk.config, desk.environment, this.host(), desk.now())
    return {**wire_record.jobs(found[: given.limit], ties), "omitted": max(0, len(found) - given.limit)}


def trail(door: Door, given: asked.Trail, client: str) -> Document:
    """What a newcomer to a job must know first: its steps with their verdicts, failures included, wraps, decisions.

    Use saved steps as done work. Do not repeat one without a reason. `unchanged` never means correct.
    """
    del client
    with door.opened() as record:
        return wire_record.trail(show_trail(record, given.job, given.limit, door.is_running))


def wrap(door: Door, given: asked.Wrap, client: str) -> Document:
    """Hand a job over: what was done, what for, to whom, what comes next, what nobody checked."""
    new = NewWrap(
        given.job,
        door.desk.now(),
        door.producer(given.producer, client),
        given.summary,
        given.goal,
        given.to,
        given.next_steps,
        given.not_checked,
        note=given.note,
    )
    with door.opened() as record:
        done = wrap_job(record, new)
        return _warned(wire_record.link_answer(given.job, "wrap", wire_record.wrap(done)), _unsigned(record))


def pickup(door: Door, given: asked.Pickup, client: str) -> Document:
    """Accept a wrap, or a job: the receipts that most rests on are verified, and the first step to go on at is named.

    Ask for the trail of the job next, and read it end to end.
    """
    with door.opened() as record:
        picked = pick_up(record, given.wrap, door.producer(given.producer, client), door.desk.now, door.is_running)
        return _warned(wire_record.picked_up(picked), _unsigned(record))


def verify(door: Door, given: asked.Verify, client: str) -> Document:
    """Re-hash a job, a receipt or an exported file from the saved bytes up; names every step and field that is altered.

    What holds is unchanged since it was saved, never proved correct.
    """
    del client
    return wire_record.verified(verify_ref(given.what, door.opened, door.desk.now(), known_in(door.desk.data)))


def decide(door: Door, given: asked.Decide, client: str) -> Document:
    """Put a decision on a job: accepted, pending or declined."""
    by = door.producer(given.by, client)
    new = NewDecision(given.job, door.desk.now(), given.status, by, given.release, given.about, note=given.note)
    with door.opened() as record:
        done = decide_job(record, new)
        return _warned(wire_record.link_answer(given.job, "decision", wire_record.decision(done)), _unsigned(record))


def export(door: Door, given: asked.Export, client: str) -> Document:
    """Write a job to a private file, exact: json that `verify` checks anywhere, markdown, or receipts of AER-1.

    The file is not masked; the answer tells how many values in it look like secrets.
    """
    del client
    path, secrets = Path(given.out), list[int]()
    if os.path.lexists(path):  # no error for a name that is too long
        raise NotDone(f"{path} is there already; an export replaces nothing, name another file")
    if any(part.startswith(".") for part in (*path.parts, *path.resolve().parts)):
        # What lies in `.git/hooks` or `.claude/commands` is run and obeyed; a job's text is nobody's order.
        raise NotDone(f"{path} is hidden, or in a hidden directory, where programs look for orders; name another file")
    bench = door.bench()
    refuse_target(path, bench.machine.places, bench.readers)
    with door.opened() as record:
        document = export_job(record, given.job, given.format, lambda text: secrets.append(len(find_secrets(text))))
        write_export_file(path, document)
    size = path.stat().st_size
    answer = {"path": str(path), "format": given.format, "bytes": size, "secrets": sum(secrets)}
    return {"schema": wire_record.SCHEMA, "job": given.job, "export": answer}


def _told(door: Door, given: asked.StepBegin, client: str, outcome: SavedOutcome) -> Elsewhere:
    return Elsewhere(
        given.job,
        door.producer(given.producer, client),
        given.tool,
        outcome,
        given.summary or given.tool,
        given=_bytes(given.input),
        workspace=given.workspace,
        origin="mcp",
    )


def _outcome(said: SavedOutcome | None, exit_code: int | None) -> SavedOutcome:
    return said or ("error" if exit_code else "ok")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _unsigned(record: "Record") -> list[str]:
    return [] if record.unsigned_because is None else [record.unsigned_because]


def _warned(document: Document, warnings: list[str]) -> Document:
    return {**document, "warnings": warnings} if warnings else document
