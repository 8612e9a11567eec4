"""Moments, kept as text: RFC 3339 in UTC with milliseconds and `Z`, so that they sort and print as they are."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NewType

Stamp = NewType("Stamp", str)
"""`2026-09-14T09:02:00.000Z`. Equal moments are equal strings; later moments are greater strings."""


_FORM: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def stamp_of(moment: datetime) -> Stamp:
    """Write an aware moment as a Stamp."""
    utc = moment.astimezone(UTC)
    return Stamp(f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z")


def stamp_of_seconds(seconds: float) -> Stamp | None:
    """Write seconds since 1970 as a Stamp; None where no calendar holds them."""
    try:
        return stamp_of(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def read_stamp(value: object) -> Stamp | None:
    """Read RFC 3339 text of any precision and zone; None for anything else, days that no calendar has among it."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if len(value) == 24 and value.isascii() and _FORM.fullmatch(value):
        return Stamp(value)  # as it is written here
    try:
        return stamp_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError:  # the first or last day of all, in another zone
        return None


def seconds_of(stamp: Stamp) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(stamp).timestamp()


def moment_of(stamp: Stamp) -> datetime:
    """The aware moment."""
    return datetime.fromisoformat(stamp)


def later(stamp: Stamp, seconds: float) -> Stamp:
    """The moment `seconds` after (or, negative, before) `stamp`."""
    return stamp_of(moment_of(stamp) + timedelta(seconds=seconds))
