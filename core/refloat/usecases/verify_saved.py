"""Whether something saved is as it was saved: a job, one receipt, or a file from another machine.

Decides which of them a word means. A file is verified by itself: no record is opened for it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, cast

from refloat.errors import UsageError
from refloat.model.record import Verified
from refloat.model.stamp import Stamp
from refloat.record.aer1 import find_receipts, verify_receipts
from refloat.record.checking import Progress, find_receipt, verify_job
from refloat.record.exported import NoExport, is_export, read_document, verify_export
from refloat.record.keys import Known, no_keys
from refloat.record.store import Record

_SHORTEST: Final = 6
"""Digits of a receipt."""


def verify_ref(ref: str, open_it: Callable[[], Record], now: Stamp, known: Known = no_keys) -> Verified:
    """Verify what `ref` means: a file that is named like one, a job, a receipt (or the beginning of one), a file.

    `known` are the keys for a file; the record has its own.

    Raises:
        UsageError: it means nothing.
        Unreadable: the file, or the record, cannot be read.

    """
    path = Path(ref)
    if ("/" in ref or path.suffix in {".json", ".jsonl"}) and path.is_file():
        return verify_file(path, now, known)
    try:
        record = open_it()
    except UsageError:
        if path.is_file():
            return verify_file(path, now, known)
        raise
    with record:
        with record.reading() as connection:
            is_job = connection.row("jobs.one", job=ref) is not None
        if is_job:
            return verify_job(record, ref)
        if len(ref) >= _SHORTEST and all(c in "0123456789abcdef" for c in ref):
            job, receipt = find_receipt(record, ref)
            return verify_job(record, job, receipt)
        if path.is_file():
            return verify_file(path, now, known)
        return verify_job(record, ref)  # links may be left of it; else it says which jobs there are


def verify_whole(record: Record, job: str, tell: Progress) -> Verified:
    """Verify a whole job, and tell how far it has come; what `tell` raises ends the check.

    Raises:
        NoSuchJob: there is none of that name.

    """
    return verify_job(record, job, tell=tell)


def verify_file(path: Path, now: Stamp, known: Known = no_keys) -> Verified:
    """Verify an exported job, or receipts of AER-1, by their shape. Those of AER-1 count as unsigned.

    Raises:
        NoExport: it is neither, or cannot be read.

    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise NoExport(f"{path} cannot be read: {error.strerror or error}") from error
    receipts = find_receipts(raw)
    if receipts is not None:
        checked, faults = verify_receipts(receipts, now)
        return Verified(None, checked, (), faults, "unsigned")
    document = read_document(raw)
    if not is_export(document):
        raise NoExport(f"{path} holds neither an exported job nor receipts of AER-1")
    return verify_export(cast("Mapping[str, object]", document), known)
