"""The machine as it is: all doors in one bundle, none of them opened yet."""

import os
from collections.abc import Mapping

from refloat.machine.clock import SystemClock
from refloat.machine.ending import SystemSignals
from refloat.machine.git import HardenedGit
from refloat.machine.launcher import SystemLauncher
from refloat.machine.places import find_places
from refloat.machine.processes import system_processes
from refloat.machine.terminals import SystemTerminals
from refloat.machine.traces import SystemTraces
from refloat.machine.watch import FileWatch
from refloat.ports import Machine


def real_machine(environment: Mapping[str, str] | None = None) -> Machine:
    """The real doors; `environment` stands for the process's own. Looks at nothing and loads nothing that costs."""
    given = dict(os.environ if environment is None else environment)
    places = find_places(given)
    processes = system_processes()
    return Machine(
        clock=SystemClock(),
        processes=processes,
        git=HardenedGit(places),
        watch=FileWatch(),
        launcher=SystemLauncher(given),
        traces=SystemTraces(places.home),
        terminals=SystemTerminals(given),
        places=places,
        signals=SystemSignals(processes),
    )
