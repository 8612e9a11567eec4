"""What recoveries left of a session: the one that is open, the one that was finished last, and a brief to go on with.

Decides whether a brief that stands somewhere is one to start a new session with: it is that session's, nothing that it
speaks of moved, and no answer was given since it was written. What is left aside is told with the reason. Refuses to
let a record that cannot be read stop anybody. Looking changes nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from refloat.brief.fingerprint import session_of_brief
from refloat.errors import RefloatError
from refloat.model.own_files import BRIEF_FILE
from refloat.model.recovered import Aside, Handed, Recovered, StandingBriefs, Unfinished
from refloat.model.stamp import read_stamp, seconds_of
from refloat.record.names import FILE_NAME
from refloat.text import inert_line
from refloat.there import may_be_there

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from refloat.model.recovery import Draft
    from refloat.model.session import SessionName
    from refloat.record.store import Record
    from refloat.usecases.workbench import Workbench


def find_recoveries(bench: Workbench, session: SessionName) -> tuple[Recovered | None, Unfinished | None]:
    """The recovery of a session that was finished last, and the one that is open; None for one that there is not, and
    where no record can be read now.
    """
    try:
        record = _open(bench)
        if record is None:
            return None, None
        from refloat.record.drafts import finished_draft, get_draft

        with record:
            finished, begun = finished_draft(record, session), get_draft(record, session)
            done = None if finished is None else _recovered(record, session, finished)
    except RefloatError:
        return None, None
    return done, None if begun is None else _unfinished(begun, finished)


def unfinished_of(record: Record, drafts: Iterable[Draft]) -> Iterator[tuple[SessionName, Unfinished]]:
    """Those of the recoveries that are open in which something was left half-way, with their sessions."""
    from refloat.record.drafts import finished_draft

    for draft in drafts:
        if (left := _unfinished(draft, finished_draft(record, draft.session))) is not None:
            yield draft.session, left


def brief_of_recovery(recovered: Recovered | None, session: SessionName) -> str | None:
    """The file that a recovery wrote its brief to, where that session's brief stands there still."""
    if recovered is None or recovered.brief is None or not recovered.brief_there:
        return None
    return recovered.brief if session_of_brief(Path(recovered.brief)) == session else None


def _open(bench: Workbench) -> Record | None:
    from refloat.record.store import find_url
    from refloat.usecases.saved_record import open_saved

    places = bench.machine.places
    if not may_be_there(places.data / FILE_NAME) and find_url(places.environment, places.config) is None:
        return None
    return open_saved(places.data, places.config, places.environment, bench.machine.clock.now())


def _recovered(record: Record, session: SessionName, draft: Draft) -> Recovered:
    brief, written_at = draft.given.written or (None, None)
    there, instead = (False, "") if brief is None else _stands(brief, session)
    return Recovered(draft.by, draft.updated_at, brief, written_at, there, _newest_wrap(record, session), instead)


def has_brief_moved(told: Recovered, session: SessionName) -> bool:
    """Whether something else stands under the name of a recovery's brief than was told."""
    return told.brief is not None and _stands(told.brief, session) != (told.brief_there, told.instead)


def _stands(brief: str, session: SessionName) -> tuple[bool, str]:
    """Whether a session's brief stands under a name, and what does in its place."""
    there = session_of_brief(Path(brief)) == session
    return there, "" if there else what_stands(brief)


def what_stands(path: str) -> str:
    """What stands under a name, in words; empty where nothing does."""
    if (whose := session_of_brief(Path(path))) is not None:
        return f"the brief of {inert_line(whose)}"
    return "another file" if os.path.lexists(path) else ""


def _unfinished(draft: Draft, finished: Draft | None) -> Unfinished | None:
    """None where somebody only opened the wizard, or answered on the desk: nothing was left half-way."""
    from refloat.model.recovery import PAGES, Given, Page

    given, before = draft.given, Given() if finished is None else finished.given
    said = (given.process, given.process_note) != (before.process, before.process_note)
    if given.page is Page.PROCESS and not given.passed and not said:
        return None
    return Unfinished(draft.by, draft.updated_at, PAGES.index(given.page) + 1, len(PAGES))


def _newest_wrap(record: Record, session: SessionName) -> Handed | None:
    from refloat.usecases.hold_session import jobs_of

    jobs = jobs_of(record, session)
    with record.reading() as connection:
        rows = [row for job in jobs if (row := connection.row("links.last_own_wrap", job=job)) is not None]
    if not rows:
        return None
    row = max(rows, key=lambda row: str(row["at"]))
    at, recipient = read_stamp(row["at"]), row["recipient"]
    if at is None:
        return None
    return Handed(str(row["receipt"]), at, str(row["job"]), recipient if isinstance(recipient, str) else None)


# ── briefs that stand ────────────────────────────────────────────────────────────────────────────────────────────────


def standing_briefs(bench: Workbench, session: SessionName, workspace: str | None) -> StandingBriefs:
    """Which brief of a session to start a new one with: the newest that stands where briefs usually do, or where its
    recovery wrote one.
    """
    current, doubt = _current_draft(bench, session)
    briefs = sorted(_briefs(session, workspace, current), key=_written_at, reverse=True)
    if not briefs:
        return StandingBriefs()
    newest, *older = briefs
    aside = [Aside(str(path), "a newer one of this session stands elsewhere") for path in older]
    why = doubt or _why_not(bench, newest, current)
    return StandingBriefs(None, (Aside(str(newest), why), *aside)) if why else StandingBriefs(str(newest), tuple(aside))


def _briefs(session: SessionName, workspace: str | None, current: Draft | None) -> Iterator[Path]:
    """Files that are this session's brief by their own last line."""
    named = [] if workspace is None else [Path(workspace) / BRIEF_FILE]
    if current is not None and current.given.written is not None:
        named.append(Path(current.given.written[0]))
    for path in dict.fromkeys(named):
        if session_of_brief(path) == session:
            yield path


def _written_at(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _current_draft(bench: Workbench, session: SessionName) -> tuple[Draft | None, str]:
    """What was answered last, as it was when it was finished where nothing changed since; or why nobody knows."""
    try:
        record = _open(bench)
        if record is None:
            return None, ""
        from refloat.record.drafts import finished_draft, newest_draft

        with record:
            newest, finished = newest_draft(record, session), finished_draft(record, session)
    except RefloatError as error:
        return None, f"nobody can tell whether answers were given since ({error})"
    # Whoever only opens the wizard again begins a draft with the same answers.
    same = newest is not None and finished is not None and newest.given.answers == finished.given.answers
    return (finished if same else newest), ""


def _why_not(bench: Workbench, path: Path, current: Draft | None) -> str:
    """Why a brief is not the one to start with; empty: it is."""
    from refloat.usecases.check_brief import check_brief

    try:
        moved = len(check_brief(bench, path).moved)
    except RefloatError as error:
        return str(error)
    if moved:
        return f"it holds no more: {moved} {'thing' if moved == 1 else 'things'} that it speaks of moved since"
    if current is None or not current.given.says_anything:
        return ""
    written = current.given.written
    knows = written is not None and Path(written[0]) == path and not current.given.stale
    since = not knows and _written_at(path) < seconds_of(current.updated_at)
    return "it was written before the last answers of its recovery" if since else ""
