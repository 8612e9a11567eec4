"""The rows that nearly all of a rollout consists of, taken without a look at what a summary does not need.

Decides which rows have a shape whose meaning for a summary is known in full: words of the agent, commands and patches
with their outputs and events, used tokens. They are decoded as far as they count, and what they come to is told to the
assembler directly. Everything else, builds before turns had names, copied heads, superseded stretches, and everything
that does not fit the types below, is left to `CodexParser`, which is the authority: both come to the same, row by row
(`tests/core/readers/test_quick.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from refloat.model.repaired import is_made_output
from refloat.model.stamp import Stamp
from refloat.model.transcript import FileEdit, Message, StepKind, TurnBegan, TurnEnded
from refloat.readers.codex.calls import Asked, read_custom, read_function
from refloat.readers.codex.outputs import read_output
from refloat.readers.codex.prompts import is_injected, person_text, words_among
from refloat.readers.codex.state import OpenCall, State
from refloat.readers.codex.talk import EVENT, ITEM, ROW
from refloat.readers.codex.typed import (
    Command,
    Completed,
    Context,
    Custom,
    CustomOutput,
    Done,
    Finished,
    Function,
    Output,
    Patch,
    Prompted,
    Reasoning,
    Row,
    Said,
    Tokens,
    Turn,
    Words,
    decoded,
    read_arguments,
)
from refloat.readers.patch import absolute
from refloat.readers.plain import UNFIT, Spot
from refloat.readers.shell import may_edit
from refloat.readers.story import Assembler

_SESSIONS: Final = frozenset({"write_stdin", "wait"})
"""Tools that talk to a process that another call began."""


_COMMAND: Final = StepKind.COMMAND
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
        self._held: Message | None = None
        """The prompt of the row before."""
        self._rows: list[Row | None] | None = None
        """As decoded, once one is wanted."""

    @property
    def last(self) -> tuple[Stamp | None, int, int]:
        """Time, number (0 where numbers are not known) and offset of the last row that was taken."""
        at, (rows, line, offset), index = self._last
        return at, line and line + index, offset + sum(map(len, rows[:index])) + index

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        """Rows come that follow each other."""
        self._batch = rows, line, offset
        self._rows = None
        self._spot.begin(rows, line, offset)

    def take(self, at: int) -> int:
        """Take what is plain from a row on, and tell the first one that is not: see `plain.QuickRows`."""
        if not (self._plain or self._is_plain()):
            return at
        if self._rows is None:
            self._rows = [None] * at + decoded(self._batch[0][at:])
        spot, kinds, rows = self._spot, self._KINDS, self._rows
        index, lived = at, list[Stamp]()
        for index in range(at, len(rows)):
            row = rows[index]
            if row is None:
                break
            spot.at = index
            handle = kinds.get(row.payload.__class__)
            told = None if handle is None else handle(self, row.payload, row.timestamp)
            if told is None:
                break
            if told:
                lived.append(row.timestamp)
        else:
            index = len(rows)
        if index > at:
            self._note(rows[at:index], index - 1, lived)
        return index

    def _note(self, taken: Sequence[Row | None], last: int, lived: Sequence[Stamp]) -> None:
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

    def _began(self, row: Turn, at: Stamp) -> bool | None:
        if not row.turn_id:
            return None
        self._state.begin_turn(row.turn_id)
        self._assembler.take((TurnBegan(row.turn_id, at),))
        return True

    def _completed(self, row: Completed, at: Stamp) -> bool | None:
        """A turn with a last word, which was told already."""
        state, turn = self._state, row.turn_id or ""
        if not row.last_agent_message or not state.said or (turn and state.turn and turn != state.turn):
            return None
        state.status = "completed"
        self._assembler.take((TurnEnded("completed", at, turn),))
        return False

    def _context(self, row: Context, at: Stamp) -> bool | None:
        """Settings that are as they were."""
        del at
        box = row.sandbox_policy.type or row.sandbox_policy.mode
        policy = f"approval {row.approval_policy}, sandbox {box}"
        state = self._state
        same = row.cwd == state.cwd and row.model == state.model and box and policy == state.policy
        return False if same else None

    # ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _reasoning(self, row: Reasoning, at: Stamp) -> bool:
        state, told = self._state, False
        state.last_word = ""
        for part in row.summary:
            if part.text.strip() and state.fresh("t", ROW, part.text):
                self._tell("thinking", "", part.text, at)
                told = True
        return told

    def _words(self, row: Words, at: Stamp) -> bool | None:
        if row.role == "assistant":
            return self._say("\n".join([part.text for part in row.content if part.text]), ROW, row.id, at)
        if row.role == "user":
            return self._prompt(row, at)
        return False if row.role in {"developer", "system"} else None

    def _prompt(self, row: Words, at: Stamp) -> bool | None:
        """A prompt as the model gets it, where its event follows at once and tells it."""
        following = self._rows[self._spot.at + 1 : self._spot.at + 2] if self._rows else ()
        event = following[0].payload if following and following[0] is not None else None
        kept = words_among([part.text for part in row.content])
        if row.internal_chat_message_metadata_passthrough is not None or not kept or not isinstance(event, Prompted):
            return None
        text = person_text("\n".join(kept))
        if event.kind or not text or is_injected(event.message) or person_text(event.message) != text:
            return None
        state = self._state
        if state.knows("p", text):
            return None
        state.fresh("p", ROW, text)
        self._held = Message("prompt", text, at, self._spot.place, row=row.id)
        return False

    def _asked(self, row: Prompted, at: Stamp) -> bool | None:
        """The event of the prompt in the row before."""
        del row, at
        state, held = self._state, self._held
        if held is None:
            return None
        self._held = None
        state.fresh("p", EVENT, held.text)
        state.has_events = state.asked = state.active = True
        state.aborted_at = None
        state.status = "open"
        self._assembler.take((held,))
        return False

    def _said(self, row: Said, at: Stamp) -> bool:
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

    def _tokens(self, row: Tokens, at: Stamp) -> bool | None:
        """Usage below its limit, where it was so before."""
        del row, at
        return None if self._state.limit else False

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _function(self, row: Function, at: Stamp) -> bool | None:
        if row.name in _SESSIONS or row.namespace:
            return None
        if row.name == "exec_command":
            try:
                words = read_arguments(row.arguments).cmd
            except UNFIT:
                return None
            if words and not may_edit(words):
                known = OpenCall(row.name, "", words, words, _COMMAND)
                if not self._called(row.call_id, known, at):
                    return None
                if self._told:
                    self._assembler.tell_call(self._spot.place, words, (), ())
                return True
        asked = read_function({"name": row.name, "arguments": row.arguments}, self._state.cwd, skim=True)
        return self._call(row.call_id, asked, at)

    def _custom(self, row: Custom, at: Stamp) -> bool | None:
        if row.namespace or row.call_id in self._state.open:
            return None
        asked = read_custom({"name": row.name, "input": row.input}, self._state.cwd, skim=True)
        return self._call(row.call_id, asked, at)

    def _call(self, call: str, asked: Asked, at: Stamp) -> bool | None:
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

    def _output(self, row: Output, at: Stamp) -> bool | None:
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
        kind = _COMMAND if known.nested else None
        known.answered = True
        state.close(call, known)
        if self._told:
            text = read_output(text).text if text[:1] == "{" else text
            self._assembler.answered(call, kind, None, self._spot.place, text)
        else:
            self._assembler.answered(call, kind, None, None, "")
        return True

    # ── finished units ───────────────────────────────────────────────────────────────────────────────────────────────

    def _finished(self, row: Finished, at: Stamp) -> bool | None:
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

    def _command(self, row: Command, at: Stamp) -> bool | None:
        del at
        return self._ended(row, row.call_id, None)

    def _patch(self, row: Patch, at: Stamp) -> bool | None:
        del at
        return self._changed(row, row.call_id)

    def _changed(self, row: Done, call: str) -> bool | None:
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

    def _ended(self, row: Done, call: str, edits: list[FileEdit] | None) -> bool | None:
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
        self._assembler.answered(call, None, edits, self._spot.place, "" if known.answered and not bad else output)
        return True

    _KINDS: ClassVar[Mapping[type[object], Callable[..., bool | None]]] = {
        Reasoning: _reasoning,
        Words: _words,
        Function: _function,
        Custom: _custom,
        Output: _output,
        CustomOutput: _output,
        Turn: _began,
        Completed: _completed,
        Prompted: _asked,
        Tokens: _tokens,
        Said: _said,
        Finished: _finished,
        Command: _command,
        Patch: _patch,
        Context: _context,
    }
    """Of the class: a value that held its own methods would live until somebody looks for cycles."""
