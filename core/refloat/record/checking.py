"""A check of what the record itself holds: one view of it, each content read once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from refloat.errors import UsageError
from refloat.model.record import Fault, Verdict, Verified
from refloat.record.contents import ContentMissing, is_there, read
from refloat.record.engine import Connection, RecordUnavailable, Row
from refloat.record.packing import ContentDamaged
from refloat.record.receipts import altered_fields
from refloat.record.rows import text
from refloat.record.store import Record
from refloat.record.verify import CheckContent, ContentFault, judge_job
from refloat.record.whole import load_job

Progress = Callable[[int, int], None]
"""Told how many links of how many were looked at, and again while a long content is read. An error that it raises ends
the check."""
_SHORTEST: Final = 6
"""Digits of a receipt."""


def _untold(done: int, of: int) -> None:
    del done, of


def verify_job(record: Record, job: str, only: str | None = None, tell: Progress = _untold) -> Verified:
    """Re-hash everything of a job, from the saved bytes up; with `only`, one receipt of it.

    Raises:
        NoSuchJob: there is none of that name.

    """
    damaged = [] if only else [Fault(None, "database", what) for what in record.engine.integrity()]
    try:
        with record.reading() as connection:
            whole = load_job(connection, job)
            counted = _Counted(tell, len(whole.links))
            found = judge_job(
                whole, content_check(record, connection, counted.again), record.known_keys, only, counted.one_more
            )
    except RecordUnavailable as error:
        return Verified(job, 0, (), (*damaged, Fault(None, "database", str(error))), "unsigned")
    return replace(found, problems=(*damaged, *found.problems))


class _Counted:
    """How far a check has come."""

    def __init__(self, tell: Progress, of: int) -> None:
        self._tell = tell
        self._of = of
        self._done = 0

    def one_more(self) -> None:
        self._done += 1
        self._tell(self._done, self._of)

    def again(self) -> None:
        self._tell(self._done, self._of)


def read_end_to_end(record: Record, job: str) -> Verified:
    """Re-hash every field and every place in the chain of a job, its bytes unread.

    Raises:
        NoSuchJob: there is none of that name.

    """
    with record.reading() as connection:
        return judge_job(load_job(connection, job), _unread, record.known_keys)


def _unread(name: str, size: int | None) -> None:
    del name, size


def is_receipt(word: str) -> bool:
    """Whether a word is the beginning of a receipt, by its shape."""
    return _SHORTEST <= len(word) <= 64 and all(c in "0123456789abcdef" for c in word)


def find_receipt(record: Record, prefix: str) -> tuple[str, str]:
    """The job and the whole receipt that a prefix of a receipt means.

    Raises:
        UsageError: none, or more than one.

    """
    with record.reading() as connection:
        found = connection.rows("links.find_receipt", prefix=f"{prefix}%")
    if len(found) != 1:
        raise UsageError(f"{len(found) or 'no'} receipts begin with {prefix}")
    return text(found[0], "job"), text(found[0], "receipt")


def content_check(record: Record, connection: Connection, breathe: Callable[[], None] = lambda: None) -> CheckContent:
    """Check contents against the record; what many steps share is read once. `breathe` is called after each piece."""
    known: dict[tuple[str, int | None], ContentFault | None] = {}

    def check(name: str, size: int | None) -> ContentFault | None:
        if (name, size) not in known:
            known[name, size] = _check(record, connection, name, size, breathe)
        return known[name, size]

    return check


def quick_verdict(record: Record, connection: Connection, row: Row, created_at: object) -> Verdict:
    """Of a sealed step, its bytes unread: whether its fields fit its receipt, and whether any bytes are kept."""
    if altered_fields("step", row, created_at):
        return "altered"
    for what in ("input_sha256", "output_sha256"):
        if row[what] is not None and not is_there(record, connection, text(row, what)):
            return "missing"
    return "unchanged"


def _check(
    record: Record, connection: Connection, name: str, size: int | None, breathe: Callable[[], None]
) -> ContentFault | None:
    try:
        for _ in read(record, connection, name, size):
            breathe()
    except ContentMissing:
        return ContentFault("missing", "its bytes are not kept any more")
    except ContentDamaged as error:
        return ContentFault("altered", str(error))
    return None
