"""AER-1: portable receipts for single steps, written and verified (the individual submission draft-zambo-aer1).

A receipt holds its payload as base64 bytes and their SHA-256; only those bytes are bound. Written ones carry Refloat's
own receipt fields in the payload, and the output where it is text. Decides by shape, in the order that the draft gives,
and keeps apart what holds, what fails and what cannot be checked. Refuses to take a receipt's word for anything, and to
follow its addresses.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple, cast

from refloat.model.record import Fault, Verdict
from refloat.model.stamp import read_stamp
from refloat.record.aer1_chain import Link, find_broken, find_unknown
from refloat.record.engine import Row
from refloat.record.exported import NoExport, read_document
from refloat.record.receipts import altered_fields
from refloat.record.rows import text

VERSION: Final = "0.4"
_KNOWN: Final = frozenset(("0.3", VERSION))
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
_LOWER_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")
_HEX: Final = re.compile(r"[0-9a-f]{64}")

Object = Mapping[str, object]


class Held(NamedTuple):
    """What is bound in a receipt, as it was written."""

    payload: bytes
    digest: str


class _Fails(Exception):  # noqa: N818 - reads as the answer that it is
    def __init__(self, field: str, what: str, verdict: Verdict = "altered") -> None:
        super().__init__(what)
        self.field = field
        self.what = what
        self.verdict: Verdict = verdict


def write_receipt(
    row: Row, output: bytes | None, verdict: Verdict, receipt_id: str, job_created_at: object
) -> dict[str, object]:
    """A receipt for a sealed step. `verdict` is what was found of it just now, and is bound with the rest."""
    provenance = f"RECORDED BY REFLOAT, RUN BY {text(row, 'producer').upper()}"
    payload = {
        "inputs": {
            "summary": text(row, "summary"),
            "sha256": row["input_sha256"] if _fits(row["input_sha256"]) else None,
        },
        "issuer_claims": {"provenance_class": provenance},
        "output": _shown(output),
        "receipt_schema_version": VERSION,
        "refloat": {
            **{name: value for name, value in row.items() if _fits(value)},
            **({"job_created_at": job_created_at} if _fits(job_created_at) else {}),
            "found": verdict,
        },
        "tool": text(row, "tool"),
    }
    held = hold(payload)
    return {
        "id": receipt_id,
        "receipt_schema_version": VERSION,
        "created_at": (read_stamp(row["ended_at"]) or "1970-01-01T00:00:00.000Z")[:19] + "Z",
        "tool": {"name": text(row, "tool"), "version": "unknown", "scope": "workspace"},
        "provenance_class": provenance,
        "canonical_bytes": b64encode(held.payload).decode("ascii"),
        "canonical_byte_length": len(held.payload),
        "hash_algorithm": "sha256",
        "output_hash": held.digest,
        "verification_status": "recorded" if verdict == "unchanged" else verdict,
    }


def hold(payload: object) -> Held:
    """The bytes that are bound, and their hash."""
    raw = _canonical(payload)
    return Held(raw, f"sha256:{sha256(raw).hexdigest()}")


def find_receipts(raw: bytes) -> Sequence[object] | None:
    """The receipts in a file: one object, a wrapper, or JSON Lines; None where nothing in it has their shape.

    Raises:
        NoExport: it is no JSON.

    """
    try:
        documents: Sequence[object] = [read_document(raw)]
    except NoExport:
        lines = [line for line in raw.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        documents = [_or_cut(line, last=n == len(lines) - 1) for n, line in enumerate(lines)]
    return documents if any(_is_ours(document) for document in documents) else None


class Judged(NamedTuple):
    """What a check of receipts found."""

    checked: int
    faults: tuple[Fault, ...]
    """`seq` counts the receipts from 1."""
    remarks: tuple[str, ...]


def verify_receipts(documents: Sequence[object], now: str) -> Judged:
    """What does not hold of each receipt by itself, and of the chain that Refloat's own ones tell."""
    faults: list[Fault] = []
    own: list[Link] = []
    for seq, document in enumerate(documents, 1):
        try:
            found = _unwrapped(document)
            if found.get("type") == "verifiable-workflow-receipt":
                _check_workflow(found)
            elif (row := _check_receipt(found, now)) is not None:
                own.append(Link(seq, row))
        except _Fails as fails:
            faults.append(Fault(seq, fails.field, fails.what, fails.verdict))
    unchecked = sum(fault.verdict == "not_checked" for fault in faults)
    return Judged(len(documents) - unchecked, (*faults, *find_broken(own)), tuple(find_unknown(own)))


