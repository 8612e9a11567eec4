"""Collects what can be seen of processes, registers and locks: once, for as many sessions as one likes.

Decides which observed facts concern a session. Refuses to judge them: that is `verdict`.
"""

from __future__ import annotations

import ntpath
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from refloat.model.light import field, light, replace
from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.problem import Problem
from refloat.model.session import place_here
from refloat.model.stamp import Stamp
from refloat.model.story import Summary
from refloat.readers.contract import Found, Reader, Walk

if TYPE_CHECKING:
    from refloat.ports import Machine, Processes


@light
class Subject:
    """What must be known of a session to look for its process."""

    agent: str
    session_id: str
    directories: tuple[str, ...] = ()
    """Its workspace first, then a worktree that it entered."""
    paths: tuple[str, ...] = ()
    """Its transcript files."""
    last_activity: Stamp | None = None
    """Time of the last record, from the record itself."""
    version: str = ""
    entrypoint: str = ""
    by_path: bool = False
    """The transcript was given by path from outside the agent's directories."""
    grew: bool = False
    """Two looks of this Refloat saw the transcript grow."""
    end_verified: bool = False
    """Refloat itself saw its owner end: recent or growing records count for nothing."""


def subject_of(found: Found, summary: Summary, *, grew: bool = False, end_verified: bool = False) -> Subject:
    """The subject for a session as found and read."""
    directories = (summary.workspace, summary.worktree)
    return Subject(
        agent=found.agent,
        session_id=found.session_id,
        directories=tuple(dict.fromkeys(place for place in directories if place)),
        paths=tuple(file.path for file in found.files),
        last_activity=summary.last_activity_at,
        version=summary.version,
        entrypoint=summary.entrypoint,
        by_path=found.by_path,
        grew=grew,
        end_verified=end_verified,
    )


@light
class Claim:
    """A register or lock file of the session, with the process that it names as that stands in the table now."""

    holder: Holder
    process: ProcessInfo | None
    matches: bool
    """The process is the one that the file means: its start fits, or the lock table has it as holder."""
    comparable: bool = True
    """False where nothing in the file could be compared with a start: a pid alone proves nothing."""
    owner_unseen: bool = False
    """A lock is held, by whom cannot be seen."""
    inherited: bool = False
    """The process holds a lock that it got from one that ended, and is none of the agent's."""


@light
class Rival:
    """A process of the agent that runs, and why it is or is not in question."""

    process: ProcessInfo
    opens: bool = False
    """It holds a file of the transcript open."""
    named: bool = False
    """The session's id stands on its command line."""
    elsewhere: str = ""
    """The other session that it verifiably owns."""
    inside: bool | None = None
    """It works in one of the session's directories; None where that cannot be told."""


@light
class Facts:
    """All that was observed about one session in one look."""

    subject: Subject
    at: Stamp
    boot: Stamp | None
    here: str
    claims: tuple[Claim, ...]
    rivals: tuple[Rival, ...]
    children: tuple[ProcessInfo, ...]
    explained: bool
    """The agent's register or lock is complete for this version: a process that it leaves out owns nothing."""
    lock_directory: str | None = None
    """The directory of the agent's locks, where it exists."""
    foreign_path: str | None = None
    """A directory of the session in the style of another system."""

    @property
    def status(self) -> tuple[str, str]:
        """The agent's own word for what its session does, and what it waits for; empty without a register."""
        for claim in self.claims:
            if claim.matches and claim.holder.status:
                return claim.holder.status, claim.holder.waiting_for
        return "", ""


def with_verified_end(facts: Facts) -> Facts:
    """The same facts where Refloat itself saw the owner end."""
    return replace(facts, subject=replace(facts.subject, end_verified=True))


def unowned(subject: Subject, at: Stamp, boot: Stamp | None, locks: str | None) -> Facts:
    """What any look sees of a session while no process of its agent runs, none carries the session's id, and no
    register or lock names it. `locks`: the directory of the agent's locks, where it exists.
    """
    return Facts(
        subject, at, boot, "", (), (), (), explained=False, lock_directory=locks, foreign_path=_foreign_path(subject)
    )


def _foreign_path(subject: Subject) -> str | None:
    return next((place for place in subject.directories if is_foreign_path(place)), None)


