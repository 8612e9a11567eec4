"""A command run through Refloat behaves as it does without: streams, codes, signals, terminals."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from shlex import join

import pytest

PROGRAM = """
import sys
from refloat.machine.transparent import run_transparently
kept = open(sys.argv[1], "wb", buffering=0)
ended = run_transparently(sys.argv[2:], kept.write)
open(sys.argv[1] + ".how", "w").write(f"{ended.code} {ended.by_signal} {ended.failed}")
ended.hand_on()
raise SystemExit(ended.code)
"""
PATIENCE = 60


def words(kept: Path, *argv: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, str(kept), *argv]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    return tmp_path / "kept"


def run(kept: Path, *argv: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words(kept, *argv), input=given, capture_output=True, check=False, timeout=PATIENCE)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


# ── without a terminal ───────────────────────────────────────────────────────────────────────────────────────────────


def test_both_streams_and_the_code_pass_and_all_is_kept(kept: Path) -> None:
    done = run(kept, "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 7)
    assert sorted(kept.read_bytes().splitlines()) == [b"err", b"out"]


def test_input_passes(kept: Path) -> None:
    assert run(kept, "tr", "a-z", "A-Z", given=b"hello").stdout == b"HELLO"


def test_bytes_pass_as_they_are_however_many(kept: Path) -> None:
    code = "import os,sys\nfor n in range(300): sys.stdout.buffer.write(bytes(range(256)) * 64)"
    done = run(kept, sys.executable, "-c", code)
    assert done.stdout == bytes(range(256)) * 64 * 300 == kept.read_bytes()


def test_what_cannot_be_found_and_what_cannot_be_run(kept: Path, tmp_path: Path) -> None:
    assert run(kept, str(tmp_path / "none")).returncode == 127
    assert Path(f"{kept}.how").read_text() == "127 None No such file or directory"
    (tmp_path / "text").write_text("no program")
    assert run(kept, str(tmp_path / "text")).returncode == 126


NO_THREADS = """
import threading
def refuse(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
"""
NO_PROCESSES = """
import os
def refuse():
    raise BlockingIOError(11, "Resource temporarily unavailable")
os.fork = refuse
"""


def test_where_no_thread_can_be_had_signals_are_heard_all_the_same(kept: Path) -> None:
    loop = "trap 'echo heard; exit 3' TERM; echo begun; while :; do sleep 0.02; done"
    argv = [sys.executable, "-c", NO_THREADS + PROGRAM, str(kept), "sh", "-c", loop]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as beside:
        until(lambda: kept.exists() and b"begun" in kept.read_bytes())
        beside.terminate()
        out, err = beside.communicate(timeout=PATIENCE)
    assert (out, err, beside.returncode) == (b"begun\nheard\n", b"", 3)


def test_where_no_process_can_be_had_the_command_is_one_that_cannot_be_started(kept: Path) -> None:
    argv = [sys.executable, "-c", NO_PROCESSES + PROGRAM, str(kept), "true"]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (126, b"")
    assert "no" in Path(f"{kept}.how").read_text().split("None ", 1)[1]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_that_ends_the_command_is_the_code(kept: Path, number: int) -> None:
    assert run(kept, "sh", "-c", f"kill -{int(number)} $$").returncode == 128 + number
    assert Path(f"{kept}.how").read_text() == f"{128 + number} {int(number)} None"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_that_is_sent_here_reaches_the_command_once(kept: Path, number: int) -> None:
    script = f"trap 'echo got' {int(number)}; echo ready; n=0; while [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done"
    script += "; exit 3"
    script = script.replace("while [ $n -lt 600 ]", 'while [ ! -e "$0" ] && [ $n -lt 1200 ]')
    flag = kept.with_name("flag")
    with subprocess.Popen(words(kept, "sh", "-c", script, str(flag)), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == b"got\n"
        flag.write_text("")
        assert process.stdout.read() == b""
    assert process.returncode == 3


def test_a_reader_that_goes_away_ends_the_command_as_it_would(kept: Path) -> None:
    with subprocess.Popen(words(kept, "yes"), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.wait(PATIENCE) == 128 + signal.SIGPIPE


def test_a_background_child_keeps_nobody_waiting_and_its_words_still_pass(kept: Path, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    script = (
        f'(n=0; while [ ! -e "{flag}" ] && [ $n -lt 1200 ]; do sleep 0.05; n=$((n+1)); done; echo late) & echo early'
    )
    with subprocess.Popen(words(kept, "sh", "-c", script), stdout=subprocess.PIPE) as process:
        assert process.wait(PATIENCE) == 0
        flag.write_text("")
        assert process.stdout is not None
        assert process.stdout.read() == b"early\nlate\n"
    assert kept.read_bytes() == b"early\n"


def test_one_stream_for_both_keeps_its_order(kept: Path) -> None:
    script = "for n in 1 2 3 4 5 6 7 8 9; do echo o$n; echo e$n >&2; done"
    done = subprocess.run(
        words(kept, "sh", "-c", script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, timeout=PATIENCE
    )
    assert done.stdout == b"".join(b"o%d\ne%d\n" % (n, n) for n in range(1, 10))


def test_an_ignored_signal_stays_ignored_and_python_s_own_do_not_stay(kept: Path) -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, end=' ')"
    shell = 'trap "" HUP; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *words(kept, sys.executable, "-c", code)], capture_output=True, check=True
    )
    assert done.stdout == b"True "
    status = run(kept, "sh", "-c", "grep -i '^Sig\\(Ign\\|Blk\\)' /proc/self/status").stdout
    masks = [int(mask, 16) for mask in re.findall(rb"Sig\w+:\s*([0-9a-f]+)", status)]
    assert all(not mask & (1 << (signal.SIGPIPE - 1)) for mask in masks)
    assert masks[0] == 0  # nothing is blocked


# ── in a terminal ────────────────────────────────────────────────────────────────────────────────────────────────────


class Terminal:
    """A terminal with a shell's job in it."""

    def __init__(self, argv: Sequence[str], size: tuple[int, int] = (24, 80)) -> None:
        self.pid, self.fd = pty.fork()
        if not self.pid:
            ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.execvp(argv[0], list(argv))  # noqa: S606
        self.seen = b""
        self.code: int | None = None

    def expect(self, pattern: bytes) -> None:
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.seen)):
            assert time.monotonic() < end, (pattern, self.seen)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    pytest.fail(f"it ended before {pattern!r}: {self.seen!r}")
        self.seen = self.seen[found.end() :]

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def talk(self) -> None:
        """Type lines until the command sends one back: a shell may drop keys while it hands the terminal over."""
        for n in range(int(PATIENCE)):
            line = b"line %d" % n
            self.type(line + b"\n")
            end = time.monotonic() + 1
            while time.monotonic() < end:
                if select.select([self.fd], [], [], 0.1)[0]:
                    self.seen += os.read(self.fd, 65536)
                if line + b"\r\n" + line + b"\r\n" in self.seen:
                    self.seen = b""
                    return
        pytest.fail(f"the command does not answer: {self.seen!r}")

    def wait(self) -> int:
        end = time.monotonic() + PATIENCE
        while True:
            if select.select([self.fd], [], [], 0.02)[0]:
                with suppress(OSError):
                    self.seen += os.read(self.fd, 65536)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                return self.code
            assert time.monotonic() < end, self.seen

    def mode(self) -> list[object]:
        return list(termios.tcgetattr(self.fd))

    def close(self) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal() -> Iterator[Callable[[Sequence[str]], Terminal]]:
    opened: list[Terminal] = []

    def make(argv: Sequence[str]) -> Terminal:
        opened.append(Terminal(argv))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


