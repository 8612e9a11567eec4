"""Steps saved on a job: a command run as it would run anyway, or a step that ran elsewhere.

Decides what is written when, and that a record which cannot be written stops no command: it runs all the same, and the
answer says what was not saved. What the machine does comes in as functions, so that a short command loads no more of it
than it uses.
"""

import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from refloat.errors import NotDone, RefloatError, UsageError
from refloat.model.saving import SAVED_AFTER, Ended, Ending, Opening, Origin, Runner, SavedOutcome, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import Begun, Sealed, add_step, begin_step, check_name, seal_step
from refloat.record.contents import Content, hold, keep
from refloat.record.rows import number, text
from refloat.record.running import forget_command, note_command
from refloat.record.spool import Spool
from refloat.record.store import NotWritten, Record, find_url, open_record
from refloat.usecases.targets import is_receipt, put_whole, refuse_taken, refuse_target

if TYPE_CHECKING:
    from refloat.ports import Places

_STOPPED: Final = frozenset((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL))
"""Signals that somebody sent to end a command; the others are its own faults."""
SESSION_VARIABLES: Final = {"CLAUDE_CODE_SESSION_ID": "claude-code", "CODEX_THREAD_ID": "codex"}
"""What agents put into the environment of what they start, and which agent that is."""


class Desk(NamedTuple):
    """What saving needs of the machine."""

    data: Path
    config: Path
    environment: Mapping[str, str]
    workspace: str
    runner: Runner
    now: Callable[[], Stamp]
    look: Callable[[str], Tree]
    run: Callable[[Sequence[str], Callable[[bytes], None], Callable[[Runner], None]], Ended]

    def open(self) -> Record:
        """The record.

        Raises:
            Unreadable: it cannot be opened here.

        """
        return open_record(self.data, self.now(), find_url(self.environment, self.config))


class Ran(NamedTuple):
    """A command that was run."""

    ended: Ended
    sealed: Sealed | None
    trouble: str | None
    """Why the step is not saved, not sealed, or not signed."""


class Elsewhere(NamedTuple):
    """A step that ran elsewhere, as somebody tells it."""

    job: str
    producer: str
    tool: str
    outcome: SavedOutcome
    summary: str = ""
    exit_code: int | None = None
    given: bytes | None = None
    output: bytes | None = None
    note: str | None = None
    workspace: str | None = None
    """Where it ran; None for where this process is."""
    origin: Origin = "step"


class EndedElsewhere(NamedTuple):
    """How a step ended that was begun here and ran elsewhere, as somebody tells it."""

    outcome: SavedOutcome
    exit_code: int | None = None
    output: bytes | None = None
    note: str | None = None


def session_producer(environment: Mapping[str, str]) -> str | None:
    """The agent whose session started this process, as a producer; None where none did."""
    for variable, agent in SESSION_VARIABLES.items():
        if session := environment.get(variable):
            return f"{agent}:{session}"
    return None


def default_producer(environment: Mapping[str, str], user: Callable[[], str]) -> str:
    """Who saves a step, where nobody says: the agent whose session started this command, else the person."""
    return session_producer(environment) or f"human:{user()}"


def run_step(desk: Desk, job: str, producer: str, argv: Sequence[str], summary: str) -> Ran:
    """Run a command and save it as a step of the job. The command runs whatever becomes of the record.

    Raises:
        UsageError: the job's name is none. Nothing was run.

    """
    check_name(job)
    with ExitStack() as open_things:
        record: Record | None = None
        begun: Begun | None = None
        trouble: str | None = None
        given = hold(b"\0".join(word.encode("utf-8", "surrogateescape") for word in argv))
        try:
            record = open_things.enter_context(desk.open())
            tree = desk.look(desk.workspace)
            opening = Opening(job, producer, "run", summary, "run", desk.now(), desk.workspace, tree, desk.runner)
            begun = begin_step(record, opening, given)
        except RefloatError as error:
            trouble = f"this step is not saved: {error}"
        spool = open_things.enter_context(Spool(desk.data))
        if record is None or begun is None:
            return Ran(desk.run(argv, _let_pass, _let_run), None, trouble)
        ended = desk.run(argv, spool.write, partial(note_command, desk.data, begun.id))
        ending = Ending(outcome_of(ended), desk.now(), ended.code, desk.look(desk.workspace), ended.failed)
        try:
            sealed = seal_step(record, begun, ending, spool.finish(record))
            forget_command(desk.data, begun.id)
            return Ran(ended, sealed, record.unsigned_because and f"step {begun.seq} is {record.unsigned_because}")
        except (RefloatError, OSError) as error:
            return Ran(ended, None, f"step {begun.seq} of {job} stays in flight, its end is not saved: {error}")


def _say_nothing(sentence: str) -> None:
    del sentence


