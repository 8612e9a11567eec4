"""Copies of this process, with all that it has loaded.

Decides whether one may be made, and how a copy answers one question beside this process. A copy shares nothing that it
changes, and leaves nothing behind.
"""

import os
import sys
from collections.abc import Callable


def may_fork() -> bool:
    """Whether this process can be copied as it is, with everything loaded: a copy has no other threads, and would wait
    for ever for what they hold. Elsewhere than on Linux what a system's library holds may not survive it.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - names alone
    except OSError:
        return False


def beside(question: Callable[[], bool]) -> Callable[[], bool]:
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
