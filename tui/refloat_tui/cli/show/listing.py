"""`list` for a person, on the full road; the quick road writes the same lines (`rows`)."""

import os

from refloat.model.stamp import Stamp
from refloat.text import cut, one_line
from refloat.usecases.find_sessions import TITLE, Listing
from refloat_tui.cli import rows


def listing_lines(listing: Listing, width: int, now: Stamp, *, everywhere: bool) -> list[str]:
    """One line a session, newest activity first. The listing comes masked."""
    table = [
        (
            session.state.value,
            cut(one_line(session.title), TITLE),
            session.agent,
            session.last_activity_at or "",
            session.session_id,
            one_line(os.path.basename(session.workspace or "")),  # noqa: PTH119 - a foreign style stays as it is
        )
        for session in listing.sessions
    ]
    ascii_only = rows.wants_ascii(os.environ)
    return rows.table(table, len(listing.records_gone), width, now, ascii_only=ascii_only, everywhere=everywhere)
