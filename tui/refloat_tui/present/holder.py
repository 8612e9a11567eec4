"""Who is at a session, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.text import inert_line
from refloat_tui.present.age import clock_time, zone

if TYPE_CHECKING:
    from refloat.model.record import Lease


def holder_words(lease: Lease) -> str:
    """`ana@devbox is recovering this since 12:03`."""
    doing = inert_line(lease.reason or "").partition(";")[0] or "holds this"
    since = f"{clock_time(lease.since, seconds=False)}{zone(lease.since)}"
    return f"{inert_line(lease.holder)} {doing} since {since}"


def holder_name(lease: Lease) -> str:
    """The name alone."""
    return inert_line(lease.holder).partition("@")[0]
