"""A brief as Markdown: headings, one statement a line with how it is known, and a size that it keeps.

Decides what is left out when room is short (the least `keep` first) and says so, with the command that shows it.
Refuses to leave out the next step, a heading, or the last line with the fingerprint.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from refloat.brief.facts import counted
from refloat.errors import UsageError
from refloat.model.brief import SECTIONS, Brief, Confidence, Line, Section, lines_of
from refloat.model.session import SessionName
from refloat.text import inert_line

BYTES_PER_TOKEN: Final = 4

_END: Final = "\n"
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_SHOWS: Final[Mapping[Section, str]] = {
    "previous_attempt": "recap",
    "current_artifact": "checkout",
    "established": "checkout",
    "uncertain": "triage",
    "next_step": "status",
    "done_when": "recap",
}
"""The command that shows the whole of what a section tells."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Finished Markdown, without its last line, and the brief cut down to what stands in it."""

    text: str
    brief: Brief
    omitted: int


def heading_of(session: SessionName, own_title: str | None) -> str:
    """What stands in the first line: a person's title, else the session's name; never words of the transcript."""
    return own_title or f"Handoff: {session}"


def render(
    brief: Brief,
    session: SessionName,
    *,
    max_tokens: int,
    last_line: Callable[[str], str],
    template: str | None = None,
    own_title: bool = False,
) -> Rendered:
    """Write a brief within `max_tokens` of four bytes. `last_line` makes the fingerprint's line for a finished text.

    A template is Markdown with `{title}`, `{previous_attempt}`, `{current_artifact}`, `{established}`, `{uncertain}`,
    `{next_step}`, `{done_when}`, `{session}` and `{omitted}`; other words in braces stay as they are.

    Raises:
        UsageError: the template names no section at all.

    """
    check_template(template)
    session = SessionName(inert_line(session))
    budget = max_tokens * BYTES_PER_TOKEN
    order = _leaving_order(brief)

    def without(count: int) -> tuple[Brief, Mapping[Section, Collection[int]], str]:
        """The brief without the first of those that may go, and its text."""
        left_out: dict[Section, set[int]] = {}
        for section, number, _ in order[:count]:
            left_out.setdefault(section, set()).add(number)
        kept = _without(brief, left_out)
        return kept, left_out, _write(kept, session, left_out, template, own_title=own_title)

    def finished(body: str) -> str:
        return f"{body.rstrip(_END)}{_END}{_END}{last_line(body)}{_END}"

    def excess(count: int) -> int:
        return len(finished(without(count)[2]).encode()) - budget

    count = _fewest([size for *_, size in order], len(without(0)[2].encode()) - budget, excess)
    kept, left_out, body = without(count)
    text = finished(body)
    if (over := len(text.encode()) - budget) > 0:
        kept, body = _shorten(kept, session, left_out, template, over, own_title=own_title)
        text = finished(body)
    return Rendered(text, kept, count)


def check_template(template: str | None) -> None:
    """Look whether a template has a place for any section.

    Raises:
        UsageError: it has none.

    """
    if template is None:
        return
    names = {name for name, _ in SECTIONS}
    if not names & set(_PLACEHOLDER.findall(template)):
        places = ", ".join("{" + name + "}" for name, _ in SECTIONS)
        message = f"the template has no place for any section; write at least one of {places} into it"
        raise UsageError(message)


def _fewest(sizes: Sequence[int], over: int, excess: Callable[[int], int]) -> int:
    """How many lines must go, where their statements alone are `over` too long, and `excess` tells how much too long
    the finished text is without so many. The last line grows with what is told, and is dear to make of a long text:
    so first as many go as must in any case.
    """
    freed = [0, *accumulate(sizes)]
    count = min(bisect_left(freed, over), len(sizes))
    if (over := excess(count)) <= 0 or count == len(sizes):
        return count
    enough = min(bisect_left(freed, freed[count] + over), len(sizes))  # as if the last line stayed as it is
    count = bisect_left(range(enough), x=True, lo=count + 1, key=lambda count: excess(count) <= 0)
    while count < len(sizes) and excess(count) > 0:  # what is told of them is longer than they were
        count += 1
    return count


