"""The tables below this package, each joined with a person's own of the same name, read when first asked for.

Decides how rows are joined: a person's row replaces the built-in one of its name, or stands before it. Refuses to fail
for a damaged file: it costs itself only, and `problems` tells it. What a row means is for the rooms that ask.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal, cast

from refloat.model.problem import Problem

Name = Literal["checks", "outcomes", "formatters", "actions", "mcp", "terminals"]
NAMES: Final[tuple[Name, ...]] = ("checks", "outcomes", "formatters", "actions", "mcp", "terminals")
_LARGEST: Final = 256 * 1024
"""Bytes of a person's own table."""

Rows = Mapping[str, object]
"""Key → text, or a table of texts."""

_place: Path | None = None
_caches: Final[list[Callable[[], None]]] = []


def use_config(place: Path | None) -> None:
    """Join the tables that lie in a directory (`checks.toml`, …) from here on; None: the built-in ones alone.

    The one setting of this process: what a command is for is asked deep inside every reader, for each line of a
    transcript, and must not differ between two of them. Nothing is read before a table is asked for.
    """
    global _place  # noqa: PLW0603 - see above
    if place != _place:
        _place = place
        forget()


def forget() -> None:
    """Read everything anew when it is next asked for."""
    for clear in (_load.cache_clear, *_caches):
        clear()


def forgets(clear: Callable[[], None]) -> None:
    """Name a cache that rests on the tables: it is cleared when they change."""
    _caches.append(clear)


def table(name: Name) -> Mapping[str, Rows]:
    """Sections of a table → their rows, a person's own joined."""
    return _load(name)[0]


def own_rows(name: Name) -> Mapping[str, Rows]:
    """Only what a person's own table says."""
    return _load(name)[1]


def texts(row: object) -> dict[str, str]:
    """The texts of a row that is a table; none for any other."""
    return {name: str(text) for name, text in cast("Rows", row).items()} if isinstance(row, dict) else {}


def sound_pattern(text: str) -> re.Pattern[str] | None:
    """A row's regular expression; None for a person's own that is none: it costs itself only."""
    try:
        return re.compile(text)
    except re.error:
        return None


def problems() -> tuple[Problem, ...]:
    """What could not be read of a person's own tables."""
    return tuple(problem for name in NAMES for problem in _load(name)[2])


@cache
def _load(name: Name) -> tuple[Mapping[str, Rows], Mapping[str, Rows], tuple[Problem, ...]]:
    made = {section: dict(rows) for section, rows in _sections(_parse(Path(__file__).parent / f"{name}.toml"))}
    if _place is None:
        return made, {}, ()
    path = _place / f"{name}.toml"
    try:
        if not path.is_file():
            return made, {}, ()
        if path.stat().st_size > _LARGEST:
            return made, {}, (_problem(path, f"larger than {_LARGEST // 1024} kB"),)
        own = {section: dict(rows) for section, rows in _sections(_parse(path))}
    except (OSError, ValueError) as fault:
        return made, {}, (_problem(path, str(fault)),)
    kept, told = _sound(own, path)
    joined = {**made, **{section: {**made.get(section, {}), **rows} for section, rows in kept.items()}}
    return joined, kept, told


def _parse(path: Path) -> Mapping[str, object]:
    from tomli import loads

    return loads(path.read_bytes().decode("utf-8"))


def _sections(parsed: Mapping[str, object]) -> Iterable[tuple[str, Rows]]:
    for section, rows in parsed.items():
        if isinstance(rows, dict):
            yield section, cast("Rows", rows)  # TOML's keys are texts
        else:
            yield "", {section: rows}


def _sound(own: Mapping[str, Rows], path: Path) -> tuple[dict[str, Rows], tuple[Problem, ...]]:
    """The rows that are texts, or tables of texts; the rest is told."""
    kept: dict[str, Rows] = {}
    told: list[Problem] = []
    for section, rows in own.items():
        for key, value in rows.items():
            if section and (isinstance(value, str) or _texts(value)):
                kept.setdefault(section, {})
                kept[section] = {**kept[section], key: value}
            else:
                where = f"[{section}] {key}" if section else key
                told.append(_problem(path, f"{where}: neither a text nor a table of texts below a section"))
    return kept, tuple(told)


def _texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in cast("Rows", value).values())


def _problem(path: Path, why: str) -> Problem:
    return Problem(str(path), None, None, f"a table of one's own is left out in part or whole: {why}")
