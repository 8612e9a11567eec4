"""What a reader of one agent's transcripts must offer, and the values that it exchanges with the rest.

A reader declares where files lie (`walks`), tells from a path, or a file's head, what a file is (`identify`), puts
files together to sessions (`group`) and turns lines into events (`parser`). It never raises for bad input, never
writes, never shortens or decorates. `refloat.testing.conformance` checks every reader for
what needs no knowledge of its format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from refloat.model.light import light
from refloat.model.problem import Place, Problem
from refloat.model.session import Kept, RecordGone
from refloat.model.transcript import Event

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.liveness import Holder, ProcessInfo
    from refloat.model.stopping import Asking


@light
class Walk:
    """A tree of files of an agent, as data: the quick road walks it without importing the reader."""

    root: str
    suffixes: tuple[str, ...]
    depth: int
    """How many directories deep, 0 for the root itself."""
    holds: Literal["transcripts", "side", "registers", "locks", "history", "index"]
    """`side`: belongs to transcripts but is none (headers of sub-agents). `index`: a database that its agent writes all
    the time, which names sessions. A look notices a change of any of these; a watcher hears of all but the last.
    """


@light
class SourceFile:
    """A file as `stat` tells it."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    device: int


@light
class Identity:
    """What a file is. Kept in the catalogue, so that a known file is not opened again to ask."""

    role: Literal["main", "subagent", "hidden", "none"]
    """`hidden`: a session of the agent's own machinery (a reviewer, a compactor). `none`: no transcript."""
    session_id: str
    parent: str = ""
    """For sub-agents: the session that they belong to. For forks: where they come from."""
    own: str = ""
    """For sub-agents and physical parts: the file's own id."""
    started: str = ""
    """A stamp, for the order of several files of one session."""
    base: tuple[str, int] | None = None
    """This file goes on from another physical file (its `own`) cut at so many bytes."""
    note: Mapping[str, str] | None = None
    """Anything else that the reader wants back in `group` and `parser`."""


@light
class Segment:
    """A stretch of a file to be read as a part of a session."""

    file: SourceFile
    start: int = 0
    end: int | None = None
    """None: to the end, and further when the file grows. Only the last segment is read on."""
    superseded: bool = False
    """What stands here was taken back (a rewind went on from before it)."""
    identity: Identity | None = None


@light
class FoundSubagent:
    """A sub-agent of a session, with the files that hold it."""

    id: str
    segments: tuple[Segment, ...]
    call: str = ""
    """Id of the parent's call that started it, where a header file says so."""


