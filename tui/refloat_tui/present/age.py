"""How long ago, how long, and when, for people. The zone is the one of the machine that shows it."""

import re
from typing import Final

from refloat.model.stamp import Stamp, moment_of, seconds_of
from refloat.text import inert_line, one_line

_MINUTE, _HOUR, _DAY, _WEEK, _YEAR = 60, 3600, 86400, 7 * 86400, 365 * 86400


def _largest(seconds: float, units: tuple[str, str, str, str, str]) -> str:
    minute, hour, day, week, year = units
    for size, unit, upto in (
        (_MINUTE, minute, _HOUR),
        (_HOUR, hour, _DAY),
        (_DAY, day, 2 * _WEEK),
        (_WEEK, week, _YEAR),
    ):
        if seconds < upto:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds // _YEAR)}{year}"


def age(then: Stamp | None, now: Stamp) -> str:
    """At most four characters: `now`, `38m`, `3h`, `2d`, `5w`, `1y`; empty where no time is known."""
    if then is None:
        return ""
    seconds = seconds_of(now) - seconds_of(then)
    return "now" if seconds < _MINUTE else _largest(seconds, ("m", "h", "d", "w", "y"))


def minute_of(stamp: Stamp) -> str:
    """The minute that a stamp lies in."""
    return stamp[: len("2026-09-14T12:03")]


def ago(then: Stamp | None, now: Stamp) -> str:
    """`12 s ago`, `38 min ago`, `3 h ago`, `2 days ago`."""
    if then is None:
        return "at a time that is not recorded"
    seconds = seconds_of(now) - seconds_of(then)
    if seconds < -_MINUTE:
        return "in the future, by this machine's clock"
    if seconds < _MINUTE:
        return f"{max(0, int(seconds))} s ago"
    words = _largest(seconds, (" min", " h", " days", " weeks", " years"))
    return (words[:-1] if words.startswith("1 ") and words.endswith("s") else words) + " ago"


def clock_time(stamp: Stamp | None, *, seconds: bool = True) -> str:
    """`12:03:11`, or spaces of that width."""
    if stamp is None:
        return " " * (8 if seconds else 5)
    return moment_of(stamp).astimezone().strftime("%H:%M:%S" if seconds else "%H:%M")


def zone(stamp: Stamp | None) -> str:
    """How far the clock of this machine was from UTC then, ` +02:00`; empty where it shows UTC. Said once beside times
    without a date: commands and JSON tell all times in UTC.
    """
    if stamp is None:
        return ""
    offset = moment_of(stamp).astimezone().strftime("%z")
    return "" if offset[1:5] == "0000" else f" {offset[:3]}:{offset[3:5]}"


def absolute(stamp: Stamp | None) -> str:
    """`2026-09-14 12:03:11 +02:00`, without the zone where that is UTC."""
    return "" if stamp is None else f"{moment_of(stamp).astimezone():%Y-%m-%d %H:%M:%S}{zone(stamp)}"


_IN_TEXT: Final = re.compile(r"(?<![\w:./-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?!\w)")


def local_times(text: str) -> str:
    """A text of ours with its times as the app tells all others: `2026-09-14 12:03:11 +02:00`."""
    return _IN_TEXT.sub(_local, text) if "Z" in text else text


def stamps_again(text: str, was: str) -> str:
    """A text that began as `local_times(was)`, with those times that are left in it as they stood in `was`."""
    for found in _IN_TEXT.finditer(was):
        text = text.replace(_local(found), found[0])
    return text


def timed_line(text: str) -> str:
    """The same in one line, inert."""
    return local_times(one_line(text))


def timed(text: str) -> str:
    """The same of a line whose spaces stay as they are."""
    return local_times(inert_line(text))


def _local(found: re.Match[str]) -> str:
    try:
        return absolute(Stamp(found[0]))
    except (ValueError, OverflowError, OSError):  # no day of any calendar
        return found[0]


def duration(begin: Stamp | None, end: Stamp | None) -> str:
    """`0.4 s`, `12 s`, `3 min`, `2 h`; empty where one end is unknown, or where it took no time."""
    if begin is None or end is None:
        return ""
    seconds = seconds_of(end) - seconds_of(begin)
    return lasted(seconds) if seconds >= 0.1 else ""


def lasted(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min`, `2 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{int(seconds)} s" if seconds < _MINUTE else _largest(seconds, (" min", " h", " d", " w", " y"))
