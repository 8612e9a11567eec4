"""The JSON of who is at a session, and of who recovered it (design, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from refloat.model.record import Lease
    from refloat.model.recovered import Recovered, Unfinished

Document = dict[str, object]


def lease(value: Lease) -> Document:
    """Somebody's claim on a session."""
    doing = (value.reason or "").partition(";")[0] or None
    pid = value.runner.pid or None
    return {"holder": value.holder, "doing": doing, "pid": pid, "since": value.since, "until": value.until}


def recovered(value: Recovered) -> Document:
    """The recovery that was finished last."""
    wrap = value.wrap
    return {
        "by": value.by,
        "at": value.at,
        "brief": None
        if value.brief is None
        else {
            "path": value.brief,
            "at": value.written_at,
            "is_there": value.brief_there,
            "instead": value.instead or None,
        },
        "wrap": None
        if wrap is None
        else {"receipt": wrap.receipt, "at": wrap.at, "job": wrap.job, "to": wrap.recipient},
    }


def unfinished(value: Unfinished) -> Document:
    """The recovery that is open."""
    return {"by": value.by or None, "at": value.at, "page": value.page, "of": value.of}
