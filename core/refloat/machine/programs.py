"""Where a program lies. `shutil.which` answers the same, and its module loads every compressor there is."""

import os
from collections.abc import Mapping


def find_program(program: str, environment: Mapping[str, str]) -> str | None:
    """The full path of a program on the absolute parts of PATH; None where there is none.

    Relative parts (and empty ones, which mean the current directory) are skipped: Refloat often stands in somebody
    else's checkout.
    """
    if os.sep in program:
        return program if _is_program(program) else None
    for part in environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(part, program)  # noqa: PTH118 - text stays text
        if os.path.isabs(part) and _is_program(path):  # noqa: PTH117
            return path
    return None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113
