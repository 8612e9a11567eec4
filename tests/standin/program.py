"""A stand-in for a coding agent: it writes, registers, locks, listens to signals and leaves children as one does.

It runs in a process of its own, with the standard library alone, and does nothing by itself: a test tells it what to
do over a Unix socket, one JSON line at a time, and each is answered when it is done. When the test goes away, so does
it, however either ended. `agent.py` is the test's side.
"""

import fcntl
import json
import os
import select
import signal
import socket
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

NOW: Final = "@NOW@"
"""Stands in a row for the moment at which it is written."""
BEAT: Final = 0.05
"""Seconds between two rows of one who keeps on writing."""


def start_token() -> str:
    """The start of this process as the agent's register has it."""
    if sys.platform == "linux":
        return Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    import subprocess

    asked = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(os.getpid())],
        capture_output=True, check=True, text=True, env={"LC_ALL": "C", "TZ": "UTC", "PATH": os.environ["PATH"]},
    )  # fmt: skip
    return asked.stdout.strip()


def now() -> str:
    """This moment, as agents write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Program:
    """One agent: what it holds, and how it takes each signal."""

    def __init__(self, told: socket.socket, how: Mapping[str, Any]) -> None:
        self.told, self.how = told, how
        self.transcript = Path(how["transcript"])
        self.register = Path(how["sessions"]) / f"{os.getpid()}.json" if how.get("sessions") else None
        self.lock: IO[bytes] | None = None
        self.open: IO[bytes] | None = None
        self.more: list[IO[bytes]] = []
        self.farewell: Sequence[str] = how.get("farewell", ())
        self.leash = os.open(how["leash"], os.O_RDONLY)
        """At its end when the test has gone away: children read it, and so none outlives the test."""
        self.beats: str | None = None
        self.heard: dict[str, int] = {}
        self.buffer = b""

    # ── what an agent keeps ──

    def begin(self) -> None:
        """Take the terminal, register or lock, and listen to signals."""
        if self.how.get("take_terminal"):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.transcript.parent.mkdir(parents=True, exist_ok=True)
        if self.register is not None:
            row = {**self.how["register"], "pid": os.getpid(), "procStart": start_token()}
            if pane := os.environ.get("TMUX_PANE"):
                row["tmux"] = pane_of(pane)
            self.register.parent.mkdir(parents=True, exist_ok=True)
            self.register.write_text(json.dumps({**row, **self.how.get("forged", {})}))
        if self.how.get("lock"):
            self.lock = hold_lock(Path(self.how["lock"]))
        if self.how.get("holds_open"):
            self.open = self.transcript.open("ab")

    def append(self, rows: Sequence[str]) -> None:
        """Each row by itself to the disk, as agents do it."""
        file = self.open or self.transcript.open("ab")
        for row in rows:
            file.write(row.replace(NOW, now()).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if file is not self.open:
            file.close()

    def end(self) -> None:
        """End tidily: the last rows, no register, no lock."""
        self.append(self.farewell)
        if self.register is not None:
            self.register.unlink(missing_ok=True)
        if self.lock is not None:
            Path(self.how["lock"]).unlink(missing_ok=True)
        os._exit(0)

    # ── signals ──

    def wake(self, number: int, frame: object) -> None:
        """Nothing: the number comes by the wakeup descriptor. A handler, unlike SIG_IGN, is not left to children."""

    def hear(self, number: int) -> None:
        """Do what this agent does on a signal, and tell the test."""
        if number == signal.SIGCHLD:
            if self.how.get("reaps", True):
                reap()
            return
        name = signal.Signals(number).name
        self.heard[name] = self.heard.get(name, 0) + 1
        self.tell({"heard": name})
        match self.how["signals"].get(name, "die"):
            case "ignore":
                pass
            case "append":
                self.beats = self.how["beat"]
            case "breed":
                self.child({})
            case "end":
                self.end()
            case "end_second" if self.heard[name] > 1:
                self.end()
            case "end_second":
                pass
            case _:
                signal.signal(number, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
                os.kill(os.getpid(), number)

    # ── children ──

    def child(self, ask: Mapping[str, Any]) -> int:
        """Leave a child that lives until it is killed or the test is over; its process number."""
        arguments = ["cat"]
        environment = dict(os.environ)
        if ask.get("marked", True):
            environment[self.how["variable"]] = self.how["session"]
        if ask.get("writes"):
            arguments = [sys.executable, "-c", WRITER, str(self.transcript), self.how["beat"]]
        back, into = os.pipe()
        first = os.fork()
        if first == 0:
            second = os.fork() if ask.get("orphan") else 0
            if second:
                os._exit(0)
            match ask.get("own"):
                case "session":
                    os.setsid()
                case "group":
                    os.setpgid(0, 0)
                case _:
                    pass
            if ask.get("user") is not None:
                os.setgid(ask["user"])
                os.setuid(ask["user"])
            for name in ask.get("ignores", ()):
                signal.signal(signal.Signals[name], signal.SIG_IGN)
            if ask.get("transcript"):  # it keeps the transcript open, as a shell does that inherited it
                os.set_inheritable(os.open(self.transcript, os.O_RDONLY), True)
            if ask.get("lock") and self.lock is not None:
                os.set_inheritable(self.lock.fileno(), True)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream, leads in ((0, self.leash), (1, nothing), (2, nothing)):
                os.dup2(leads, stream, inheritable=True)
            os.write(into, f"{os.getpid()}\n".encode())
            os.execvpe(arguments[0], arguments, environment)  # noqa: S606 - that is how a child begins
        os.close(into)
        with os.fdopen(back, "rb") as answered:
            pid = int(answered.readline())
            answered.read()  # the end: it runs its program now
        if ask.get("orphan"):
            os.waitpid(first, 0)
        return pid

    # ── the test ──

    def tell(self, word: object) -> None:
        """One line to the test."""
        self.told.sendall(json.dumps(word).encode() + b"\n")

    def obey(self, ask: Mapping[str, Any]) -> None:
        """Do one thing that the test asks for, and say that it is done."""
        if "farewell" in ask:
            self.farewell = ask["farewell"]
        answer: object = None
        match ask["do"]:
            case "append":
                self.append(ask["rows"])
            case "child":
                answer = self.child(ask)
            case "hold_open":
                self.open = self.transcript.open("ab")
            case "hold_lock":
                self.more.append(hold_lock(Path(ask["lock"])))
            case "signals":
                self.how["signals"].update(ask["signals"])
            case "status" if self.register is not None:
                self.register.write_text(json.dumps({**json.loads(self.register.read_text()), **ask["status"]}))
            case "end":
                self.end()
            case other:
                raise SystemExit(f"nothing known of {other!r}")
        self.tell({"done": answer})

    def run(self) -> None:
        """Until the test goes away."""
        woken, into = os.pipe()
        os.set_blocking(into, False)
        signal.set_wakeup_fd(into)
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGQUIT", "SIGCONT"):
            signal.signal(signal.Signals[name], self.wake)
        self.begin()
        self.tell({"pid": os.getpid()})
        while True:
            ready, _, _ = select.select([self.told, woken], [], [], BEAT if self.beats else None)
            if not ready and self.beats:
                self.append([self.beats])
            if woken in ready:
                for number in os.read(woken, 64):
                    self.hear(number)
            if self.told in ready:
                came = self.told.recv(1 << 20)
                if not came:
                    os._exit(0)
                *lines, self.buffer = (self.buffer + came).split(b"\n")
                for line in lines:
                    self.obey(json.loads(line))


WRITER: Final = """
import os, select, sys
transcript, row = sys.argv[1:]
while not select.select([0], [], [], 0.02)[0]:
    with open(transcript, "a") as file:
        file.write(row + "\\n")
"""


def hold_lock(path: Path) -> IO[bytes]:
    """Hold a lock on a file of no bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def reap() -> None:
    """Take the ends of children, as the runtimes of agents do."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def pane_of(pane: str) -> str:
    """`<session>:@<window>.%<pane>`, as Claude Code's register has it."""
    import subprocess

    words = ["tmux", "display-message", "-p", "-t", pane, "#{session_name}:#{window_id}.#{pane_id}"]
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()


def main() -> None:
    """Meet the test at the socket that the environment names, and do as it says."""
    told = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    deadline = time.monotonic() + 60
    told.settimeout(60)
    told.connect(os.environ.pop("STANDIN"))
    line = b""
    while not line.endswith(b"\n"):
        piece = told.recv(1 << 20)
        if not piece or time.monotonic() > deadline:
            raise SystemExit("the test went away")
        line += piece
    told.setblocking(True)
    Program(told, json.loads(line)).run()
