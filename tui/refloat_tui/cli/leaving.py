"""The end of a command that has told all it has to.

Decides that nothing is freed: the values of a large session, or thousands of rows and what a reader loaded, are freed
with the process, where Python would free each of them for itself, for as long as git takes for a whole `git diff`.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def leave(code: int) -> "NoReturn":
    """End the process at once, once what it wrote has left it."""
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - the quickest road loads no `contextlib`
            stream.flush()
        except (OSError, ValueError):  # nobody listens any more; the exit code still tells
            pass
    os._exit(code)
