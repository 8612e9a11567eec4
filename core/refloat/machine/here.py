"""Who and where this process is, for what it saves: user, host, process, directory."""

import os
import sys
from collections.abc import Mapping

from refloat.model.saving import Runner


def user(environment: Mapping[str, str]) -> str:
    """The person's name, as the system has it; the environment's word where it has none."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without an entry
        return environment.get("USER") or str(os.getuid())


def runner() -> Runner:
    """This process."""
    return Runner(os.uname().nodename, os.getpid(), start_token("self"))


def start_token(pid: int | str) -> str | None:
    """When a process started, as the system writes it (proc(5), field 22); None where it has no /proc."""
    if sys.platform != "linux":
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        return None


def directory() -> str:
    """The directory that the command was called in; the root where that has vanished."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"