@light
class Found:
    """A session that a reader found, before anything of it is read."""

    agent: str
    session_id: str
    segments: tuple[Segment, ...]
    subagents: tuple[FoundSubagent, ...] = ()
    parent: str = ""
    """Session id that it was forked from, where a head or a path says so."""
    relatives: tuple[SourceFile, ...] = ()
    """Files of older sessions that the copied rows count to, to tell those rows from own ones."""
    by_path: bool = False
    """Given by path from outside the agent's directories."""
    hidden: bool = False
    problems: tuple[Problem, ...] = ()
    title: str = ""
    """The name that the agent's own index has for it."""
    kept: Kept | None = None
    """Refloat's own copy of it, where there is one. The files above are that copy when the original is gone."""
    renamed: str = ""
    """The id that its rows name, where its file is called otherwise: somebody's copy."""

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Its own files, each once."""
        if len(self.segments) == 1:  # nearly all
            return (self.segments[0].file,)
        return tuple(dict.fromkeys(segment.file for segment in self.segments))


@light
class CleanUp:
    """How an agent deletes its old transcripts by itself."""

    days: int
    """Since a file changed last."""
    setting: str
    """Where that is said, for a sentence: `cleanupPeriodDays`."""


@light
class Line:
    """One line of a transcript, decoded as far as that goes."""

    path: str
    line: int
    """From 1."""
    offset: int
    value: object
    """The JSON value."""
    size: int = 0
    """Bytes of the line."""
    whole: bool = True
    """Nothing was left out of its texts; see `readers.cutting`. Of one that is not whole, the value holds marks
    (U+FDD0) where something was, and beside them what may be half a secret: whoever takes it from `read_lines` has
    `usecases.parting.part` make it fit for a reader, or has long lines passed over (`longest`).
    """


class Sink(Protocol):
    """Takes the searchable texts of one session, or of one sub-agent, in reading order; see `story.Assembler`."""

    def take(self, n: int, place: Place, kind: str, text: str) -> None:
        """A text, as recorded, of item `n` (as `history` numbers it), which stands at this line of the transcript.

        `kind`: `prompt`, `reply`, `thinking`, `marker`, `command` (what a call asks), `path` (a file that it names), or
        `output` (the beginning and the end of a result).
        """
        ...

    def provisional(self) -> None:
        """What follows holds until the session is read on: then its place may hold something else."""
        ...


class Digest(Protocol):
    """What is made of the texts of one session while it is read, wherever that happens."""

    def sink(self, part: str) -> Sink | None:
        """Where the texts of the session itself ("") or of a sub-agent (its id) go; None where none are wanted."""
        ...

    def close(self) -> bytes:
        """What whoever asked for the reading gets of it."""
        ...


class Parser(Protocol):
    """Turns lines of one session, or of one sub-agent, into events. Holds what must be known of earlier lines."""

    def open(self, segment: Segment) -> Iterable[Event]:
        """The lines that follow come from this segment."""
        ...

    def feed(self, line: Line) -> Iterable[Event]:
        """The events of one line."""
        ...

    def finish(self) -> Iterable[Event]:
        """What can be concluded at the present end of the transcript. Called on a copy: reading may go on."""
        ...

    def freeze(self) -> dict[str, object]:
        """All that must be known to go on, as JSON values. `Reader.parser(found, frozen)` goes on from it. What is no
        text of the transcript (numbers, packed) stands under a key of the whole that begins with `#`: no secret is
        sought in it.
        """
        ...


class Reader(Protocol):
    """All that Refloat knows of one agent."""

    agent: str
    """`claude-code`."""
    title: str
    """`Claude Code`."""
    torn_heads: tuple[bytes, ...]
    """How a record begins: a whole one may stand behind a torn one on the same line."""
    chooses_id: bool
    """Whether the id of a new session may be chosen on the command line (a UUID)."""

    def walks(self, home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
        """Where its files lie. Looks at no file."""
        ...

    def identify(self, file: SourceFile) -> Identity:
        """What a file of a `transcripts` walk is: from its path, else from its head."""
        ...

    def recognise(self, path: Path) -> Sequence[SourceFile] | None:
        """Whether a file or directory from anywhere is a transcript of this agent, by its content; then its files."""
        ...

    def group(self, files: Sequence[tuple[SourceFile, Identity]], side: Sequence[SourceFile] = ()) -> Sequence[Found]:
        """Put files together to sessions. Reads at most small side files, the index that names current heads and, of
        files that begin alike, what tells a copy from its source.
        """
        ...

    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> Parser:
        """A parser for the session, or for one of its sub-agents; `frozen` is what an earlier one gave.

        `skim`: the events are counted and not kept. Then they need not tell the inputs of calls, kinds other than
        `edit`, nor of edits more than their paths; what they add up to in a `Summary` stays the same.
        """
        ...

    def find_holders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Holder | Problem]:
        """Every register and lock file that names a session. `held` of a lock is filled in by the liveness package."""
        ...

    def find_gone(
        self, home: Path, environment: Mapping[str, str], known: Collection[str]
    ) -> Sequence[RecordGone | Problem]:
        """Sessions that the agent's own history or index names, apart from the `known` ids."""
        ...

    def is_agent(self, process: ProcessInfo) -> bool:
        """Whether a process is this agent's program."""
        ...

    def session_on_command_line(self, process: ProcessInfo) -> str | None:
        """The session id that a process of this agent was started with."""
        ...

    def child_variables(self) -> Sequence[str]:
        """Variables that carry the session id into the environment of its children."""
        ...

    def marks_children(self, version: str) -> bool:
        """Whether every command that this version starts carries one of `child_variables`, whatever its settings."""
        ...

    def explains_silence(self, version: str, entrypoint: str) -> bool:
        """Whether the register or lock of this version is complete: a process that it leaves out owns no session."""
        ...

    def takes_id(self, session_id: str) -> bool:
        """Whether an id has the form of those that this agent gives: only such a one stands in a command of its own.
        What `continue_command` puts there is never an option, a name or a pattern.
        """
        ...

    def continue_command(self, session_id: str, prompt: str | None) -> Sequence[str]:
        """The agent's own command to go on with a session. Whatever a prompt begins with, it is no option."""
        ...

    def new_command(self, brief: str, prompt: str | None = None, session_id: str | None = None) -> Sequence[str]:
        """The agent's own command to start anew with a brief that lies in the file `brief`, and what a person says to
        it besides. `session_id` is taken where `chooses_id`.
        """
        ...


