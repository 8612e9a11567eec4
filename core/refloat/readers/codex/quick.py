"""The rows that nearly all of a rollout consists of, taken without a look at what a summary does not need.

Decides which rows have a shape whose meaning for a summary is known in full: words of the agent, commands and patches
with their outputs and events, used tokens. They are decoded as far as they count, and what they come to is told to the
assembler directly. Everything else, builds before turns had names, copied heads, superseded stretches, and everything
that does not fit the types below, is left to `CodexParser`, which is the authority: both come to the same, row by row
(`tests/core/readers/test_quick.py`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Protocol, cast

import msgspec
from msgspec import Struct

from refloat.model.repaired import is_made_output
from refloat.model.stamp import Stamp
from refloat.model.transcript import FileEdit, StepKind, TurnBegan
from refloat.readers.codex.calls import Asked, read_custom, read_function
from refloat.readers.codex.outputs import read_output
from refloat.readers.codex.skipped import SKIPPED_EVENTS, SKIPPED_ITEMS, SKIPPED_ROWS
from refloat.readers.codex.state import OpenCall, State
from refloat.readers.codex.talk import EVENT, ITEM, ROW
from refloat.readers.patch import absolute
from refloat.readers.plain import UNFIT, Spot, are_plain_stamps, decode_rows
from refloat.readers.shell import may_edit
from refloat.readers.story import Assembler

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII).fullmatch
_SESSIONS: Final = frozenset({"write_stdin", "wait"})
"""Tools that talk to a process that another call began."""


class _Part(Struct, gc=False):
    text: str = ""


class _Reasoning(Struct, gc=False, tag="reasoning"):
    summary: list[_Part] = []


class _Words(Struct, gc=False, tag="message"):
    role: str = ""
    content: list[_Part] = []
    id: str = ""


class _Function(Struct, gc=False, tag="function_call"):
    name: str
    call_id: str
    arguments: str = ""
    namespace: str | None = None


class _Custom(Struct, gc=False, tag="custom_tool_call"):
    name: str
    call_id: str
    input: str = ""
    namespace: str | None = None


class _Arguments(Struct, gc=False):
    """Of the tools that run a command line."""

    cmd: str = ""
    command: None = None
    input: None = None


class _Output(Struct, gc=False, tag="function_call_output"):
    call_id: str
    output: str | list[_Part]


class _CustomOutput(_Output, gc=False, tag="custom_tool_call_output"):
    pass


class _Window(Struct, gc=False):
    used_percent: Annotated[float, msgspec.Meta(lt=100)] | None = None


class _Limits(Struct, gc=False):
    """Below the limit, or the decoder refuses the row."""

    rate_limit_reached_type: None = None
    primary: _Window | None = None
    secondary: _Window | None = None
    primary_used_percent: None = None
    secondary_used_percent: None = None


class _Tokens(Struct, gc=False, tag="token_count"):
    rate_limits: _Limits | None = None


class _Turn(Struct, gc=False, tag="task_started"):
    turn_id: str


class _Sandbox(Struct, gc=False):
    type: str = ""
    mode: str = ""


class _Context(Struct, gc=False):
    cwd: str
    model: str
    approval_policy: str
    sandbox_policy: _Sandbox


class _Said(Struct, gc=False, tag="agent_message"):
    message: str


class _Change(Struct, gc=False):
    type: str = ""
    move_path: str | None = None


class _Done(Struct, gc=False, kw_only=True):
    """A finished unit."""

    source: str = ""
    status: str = ""
    exit_code: int | None = None
    success: bool | None = None
    changes: dict[str, _Change] = {}
    aggregated_output: str = ""
    formatted_output: str = ""
    stdout: str = ""
    stderr: str = ""


class _Item(_Done, gc=False):
    type: str
    id: str = ""
    content: list[_Part] = []


class _Finished(Struct, gc=False, tag="item_completed"):
    item: _Item


class _Command(_Done, gc=False, tag="exec_command_end"):
    """An event of the builds before items; so is the next."""

    call_id: str = ""


class _Patch(_Done, gc=False, tag="patch_apply_end"):
    call_id: str = ""


_ROWS: Final = SKIPPED_ROWS | {"session_meta", "compacted"}
_ITEMS: Final = SKIPPED_ITEMS | {
    "local_shell_call", "web_search_call", "tool_search_call", "image_generation_call", "ghost_snapshot",
    "agent_message", "tool_search_output", "mcp_tool_call_output",
}  # fmt: skip
_EVENTS: Final = SKIPPED_EVENTS | {
    "user_message", "task_complete", "turn_complete", "turn_started", "turn_aborted", "error", "agent_reasoning",
    "agent_reasoning_raw_content", "thread_rolled_back", "thread_name_updated", "thread_settings_applied",
    "thread_goal_updated", "context_compacted", "entered_review_mode", "exited_review_mode", "undo_completed",
    "sub_agent_activity", "guardian_assessment", "mcp_tool_call_end", "web_search_end", "view_image_tool_call",
    "image_generation_end", "dynamic_tool_call_response",
}  # fmt: skip
"""Kinds of rows, items and events that are left to the parser. One that is missing costs time alone: a batch of rows
with it is decoded twice.
"""


class _Row(Protocol):
    @property
    def timestamp(self) -> Stamp:
        """One only where it looks like one."""
        ...

    @property
    def payload(self) -> object: ...


class _Left(Struct, gc=False):
    """What is left to the parser."""


def _left(kinds: frozenset[str]) -> tuple[type[Struct], ...]:
    return tuple([msgspec.defstruct(f"left_{kind}", [], bases=(_Left,), tag=kind, gc=False) for kind in sorted(kinds)])


def _row(kind: str, *payloads: type[Struct]) -> type[Struct]:
    fields = [("timestamp", Stamp), ("payload", reduce(or_, payloads))]
    return msgspec.defstruct("row", fields, tag_field="type", tag=kind, gc=False)


_RUNNING: Final = "running with"
"""Stands in every output that leaves a process behind."""
_STATUS: Final = frozenset({"", "completed", "failed"})


class Quick:
    """Takes rows of one thread, or of a sub-agent's, on behalf of its parser.

    What takes a kind of row says True when it told something at its time, False when the row tells nothing, and None
    when it is not plain, and nothing has changed.
    """

    def __init__(self, state: State, assembler: Assembler, path: str) -> None:
        self._state = state
        self._assembler = assembler
        self._told = assembler.is_searched
        self._spot = Spot(path, told=self._told)
        self._batch: tuple[Sequence[bytes], int, int] = (), 0, 0
        """The rows that come, with number and offset of the first."""
        self._last: tuple[Stamp | None, tuple[Sequence[bytes], int, int], int] = None, self._batch, 0
        """Of the last row that was taken: its time, and where it stands in which batch."""
        self._plain = False
        """The thread is where plain rows are all that they seem; so it stays until the parser takes a row."""
        self._rows: list[_Row | None] | None = None
        """As decoded, once one is wanted."""
        self._kinds: Mapping[type[object], Callable[[Any, Stamp], bool | None]] = {
            _Reasoning: self._reasoning,
            _Words: self._words,
            _Function: self._function,
            _Custom: self._custom,
            _Output: self._output,
            _CustomOutput: self._output,
            _Turn: self._began,
            _Tokens: self._tokens,
            _Said: self._said,
            _Finished: self._finished,
            _Command: self._command,
            _Patch: self._patch,
            _Context: self._context,
        }

    @property
    def last(self) -> tuple[Stamp | None, int, int]:
        """Time, number and offset of the last row that was taken."""
        at, (rows, line, offset), index = self._last
        return at, line + index, offset + sum(map(len, rows[:index])) + index

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        """As `plain.QuickRows` has it; so is `take`."""
        self._batch = rows, line, offset
        self._rows = None
        self._spot.begin(rows, line, offset)

    def take(self, at: int) -> int:
        """As above."""
        if not (self._plain or self._is_plain()):
            return at
        if self._rows is None:
            self._rows = _decoded(self._batch[0])
        spot, kinds, rows = self._spot, self._kinds, self._rows
        index, lived = at, list[Stamp]()
        for index in range(at, len(rows)):
            row = rows[index]
            if row is None:
                break
            spot.at = index
            handle = kinds.get(row.payload.__class__)
            told = None if handle is None else handle(row.payload, row.timestamp)
            if told is None:
                break
            if told:
                lived.append(row.timestamp)
        else:
            index = len(rows)
        if index > at:
            self._note(rows[at:index], index - 1, lived)
        return index

    def _note(self, taken: Sequence[_Row | None], last: int, lived: Sequence[Stamp]) -> None:
        """Remember the times of rows that were taken, and which was the last; some of them were signs of life."""
        stamps = [row.timestamp for row in taken if row is not None]
        self._last = stamps[-1], self._batch, last
        state = self._state
        state.last = max(state.last, *stamps)
        if lived:
            self._assembler.saw(min(lived))
            self._assembler.saw(max(lived))

    def doubt(self) -> None:
        """The parser takes a row: the thread may be anywhere afterwards."""
        self._plain = False

    def _is_plain(self) -> bool:
        state = self._state
        self._plain = bool(
            state.lifecycle and state.first and not state.held and not state.superseded and state.copying is None
        )
        return self._plain

    # ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _began(self, row: _Turn, at: Stamp) -> bool | None:
        if not row.turn_id:
            return None
        self._state.begin_turn(row.turn_id)
        self._assembler.take((TurnBegan(row.turn_id, at),))
        return True

    def _context(self, row: _Context, at: Stamp) -> bool | None:
        """Settings that are as they were."""
        del at
        box = row.sandbox_policy.type or row.sandbox_policy.mode
        policy = f"approval {row.approval_policy}, sandbox {box}"
        state = self._state
        same = row.cwd == state.cwd and row.model == state.model and box and policy == state.policy
        return False if same else None

    # ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _reasoning(self, row: _Reasoning, at: Stamp) -> bool:
        state, told = self._state, False
        state.last_word = ""
        for part in row.summary:
            if part.text.strip() and state.fresh("t", ROW, part.text):
                self._tell("thinking", "", part.text, at)
                told = True
        return told

    def _words(self, row: _Words, at: Stamp) -> bool | None:
        if row.role == "assistant":
            return self._say("\n".join([part.text for part in row.content if part.text]), ROW, row.id, at)
        return False if row.role in {"developer", "system"} else None

    def _said(self, row: _Said, at: Stamp) -> bool:
        return self._say(row.message, EVENT, "", at)

    def _say(self, text: str, source: int, row: str, at: Stamp) -> bool:
        state = self._state
        state.last_word = ""
        if not text.strip():
            return False
        state.said = state.active = True
        if row:
            if row in state.said_rows:
                state.count("r", source, text)
                return False
            state.said_rows.append(row)
        if not state.fresh("r", source, text):
            return False
        self._tell("reply", row, text, at)
        return True

    def _tell(self, kind: str, row: str, text: str, at: Stamp) -> None:
        assembler = self._assembler
        n = assembler.said(kind, "", row, at)
        if self._told:
            assembler.tell(n, self._spot.place, kind, text)

    def _tokens(self, row: _Tokens, at: Stamp) -> bool | None:
        """Usage below its limit, where it was so before."""
        del row, at
        return None if self._state.limit else False

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _function(self, row: _Function, at: Stamp) -> bool | None:
        if row.name in _SESSIONS or row.namespace:
            return None
        if row.name == "exec_command":
            try:
                words = _ARGUMENTS(row.arguments).cmd
            except UNFIT:
                return None
            if words and not may_edit(words):
                known = OpenCall(row.name, "", words, words, StepKind.COMMAND)
                if not self._called(row.call_id, known, at):
                    return None
                if self._told:
                    self._assembler.tell_call(self._spot.place, words, (), ())
                return True
        asked = read_function({"name": row.name, "arguments": row.arguments}, self._state.cwd, skim=True)
        return self._asked(row.call_id, asked, at)

    def _custom(self, row: _Custom, at: Stamp) -> bool | None:
        if row.namespace or row.call_id in self._state.open:
            return None
        asked = read_custom({"name": row.name, "input": row.input}, self._state.cwd, skim=True)
        return self._asked(row.call_id, asked, at)

    def _asked(self, call: str, asked: Asked, at: Stamp) -> bool | None:
        known = OpenCall(asked.tool, asked.session, asked.summary, asked.command or "", asked.kind, bool(asked.edits))
        if not self._called(call, known, at, asked.edits, asked.pending):
            return None
        if self._told:
            self._assembler.tell_call(self._spot.place, asked.command or asked.summary, asked.files, asked.edits)
        return True

    def _called(
        self, call: str, known: OpenCall, at: Stamp, edits: Sequence[FileEdit] = (), pending: str | None = None
    ) -> bool:
        state = self._state
        if not call or call in state.open or call in state.closed:
            return False
        state.last_word = ""
        state.open[call] = known
        state.active = True
        self._assembler.called(call, "", known.kind, at, edits, pending)
        return True

    def _output(self, row: _Output, at: Stamp) -> bool | None:
        del at
        state, call, output = self._state, row.call_id, row.output
        known = state.open.get(call) or state.closed.get(call)
        if known is None or known.session:
            return None
        text = output if isinstance(output, str) else "\n".join([part.text for part in output if part.text])
        if _RUNNING in text or is_made_output(text):
            return None
        state.last_word = ""
        state.open.pop(call, None)
        kind = StepKind.COMMAND if known.nested else None
        known.answered = True
        state.close(call, known)
        if self._told:
            text = read_output(text).text if text[:1] == "{" else text
            self._assembler.answered(call, kind, None, self._spot.place, text)
        else:
            self._assembler.answered(call, kind, None, None, "")
        return True

    # ── finished units ───────────────────────────────────────────────────────────────────────────────────────────────

    def _finished(self, row: _Finished, at: Stamp) -> bool | None:
        item = row.item
        match item.type:
            case "CommandExecution":
                return self._ended(item, item.id, None)
            case "FileChange":
                return self._changed(item, item.id)
            case "AgentMessage":
                return self._say("\n".join([part.text for part in item.content if part.text]), ITEM, item.id, at)
            case _:
                return None

    def _command(self, row: _Command, at: Stamp) -> bool | None:
        del at
        return self._ended(row, row.call_id, None)

    def _patch(self, row: _Patch, at: Stamp) -> bool | None:
        del at
        return self._changed(row, row.call_id)

    def _changed(self, row: _Done, call: str) -> bool | None:
        """As `calls.changed_files` has it, the paths alone."""
        cwd = self._state.cwd
        edits: list[FileEdit] = []
        for name, change in row.changes.items():
            if change.type not in {"add", "delete", "update"}:
                return None
            path = absolute(name, cwd)
            to = absolute(change.move_path, cwd) if change.move_path and change.type == "update" else None
            edits.append(FileEdit(path, "update", moved_to=None if to == path else to))
        return self._ended(row, call, edits)

    def _ended(self, row: _Done, call: str, edits: list[FileEdit] | None) -> bool | None:
        """A unit that is known from its call's row ended, well or badly. It says nothing new of the call's kind: what
        only reads or searches was no edit before.
        """
        state = self._state
        known = state.open.get(call) or state.closed.get(call)
        if known is None or not known.tool or not call or state.running or row.source == "user_shell":
            return None
        if row.status not in _STATUS:
            return None
        state.last_word = ""
        state.open.pop(call, None)
        state.close(call, known)
        output = row.aggregated_output or row.formatted_output or row.stdout + row.stderr
        bad = row.status == "failed" or bool(row.exit_code) or row.success is False
        self._assembler.answered(
            call, None, edits, self._spot.place, "" if known.answered and not bad else output
        )
        return True


def _decoded(rows: Sequence[bytes]) -> list[_Row | None]:
    found = decode_rows(_ROW, rows)
    if not are_plain_stamps([row.timestamp for row in found if row is not None]):
        return [row if row is not None and _STAMP(row.timestamp) else None for row in found]
    return found


_ROW: Final = cast(
    "Callable[[bytes], _Row]",  # rows as made above
    msgspec.json.Decoder(
        reduce(
            or_,
            (
                _row("response_item", _Reasoning, _Words, _Function, _Custom, _Output, _CustomOutput, *_left(_ITEMS)),
                _row("event_msg", _Tokens, _Turn, _Said, _Finished, _Command, _Patch, *_left(_EVENTS)),
                _row("turn_context", _Context),
                *[_row(kind, _Left) for kind in sorted(_ROWS)],
            ),
        )
    ).decode,
)
_ARGUMENTS: Final = msgspec.json.Decoder(_Arguments).decode