@light
class Look:
    """One look at the machine: the process table, the agents' registers and locks, taken together."""

    at: Stamp
    boot: Stamp | None
    here: str
    processes: Mapping[int, ProcessInfo]
    agents: Mapping[str, tuple[ProcessInfo, ...]]
    """Running processes of each agent; no zombies."""
    claims: Mapping[tuple[str, str], tuple[Claim, ...]]
    """By agent and session id."""
    opened: Mapping[int, frozenset[str]]
    named: Mapping[int, str]
    """Process of an agent to the session id on its command line."""
    children: Mapping[tuple[str, str], tuple[ProcessInfo, ...]]
    complete: frozenset[str]
    """Agents whose registers and locks could be read whole."""
    lock_directories: Mapping[str, str]
    readers: Mapping[str, Reader]
    problems: tuple[Problem, ...] = ()
    _owners: Mapping[tuple[str, int], frozenset[str]] = field(default_factory=dict[tuple[str, int], frozenset[str]])
    """By agent and process: the sessions that registers and locks tie it to."""
    _links: dict[str, str] = field(default_factory=dict[str, str])
    """Directories that were asked for, without links."""

    def facts_for(self, subject: Subject) -> Facts:
        """What this look saw that concerns a session."""
        key = (subject.agent, subject.session_id)
        reader = self.readers.get(subject.agent)
        rivals = self.agents.get(subject.agent, ())
        places = self._forms(subject.directories) if rivals else frozenset[str]()
        files = self._files(subject.paths) if rivals else frozenset[str]()
        return Facts(
            subject=subject,
            at=self.at,
            boot=self.boot,
            here=self.here,
            claims=self.claims.get(key, ()),
            rivals=tuple(self._rival(subject, process, places, files) for process in rivals),
            children=self.children.get(key, ()),
            explained=reader is not None
            and subject.agent in self.complete
            and reader.explains_silence(subject.version, subject.entrypoint),
            lock_directory=self.lock_directories.get(subject.agent),
            foreign_path=_foreign_path(subject),
        )

    def told(self, names: Collection[str]) -> tuple[object, ...]:
        """All that `facts_for` tells from, the moment apart: two looks that compare equal here tell the same of
        sessions whose transcripts have these names.
        """
        opened = {
            (pid, path)
            for pid, paths in self.opened.items()
            for path in paths
            if os.path.basename(path) in names  # noqa: PTH119 - text stays text
        }
        seen = (self.boot, self.here, self.agents, self.claims, opened, self.named, self.children)
        return (*seen, self.complete, self.lock_directories, self.problems)

    def sessions_of(self, agent: str, pid: int) -> frozenset[str]:
        """Ids of the sessions that a process verifiably owns by registers and locks: a server may hold many."""
        return self._owners.get((agent, pid), frozenset())

    def _real(self, directory: str) -> str:
        """The directory without links. Many sessions share few of them, and asking costs."""
        if directory not in self._links:
            self._links[directory] = os.path.realpath(directory)
        return self._links[directory]

    def _forms(self, directories: Sequence[str]) -> frozenset[str]:
        here = [place for place in directories if place_here(place)]
        return frozenset(form.rstrip("/") or "/" for place in here for form in (place, self._real(place)))

    def _files(self, paths: Sequence[str]) -> frozenset[str]:
        split = (os.path.split(path) for path in paths)
        return frozenset((*paths, *(f"{self._real(directory)}/{name}" for directory, name in split)))

    def _rival(self, subject: Subject, process: ProcessInfo, places: frozenset[str], files: frozenset[str]) -> Rival:
        tied = self._owners.get((subject.agent, process.pid), frozenset())
        named = self.named.get(process.pid)
        others = tied - {subject.session_id}
        elsewhere = ""
        if subject.session_id not in tied:
            # What the agent itself wrote down beats the words that it was started with: it may have moved on.
            elsewhere = min(others) if others else (named or "")
            elsewhere = "" if elsewhere == subject.session_id else elsewhere
        return Rival(
            process=process,
            opens=not self.opened.get(process.pid, frozenset()).isdisjoint(files),
            named=named == subject.session_id and not elsewhere,
            elsewhere=elsewhere,
            inside=_inside(process.cwd, places),
        )