def save_elsewhere(desk: Desk, told: Elsewhere, tell: Callable[[str], None] = _say_nothing) -> Sealed:
    """Save a step that ran elsewhere. `tell` gets the sentence why it is not signed although there is a key.

    Raises:
        UsageError: the job's name is none, the tool has none, or what is told of its end does not fit together.
        NotWritten: the record did not take it.
        Unreadable: it cannot be opened.

    """
    check_name(told.job)
    if not told.tool.strip():
        raise UsageError("a step needs the name of its tool")
    _check_end(told.outcome, told.exit_code)
    workspace = told.workspace or desk.workspace
    now, tree = desk.now(), desk.look(workspace)
    opening = _opening(desk, told, now, workspace, SAVED_AFTER)
    ending = Ending(told.outcome, now, told.exit_code, tree, told.note)
    with desk.open() as record:
        given, output = _kept(record, told.given), _kept(record, told.output)
        sealed = add_step(record, opening, ending, given, output)
        _tell_unsigned(record, tell)
    return sealed


def begin_elsewhere(desk: Desk, told: Elsewhere) -> Begun:
    """Write a step before it starts elsewhere: it is in flight until `end_elsewhere`. How it ends is not looked at.

    Raises:
        UsageError: the job's name is none.
        NotWritten: the record did not take it.
        Unreadable: it cannot be opened.

    """
    check_name(told.job)
    workspace = told.workspace or desk.workspace
    opening = _opening(desk, told, desk.now(), workspace, desk.look(workspace))
    with desk.open() as record:
        return begin_step(record, opening, _kept(record, told.given))


def end_elsewhere(
    desk: Desk, step: str, ended: EndedElsewhere, origin: Origin, tell: Callable[[str], None] = _say_nothing
) -> Sealed:
    """Seal a step that `begin_elsewhere` began with that `origin`; `step` is its id.

    Raises:
        UsageError: no step has that id, or what is told of its end does not fit together.
        NotDone: it is sealed already, or was begun in another way, whose own end it waits for.
        NotWritten: the record did not take it; the step stays in flight.
        Unreadable: it cannot be opened.

    """
    _check_end(ended.outcome, ended.exit_code)
    with desk.open() as record:
        with record.reading() as connection:
            row = connection.row("links.step", id=step)
        if row is None:
            raise UsageError(f"no step has the id {step[:40]!r}; a trail lists the ids of those in flight")
        begun = Begun(step, text(row, "job"), number(row, "seq") or 0)
        if row["origin"] != origin:
            raise NotDone(f"step {begun.seq} of {begun.job} was begun by {row['origin']}, and is not for others to end")
        tree = desk.look(text(row, "workspace") or desk.workspace)
        ending = Ending(ended.outcome, desk.now(), ended.exit_code, tree, ended.note)
        sealed = seal_step(record, begun, ending, _kept(record, ended.output))
        _tell_unsigned(record, tell)
    return sealed


def _check_end(outcome: SavedOutcome, exit_code: int | None) -> None:
    if outcome == "ok" and exit_code:
        raise UsageError(f"exit code {exit_code} is not how a step ends that is ok: say which of both holds, and why")


def _opening(desk: Desk, told: Elsewhere, now: Stamp, workspace: str, before: Tree) -> Opening:
    return Opening(told.job, told.producer, told.tool, told.summary, told.origin, now, workspace, before, desk.runner)


def _kept(record: Record, data: bytes | None) -> Content | None:
    try:
        return None if data is None else keep(record, data)
    except OSError as error:
        raise NotWritten(f"the record cannot be written: {error}") from error


def _tell_unsigned(record: Record, tell: Callable[[str], None]) -> None:
    if record.unsigned_because is not None:
        tell(record.unsigned_because)


def refuse_receipt(path: str, places: "Places", *, force: bool = False) -> None:
    """Refuse a file that no receipt may be written to: said before a command runs, since it cannot be run again.

    Raises:
        UsageError: nothing may be written there, or what is there only `force` replaces.

    """
    from refloat.readers.registry import load_all  # a command without a receipt knows no agent

    refuse_target(path, places, load_all()[0])
    try:
        refuse_taken(path, "no receipt", is_receipt, force=force)
    except NotDone as error:  # 1 would be the command's own code
        raise UsageError(str(error)) from error


def write_receipt(path: str, document: str, places: "Places", *, force: bool = False) -> None:
    """Write a receipt for its owner's eyes alone (0600), also over an older one; a link of that name is replaced.

    Raises:
        NotDone: it could not be written.
        UsageError: as `refuse_receipt`, which is asked again: the command may have put something there.

    """
    refuse_receipt(path, places, force=force)
    try:
        put_whole(Path(path), (document.encode(),))
    except OSError as error:
        raise NotDone(f"the receipt is not written: {path}: {error.strerror or error}") from error


def outcome_of(ended: Ended) -> SavedOutcome:
    """What became of a command."""
    if ended.by_signal in _STOPPED:
        return "interrupted"
    return "error" if ended.failed or ended.code else "ok"


def _let_pass(data: bytes) -> None:
    del data


def _let_run(command: Runner) -> None:
    del command
