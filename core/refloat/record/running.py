"""Which process a step's command is, noted beside the record while it runs: known only once it was started.

Decides where that stands: a private file a step, for a process number means something on its own machine alone. Refuses
to stop anything: a note that cannot be written is none, and then nobody says that the command is gone.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from refloat.model.saving import Runner
from refloat.record.contents import make_private

FOLDER: Final = "running"
_LONGEST: Final = 1000


def note_command(directory: Path, step: str, command: Runner) -> None:
    """Note the process of a step's command; `directory` is where the record's files lie."""
    if command.host is None or command.pid is None or command.pid_started is None:
        return
    with suppress(OSError):
        path = directory / FOLDER / step
        make_private(path.parent)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(handle, f"{command.pid} {command.pid_started} {command.host}".encode())
        finally:
            os.close(handle)


def read_command(directory: Path, step: str) -> Runner | None:
    """The process of a step's command; None where none was noted here."""
    if not step.isalnum():
        return None  # a damaged row names no file
    try:
        with (directory / FOLDER / step).open("rb") as file:
            pid, started, host = file.read(_LONGEST).decode().split(" ", 2)
        return Runner(host, int(pid), started)
    except (OSError, ValueError):
        return None


def forget_command(directory: Path, step: str) -> None:
    """Take the note away: the step is sealed."""
    with suppress(OSError):
        (directory / FOLDER / step).unlink()
