"""The only writer to standard error: one sentence for a person."""

import contextlib
import sys

from refloat.text import inert


def say(sentence: str) -> None:
    """Say one thing; foreign text in it is made inert. One that begins with a bell rings it, at a terminal."""
    words = sentence.removeprefix("\a")
    with contextlib.suppress(OSError):  # nobody listens any more; the exit code still tells
        bell = "\a" if words != sentence and sys.stderr.isatty() else ""
        print(f"{bell}refloat: {inert(words)}", file=sys.stderr)  # noqa: T201 - this is the one place


def progress(sentence: str) -> None:
    """Say how far a work is, in place of what was said of it before; "" when it is done. For terminals alone."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{inert(sentence)}")
            sys.stderr.flush()
