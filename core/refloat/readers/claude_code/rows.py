"""Rows to events: the envelope that every conversation row has, and who handles which type of row.

Decides what a row says about the session as a whole. Refuses to fail: a value of an unexpected type reads as absent, a
type of row that nobody described becomes an `Unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.light import replace
from refloat.model.problem import Place
from refloat.model.repaired import CLAUDE_FIELD
from refloat.model.stamp import Stamp, read_stamp
from refloat.model.transcript import Call, Event, Fact, Marker, Result, TurnEnded, Unknown
from refloat.readers.claude_code import beside, spoken
from refloat.readers.claude_code.here import Here
from refloat.readers.claude_code.kin import rows_of
from refloat.readers.claude_code.state import State, thaw
from refloat.readers.claude_code.values import Row, listed, mapping, text
from refloat.readers.contract import Line, Segment, SourceFile
from refloat.readers.naming import make_id
from refloat.readers.story import Assembler

if TYPE_CHECKING:
    from refloat.readers.plain import QuickRows

_CONVERSATION: Final[Mapping[str, Callable[[State, Row, Here], None]]] = {
    "user": spoken.user,
    "assistant": spoken.assistant,
    "system": beside.system,
    "attachment": beside.attachment,
    "progress": beside.progress,
}

BACKUPS: Final = frozenset({"file-history-snapshot", "file-history-delta"})
_OF_COPIES: Final = frozenset(
    ["lineage", "parent", "cwd", "worktree", "branch", "version", "entrypoint", "model", "title_set", "title_made"]
)
"""Facts that a copied row tells of the session that holds the copy too."""


class Rows:
    """The parser of one session, or of one sub-agent."""

    def __init__(
        self,
        session_id: str,
        *,
        subagent: bool = False,
        root: str = "",
        frozen: Mapping[str, object] | None = None,
        relatives: Sequence[SourceFile] = (),
        skim: bool = False,
        inputs: bool | None = None,
    ) -> None:
        """`inputs`: those of calls are told, as they are without `skim`."""
        self._session = session_id
        self._subagent = subagent
        self._skim = skim
        self._inputs = not skim if inputs is None else inputs
        self._root = root
        """For a sub-agent whose rows stand between its parent's (1.0): its first row."""
        self._relatives = relatives
        self._foreign: frozenset[str] | None = None
        self._state = thaw(mapping(frozen["state"]), listed(frozen["#rows"])) if frozen else State()
        self._all_sides = frozen["all_sides"] is True if frozen else subagent
        self._backups = text(frozen["backups"]) if frozen else ""

    def open(self, segment: Segment) -> Iterable[Event]:
        """The lines that follow come from this segment; side files may have told something already."""
        note = (segment.identity.note if segment.identity else None) or {}
        self._all_sides = self._subagent or "sidechain" in note
        if self._relatives and self._foreign is None:
            self._foreign = rows_of(self._relatives)
        self._backups = _backup_directory(segment.file.path, self._session)
        found: list[Event] = []
        if segment.identity and segment.identity.role == "main" and segment.identity.parent and not self._subagent:
            found.append(Fact("parent", segment.identity.parent))
        if title := note.get("title"):
            found.append(Fact("title_set", title))
        return found

    def feed(self, line: Line) -> Iterable[Event]:
        """The events of one row."""
        if not isinstance(line.value, dict):
            return (Unknown(type(line.value).__name__),)
        row = mapping(line.value)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - foreign JSON
        kind = row.get("type")
        if not isinstance(kind, str):
            return (Unknown("no type"),)
        handle = _CONVERSATION.get(kind)
        if handle is not None:
            return self._conversation(row, kind, line, handle)
        if self._skim and kind in BACKUPS:
            return ()  # where a file's former content lies is told with the items
        here = Here(None, Place(line.path, line.line, line.offset), backups=self._backups)
        if not self._root and not beside.metadata(self._state, row, kind, here):
            here.events.append(Unknown(kind))
        return here.events

    def quick(self, assembler: Assembler, path: str) -> QuickRows | None:
        """What takes the plain rows of a summary; None where each row wants a look."""
        if self._root or self._relatives or self._foreign is not None:
            return None
        from refloat.readers.claude_code.quick import Quick

        return Quick(self._state, assembler, path, all_sides=self._all_sides, subagent=self._subagent)

    def finish(self) -> Iterable[Event]:
        """A session that died while it was retrying says so in nothing but its last row."""
        state = self._state
        if state.retry is None or state.status:
            return ()
        return (TurnEnded("open", None, failure=state.failure),)

    def freeze(self) -> dict[str, object]:
        """All that must be known to go on, as JSON values."""
        state = self._state
        own = {"all_sides": self._all_sides, "backups": self._backups}
        return {"state": state.freeze(), "#rows": state.tree.freeze_rows(), **own}

    def _conversation(
        self, row: Row, kind: str, line: Line, handle: Callable[[State, Row, Here], None]
    ) -> Iterable[Event]:
        state = self._state
        at = read_stamp(row.get("timestamp"))
        uuid = text(row.get("uuid"))
        if at is not None and at > state.last_at:
            state.last_at = at
        if self._root:
            if not self._inside(row, uuid):
                return ()
        elif row.get("isSidechain") is True and not self._all_sides:
            return () if at is None else (self._alive(at),)
        if uuid and state.tree.seen(uuid, line.size):
            return ()
        here = self._here(row, uuid, at, line)
        self._envelope(row, uuid, here)
        if state.continued and kind in {"user", "assistant"}:
            state.continued = False
            here.events.append(Fact("continued_in", "", at))
        before = len(here.events)
        handle(state, row, here)
        if self._is_copy(uuid):
            return self._of_relative(here)
        if state.copied_calls:
            answers = [event for event in here.events if isinstance(event, Result) and event.id in state.copied_calls]
            here.events[:] = [event for event in here.events if event not in answers]
        if not here.placed:
            state.tree.add(uuid, here.parent, line.size)
        if state.summaries:
            beside.title_of_leaf(state, uuid, here)
        if at is not None and (len(here.events) == before or isinstance(here.events[-1], Unknown)):
            here.events.append(self._alive(at))
        return here.events

    def _here(self, row: Row, uuid: str, at: Stamp | None, line: Line) -> Here:
        parent = row.get("parentUuid")
        return Here(
            at,
            Place(line.path, line.line, line.offset),
            row=uuid,
            parent=parent if parent is None or isinstance(parent, str) else "",
            size=line.size,
            subagent=self._subagent,
            backups=self._backups,
            skim=self._skim,
            inputs=self._inputs,
        )

    def _is_copy(self, uuid: str) -> bool:
        """Whether a row counts to an older session. None does behind the place where reading once stopped."""
        return self._foreign is not None and uuid in self._foreign

    def _of_relative(self, here: Here) -> Iterable[Event]:
        """What a copied row says of this session: where it began, with what, and nothing of its time."""
        state = self._state
        if not here.placed:
            state.tree.add(here.row, here.parent, here.size)
        for event in here.events:
            match event:
                case Call():
                    state.copied_calls.append(event.id)
                case Result() if event.id in state.copied_calls:
                    state.copied_calls.remove(event.id)
                case _:
                    pass
        facts = [event for event in here.events if isinstance(event, Fact) and event.key in _OF_COPIES]
        return [replace(fact, at=None) for fact in facts]

    def _inside(self, row: Row, uuid: str) -> bool:
        """Whether a row belongs to the inline sub-agent that this parser is for."""
        if row.get("isSidechain") is not True or not uuid:
            return False
        if uuid == self._root or row.get("parentUuid") in self._state.inside[-64:]:
            self._state.inside = [*self._state.inside[-255:], uuid]
            return True
        return False

    def _alive(self, at: Stamp) -> Event:
        """Nothing but a sign of life at that time."""
        state = self._state
        return Fact("cwd", state.cwd, at) if state.cwd else Fact("version", state.version, at)

    def _envelope(self, row: Row, uuid: str, here: Here) -> None:
        state, events, at = self._state, here.events, here.at
        cwd = row.get("cwd")
        if cwd != state.cwd and isinstance(cwd, str) and cwd:
            events.append(Fact("cwd", cwd, at))
            if state.cwd:
                events.append(Marker("cwd_change", cwd, at, here.place))
            else:
                state.first_cwd = cwd
            state.cwd = cwd
            if state.waiting_backups:
                beside.late_backups(state, here)
        branch = row.get("gitBranch")
        if branch != state.branch and isinstance(branch, str):
            state.branch = branch
            # `HEAD` is written when it is detached, and where there is no repository at all.
            events.append(Fact("branch", "" if branch == "HEAD" else branch, at))
        version = row.get("version")
        if version != state.version and isinstance(version, str):
            state.version = version
            events.append(Fact("version", version, at))
        entrypoint = row.get("entrypoint")
        if entrypoint != state.entrypoint and isinstance(entrypoint, str):
            state.entrypoint = entrypoint
            events.append(Fact("entrypoint", entrypoint, at))
        if not state.begun and uuid:
            state.begun = True
            events.append(Fact("lineage", uuid, at))
            if at is not None:
                events.append(Fact("started", at, at))
        repair = mapping(row.get(CLAUDE_FIELD))
        if repair.get("made") == "note" and (told := read_stamp(repair.get("at"))):
            events.append(Fact("repaired", told, at))
        if "forkedFrom" in row or state.copied_from:
            self._fork(make_id(text(mapping(row.get("forkedFrom")).get("sessionId"))), here)

    def _fork(self, source: str, here: Here) -> None:
        state = self._state
        if source in {state.copied_from, self._session}:
            return
        if source:
            here.events.append(Fact("parent", source, here.at))
        elif state.copied_from:
            here.events.append(Marker("fork", state.copied_from, here.at, here.place))
        state.copied_from = source


def _backup_directory(path: str, session_id: str) -> str:
    """Where the program keeps its backups for a transcript below `projects`; "" for one from elsewhere."""
    parts = path.rsplit("/", 3)
    return f"{parts[0]}/file-history/{session_id}" if len(parts) == 4 and parts[1] == "projects" else ""
