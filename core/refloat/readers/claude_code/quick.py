"""The rows that nearly all of a transcript consists of, taken without a look at what a summary does not need.

Decides which rows have a shape whose meaning for a summary is known in full: words and calls of the agent, good results
of plain tools, attachments and metadata that tell nothing. They are decoded as far as they count, and what they come to
is told to the assembler directly. Everything else, and everything that does not fit the types below, is left to `Rows`,
which is the authority: both come to the same, row by row (`tests/core/readers/test_quick.py`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

import msgspec
from msgspec import Struct

from refloat.model.stamp import Stamp
from refloat.model.transcript import FileEdit, StepKind, TurnEnded
from refloat.readers.claude_code.beside import ATTACHMENTS, SKIPPED
from refloat.readers.claude_code.here import Here
from refloat.readers.claude_code.results import ABORTED, OpenCall
from refloat.readers.claude_code.rows import BACKUPS
from refloat.readers.claude_code.spoken import ENDS, SYNTHETIC, null_may_end, take_prompt
from refloat.readers.claude_code.state import RECENT, State
from refloat.readers.claude_code.talk import kind_of_words
from refloat.readers.claude_code.tools import FILE_EDITORS, SHELLS, read_call, telling
from refloat.readers.patch import absolute
from refloat.readers.plain import UNFIT, Spot, is_plain_stamp, is_utf8
from refloat.readers.shell import may_edit
from refloat.readers.story import Assembler

_TOOLS: Final = SHELLS | {"Edit", "Write", "MultiEdit", "Read", "NotebookRead", "LS", "Glob", "Grep", "WebFetch"}
"""Their good results tell nothing but files, and that they ended."""
_ENDS_TURN: Final = frozenset({"turn_duration", "stop_hook_summary"})


class _Text(Struct, gc=False, tag="text"):
    text: str


class _Thinking(Struct, gc=False, tag="thinking"):
    thinking: str = ""


class _ToolUse(Struct, gc=False, tag="tool_use"):
    id: str
    name: str
    input: dict[str, object]


class _Image(Struct, gc=False, tag="image"):
    pass


class _Document(Struct, gc=False, tag="document"):
    """Left to the parser; so are the next ones, and what is missing here."""


class _Reference(Struct, gc=False, tag="tool_reference"):
    pass


class _Redacted(Struct, gc=False, tag="redacted_thinking"):
    pass


class _ServerTool(Struct, gc=False, tag="server_tool_use"):
    pass


class _Found(Struct, gc=False, tag="web_search_tool_result"):
    pass


_Given = _Text | _Image | _Document | _Reference


class _ToolResult(Struct, gc=False, tag="tool_result"):
    tool_use_id: str
    content: str | list[_Given] = ""
    is_error: bool | None = None


_Block = _Thinking | _ToolUse | _ToolResult | _Redacted | _ServerTool | _Found | _Given


class _Message(Struct, gc=False):
    content: str | list[_Block] = []
    model: str = ""
    id: str = ""
    stop_reason: str | None = None


class _Told(Struct, gc=False):
    """`toolUseResult` of a plain tool: none of the rarer things is told, or the decoder refuses the row."""

    filePath: str = ""  # noqa: N815 - the agent's names, here and below
    oldString: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET  # noqa: N815
    content: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    edits: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    interrupted: bool = False
    backgroundTaskId: None = None  # noqa: N815
    returnCodeInterpretation: None = None  # noqa: N815
    gitOperation: None = None  # noqa: N815
    bashEditDiff: None = None  # noqa: N815
    notebook_path: None = None
    task: None = None
    shellId: None = None  # noqa: N815


class _Attachment(Struct, gc=False):
    type: str = ""


class _Origin(Struct, gc=False):
    kind: str = ""


class _Row(Struct, gc=False):
    """Without what the whole session has in common. What must be absent is typed so: it hardly ever comes."""

    type: str
    uuid: str = ""
    timestamp: Stamp = Stamp("")
    """One only where it looks like one."""
    parentUuid: str | None = None  # noqa: N815
    isSidechain: bool = False  # noqa: N815
    message: _Message | None = None
    toolUseResult: _Told | str | list[msgspec.Raw] | None = None  # noqa: N815
    attachment: _Attachment | None = None
    subtype: str = ""
    hookErrors: tuple[str, ...] = ()  # noqa: N815
    preventedContinuation: bool | None = None  # noqa: N815
    retractedMessageUuids: None = None  # noqa: N815
    forkedFrom: None = None  # noqa: N815
    isApiErrorMessage: None = None  # noqa: N815
    isAbortedMidStream: None = None  # noqa: N815
    interruptedByShutdown: None = None  # noqa: N815
    refloatRepair: None = None  # noqa: N815 - see `model.repaired`
    origin: _Origin | None = None
    promptSource: str | None = None  # noqa: N815
    isMeta: object = None  # noqa: N815
    isCompactSummary: object = None  # noqa: N815
    isVirtual: object = None  # noqa: N815
    isVisibleInTranscriptOnly: object = None  # noqa: N815
    rewound: bool | None = None
    aiTitle: str | None = None  # noqa: N815


class _Whole(Struct, gc=False):
    """What rows have in common."""

    cwd: str | None = None
    gitBranch: str | None = None  # noqa: N815
    version: str | None = None
    entrypoint: str | None = None


_ROW: Final = msgspec.json.Decoder(_Row).decode
_WHOLE: Final = msgspec.json.Decoder(_Whole).decode
_COMMON: Final = re.compile(rb'(?:,"(?:userType|entrypoint|cwd|sessionId|version|gitBranch)":"[^"\\]*")+\}\Z')
"""What rows have in common, at their end. A bare `,"` cannot stand inside a text: where a valid row ends so, these are
keys of its own, and of several with one name the last one counts.
"""
_NAMED: Final = (b',"cwd":', b',"gitBranch":', b',"version":', b',"entrypoint":')
_END: Final = 2048
"""Bytes at the end of a row in which what rows have in common is looked for."""
_NONE: Final = b"\0"
"""No row ends so."""
_COMMAND: Final = StepKind.COMMAND.value
_ENDED: Final = TurnEnded("completed", None)


def _decode(raw: bytes) -> _Row | None:
    """A row; None where it does not fit."""
    try:
        found = _ROW(raw)
    except UNFIT:
        return None
    return found if raw.isascii() or is_utf8(raw) else None


class Quick:
    """Takes rows of one session, or of a sub-agent in files of its own, on behalf of its parser.

    What takes a kind of row says whether it did; where it did not, nothing has changed.
    """

    def __init__(self, state: State, assembler: Assembler, path: str, *, all_sides: bool, subagent: bool) -> None:
        self._state = state
        self._assembler = assembler
        self._told = assembler.is_searched
        self._spot = Spot(path, told=self._told)
        self._all_sides = all_sides
        self._subagent = subagent
        self._raw: Sequence[bytes] = ()
        """The rows that come."""
        self._whole: tuple[str, ...] = ()
        """What the session had in common when `_common` was found."""
        self._common = _NONE
        """The end of rows that tell nothing new of the session as a whole."""

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        """Rows come that follow each other."""
        self._raw = rows
        self._spot.begin(rows, line, offset)

    def take(self, at: int) -> int:
        """Take what is plain from a row on, and tell the first one that is not: see `plain.QuickRows`."""
        spot, kinds, rows = self._spot, self._KINDS, self._raw
        plain, index, lived = self._is_plain(), at, list[Stamp]()
        for index in range(at, len(rows)):
            raw = rows[index]
            # Texts are long: decoded one by one, each is worked on while it is near the processor.
            row = _decode(raw)
            if row is None:
                break
            handle = kinds.get(row.type)
            if handle is None:
                if not self._metadata(row):
                    break
                continue
            if not (plain and row.uuid and is_plain_stamp(row.timestamp)) or (row.isSidechain and not self._all_sides):
                break
            spot.at = index
            if not (raw.endswith(self._common) or self._is_same(raw)) or not handle(
                self, row, row.timestamp, len(raw) + 1
            ):
                break
            lived.append(row.timestamp)
        else:
            index = len(rows)
        if lived:
            latest = max(lived)
            self._state.last_at = max(self._state.last_at, latest)
            self._assembler.saw(min(lived))
            self._assembler.saw(latest)
        return index

    def _is_plain(self) -> bool:
        """Whether the session is where plain rows are all that they seem; so it stays until the parser takes one."""
        state = self._state
        whole = state.cwd, state.branch, state.version, state.entrypoint
        if whole != self._whole:
            self._whole, self._common = whole, _NONE
        return bool(state.begun and state.cwd) and not (
            state.copied_from or state.copied_calls or state.summaries or state.continued
        )

    def _metadata(self, row: _Row) -> bool:
        kind = row.type
        if kind == "ai-title":
            if row.aiTitle:
                self._assembler.fact("title_made", row.aiTitle)
            return True
        if kind == "last-prompt":
            return row.rewound is not True
        return kind in SKIPPED or kind in BACKUPS

    def _is_same(self, raw: bytes) -> bool:
        """Whether a row tells nothing new of the session as a whole; remembers how such rows end."""
        try:
            row = _WHOLE(raw)
        except msgspec.MsgspecError:
            return False
        state = self._state
        if (
            (row.cwd != state.cwd and row.cwd)
            or (row.gitBranch != state.branch and row.gitBranch is not None)
            or (row.version != state.version and row.version is not None)
            or (row.entrypoint != state.entrypoint and row.entrypoint is not None)
        ):
            return False
        near = max(0, len(raw) - _END)
        at = max(raw.rfind(b',"userType":"', near), 0) or raw.rfind(b',"cwd":"', near)
        common = _COMMON.match(raw, at) if at > 0 else None
        if common is not None and all(name in common[0] for name in _NAMED):
            self._common = common[0]
        return True

    def _lives(self, row: _Row, size: int) -> bool:
        """Take the row into the tree; False where it was read before."""
        return self._state.tree.take(row.uuid, row.parentUuid, size)

    def _attachment(self, row: _Row, at: Stamp, size: int) -> bool:
        del at
        held = row.attachment
        return held is not None and held.type not in ATTACHMENTS and self._lives(row, size)

    def _system(self, row: _Row, at: Stamp, size: int) -> bool:
        """The end of a turn, as the program notes it."""
        del at
        if row.subtype not in _ENDS_TURN or row.hookErrors or not self._lives(row, size):
            return False
        state = self._state
        if row.preventedContinuation is not True and state.status not in {"failed", "interrupted", "open"}:
            state.status, state.retry = "completed", None
            self._assembler.ended(_ENDED)
        return True

    # ── the agent ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _assistant(self, row: _Row, at: Stamp, size: int) -> bool:
        state, message = self._state, row.message
        if message is None or isinstance(message.content, str) or state.command_at is not None:
            return False
        stop = message.stop_reason
        if (message.model != state.model and message.model) or message.model == SYNTHETIC or stop == "refusal":
            return False
        said: list[str] = []
        thought: list[str] = []
        calls: list[_ToolUse] = []
        for block in message.content:
            if isinstance(block, _ToolUse):
                if block.name not in _TOOLS or not block.id:
                    return False
                calls.append(block)
            elif isinstance(block, _Text):
                if block.text:
                    said.append(block.text)
            elif isinstance(block, _Thinking):
                if block.thinking:
                    thought.append(block.thinking)
            else:
                return False
        if not self._lives(row, size):
            return False
        state.status, state.shut, state.retry, state.unanswered = "", False, None, False
        if thought:
            self._say("thinking", thought, row, at)
        if said:
            self._say("reply", said, row, at)
        for call in calls:
            self._call(call, row.uuid, at)
        if stop is not None:
            state.tells_stop = state.version
        if not calls and (stop in ENDS or (stop is None and said and null_may_end(state))):
            state.status = "completed"
            self._assembler.ended(_ENDED)
        return True

    def _say(self, kind: str, parts: list[str], row: _Row, at: Stamp) -> None:
        message = row.message.id if row.message is not None else ""
        n = self._assembler.said(kind, message, row.uuid, at)
        if self._told:
            self._assembler.tell(n, self._spot.place, kind, "\n".join(parts))

    def _call(self, block: _ToolUse, row: str, at: Stamp) -> None:
        state, assembler, tool, given, name = self._state, self._assembler, block.name, block.input, block.id
        command = given.get("command") if tool in SHELLS else None
        if isinstance(command, str) and not may_edit(command):
            known = OpenCall(tool, _COMMAND, state.cwd, command)
            first = assembler.called(name, telling(tool, given, at), _COMMAND, at, (), None)
            if first is not None and self._told:
                assembler.tell_call(self._spot.place, command, (), ())
        else:
            asked = read_call(tool, given, state.cwd, skim=True)
            writes = bool(asked.edits) and tool in SHELLS
            known = OpenCall(tool, asked.kind.value, state.cwd, asked.command or "", writes)
            first = assembler.called(name, telling(tool, given, at), asked.kind, at, asked.edits, asked.pending)
            if first is not None and self._told:
                assembler.tell_call(self._spot.place, asked.command or asked.summary, asked.files, asked.edits)
        state.calls[name] = known
        state.recent.append([row, name])
        if len(state.recent) > RECENT:
            del state.recent[0]

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _user(self, row: _Row, at: Stamp, size: int) -> bool:
        """A good result of a plain tool, with what the program keeps of it for itself; or a prompt."""
        state, told = self._state, row.toolUseResult
        if row.message is not None and isinstance(row.message.content, str):
            return self._prompt(row, row.message.content, at, size)
        if row.message is None or not isinstance(told, _Told) or told.interrupted or len(row.message.content) != 1:
            return False
        block = row.message.content[0]
        if not isinstance(block, _ToolResult) or block.is_error is True:
            return False
        call = state.calls.get(block.tool_use_id)
        if call is None or call.tool not in _TOOLS:
            return False
        output = block.content if isinstance(block.content, str) else _words(block.content)
        if not output or (call.tool in SHELLS and output[-200:].rstrip().endswith(ABORTED)):
            return False
        if output.startswith("Command running in background with ID:") or not self._lives(row, size):
            return False
        state.retry, state.unanswered, state.compacted = None, False, False
        del state.calls[block.tool_use_id]
        edits = _edits(told, call) if told.filePath else None
        self._assembler.answered(block.tool_use_id, None, edits, self._spot.place, output)
        return True

    def _prompt(self, row: _Row, said: str, at: Stamp, size: int) -> bool:
        """What a person typed, where the row says nothing else."""
        state = self._state
        if not (row.isMeta is row.isCompactSummary is row.isVirtual is row.isVisibleInTranscriptOnly is None):
            return False
        if kind_of_words(said, "" if row.origin is None else row.origin.kind, row.promptSource) != "prompt":
            return False
        if not said.strip() or state.tree.seen(row.uuid, size):
            return False
        here = Here(at, self._spot.place, row.uuid, row.parentUuid, size, self._subagent, skim=True)
        state.compacted = False
        take_prompt(state, said, here, queued=row.promptSource == "queued")
        self._assembler.take(here.events)
        return True

    _KINDS: ClassVar[Mapping[str, Callable[..., bool]]] = {
        "user": _user,
        "assistant": _assistant,
        "attachment": _attachment,
        "system": _system,
    }
    """Of the class: a value that held its own methods would live until somebody looks for cycles."""


def _words(content: list[_Given]) -> str:
    """The texts among pictures; "" where anything else stands."""
    if not all(isinstance(block, _Text | _Image) for block in content):
        return ""
    return "\n".join([block.text for block in content if isinstance(block, _Text)])


def _edits(told: _Told, call: OpenCall) -> tuple[FileEdit, ...] | None:
    """As `results.recorded_edits` has it when skimming."""
    if call.tool not in FILE_EDITORS:
        return None
    if told.content is told.oldString is told.edits is msgspec.UNSET:
        return None
    return (FileEdit(absolute(told.filePath, call.cwd), "update"),)
