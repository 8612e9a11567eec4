"""What a parser must know of earlier rows, as plain values that go to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, cast

from refloat.model.light import field, field_names, plain, slotted
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.readers.claude_code.results import OpenCall
from refloat.readers.claude_code.tree import Tree

RECENT: Final = 256
"""Rows of the present turn that are remembered with their calls: only such are ever retracted."""


@slotted
class State:
    """All that is remembered."""

    tree: Tree = field(default_factory=Tree)
    cwd: str = ""
    first_cwd: str = ""
    branch: str = ""
    version: str = ""
    entrypoint: str = ""
    model: str = ""
    last_at: str = ""
    """The latest time of a conversation row."""
    begun: bool = False
    """A conversation row was seen."""
    status: str = ""
    """How the present turn was said to end, as long as the agent did nothing since."""
    unanswered: bool = False
    """A prompt came, and nothing of the agent's since."""
    shut: bool = False
    """The program wrote a result because it was ending; the marker behind it means the same."""
    retry: list[str | None] | None = None
    """[kind, words, time] of an error after which a retry was due, when nothing came since."""
    command_at: str | None = None
    """A slash command came last: when the agent answers it, a turn began there."""
    continued: bool = False
    compacted: bool = False
    tells_stop: str = ""
    """The version whose rows name their stop reason."""
    copied_from: str = ""
    """Session that the rows so far were copied from."""
    copied_calls: list[str] = field(default_factory=list[str])
    """Calls of copied rows that have no copied result: an answer to them, made up for the copy, tells nothing."""
    calls: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    background: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Running background work: id to [kind, what, call that began it]."""
    tasks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Task list: id to [subject, status]."""
    queue: list[list[str]] = field(default_factory=list[list[str]])
    """Waiting prompts, oldest first: [id, text]; a notice of the program has no text."""
    queued: int = 0
    wakeups: list[str] = field(default_factory=list[str])
    backups: dict[str, str] = field(default_factory=dict[str, str])
    """Last told backup of each tracked path."""
    waiting_backups: list[list[str | None]] = field(default_factory=list[list[str | None]])
    """[path, name, time]: told before the first directory was known."""
    summaries: dict[str, str] = field(default_factory=dict[str, str])
    """Titles of branches whose leaf has not come: key of the leaf to title."""
    recent: list[list[str]] = field(default_factory=list[list[str]])
    """[row, call] of the present turn."""
    inside: list[str] = field(default_factory=list[str])
    """Rows of an inline sub-agent."""

    @property
    def failure(self) -> Failure | None:
        """The error after which nothing came."""
        if self.retry is None:
            return None
        kind, detail, at = self.retry
        return Failure(FailureKind(kind or "unknown"), detail or "", Stamp(at) if at else None)

    def freeze(self) -> dict[str, object]:
        """All of it but the rows of its tree, as JSON values."""
        frozen = {name: plain(getattr(self, name)) for name in _FIELDS}
        frozen["recent"] = [*chain.from_iterable(self.recent)]
        frozen["tree"] = self.tree.freeze()
        return frozen


_FIELDS: Final = tuple(name for name in field_names(State) or () if name not in {"tree", "recent"})


def thaw(frozen: Mapping[str, object], rows: Sequence[object]) -> State:
    """What `State.freeze` and the tree's `freeze_rows` gave, made live again.

    Raises:
        TypeError, KeyError: it was made by another version.
    """
    given = {**frozen}
    calls = cast("Mapping[str, dict[str, object]]", given.pop("calls"))  # as `freeze` wrote it
    recent = cast("list[str]", given.pop("recent"))
    tree = Tree(cast("Mapping[str, object]", given.pop("tree")), rows)
    state = State(tree=tree, **given)  # pyright: ignore[reportArgumentType] - the names are checked by the constructor
    state.calls = {name: OpenCall(**call) for name, call in calls.items()}  # pyright: ignore[reportArgumentType] - as above
    state.recent = [[row, call] for row, call in zip(recent[::2], recent[1::2], strict=True)]
    return state
