"""A backup of the record."""

from collections.abc import Sequence
from pathlib import Path

from refloat.model.stamp import Stamp
from refloat.record.backup import back_up
from refloat.record.store import Record


def back_up_record(record: Record, target: Path, now: Stamp) -> Sequence[str]:
    """Write the whole record into one private file; hashes of outputs that were not there to be taken along.

    Raises:
        NotDone: a file of that name is there, or it could not be written.

    """
    return back_up(record, target, now)
