"""A new tmux window in which Refloat itself goes on: the same guard and the same road, in another terminal.

Decides which window and what of this environment goes along: a tmux server has the environment that it was started
with. Refuses to put anything there that may be a secret: a command line can be read by everybody on the machine.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from refloat.errors import NotDone, UsageError
from refloat.ports import Machine
from refloat.record.names import URL_VARIABLE

LONGEST: Final = 12_000
"""Bytes of all words: tmux refuses a command of some 16 KB."""
_GOES_ALONG: Final = re.compile(
    r"PATH|HOME|PYTHONPATH|LANG|LC_\w+|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|REFLOAT_(?:CACHE|CONFIG|DATA)_DIR|REFLOAT_ASCII"
    r"|CLAUDE_CONFIG_DIR|CODEX_HOME|CODEX_SQLITE_HOME|NO_COLOR"
)
"""Variables on which it depends which sessions and which record are found; none of them holds a secret."""
_SECONDS: Final = 20.0


def open_window(machine: Machine, words: Sequence[str], session: str, name: str) -> str:
    """Run `words` in a new window of the tmux session (empty: of the one that this process sits in); where that is.

    Raises:
        UsageError: this is no tmux, and no session is named; or the words are too long for tmux; or the window would
            come to another record.
        NotDone: there is no tmux, or it refused.

    """
    environment = machine.places.environment
    if not session and not environment.get("TMUX"):
        raise UsageError("this terminal is no tmux: name a session, as `tmux list-sessions` shows it (`--tmux=NAME`)")
    if environment.get(URL_VARIABLE):
        raise UsageError(
            f"{URL_VARIABLE} stands in this terminal's environment alone, and may hold a password: a tmux window would "
            "use another record, and see no lease of this one; put `url` below `[record]` into config.toml"
        )
    if machine.launcher.which("tmux") is None:
        raise NotDone("tmux is not installed here, or not on the PATH")
    along = [
        word for key, value in sorted(environment.items()) if _GOES_ALONG.fullmatch(key) for word in _set(key, value)
    ]
    where = ["-t", f"={session}:"] if session else []
    told = "#{session_name}:#{window_index}"
    home = str(machine.places.home)
    argv = ["tmux", "new-window", "-P", "-F", told, *where, "-n", name, "-c", home, *along, "--", *words]
    if sum(len(word.encode("utf-8", "replace")) + 1 for word in argv) > LONGEST:
        raise UsageError("the prompt is too long for tmux: put it into a file, and have the agent read that")
    answered = machine.launcher.run(argv, Path("/"), _SECONDS)
    if answered.code:
        why = answered.err.strip() or ("it does not answer" if answered.timed_out else f"exit code {answered.code}")
        raise NotDone(f"tmux opened no window: {why}")
    return answered.out.decode("utf-8", "replace").strip()


def _set(key: str, value: str) -> tuple[str, str]:
    return "-e", f"{key}={value}"
