"""The process table, read with the standard library alone: the cheap question before any dear one.

Decides which process numbers run a program of given names. Refuses to say what they are for: that is `processes` and
the readers' business. Imports `os` and `sys` and nothing else: even `typing` costs a good part of a bare start.
"""

import os
import sys

AGENT_NAMES = frozenset(("claude", "codex", "node", "node-MainThread", "MainThread", "bun", "deno"))
"""Names under which coding agents stand in the process table: their own, and those of the runtimes that carry them
(newer Node.js calls its first thread, and so its process, `node-MainThread` or `MainThread`)."""

# The kernel keeps 15 bytes of a name (proc(5)).
_KEPT = 15


def running_programs(names: frozenset[str] = AGENT_NAMES) -> list[tuple[int, str, tuple[str, ...]]]:
    """(pid, name, argv) of each process whose name is one of `names`; argv is () where it may not be read.

    Zombies have an empty argv and are listed: a caller that needs more than "does one run" asks `Processes`. On Linux
    from `/proc/PID/comm`, and `cmdline` of the few that fit; on macOS from `ps`.
    """
    return _from_proc(names) if sys.platform == "linux" else _from_ps(names)


def _from_proc(names: frozenset[str]) -> list[tuple[int, str, tuple[str, ...]]]:
    wanted = {name[:_KEPT].encode() for name in names}
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for entry in os.listdir("/proc"):  # noqa: PTH208 - a Path for each of hundreds is the whole cost
        if not entry.isdigit():
            continue
        name = _bytes(f"/proc/{entry}/comm").rstrip(b"\n")
        if name in wanted:
            argv = _bytes(f"/proc/{entry}/cmdline")
            found.append((int(entry), os.fsdecode(name), split_argv(argv)))
    return found


def split_argv(raw: bytes) -> tuple[str, ...]:
    r"""The words of `/proc/PID/cmdline`: each ends in a zero byte, except where a program overwrote them."""
    if not raw:
        return ()
    return tuple(os.fsdecode(raw.removesuffix(b"\0")).split("\0"))  # at once: it is asked of every process


def may_carry(text: str) -> bool:
    """Whether the environment of any process that may be looked into holds a text; True where that is not as simple as
    reading `/proc/PID/environ`.
    """
    if sys.platform != "linux":
        return True
    wanted = os.fsencode(text)
    return any(
        wanted in _bytes(f"/proc/{entry}/environ")
        for entry in os.listdir("/proc")  # noqa: PTH208 - as above
        if entry.isdigit()
    )


def _bytes(path: str) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        parts: list[bytes] = []
        while part := os.read(handle, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _from_ps(names: frozenset[str]) -> list[tuple[int, str, tuple[str, ...]]]:
    import subprocess

    answer = subprocess.run(
        ["/bin/ps", "-axo", "pid=,comm=", "-c"], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    wanted = set(names)
    pids = {
        int(pid): name.strip()
        for pid, _, name in (
            line.strip().partition(" ") for line in answer.stdout.decode("utf-8", "replace").splitlines()
        )
        if pid.isdigit() and name.strip() in wanted
    }
    if not pids:
        return []
    rows = subprocess.run(
        ["/bin/ps", "-o", "pid=,args=", "-p", ",".join(map(str, pids))],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    ).stdout.decode("utf-8", "replace")
    return [
        (int(pid), pids[int(pid)], tuple(words.split()))
        for pid, _, words in (line.strip().partition(" ") for line in rows.splitlines())
        if pid.isdigit() and int(pid) in pids
    ]
