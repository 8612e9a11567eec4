"""A job written out: as JSON that can be verified by itself, as Markdown for a reader, as receipts of AER-1.

Decides nothing about its content: everything is as it is stored, exact, and what was found altered is marked so.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal
from uuid import uuid4

from refloat.errors import NotDone
from refloat.model.own_files import mark_of
from refloat.model.record import Fault, Verified
from refloat.model.saving import RULE, RULE_RECONSTRUCTED
from refloat.record import aer1
from refloat.record.checking import content_check
from refloat.record.contents import ContentMissing, read
from refloat.record.engine import Connection, Row
from refloat.record.exported import write_export
from refloat.record.packing import ContentDamaged
from refloat.record.rows import number, text
from refloat.record.store import Record
from refloat.record.verify import judge_job
from refloat.record.whole import WholeJob, load_job
from refloat.text import inert, one_line
from refloat.usecases.targets import put_whole

Format = Literal["json", "markdown", "aer1"]
FORMATS: Final[tuple[Format, ...]] = ("json", "markdown", "aer1")
_SHOWN: Final = 4000
"""Characters of an output in Markdown."""


def export_job(record: Record, job: str, form: Format, seen: Callable[[str], None]) -> Iterator[str]:
    """The document in pieces, from one view of the record. `seen` gets every text that goes into it, readable.

    Raises:
        NoSuchJob: there is none of that name.
        NotDone: it has no step for a receipt.

    """
    with record.reading() as connection:
        whole = load_job(connection, job)
        found = judge_job(whole, content_check(record, connection), record.known_keys)
        if form == "json":
            yield from write_export(record, connection, whole, found, seen)
            return
        for piece in (_aer1 if form == "aer1" else _markdown)(record, connection, whole, found):
            # Of a receipt the payload; the whole of it is base64.
            seen(b64decode(json.loads(piece)["canonical_bytes"]).decode("utf-8") if form == "aer1" else piece)
            yield piece


def write_export_file(path: Path, document: Iterable[str]) -> None:
    """Write a document for its owner's eyes alone (0600), whole or not at all; an older one of that name is replaced.

    Raises:
        NotDone: it could not be written.

    """
    try:
        put_whole(path, (piece.encode() for piece in document))
    except OSError as error:
        raise NotDone(f"{path} cannot be written: {error.strerror or error}") from error


def _aer1(record: Record, connection: Connection, whole: WholeJob, found: Verified) -> Iterator[str]:
    """One receipt a line, for each sealed step."""
    if not any(row["sealed"] for row in _steps(whole)):
        raise NotDone(f"no step of {whole.name} is sealed yet: there is no receipt to write")
    own = [fault for fault in found.problems if fault.field.partition(".")[0] not in _SAID]
    broken = {fault.seq: fault for fault in reversed(own)}
    for row in _steps(whole):
        if row["sealed"] is None:
            continue
        fault = broken.get(number(row, "seq")) or broken.get(None)
        receipt = aer1.write_receipt(
            row,
            _output(record, connection, row),
            fault.verdict if fault else "unchanged",
            str(uuid4()),
            None if whole.row is None else whole.row["created_at"],
        )
        yield json.dumps(receipt, ensure_ascii=True, separators=(",", ":")) + "\n"


def _markdown(record: Record, connection: Connection, whole: WholeJob, found: Verified) -> Iterator[str]:
    verdict = "unchanged since saved" if found.ok else "ALTERED since saved, see below"
    told = any(row["origin"] == "reconstruction" for row in _steps(whole))
    rule = f"{RULE}\n\n{RULE_RECONSTRUCTED}" if told else RULE
    yield f"# Job {one_line(whole.name)}\n\n{rule}\n\n{found.checked} links, {verdict}. Signature: {found.signature}.\n"
    if found.problems:
        yield "\n## What does not hold\n\n"
        yield from (f"- {_place(fault)}: {one_line(fault.what)}\n" for fault in found.problems)
    yield "\n## Steps\n"
    for row in _steps(whole):
        yield from _step(record, connection, row)
    for kind, title in (("wrap", "Wraps"), ("pickup", "Pickups"), ("decision", "Decisions")):
        rows = [row for each, row in whole.links if each == kind]
        if rows:
            yield f"\n## {title}\n\n"
        for row in rows:
            said = [f"{name} {one_line(str(row[name]))}" for name in _SAID[kind] if row[name] not in {None, "", "[]"}]
            yield f"- {', '.join(said)} (receipt {text(row, 'receipt')[:12]})\n"
    yield f"\n{mark_of('export')}\n"


_SAID: Final = {
    "wrap": ("at", "producer", "summary", "goal", "recipient", "next_steps", "not_checked"),
    "pickup": ("at", "producer", "wrap", "continue_at"),
    "decision": ("at", "status", "decided_by", "release", "about", "note"),
}


def _step(record: Record, connection: Connection, row: Row) -> Iterator[str]:
    ended = "in flight" if row["sealed"] is None else text(row, "outcome")
    code = f", exit {row['exit_code']}" if row["exit_code"] is not None else ""
    yield f"\n### {row['seq']}. {one_line(text(row, 'summary'))}\n\n"
    yield f"{one_line(text(row, 'producer'))}, {one_line(text(row, 'tool'))}: {ended}{code}. "
    if row["origin"] == "reconstruction":
        yield "Reconstructed, its effect not looked at. "
    yield f"{row['started_at']} to {row['ended_at'] or 'unknown'}. Receipt {text(row, 'receipt') or 'none'}.\n"
    if note := text(row, "note"):
        yield f"\n{one_line(note)}\n"
    if row["output_sha256"] is None or not row["output_bytes"]:
        return
    output = _output(record, connection, row)
    if output is None:
        yield "\nIts output is not what was saved.\n"
        return
    shown = inert(output.decode("utf-8", "replace"))
    cut = "" if len(shown) <= _SHOWN else f"\n… {row['output_bytes']} bytes in all"
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(shown)), default=0))
    yield f"\n{fence}text\n{shown[:_SHOWN].rstrip()}{cut}\n{fence}\n"


def _runs(shown: str) -> Iterator[str]:
    """Runs of backticks."""
    run = ""
    for character in [*shown, ""]:
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""


def _steps(whole: WholeJob) -> list[Row]:
    return [row for kind, row in whole.links if kind == "step"]


def _output(record: Record, connection: Connection, row: Row) -> bytes | None:
    """The saved bytes; None where there are none, or not those."""
    if row["output_sha256"] is None:
        return None
    try:
        return b"".join(read(record, connection, text(row, "output_sha256"), number(row, "output_bytes")))
    except (ContentMissing, ContentDamaged):
        return None


def _place(fault: Fault) -> str:
    return f"{'the job' if fault.seq is None else f'step {fault.seq}'}, {fault.field}"
