"""What a failed check says failed: the last line of its summary, and the first thing that it names.

Reads the words of the common runners (pytest, unittest, cargo, go, jest, vitest, mocha, mypy, ruff, tsc, eslint).
Refuses to sum anything up itself: what no known line says is not told.
"""

import re
from typing import Final

from refloat.commands.matching import lines_with
from refloat.commands.outcomes import plain_lines
from refloat.patterns import late

_SUMMARY: Final = late(
    r"""^=*\s*(?P<pytest>(?=[^=]*\b\d+\s(?:failed|errors?)\b)\d+\s\w+(?:,\s\d+\s\w+)*)(?:\sin\s[\d.:]+\w*.*?)?\s*=*$
    |^(?P<unittest>FAILED\s\((?:failures|errors)=.*\))$
    |^test\sresult:\sFAILED\.\s(?P<cargo>\d+\spassed;\s\d+\sfailed)
    |^\s*Tests:?\s+(?P<jest>(?=.*\bfailed\b).*)$
    |^\s*(?P<mocha>\d+\sfailing)\b
    |^(?P<linter>Found\s\d+\serrors?.*)$
    |^\W*(?P<eslint>\d+\sproblems?\s\(.*\))""",
    re.VERBOSE,
)
_NAMED: Final = late(
    r"""^(?:FAILED|ERROR)\s(?P<pytest>(?!\()\S+)
    |^(?:FAIL|ERROR):\s(?P<unittest>\S+(?:\s\([\w.]+\))?)
    |^test\s(?P<cargo>\S+)\s\.\.\.\sFAILED
    |^\s*---\sFAIL:\s(?P<go>\S+)
    |^\s*(?:●|×|✕)\s(?P<jest>.+\S)
    |^(?P<error>\S+?(?::\d+(?::\d+)?:\s(?:error|fatal)\b|\(\d+,\d+\):\serror\b).*)$""",
    re.VERBOSE,
)
_MARKS: Final = ("failed", "FAILED", "failing", "error", "problem")
"""One of these stands in whatever `_SUMMARY` matches."""
_NAMING: Final = ("FAIL", "ERROR", "●", "×", "✕", "error", "fatal")
"""And of these in whatever `_NAMED` does."""
_COUNTS: Final = late(r"\d\s(?:fail|error|problem)|FAILED|Test")
_POINTS: Final = late(r":\s(?:error|fatal)|FAIL|ERROR|[●×✕]")
"""One of these is found in it too: of lines that hold such a word, few. The long expressions take longer to fail."""
_LONGEST: Final = 160
"""Characters of each part."""


def what_failed(output: str) -> str:
    """`1 failed, 41 passed: tests/test_importer.py::test_retries`; "" where no known line says so."""
    lines = plain_lines(output)
    told = (line for line in reversed(lines_with(_MARKS, lines)) if _COUNTS.search(line))
    summary = next((found for line in told if (found := _told(_SUMMARY, line))), "")
    named = (line for line in lines_with(_NAMING, lines) if _POINTS.search(line))
    names = list(dict.fromkeys(found for line in named if (found := _told(_NAMED, line))))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return ": ".join(part for part in (summary, f"{names[0]}{more}" if names else "") if part)


def _told(pattern: re.Pattern[str], line: str) -> str:
    match = pattern.match(line)  # each of their alternatives stands at a line's beginning
    return (match[match.lastgroup or 0] or "").strip()[:_LONGEST] if match else ""
