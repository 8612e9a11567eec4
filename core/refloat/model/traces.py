"""What a system writes down when a program or the machine itself ends badly."""

from typing import Literal

from refloat.model.light import light
from refloat.model.stamp import Stamp


@light
class LogLine:
    """One line of the kernel's log."""

    at: Stamp
    text: str


@light
class CrashFile:
    """A file that a crash left: a core dump, a report of the system or of the program's runtime."""

    path: str
    program: str
    """The process's name, as the file has it."""
    pid: int | None
    at: Stamp | None
    what: str
    """What it says of the crash, in a few words; "" where only its name was read."""
    argv: tuple[str, ...] = ()


@light
class PowerChange:
    """The machine went down in order, or came up."""

    kind: Literal["shutdown", "boot"]
    at: Stamp
