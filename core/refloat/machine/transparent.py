"""Runs a command as it would run anyway, and keeps what it prints.

Decides how: where both input and output are a terminal the command gets a terminal of its own (`own_terminal`); else it
stays in the caller's session and process group, reads the caller's input itself, and each of its two outputs is a pipe,
or an output-only terminal where the caller's is one, so that it prints what it would have printed. Signals meant for
this process go on to the command; those of the terminal reach it by themselves. Refuses to interpret anything.
"""

import fcntl
import os
import signal
import termios
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from select import select
from typing import Final

from refloat.errors import NoThreads
from refloat.machine.here import runner_of
from refloat.machine.relay import Keep, Source, hand_on
from refloat.machine.signals import Signals
from refloat.model.saving import Ended, Runner

Started = Callable[[Runner], None]
_PIPE_BYTES: Final = 1 << 20
_NOT_FOUND: Final = 127
_NOT_STARTED: Final = 126


def _tell_nobody(command: Runner) -> None:
    del command


def run_transparently(argv: Sequence[str], keep: Keep, started: Started = _tell_nobody) -> Ended:
    """Run a command to its end; `keep` gets every byte that it prints, in the order of arrival.

    `started` gets the command's process as soon as there is one: it may outlive this one.
    """
    try:
        if is_terminal(0) and is_terminal(1):
            from refloat.machine.own_terminal import run_in_terminal

            return run_in_terminal(argv, keep, started)
        with Signals() as signals:
            return _run_beside(argv, keep, started, signals)
    except NoThreads as refused:
        return Ended(_NOT_STARTED, None, str(refused))


def fork() -> int:
    """`os.fork`.

    Raises:
        NoThreads: no process can be had.

    """
    try:
        return os.fork()
    except OSError as fault:
        raise NoThreads("this") from fault


def is_terminal(fd: int) -> bool:
    """Whether a descriptor is open and a terminal."""
    try:
        return os.isatty(fd)
    except OSError:
        return False


def ended_by(status: int) -> Ended:
    """What a wait status says."""
    if os.WIFSIGNALED(status):
        return Ended(128 + os.WTERMSIG(status), os.WTERMSIG(status))
    return Ended(os.WEXITSTATUS(status))


def execute(argv: Sequence[str], failure: int, mask: object, *, search: bool = True) -> None:
    """Become the command, in a child. Python's own settings of signals go; never returns.

    `search`: along the PATH as it is, as a shell would for a command that a person typed; without, `argv[0]` is the
    program itself.
    """
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # pyright: ignore[reportArgumentType] - as it was given
        (os.execvp if search else os.execv)(argv[0], list(argv))
    except OSError as error:
        os.write(failure, f"{error.errno or 0} {error.strerror}".encode())
    finally:
        os._exit(_NOT_FOUND)


def read_failure(failure: int) -> Ended | None:
    """Wait until the command has become itself; what it said where it could not."""
    with open(failure, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    if not said:
        return None
    number, _, why = said.partition(" ")
    return Ended(_NOT_FOUND if number == "2" else _NOT_STARTED, None, why)


def copy_size(terminal: int, to: int) -> None:
    """Give one terminal the size of another."""
    with suppress(OSError):
        fcntl.ioctl(to, termios.TIOCSWINSZ, fcntl.ioctl(terminal, termios.TIOCGWINSZ, b"\0" * 8))


def _outputs() -> tuple[list[Source], dict[int, int], list[int]]:
    """Sources for what the command writes; which descriptor it gets for 1 and 2; terminals to keep in size."""
    sources: list[Source] = []
    given: dict[int, int] = {}
    sized: list[int] = []
    for fd in (1, 2):
        if fd == 2 and 1 in given and _same(1, 2):
            given[2] = given[1]  # one stream for the caller is one for the command: its order stays
        elif is_terminal(fd):
            ours, theirs = os.openpty()
            _print_only(theirs)
            copy_size(fd, theirs)
            sources.append(Source(ours, fd))
            given[fd] = theirs
            sized.append(ours)
        else:
            ours, theirs = os.pipe()
            with suppress(OSError, AttributeError):
                fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)  # pyright: ignore[reportAttributeAccessIssue] - Linux
            sources.append(Source(ours, fd))
            given[fd] = theirs
    return sources, given, sized


def _same(one: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False


def _print_only(terminal: int) -> None:
    """What goes through it is changed once, by the caller's own terminal."""
    mode = termios.tcgetattr(terminal)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, mode)


def _run_beside(argv: Sequence[str], keep: Keep, started: Started, signals: Signals) -> Ended:
    sources, given, sized = _outputs()
    failed, failure = os.pipe()
    child = fork()
    if not child:
        for fd, theirs in given.items():
            os.dup2(theirs, fd)
        execute(argv, failure, signals.before)
    started(runner_of(child))
    for fd in {*given.values(), failure}:
        os.close(fd)
    not_started = read_failure(failed)
    signals.start()
    ended: Ended | None = None
    while True:
        left = [source for source in sources if source.open]
        ready = select([*left, signals.fd], [], [], None if ended is None else 0)[0]
        for source in left:
            if source in ready:
                source.pass_on(keep)
        if signals.fd in ready:
            ended = answer_signals(signals, child, sized) or ended
        if ended is not None and not any(source in ready for source in left):
            break
    if not_started is not None:
        ended = not_started
    return ended._replace(hand_on=partial(hand_on, left))


def answer_signals(signals: Signals, child: int, sized: Sequence[int]) -> Ended | None:
    """Do what the signals that came ask for; how the command ended, once it has."""
    ended: Ended | None = None
    for told in signals.read():
        if told.number == signal.SIGCHLD:
            ended = _look(child) or ended
        elif told.number == signal.SIGWINCH:
            for terminal in sized:
                copy_size(2 if is_terminal(2) else 1, terminal)
        if told.number != signal.SIGCHLD and ended is None and (not told.by_terminal or _alone(told.number)):
            with suppress(ProcessLookupError):
                os.kill(child, told.number)
    return ended


def _alone(number: int) -> bool:
    """Whether the kernel tells this process alone: a terminal that is gone is told to its session's leader (tty(4))."""
    return number == signal.SIGHUP and os.getsid(0) == os.getpid()


def _look(child: int) -> Ended | None:
    """Whether the command ended; where it was stopped, this process stops with it and lets it go on afterwards."""
    while True:
        try:
            pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:
            return None
        if not pid:
            return None
        if not os.WIFSTOPPED(status):
            return ended_by(status)
        os.kill(os.getpid(), signal.SIGSTOP)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)
