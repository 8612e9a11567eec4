"""Whether a look at everything is due although no file changed: the cheap question between two looks.

Decides by the processes that matter (those of agents, and those that the last look's evidence names) and by what passes
with time alone. Refuses to say what changed: that is the look's business. What can change in no such way (a lock let go
by a process that cannot be seen) is left to the caller's rare look.
"""

from collections.abc import Iterable
from typing import Final

from refloat.liveness.verdict import RECENT_SECONDS
from refloat.model.session import Session
from refloat.model.stamp import Stamp, later
from refloat.usecases.workbench import Workbench

_RECENT: Final = "recent"
_GROWING: Final = "growing"

Running = frozenset[tuple[int, str]]
"""Process numbers, each with what tells it from another of the same number."""


class Glance:
    """Compares the machine with what it was when a look began. Use it from one thread at a time."""

    def __init__(self, bench: Workbench) -> None:
        self._machine = bench.machine
        self._readers = bench.readers
        self._ours: dict[tuple[int, str], bool] = {}
        """Whether a process is an agent's, for those that run."""
        self._named: frozenset[int] = frozenset()
        self._before: Running = frozenset()
        self._passes: Stamp | None = None
        """When the state of a session may change by itself."""

    def begin(self) -> Running:
        """What runs now; taken before a look, so that nothing that happens in it is missed."""
        return self._machine.processes.glance()

    def rest(self, running: Running, sessions: Iterable[Session]) -> None:
        """A look that began at `running` told these sessions."""
        named: set[int] = set()
        moments: list[Stamp] = []
        for session in sessions:
            for evidence in session.liveness.evidence:
                if evidence.pid is not None:
                    named.add(evidence.pid)
                if evidence.kind == _GROWING and evidence.at is not None:
                    moments.append(evidence.at)
                elif evidence.kind == _RECENT and session.last_activity_at is not None:
                    moments.append(later(session.last_activity_at, RECENT_SECONDS))
        self._named = frozenset(named)
        self._passes = min(moments, default=None)
        self._before = self._that_matter(running)

    def is_due(self) -> bool:
        """Whether a process came, went or became another, or a time has passed that a state hung on."""
        if self._passes is not None and self._passes <= self._machine.clock.now():
            return True
        return self._that_matter(self._machine.processes.glance()) != self._before

    def _that_matter(self, running: Running) -> Running:
        self._ours = {each: self._is_ours(each) for each in running}
        return frozenset(each for each in running if each[0] in self._named or self._ours[each])

    def _is_ours(self, each: tuple[int, str]) -> bool:
        known = self._ours.get(each)
        if known is None:
            process = self._machine.processes.get(each[0])
            known = process is not None and any(reader.is_agent(process) for reader in self._readers)
        return known
