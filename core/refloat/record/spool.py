"""What a command prints, gathered while it runs: hashed as it passes, small in memory, big in a private file.

Decides where it waits until the step is sealed. Refuses to stop the command: a disk that takes no more ends the
gathering, and `finish` tells.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Self

from refloat.record.contents import SMALL, Content, hold, hold_file, make_private
from refloat.record.engine import new_id
from refloat.record.store import Record

FOLDER: Final = "incoming"


class Spool:
    """Bytes on their way into the record. Use it in a `with`: its file goes in the end, whatever happened."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FOLDER / new_id()
        self._hash = sha256()
        self._parts: list[bytes] = []
        self._file: BinaryIO | None = None
        self._fault: OSError | None = None
        self.size = 0
        """Bytes so far, gathered or not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def write(self, data: bytes) -> None:
        """Take what passes."""
        self._hash.update(data)
        self.size += len(data)
        if self._fault is not None:
            return
        try:
            if self._file is not None:
                self._file.write(data)
            else:
                self._parts.append(data)
                if self.size > SMALL:
                    self._spill()
        except OSError as error:
            self._fault = error
            self._drop()

    def finish(self, record: Record) -> Content:
        """All of it, ready to be named by a step.

        Raises:
            OSError: it could not be kept.

        """
        if self._fault is not None:
            raise self._fault
        if self._file is None:
            return hold(b"".join(self._parts))
        self._file.flush()
        return hold_file(record, self._path, self._hash.hexdigest(), self.size)

    def _spill(self) -> None:
        make_private(self._path.parent)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._file = open(handle, "wb", buffering=0)  # noqa: PTH123, SIM115 - closed with the spool
        self._file.write(b"".join(self._parts))
        self._parts.clear()

    def _drop(self) -> None:
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
            self._path.unlink(missing_ok=True)