def merkle_root(leaves: Sequence[bytes]) -> str:
    """The root over leaves: pairs of raw digests, an odd last one with itself; of none, that of the empty text."""
    level = [sha256(leaf).digest() for leaf in leaves]
    if not level:
        return sha256(b"").hexdigest()
    while len(level) > 1:
        pairs = zip(level[0::2], [*level[1::2], level[-1]], strict=False)
        level = [sha256(left + right).digest() for left, right in pairs]
    return level[0].hex()


def _check_receipt(found: Object, now: str) -> Object | None:
    """Refloat's own receipt in it, where it has one.

    Raises:
        _Fails: something does not hold.

    """
    version = found.get("receipt_schema_version")
    if not isinstance(version, str) or version not in _KNOWN:
        raise _Fails("receipt_schema_version", f"{version!r} is not known here", "not_checked")
    _check_schema(found, version)
    raw = _decoded(found.get("canonical_bytes"))
    length = found.get("canonical_byte_length")
    if length is not None and length != len(raw):
        raise _Fails("canonical_byte_length", f"{length} is said, and there are {len(raw)}")
    if found.get("output_hash") != f"sha256:{sha256(raw).hexdigest()}":
        raise _Fails("output_hash", "the bytes do not hash to it")
    try:
        payload = read_document(raw)
    except NoExport as error:
        raise _Fails(
            "canonical_bytes", f"the hash fits, and the payload is no JSON that can be relied on: {error}"
        ) from error
    if _canonical(payload) != raw:
        raise _Fails("canonical_bytes", "the hash fits, and the payload is not in canonical form")
    if version == VERSION:
        _check_inner(found, payload)
    _check_date(found.get("created_at") or found.get("timestamp"), now)
    inner = cast("dict[str, object]", payload) if isinstance(payload, dict) else {}
    if not isinstance(inner.get("refloat"), dict):
        return None
    own = cast("dict[str, object]", inner["refloat"])
    _check_own(inner, own)
    return own


def _check_own(payload: Object, own: Object) -> None:
    """Refloat's own receipt inside: its hash is over each field, and so is what is shown beside it."""
    if own.get("found") != "unchanged":
        raise _Fails("refloat.found", f"it was {own.get('found')} when it was exported")
    row = {name: value for name, value in own.items() if name not in {"found", "job_created_at"}}
    if "digests" not in row or "receipt" not in row:
        raise _Fails("refloat.receipt", "there is none")
    if "job_created_at" in own:
        altered = altered_fields("step", row, own["job_created_at"])
    else:  # written before that was told: the receipt cannot be made again, the fields' own hashes can
        altered = tuple(name for name in altered_fields("step", row, None) if name not in {"job_created_at", "digests"})
    if altered:
        raise _Fails(f"refloat.{altered[0]}", "it is not what was sealed")
    inputs = payload.get("inputs")
    told = cast("dict[str, object]", inputs) if isinstance(inputs, dict) else {}
    shown = {"tool": payload.get("tool"), "summary": told.get("summary"), "input_sha256": told.get("sha256")}
    for name, value in shown.items():
        if value != own.get(name):
            raise _Fails(name, "it is not what Refloat's own receipt in the payload says")
    if own.get("output_sha256") is not None:
        digest = _digest_of(payload.get("output"))
        if digest != own.get("output_sha256"):
            raise _Fails("output", "it is not the output that Refloat's own receipt in the payload names")


def _digest_of(output: object) -> str | None:
    """SHA-256 of an output as `_shown` shows it."""
    if isinstance(output, str):
        return sha256(output.encode("utf-8", "surrogatepass")).hexdigest()
    encoded = cast("dict[str, object]", output).get("base64") if isinstance(output, dict) else None
    try:
        return sha256(b64decode(encoded, validate=True)).hexdigest() if isinstance(encoded, str) else None
    except ValueError:
        return None


def _check_schema(found: Object, version: str) -> None:
    identifier = found.get("id")
    if not isinstance(identifier, str) or not _UUID.fullmatch(identifier):
        raise _Fails("id", "it is no UUID of version 4")
    tool = found.get("tool")
    if not (isinstance(tool, dict) and {"name", "version", "scope"} <= cast("dict[str, object]", tool).keys()) and not (
        version != VERSION and isinstance(tool, str)
    ):
        raise _Fails("tool", "it is not what the schema asks for")
    digest = found.get("output_hash")
    if not isinstance(digest, str) or not _HASH.fullmatch(digest):
        raise _Fails("output_hash", "it is not `sha256:` and 64 lower-case hex digits")


