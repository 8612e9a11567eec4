"""The workbench of a real run: every reader that can be loaded."""

from refloat.ports import Machine
from refloat.readers.registry import load_all
from refloat.usecases.workbench import Workbench


def open_bench(machine: Machine) -> Workbench:
    """A workbench on `machine`; readers that cannot be loaded are its problems."""
    readers, problems = load_all()
    return Workbench(machine, readers, problems)
