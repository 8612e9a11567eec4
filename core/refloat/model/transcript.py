"""What a transcript tells: events as a reader yields them, and the items and steps that they add up to.

Events are what one agent's files say, in file order. `readers.story` pairs them into items. Readers never shorten,
mask or decorate: a value holds the words as they were recorded.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from refloat.model.compressed import compressible
from refloat.model.light import light
from refloat.model.problem import Place, Problem
from refloat.model.session import Failure, PendingKind
from refloat.model.stamp import Stamp


class StepKind(StrEnum):
    """What a tool call is for (design, section 2)."""

    EDIT = "edit"
    CHECK = "check"
    EXTERNAL = "external"
    COMMAND = "command"
    READ = "read"
    SEARCH = "search"
    WEB = "web"
    SUBAGENT = "subagent"
    PLAN = "plan"
    OTHER = "other"


NO_WORK: Final = frozenset({StepKind.READ, StepKind.SEARCH, StepKind.WEB, StepKind.PLAN})
"""Kinds of step that change nothing: one whose end nobody recorded is no open work."""


class Outcome(StrEnum):
    """How a step ended, as far as the record knows."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    INTERRUPTED = "interrupted"
    DANGLING = "dangling"


@light
class Hunk:
    """One place of a change.

    Each of `lines` carries a first character: space (same), `-` (gone), `+` (new), backslash (no line end).
    """

    old_start: int | None
    """Line number from 1 in the content before; None where the record does not say."""
    old_lines: int
    new_start: int | None
    new_lines: int
    lines: tuple[str, ...]
    anchor: str = ""
    """A line that stands somewhere before the hunk, where the record names one instead of a position."""


@compressible("before", "after")
@light
class FileEdit:
    """What one step recorded, or asked for, about one file."""

    path: str
    """As recorded, made absolute with the directory that the step worked in."""
    op: Literal["create", "update", "delete"]
    """`create` also stands for a whole write of a file whose earlier existence the record does not tell."""
    before: str | None = None
    """The whole content before, where the record holds it."""
    after: str | None = None
    """The whole content after, where the record holds it."""
    hunks: tuple[Hunk, ...] = ()
    replace_all: bool = False
    """A hunk without position stands for every occurrence."""
    moved_to: str | None = None
    """Absolute; the content after stands there."""
    existed: bool | None = None
    """Whether the file was there before; None where the record does not say."""
    binary: bool = False


@light
class Background:
    """Work that a step left running: told by the step that started it, and by later ones that saw it end."""

    id: str
    """The agent's own name for it (shell id, task id, process session)."""
    kind: Literal["background_shell", "watcher", "dev_server", "timer", "subagent", "queued_prompt"]
    what: str
    running: bool
    """What the record says at this point."""
    pid: int | None = None
    output: str = ""
    """The file that its output goes to, where the record names one."""


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@light
class Fact:
    """Something about the whole session. A later fact of the same `key` replaces an earlier one, except for the
    `first_*` keys and `commit`, of which the first stays.
    """

    key: Literal[
        "workspace",  # where it was started, or moved for good
        "cwd",  # where it worked at this point; the first one is the workspace when no `workspace` comes
        "worktree",  # one that it entered; "" when it left
        "branch",
        "commit",  # HEAD when it started, where recorded
        "model",
        "version",
        "entrypoint",
        "title_set",  # given by a person: beats all
        "title_made",  # made by the agent
        "title_summary",  # weakest
        "parent",  # session id of the same agent that this one was forked from or spawned by
        "continued_in",  # session id that goes on with this one's whole content; "" takes it back
        "started",  # a stamp
        "lineage",  # id of the first conversation row: copies share it
        "repaired",  # a stamp: when this copy was made by a repair
    ]
    value: str
    at: Stamp | None = None


@light
class Message:
    """Words of a person or of the agent."""

    type: Literal["prompt", "reply", "thinking"]
    text: str
    at: Stamp | None
    place: Place
    id: str = ""
    """The agent's id of the message: parts of one message share it and are joined."""
    row: str = ""
    """The agent's id of the row, for duplicates and for what is taken back later."""
    by: str = "human"
    """For prompts: `human`, or who else put it in (`queue`, `command`)."""
    superseded: bool = False


@light
class Call:
    """A tool was called. Its `Result` may come at any later (in damaged files: earlier) place."""

    id: str
    tool: str
    kind: StepKind
    summary: str
    """What it does, from the call alone: the command, the path, the pattern. Not shortened."""
    input: str
    """The arguments as recorded: JSON text, or raw text where the agent's tool takes that."""
    at: Stamp | None
    place: Place
    command: str | None = None
    """The shell command, unwrapped from `bash -lc`."""
    cwd: str | None = None
    files: tuple[str, ...] = ()
    """Absolute paths that it names as its object."""
    edits: tuple[FileEdit, ...] = ()
    """What it asks for. `Result.edits`, where given, replaces this."""
    message: str = ""
    """`Message.id` of the agent message that it belongs to."""
    pending: PendingKind | None = None
    """While unanswered it waits for a person: `input` for a question, `approval` for a plan to be approved."""
    needs_result: bool = True
    """False for calls that never get a result row (a web search): they do not dangle."""
    superseded: bool = False
    told: str = ""
    """What tells another call under the same id from a copy of this one; "" where a repeated id always means a copy."""


