"""A job as one JSON document that can be verified without the record: every stored field, and every byte.

Decides the form of an export and reads it back. An export carries what was found in the record, marked as found: an
altered link stays altered in it. Refuses a document with duplicate keys: two readers would see two jobs.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final, cast

from refloat.errors import Unreadable
from refloat.model.record import Fault, Verified
from refloat.model.saving import LINK_KINDS, LinkKind
from refloat.record.contents import ContentMissing, read
from refloat.record.engine import Connection, Row
from refloat.record.keys import Known, no_keys
from refloat.record.packing import ContentDamaged
from refloat.record.rows import number, readable, text
from refloat.record.store import Record
from refloat.record.verify import CheckContent, ContentFault, judge_job, judge_mentions
from refloat.record.whole import WholeJob

SCHEMA: Final = "refloat/1"
KIND: Final = "job"
_NEEDED: Final[Mapping[LinkKind, tuple[str, ...]]] = {
    "step": (
        "id",
        "job",
        "seq",
        "sealed",
        "opened",
        "previous",
        "digests",
        "receipt",
        "signer",
        "signature",
        "input_sha256",
        "output_sha256",
    ),
    "wrap": ("id", "job", "sealed", "previous", "digests", "receipt", "signer", "signature"),
    "pickup": ("id", "job", "sealed", "previous", "digests", "receipt", "signer", "signature"),
    "decision": ("id", "job", "sealed", "previous", "digests", "receipt", "signer", "signature"),
}


class NoExport(Unreadable):
    """The document is no export of a job."""


def write_export(
    record: Record, connection: Connection, job: WholeJob, found: Verified, seen: Callable[[str], None]
) -> Iterator[str]:
    """The document in pieces: one output in memory at a time. `seen` gets every text that goes into it, readable."""
    head: dict[str, object] = {"schema": SCHEMA, "kind": KIND, "job": job.name}
    head["row"] = None if job.row is None else _plain_row(job.row)
    head["found"] = {
        "ok": found.ok,
        "problems": [
            {"seq": fault.seq, "field": fault.field, "what": fault.what, "verdict": fault.verdict}
            for fault in found.problems
        ],
    }
    for kind in LINK_KINDS:
        head[f"{kind}s"] = [_plain_row(row) for each, row in job.links if each == kind]
    words = _dumps(head)
    seen(words)
    yield words[:-1] + ',"contents":{'
    for n, (name, size) in enumerate(_contents_of(job)):
        yield ("," if n else "") + _dumps(name) + ":" + _dumps(_content(record, connection, name, size, seen))
    yield "}}\n"


def is_export(document: object) -> bool:
    """Whether a document is an export of a job, by its shape."""
    if not isinstance(document, dict):
        return False
    found = cast("dict[str, object]", document)
    return found.get("schema") == SCHEMA and found.get("kind") == KIND


def verify_export(document: Mapping[str, object], known: Known = no_keys) -> Verified:
    """Judge an exported job by itself; whose keys are known is for the reader to say.

    Raises:
        NoExport: it is none, or parts of it are missing.

    """
    row, name = document.get("row"), document.get("job")
    if not isinstance(name, str) or not (row is None or isinstance(row, dict)):
        raise NoExport("the export names no job")
    links = list[tuple[LinkKind, Row]]()
    for kind in LINK_KINDS:
        for link in _rows(document, kind):
            links.append((kind, link))
    own = None if row is None else cast("dict[str, object]", row)
    if own is not None and not own.keys() >= {"name", "created_at", "last_seq", "last_sealed", "head"}:
        raise NoExport("the export's job lacks fields")
    job = WholeJob(name, own, tuple(links))
    found = judge_job(job, _content_check(document.get("contents")), known)
    faults = (*_judge_names(job), *found.problems, *judge_mentions(job))
    return replace(found, problems=faults, by_itself=True, remarks=_unknowable(found))


def _judge_names(job: WholeJob) -> Iterator[Fault]:
    """Where the document is not of the job that its own row or a link is of; receipts bind only the links'."""
    if job.row is not None and job.row["name"] != job.name:
        yield Fault(None, "job", "the document names another job than its own row")
    other = sum(link["job"] != job.name for _, link in job.links)
    if other:
        yield Fault(None, "job", f"the document names another job than {other} of its {len(job.links)} links")


def _unknowable(found: Verified) -> tuple[str, ...]:
    """What no file tells of itself."""
    end = "whether links were left away at its end: the end of a chain cannot be known from the file alone"
    if any(each.signature == "unsigned" and each.links for each in found.signers):
        whose = "whether this is what was saved: it is not signed, and whoever wrote the file can have made all of it"
        return (whose, end)
    return (end,)


def read_document(raw: bytes) -> object:
    """Strict JSON: UTF-8, no duplicate keys, no NaN.

    Raises:
        NoExport: it is none.

    """
    try:
        return cast("object", json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise NoExport(f"the file is no JSON that can be relied on: {error}") from error


def _rows(document: Mapping[str, object], kind: LinkKind) -> Iterator[Row]:
    rows = document.get(f"{kind}s")
    if not isinstance(rows, list):
        raise NoExport(f"the export has no list of {kind}s")
    for each in cast("list[object]", rows):
        row = cast("dict[str, object]", each) if isinstance(each, dict) else {}
        lacking = [name for name in _NEEDED[kind] if name not in row]
        if lacking:
            raise NoExport(f"a {kind} in the export lacks {lacking[0]}")
        yield row


def _contents_of(job: WholeJob) -> list[tuple[str, int | None]]:
    found: dict[str, int | None] = {}
    for kind, row in job.links:
        for what in ("input", "output") if kind == "step" else ():
            if row[f"{what}_sha256"] is not None:
                found.setdefault(text(row, f"{what}_sha256"), number(row, f"{what}_bytes"))
    return list(found.items())


def _content(
    record: Record, connection: Connection, name: str, size: int | None, seen: Callable[[str], None]
) -> dict[str, object]:
    parts: list[bytes] = []
    try:
        parts.extend(read(record, connection, name, size))
    except ContentMissing:
        return {"found": "missing", "what": "its bytes are not kept any more"}
    except ContentDamaged as error:
        return {"found": "altered", "what": str(error)}
    data = b"".join(parts)
    seen(data.decode("utf-8", "replace"))
    return {"base64": b64encode(data).decode("ascii")}


def _content_check(contents: object) -> CheckContent:
    known = cast("dict[str, object]", contents) if isinstance(contents, dict) else {}

    def check(name: str, size: int | None) -> ContentFault | None:
        entry = known.get(name)
        if not isinstance(entry, dict):
            return ContentFault("missing", "the export does not hold its bytes")
        kept = cast("dict[str, object]", entry)
        encoded, found = kept.get("base64"), kept.get("found")
        if not isinstance(encoded, str):
            verdict = "altered" if found == "altered" else "missing"
            return ContentFault(verdict, f"when it was exported: {text(kept, 'what') or 'unknown'}")
        try:
            data = b64decode(encoded, validate=True)
        except ValueError:
            return ContentFault("altered", "its bytes are no base64")
        if sha256(data).hexdigest() != name or len(data) != size or b64encode(data).decode("ascii") != encoded:
            return ContentFault("altered", f"its {len(data)} bytes are not what was saved")
        return None

    return check


def _plain_row(row: Row) -> dict[str, object]:
    """A row for JSON. Damaged values stay damaged: no receipt fits their stand-ins."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: object) -> object:
    if isinstance(value, str):
        return readable(value)
    return value if value is None or isinstance(value, int) else f"no text and no whole number: {value!r}"


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is no JSON")