@light
class OwnDoor:
    """How one gets to a session that its agent itself keeps away from every terminal."""

    command: tuple[str, ...] | None
    """The agent's own command; None where it has none."""
    why: str
    """Where the session lives: `it runs in the background under …`."""


@runtime_checkable
class LivesApart(Protocol):
    """What a reader may know besides: sessions that live in no terminal, and the agent's own way to them."""

    def own_door(self, session_id: str, owner: ProcessInfo, holder: Holder | None) -> OwnDoor | None:
        """The way to a session that a process owns, with what ties it to the session; None for one in a terminal."""
        ...


@runtime_checkable
class TakesSignals(Protocol):
    """What a reader may know besides: how its agent's program is asked to end."""

    def asks_to_end(self, process: ProcessInfo) -> Sequence[Asking]:
        """The signals to send to such a process, one after the other, each with its grace."""
        ...

    def stop_command(self, holder: Holder) -> Sequence[str] | None:
        """The agent's own command that stops what a register names, where signals would not: a daemon starts it anew.
        None where signals do.
        """
        ...


@runtime_checkable
class LeavesBeside(Protocol):
    """What a reader may know besides: files of a session apart from its transcript, and when all of them go."""

    def find_beside(self, found: Found, home: Path, environment: Mapping[str, str]) -> Sequence[str]:
        """Regular files that belong to this session alone and are none of its transcript's. Links are left out."""
        ...

    def clean_up(self, home: Path, environment: Mapping[str, str]) -> CleanUp | None:
        """How its clean-up works here; None where it has none."""
        ...


class TellsTexts(Reader, Protocol):
    """What a reader may know besides, so that a few rows are searched without all that makes an item."""

    def texts_parser(self, found: Found) -> Parser:
        """A parser of which only texts are wanted: kinds of steps and what edits change are as when skimming, inputs
        of calls as else.
        """
        ...


class ReadByEnds(Reader, Protocol):
    """What a reader may know besides, so that a session's state is told before all of it is read."""

    turn_marks: tuple[bytes, ...]
    """Bytes that stand in every row that begins a turn. They may stand in others too."""

    late_marks: tuple[bytes, ...]
    """Bytes that stand in rows which count for the whole session, the last one of each."""

    pairs: tuple[bytes, bytes]
    """Bytes that stand in a row once for each call, and once for each answer."""
    ended: bytes
    """Bytes that stand in a row with which a turn ended by itself."""
    aside: bytes
    """How rows begin that are no part of the talk."""

    def turn_before(self, rows: bytes) -> Sequence[Mapping[str, object]]:
        """Rows that stand for the beginning of a turn of which only the end, `rows`, is at hand."""
        ...
