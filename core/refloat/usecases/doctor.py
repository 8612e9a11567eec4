"""What was found on this machine, what could not be read, and what is missing."""

import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from refloat import __version__
from refloat.errors import RefloatError
from refloat.knowledge import tables
from refloat.model.checkout import Warned
from refloat.model.problem import Problem
from refloat.model.recovered import Unfinished
from refloat.model.session import SessionName
from refloat.model.status import AgentFound, Doctor, MachineFacts
from refloat.ports import Machine
from refloat.record.contents import FOLDER as OUTPUTS
from refloat.record.spool import FOLDER as INCOMING
from refloat.record.store import FILE_NAME, find_url
from refloat.there import is_directory, is_there, may_be_there
from refloat.usecases.find_sessions import Listing, Scope, list_sessions
from refloat.usecases.hooks_install import find_installed
from refloat.usecases.hooks_log import read_log
from refloat.usecases.keep_draft import open_drafts
from refloat.usecases.keep_session import kept_warnings
from refloat.usecases.saved_record import NothingSaved, open_saved
from refloat.usecases.workbench import Workbench

_CHECKOUTS: Final = 20
"""Checkouts that are asked for their settings: three questions to git each."""
_INOTIFY: Final = Path("/proc/sys/fs/inotify")


def examine_machine(bench: Workbench) -> Doctor:
    """Look at every agent's records, and at what Refloat itself needs here."""
    listing = list_sessions(bench, Scope(all_copies=True))
    agents = tuple(_agent(bench, agent, listing) for agent in (reader.agent for reader in bench.readers))
    warnings = [Warned(problem.what, problem.path) for problem in (*bench.problems, *tables.problems())]
    facts = _machine(bench)
    if (why := bench.machine.git.why_not()) is not None:
        warnings.append(Warned(f"{why}: checkouts cannot be compared", None))
    for what, path in (("cache", bench.machine.places.cache), ("data", bench.machine.places.data)):
        if trouble := _unusable(path):
            warnings.append(
                Warned(f"the {what} directory cannot be used ({trouble}): all is read anew each time", str(path))
            )
    warnings += [*_record_warnings(bench.machine), *_hook_warnings(bench.machine), *kept_warnings(bench)]
    return Doctor(agents, facts, tuple(dict.fromkeys((*warnings, *_hostile(bench, listing)))))


def _hostile(bench: Workbench, listing: Listing) -> Iterator[Warned]:
    """What the checkouts of the newest sessions hold that git was told not to obey."""
    repos = list(dict.fromkeys(session.repo for session in listing.sessions if session.repo))
    for repo in repos[:_CHECKOUTS]:
        yield from bench.machine.git.not_obeyed(Path(repo))
    if len(repos) > _CHECKOUTS:
        yield Warned(f"{len(repos) - _CHECKOUTS} older checkouts were not looked at for what git would run", None)


def _agent(bench: Workbench, agent: str, listing: Listing) -> AgentFound:
    places = bench.machine.places
    walks = bench.reader(agent).walks(places.home, places.environment)
    roots = tuple(walk.root for walk in walks if walk.holds == "transcripts")
    mine = [session for session in listing.sessions if session.agent == agent]
    paths = {path for session in mine for path in session.transcript.paths}
    problems: list[Problem] = [problem for session in mine for problem in session.transcript.problems]
    below = tuple(walk.root for walk in walks)
    problems += [
        problem for problem in listing.problems if problem.path not in paths and problem.path.startswith(below)
    ]
    return AgentFound(agent, roots, len(mine), tuple(problems))


def _machine(bench: Workbench) -> MachineFacts:
    machine = bench.machine
    many, unfinished = _recoveries(machine)
    return MachineFacts(
        git=machine.git.version(),
        python=platform.python_version(),
        refloat=__version__,
        system=f"{platform.system()} {platform.release()}",
        watching=machine.watch.how(),
        inotify_watches=_number(_INOTIFY / "max_user_watches"),
        inotify_instances=_number(_INOTIFY / "max_user_instances"),
        catalogue=str(machine.places.cache / "catalogue.db"),
        record="PostgreSQL" if _has_url(machine) else str(machine.places.data / FILE_NAME),
        open_drafts=many,
        unfinished=unfinished,
        hooks=tuple(f"{each.agent} ({each.scope}): {each.path}" for each in find_installed(*_places(machine))),
        traces=tuple(machine.traces.readable(machine.clock.now())),
    )


def _places(machine: Machine) -> tuple[Path, Mapping[str, str], Path]:
    """Home, environment, and the directory of the call: where settings with hooks may lie."""
    places = machine.places
    return places.home, places.environment, Path(os.path.realpath(os.curdir))


def _hook_warnings(machine: Machine) -> list[Warned]:
    """What hooks could not do: they tell their agents nothing."""
    warnings = [
        Warned(
            f"the hook calls {gone}, which is gone: `refloat hook install {each.agent} --scope {each.scope}`",
            str(each.path),
        )
        for each in find_installed(*_places(machine))
        if (gone := each.find_gone())
    ]
    try:
        logged = read_log(machine.places.data)
    except OSError as error:
        what = f"the log of hooks cannot be read ({error.strerror or error})"
        return [*warnings, Warned(what, str(machine.places.data))]
    if logged is None:
        return warnings
    told = f"failures of hooks: {logged.failures}; what they had to save is not saved; the last: {logged.last}"
    return [*warnings, Warned(f"{told}; delete the log when that is settled:", str(logged.path))]


def _recoveries(machine: Machine) -> tuple[int | None, tuple[tuple[SessionName, Unfinished], ...]]:
    """How many are open, and in which of them something was left half-way."""
    if not _has_url(machine) and not may_be_there(machine.places.data / FILE_NAME):
        return 0, ()  # opening would make it
    try:
        with open_drafts(machine) as drafts:
            return (None, ()) if drafts.why_memory else (len(drafts.find()), drafts.unfinished())
    except RefloatError:
        return None, ()  # damaged; the warnings tell


def _has_url(machine: Machine) -> bool:
    places = machine.places
    try:
        return find_url(places.environment, places.config) is not None
    except RefloatError:
        return False  # the warnings tell


def _record_warnings(machine: Machine) -> list[Warned]:
    """What is damaged in the record, and what killed commands left beside it."""
    places = machine.places
    left: list[Path] = []
    if is_directory(places.data) and os.access(places.data, os.X_OK):
        left += [*sorted((places.data / INCOMING).glob("*")), *sorted((places.data / OUTPUTS).rglob("*.partial"))]
    found = [Warned("what a command printed whose `refloat run` was killed, or still runs", str(path)) for path in left]
    try:
        with open_saved(places.data, places.config, places.environment, machine.clock.now()) as record:
            damaged = record.engine.integrity()
            record.signer()
    except NothingSaved:
        return found
    except RefloatError as error:
        return [*found, Warned(str(error), None)]
    if record.unsigned_because is not None:
        found.append(Warned(record.unsigned_because, None))
    return [*found, *(Warned(f"the record is damaged: {what}", str(record.path)) for what in damaged)]


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _unusable(path: Path) -> str | None:
    """Why a directory of Refloat's own cannot be used; nothing is made to find out."""
    nearest = path
    while not is_there(nearest) and nearest != nearest.parent:
        nearest = nearest.parent
    if not is_directory(nearest):
        return f"{nearest} is no directory"
    return None if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} may not be written"