Make = Callable[[Sequence[str]], Terminal]


def test_a_command_in_a_terminal_has_one_and_it_looks_like_the_caller_s(kept: Path, terminal: Make) -> None:
    code = "import os,sys; print([os.isatty(n) for n in range(3)], os.get_terminal_size(), open('/dev/tty').isatty())"
    seen = terminal(words(kept, sys.executable, "-c", code))
    seen.expect(rb"\[True, True, True\] os.terminal_size\(columns=80, lines=24\) True\r\n")
    assert seen.wait() == 0
    assert b"columns=80" in kept.read_bytes()


def test_keys_reach_the_command_and_a_secret_is_not_echoed(kept: Path, terminal: Make) -> None:
    seen = terminal(
        words(kept, "sh", "-c", 'read a; echo "<$a>"; stty -echo; echo now; read b; stty echo; echo "[$b]"')
    )
    seen.type(b"hello\n")
    seen.expect(rb"hello\r\n<hello>\r\n")
    seen.expect(rb"now\r\n")
    seen.type(b"hush\n")
    seen.expect(rb"\[hush\]")
    assert seen.wait() == 0
    assert kept.read_bytes().count(b"hush") == 1


def may_put_keys_back() -> bool:
    """Since Linux 6.2 a kernel may forbid it (TIOCSTI, ioctl_tty(2))."""
    switch = Path("/proc/sys/dev/tty/legacy_tiocsti")
    return not switch.exists() or switch.read_text().strip() == "1"


