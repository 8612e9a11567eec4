"""Starts other programs for a person. Decides only how: no shell, no standard input, a time limit, the whole group."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from refloat.machine.programs import absolute_parts, find_program
from refloat.ports import GitAnswer

if TYPE_CHECKING:
    from subprocess import Popen

_NOT_STARTED: Final = 127
_COMPLAINTS: Final = 256 * 1024
"""Bytes kept of what a program says beside its answer."""
_LOOK: Final = 0.5
"""Seconds between two looks at how much a program has said."""


def run_program(
    argv: Sequence[str],
    environment: Mapping[str, str],
    seconds: float,
    *,
    cwd: Path | None = None,
    stdin: bytes | None = None,
    longest: int | None = None,
) -> GitAnswer:
    """Run a program, `argv[0]` its full path, in an environment that is given whole, and wait at most so long.

    After `seconds` it is killed (code -9, `timed_out`), and so is one that has said more than `longest` bytes, of which
    one more is given back. With its end its children end, however it ended. A program that cannot be started answers
    127 with the system's words. Input and output go through files without a name: a thread that waits here is woken
    once, not for each block that another one, busy in Python, keeps from it.
    """
    with _nameless() as out, _nameless() as err, nullcontext() if stdin is None else _nameless(stdin) as given:
        streams = (None if given is None else given.fileno(), out.fileno(), err.fileno())
        try:
            if cwd is None and _has_descriptors():
                code = _spawn(argv, environment, streams, seconds, longest)
            else:
                code = _popen(argv, environment, streams, seconds, cwd)
        except OSError as refused:
            return GitAnswer(_NOT_STARTED, b"", str(refused))
        out.seek(0)
        err.seek(0)
        words = err.read(_COMPLAINTS).decode("utf-8", "replace")
        said = out.read() if longest is None else out.read(longest + 1)
        late = code is None and (longest is None or len(said) <= longest)
        return GitAnswer(-9 if code is None else code, said, words, timed_out=late)


@cache
def _has_descriptors() -> bool:
    """Whether the system has descriptors of processes (pidfd_open(2), Linux 5.3); a sandbox may forbid them."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


_Streams = tuple[int | None, int, int]
"""Descriptors of input (None: nothing), output and errors."""


def _spawn(
    argv: Sequence[str], environment: Mapping[str, str], streams: _Streams, seconds: float, longest: int | None
) -> int | None:
    """The exit code, or None where it had to be killed. `subprocess` takes three times as long to start a program, and
    sleeps between two looks for its end; a descriptor of the process wakes at once.
    """
    import select
    import signal

    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    given, out, err = streams
    actions = [nothing if given is None else (os.POSIX_SPAWN_DUP2, given, 0)]
    actions += [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)]
    # What Python ignores for itself, as `subprocess` gives it back.
    usual = (signal.SIGPIPE, signal.SIGXFSZ)
    pid = os.posix_spawn(argv[0], tuple(argv), environment, file_actions=actions, setsid=True, setsigdef=usual)
    ended = False
    try:
        descriptor = os.pidfd_open(pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            until = time.monotonic() + seconds
            while not ended and (left := until - time.monotonic()) > 0:
                ended = bool(poll.poll(min(left, _LOOK) * 1000))
                if not ended and longest is not None and os.fstat(out).st_size > longest:
                    break
        finally:
            os.close(descriptor)
    finally:
        _end_group(pid)  # also what a program left running behind it
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) if ended else None


def _popen(
    argv: Sequence[str], environment: Mapping[str, str], streams: _Streams, seconds: float, cwd: Path | None
) -> int | None:
    """The same in a directory of its own, and on other systems."""
    import subprocess

    given, out, err = streams
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL if given is None else given,
        stdout=out,
        stderr=err,
        start_new_session=True,
    )
    with child:
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_group(child.pid)


def _end_group(pid: int) -> None:
    import signal

    with suppress(ProcessLookupError, PermissionError):  # none is left, or none but the dead
        os.killpg(pid, signal.SIGKILL)


def _nameless(content: bytes = b"") -> "IO[bytes]":
    """A file that nobody else can open and that is gone when it is closed, with a content."""
    if sys.platform == "linux":
        file: IO[bytes] = open(os.memfd_create("refloat", os.MFD_CLOEXEC), "w+b")  # noqa: PTH123, SIM115 - the caller's
    else:
        from tempfile import TemporaryFile

        file = TemporaryFile()  # noqa: SIM115 - as above
    if content:
        file.write(content)
        file.seek(0)
    return file


def _quiet(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Variables with which a read-only question asks nobody for a password, opens no pager and starts no helper.

    git-config(1): `GIT_SSH_COMMAND`, `GIT_ASKPASS` and `GIT_PROXY_COMMAND` win over `core.sshCommand`, `core.askPass`
    and `core.gitProxy` of the checkout that it runs in. A person's own `GIT_SSH_COMMAND` stays.
    """
    own = environment.get("GIT_SSH_COMMAND") or environment.get("GIT_SSH")
    ssh = {} if own else {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=15"}
    return {
        **ssh,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_PROXY_COMMAND": "",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_OPTIONAL_LOCKS": "0",
        **dict.fromkeys(("GIT_PAGER", "PAGER", "GH_PAGER", "GLAB_PAGER", "SYSTEMD_PAGER", "MANPAGER"), "cat"),
        "AWS_PAGER": "",
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "NO_PROMPT": "1",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "TF_INPUT": "0",
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "NO_COLOR": "1",
    }


class SystemLauncher:
    """Programs of this machine, in the person's own environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._started: dict[int, Popen[bytes]] = {}

    def which(self, program: str) -> str | None:
        """The full path of a program, or None."""
        return find_program(program, self._environment)

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """Run a program without input or prompts.

        After `seconds` it and its children are killed (code -9, `timed_out`). A program that cannot be started answers
        127 with the system's words.
        """
        program = self.which(argv[0])
        if program is None:
            return GitAnswer(127, b"", f"{argv[0]}: no such program on the path")
        # What it starts in turn is not looked for in `cwd` either.
        given = {
            **self._environment,
            "PATH": absolute_parts(self._environment) or os.defpath,
            **_quiet(self._environment),
        }
        return run_program([program, *argv[1:]], given, seconds, cwd=cwd)

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int | None:
        """Start a program of our own in the background under the name `argv[0]`; its process number, or None.

        It has no terminal and no output; its input is a pipe that closes with this process, however that ends: a
        program that reads it (`cat`) cannot outlive a killed Refloat. It is started through a link of that name,
        gone again when this returns, so that the process table shows it under the name.
        """
        import subprocess
        from tempfile import TemporaryDirectory

        program = self.which(executable)
        if program is None:
            return None
        with TemporaryDirectory(prefix="refloat-") as place:
            link = Path(place) / Path(argv[0]).name
            link.symlink_to(program)
            try:
                child = subprocess.Popen(
                    list(argv),
                    executable=link,
                    cwd=cwd,
                    env=dict(self._environment),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                return None
        self._started[child.pid] = child
        return child.pid

    def end(self, pid: int) -> None:
        """End a program that `start` started, and wait for its end; of other process numbers it keeps off."""
        child = self._started.pop(pid, None)
        if child is not None:
            child.kill()
            if child.stdin is not None:
                child.stdin.close()
            child.wait()
