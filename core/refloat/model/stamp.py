"""Moments, kept as text: RFC 3339 in UTC with milliseconds and `Z`, so that they sort and print as they are."""

from datetime import UTC, datetime, timedelta
from typing import Final, NewType

Stamp = NewType("Stamp", str)
"""`2026-09-14T09:02:00.000Z`. Equal moments are equal strings; later moments are greater strings."""

_YEARS: Final = range(1970, 9999)
"""A calendar ends with the year 9999; a stamp stands a year before that, so that one may reckon with it."""


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
    if len(value) == 24 and value[10] == "T" and value[19] == "." and value[23] == "Z" and value.isascii():
        digits = value[:4] + value[5:7] + value[8:10] + value[11:13] + value[14:16] + value[17:19] + value[20:23]
        if digits.isdigit() and value[4] == value[7] == "-" and value[13] == value[16] == ":" and _is_plain(value):
            return Stamp(value)
    try:
        moment = datetime.fromisoformat(value)
        return _bounded((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _is_plain(value: str) -> bool:
    """Whether a stamp of digits is a moment by its parts alone; the last days of a month are left to the calendar."""
    return (
        "1970" <= value[:4] <= "9998"
        and "01" <= value[5:7] <= "12"
        and "01" <= value[8:10] <= "28"
        and value[11:13] < "24"
        and value[14:16] < "60"
        and value[17:19] < "60"
    )


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