@pytest.mark.skipif(not may_put_keys_back(), reason="this kernel lets nobody put keys back")
@pytest.mark.parametrize(
    ("keys", "reads", "left"),
    [(b"ahead\n", "", b"ahead"), (b"one\ntwo\n", "read a; ", b"two"), (b"half", "", b"half")],
)
def test_what_is_typed_ahead_is_there_for_the_shell(
    kept: Path, terminal: Make, keys: bytes, reads: str, left: bytes
) -> None:
    go = kept.with_suffix(".go")
    waits = f"echo ready; until [ -e {go} ]; do sleep 0.1; done; {reads}exit 3"
    seen = terminal(["bash", "-c", f'{join(words(kept, "sh", "-c", waits))}; echo back; read line; echo "<$line>"'])
    seen.expect(rb"ready\r\n")
    seen.type(keys)
    seen.expect(left)
    go.touch()
    seen.expect(rb"back\r\n")
    seen.type(b"" if keys.endswith(b"\n") else b"\n")
    seen.expect(b"<" + left + b">\r\n")
    assert seen.wait() == 0


@pytest.mark.skipif(not may_put_keys_back(), reason="this kernel lets nobody put keys back")
def test_keys_that_a_command_made_up_are_not_put_back(kept: Path, terminal: Make) -> None:
    makes_up = "import fcntl, termios; [fcntl.ioctl(0, termios.TIOCSTI, bytes((key,))) for key in b'rm\\n']"
    line = join(words(kept, sys.executable, "-c", makes_up))
    seen = terminal(["bash", "-c", f'{line}; echo back; read line; echo "<$line>"'])
    seen.expect(rb"back\r\n")
    seen.type(b"mine\n")
    seen.expect(rb"<mine>\r\n")
    assert seen.wait() == 0


def test_the_interrupt_key_ends_the_command(kept: Path, terminal: Make) -> None:
    seen = terminal(words(kept, "sh", "-c", "echo ready; exec sleep 60"))
    seen.expect(b"ready")
    seen.type(b"\x03")
    assert seen.wait() == 128 + signal.SIGINT
    assert Path(f"{kept}.how").read_text().startswith("130 2")


def test_a_resized_terminal_resizes_the_command_s(kept: Path, terminal: Make) -> None:
    code = (
        "import os,signal,threading\ngot=threading.Event()\n"
        "signal.signal(signal.SIGWINCH, lambda *_: got.set())\nprint('ready',flush=True)\n"
        "while not got.wait(0.05): pass\nprint(os.get_terminal_size())"
    )
    seen = terminal(words(kept, sys.executable, "-c", code))
    seen.expect(b"ready")
    ioctl(seen.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 132, 0, 0))
    seen.expect(rb"columns=132, lines=50")
    assert seen.wait() == 0


