"""Moments, kept as text: RFC 3339 in UTC with milliseconds and `Z`, so that they sort and print as they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NewType

from refloat.patterns import late

Stamp = NewType("Stamp", str)
"""`2026-09-14T09:02:00.000Z`. Equal moments are equal strings; later moments are greater strings."""

_YEARS: Final = range(1970, 9999)
"""A calendar ends with the year 9999; a stamp stands a year before that, so that one may reckon with it."""

PLAIN: Final = (
    r"(?!9999)(?:19[7-9]|[2-9][0-9]{2})[0-9]-"
    r"(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
"""An expression for what is a Stamp as it stands, by its parts alone: only 29 February is left to the calendar."""
_PLAIN: Final = late(PLAIN)


def stamp_of(moment: datetime) -> Stamp:
    """Write an aware moment as a Stamp."""
    utc = moment.astimezone(UTC)
    return Stamp(f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z")


def stamp_of_seconds(seconds: float) -> Stamp | None:
    """Write seconds since 1970 as a Stamp; None where no calendar holds them."""
    try:
        return _bounded(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def read_stamp(value: object) -> Stamp | None:
    """Read RFC 3339 text of any precision and zone; None for anything else, and for what no clock of an agent can have
    shown: a 13th month, a year before 1970 or after 9998.
    """
    if not isinstance(value, str):
        return None
    if _PLAIN.fullmatch(value):
        return Stamp(value)
    try:
        moment = datetime.fromisoformat(value)
        return _bounded((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _bounded(moment: datetime) -> Stamp | None:
    return stamp_of(moment) if moment.year in _YEARS else None


def seconds_of(stamp: Stamp) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(stamp).timestamp()


def moment_of(stamp: Stamp) -> datetime:
    """The aware moment."""
    return datetime.fromisoformat(stamp)


def later(stamp: Stamp, seconds: float) -> Stamp:
    """The moment `seconds` after (or, negative, before) `stamp`."""
    return stamp_of(moment_of(stamp) + timedelta(seconds=seconds))
