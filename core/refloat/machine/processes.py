"""The process table. Linux is read from /proc (proc(5)), everything else through psutil, which is loaded then only.

Decides what is a fact about a process; refuses to guess: what may not be read is None, never empty.
"""

import os
import re
import stat
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.machine.mounts import Mount, mount_of, read_mounts
from refloat.machine.table import split_argv
from refloat.model.liveness import ProcessInfo
from refloat.model.stamp import Stamp, stamp_of_seconds
from refloat.ports import Processes

_DELETED: Final = " (deleted)"
# PROC_PID_INIT_INO of the kernel: the process namespace that sees every other one.
_FIRST_NAMESPACE: Final = "pid:[4026531836]"


def system_processes() -> Processes:
    """The process table of this system."""
    if sys.platform == "linux":
        return LinuxProcesses()
    from refloat.machine.other_processes import PsutilProcesses

    return PsutilProcesses()


class LinuxProcesses:
    """The process table as `/proc` has it."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = str(proc)
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._booted: float | None = None

    def all(self) -> Sequence[ProcessInfo]:
        """Every process that can be seen, in no order."""
        rows = (self.get(int(entry)) for entry in os.listdir(self._proc) if entry.isdigit())  # noqa: PTH208 - many, and soon gone
        return tuple(row for row in rows if row is not None)

    def get(self, pid: int) -> ProcessInfo | None:
        """One process, or None when no such number runs (a zombie is still there, and told as one)."""
        home = f"{self._proc}/{pid}"
        raw = _read(f"{home}/stat")
        if raw is None:
            return None
        # The name may hold spaces and `)`: the fields begin behind the last one.
        before, bracket, after = raw.rpartition(b")")
        fields = after.split()
        if not bracket or len(fields) < 20:
            return None
        state = fields[0]
        zombie = state in {b"Z", b"X", b"x"}
        argv = _read(f"{home}/cmdline")
        cwd, cwd_allowed = _link(f"{home}/cwd")
        return ProcessInfo(
            pid=pid,
            ppid=int(fields[1]),
            name=os.fsdecode(before.partition(b"(")[2]),
            argv=split_argv(argv or b""),
            cwd=cwd,
            started=(self._boot_seconds() or 0.0) + int(fields[19]) / self._ticks,
            start_token=fields[19].decode("ascii"),
            uid=_owner(home, kernel=not argv),
            zombie=zombie,
            stopped=state in {b"T", b"t"},
            terminal=terminal_name(int(fields[4])),
            inspectable=zombie or (argv is not None and cwd_allowed),
            group=int(fields[2]),
            session=int(fields[3]),
        )

    def glance(self) -> frozenset[tuple[int, str]]:
        """Each process with its name, its start, and whether it ended or is stopped: one read for each."""
        return frozenset(
            (int(entry), mark)
            for entry in os.listdir(self._proc)  # noqa: PTH208 - many, and soon gone
            if entry.isdigit() and (mark := _mark(f"{self._proc}/{entry}/stat"))
        )

    def open_files(self, pid: int) -> frozenset[str] | None:
        """Real paths of the files that it holds open, deleted ones under their last name; None where unreadable."""
        directory = f"{self._proc}/{pid}/fd"
        try:
            entries = os.listdir(directory)  # noqa: PTH208 - many, and soon gone
        except OSError:
            return None
        links = (_link(f"{directory}/{entry}")[0] for entry in entries)
        return frozenset(link for link in links if link is not None and link.startswith("/"))

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """The environment that it was started with; None where that may not be read."""
        raw = _read(f"{self._proc}/{pid}/environ")
        if raw is None:
            return None
        pairs = (
            entry.partition("=") for entry in os.fsdecode(raw).split("\0")
        )  # at once: it is asked of every process
        return {name: value for name, equals, value in pairs if equals}

    def listening_ports(self, pids: Collection[int]) -> frozenset[int]:
        """TCP ports on which any of these processes waits for connections, by its sockets and `/proc/PID/net/tcp`."""
        ports: set[int] = set()
        for pid in pids:
            sockets = self._sockets(pid)
            for table in ("tcp", "tcp6") if sockets else ():
                raw = _read(f"{self._proc}/{pid}/net/{table}") or b""
                ports |= read_listening(raw.decode("ascii", "replace"), sockets)
        return frozenset(ports)

    def _sockets(self, pid: int) -> frozenset[str]:
        directory = f"{self._proc}/{pid}/fd"
        try:
            links = [_link(f"{directory}/{entry}")[0] or "" for entry in os.listdir(directory)]  # noqa: PTH208 - many, and soon gone
        except OSError:
            return frozenset()
        return frozenset(link[8:-1] for link in links if link.startswith("socket:["))

    def lock_holders(self, path: Path) -> frozenset[int] | None:
        """Who holds a lock on the file, from `/proc/locks`; never tries the lock.

        0 stands for a holder that cannot be seen from here. None where an absent line proves nothing: remote and FUSE
        file systems, and a container's view of what it shares with its host (the kernel leaves out lines whose
        process the reader's namespace does not know).
        """
        try:
            found = path.stat()
        except FileNotFoundError:
            return frozenset()
        except OSError:
            return None
        raw = _read(f"{self._proc}/locks")
        if raw is None:
            return None
        mount = mount_of(path, read_mounts(Path(self._proc) / "self/mountinfo"))
        holders = read_locks(raw.decode("ascii", "replace"), _devices(found, mount), found.st_ino)
        if holders or self._sees_every_lock(mount):
            return holders
        return None

    def lock_bearers(self, path: Path) -> frozenset[int]:
        """Whose descriptors of the file carry a lock, by their `fdinfo` (proc_pid_fdinfo(5)); asks every process."""
        real = os.path.realpath(path)
        pids = (entry for entry in os.listdir(self._proc) if entry.isdigit())  # noqa: PTH208 - many, and soon gone
        return frozenset(int(pid) for pid in pids if self._bears_lock(pid, real))

    def _bears_lock(self, pid: str, real: str) -> bool:
        directory = f"{self._proc}/{pid}/fd"
        try:
            entries = os.listdir(directory)  # noqa: PTH208 - many, and soon gone
        except OSError:
            return False
        return any(
            b"\nlock:" in (_read(f"{self._proc}/{pid}/fdinfo/{entry}") or b"")
            for entry in entries
            if _link(f"{directory}/{entry}")[0] == real
        )

    def boot_time(self) -> Stamp | None:
        """When this machine booted (`btime` of `/proc/stat`)."""
        seconds = self._boot_seconds()
        return None if seconds is None else stamp_of_seconds(seconds)

    def this_domain(self) -> str:
        """`linux:<machine id>:pid:[<namespace inode>]`, with an empty machine id where the system has none."""
        return f"linux:{machine_id()}:{self._namespace()}"

    def host(self) -> str:
        """The machine's name."""
        return os.uname().nodename

    def _namespace(self) -> str:
        return _namespace(self._proc)

    def _sees_every_lock(self, mount: Mount | None) -> bool:
        if mount is not None and mount.hides_locks:
            return False
        if sees_first_namespace(self._proc):
            return True
        # In a container: its own root and its own memory are shared with nobody, other mounts may be.
        return mount is not None and (mount.point == "/" or mount.kind == "tmpfs")

    def _boot_seconds(self) -> float | None:
        if self._booted is None:
            for line in (_read(f"{self._proc}/stat") or b"").splitlines():
                if line.startswith(b"btime "):
                    self._booted = float(line.split()[1])
        return self._booted