def test_the_terminal_is_as_it_was_afterwards(kept: Path, terminal: Make) -> None:
    script = 'stty -a | head -3 > "$1"; shift; "$@"; echo "rc $?"; stty -a | head -3 > "$0"; read x'
    before, after = kept.with_name("before"), kept.with_name("after")
    seen = terminal(["sh", "-c", script, str(after), str(before), *words(kept, "stty", "raw", "-echo")])
    seen.expect(b"rc 0")
    until(lambda: after.exists() and len(after.read_bytes()) == len(before.read_bytes()))
    assert after.read_bytes() == before.read_bytes()
    seen.type(b"\n")
    assert seen.wait() == 0


def test_the_stop_key_stops_the_job_and_the_shell_continues_it(kept: Path, terminal: Make) -> None:
    seen = terminal(["bash", "--norc", "--noprofile", "-i"])
    seen.type(b"PS1='% '; " + " ".join(f"'{word}'" for word in words(kept, "cat")).encode() + b"\n")
    until(kept.exists)
    seen.type(b"one\n")
    seen.expect(rb"one\r\none\r\n")
    seen.type(b"\x1a")
    seen.expect(rb"Stopped")
    seen.type(b"echo in the $((1+1))nd shell\n")
    seen.expect(rb"in the 2nd shell")
    seen.type(b"fg\n")
    seen.expect(rb"refloat.machine.transparent")  # the shell names the job
    seen.talk()
    seen.type(b"\x04")
    seen.expect(b"% ")
    seen.type(b"echo rc $?; exit\n")
    seen.expect(rb"rc 0")


def test_a_pipe_among_terminals_leaves_the_rest_terminals(kept: Path, terminal: Make) -> None:
    code = "import os,sys; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1).columns)"
    shell = 'echo | "$@"; echo done'
    seen = terminal(["sh", "-c", shell, "sh", *words(kept, sys.executable, "-c", code)])
    seen.expect(rb"\[False, True, True\] 80\r\n")
    seen.expect(b"done")


def test_a_job_in_the_background_takes_no_keys(kept: Path, terminal: Make) -> None:
    seen = terminal(["bash", "--norc", "--noprofile", "-i"])
    flag = kept.with_name("flag")
    inner = f'while [ ! -e "{flag}" ]; do sleep 0.05; done; echo behind'
    line = " ".join(f"'{word}'" for word in words(kept, "sh", "-c", inner))
    seen.type(b"PS1='% '; " + line.encode() + b" &\n")
    until(kept.exists)
    seen.type(b"echo the $((2+1))rd\n")
    seen.expect(rb"the 3rd")
    flag.write_text("")
    seen.expect(rb"behind")
    seen.type(b"wait; exit\n")


def test_a_job_in_a_pipeline_stops_and_goes_on_as_one(kept: Path, terminal: Make) -> None:
    seen = terminal(["bash", "--norc", "--noprofile", "-i"])
    line = " ".join(f"'{word}'" for word in words(kept, "cat"))
    seen.type(b"PS1='% '; " + line.encode() + b" | cat\n")
    until(kept.exists)
    seen.type(b"one\n")
    seen.expect(rb"one\r\none\r\n")
    seen.type(b"\x1a")
    seen.expect(rb"Stopped")
    seen.type(b"echo in the $((1+1))nd shell\n")
    seen.expect(rb"in the 2nd shell")
    seen.type(b"fg\n")
    seen.expect(rb"refloat.machine.transparent")
    seen.talk()
    seen.type(b"\x04")
    seen.expect(b"% ")
    seen.type(b"echo rc ${PIPESTATUS[0]}; exit\n")
    seen.expect(rb"rc 0")