def _decoded(encoded: object) -> bytes:
    if not isinstance(encoded, str):
        raise _Fails("canonical_bytes", "there are none")
    try:
        raw = b64decode(encoded, validate=True)
        raw.decode("utf-8")
    except ValueError as error:
        raise _Fails("canonical_bytes", f"they are no base64 of UTF-8: {error}") from error
    if b64encode(raw).decode("ascii") != encoded:
        raise _Fails("canonical_bytes", "their base64 is not padded canonically")
    return raw


def _check_inner(found: Object, payload: object) -> None:
    inner = cast("dict[str, object]", payload) if isinstance(payload, dict) else {}
    claims = inner.get("issuer_claims")
    claimed = cast("dict[str, object]", claims).get("provenance_class") if isinstance(claims, dict) else None
    if inner.get("receipt_schema_version") != found.get("receipt_schema_version"):
        raise _Fails("receipt_schema_version", "the payload names another")
    if claimed is None or claimed != found.get("provenance_class"):
        raise _Fails("provenance_class", "the payload names another")


def _check_date(value: object, now: str) -> None:
    moment = read_stamp(value)
    if moment is None or (isinstance(value, str) and "T" not in value):
        raise _Fails("created_at", "it is no moment of any calendar")
    if moment > now:
        raise _Fails("created_at", "it lies in the future")


def _check_workflow(found: Object) -> None:
    listed = found.get("steps")
    steps = (
        [cast("dict[str, object]", step) for step in cast("list[object]", listed) if isinstance(step, dict)]
        if (isinstance(listed, list))
        else []
    )
    if not isinstance(listed, list) or len(steps) != len(cast("list[object]", listed)):
        raise _Fails("steps", "they are no list of objects")
    names = [text(step, "receipt_id") for step in steps]
    if [step.get("seq") for step in steps] != list(range(1, len(steps) + 1)):
        raise _Fails("steps.seq", "the numbers do not run from 1 without a gap")
    if not all(_LOWER_UUID.fullmatch(name) for name in names) or len(set(names)) != len(names):
        raise _Fails("steps.receipt_id", "they are not different lower-case UUIDs")
    version = found.get("merkle_version", "receipt-id-v0")
    if version == "receipt-id-v0":
        leaves = [name.encode() for name in names]
    elif version == "seq-output-v1":
        hashes = [text(step, "output_hash").removeprefix("sha256:") for step in steps]
        if not all(_HEX.fullmatch(each) for each in hashes):
            raise _Fails("steps.output_hash", "a step has none")
        leaves = [f"{seq}:{each}".encode() for seq, each in enumerate(hashes, 1)]
    else:
        raise _Fails("merkle_version", f"{version!r} is not known here", "not_checked")
    if merkle_root(leaves) != found.get("merkle_root"):
        raise _Fails("merkle_root", "the steps do not hash to it")


def _unwrapped(document: object) -> Object:
    if not isinstance(document, dict):
        raise _Fails("receipt", "it is no JSON object", "altered" if document is None else "not_checked")
    found = cast("dict[str, object]", document)
    for wrapper in ("receipt", "_receipt"):
        inner = found.get(wrapper)
        if isinstance(inner, dict) and "canonical_bytes" in inner:
            return cast("dict[str, object]", inner)
    if not _is_ours(found):
        raise _Fails("receipt", "it has not the shape of a receipt", "not_checked")
    return found


def _is_ours(document: object) -> bool:
    if not isinstance(document, dict):
        return False
    found = cast("dict[str, object]", document)
    if found.get("type") == "verifiable-workflow-receipt" or {"output_hash", "canonical_bytes"} <= found.keys():
        return True
    return any(isinstance(found.get(name), dict) and _is_ours(found[name]) for name in ("receipt", "_receipt"))


def _or_cut(line: bytes, *, last: bool) -> object:
    try:
        return read_document(line)
    except NoExport:
        if last:
            return None  # the line was cut off while it was written
        raise


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


def _shown(output: bytes | None) -> object:
    """Text as text; other bytes as base64."""
    if output is None:
        return None
    try:
        return output.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": b64encode(output).decode("ascii")}


def _fits(value: object) -> bool:
    return value is None or isinstance(value, str | int)
