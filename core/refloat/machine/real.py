"""The machine as it is: all doors in one bundle, none of them opened, or so much as loaded, before it is asked."""

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar, cast

from refloat.machine.clock import SystemClock
from refloat.machine.places import find_places
from refloat.ports import Machine

if TYPE_CHECKING:
    from refloat.ports import Git, Launcher, Places, Processes, Signals, Terminals, Traces, Watch

Door = TypeVar("Door")


class _Later:
    """Stands for a door until the first question, whichever thread asks it."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> object:
        with self._lock:
            if "_door" not in self.__dict__:
                self.__dict__["_door"] = self._make()
        return getattr(self.__dict__["_door"], name)


def _later(make: Callable[[], Door]) -> Door:
    return cast("Door", _Later(make))  # whatever is asked of it, the door answers


def real_machine(environment: Mapping[str, str] | None = None) -> Machine:
    """The real doors; `environment` stands for the process's own. Looks at nothing and loads nothing that costs."""
    given = dict(os.environ if environment is None else environment)
    places = find_places(given)
    processes = _later(_processes)
    return Machine(
        clock=SystemClock(),
        processes=processes,
        git=_later(lambda: _git(places)),
        watch=_later(_watch),
        launcher=_later(lambda: _launcher(given)),
        traces=_later(lambda: _traces(places)),
        terminals=_later(lambda: _terminals(given)),
        places=places,
        signals=_later(lambda: _signals(processes)),
    )


def _processes() -> "Processes":
    from refloat.machine.processes import system_processes

    return system_processes()


def _git(places: "Places") -> "Git":
    from refloat.machine.git import HardenedGit

    return HardenedGit(places)


def _watch() -> "Watch":
    from refloat.machine.watch import FileWatch

    return FileWatch()


def _launcher(environment: Mapping[str, str]) -> "Launcher":
    from refloat.machine.launcher import SystemLauncher

    return SystemLauncher(environment)


def _traces(places: "Places") -> "Traces":
    from refloat.machine.traces import SystemTraces

    return SystemTraces(places.home)


def _terminals(environment: Mapping[str, str]) -> "Terminals":
    from refloat.machine.terminals import SystemTerminals

    return SystemTerminals(environment)


def _signals(processes: "Processes") -> "Signals":
    from refloat.machine.ending import SystemSignals

    return SystemSignals(processes)
