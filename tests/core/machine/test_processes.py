"""The process table, with real processes and real locks."""

import fcntl
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.core.machine.conftest import Starter, until

from refloat.liveness.evidence import Subject, look
from refloat.liveness.verdict import judge_liveness
from refloat.machine.launcher import SystemLauncher
from refloat.machine.mounts import Mount
from refloat.machine.processes import LinuxProcesses, read_locks, system_processes, terminal_name
from refloat.machine.table import running_programs, split_argv
from refloat.model.liveness import Holder, ProcessInfo, Verdict
from refloat.model.stamp import seconds_of
from refloat.testing.fakes import fake_machine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def info(pid: int) -> ProcessInfo:
    found = LinuxProcesses().get(pid)
    assert found is not None
    return found


def field_22(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def test_a_process_as_it_is(claude: Starter, tmp_path: Path) -> None:
    child = claude(cwd=tmp_path)
    until(lambda: info(child.pid).argv[1:2] == ("3600",), "the program")
    seen = info(child.pid)
    assert seen.argv == (str(tmp_path / "bin" / "claude"), "3600")
    assert seen.cwd == str(tmp_path)
    assert seen.ppid == os.getpid()
    assert seen.start_token == field_22(child.pid)
    assert seen.uid == os.getuid()
    assert (seen.zombie, seen.stopped, seen.inspectable) == (False, False, True)
    boot = LinuxProcesses().boot_time()
    assert boot is not None
    assert seconds_of(boot) <= seen.started <= Path(tmp_path / "bin").stat().st_mtime + 60
    assert child.pid in {row.pid for row in LinuxProcesses().all()}


def test_a_start_that_other_tools_agree_with(claude: Starter) -> None:
    import psutil

    child = claude()
    assert abs(info(child.pid).started - psutil.Process(child.pid).create_time()) < 2


def test_a_suspended_process(claude: Starter) -> None:
    child = claude()
    child.send_signal(signal.SIGSTOP)
    until(lambda: info(child.pid).stopped, "the suspension")
    child.send_signal(signal.SIGCONT)
    until(lambda: not info(child.pid).stopped, "the resumption")


def test_a_zombie_and_then_nothing(claude: Starter) -> None:
    child = claude()
    token = field_22(child.pid)
    child.kill()
    until(lambda: info(child.pid).zombie, "the zombie")
    seen = info(child.pid)
    assert seen.start_token == token
    assert (seen.argv, seen.cwd, seen.inspectable) == ((), None, True)
    child.wait()
    assert LinuxProcesses().get(child.pid) is None


def test_a_process_without_a_terminal_and_one_with(claude: Starter) -> None:
    assert info(claude(start_new_session=True).pid).terminal is None
    master, slave = pty.openpty()
    takes = "import fcntl, os, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.read(0, 1)"
    child = subprocess.Popen([sys.executable, "-c", takes], stdin=slave)
    try:
        until(lambda: info(child.pid).terminal == os.ttyname(slave).removeprefix("/dev/"), "the terminal")
    finally:
        child.kill()
        child.wait()
        os.close(master)
        os.close(slave)


def test_somebody_elses_process_is_not_inspectable() -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    first = info(1)
    assert first.argv
    assert (first.cwd, first.inspectable) == (None, False)
    assert LinuxProcesses().open_files(1) is None
    assert LinuxProcesses().environment(1) is None


def test_the_user_of_one_that_lets_nobody_look_into_it() -> None:
    """PR_SET_DUMPABLE is 4 (prctl(2)); the kernel gives its directory to root then."""
    user = 65534 if os.geteuid() == 0 else os.getuid()
    code = (
        "import ctypes, os, sys; user = int(sys.argv[1]); user == os.getuid() or os.setresuid(user, user, user);"
        "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(flush=True); sys.stdin.read()"
    )
    program = [sys.executable, "-c", code, str(user)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"\n"
        assert Path(f"/proc/{child.pid}").stat().st_uid in {0, user}  # some sandboxes' kernels leave it to the user
        assert info(child.pid).uid == user


@pytest.mark.skipif(os.geteuid() != 0, reason="the directory must be root's")
def test_the_user_of_one_whose_directory_is_roots(tmp_path: Path) -> None:
    place = tmp_path / "77"
    place.mkdir()
    (place / "stat").write_text(f"77 (codex) S {' '.join('1' for _ in range(40))}")
    (place / "status").write_text("Name:\tcodex\nUid:\t1000\t1000\t1000\t1000\nGid:\t0\t0\t0\t0\n")
    (place / "cmdline").write_bytes(b"codex\0")
    found = LinuxProcesses(tmp_path).get(77)
    assert found is not None
    assert (found.uid, found.group, found.session) == (1000, 1, 1)
    (place / "cmdline").write_bytes(b"")
    kernels = LinuxProcesses(tmp_path).get(77)
    assert kernels is not None
    assert kernels.uid == 0


@pytest.mark.parametrize("name", ["a) S 1 (b", "sp ace", "new\nline"])
def test_names_that_try_to_be_fields(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    shutil.copy2(shutil.which("sleep") or "/bin/sleep", program)
    child = subprocess.Popen([str(program), "3600"])
    try:
        until(lambda: info(child.pid).argv[1:] == ("3600",), "the program")
        assert info(child.pid).name == name
        assert info(child.pid).ppid == os.getpid()
        assert info(child.pid).start_token == field_22(child.pid)
    finally:
        child.kill()
        child.wait()


def test_files_held_open_even_when_deleted(tmp_path: Path, claude: Starter) -> None:
    held, gone = tmp_path / "held", tmp_path / "gone"
    with held.open("w") as first, gone.open("w") as second:
        child = claude(pass_fds=(first.fileno(), second.fileno()))
    gone.unlink()
    assert {str(held), str(gone)} <= (LinuxProcesses().open_files(child.pid) or frozenset())
    assert LinuxProcesses().open_files(2**22 + 1) is None


def test_an_environment(claude: Starter) -> None:
    child = claude(env={"AGENT_SESSION": "one=two", "EMPTY": ""})
    until(lambda: info(child.pid).argv[1:2] == ("3600",), "the program")
    assert LinuxProcesses().environment(child.pid) == {"AGENT_SESSION": "one=two", "EMPTY": ""}
    assert LinuxProcesses().environment(2**22 + 1) is None


def test_locks_are_seen_without_being_tried(tmp_path: Path) -> None:
    path = tmp_path / "one.lock"
    table = LinuxProcesses()
    assert table.lock_holders(path) == frozenset()
    path.touch()
    assert table.lock_holders(path) == frozenset()
    with path.open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert table.lock_holders(path) == frozenset({os.getpid()})
        assert table.lock_holders(tmp_path) == frozenset()
    assert table.lock_holders(path) == frozenset()


def test_a_lock_is_borne_by_whoever_got_its_descriptor(tmp_path: Path) -> None:
    """The one that took it is gone, and the table still names it."""
    path = tmp_path / "one.lock"
    path.touch()
    take = (
        "import fcntl, os, subprocess, sys; handle = open(sys.argv[1]); fcntl.flock(handle, fcntl.LOCK_EX); "
        "child = subprocess.Popen(['sleep', '3600'], pass_fds=[handle.fileno()], stdout=-3, stderr=-3); "
        "print(os.getpid(), child.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", take, str(path)], capture_output=True, check=True, text=True)
    taker, heir = map(int, done.stdout.split())
    table = LinuxProcesses()
    try:
        with path.open():
            assert table.lock_holders(path) == {taker}
            assert table.lock_bearers(path) == {heir}
            assert table.lock_bearers(tmp_path / "other.lock") == frozenset()
    finally:
        os.kill(heir, signal.SIGKILL)
    until(lambda: not table.lock_bearers(path), "the lock to be free")


def test_a_table_of_locks() -> None:
    table = (
        "1: FLOCK  ADVISORY  WRITE 10 08:01:55 0 EOF\n"
        "1: -> FLOCK  ADVISORY  WRITE 11 08:01:55 0 EOF\n"
        "2: POSIX  ADVISORY  WRITE 0 00:1f:55 0 EOF\n"
        "3: OFDLCK ADVISORY  READ -1 00:1f:56 0 EOF\n"
        "4: LEASE  ACTIVE    READ 12 08:01:55\n"
        "5: FLOCK  ADVISORY  WRITE 13 08:02:55 0 EOF\n"
        "6: FLOCK  garbage\n"
        "7: FLOCK  ADVISORY  WRITE x zz:zz:55 0 EOF\n"
    )
    assert read_locks(table, frozenset({(8, 1)}), 55) == {10}
    assert read_locks(table, frozenset({(0, 31)}), 55) == {0}
    assert read_locks(table, frozenset({(0, 31)}), 56) == {0}
    assert read_locks(table, frozenset({(8, 2), (8, 1)}), 55) == {10, 13}
    assert read_locks("", frozenset({(8, 1)}), 55) == frozenset()


@pytest.mark.parametrize(
    ("mount", "namespace", "sees"),
    [
        (Mount("/", "ext4", "8:1"), "pid:[4026531836]", True),
        (Mount("/home", "nfs4", "0:50"), "pid:[4026531836]", False),
        (Mount("/home", "fuse.sshfs", "0:50"), "pid:[4026531836]", False),
        (Mount("/", "overlay", "0:60"), "pid:[4026532100]", True),
        (Mount("/tmp", "tmpfs", "0:61"), "pid:[4026532100]", True),
        (Mount("/home/me", "ext4", "8:1"), "pid:[4026532100]", False),
    ],
)
def test_when_an_absent_line_proves_something(mount: Mount, namespace: str, sees: bool, tmp_path: Path) -> None:
    """A container does not see the locks of its host in the table: what it shares with it cannot be told."""
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to(namespace)
    assert LinuxProcesses(tmp_path)._sees_every_lock(mount) is sees


def test_a_lock_in_another_process_namespace_is_told_as_unseen(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    lock = tmp_path / "one.lock"
    lock.touch()
    found = lock.stat()
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    (tmp_path / "locks").write_text(f"1: FLOCK  ADVISORY  WRITE 0 {place} 0 EOF\n")
    assert LinuxProcesses(tmp_path).lock_holders(lock) == {0}
    (tmp_path / "locks").unlink()
    assert LinuxProcesses(tmp_path).lock_holders(lock) is None


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (0, None),
        (34816, "pts/0"),
        (34816 + 44, "pts/44"),
        (0x8900, "pts/256"),
        (1025, "tty1"),
        (1089, "ttyS1"),
        (1281, "tty 5:1"),
    ],
)
def test_terminals(number: int, name: str | None) -> None:
    assert terminal_name(number) == name


def test_the_domain_names_machine_and_namespace() -> None:
    domain = LinuxProcesses().this_domain()
    machine = Path("/etc/machine-id")
    expected = machine.read_text().strip() if machine.exists() else ""
    assert domain == f"linux:{expected}:{Path('/proc/self/ns/pid').readlink()}"


def test_the_cheap_table_agrees_with_the_dear_one(claude: Starter, tmp_path: Path) -> None:
    child = claude("1", "0.5", cwd=tmp_path)
    until(lambda: info(child.pid).argv[1:2] == ("3600",), "the program")
    rows = {row[0]: row for row in running_programs(frozenset({"claude"}))}
    assert rows[child.pid] == (child.pid, "claude", info(child.pid).argv)
    assert all(name == "claude" for _, name, _ in rows.values())
    assert running_programs(frozenset({"no such program"})) == []


def test_the_cheap_table_loads_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from refloat.machine.table import running_programs; running_programs();"
        "print(sorted({'psutil','subprocess','dataclasses','typing','re'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        check=True,
    )
    assert answer.stdout.strip() == b"[]"


