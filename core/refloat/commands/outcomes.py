"""How a check ended: its exit code where that is its own, else what its output says of itself, else nobody knows.

The patterns are data (`knowledge/outcomes.toml`). A summary of a whole run speaks before lines about its parts, and the
last summary before earlier ones. Refuses to call a run passed that ran no tests, or of which nothing speaks.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal

from refloat.commands.checks import ignores, is_check
from refloat.commands.line import Simple, read_line
from refloat.commands.matching import Rows
from refloat.knowledge.tables import forgets, own_rows, sound_pattern, table
from refloat.model.light import light
from refloat.model.transcript import Outcome
from refloat.patterns import late

Said = Literal["failed", "passed", "nothing"]

_TAIL: Final = 40_000
"""Characters of an output that are looked at: summaries stand at its end."""
_LONGEST: Final = 400
"""Characters of a line: a summary is short, a line of data is not."""
_LAST: Final = 12
"""Lines at the end that are looked at first: most summaries stand there."""
_BLOCK: Final = 30
"""Lines above the last one of a summary in which its first one is looked for."""
_SOME_FAILED: Final = late(r"\b[1-9]\d* failed")
_COLOUR: Final = late(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]")
"""A sequence that colours, names or moves. None of them goes over the end of a line."""
_TIME_IS_UP: Final = frozenset({124, 137})
"""Exit codes of timeout(1)."""
_WAITS: Final = frozenset({"wait", "fg"})
"""What a shell ends with what it began behind `&`."""
_NEVER_RAN: Final = frozenset({126, 127})
"""Exit codes of a shell that could not run the program (POSIX 1003.1, 2.8.2)."""


@light
class Ended:
    """How a check ended."""

    outcome: Outcome
    exit_code: int | None
    """Its own; None where the line's is another's."""
    note: str | None = None
    """What limits its word."""
    proved: bool = True
    """False where nothing says how the check itself ended, or it had nothing to run."""


LEFT_RUNNING: Final = Ended(Outcome.DANGLING, None, "it was left running in the background", proved=False)
"""Of a check that its step did not wait for: how it ended stands nowhere."""


def what_output_says(output: str) -> Said | None:
    """What a check's own output says of it; None where it says nothing known."""
    return _what_lines_say(plain_lines(output))


def _what_lines_say(lines: Sequence[str]) -> Said | None:
    last, above = lines[-_LAST:], lines[:-_LAST]
    said = _summary(_rows("failed", "passed").find(last), last, above)
    said = said or _summary(_rows("failed", "passed").find(above), above, ())
    if said is not None:
        return said
    parts = _rows("part_failed", "part_passed").find(lines)
    if parts:
        return "failed" if "part_failed" in parts else "passed"
    return "nothing" if _rows("nothing").find(lines) else None


def _had_nothing_to_run(output: str) -> bool:
    text, rows = _bare_tail(output), _rows("nothing")
    if not rows.may_find(text.replace("\r", "\n") if "\r" in text else text):
        return False
    lines = _shown_lines(text)
    return bool(rows.find(lines)) and _what_lines_say(lines) == "nothing"


def plain_lines(output: str) -> list[str]:
    """The last lines of an output without colours; a line too long for a summary is empty."""
    return _shown_lines(_bare_tail(output))


def _bare_tail(output: str) -> str:
    text = output[-_TAIL:]
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _shown_lines(text: str) -> list[str]:
    if "\r" in text:
        return [_overdrawn(line) for line in text.split("\n")]
    return [shown if len(shown := line.rstrip()) <= _LONGEST else "" for line in text.split("\n")]


def _summary(found: Mapping[str, int], lines: Sequence[str], above: Sequence[str]) -> Said | None:
    """What the last summary among some lines says, which stand below those `above`."""
    failed, passed = found.get("failed", -1), found.get("passed", -1)
    if failed == passed == -1:
        return None
    if failed >= passed:
        return "failed"
    block = [*above, *lines[:passed]][-_BLOCK:]
    first = next((line for line in reversed(block) if any(one.search(line) for one in _first_lines())), "")
    return "failed" if _SOME_FAILED.search(first) else "passed"


def _overdrawn(line: str) -> str:
    """A line as it stood once a progress bar had gone over it."""
    text = line.rstrip("\r").rpartition("\r")[2].rstrip()
    return text if len(text) <= _LONGEST else ""


