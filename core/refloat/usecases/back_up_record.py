"""A backup of the record."""

from collections.abc import Sequence
from pathlib import Path

from refloat.model.stamp import Stamp
from refloat.record.backup import back_up
from refloat.record.store import Record
from refloat.usecases.targets import refuse_target
from refloat.usecases.workbench import Workbench


def back_up_record(bench: Workbench, record: Record, target: Path, now: Stamp) -> Sequence[str]:
    """Write the whole record into one private file; hashes of outputs that were not there to be taken along.

    Raises:
        NotDone: a file of that name is there, or it could not be written.
        UsageError: nothing may be written there.

    """
    refuse_target(target, bench.machine.places, bench.readers)
    return back_up(record, target, now)
