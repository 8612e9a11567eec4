"""What a `git status` in the session's own record says was dirty before the session edited anything.

Pure. Takes the two layouts that git-status(1) documents, of a command that asks for nothing else. Refuses an output
that is cut, is of another directory than the checkout's top, or leaves untracked files out.
"""

from collections.abc import Iterable
from typing import Final

from refloat.commands.line import read_line
from refloat.model.light import light
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.patterns import late

_PLAIN: Final = frozenset({"-s", "-b", "-sb", "--short", "--branch", "--porcelain", "--porcelain=v1", "--long"})
_SHORT: Final = late(r"^(?:[ MADRCUT?!]{2}) (?P<path>.+)$")
_CHANGED: Final = late(
    r"^\t(?:modified|new file|deleted|renamed|copied|typechange|both \w+|added by \w+|deleted by \w+): +(?P<path>.+)$"
)
_UNTRACKED: Final = late(r"^\t(?P<path>[^\t:]+)$")
_HEADS: Final = ("On branch ", "HEAD detached ", "Not currently on any branch")


@light
class Reported:
    """One recorded status."""

    step: int
    paths: frozenset[str]
    """Below the checkout's top; a directory ends in a slash and stands for all below it."""

    def lists(self, path: str) -> bool:
        """Whether it calls a path dirty."""
        return path in self.paths or any(known.endswith("/") and path.startswith(known) for known in self.paths)


def find_reported(steps: Iterable[Step], root: str) -> Reported | None:
    """The last readable status before the session's first edit; None where there is none."""
    last: Reported | None = None
    for step in steps:
        if step.kind is StepKind.EDIT or step.edits:
            return last
        if step.subagent is None and not step.superseded and step.outcome is Outcome.OK and _asks(step, root):
            paths = _paths(step.output)
            last = last if paths is None else Reported(step.n, paths)
    return last


def _asks(step: Step, root: str) -> bool:
    if step.command is None or step.cwd is None or step.cwd.rstrip("/") != root.rstrip("/"):
        return False
    parts = read_line(step.command)
    words = tuple(parts[0].words) if len(parts) == 1 else ()
    return words[:2] == ("git", "status") and all(word in _PLAIN for word in words[2:])


def _paths(output: str) -> frozenset[str] | None:
    """The dirty paths of an output; None where a line of it is of neither layout."""
    lines = [line.rstrip() for line in output.split("\n") if line.strip()]
    if lines and lines[0].startswith(_HEADS):
        complete = any("nothing to commit" in line or "changes added to commit" in line or "to be committed" in line
                       or "nothing added to commit" in line for line in lines)  # fmt: skip
        found = (_CHANGED.match(line) or _UNTRACKED.match(line) for line in lines)
        return frozenset(_name(match["path"]) for match in found if match) if complete else None
    rows = [line for line in lines if not line.startswith("## ")]
    matches = [_SHORT.match(line) for line in rows]
    if not all(matches) or (not rows and not lines):
        return None
    return frozenset(_name(match["path"]) for match in matches if match)


def _name(path: str) -> str:
    """The new name of a rename; a quoted name without its quotes."""
    return path.rpartition(" -> ")[2].strip('"')
