"""The machine as it is: all doors in one bundle, none of them opened, or so much as loaded, before it is asked."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from refloat.late import stand_in
from refloat.machine.clock import SystemClock
from refloat.machine.places import find_places
from refloat.ports import Machine

if TYPE_CHECKING:
    from refloat.ports import Git, Launcher, Places, Processes, Signals, Terminals, Traces, Watch


def real_machine(environment: Mapping[str, str] | None = None) -> Machine:
    """The real doors; `environment` stands for the process's own. Looks at nothing and loads nothing that costs."""
    given = dict(os.environ if environment is None else environment)
    places = find_places(given)
    processes = stand_in(_processes)
    return Machine(
        clock=SystemClock(),
        processes=processes,
        git=stand_in(lambda: _git(places)),
        watch=stand_in(_watch),
        launcher=stand_in(lambda: _launcher(given)),
        traces=stand_in(lambda: _traces(places)),
        terminals=stand_in(lambda: _terminals(given)),
        places=places,
        signals=stand_in(lambda: _signals(processes)),
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