def _sound(section: str) -> list[str]:
    """The expressions of a section; a person's own that is none costs itself only."""
    rows, own = table("outcomes").get(section, {}), own_rows("outcomes").get(section, {})
    return [str(text) for key, text in rows.items() if key not in own or sound_pattern(str(text)) is not None]


@cache
def _rows(*sections: str) -> Rows:
    return Rows((section, source) for section in sections for source in _sound(section))


@cache
def _first_lines() -> Sequence[re.Pattern[str]]:
    """What the first line of a summary of several looks like."""
    return [re.compile(source) for source in _sound("above")]


for _kept in (_rows, _first_lines):
    forgets(_kept.cache_clear)


def outcome_in(output: str) -> Outcome | None:
    """What a check's own summary says, where its exit code cannot tell; None where it says nothing known."""
    match what_output_says(output):
        case "failed":
            return Outcome.ERROR
        case "passed":
            return Outcome.OK
        case _:
            return None


def how_it_ended(command: str | None, outcome: Outcome, exit_code: int | None, output: str) -> Ended:
    """How the first check of a command line really ended; `outcome` and `exit_code` are those of the line."""
    line = read_line(command) if command else ()
    place = next((index for index, part in enumerate(line) if is_check(part.words)), None)
    part = line[place] if place is not None else None
    if outcome not in (Outcome.OK, Outcome.ERROR):
        return Ended(outcome, exit_code, _hidden_note(part))
    behind = line[place + 1 :] if place is not None else ()
    if part is not None and _runs_on(part, behind) and what_output_says(output) is None:
        return LEFT_RUNNING
    if part is not None and (part.hidden is not None or (outcome is Outcome.OK and _doubt(part) is not None)):
        return _behind(part, outcome, output)
    if outcome is Outcome.ERROR:
        return _failed(part, behind, exit_code, output)
    return _passed(exit_code, output)


def _runs_on(part: Simple, behind: Sequence[Simple]) -> bool:
    """Whether a line ends without waiting for a command that it began (`pytest &`)."""
    return part.hidden == "&" and not any(one.words[0] in _WAITS for one in behind)


def _hidden_note(part: Simple | None) -> str | None:
    return f"its exit code is that of `{part.hidden}`, not of the check" if part and part.hidden else None


def _doubt(part: Simple) -> str | None:
    """Why a line that succeeded does not say that its check did."""
    if part.skipped is not None:
        return f"`{part.skipped}` can have kept it from running"
    flag = ignores(part.words)
    return f"with `{flag}` its exit code says nothing" if flag is not None else None


def _behind(part: Simple, outcome: Outcome, output: str) -> Ended:
    """A check whose exit code is not the line's, or says nothing."""
    note = _hidden_note(part) or _doubt(part)
    if part.echoed and (codes := re.findall(part.echoed, _COLOUR.sub("", output), re.MULTILINE)):
        code = int(codes[-1])
        said = f"{note}; it printed its own, {code}"
        return Ended(Outcome.ERROR if code else Outcome.OK, code, said)
    match what_output_says(output):
        case "failed":
            return Ended(Outcome.ERROR, None, f"{note}; its output says that it failed")
        case "passed":
            return Ended(Outcome.OK, None, f"{note}; its output says that it passed")
        case "nothing":
            return Ended(outcome, None, f"{note}; there was nothing to run", proved=False)
        case None:
            return Ended(outcome, None, f"{note}; nothing says how it ended", proved=False)


def _failed(part: Simple | None, behind: Sequence[Simple], exit_code: int | None, output: str) -> Ended:
    if exit_code in _NEVER_RAN:
        return Ended(Outcome.ERROR, exit_code, "the program could not be run")
    if part is not None and part.limited and exit_code in _TIME_IS_UP:
        return Ended(Outcome.ERROR, exit_code, "its time was up before it ended")
    if part is not None and part.shared is not None and not any(is_check(one.words) for one in behind):
        code = f"the failing exit code{f' {exit_code}' if exit_code is not None else ''}"
        if what_output_says(output) == "passed":
            return Ended(Outcome.OK, None, f"{code} is that of `{part.shared}`: its output says that it passed")
    return Ended(Outcome.ERROR, exit_code)


def _passed(exit_code: int | None, output: str) -> Ended:
    if _had_nothing_to_run(output):
        return Ended(Outcome.OK, exit_code, "there was nothing to run", proved=False)
    if exit_code is None and what_output_says(output) == "failed":
        return Ended(Outcome.ERROR, None, "no exit code is recorded, and its output says that it failed")
    return Ended(Outcome.OK, exit_code)
