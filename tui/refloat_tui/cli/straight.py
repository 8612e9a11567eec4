"""The straight road of `refloat checkout` and `refloat triage`: plain words are taken as they are, without a parser.

Decides only whether the words are plain: one session and known flags. Everything else (help, a mistake, a completion)
is the parser's, which then says what it always says.
"""

import os
import sys
from collections.abc import Sequence

from refloat import uncollected

_FLAGS = {
    "checkout": {"--json": "as_json", "--patch": "patch", "--show-secrets": "show_secrets"},
    "triage": {"--json": "as_json", "--show-secrets": "show_secrets"},
}


def answer(words: Sequence[str]) -> int:
    """Answer plain words on standard output and return the exit code.

    Raises:
        ValueError: they are none.
    """
    asked = read(words)
    if asked is None:
        raise ValueError(f"not plain words: {words}")
    from refloat_tui.cli import ending, work

    session, flags = asked
    return ending.told(lambda: getattr(work, f"show_{words[0]}")(session, **flags))


def read(words: Sequence[str]) -> tuple[str, dict[str, bool]] | None:
    """The session and the flags that were given; None where the words are not plain."""
    known = _FLAGS.get(words[0]) if words else None
    if known is None or "_REFLOAT_COMPLETE" in os.environ:
        return None
    sessions = [word for word in words[1:] if word not in known]
    if len(sessions) != 1 or not sessions[0] or sessions[0].startswith("-"):
        return None
    return sessions[0], {known[word]: True for word in words[1:] if word in known}


def hasten() -> None:
    """Make this process fit for one large answer: nothing in it lies in a cycle, a thread that starts git shall not
    wait long for one that reads, and what the standard library loads and does not ask is left out.
    """
    uncollected.pause()
    sys.setswitchinterval(0.0005)
    from refloat.sparing import load_less

    load_less()
