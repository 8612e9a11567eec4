"""Where a program lies. `shutil.which` answers the same, and its module loads every compressor there is."""

import os
from collections.abc import Mapping


def find_program(program: str, environment: Mapping[str, str]) -> str | None:
    """The full path of a program on the absolute parts of PATH; None where there is none.

    Relative parts (and empty ones, which mean the current directory) are skipped: Refloat often stands in somebody
    else's checkout. So is a program that is named by a relative path.
    """
    if os.sep in program:
        return program if os.path.isabs(program) and _is_program(program) else None  # noqa: PTH117
    for part in filter(None, absolute_parts(environment).split(os.pathsep)):
        path = os.path.join(part, program)  # noqa: PTH118 - text stays text
        if _is_program(path):
            return path
    return None


def absolute_parts(environment: Mapping[str, str]) -> str:
    """PATH without the parts that mean another directory in every place."""
    parts = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join([part for part in parts if os.path.isabs(part)])  # noqa: PTH117


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113
