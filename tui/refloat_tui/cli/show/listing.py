"""`list` for a person, in the same words as on the quick road."""

import os
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from refloat.model.problem import only_unread
from refloat.model.record import Lease
from refloat.model.session import Session
from refloat.model.stamp import Stamp
from refloat.text import cut, one_line
from refloat.usecases.find_sessions import TITLE, Listing, listed_title
from refloat_tui.cli import rows
from refloat_tui.cli.show.table import labelled

NOBODY: Final[Mapping[str, Lease]] = MappingProxyType({})


_NONE_READ: Final = "No session could be read that belongs here. What could not be read:"


def _at(name: str, held: Mapping[str, Lease]) -> str:
    """`@ann `, where somebody is at it."""
    return f"@{one_line(held[name].holder.partition('@')[0])} " if name in held else ""


def _title(listing: Listing, session: Session) -> str:
    return listed_title(session.title, listing.chains.get(session.name), repaired=session.repaired)


def listing_lines(
    listing: Listing, width: int, now: Stamp, held: Mapping[str, Lease] = NOBODY, *, everywhere: bool
) -> Iterator[str]:
    """One line a session, then what could not be read. `held`: who else is at a session, before its title."""
    table = [
        (
            session.state.value,
            cut(f"{_at(session.name, held)}{_title(listing, session)}", TITLE),
            session.agent,
            session.last_activity_at or "",
            session.session_id,
            one_line(PurePath(session.workspace or "").name),
        )
        for session in listing.sessions
    ]
    ascii_only = rows.wants_ascii(os.environ)
    gone = len(listing.records_gone)
    lines = rows.table(table, gone, width, now, ascii_only=ascii_only, everywhere=everywhere)
    if not table and only_unread(listing.problems):
        lines[0] = _NONE_READ
    yield from lines
    for problem in listing.problems:
        yield from labelled("  !", f"{problem.path}: {problem.what}", width, 4)