@light
class Result:
    """A call was answered. The last real answer wins; a `placeholder` never replaces a real one."""

    id: str
    outcome: Outcome
    at: Stamp | None
    place: Place
    exit_code: int | None = None
    output: str = ""
    edits: tuple[FileEdit, ...] | None = None
    """What was really changed, where the record says; () says that nothing was."""
    kind: StepKind | None = None
    """A better kind than the call could tell."""
    effects_unknown: bool = False
    """It may have run in part: refused or interrupted, nobody knows how far."""
    shutdown: bool = False
    """Written by the program itself because it was ending."""
    placeholder: bool = False
    background: Background | None = None
    made: bool = False
    """Made by a repair: nobody recorded how the call ended, and it stays open."""
    pushed: bool = False
    """The record itself says that it pushed."""
    never_ran: bool = False
    """Its agent did not begin it: skipped, blocked before it ran, asked for wrongly."""
    partial: bool = False
    """One of several facts about the same call (an event beside the output row): merged, not replaced."""


@light
class Marker:
    """A point that is neither message nor step."""

    kind: str
    """compaction, resume, fork, model_change, permission_request, api_error, rate_limit, cwd_change, interruption,
    rewind, notice, hook, subagent, plan, queue, pull_request, goal, context, usage"""
    text: str
    at: Stamp | None
    place: Place
    claim: bool = False
    """The text holds the agent's own words about its work (a compaction summary): a claim, not evidence."""


@light
class TurnBegan:
    """A turn began, told by the record itself (otherwise a prompt begins one)."""

    id: str
    at: Stamp | None


@light
class TurnEnded:
    """A turn ended. Anything that the agent does after it, in the same turn, opens it again."""

    status: Literal["completed", "interrupted", "failed", "open"]
    at: Stamp | None
    id: str = ""
    failure: Failure | None = None


@light
class TakenBack:
    """Parts of the talk were withdrawn: their prompts count no more, their edits are told as superseded."""

    rows: tuple[str, ...] = ()
    """Ids of message rows and of calls."""
    turns: int = 0
    """Or the last so many user turns."""
    at: Stamp | None = None


@light
class Queued:
    """A prompt waits for the agent, or is gone from the queue."""

    text: str
    id: str
    waiting: bool
    at: Stamp | None


@light
class BackgroundSeen:
    """Background work began, or its end was told outside any result."""

    background: Background
    at: Stamp | None


@compressible("content")
@light
class Touched:
    """The record shows the state of a file: dirty before the session, a backup, a read of the whole content."""

    path: str
    kind: Literal["backup", "read", "dirty_before", "changed_outside", "snapshot_commit"]
    at: Stamp | None
    content: str | None = None
    """Whole content, where the record holds it."""
    source: str = ""
    """Where the content is kept (the path of an agent's backup file, a commit id)."""
    call: str = ""


@light
class Unknown:
    """A row of a type that the reader does not know: counted, never fatal."""

    type: str


Event = (
    Fact
    | Message
    | Call
    | Result
    | Marker
    | TurnBegan
    | TurnEnded
    | TakenBack
    | Queued
    | BackgroundSeen
    | Touched
    | Unknown
    | Problem
)


# ── what events add up to ────────────────────────────────────────────────────────────────────────────────────────────


@light
class Step:
    """One tool call with its result."""

    n: int
    """From 1, in transcript order. Sub-agents count for themselves."""
    id: str
    kind: StepKind
    tool: str
    summary: str
    at: Stamp | None
    ended_at: Stamp | None
    outcome: Outcome
    exit_code: int | None
    files: tuple[str, ...]
    message: str | None
    """The reply of the same agent message; None where it said nothing."""
    line: int
    path: str
    """The transcript file that `line` counts in."""
    input: str
    output: str
    output_bytes: int
    command: str | None = None
    cwd: str | None = None
    edits: tuple[FileEdit, ...] = ()
    effects_unknown: bool = False
    shutdown: bool = False
    superseded: bool = False
    """The part of the talk that it belongs to was taken back."""
    subagent: str | None = None
    turn: int = 0
    """The turn that it belongs to, from 1; 0 before the first."""
    item: int = 0
    """Its place among all items, from 1."""
    background: Background | None = None
    pending: PendingKind | None = None
    never_ran: bool = False
    """Its agent did not begin it."""
    pushed: bool = False
    """The record itself says that it pushed, whatever its command is."""


@light
class Item:
    """One line of a session's history."""

    n: int
    type: Literal["prompt", "reply", "thinking", "step", "marker"]
    at: Stamp | None
    text: str | None = None
    step: Step | None = None
    marker: Marker | None = None
    superseded: bool = False


@light
class Ending:
    """How a record ends: all that the judgement of a state needs, once it is known that no process is behind it."""

    turn: Literal["none", "open", "completed", "interrupted", "failed"]
    dangling: int
    """Calls of the last turn without a result, or ended by the program's own shutdown."""
    failure: Failure | None
    cut: bool
    """The last record is incomplete."""
    prompts: int
    pending: PendingKind | None
    """The last open call waits for a person."""
    open_since: Stamp | None
    user_interrupted: bool
    shutdown: bool = False


@light
class Plan:
    """The last plan that the agent recorded."""

    entries: tuple[tuple[str, str], ...]
    """(text, status) with status `pending`, `in_progress` or `completed`."""
    step: int
