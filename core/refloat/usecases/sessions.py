"""A Session from what was found, read and judged, and the place that it belongs to.

Decides nothing about states. Where something lies is asked of the disk by names alone; git is not started.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from refloat.catalogue.pack import Packed
from refloat.catalogue.repos import NONE, Repo, Repos, is_in_scope
from refloat.model.light import light
from refloat.model.problem import Problem
from refloat.model.session import Session, SessionName, Subagent, TranscriptFiles
from refloat.readers.contract import Found
from refloat.readers.naming import make_id
from refloat.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.attempts import InChain
    from refloat.usecases.judging import Judged

TITLE: Final = 400
"""Characters kept of a title for the text table: more than any terminal shows."""
_ID: Final = 8
"""Characters of a session's id that a list shows."""


@light
class RealPlace:
    """A directory as it is compared with others."""

    path: str
    """Real path, or "" where there is none on this machine."""
    repo: Repo


class Surroundings:
    """Where directories lie; each is looked at once."""

    def __init__(self) -> None:
        self._repos = Repos()
        self._places: dict[str, RealPlace] = {}

    def place(self, directory: str | None) -> RealPlace:
        """A directory, which need not exist any more."""
        if not directory or not directory.startswith("/") or "\0" in directory:
            return RealPlace("", NONE)
        place = self._places.get(directory)
        if place is None:
            real = os.path.realpath(directory)
            place = self._places[directory] = RealPlace(real, self._repos.of(real))
        return place

    def top(self, directory: str | None) -> str | None:
        """The top level of the worktree that a directory lies in, spelt as the directory is."""
        if not directory or not directory.startswith("/") or "\0" in directory:
            return None
        return self._repos.of(os.path.normpath(directory))[0] or self.place(directory).repo[0] or None

    def holds(self, here: Path, directories: Sequence[str | None]) -> bool:
        """Whether work in one of the directories belongs to `here` (design, section 7)."""
        directory = self.place(str(here))
        return any(
            is_in_scope(directory.path, directory.repo, place.path, place.repo)
            for place in map(self.place, directories)
        )


def make_session(
    found: Found, packed: Packed, judged: Judged, surroundings: Surroundings, carrier: SessionName | None
) -> Session:
    """Put together what is known of a session."""
    summary = packed.summary
    parent = make_id(summary.parent or found.parent)
    return Session(
        agent=found.agent,
        session_id=found.session_id,
        title=summary.title,
        workspace=summary.workspace,
        repo=surroundings.top(summary.workspace),
        branch=summary.branch,
        model=summary.model,
        started_at=summary.started_at,
        last_activity_at=summary.last_activity_at,
        state=judged.state,
        activity=judged.activity,
        failure=judged.failure,
        liveness=judged.liveness,
        turns=summary.turns,
        prompts=summary.prompts,
        steps=summary.steps,
        dangling=summary.dangling,
        edits=summary.edits,
        parent=SessionName(f"{found.agent}:{parent}") if parent and parent != found.session_id else None,
        superseded_by=carrier,
        subagents=_subagents(found, packed, judged),
        worktree=summary.worktree,
        transcript=TranscriptFiles(
            tuple(file.path for file in found.files),
            sum(file.size for file in found.files),
            (*found.problems, *summary.problems, *_problems_of_subagents(packed)),
        ),
        kept=found.kept,
        repaired=bool(summary.repaired) and (summary.last_activity_at or "") <= summary.repaired,
        provisional=packed.provisional,
        by_path=found.by_path and found.kept is None,
    )


def names_here(
    here: Path | None, sessions: Iterable[Session], surroundings: Surroundings
) -> frozenset[SessionName] | None:
    """Which sessions belong to a directory; None where none was asked about."""
    if here is None:
        return None
    return frozenset(
        session.name for session in sessions if surroundings.holds(here, (session.workspace, session.worktree))
    )


def unreadable(packed: Packed) -> Sequence[Problem]:
    """The problems of a session of which nothing could be read; none where anything could."""
    summary = packed.summary
    if summary.last_activity_at is not None or summary.prompts or summary.steps:
        return ()
    return [problem for problem in summary.problems if problem.line is None and problem.offset is None]


def newest_first(sessions: Sequence[Session]) -> list[Session]:
    """In the order of `refloat list`: newest activity first, then by id."""
    by_id = sorted(sessions, key=lambda session: (session.session_id, session.agent))
    return sorted(by_id, key=lambda session: session.last_activity_at or "", reverse=True)


def _subagents(found: Found, packed: Packed, judged: Judged) -> tuple[Subagent, ...]:
    return tuple(
        Subagent(sub.id, judged.subagents[sub.id], packed.subagents[sub.id].dangling)
        for sub in found.subagents
        if sub.id in packed.subagents and sub.id in judged.subagents
    )


def _problems_of_subagents(packed: Packed) -> tuple[Problem, ...]:
    return tuple(problem for summary in packed.subagents.values() for problem in summary.problems)


def listed_title(title: str, chain: InChain | None, *, repaired: bool = False) -> str:
    """A title on the one line of a list, behind its place among the attempts: `(1/2, then 0a1b2c3d) Make it retry`.
    `repaired`: a copy, with which nobody went on: it is no attempt.
    """
    if chain is None:
        return one_line(title)
    if repaired:
        return one_line(f"(repaired copy) {title}")
    then = f", then {chain.continued_by.partition(':')[2][:_ID]}" if chain.continued_by else ""
    return one_line(f"({chain.n}/{chain.of}{then}) {title}")
