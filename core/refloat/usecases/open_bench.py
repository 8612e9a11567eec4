"""The workbench of a real run: every reader that can be loaded."""

from refloat.knowledge.tables import use_config
from refloat.ports import Machine
from refloat.readers.registry import load_all
from refloat.usecases.workbench import Workbench


def open_bench(machine: Machine) -> Workbench:
    """A workbench on `machine`; readers that cannot be loaded are its problems.

    A person's own tables of commands count from here on: they lie in `machine`'s configuration directory.
    """
    use_config(machine.places.config)
    readers, problems = load_all()
    return Workbench(machine, readers, problems)