def _namespace(proc: str) -> str:
    return _link(f"{proc}/self/ns/pid")[0] or "pid:[]"


def sees_first_namespace(proc: str = "/proc") -> bool:
    """Whether process numbers mean here what they mean to the kernel itself: not in a container."""
    return _namespace(proc) == _FIRST_NAMESPACE


def read_locks(table: str, devices: frozenset[tuple[int, int]], inode: int) -> frozenset[int]:
    """Process numbers that `/proc/locks` names as holders of one file's locks; waiting ones (`->`) are left out.

    A holder that stands there as 0 or less (another namespace, an open file description) counts as 0.
    """
    holders: set[int] = set()
    for line in table.splitlines():
        words = line.split()
        if len(words) < 6 or words[1] == "->" or words[1] == "LEASE":
            continue
        major, _, rest = words[5].partition(":")
        minor, _, number = rest.partition(":")
        try:
            place = (int(major, 16), int(minor, 16))
            if int(number) == inode and place in devices:
                holders.add(max(0, int(words[4])))
        except ValueError:
            continue
    return frozenset(holders)


def read_listening(table: str, inodes: Collection[str]) -> frozenset[int]:
    """Ports of a `/proc/net/tcp` (proc_pid_net(5)) on which one of the sockets listens (state 0A)."""
    rows = (line.split() for line in table.splitlines()[1:])
    return frozenset(
        int(words[1].rpartition(":")[2], 16)
        for words in rows
        if len(words) > 9 and words[3] == "0A" and words[9] in inodes
    )


