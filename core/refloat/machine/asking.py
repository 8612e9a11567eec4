"""Asks a tool of the system a question: fixed path, plain locale, no input, a time limit, so many bytes at most."""

import os
from typing import Final

from refloat.model.light import light

_ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC"}


@light
class Answer:
    """What a tool said."""

    code: int
    out: str
    err: str


def ask(*argv: str, seconds: float, most: int = 8 * 1024 * 1024) -> Answer | None:
    """What the tool says; None where it is not there, or did not answer in time. Beyond `most` bytes it is cut off."""
    import subprocess

    try:
        answer = subprocess.run(
            argv, capture_output=True, check=False, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Answer(answer.returncode, os.fsdecode(answer.stdout[:most]), os.fsdecode(answer.stderr[:4096]))
