"""How a command ends: what becomes of errors on either road, one sentence and an exit code."""

import contextlib
import sys
from collections.abc import Callable
from typing import Final

from refloat.errors import RefloatError
from refloat.waiting import tell_to
from refloat_tui.cli import err

UNREAD: Final = 3
"""Something could not be read: the answer names it, and tells the rest."""


def told(command: Callable[[], object]) -> int:
    """Run a command and return its exit code: 0 done, 1 "no", 2 wrong usage, 3 unreadable, 130 stopped."""
    tell_to(err.say)
    try:
        code = command()
    except RefloatError as fault:
        err.say(str(fault))
        return fault.exit_code
    except KeyboardInterrupt:
        return 130
    finally:
        _close_quietly()
    return code if isinstance(code, int) else 0


def _close_quietly() -> None:
    with contextlib.suppress(BrokenPipeError, ValueError):
        sys.stdout.flush()
