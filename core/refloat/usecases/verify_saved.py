"""Whether something saved is as it was saved: a job, one receipt, or a file from another machine.

Decides which of them a word means. A file is verified by itself: no record is opened for it, but for the one receipt
that `run --receipt` and `step --json` write, which names what only the record holds.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from refloat.errors import Unreadable, UsageError
from refloat.model.record import Fault, Signature, Verified
from refloat.model.stamp import Stamp
from refloat.record.aer1 import find_receipts, verify_receipts
from refloat.record.checking import Progress, find_receipt, is_receipt, verify_job
from refloat.record.exported import NoExport, is_export, read_document, verify_export
from refloat.record.keys import Known, no_keys
from refloat.record.store import Record
from refloat.record.whole import NoSuchJob
from refloat.there import is_plain_file

_ALONE = (
    "whether this is what was saved: nobody can tell from a file alone, and whoever wrote it can have made all of it",
)
_STEP_ALONE = (
    "whether the step is as it was saved: its receipt is over fields that only the record holds; verify it where that "
    "is, or take `refloat export`"
)


def verify_ref(ref: str, open_it: Callable[[], Record], now: Stamp, known: Known = no_keys) -> Verified:
    """Verify what `ref` means: a file that is named like one, a job, a receipt (or the beginning of one), a file.

    `known` are the keys for a file; the record has its own.

    Raises:
        UsageError: it means nothing.
        Unreadable: the file, or the record, cannot be read.

    """
    path = Path(ref)
    named_as_file = "/" in ref or path.suffix in {".json", ".jsonl"}
    if named_as_file and is_plain_file(path):
        return verify_file(path, now, known, open_it)
    try:
        record = open_it()
    except UsageError:
        if is_plain_file(path):
            return verify_file(path, now, known, open_it)
        if named_as_file:
            raise _no_file(ref) from None
        raise
    with record:
        with record.reading() as connection:
            is_job = connection.row("jobs.one", job=ref) is not None
        if is_job:
            return verify_job(record, ref)
        if is_receipt(ref):
            job, receipt = find_receipt(record, ref)
            return verify_job(record, job, receipt)
        if is_plain_file(path):
            return verify_file(path, now, known, open_it)
        try:
            return verify_job(record, ref)  # links may be left of it; else it says which jobs there are
        except NoSuchJob:
            if named_as_file:
                raise _no_file(ref) from None
            raise


def _no_file(ref: str) -> UsageError:
    return UsageError(f"there is no file {ref!r}, and no job is called so")


def verify_whole(record: Record, job: str, tell: Progress) -> Verified:
    """Verify a whole job, and tell how far it has come; what `tell` raises ends the check.

    Raises:
        NoSuchJob: there is none of that name.

    """
    return verify_job(record, job, tell=tell)


def _no_record() -> Record:
    raise UsageError("no record is at hand")


def verify_file(path: Path, now: Stamp, known: Known = no_keys, open_it: Callable[[], Record] = _no_record) -> Verified:
    """Verify an exported job, receipts of AER-1, or the receipt of one step, by their shape.

    Those of AER-1 count as unsigned. The receipt of one step is compared with the record, where it is at hand.

    Raises:
        NoExport: it is neither, or cannot be read.

    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise NoExport(f"{path} cannot be read: {error.strerror or error}") from error
    if raw.startswith(b"SQLite format 3\0"):
        raise NoExport(
            f"{path} is a database. If it is a backup of the record, name it record.db in a directory of its own, and "
            "verify its jobs with REFLOAT_DATA_DIR set to that directory"
        )
    receipts = find_receipts(raw)
    if receipts is not None:
        found = verify_receipts(receipts, now)
        remarks = (*_ALONE, *found.remarks)
        return Verified(None, found.checked, (), found.faults, "unsigned", by_itself=True, remarks=remarks)
    document = read_document(raw)
    saved = _saved_step(document)
    if saved is not None:
        return _verify_step(*saved, open_it, known)
    if not is_export(document):
        raise NoExport(f"{path} holds neither an exported job nor receipts of AER-1")
    return verify_export(cast("Mapping[str, object]", document), known)


def _saved_step(document: object) -> tuple[str, Mapping[str, object]] | None:
    """The job and the step of a document that `run --receipt` or `step --json` wrote; None where it is none."""
    if not isinstance(document, dict):
        return None
    found = cast("dict[str, object]", document)
    job, step = found.get("job"), found.get("step")
    if not isinstance(job, str) or not isinstance(step, dict):
        return None
    row = cast("dict[str, object]", step)
    return (job, row) if isinstance(row.get("receipt"), str) else None


def _verify_step(job: str, told: Mapping[str, object], open_it: Callable[[], Record], known: Known) -> Verified:
    """Verify one receipt with the record, and that the file says the same. Without one: its signature."""
    receipt = str(told["receipt"])
    try:
        record = open_it()
    except (UsageError, Unreadable):
        return _verify_step_alone(job, told, known)
    with record:
        with record.reading() as connection:
            rows = connection.rows("links.find_receipt", prefix=receipt) if is_receipt(receipt) else ()
            row = connection.row("links.step", id=str(rows[0]["id"] if rows else told.get("id")))
        if row is None or row["sealed"] is None:
            found = _verify_step_alone(job, told, known)
            return replace(found, remarks=("this record holds no such receipt; it may be of another", *found.remarks))
        found = verify_job(record, str(row["job"]), str(row["receipt"]))
        names = [name for name, value in (("job", job), *told.items()) if name in row and row[name] != value]
        seq = row["seq"] if isinstance(row["seq"], int) else None
        faults = tuple(Fault(seq, name, "the file says another than the record") for name in dict.fromkeys(names))
        return replace(found, problems=(*found.problems, *faults))


def _verify_step_alone(job: str, told: Mapping[str, object], known: Known) -> Verified:
    receipt, signer, signature = told.get("receipt"), told.get("signer"), told.get("signature")
    verdict: Signature = "unsigned"
    faults: tuple[Fault, ...] = ()
    if signer is not None or signature is not None:
        from refloat.record.signing import judge_signature

        verdict = judge_signature(signer, receipt, signature, known())
    if verdict == "invalid":
        faults = (Fault(None, "signature", "it is not its signer's signature of this receipt"),)
    elif verdict == "unsigned":
        faults = (Fault(None, "receipt", "no record that is at hand holds it", "not_checked"),)
    return Verified(job, 0, (), faults, verdict, by_itself=True, remarks=(_STEP_ALONE,))
