"""An offer as lines of text: a refusal first, then the command, then what it does, then what stands against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from refloat.model.fate_words import MADE_ANEW
from refloat.model.stopping import Stopped
from refloat.text import inert_line
from refloat_tui.operations import Offer, Operation, Row, Salvaged
from refloat_tui.present import Pieces
from refloat_tui.present.age import timed
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.present.path import from_home
from refloat_tui.theme import Glyphs

_LABEL: Final = 10
_QUIET: Final = "$quiet"
INSTEAD: Final[dict[Operation, str]] = {
    "attach": "go to where it runs",
    "continue": "continue it",
    "new": "start a new session from it, with the brief",
    "stop": "stop the process first",
    "repair": "repair its transcript into a copy",
    "salvage": "write its lost work into a patch",
}
_RESULT: Final = {
    "stopped": ("STOPPED", "$state-stopped bold"),
    "not_verified": ("NOT VERIFIED", "$state-unresolved bold"),
    "refused": ("REFUSED", "$state-failed bold"),
}


def labelled(label: str, text: str, style: str = "", *, label_style: str = _QUIET) -> MarkdownLine:
    """A line under a label."""
    return MarkdownLine(((text, style),), lead=f"{label:<{_LABEL}}", style=label_style)


def offer_lines(
    offer: Offer, home: str, choices: Iterable[tuple[str, Pieces]], changed: str = ""
) -> list[MarkdownLine]:
    """All of it. `choices`: rows of what a person may choose, with their labels; `changed`: what moved since."""
    lines = [MarkdownLine(((changed, "$state-unresolved bold"),)), MarkdownLine(())] if changed else []
    if offer.refused:  # whatever the room, before a command that may fill the screen
        lines.append(labelled("REFUSED", timed(offer.guard), "bold", label_style="$state-failed bold"))
        lines += [*_ways_out(offer), MarkdownLine(())]
    for n, command in enumerate(offer.commands):
        lines.append(labelled("" if n else "COMMAND", command, "bold", label_style="$accent bold"))
    lines.append(labelled("IN", from_home(offer.workspace, home) or "no recorded workspace"))
    lines += [MarkdownLine(pieces, lead=f"{label:<{_LABEL}}", style=_QUIET) for label, pieces in choices]
    lines.append(MarkdownLine(()))
    if not offer.refused:
        lines.append(labelled("BECAUSE", timed(offer.guard)))
    lines.append(labelled("LEASE", timed(offer.lease)))
    elsewhere = ("copy the command, and run it where the program is",) if offer.elsewhere else ()
    lines += _listed("NOTE", (*elsewhere, *offer.notes), "$state-unresolved")
    lines += _listed("WILL", () if offer.refused else offer.will, "")
    lines += _listed("WILL NOT", () if offer.refused else offer.will_not, _QUIET)
    return [*lines, *_table(offer)]


def _ways_out(offer: Offer) -> Iterator[MarkdownLine]:
    ways: list[tuple[str, str]] = []
    if offer.instead is not None:
        ways.append(("o", INSTEAD[offer.instead]))
    if offer.pids:
        ways.append(("p", "name the process that you mean"))
    for n, (key, words) in enumerate(ways):
        lead = f"{'' if n else 'INSTEAD':<{_LABEL}}"
        yield MarkdownLine(((key, "$key bold"), (f" {words}", "")), lead=lead, style="$accent bold")
    if offer.force_helps:
        words = " overrule it with a reason, which is kept in the record"
        yield MarkdownLine((("f", "$key bold"), (words, _QUIET)), lead=" " * _LABEL)


def _listed(label: str, sentences: Iterable[str], style: str) -> Iterator[MarkdownLine]:
    for n, sentence in enumerate(sentences):
        yield labelled("" if n else label, timed(sentence), style)


def _table(offer: Offer) -> Iterator[MarkdownLine]:
    if not offer.rows:
        return
    yield MarkdownLine(())
    yield MarkdownLine(((offer.heading, "bold"),))
    first, second, third = (max(len(part) for part in parts) for parts in zip(*map(_cells, offer.rows), strict=True))
    for row in offer.rows:
        one, two, three = _cells(row)
        lead = f"{one:<{first}}  {two:<{second}}  {three:<{third}}  "
        if len(lead) > 44:
            lead, rest = f"{one:<{first}}  {two:<{second}}  ", f"{three}: {row.rest}"
        else:
            rest = row.rest
        yield MarkdownLine(((inert_line(rest), _QUIET),), lead=lead, style="")


def _cells(row: Row) -> tuple[str, str, str]:
    return inert_line(row.first), inert_line(row.second), inert_line(row.third)


def chosen_of(options: Iterable[str], at: str, glyphs: Glyphs) -> Pieces:
    """Options in a row, one of them chosen."""
    pieces: list[tuple[str, str]] = []
    for option in options:
        on = option == at
        pieces += [(f"{glyphs.chosen if on else glyphs.free} ", "$accent" if on else _QUIET)]
        pieces += [(inert_line(option), "bold" if on else _QUIET), ("   ", "")]
    return tuple(pieces)


def stopped_lines(stopped: Stopped) -> list[MarkdownLine]:
    """What a stop came to: the result first, then what runs on and what else was seen."""
    word, style = _RESULT[stopped.result]
    lines = [MarkdownLine(()), MarkdownLine(((f"{word}  ", style), (timed(stopped.why), "bold")))]
    lines += _listed("RUNS ON", (f"process {left.pid} ({left.name}): {left.why}" for left in stopped.left), "")
    lines += _listed("SEEN", stopped.notes, _QUIET)
    return lines


def salvaged_lines(salvaged: Salvaged, home: str) -> list[MarkdownLine]:
    """What a salvage wrote, and how it comes back into the checkout."""
    lines = [MarkdownLine(()), *_listed("WROTE", (from_home(path, home) for path in salvaged.written), "bold")]
    if salvaged.gone is not None:
        lines.append(labelled("", f"{inert_line(from_home(salvaged.gone, home))} is gone: {MADE_ANEW}"))
    elif salvaged.apply is None:
        lines.append(
            labelled("", "no part of it can be a patch of the checkout as it is: the contents stand beside it")
        )
    else:
        lines.append(labelled("APPLY", inert_line(salvaged.apply), "bold", label_style="$accent bold"))
    return lines
