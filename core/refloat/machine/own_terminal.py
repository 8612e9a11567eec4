"""Runs a command in a terminal of its own that looks like the caller's: keys, sizes, modes, job control.

Three processes. This one holds the caller's terminal, in raw mode, and carries bytes both ways. A monitor leads the new
session and waits for the command. The command has a process group of its own in that session: with a parent there it
is no orphan, so the stop key stops it, as it would have. When it stops, this process gives the terminal back and stops
too, and the caller's shell sees a stopped job; when that is continued, the command is. What was typed ahead and the
command never read is put back for the caller's shell, where the system lets a process do that (TIOCSTI).
"""

import fcntl
import os
import signal
import termios
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from select import select
from typing import Any, Final

from refloat.machine.here import runner_of
from refloat.machine.relay import Keep, Source, hand_on
from refloat.machine.signals import Signals
from refloat.machine.transparent import Started, copy_size, ended_by, execute, fork, is_terminal, read_failure
from refloat.model.saving import Ended

_MONITOR_LOST: Final = Ended(128 + signal.SIGKILL, signal.SIGKILL)
_KEYS: Final = 1 << 14


def run_in_terminal(argv: Sequence[str], keep: Keep, started: Started) -> Ended:
    """Run a command to its end in a terminal of its own; the caller's input and output are terminals."""
    with Signals() as signals:
        ours, theirs = os.openpty()
        mode = termios.tcgetattr(0)
        termios.tcsetattr(theirs, termios.TCSANOW, mode)
        copy_size(0, theirs)
        errors = None if is_terminal(2) else os.pipe()
        told, telling = os.pipe()
        failed, failure = os.pipe()
        monitor = fork()
        if not monitor:
            os.close(ours)
            _monitor(argv, theirs, errors[1] if errors else theirs, (telling, failure), signals.before)
        for fd in (theirs, telling, failure, *((errors[1],) if errors else ())):
            os.close(fd)
        sources = [Source(ours, 1), *((Source(errors[0], 2),) if errors else ())]
        carrier = _Carrier(mode, sources, told, signals, started)
        try:
            not_started = read_failure(failed)
            signals.start()
            ended = carrier.run(keep)
        finally:
            carrier.give_back()
            os.waitpid(monitor, 0)
            sources[0].close()
            os.close(told)
        return (not_started or ended)._replace(hand_on=partial(hand_on, sources[1:]))


