"""What a session adds up to while it is read: all that must be known to go on, and what of it a summary tells.

Decides the form in which that is frozen. Refuses to know an event: the `Assembler` counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from refloat.model.light import field, field_names, plain, slotted
from refloat.model.problem import Problem
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.readers.pairing import Calls, freeze_calls, freeze_seen, thaw_calls

TurnStatus = Literal["none", "open", "completed", "interrupted", "failed"]


@slotted
class Counters:
    """All that a list needs, as plain JSON values."""

    facts: dict[str, str] = field(default_factory=dict[str, str])
    first_prompt: str = ""
    first_at: str | None = None
    last_at: str | None = None
    last_row: str = ""
    turn: int = 0
    told_turn: str = ""
    turn_status: TurnStatus = "none"
    turn_since: str | None = None
    failure: list[str | None] | None = None
    steps: int = 0
    edits: int = 0
    prompts: list[list[str | int]] = field(default_factory=list[list[str | int]])
    """[row id, turn, 1 when it was taken back]."""
    edited: dict[str, None] = field(default_factory=dict[str, None])
    unknown: dict[str, int] = field(default_factory=dict[str, int])
    problems: list[Problem] = field(default_factory=list[Problem])
    cut: bool = False

    @property
    def told_failure(self) -> Failure | None:
        """What the present turn failed of."""
        if self.failure is None:
            return None
        kind, detail, at = self.failure
        return Failure(FailureKind(kind or "unknown"), detail or "", Stamp(at) if at else None)


def freeze(counters: Counters, calls: Calls) -> dict[str, object]:
    """All of it as JSON values. What has a name with a `#` at this level holds no text."""
    told = {name: plain(getattr(counters, name)) for name in _FIELDS}
    return {
        "counters": told,
        "calls": freeze_calls(calls),
        "prompts": [prompt[0] for prompt in counters.prompts],
        "#prompts": [prompt[1:] for prompt in counters.prompts],
        "#seen": freeze_seen(calls),
    }


def thaw(frozen: Mapping[str, object]) -> tuple[Counters, Calls]:
    """What `freeze` gave, made live again.

    Raises:
        TypeError, KeyError, ValueError: it was made by another version.
    """
    counters, calls = frozen["counters"], frozen["calls"]
    if not isinstance(counters, dict) or not isinstance(calls, dict):
        raise TypeError("not a frozen assembler")
    c = Counters(**counters)  # pyright: ignore[reportUnknownArgumentType] - checked by the constructor's names
    c.problems = [Problem(**problem) for problem in c.problems]  # pyright: ignore[reportCallIssue] - JSON objects here
    rows, numbers = cast("list[str]", frozen["prompts"]), cast("list[list[int]]", frozen["#prompts"])
    c.prompts = [[row, *told] for row, told in zip(rows, numbers, strict=True)]
    return c, thaw_calls(cast("Mapping[str, Any]", calls), str(frozen["#seen"]))


_FIELDS: Final = tuple(name for name in field_names(Counters) or () if name != "prompts")
