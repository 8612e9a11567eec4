"""Whether anybody may be at a session, for the quick road of `list`: of the record's file, with `_sqlite3` alone.

Decides only whether the record must be asked properly; in doubt about a file that is there it must. Never makes a file.
"""

import os
from collections.abc import Mapping

from refloat.record.names import CONFIG_NAME, FILE_NAME, URL_VARIABLE


def may_be_held(environment: Mapping[str, str]) -> bool:
    """Whether a claim stands in the record whose process is not known to be gone."""
    if environment.get(URL_VARIABLE) or _names_another(_directory(environment, "CONFIG", ".config")):
        return True
    path = f"{_directory(environment, 'DATA', '.local/share')}/{FILE_NAME}"
    if not os.path.lexists(path):
        return False
    from refloat.catalogue.peek import DAMAGED, connect

    try:
        record = connect(path)
        try:
            rows: list[tuple[str, int]] = record.execute("SELECT host, pid FROM leases").fetchall()
        finally:
            record.close()
    except DAMAGED:
        return True
    own = os.uname().nodename
    return any(host != own or not pid or os.path.lexists(f"/proc/{pid}") for host, pid in rows)


def _names_another(directory: str) -> bool:
    """Whether the record may lie in another engine."""
    try:
        with open(f"{directory}/{CONFIG_NAME}", "rb") as file:  # noqa: PTH123 - pathlib is dear here
            return b"url" in file.read()
    except OSError:
        return False


def _directory(environment: Mapping[str, str], name: str, default: str) -> str:
    """As `machine.places` finds it."""
    if given := environment.get(f"REFLOAT_{name}_DIR"):
        return os.path.abspath(os.path.expanduser(given))  # noqa: PTH100, PTH111 - pathlib is dear here
    base = environment.get(f"XDG_{name}_HOME", "")
    return (base if base.startswith("/") else f"{environment.get('HOME', '')}/{default}") + "/refloat"
