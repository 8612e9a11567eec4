"""`search` for a person: hits of one session below its title, each with the place where it stands."""

import os
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from refloat.model.search import Found, Hit
from refloat.model.stamp import Stamp
from refloat.text import UNTITLED, cut, one_line
from refloat_tui.cli import rows
from refloat_tui.cli.out import SOUGHT
from refloat_tui.cli.show.table import counted

_NUMBER: Final = 7
_KIND: Final = 9
_TITLE: Final = 8
"""Characters of a title that the agent's name must leave."""
_SIGNS: Final = {ord(sign): "\ufffd" for sign in SOUGHT}


def found_lines(found: Found, width: int, now: Stamp) -> Iterator[str]:
    """Sessions with their hits, then what was not searched."""
    mark = "..." if rows.wants_ascii(os.environ) else "…"
    for at, (_, group) in enumerate(groupby(found.hits, lambda hit: hit.session.name)):
        hits = list(group)
        if at:
            yield ""
        yield _head(hits[0], width, now, mark)
        for hit in hits:
            yield _line(hit, width, mark)
        if (first := next((hit.item for hit in hits if hit.item is not None), None)) is not None:
            yield f"{'items':>{_NUMBER - 2}}  refloat history {hits[0].session.name} --from {first}"
    if not found.hits:
        yield "Nothing holds all of these words." if found.complete else "Nothing that was searched holds these words."
        yield "Fewer words, or the beginning of the last one, find more; a word with - before it is left out."
    if found.more:
        yield ""
        yield "There is more: --limit N shows it, more words or a filter (--agent, --here, --since) narrow it down."
    if found.unread or not (found.complete or found.unreadable):
        yield ""
        yield f"{counted(found.unread, 'session')} not searched yet: `refloat refresh` reads everything."


def _head(hit: Hit, width: int, now: Stamp, mark: str) -> str:
    session = hit.session
    age = rows.show_age(session.last_activity_at or "", now)
    rest = f"  {age}  {session.session_id[:8]}"
    agent = f"  {session.agent}"
    rest = agent + rest if width - len(agent + rest) - 12 >= _TITLE else rest
    title = cut(one_line(session.title or UNTITLED), max(_TITLE, width - len(rest) - 12), mark)
    return f"{session.state:<10}  {title}{rest}".translate(_SIGNS)


def _line(hit: Hit, width: int, mark: str) -> str:
    room = max(20, width - _NUMBER - _KIND - 4)
    number = "" if hit.item is None else str(hit.item)
    line = ""
    for text, sought in hit.excerpt:
        shown = cut(text.replace("\n", " ").translate(_SIGNS), room, mark)
        room -= len(shown) + 2 * sought
        line += f"{SOUGHT[0]}{shown}{SOUGHT[1]}" if sought else shown
        if room <= 1 or len(shown) < len(text):
            break
    return f"{number:>{_NUMBER - 2}}  {hit.kind:<{_KIND}}{line}"
