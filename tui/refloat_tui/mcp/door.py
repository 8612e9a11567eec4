"""What tools ask of this machine: the record's desk, the workbench, and who is asking."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from refloat.machine.here import is_running
from refloat.model.saving import Runner
from refloat.usecases.find_sessions import Located, resolve
from refloat.usecases.save_step import Desk, session_producer
from refloat.usecases.saved_record import open_saved
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.record.store import Record


@dataclass(frozen=True, slots=True)
class Door:
    """Made once by the command line; several threads go through it."""

    desk: Desk
    bench: Callable[[], Workbench]
    """Asked for by the tools that read sessions alone: loading every reader takes its time."""

    def opened(self) -> "Record":
        """The record, where anything was ever saved.

        Raises:
            NothingSaved: nothing was.
            Unreadable: it cannot be opened.

        """
        desk = self.desk
        return open_saved(desk.data, desk.config, desk.environment, desk.now())

    def located(self, session: str) -> Located:
        """The session that a word means.

        Raises:
            NoSuchSession: none, or more than one.

        """
        return resolve(self.bench(), session, self.here)

    @property
    def here(self) -> Path:
        """The directory that the server was started in."""
        return Path(self.desk.workspace)

    def producer(self, said: str | None, client: str) -> str:
        """Who saves: as said, else the agent's session that started this server, else the client by its name."""
        return said or session_producer(self.desk.environment) or f"mcp:{client}"

    def is_running(self, runner: Runner) -> bool | None:
        """Whether the process behind a step still runs; None where that cannot be told."""
        return is_running(runner)
