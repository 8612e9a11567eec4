"""What every reader keeps, whatever its agent: checked for the built-in readers, and for those of others.

Decides whether a reader fulfils the promises of `readers.contract` that need no knowledge of its format: it raises for
no bytes and no JSON, reads the same wherever reading stops, counts the same when it skims, tells where each event
stands, and writes nothing. Refuses to judge whether what it tells is true: that is for tests beside its own fixtures.
"""

import json
import os
import random
import sys
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from refloat.catalogue.walk import walk
from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.story import Summary
from refloat.model.transcript import Call, Event, Marker, Message, Result
from refloat.readers.contract import Found, FoundSubagent, Line, Reader, Segment, SourceFile, TakesSignals
from refloat.readers.lines import Cursor
from refloat.readers.story import Assembler
from refloat.readers.whole import read_any
from refloat.usecases.reading import run

_DAMAGE: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "empty": lambda _: b"",
    "torn in the middle": lambda data: data[: len(data) // 2],
    "without its beginning": lambda data: data[len(data) // 2 :],
    "NUL bytes": lambda data: b"\0" * len(data),
    "no UTF-8": lambda data: data.replace(b'"', b'"\xff'),
    "other JSON": lambda _: b'null\n7\n"x"\n[]\n{}\n[{}]\n{"type":[]}\n{"type":{},"payload":7,"message":[]}\n',
    "one deep value": lambda _: b"[" * 5000 + b"]" * 5000,
}
_WRONG: Final[Sequence[object]] = (None, True, -1, 0.5, 10**15, "", "x", "é\n", [], [None], {}, {"x": [1]})
_ROUNDS: Final = 20
"""How often each session is read with wrong values in it."""
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC
_CHANGES: Final = frozenset(
    f"os.{name}" for name in ("mkdir", "remove", "rename", "rmdir", "link", "symlink", "chmod", "truncate", "utime")
)
_PROCESS: Final = ProcessInfo(7, 1, "", (), None, 0.0, "", None, False, False, None, False)


def check_reader(reader: Reader, samples: Sequence[Path]) -> None:
    """Check a reader on `samples`: home directories that hold files as its agent leaves them. They stay as they are.

    Raises:
        AssertionError: a promise is not kept; the sentence says which, and where.
        Exception: whatever the reader raised, with a note that says what it was given.
    """
    _must(bool(reader.agent and reader.title), "a reader has an `agent` and a `title`")
    _check_answers(reader)
    parts = 0
    for home in samples:
        before = _stats(home)
        with _heard() as heard:
            parts += _check_home(reader, home)
        _must(not heard.wrote, f"a reader writes nothing: {heard.wrote[:3]}")
        _must(_stats(home) == before, f"a reader changes nothing below {home}")
        for name, damage in _DAMAGE.items():
            with TemporaryDirectory() as scratch, _noted(f"{reader.agent}: files that are {name}"):
                damaged = _damaged(home, Path(scratch), damage)
                for part in _parts(reader, damaged):
                    _skimmed(reader, part)
    _must(parts > 0, f"no session of {reader.agent} in the samples")


@dataclass(frozen=True, slots=True)
class _Part:
    """A session or one of its sub-agents, with its lines."""

    found: Found
    subagent: FoundSubagent | None
    pieces: tuple[tuple[Segment, tuple[Line, ...]], ...]

    @property
    def lines(self) -> int:
        return sum(len(lines) for _, lines in self.pieces)


def _check_home(reader: Reader, home: Path) -> int:
    parts = 0
    for part in _parts(reader, home):
        parts += 1
        where = f"{reader.agent}:{part.found.session_id}"
        with _noted(where):
            whole = _events(reader, part)
            _check_places(part, whole, where)
            _check_splits(reader, part, whole, where)
            if part.subagent is None:
                known = all(reader.recognise(Path(file.path)) for file in part.found.files)
                _must(known, f"{where}: its own transcript, given by path, is not recognised")
            full = _summary(reader, part, skim=False)
            for skimmed in _skimmed(reader, part):
                _must(skimmed == full, f"{where}: skimming comes to another summary: {skimmed} instead of {full}")
            for seed in range(_ROUNDS):
                spoilt = _spoilt(part, random.Random(seed))  # noqa: S311 - no secret
                assembler = Assembler(reader.agent, part.found.session_id, keep_items=True)
                assembler.take(_events(reader, spoilt, stops={part.lines // 2}))
                assembler.story({})
    return parts


def _check_answers(reader: Reader) -> None:
    """What is asked without any file."""
    nowhere = Path("/nonexistent/home")
    reader.walks(nowhere, {})  # the first may load a module, and a module is looked for on the disk
    with _heard() as heard:
        reader.walks(nowhere, {})
    _must(not heard.looked, f"`walks` looks at no file: {heard.looked[:3]}")
    reader.find_holders(nowhere, {})
    reader.find_gone(nowhere, {}, ())
    _must(not reader.is_agent(_PROCESS), "a process without a name is no agent")
    reader.session_on_command_line(_PROCESS)
    reader.child_variables()
    reader.explains_silence("", "")
    reader.marks_children("")
    _must(not reader.takes_id("--help"), "`takes_id` takes no option for an id")
    _must(bool(reader.continue_command("id", None)), "`continue_command` names a program")
    _must(bool(reader.new_command("HANDOFF.md")), "`new_command` names a program")
    if isinstance(reader, TakesSignals):
        asks = reader.asks_to_end(_PROCESS)
        _must(bool(asks) and all(ask.grace > 0 for ask in asks), "`asks_to_end` gives each of its signals a grace")
        reader.stop_command(Holder(reader.agent, "id", "register", "/nowhere"))


def _parts(reader: Reader, home: Path) -> Iterator[_Part]:
    walks = reader.walks(home, {})
    rows, _ = walk([(reader.agent, each.root, each.suffixes, each.depth, each.holds) for each in walks])
    files: list[SourceFile] = []
    side: list[SourceFile] = []
    for each, found in zip(walks, rows, strict=True):
        (files if each.holds == "transcripts" else side).extend(SourceFile(*row) for row in found)
    for file in files:
        reader.recognise(Path(file.path))
    reader.recognise(home)
    reader.find_holders(home, {})
    reader.find_gone(home, {}, ())
    for found in reader.group([(file, reader.identify(file)) for file in files], side):
        _must(found.agent == reader.agent, f"a session of {reader.agent} says that it is one of {found.agent}")
        _must(bool(found.session_id), "a session has an id")
        for subagent in (None, *found.subagents):
            segments = found.segments if subagent is None else subagent.segments
            yield _Part(found, subagent, tuple((segment, _lines(reader, segment)) for segment in segments))


def _lines(reader: Reader, segment: Segment) -> tuple[Line, ...]:
    got = read_any(segment.file.path, Cursor(segment.start), reader.torn_heads, segment.end)
    return tuple(each[0] for each in got if isinstance(each, tuple) and isinstance(each[0], Line))


def _events(reader: Reader, part: _Part, stops: Collection[int] = ()) -> list[Event]:
    """All events; before the lines of `stops` the parser is frozen, written as JSON, and made anew from that."""
    parser = reader.parser(part.found, part.subagent)
    events: list[Event] = []
    at = 0
    for segment, lines in part.pieces:
        events += parser.open(segment)
        for line in lines:
            if at in stops:
                frozen = cast("dict[str, object]", json.loads(json.dumps(parser.freeze())))  # `freeze` gives an object
                list(parser.finish())
                parser = reader.parser(part.found, part.subagent, frozen)
            events += parser.feed(line)
            at += 1
    events += parser.finish()
    return events


def _summary(reader: Reader, part: _Part, *, skim: bool, quick: bool = False) -> Summary:
    found = part.found
    assembler = Assembler(found.agent, found.session_id, keep_items=not skim)
    run(reader, found, assembler, part.subagent, resumable=skim, quick=quick)
    return assembler.summary()


def _skimmed(reader: Reader, part: _Part) -> Sequence[Summary]:
    """By both roads."""
    return [_summary(reader, part, skim=True, quick=quick) for quick in (False, True)]


def _check_places(part: _Part, events: Sequence[Event], where: str) -> None:
    known = {(line.path, line.line, line.offset) for _, lines in part.pieces for line in lines}
    for event in events:
        if isinstance(event, Call | Marker | Message | Result):
            place = event.place
            _must((place.path, place.line, place.offset) in known, f"{where}: no line stands at {place}: {event}")


def _check_splits(reader: Reader, part: _Part, whole: Sequence[Event], where: str) -> None:
    every = range(part.lines)
    picks = random.Random(part.lines)  # noqa: S311 - which split, not a secret
    for stops in (every, *({at for at in every if picks.random() < share} for share in (0.5, 0.1))):
        _must(_events(reader, part, stops) == whole, f"{where}: other events when reading stops before {stops}")


def _spoilt(part: _Part, picks: random.Random) -> _Part:
    """The same lines with something wrong in every third."""

    def spoil(line: Line) -> Line:
        return line if picks.randrange(3) else replace(line, value=_spoil(line.value, picks))

    return replace(part, pieces=tuple((segment, tuple(map(spoil, lines))) for segment, lines in part.pieces))


def _spoil(value: object, picks: random.Random) -> object:
    """A value with another kind of value somewhere in it."""
    if value and picks.randrange(5):
        if isinstance(value, dict):
            inner = cast("dict[str, object]", value)  # JSON: keys are texts
            key = picks.choice(sorted(inner))
            return {**inner, key: _spoil(inner[key], picks)}
        if isinstance(value, list):
            rows = cast("list[object]", value)  # JSON
            at = picks.randrange(len(rows))
            return [*rows[:at], _spoil(rows[at], picks), *rows[at + 1 :]]
    return picks.choice(_WRONG)


def _damaged(home: Path, into: Path, damage: Callable[[bytes], bytes]) -> Path:
    for file in home.rglob("*"):
        if file.is_file():
            copy = into / file.relative_to(home)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(damage(file.read_bytes()))
    return into


def _stats(home: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in home.rglob("*")}


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


@contextmanager
def _noted(what: str) -> Generator[None]:
    try:
        yield
    except Exception as fault:
        fault.add_note(what)
        raise


class _Heard:
    """What was done to files."""

    def __init__(self) -> None:
        self.looked: list[str] = []
        self.wrote: list[str] = []

    def take(self, event: str, told: tuple[object, ...]) -> None:
        """Take one audit event of the interpreter. Neither a module that is being compiled counts, nor a file that is
        open already and called by its number: whoever opened it was heard.
        """
        if not told or isinstance(told[0], int):
            return
        if "__pycache__" in (path := str(told[0])) or path.endswith((".py", ".pyc")):
            return
        if event in {"open", "os.listdir", "os.scandir"}:
            self.looked.append(path)
        if event in _CHANGES or (event == "open" and isinstance(told[-1], int) and told[-1] & _WRITES):
            self.wrote.append(path)


_listening: ContextVar[_Heard | None] = ContextVar("_listening", default=None)


@cache
def _listen() -> None:
    """Audit hooks stay for good: one, that is deaf unless somebody asks."""

    def hear(event: str, told: tuple[object, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir", *_CHANGES} and (heard := _listening.get()) is not None:
            heard.take(event, told)

    sys.addaudithook(hear)


@contextmanager
def _heard() -> Generator[_Heard]:
    _listen()
    heard = _Heard()
    token = _listening.set(heard)
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a module that a reader loads late is no matter
    try:
        yield heard
    finally:
        sys.dont_write_bytecode = compiles
        _listening.reset(token)
