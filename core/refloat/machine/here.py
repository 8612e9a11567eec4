"""Who and where this process is, for what it saves: user, host, process, directory."""

import os
import sys
from collections.abc import Mapping

from refloat.model.saving import Runner
from refloat.person import user

__all__ = ["directory", "host", "is_running", "runner", "runner_of", "start_token", "user", "user_at_host"]


def user_at_host(environment: Mapping[str, str]) -> str:
    """`user@host`."""
    return f"{user(environment)}@{os.uname().nodename}"


def host() -> str:
    """This machine's name."""
    return os.uname().nodename


def runner() -> Runner:
    """This process."""
    return Runner(host(), os.getpid(), start_token("self"))


def runner_of(pid: int) -> Runner:
    """Another process of this machine."""
    return Runner(os.uname().nodename, pid, start_token(pid))


def start_token(pid: int | str) -> str | None:
    """When a process started, as the system writes it (proc(5), field 22); None where it ended or has no /proc."""
    if sys.platform != "linux":
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in {b"Z", b"X"} else fields[19].decode("ascii")
    except (OSError, IndexError):
        return None


def is_running(who: Runner) -> bool | None:
    """Whether the process behind a step still runs; None where that cannot be told from here."""
    if who.host != host() or who.pid is None or who.pid_started is None:
        return None
    token = start_token(who.pid)
    return None if token is None and _is_hidden(who.pid) else token == who.pid_started


def _is_hidden(pid: int) -> bool:
    """Whether a process is there that only its own user may look at (proc(5), `hidepid`)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def directory() -> str:
    """The directory that the command was called in; the root where that has vanished."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"