def look(machine: Machine, readers: Sequence[Reader]) -> Look:
    """Look once at the process table, at every register and at every lock. Never raises for what it meets."""
    processes = machine.processes
    table = {row.pid: row for row in processes.all()}
    here = processes.this_domain()
    agents = {
        reader.agent: tuple(p for p in table.values() if not p.zombie and reader.is_agent(p)) for reader in readers
    }
    claims: dict[tuple[str, str], tuple[Claim, ...]] = {}
    problems: list[Problem] = []
    complete: set[str] = set()
    lock_directories: dict[str, str] = {}
    for reader in readers:
        found = reader.find_holders(machine.places.home, machine.places.environment)
        unread = [entry for entry in found if isinstance(entry, Problem)]
        problems += unread
        for holder in found:
            if isinstance(holder, Holder):
                key = (holder.agent, holder.session_id)
                claims[key] = (*claims.get(key, ()), *_claims(holder, table, processes, here, agents[reader.agent]))
        ledgers = _ledgers(reader, machine)
        if not unread and (any(ledgers.values()) or not ledgers):
            complete.add(reader.agent)
        for walk in (walk for walk, there in ledgers.items() if there and not unread and walk.holds == "locks"):
            lock_directories[reader.agent] = walk.root
    rows = {row.pid: row for found in agents.values() for row in found}
    return Look(
        at=machine.clock.now(),
        boot=processes.boot_time(),
        here=here,
        processes=table,
        agents=agents,
        claims=claims,
        opened={pid: files for pid in rows if (files := processes.open_files(pid)) is not None},
        named=_named(agents, readers),
        children=_children(table, agents, processes, readers),
        complete=frozenset(complete),
        lock_directories=lock_directories,
        readers={reader.agent: reader for reader in readers},
        problems=tuple(problems),
        _owners=_owners(claims),
    )


def _ledgers(reader: Reader, machine: Machine) -> Mapping[Walk, bool]:
    """Where the agent keeps registers and locks, and whether that is there."""
    walks = reader.walks(machine.places.home, machine.places.environment)
    return {walk: os.path.isdir(walk.root) for walk in walks if walk.holds in {"registers", "locks"}}  # noqa: PTH112 - text stays text


def _named(agents: Mapping[str, tuple[ProcessInfo, ...]], readers: Sequence[Reader]) -> Mapping[int, str]:
    pairs = ((row.pid, reader.session_on_command_line(row)) for reader in readers for row in agents[reader.agent])
    return {pid: session for pid, session in pairs if session}


def _owners(claims: Mapping[tuple[str, str], tuple[Claim, ...]]) -> Mapping[tuple[str, int], frozenset[str]]:
    owners: dict[tuple[str, int], frozenset[str]] = {}
    for (agent, session_id), found in claims.items():
        for claim in found:
            if claim.matches and claim.process is not None:
                key = (agent, claim.process.pid)
                owners[key] = owners.get(key, frozenset()) | {session_id}
    return owners


# ── registers and locks ──────────────────────────────────────────────────────────────────────────────────────────────


def _claims(
    holder: Holder,
    table: Mapping[int, ProcessInfo],
    processes: Processes,
    here: str,
    agents: Sequence[ProcessInfo],
) -> Sequence[Claim]:
    if holder.how == "lock":
        return _lock_claims(holder, table, processes, agents)
    holder = replace(holder, foreign=holder.foreign or is_foreign_domain(holder.domain, here))
    process = None if holder.foreign or holder.pid is None else table.get(holder.pid)
    if process is None:
        return [Claim(holder, None, matches=False)]
    fits = _start_fits(holder, process)
    if fits is None and holder.start_token and holder.start_token.isdigit() != process.start_token.isdigit():
        # A start as another system writes it: the file was not written here.
        return [Claim(replace(holder, foreign=True), None, matches=False)]
    return [Claim(holder, process, matches=bool(fits) and not process.zombie, comparable=fits is not None)]


def _start_fits(holder: Holder, process: ProcessInfo) -> bool | None:
    """Whether the start of the process is the one in the register; None where they cannot be compared."""
    if holder.start_token:
        if holder.start_token.isdigit() != process.start_token.isdigit():
            return None
        return holder.start_token == process.start_token
    if holder.started_ms is None:
        return None
    # An old register notes when the program had come so far as to note it: a few seconds after its start. The start
    # itself is known to a hundredth of a second, the boot that it is counted from to a second.
    return -2.0 <= holder.started_ms / 1000 - process.started <= 10.0


