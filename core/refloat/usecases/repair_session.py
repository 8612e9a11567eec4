"""Repair of one session's transcript: a plan first, then a copy where a person said, or where its agent finds it.

Decides the copy's id, its place and its name. The plan and the copy come from the same open files, so that nothing in
between can make them differ. Refuses to write where nothing is to be repaired, among an agent's records without being
told to, and over any file. Whether a copy may be installed now is the guard's to say (`act`).
"""

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from refloat.errors import NotDone, Unreadable
from refloat.model.attempts import Attempt
from refloat.model.repair import Repair, RepairPlan
from refloat.model.session import SessionName, State
from refloat.model.stamp import moment_of, seconds_of
from refloat.record.attempts import begin_attempt, end_attempt
from refloat.record.engine import new_id
from refloat.repair.frame import NewCopy, Repairer, Source, Survey, Target
from refloat.repair.place import put_new
from refloat.repair.registry import get_repairer
from refloat.there import is_directory
from refloat.usecases.act import Acting, Actor, Wish, act
from refloat.usecases.find_sessions import Located, resolve
from refloat.usecases.linked import forget_list
from refloat.usecases.parting import part_value
from refloat.usecases.show_status import find_next
from refloat.usecases.targets import refuse_target
from refloat.usecases.workbench import Workbench


class Draft:
    """A repair that was planned and not written yet."""

    def __init__(self, bench: Workbench, located: Located, repairer: Repairer, source: Source) -> None:
        found = located.found
        self._bench = bench
        self._found = found
        self._repairer = repairer
        self._source = source
        self._survey: Survey = repairer.survey(source, found)
        if not self._survey.holds_talk and (self._survey.issues or source.is_empty):
            what = "is empty" if source.is_empty else "holds no whole record of the conversation"
            raise Unreadable(f"{', '.join(source.paths)} {what}: there is nothing that a copy could be made of")
        now = bench.machine.clock.now()
        session = repairer.new_id(int(seconds_of(now) * 1000), secrets.token_bytes(16))
        self._new = NewCopy(session, found.session_id, now)
        self._local = _local(moment_of(now))
        self.name = SessionName(f"{found.agent}:{session}")
        """The session that the copy becomes."""
        self.may_be_running = located.session.state in {State.LIVE, State.UNRESOLVED}
        """Its process may still write: what looks cut off may be under way."""
        self.plan = RepairPlan(
            SessionName(f"{found.agent}:{found.session_id}"),
            source.paths,
            tuple(self._survey.issues),
            tuple(self._survey.actions),
            tuple(repairer.left_out(found)),
            located.ref if located.session.by_path else "",
        )

    @property
    def place(self) -> Path:
        """The file that installing it writes.

        Raises:
            NotDone: the original lies outside its agent's directories.

        """
        target = self._target()
        return target.root.joinpath(*target.parts)

    def destination(self, path: Path) -> Path:
        """The file that `write` makes: in a directory under the agent's own name for it.

        Raises:
            UsageError: nothing may be written there.

        """
        path = path.absolute()
        path = path / self._file_name() if is_directory(path) else path
        refuse_target(path, self._bench.machine.places, self._bench.readers)
        return path

    def write(self, path: Path) -> Repair:
        """Write the copy to a new file; into a directory under the agent's own name for it.

        Raises:
            NotDone: there is nothing to repair, or something is there already.
            UsageError: it may not be written there, or cannot be.

        """
        path = self.destination(path)
        return self._put(Target(path.parent, (path.name,)), installed=False)

    def put_in_place(self) -> Repair:
        """Write the copy where its agent finds it, without asking the guard: `install` is the way to do that.

        Raises:
            NotDone: as `write`; or the original changed since it was read.
            UsageError: it cannot be written.

        """
        if self._source.has_changed():
            raise NotDone(f"the transcript of {self.plan.session} changed while it was read; nothing was written")
        return self._put(self._target(), installed=True)

    def _target(self) -> Target:
        places = self._bench.machine.places
        return self._repairer.target(self._found, self._new.session, self._local, places.home, places.environment)

    def _file_name(self) -> str:
        try:
            return self.place.name
        except NotDone:
            return f"{self._new.session}.jsonl"

    def _put(self, target: Target, *, installed: bool) -> Repair:
        if self.plan.is_sound:
            raise NotDone(f"the transcript of {self.plan.session} is sound: there is nothing to repair")
        path = put_new(target.root, target.parts, self._survey.rows(self._source, self._new))
        return Repair(self.plan, str(path), self.name, installed)


@contextmanager
def draft_repair(bench: Workbench, located: Located) -> Generator[Draft]:
    """Plan a repair, and keep what is needed to write it.

    Raises:
        NotDone: this agent's transcripts, or this kind of them, cannot be repaired.
        Unreadable: the transcript cannot be read, or nothing of it.

    """
    repairer = get_repairer(located.found.agent)
    heads = located.reader.torn_heads
    with Source(repairer.sources(located.found), heads, part_value) as source:
        yield Draft(bench, located, repairer, source)


def install(bench: Workbench, actor: Actor, draft: Draft, cwd: Path, *, force: str | None = None) -> Repair:
    """Write the copy where its agent finds it, while nobody else may act on the session.

    Raises:
        Refused: the guard says no.
        NotDone: there is nothing to repair, the original lies elsewhere, or it changed since it was read.
        UsageError: it cannot be written.

    """
    with act(bench, actor, Wish("install", draft.plan.session, cwd, force)) as acting:
        done = draft.put_in_place()
        _note(bench, actor, acting, done, force)
    forget_list(bench)
    return replace(done, then=_then(bench, done.copy, cwd)) if done.copy is not None else done


def _then(bench: Workbench, copy: SessionName, cwd: Path) -> tuple[str, ...]:
    """How one goes on with a copy, by what stands in its agent's directory now."""
    located = resolve(bench, copy, cwd)
    then = find_next(located.reader, located.session)
    match then.operation:
        case "continue" | "prompt":
            return ("refloat", "continue", copy)
        case "new_linked" if then.workspace is not None:
            return ("refloat", "new", "--parent", copy)
        case _:
            return ("refloat", "status", copy)


def _note(bench: Workbench, actor: Actor, acting: Acting, done: Repair, force: str | None) -> None:
    """Write down in the record which session the copy comes from."""
    session, now = done.plan.session, bench.machine.clock.now()
    attempt = Attempt(
        id=new_id(),
        parent=session,
        child=done.copy,
        operation="install",
        agent=session.partition(":")[0],
        workspace=os.path.realpath(acting.seen.place or "/"),
        holder=actor.own.holder,
        command=f"refloat repair {session} --install",
        brief=None,
        forced=(force or "").strip() or None if acting.overruled else None,
        at=now,
    )
    with actor.make() as record:
        begin_attempt(record, attempt)
        end_attempt(record, attempt.id, now, None)


def _local(moment: datetime) -> str:
    """Local time as file names have it."""
    return f"{moment.astimezone():%Y-%m-%dT%H-%M-%S}"
