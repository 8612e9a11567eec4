"""Recoveries in words: the one that was finished, with its brief and its wrap, and the one that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.text import inert_line
from refloat_tui.present.path import from_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from refloat.model.recovered import Recovered, Unfinished
    from refloat.model.session import SessionName
    from refloat.model.stamp import Stamp

RECEIPT = 12
"""Characters of a receipt that tell it apart."""


def recovered_words(value: Recovered, time: Callable[[Stamp], str], home: str = "") -> str:
    """`ann@vm, 15:45; brief in ~/src/x/HANDOFF.md; wrap 1a2b3c4d5e6f to bob, 15:46`. `time`: how a moment is told.

    Where the brief stands there no more, that comes before the path: what is long is cut at its end.
    """
    who = f"{inert_line(value.by)}, " if value.by else ""
    parts = [f"{who}{time(value.at)}"]
    if value.brief is not None:
        parts.append(brief_words(value, home))
    if (wrap := value.wrap) is not None:
        to = f" to {inert_line(wrap.recipient)}" if wrap.recipient else ""
        parts.append(f"wrap {wrap.receipt[:RECEIPT]}{to}, {time(wrap.at)}")
    return "; ".join(parts)


def brief_words(value: Recovered, home: str = "") -> str:
    """Where its brief is, or what became of it."""
    path = from_home(value.brief or "", home)
    if value.brief_there:
        return f"brief in {path}"
    if not value.instead:
        return f"its brief is gone from {path}"
    return f"its brief is gone: {value.instead} stands in {path} now"


def unfinished_words(value: Unfinished, time: Callable[[Stamp], str]) -> str:
    """`page 4 of 7, ann@vm, last answer 19:09`."""
    who = f"{inert_line(value.by)}, " if value.by else ""
    return f"page {value.page} of {value.of}, {who}last answer {time(value.at)}"


def replacing(path: Path, whose: SessionName | None) -> tuple[str, str]:
    """The question before a brief takes a file's place, and what becomes of that. `whose`: another session's brief."""
    if whose is None:
        return f"{path} is there already. Replace it?", "What it holds now is gone then."
    other = inert_line(whose)
    question = f"{path} is the brief of another session, {other}. Replace it?"
    return question, f"No brief of {other} is there then; no, and another file can be named."