def _lock_claims(
    holder: Holder, table: Mapping[int, ProcessInfo], processes: Processes, agents: Sequence[ProcessInfo]
) -> Sequence[Claim]:
    from pathlib import Path  # few have a lock

    pids = processes.lock_holders(Path(holder.path))
    if pids is None:
        return [Claim(replace(holder, held=None), None, matches=False)]
    if not pids:
        return [Claim(replace(holder, held=False), None, matches=False)]
    held = replace(holder, held=True)
    # A zombie holds no file any more: who got the descriptor from it does.
    ended = {pid for pid in pids if pid in table and table[pid].zombie}
    alive = {pid for pid in pids if pid in table} - ended
    if not alive and 0 not in pids and (heirs := _heirs(holder.path, table, processes)):
        own = {row.pid for row in agents}
        bearers = [row for row in heirs if row.pid in own] or heirs
        return [
            Claim(replace(held, pid=row.pid), row, matches=row.pid in own, inherited=row.pid not in own)
            for row in bearers
        ]
    return [
        Claim(
            replace(held, pid=None if pid in ended else pid or None),
            table[pid] if pid in alive else None,
            matches=pid in alive,
            owner_unseen=pid not in alive,
        )
        for pid in sorted(pids)
    ]


def _heirs(path: str, table: Mapping[int, ProcessInfo], processes: Processes) -> Sequence[ProcessInfo]:
    """The processes that hold a lock on, where the one that the lock table names has ended.

    An `flock` belongs to the open file, and goes on with whoever got the descriptor; the table keeps the first pid.
    """
    from pathlib import Path  # as above

    rows = (table.get(pid) for pid in sorted(processes.lock_bearers(Path(path))))
    return [row for row in rows if row is not None and not row.zombie]


def is_foreign_domain(there: str, here: str) -> bool:
    """Whether a register's host and process namespace are not these. Nothing written there says nothing."""
    if not there or there == here:
        return False
    kind, _, rest = there.partition(":")
    own_kind, _, own = here.partition(":")
    if kind != own_kind:
        return True
    if kind != "linux":
        return False  # no other form is known well enough to compare
    machine, _, namespace = rest.partition(":")
    own_machine, _, own_namespace = own.partition(":")
    return bool(machine and own_machine and machine != own_machine) or namespace != own_namespace


def is_foreign_path(path: str) -> bool:
    r"""Whether a directory is written in the style of another system: `C:\\src` or `\\\\host\\share` on this one."""
    if os.name == "nt" or path.startswith("/"):
        return False
    drive, _ = ntpath.splitdrive(path)
    return bool(drive)


# ── directories and children ─────────────────────────────────────────────────────────────────────────────────────────


def _inside(cwd: str | None, places: frozenset[str]) -> bool | None:
    if cwd is None or not places:
        return None
    return any(cwd == place or cwd.startswith(place.rstrip("/") + "/") for place in places)


def _children(
    table: Mapping[int, ProcessInfo],
    agents: Mapping[str, tuple[ProcessInfo, ...]],
    processes: Processes,
    readers: Sequence[Reader],
) -> Mapping[tuple[str, str], tuple[ProcessInfo, ...]]:
    variables = [(reader.agent, name) for reader in readers for name in reader.child_variables()]
    if not variables:
        return {}
    own = ancestry(table)
    skipped = {(agent, row.pid) for agent, rows in agents.items() for row in rows}
    found: dict[tuple[str, str], tuple[ProcessInfo, ...]] = {}
    for row in table.values():
        # Refloat itself may have been started by an agent; it is nobody's background work.
        if row.zombie or not row.argv or row.pid in own or not (environment := processes.environment(row.pid)):
            continue
        for key in {(agent, environment[name]) for agent, name in variables if environment.get(name)}:
            if (key[0], row.pid) not in skipped:
                found[key] = (*found.get(key, ()), row)
    return found


def ancestry(table: Mapping[int, ProcessInfo]) -> frozenset[int]:
    """This process and those that it comes from: Refloat may have been started by an agent, and is nobody's work."""
    line: set[int] = set()
    pid = os.getpid()
    while pid > 1 and pid not in line:
        line.add(pid)
        pid = table[pid].ppid if pid in table else 0
    return frozenset(line)


def carries(environment: Mapping[str, str], reader: Reader, session_id: str) -> bool:
    """Whether an environment says that its process was started by the session."""
    return any(environment.get(name) == session_id for name in reader.child_variables())
