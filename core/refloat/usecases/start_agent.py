"""`continue` and `new`: the plan of what would be started, and the one road that starts it.

Decides the exact command, the directory, the brief and what is kept of the attempt. A plan changes nothing, so that it
can be shown first; whoever runs it is judged again, under the leases, by `act`. The agent stands for the leases itself
while it runs: killing Refloat frees nothing.
"""

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from typing import Final, Literal

from refloat.brief.masks import Masker
from refloat.errors import NotDone, RefloatError, Unreadable, UsageError
from refloat.model.attempts import Attempt
from refloat.model.own_files import BRIEF_FILE
from refloat.model.record import Lease
from refloat.model.recovered import StandingBriefs
from refloat.model.saving import Ended, Runner
from refloat.model.session import Session, SessionName
from refloat.model.situation import Ruling
from refloat.model.stamp import Stamp
from refloat.model.terminals import ENDED_INSTEAD
from refloat.readers.contract import Reader
from refloat.record.attempts import begin_attempt, end_attempt, find_attempts, link_child, note_process
from refloat.record.engine import new_id
from refloat.there import is_plain_file
from refloat.usecases.act import Acting, Actor, Refused, Seen, Wish, act, look
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.hold_session import BEAT
from refloat.usecases.linked import fitting_children, forget_list
from refloat.usecases.old_briefs import BRIEFS, remove_old_briefs
from refloat.usecases.put_brief import put_brief
from refloat.usecases.workbench import Workbench

LONGEST_PROMPT: Final = 100_000
"""Bytes: Linux takes 128 KiB for one word of a command line, whatever `ulimit` says (execve(2), MAX_ARG_STRLEN)."""

RunAgent = Callable[[Sequence[str], Path, Callable[[Runner], None], Callable[[], None], float], Ended]
"""`machine.foreground.run_agent`."""


class ProgramMissing(Unreadable):
    """The agent's program is not here; the sentence has the command to run by hand."""


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants to be started."""

    wish: Wish
    prompt: str | None = None
    agent: str | None = None
    """Of `new`: the agent to take; None: the one that the parent had."""
    brief: Path | None = None
    """Of `new`: a brief that is there already; None: one is written."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done, exactly."""

    order: Order
    session: Session
    agent: str
    command: tuple[str, ...]
    workspace: str | None
    ruling: Ruling
    child: SessionName | None
    """The session that will come of it, where that is known before."""
    brief: Path | None
    """Of `new`: the file that the agent is told to read."""
    program: str | None
    """The full path of the agent's program; None where it is not here."""
    found: StandingBriefs | None = None
    """Of `new` where no brief was named: those that stand already; None: nobody looked."""

    @property
    def writes_brief(self) -> bool:
        """Whether its brief is to be written first: it was neither named nor found."""
        there = self.order.brief is not None or (self.found is not None and self.found.taken is not None)
        return self.brief is not None and not there

    @property
    def brief_words(self) -> tuple[str, ...]:
        """What a person must know of briefs that they did not name: which is taken, which are left aside, and why."""
        if self.found is None:
            return ()
        taken = () if self.found.taken is None else (f"its brief stands in {self.found.taken}, holds, and is taken",)
        return (
            *taken,
            *(f"{one.path}, a brief of it, is left aside: {one.why}; `--brief` takes it" for one in self.found.aside),
        )

    @property
    def installed(self) -> bool:
        """Whether its program is here."""
        return self.program is not None

    @property
    def refused(self) -> Ruling | None:
        """The guard's no."""
        return None if self.ruling.allowed else self.ruling

    @property
    def by_hand(self) -> str:
        """A line for a shell that does the same, without a guard."""
        first = f"cd {join([self.workspace])} && " if self.workspace else ""
        if self.writes_brief:
            first += f"{join(['refloat', 'brief', self.session.name, '--out', str(self.brief)])} && "
        return first + join(self.command)


def plan_start(bench: Workbench, actor: Actor, order: Order) -> Plan:
    """Look, and say what would be started. Changes nothing.

    Raises:
        NoSuchSession: none, or more than one, fits.
        UsageError: the prompt is too long for a command line, or there is no such agent, or no such brief.
        Unreadable: the record cannot be opened.

    """
    _check(order)
    seen = look(bench, actor, order.wish)
    return _plan(bench, order, replace(seen, ruling=_leading_somewhere(bench, actor, order.wish, seen)))


def _leading_somewhere(bench: Workbench, actor: Actor, wish: Wish, seen: Seen) -> Ruling:
    """The guard's word; where it sends a person to a terminal that nothing leads to, what is possible there."""
    if seen.ruling.instead != "attach":
        return seen.ruling
    from refloat.usecases.attach_session import plan_attach  # only a refusal asks where a process lives

    there = plan_attach(bench, actor, wish.ref if seen.located.found.by_path else seen.session.name, wish.cwd)
    if there.refused is None:
        return seen.ruling
    ends = there.place is not None and there.place.kind in ENDED_INSTEAD
    why = f"{seen.ruling.because}; {there.refused.why}"
    return replace(seen.ruling, why=why, instead="stop" if ends else None)


