"""A recovery that was finished, in words: who, when, where its brief is, and its wrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.text import inert_line
from refloat_tui.present.path import from_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from refloat.model.recovered import Recovered
    from refloat.model.stamp import Stamp

RECEIPT = 12
"""Characters of a receipt that tell it apart."""


def recovered_words(value: Recovered, time: Callable[[Stamp], str], home: str = "") -> str:
    """`ann@vm, 15:45; brief in ~/src/x/HANDOFF.md; wrap 1a2b3c4d5e6f to bob, 15:46`. `time`: how a moment is told."""
    who = f"{inert_line(value.by)}, " if value.by else ""
    parts = [f"{who}{time(value.at)}"]
    if value.brief is not None:
        gone = "" if value.brief_there else ", which is not there any more"
        parts.append(f"brief in {from_home(value.brief, home)}{gone}")
    if (wrap := value.wrap) is not None:
        to = f" to {inert_line(wrap.recipient)}" if wrap.recipient else ""
        parts.append(f"wrap {wrap.receipt[:RECEIPT]}{to}, {time(wrap.at)}")
    return "; ".join(parts)