def _leaving_order(brief: Brief) -> list[tuple[Section, int, int]]:
    """(section, index, bytes) of every line that may go, in the order in which they go."""
    rows: list[tuple[int, int, int, Section, int]] = [
        (line.keep, -place, -number, section, len(_statement(line).encode()) + 1)
        for place, (section, _) in enumerate(SECTIONS)
        if section != "next_step"
        for number, line in enumerate(lines_of(brief, section))
    ]
    rows.sort()  # of equals the later line goes first
    return [(section, -number, size) for _, _, number, section, size in rows]


def _without(brief: Brief, left_out: Mapping[Section, Collection[int]]) -> Brief:
    def rest(section: Section) -> tuple[Line, ...]:
        gone = left_out.get(section, ())
        lines = lines_of(brief, section)
        return tuple(line for number, line in enumerate(lines) if number not in gone) if gone else lines

    return Brief(
        brief.title,
        rest("previous_attempt"),
        rest("current_artifact"),
        rest("established"),
        rest("uncertain"),
        rest("next_step"),
        rest("done_when"),
    )


def _shorten(
    brief: Brief,
    session: SessionName,
    left_out: Mapping[Section, Collection[int]],
    template: str | None,
    over: int,
    *,
    own_title: bool,
) -> tuple[Brief, str]:
    """Cut the next step itself: nothing else is left to go."""
    lines = tuple(
        replace(
            line, text=line.text.encode()[: max(80, len(line.text.encode()) - over - 3)].decode(errors="ignore") + "…"
        )
        for line in brief.next_step
    )
    shorter = replace(brief, next_step=lines)
    return shorter, _write(shorter, session, left_out, template, own_title=own_title)


def _write(
    brief: Brief,
    session: SessionName,
    left_out: Mapping[Section, Collection[int]],
    template: str | None,
    *,
    own_title: bool,
) -> str:
    note = _omitted_note(session, left_out)
    bodies = {section: _section(lines_of(brief, section), section in left_out) for section, _ in SECTIONS}
    if template is not None:
        words = {**bodies, "title": _title(brief.title, own=own_title), "session": str(session), "omitted": note}
        filled = _PLACEHOLDER.sub(lambda match: words.get(match[1], match.group()), template)
        return filled if not note or "{omitted}" in template else f"{filled.rstrip()}\n\n{note}"
    title = "" if own_title else f"> {brief.title}\n\n"
    parts = [f"# {heading_of(session, brief.title if own_title else None)}\n\n{title}".rstrip()]
    parts += [f"## {heading}\n\n{bodies[section]}" for section, heading in SECTIONS]
    return "\n\n".join([*parts, note] if note else parts)


def _title(title: str, *, own: bool) -> str:
    return title if own else f"“{title}”"


def _section(lines: Sequence[Line], left_out: bool) -> str:
    nothing = "- (omitted)" if left_out else "- (nothing)"
    return "\n".join(_statement(line) for line in lines).rstrip("\n") or nothing


def _statement(line: Line) -> str:
    """`- what *(how it is known · steps)*`; a quotation follows below, behind `> `."""
    first, below, quoted = line.text.partition("\n")
    row = f"- {first} *({_known(line)})*"
    return f"{row}\n{quoted}\n" if below else row


def _known(line: Line) -> str:
    known = f"by {line.by}" if line.by else _CONFIDENCE[line.confidence]
    steps = line.steps
    if len(steps) == 1:
        known = f"{known} · step {steps[0]}"
    elif steps:
        known = f"{known} · steps {', '.join(map(str, steps[:8]))}{', …' if len(steps) > 8 else ''}"
    return f"{known} · receipt {line.receipt[:_RECEIPT_SHOWN]}" if line.receipt else known


_RECEIPT_SHOWN: Final = 12
"""Digits of a receipt: `refloat verify` takes as many."""
_CONFIDENCE: Final = {confidence: confidence.value for confidence in Confidence}


def _omitted_note(session: SessionName, left_out: Mapping[Section, Collection[int]]) -> str:
    if not left_out:
        return ""
    total = sum(len(rows) for rows in left_out.values())
    headings = dict(SECTIONS)
    shares = ", ".join(f"{len(left_out[name])} of “{headings[name]}”" for name, _ in SECTIONS if name in left_out)
    commands = dict.fromkeys(f"`refloat {_SHOWS[name]} {session}`" for name, _ in SECTIONS if name in left_out)
    return f"*{counted(total, 'line')} left out for size ({shares}); {', '.join(commands)} show them.*"