def _check(order: Order) -> None:
    if order.prompt is not None and len(order.prompt.encode("utf-8", "replace")) > LONGEST_PROMPT:
        raise UsageError("the prompt is too long for a command line: put it into a file, and have the agent read that")
    if order.prompt is not None and "\0" in order.prompt:
        raise UsageError("the prompt holds a zero character, which no command line can carry")
    if order.brief is not None and not is_plain_file(order.brief):
        raise UsageError(f"{order.brief} is no file; `refloat brief SESSION --out FILE` writes one")


def _plan(bench: Workbench, order: Order, seen: Seen) -> Plan:
    session = seen.session
    reader = _reader(bench, order.agent or session.agent)
    if order.wish.operation == "continue":
        command = reader.continue_command(session.session_id, order.prompt)
        child: SessionName | None = session.name
        brief, found = None, None
    else:
        own = str(uuid.uuid4()) if reader.chooses_id else None
        named = _brief_of(order, session.name)
        found = None if named is not None else _standing(bench, session.name, seen.place)
        taken = None if found is None or found.taken is None else Path(found.taken)
        brief = named or taken or _brief_path(bench, session)
        command = reader.new_command(str(brief), order.prompt, own)
        child = SessionName(f"{reader.agent}:{own}") if own else None
    program = bench.machine.launcher.which(command[0])
    return Plan(order, session, reader.agent, tuple(command), seen.place, seen.ruling, child, brief, program, found)


def need_program(plan: Plan) -> None:
    """See that the agent's program is here.

    Raises:
        ProgramMissing: it is not.

    """
    if not plan.installed:
        what = f"{plan.command[0]} is not installed here, or not on the PATH"
        raise ProgramMissing(f"{what}; where it is, run: {Masker().text(plan.by_hand)}")


def words_of(order: Order, session: SessionName) -> tuple[str, ...]:
    """The words of the command line that ask for the same: `("continue", "codex:1", …)`."""
    wish, forced = order.wish, () if order.wish.force is None else ("--force", order.wish.force)
    prompt = () if order.prompt is None else ("--", order.prompt)
    if wish.operation == "continue":
        return ("continue", *forced, session, *prompt)
    agent = () if order.agent is None else ("--agent", order.agent)
    brief = () if order.brief is None else ("--brief", str(order.brief.absolute()))
    return ("new", "--parent", session, *agent, *brief, *forced, *prompt)


def installed_agents(bench: Workbench) -> tuple[str, ...]:
    """The agents whose program is here, in the order of their readers."""
    which = bench.machine.launcher.which
    return tuple(reader.agent for reader in bench.readers if which(reader.new_command(BRIEF_FILE)[0]) is not None)


def _reader(bench: Workbench, agent: str) -> Reader:
    try:
        return bench.reader(agent)
    except KeyError:
        names = "`, `".join(reader.agent for reader in bench.readers)
        raise UsageError(f"no agent is called {agent!r}; there are `{names}`") from None


def _brief_of(order: Order, session: SessionName) -> Path | None:
    """The brief that was named, unless it says itself that it is another session's."""
    if order.brief is None:
        return None
    from refloat.brief.fingerprint import session_of_brief  # `continue` asks nothing of it

    whose = session_of_brief(order.brief)
    if whose is not None and whose != session:
        what = f"{order.brief} is the brief of {whose}, not of {session}"
        raise UsageError(f"{what}: leave out `--brief` and one is written, or `refloat new --parent {whose}`")
    return order.brief


def _standing(bench: Workbench, session: SessionName, place: str | None) -> StandingBriefs:
    from refloat.usecases.recovered import standing_briefs  # `continue` asks nothing of it

    return standing_briefs(bench, session, place)


def _brief_path(bench: Workbench, session: Session) -> Path:
    """A name of its own for each start: an agent may read it again much later."""
    moment = "".join(filter(str.isdigit, bench.machine.clock.now()))[:17]
    name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in session.name)[:80]
    return bench.machine.places.data / BRIEFS / f"{name}-{moment}.md"


