"""The text table of `refloat list`: one line a session, the same on the quick road and on the full one.

Decides which columns there are and what falls away where the terminal is narrow. Takes texts that are masked, inert
and on one line already. Imports nothing that costs.
"""

import os
from collections.abc import Mapping, Sequence

Row = tuple[str, str, str, str, str, str]
"""(state, title, agent, last activity as a Stamp or "", session id, name of the workspace's directory)."""

UNTITLED = "untitled"  # as in `refloat.text`, which the warm list does not load
MASK = "[masked: "  # as in `refloat.brief.hits`
_SIGNS = {"live": "●", "unresolved": "◐", "failed": "✖", "stopped": "■", "unbound": "○"}
_ASCII_SIGNS = {"live": "*", "unresolved": "?", "failed": "x", "stopped": "#", "unbound": "o"}
_WORD = 10
_ID = 8
_AGENT = 12
_FOLDER = 16
_AGE = 4
_TITLE = 24
"""Cells that the title keeps before a column falls away."""
_UNITS = ((3600, 60, "m"), (86_400, 3600, "h"), (14 * 86_400, 86_400, "d"), (365 * 86_400, 7 * 86_400, "w"))


def wants_ascii(environment: Mapping[str, str]) -> bool:
    """ASCII signs where the locale is not UTF-8, or `REFLOAT_ASCII=1` asks for them."""
    if environment.get("REFLOAT_ASCII", "") not in {"", "0"}:
        return True
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    return "UTF8" not in locale.upper().replace("-", "")


def width(environment: Mapping[str, str], stream: int = 1) -> int:
    """Columns to fit a line into: `COLUMNS`, the terminal's, or 100 where neither tells."""
    told = environment.get("COLUMNS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size(stream).columns
    except (OSError, ValueError):
        return 100


def masked_words(many: int) -> str:
    """How many values stand masked in what is shown."""
    looks = "1 value that looks like a secret was" if many == 1 else f"{many:,} values that look like secrets were"
    return f"{looks} masked"


def table(rows: Sequence[Row], gone: int, columns: int, now: str, *, ascii_only: bool, everywhere: bool) -> list[str]:
    """The lines of `refloat list`, none wider than `columns` (from 30 on).

    `gone` counts sessions whose transcript no longer exists; `everywhere` adds the workspace to each line.
    """
    signs = _ASCII_SIGNS if ascii_only else _SIGNS
    mark = "..." if ascii_only else "…"
    agent, folder, age = _shown(columns, everywhere=everywhere)
    room = _room(columns, agent=agent, folder=folder, age=age)
    lines: list[str] = []
    moment = _seconds(now)
    words = {state: f"{sign} {state:<{_WORD}} " for state, sign in signs.items()}
    short: dict[str, str] = {}
    for state, title, its_agent, last, session_id, its_folder in rows:
        line = (words.get(state) or f"? {state:<{_WORD}} ") + _fit(title or UNTITLED, room, mark)
        if folder:
            line += short.get(its_folder) or short.setdefault(its_folder, "  " + _fit(its_folder, _FOLDER, mark))
        if agent:
            line += f"  {its_agent:<{_AGENT}.{_AGENT}}"
        if age:
            line += f"  {_age(last, moment):>{_AGE}}"
        lines.append(f"{line}  {session_id[:_ID]}")
    if not rows:
        lines.append(
            "No session of any agent was found. `refloat demo` shows what one looks like."
            if everywhere
            else "No session belongs to this directory. `refloat list --all` shows every one."
        )
    if gone:
        word = "session is" if gone == 1 else "sessions are"
        lines.append(
            f"{gone} more {word} named by an agent's own history or register; the transcript is gone. "
            "`--json` names each."
        )
    return lines


def _shown(columns: int, *, everywhere: bool) -> tuple[bool, bool, bool]:
    """Whether there is room for the agent, the workspace and the age: they fall away in this order."""
    agent = _room(columns, agent=True, folder=everywhere, age=True) >= _TITLE
    folder = everywhere and (agent or _room(columns, agent=False, folder=True, age=True) >= _TITLE)
    return agent, folder, agent or _room(columns, agent=False, folder=folder, age=True) >= _TITLE // 2


def _room(columns: int, *, agent: bool, folder: bool, age: bool) -> int:
    """Cells left for the title."""
    taken = 2 + _WORD + 1 + 2 + _ID
    taken += (2 + _AGENT) * agent + (2 + _FOLDER) * folder + (2 + _AGE) * age
    return max(8, columns - taken)


def _fit(text: str, room: int, mark: str) -> str:
    """Exactly `room` cells of the text, cut where it is longer."""
    if text.isascii():
        if len(text) > room:
            text = text[: room - len(mark)] + mark
        return f"{text:<{room}}"
    cells = [_cells(character) for character in text]
    used = sum(cells)
    if used > room:
        at = len(cells)
        while used > room - len(mark):
            at -= 1
            used -= cells[at]
        text = text[:at] + mark
        used += len(mark)
    return text + " " * (room - used)


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def show_age(then: str, now: str) -> str:
    """At most four characters: `now`, `38m`, `3h`, `2d`, `5w`, `1y`; empty where no time is known."""
    return _age(then, _seconds(now))


def _age(then: str, now: int) -> str:
    if not then:
        return ""
    seconds = now - _seconds(then)
    if seconds < 60:
        return "now"
    for upto, size, unit in _UNITS:
        if seconds < upto:
            return f"{seconds // size}{unit}"
    return f"{seconds // (365 * 86_400)}y"


def _seconds(stamp: str, known: dict[str, int] = {}) -> int:  # noqa: B006 - days that were worked out before
    """Seconds since 1970 of a Stamp."""
    day = stamp[:10]
    if day not in known:
        known[day] = _days(day) * 86_400
    return known[day] + int(stamp[11:13]) * 3600 + int(stamp[14:16]) * 60 + int(stamp[17:19])


def _days(day: str) -> int:
    """Days since 1970, by the civil calendar's own rule: a calendar module would cost more than the whole list."""
    year, month = int(day[0:4]), int(day[5:7])
    past = year - (month <= 2)
    era = past // 400
    of_era = past - era * 400
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + int(day[8:10]) - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