def test_words_of_a_command_line() -> None:
    assert split_argv(b"") == ()
    assert split_argv(b"a\0\0b c\0") == ("a", "", "b c")
    assert split_argv(b"renamed itself") == ("renamed itself",)


def test_a_program_of_our_own_under_another_name(tmp_path: Path) -> None:
    launcher = SystemLauncher(dict(os.environ))
    pid = launcher.start(["claude", "3600"], tmp_path, executable="sleep")
    assert pid is not None
    try:
        until(lambda: info(pid).argv != (), "its words")
        seen = info(pid)
        assert (seen.name, seen.argv, seen.cwd, seen.terminal) == ("claude", ("claude", "3600"), str(tmp_path), None)
        launcher.end(os.getpid())
    finally:
        launcher.end(pid)
    assert LinuxProcesses().get(pid) is None
    assert launcher.start(["claude"], tmp_path, executable="no such program") is None
    assert launcher.start(["claude"], tmp_path / "nowhere", executable="sleep") is None


def test_a_program_that_reads_its_input_does_not_outlive_a_killed_refloat(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path; from refloat.machine.launcher import SystemLauncher;"
        "print(SystemLauncher(dict(os.environ)).start(['codex'], Path(sys.argv[1]), executable='cat'), flush=True);"
        "time.sleep(3600)"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        until(lambda: info(pid).argv != (), "its words")
        parent.kill()
    until(lambda: (row := LinuxProcesses().get(pid)) is None or row.zombie, "its end")


class Registered:
    """A reader whose register names one process."""

    agent = "claude-code"

    def __init__(self, holder: Holder) -> None:
        self.holder = holder

    def find_holders(self, *_: object) -> list[Holder]:
        return [self.holder]

    def walks(self, *_: object) -> list[object]:
        return []

    def is_agent(self, process: ProcessInfo) -> bool:
        return process.name == "claude"

    def session_on_command_line(self, process: ProcessInfo) -> None:
        return None

    def child_variables(self) -> tuple[str, ...]:
        return ()

    def marks_children(self, version: str) -> bool:
        del version
        return True

    def explains_silence(self, *_: object) -> bool:
        return True


def test_a_real_owner_lives_becomes_a_zombie_and_is_gone(claude: Starter, tmp_path: Path) -> None:
    """The whole way, as after a closed window: without a terminal, then ended with its register left behind."""
    child = claude(start_new_session=True)
    until(lambda: info(child.pid).argv[1:2] == ("3600",), "the program")
    register = tmp_path / f"{child.pid}.json"
    holder = Holder("claude-code", "one", "register", str(register), child.pid, field_22(child.pid))
    machine = fake_machine(tmp_path, processes=LinuxProcesses())

    def verdict() -> tuple[Verdict, list[str], str]:
        seen = look(machine, [Registered(holder)])  # pyright: ignore[reportArgumentType] - the part of a reader that counts
        judged = judge_liveness(seen.facts_for(Subject("claude-code", "one")))
        return judged.verdict, [e.kind for e in judged.evidence], "\n".join(e.detail for e in judged.evidence)

    running, kinds, words = verdict()
    assert running is Verdict.RUNNING
    assert kinds == ["register", "hint"]
    assert "without a terminal" in words
    child.kill()
    until(lambda: info(child.pid).zombie, "the zombie")
    assert verdict()[:2] == (Verdict.GONE, ["zombie", "no_process"])
    child.wait()
    assert verdict()[:2] == (Verdict.GONE, ["register", "no_process"])


def test_the_ports_that_a_process_listens_on() -> None:
    with socket.socket() as waiting, socket.socket() as idle:
        waiting.bind(("127.0.0.1", 0))
        waiting.listen()
        idle.bind(("127.0.0.1", 0))
        found = system_processes().listening_ports({os.getpid(), 999_999_999})
        assert waiting.getsockname()[1] in found
        assert idle.getsockname()[1] not in found
