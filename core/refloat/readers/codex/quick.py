"""The rows that nearly all of a rollout consists of, taken without a look at what a summary does not need.

Decides which rows have a shape whose meaning for a summary is known in full: words of the agent, commands and patches
with their outputs and events, used tokens. They are decoded as far as they count, and what they come to is told to the
assembler directly. Everything else, builds before turns had names, copied heads, superseded stretches, and everything
that does not fit the types below, is left to `CodexParser`, which is the authority: both come to the same, row by row
(`tests/core/readers/test_quick.py`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from refloat.model.repaired import is_made_output
from refloat.model.stamp import Stamp
from refloat.model.transcript import FileEdit, StepKind, TurnBegan
from refloat.readers.codex.calls import Asked, read_custom, read_function
from refloat.readers.codex.outputs import read_output
from refloat.readers.codex.state import OpenCall, State
from refloat.readers.codex.talk import EVENT, ITEM, ROW
from refloat.readers.patch import absolute
from refloat.readers.plain import Spot, is_utf8
from refloat.readers.shell import may_edit
from refloat.readers.story import Assembler

_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII).fullmatch
_SESSIONS: Final = frozenset({"write_stdin", "wait"})
"""Tools that talk to a process that another call began."""


class _Part(Struct):
    text: str = ""


class _Reasoning(Struct):
    summary: list[_Part] = []


class _Words(Struct):
    role: str = ""
    content: list[_Part] = []
    id: str = ""


class _Call(Struct):
    name: str
    call_id: str
    arguments: str = ""
    input: str = ""
    namespace: None = None


class _Arguments(Struct):
    """Of the tools that run a command line."""

    cmd: str = ""
    command: None = None
    input: None = None


class _Output(Struct):
    call_id: str
    output: str | list[_Part]


class _Window(Struct):
    used_percent: float | None = None


class _Limits(Struct):
    rate_limit_reached_type: None = None
    primary: _Window | None = None
    secondary: _Window | None = None
    primary_used_percent: None = None
    secondary_used_percent: None = None


class _Tokens(Struct):
    rate_limits: _Limits | None = None


class _Turn(Struct):
    turn_id: str


class _Sandbox(Struct):
    type: str = ""
    mode: str = ""


class _Context(Struct):
    cwd: str
    model: str
    approval_policy: str
    sandbox_policy: _Sandbox


class _Said(Struct):
    message: str


class _Change(Struct):
    type: str = ""
    move_path: str | None = None


class _Done(Struct):
    """A finished unit: an item, or an event of the builds before."""

    type: str
    id: str = ""
    call_id: str = ""
    source: str = ""
    status: str = ""
    exit_code: int | None = None
    success: bool | None = None
    content: list[_Part] = []
    changes: dict[str, _Change] = {}
    aggregated_output: str = ""
    formatted_output: str = ""
    stdout: str = ""
    stderr: str = ""


class _Finished(Struct):
    item: _Done


class _Row(Struct):
    timestamp: Stamp
    """One only where it looks like one."""
    payload: Any


def _decoder(kind: str, payload: type[Struct]) -> Callable[[bytes], _Row]:
    row = msgspec.defstruct("row", [("timestamp", Stamp), ("payload", payload)], tag_field="type", tag=kind)
    return cast("Callable[[bytes], _Row]", msgspec.json.Decoder(row).decode)  # a row as made above


_UNFIT: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_NEAR: Final = 160
_TURN_CONTEXT: Final = b'"type":"turn_context","payload":{'
_RUNNING: Final = "running with"
"""Stands in every output that leaves a process behind."""
_KIND: Final = b'"payload":{"type":"'
_KIND_LENGTH: Final = len(_KIND)
_STATUS: Final = frozenset({"", "completed", "failed"})


class Quick:
    """Takes rows of one thread, or of a sub-agent's, on behalf of its parser."""

    def __init__(self, state: State, assembler: Assembler, path: str) -> None:
        self._state = state
        self._assembler = assembler
        self._told = assembler.is_searched
        self._at = Spot(path, told=self._told)
        self.last: tuple[Stamp | None, int, int] = (None, 0, 0)
        """Time, number and offset of the last row that was taken."""
        self._plain = False
        """The thread is where plain rows are all that they seem; so it stays until the parser takes a row."""
        call, output = _CALL, _OUTPUT
        self._kinds: Mapping[bytes, tuple[Callable[[bytes], _Row], Callable[[Any, Stamp], bool]]] = {
            b"reasoning": (_REASONING, self._reasoning),
            b"message": (_WORDS, self._words),
            b"function_call": (call, self._function),
            b"custom_tool_call": (call, self._custom),
            b"function_call_output": (output, self._output),
            b"custom_tool_call_output": (output, self._output),
            b"task_started": (_TURN, self._began),
            b"token_count": (_TOKENS, self._tokens),
            b"agent_message": (_SAID, self._said),
            b"item_completed": (_FINISHED, self._finished),
            b"exec_command_end": (_DONE, self._command),
            b"patch_apply_end": (_DONE, self._patch),
        }

    def __call__(self, raw: bytes, line: int, offset: int) -> bool:
        """Whether the row was taken; where it was not, nothing has changed."""
        if not (self._plain or self._is_plain()):
            return False
        start = raw.find(_KIND, 0, _NEAR) + _KIND_LENGTH
        if start >= _KIND_LENGTH:
            known = self._kinds.get(raw[start : raw.find(b'"', start)])
        else:
            known = (_CONTEXT, self._context) if raw.find(_TURN_CONTEXT, 0, _NEAR) > 0 else None
        if known is None or not (raw.isascii() or is_utf8(raw)):
            return False
        if self._told:
            self._at.line, self._at.offset = line, offset
        try:
            row = known[0](raw)
        except _UNFIT:
            return False
        at = row.timestamp
        if not _STAMP(at) or not known[1](row.payload, at):
            return False
        state = self._state
        if at > state.last:  # noqa: PLR1730 - once a row
            state.last = at
        self.last = at, line, offset
        return True

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

    def _began(self, row: _Turn, at: Stamp) -> bool:
        if not row.turn_id:
            return False
        self._state.begin_turn(row.turn_id)
        self._assembler.take((TurnBegan(row.turn_id, at),))
        return True

    def _context(self, row: _Context, at: Stamp) -> bool:
        """Settings that are as they were."""
        del at
        box = row.sandbox_policy.type or row.sandbox_policy.mode
        policy = f"approval {row.approval_policy}, sandbox {box}"
        state = self._state
        return bool(row.cwd == state.cwd and row.model == state.model and box and policy == state.policy)

    # ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _reasoning(self, row: _Reasoning, at: Stamp) -> bool:
        state = self._state
        state.last_word = ""
        for part in row.summary:
            if part.text.strip() and state.fresh("t", ROW, part.text):
                self._tell("thinking", "", part.text, at)
        return True

    def _words(self, row: _Words, at: Stamp) -> bool:
        if row.role == "assistant":
            return self._say("\n".join([part.text for part in row.content if part.text]), ROW, row.id, at)
        return row.role in {"developer", "system"}

    def _said(self, row: _Said, at: Stamp) -> bool:
        return self._say(row.message, EVENT, "", at)

    def _say(self, text: str, source: int, row: str, at: Stamp) -> bool:
        state = self._state
        state.last_word = ""
        if not text.strip():
            return True
        state.said = state.active = True
        if row:
            if row in state.said_rows:
                state.count("r", source, text)
                return True
            state.said_rows.append(row)
        if state.fresh("r", source, text):
            self._tell("reply", row, text, at)
        return True

    def _tell(self, kind: str, row: str, text: str, at: Stamp) -> None:
        assembler = self._assembler
        assembler.saw(at)
        n = assembler.said(kind, "", row, at)
        if self._told:
            assembler.tell(n, self._at.place, kind, text)

    def _tokens(self, row: _Tokens, at: Stamp) -> bool:
        del at
        limits = row.rate_limits
        if self._state.limit:
            return False
        return limits is None or not (_is_full(limits.primary) or _is_full(limits.secondary))

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _function(self, row: _Call, at: Stamp) -> bool:
        if row.name in _SESSIONS or not row.call_id:
            return False
        if row.name == "exec_command":
            try:
                words = _ARGUMENTS(row.arguments).cmd
            except _UNFIT:
                return False
            if words and not may_edit(words):
                known = OpenCall(row.name, "", words, words, StepKind.COMMAND)
                if not self._called(row.call_id, known, at):
                    return False
                if self._told:
                    self._assembler.tell_call(self._at.place, words, (), ())
                return True
        asked = read_function({"name": row.name, "arguments": row.arguments}, self._state.cwd, skim=True)
        return self._asked(row.call_id, asked, at)

    def _custom(self, row: _Call, at: Stamp) -> bool:
        if not row.call_id:
            return False
        return self._asked(
            row.call_id, read_custom({"name": row.name, "input": row.input}, self._state.cwd, skim=True), at
        )

    def _asked(self, call: str, asked: Asked, at: Stamp) -> bool:
        known = OpenCall(asked.tool, asked.session, asked.summary, asked.command or "", asked.kind, bool(asked.edits))
        if not self._called(call, known, at, asked.edits, asked.pending):
            return False
        if self._told:
            self._assembler.tell_call(self._at.place, asked.command or asked.summary, asked.files, asked.edits)
        return True

    def _called(
        self, call: str, known: OpenCall, at: Stamp, edits: Sequence[FileEdit] = (), pending: str | None = None
    ) -> bool:
        state = self._state
        if call in state.open or call in state.closed:
            return False
        state.last_word = ""
        state.open[call] = known
        state.active = True
        self._assembler.saw(at)
        self._assembler.called(call, "", known.kind, at, edits, pending)
        return True

    def _output(self, row: _Output, at: Stamp) -> bool:
        state, call, output = self._state, row.call_id, row.output
        known = state.open.get(call) or state.closed.get(call)
        if known is None or known.session:
            return False
        text = output if isinstance(output, str) else "\n".join([part.text for part in output if part.text])
        if _RUNNING in text or is_made_output(text):
            return False
        state.last_word = ""
        state.open.pop(call, None)
        kind = StepKind.COMMAND if known.nested else None
        known.answered = True
        state.close(call, known)
        self._assembler.saw(at)
        text = read_output(text).text if self._told and text[:1] == "{" else text
        self._assembler.answered(call, kind, None, self._at.place, text)
        return True

    # ── finished units ───────────────────────────────────────────────────────────────────────────────────────────────

    def _finished(self, row: _Finished, at: Stamp) -> bool:
        item = row.item
        match item.type:
            case "CommandExecution":
                return self._ended(item, item.id, None, at)
            case "FileChange":
                return self._changed(item, item.id, at)
            case "AgentMessage":
                return self._say("\n".join([part.text for part in item.content if part.text]), ITEM, item.id, at)
            case _:
                return False

    def _command(self, row: _Done, at: Stamp) -> bool:
        return self._ended(row, row.call_id, None, at)

    def _patch(self, row: _Done, at: Stamp) -> bool:
        return self._changed(row, row.call_id, at)

    def _changed(self, row: _Done, call: str, at: Stamp) -> bool:
        """As `calls.changed_files` has it, the paths alone."""
        cwd = self._state.cwd
        edits: list[FileEdit] = []
        for name, change in row.changes.items():
            if change.type not in {"add", "delete", "update"}:
                return False
            path = absolute(name, cwd)
            to = absolute(change.move_path, cwd) if change.move_path and change.type == "update" else None
            edits.append(FileEdit(path, "update", moved_to=None if to == path else to))
        return self._ended(row, call, edits, at)

    def _ended(self, row: _Done, call: str, edits: list[FileEdit] | None, at: Stamp) -> bool:
        """A unit that is known from its call's row ended, well or badly. It says nothing new of the call's kind: what
        only reads or searches was no edit before.
        """
        state = self._state
        known = state.open.get(call) or state.closed.get(call)
        if known is None or not known.tool or not call or state.running or row.source == "user_shell":
            return False
        if row.status not in _STATUS:
            return False
        state.last_word = ""
        state.open.pop(call, None)
        state.close(call, known)
        output = row.aggregated_output or row.formatted_output or row.stdout + row.stderr
        bad = row.status == "failed" or bool(row.exit_code) or row.success is False
        self._assembler.saw(at)
        self._assembler.answered(call, None, edits, self._at.place, "" if known.answered and not bad else output)
        return True


def _is_full(window: _Window | None) -> bool:
    return window is not None and window.used_percent is not None and window.used_percent >= 100.0


_REASONING: Final = _decoder("response_item", _Reasoning)
_WORDS: Final = _decoder("response_item", _Words)
_CALL: Final = _decoder("response_item", _Call)
_OUTPUT: Final = _decoder("response_item", _Output)
_TURN: Final = _decoder("event_msg", _Turn)
_CONTEXT: Final = _decoder("turn_context", _Context)
_ARGUMENTS: Final = msgspec.json.Decoder(_Arguments).decode
_TOKENS: Final = _decoder("event_msg", _Tokens)
_SAID: Final = _decoder("event_msg", _Said)
_FINISHED: Final = _decoder("event_msg", _Finished)
_DONE: Final = _decoder("event_msg", _Done)