def start_agent(
    bench: Workbench, actor: Actor, plan: Plan, run: RunAgent, tell: Callable[[str], None]
) -> tuple[Ended, SessionName | None]:
    """Start what was planned, and stay until it ends; how it ended, and the session that came of it.

    `tell` gets sentences for the person while it runs and after.

    Raises:
        Refused: the guard says no.
        ProgramMissing: the agent's program is not here.
        NotDone: what was planned does not hold any more.
        NotWritten: the record did not take it.

    """
    if not plan.ruling.allowed:
        raise Refused(plan.ruling)
    need_program(plan)
    with act(bench, actor, plan.order.wish, beats=False, known=plan.ruling) as acting:
        if acting.seen.session.name != plan.session.name or acting.seen.place != plan.workspace:
            raise NotDone(f"{plan.session.name} moved while it was looked at: ask again")
        for warning in acting.seen.ruling.warnings:
            tell(warning)
        for words in plan.brief_words:
            tell(words)
        _write_brief(bench, acting, plan)
        return _Run(bench, actor, plan, acting, tell).run(run)


def _write_brief(bench: Workbench, acting: Acting, plan: Plan) -> None:
    if plan.brief is None or not plan.writes_brief:
        return
    from refloat.brief.masks import Masker
    from refloat.usecases.brief_session import brief_writer
    from refloat.usecases.examine import examine  # the checkout's rooms: `continue` asks nothing of them

    seen = examine(bench, acting.seen.located)
    written = brief_writer(bench, seen.session, seen.story, seen.checkout, seen.triage)(Masker())
    plan.brief.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    put_brief(plan.brief, written.markdown)


def _exact(plan: Plan) -> Sequence[str]:
    """The command with the program that was found: a name would be looked up again, in the workspace too."""
    need_program(plan)
    return [plan.program or "", *plan.command[1:]]


class _Run:
    """One attempt from its beginning to its end."""

    def __init__(self, bench: Workbench, actor: Actor, plan: Plan, acting: Acting, tell: Callable[[str], None]) -> None:
        self._bench = bench
        self._actor = actor
        self._plan = plan
        self._acting = acting
        self._tell = tell
        self._attempt = _attempt_of(plan, acting, actor, bench.machine.clock.now())

    def run(self, run: RunAgent) -> tuple[Ended, SessionName | None]:
        with self._actor.make() as record:
            if self._attempt.operation == "new":
                now, briefs = self._bench.machine.clock.now(), self._bench.machine.places.data / BRIEFS
                remove_old_briefs(briefs, find_attempts(record), self._actor.own, now)
            begin_attempt(record, self._attempt)
        forget_list(self._bench)
        place = Path(self._plan.workspace or "/")
        try:
            ended = run(_exact(self._plan), place, self._stands, self._beat, BEAT)
        except RefloatError:
            self._end(None)
            raise
        child = self._end(ended)
        if self._acting.lost is not None:
            self._tell(_lost_words(self._acting.lost))
        if ended.failed is not None:
            self._tell(f"{self._plan.program}: {ended.failed}")
        return ended, child

    def _stands(self, agent: Runner) -> None:
        """The process that waits to become the agent: from now on it holds the leases."""
        self._acting.hand_to(agent)
        self._acting.tell_force()
        with self._actor.make() as record:
            note_process(record, self._attempt.id, agent)

    def _beat(self) -> None:
        before = self._acting.lost
        taker = self._acting.beat()
        if taker is not None and before is None:
            self._tell(f"\a{_lost_words(taker)}")

    def _end(self, ended: Ended | None) -> SessionName | None:
        """What came of it. The agent has run: what the record does not take now is told, and undoes nothing."""
        child = self._attempt.child
        try:
            now = self._bench.machine.clock.now()
            with self._actor.make() as record:
                end_attempt(record, self._attempt.id, now, None if ended is None else ended.code)
                if child is None and ended is not None:
                    child = self._find_child()
                    if child is not None:
                        link_child(record, self._attempt.id, child)
            forget_list(self._bench)
        except RefloatError as error:
            self._tell(f"what came of it is not kept: {error}")
        return child

    def _find_child(self) -> SessionName | None:
        """The session that an agent named by itself: the only one that fits."""
        found = fitting_children(self._attempt, list_sessions(self._bench, Scope(agent=self._plan.agent)).sessions)
        return found[0].name if len(found) == 1 else None


def _attempt_of(plan: Plan, acting: Acting, actor: Actor, now: Stamp) -> Attempt:
    way: Literal["continue", "new"] = "continue" if plan.order.wish.operation == "continue" else "new"
    return Attempt(
        id=new_id(),
        parent=plan.session.name,
        child=plan.child,
        operation=way,
        agent=plan.agent,
        workspace=os.path.realpath(plan.workspace or "/"),
        holder=actor.own.holder,
        command=Masker().text(join(plan.command)),
        brief=None if plan.brief is None else str(plan.brief),
        forced=(plan.order.wish.force or "").strip() or None if acting.overruled else None,
        at=now,
    )


def _lost_words(taker: Lease) -> str:
    who = f"{taker.holder} took {taker.subject} meanwhile (since {taker.since})"
    return f"{who}: agree with them who goes on, two writers spoil the work"