def _monitor(argv: Sequence[str], terminal: int, errors: int, pipes: tuple[int, int], mask: object) -> None:
    """Lead the session, start the command, tell of its stops and its end. Never returns."""
    telling, failure = pipes
    try:
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
        try:
            child = os.fork()
        except OSError as fault:
            os.write(failure, f"0 {fault.strerror}".encode())
            raise
        if not child:
            os.setpgid(0, 0)
            os.tcsetpgrp(terminal, os.getpid())
            for fd, theirs in ((0, terminal), (1, terminal), (2, errors)):
                os.dup2(theirs, fd)
            execute(argv, failure, mask)
        os.write(telling, f"P{child}\n".encode())
        for fd in (failure, 0, 1, 2):
            with suppress(OSError):
                os.close(fd)
        while True:
            _, status = os.waitpid(child, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                os.write(telling, f"K{_unread(terminal).hex()}\n".encode())
            os.write(telling, f"{'S' if os.WIFSTOPPED(status) else 'E'}{status}\n".encode())
            if not os.WIFSTOPPED(status):
                break
    finally:
        os._exit(0)


def _unread(terminal: int) -> bytes:
    """What was typed and the command did not read. Its group has the terminal: this one takes it first."""
    keys = b""
    with suppress(OSError, termios.error):
        os.tcsetpgrp(terminal, os.getpgrp())
        mode = termios.tcgetattr(terminal)
        mode[3] &= ~(termios.ICANON | termios.ECHO)  # half a line counts, too
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 0, 0
        termios.tcsetattr(terminal, termios.TCSANOW, mode)
        while piece := os.read(terminal, 4096):
            keys += piece
    return keys.replace(b"\0", b"")  # an end of input was no key of a word


class _Carrier:
    """This process's part: bytes both ways, signals, the caller's terminal."""

    def __init__(
        self, mode: "list[Any]", sources: Sequence[Source], told: int, signals: Signals, started: Started
    ) -> None:
        self._mode = mode
        self._sources = sources
        self._told = told
        self._signals = signals
        self._started = started
        self._raw = False
        self._group = 0
        self._keys = b""
        self._typed = b""
        """The last keys that the command's terminal got."""
        self._unread = b""
        self._over = b""
        """Of them, what it never read."""
        self._ended = False
        self._listens = True
        os.set_blocking(sources[0].fd, False)

    def run(self, keep: Keep) -> Ended:
        """Carry until the command ended and nothing more of it is there."""
        self._take()
        ended: Ended | None = None
        while True:
            left = [source for source in self._sources if source.open]
            wanted = [*left, self._signals.fd, *([] if ended else [self._told])]
            if self._raw and self._listens and len(self._keys) < _KEYS and ended is None:
                wanted.append(0)
            writes = [self._sources[0]] if self._keys and self._sources[0].open else []
            ready, writable, _ = select(wanted, writes, [], 0 if ended else None)
            for source in left:
                if source in ready:
                    source.pass_on(keep)
            if writable:
                self._type()
            if 0 in ready:
                self._read_keys()
            if self._signals.fd in ready:
                self._answer()
            if self._told in ready:
                ended = self._hear() or ended
            if ended is not None and not any(source in ready for source in left):
                return ended

    def give_back(self) -> None:
        """The caller's terminal as it was."""
        if self._raw:
            self._raw = False
            self._put_back()
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, self._mode)

    def _put_back(self) -> None:
        """Keys for whoever reads this terminal next; still raw, so they are not shown a second time. What the person
        did not type (a command can put keys into its own terminal) stays away.
        """
        over, self._over = self._over, b""
        typed = self._typed.replace(b"\r", b"\n")
        over = over if typed.endswith(over.replace(b"\r", b"\n")) else b""
        with suppress(OSError):  # a kernel may forbid it
            for key in over + (self._keys if self._ended else b""):
                fcntl.ioctl(0, termios.TIOCSTI, bytes((key,)))

    def _take(self) -> None:
        """Raw mode, where this process's group has the terminal; else keys are the shell's business."""
        with suppress(OSError, termios.error):
            if os.tcgetpgrp(0) != os.getpgrp():
                return
            mode = termios.tcgetattr(0)
            mode[0] &= ~(
                termios.IGNBRK
                | termios.BRKINT
                | termios.PARMRK
                | termios.ISTRIP
                | termios.INLCR
                | termios.IGNCR
                | termios.ICRNL
                | termios.IXON
            )
            mode[1] &= ~termios.OPOST
            mode[2] = mode[2] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
            mode[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
            mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
            termios.tcsetattr(0, termios.TCSADRAIN, mode)
            self._raw = True

    def _read_keys(self) -> None:
        try:
            keys = os.read(0, 4096)
        except OSError:
            keys = b""
        self._listens = bool(keys)
        self._keys += keys

    def _type(self) -> None:
        with suppress(BlockingIOError):
            try:
                count = os.write(self._sources[0].fd, self._keys)
                self._typed = (self._typed + self._keys[:count])[-_KEYS:]
                self._keys = self._keys[count:]
            except OSError as error:
                if isinstance(error, BlockingIOError):
                    raise
                self._keys = b""

    def _answer(self) -> None:
        for told in self._signals.read():
            if told.number == signal.SIGWINCH:
                copy_size(0, self._sources[0].fd)
            elif told.number == signal.SIGCONT:
                self._go_on()
            elif told.number != signal.SIGCHLD:
                self._send(told.number)

    def _hear(self) -> Ended | None:
        said = os.read(self._told, 512)
        if not said:
            return _MONITOR_LOST
        *lines, self._unread = (self._unread + said).split(b"\n")
        for line in lines:
            if line[:1] == b"K":
                self._over = bytes.fromhex(line[1:].decode())
                continue
            number = int(line[1:])
            if line[:1] == b"P":
                self._group = number
                self._started(runner_of(number))
            elif line[:1] == b"E":
                self._ended = True
                return ended_by(number)
            else:
                self._stop()
        return None

    def _stop(self) -> None:
        """The command was stopped: give the terminal back and stop with it."""
        self.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        self._take()
        copy_size(0, self._sources[0].fd)
        self._send(signal.SIGCONT)

    def _send(self, number: int) -> None:
        if self._group:
            with suppress(OSError):
                os.killpg(self._group, number)