def _devices(found: os.stat_result, mount: Mount | None) -> frozenset[tuple[int, int]]:
    # btrfs shows each subvolume under a device number of its own, the lock table the file system's.
    devices = {(os.major(found.st_dev), os.minor(found.st_dev))}
    if mount is not None:
        major, _, minor = mount.device.partition(":")
        if major.isdigit() and minor.isdigit():
            devices.add((int(major), int(minor)))
    return frozenset(devices)


def terminal_name(number: int) -> str | None:
    """The terminal behind field 7 of `/proc/PID/stat`, as `/dev` calls it; None for a process that has none."""
    if number == 0:
        return None
    number &= 0xFFFFFFFF
    major, minor = os.major(number), os.minor(number)
    if 136 <= major <= 143:
        return f"pts/{(major - 136) * 256 + minor}"
    if major == 4:
        return f"tty{minor}" if minor < 64 else f"ttyS{minor - 64}"
    return f"tty {major}:{minor}"


def machine_id() -> str:
    """The id of this installation (machine-id(5)), or "" where it has none."""
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if found := (_read(path) or b"").strip():
            return found.decode("ascii", "replace")
    return ""


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - hundreds of times, for files of the kernel
            return file.read()
    except OSError:
        return None


def _mark(path: str) -> str:
    """Name, start and kind of state from a `stat` of a process; "" where it is gone."""
    before, bracket, after = (_read_once(path)).rpartition(b")")
    fields = after.split(None, 20)
    if not bracket or len(fields) < 20:
        return ""
    state = fields[0].decode("ascii", "replace")
    name = os.fsdecode(before.partition(b"(")[2])
    return f"{name} {fields[19].decode('ascii', 'replace')} {state if state in 'ZXxTt' else ''}"


def _read_once(path: str) -> bytes:
    """A file of the kernel that is shorter than a page: no file object, no second read."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(handle, 4096)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _link(path: str) -> tuple[str | None, bool]:
    """Where a link of /proc points, without the kernel's mark for deleted files, and whether that may be asked."""
    try:
        return os.readlink(path).removesuffix(_DELETED), True  # noqa: PTH115 - text stays text
    except PermissionError:
        return None, False
    except OSError:  # gone, or a zombie
        return None, True


def _owner(home: str, *, kernel: bool) -> int | None:
    """The user of a process. The directory of one that keeps others from looking into it (PR_SET_DUMPABLE, as Codex
    does) belongs to root, whoever runs it: then the longer answer counts. `kernel`: it has no command line.
    """
    try:
        found = os.stat(home)  # noqa: PTH116 - text stays text
    except OSError:
        return None
    if not stat.S_ISDIR(found.st_mode):
        return None
    told = (
        re.search(rb"^Uid:\t(\d+)", _read(f"{home}/status") or b"", re.MULTILINE)
        if not (found.st_uid or kernel)
        else None
    )
    return found.st_uid if told is None else int(told[1])
