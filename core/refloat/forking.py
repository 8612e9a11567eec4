"""Copies of this process, with all that it has loaded.

Decides whether one may be made, and how a copy does one thing beside this process: answer a question with yes or no
(`asked_in_copy`), or come to a value (`Copy`). A copy shares nothing that it changes, and leaves nothing behind.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn, Self

_LENGTH: Final = 8
"""Bytes of the length that goes before a value."""


def may_fork() -> bool:
    """Whether this process can be copied as it is, with everything loaded: a copy has no other threads, and would wait
    for ever for what they hold. Elsewhere than on Linux what a system's library holds may not survive it.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - names alone
    except OSError:
        return False


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has none
        return os.cpu_count() or 1


def asked_in_copy(question: Callable[[], bool]) -> Callable[[], bool]:
    """Have a copy of this process answer a question while this one goes on; what is returned waits for the answer, and
    is to be asked once. Where no copy can be made, or it fails, the question is asked then, and here.
    """
    if not may_fork():
        return question
    try:
        child = os.fork()
    except OSError:
        return question
    if child == 0:
        code = 2
        try:
            code = 0 if question() else 1
        finally:
            os._exit(code)  # whatever happened: this process is not the one that was called

    def answer() -> bool:
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        except ChildProcessError:  # somebody has it that children end unseen
            code = 2
        return question() if code not in {0, 1} else code == 0

    return answer


class Copy:
    """One piece of work in a copy of this process, which has all that is in memory here. Use it in a `with`, and only
    where one `may_fork`. It costs a tenth of what a pool's start does.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        """Begin it. Its result is one that pickle knows."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._theirs, write = os.pipe()
        self._pid: int | None = None
        with suppress(OSError):  # no process to be had: no result comes
            self._pid = os.fork()
        if self._pid == 0:
            os.close(self._theirs)  # or it waits for ever for somebody to read, where its asker is gone
            _work_and_end(work, write)
        os.close(write)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what is not done."""
        os.close(self._theirs)
        if self._pid is not None:
            import signal

            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._reap()

    def result(self) -> object | None:
        """Wait for it; None where none came: it failed, or somebody ended the copy."""
        import pickle

        with open(self._theirs, "rb", closefd=False) as told:
            data = told.read()
        self._reap()
        try:
            size = int.from_bytes(data[:_LENGTH], "big")
            return pickle.loads(data[_LENGTH:]) if len(data) == _LENGTH + size else None  # noqa: S301 - a copy of this process wrote it
        except Exception:  # noqa: BLE001 - whatever does not travel is done here
            return None

    def _reap(self) -> None:
        if self._pid is not None:
            with suppress(ChildProcessError):  # where nobody waits for children
                os.waitpid(self._pid, 0)
            self._pid = None


def _work_and_end(work: Callable[[], object], write: int) -> NoReturn:
    """In the copy: nothing of what the original has begun may be ended here too."""
    try:
        import pickle
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        gc.disable()

        data = pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
        with open(write, "wb") as told:
            told.write(len(data).to_bytes(_LENGTH, "big"))
            told.write(data)
    finally:
        os._exit(0)  # also when it failed: the asker sees that nothing came
