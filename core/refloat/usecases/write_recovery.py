"""The brief of a recovery: the evidence, with everything that a person said put to it and marked as theirs.

Decides which lines a person's words add or change. Refuses to write the text itself: that is `write_brief`, passed in.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from refloat.model.brief import Answers, Brief, Confidence, Line, Section, WrittenBrief, lines_of
from refloat.model.checkout import Owner
from refloat.model.recovery import LineEdit, LookedSaid, Probe, ProcessSaid
from refloat.text import cut, one_line
from refloat.usecases.decided import line_key
from refloat.usecases.recover import (
    OWNERS,
    PlaceRow,
    Recovery,
    Uncertain,
    cards,
    owner_rows,
    process_of,
    uncertain_rows,
)

_FIRST_LINE: Final = 160
"""Characters of the first line of a look's answer."""
Receipts = Mapping[str, str]
"""Question (`decided.Decided.key`) → receipt."""
_NONE: Final[Receipts] = {}
Write = Callable[[Answers | None], WrittenBrief]
"""`write_brief`, bound to one session's evidence."""


def answers_of(recovery: Recovery, receipts: Receipts = _NONE) -> Answers:
    """What was said, as a brief takes it, apart from lines."""
    given = recovery.given
    return Answers(
        title=given.title,
        inspected=dict(given.inspected),
        owners=dict(_owners(recovery)),
        moved=dict(_moved(recovery)),
        goal=given.goal,
        next_step=given.next_step,
        done_when=given.done_when,
        by=recovery.by,
        receipts=dict(receipts),
    )


_MADE_BY: Final = {
    Owner.THIS_SESSION: "this session",
    Owner.OTHER_SESSION: "another session",
    Owner.COMMAND: "a command that the session ran",
    Owner.PREDATES: "somebody before the session began",
    Owner.MIXED: "several",
    Owner.UNKNOWN: "an unknown owner",
}


def _owners(recovery: Recovery) -> Iterator[tuple[str, str]]:
    """Who made what, as a person says: a whole file, or place by place."""
    for path, owner in recovery.given.owners.items():
        yield path, owner.replace("_", " ") if owner in OWNERS else owner
    for row in owner_rows(recovery):
        if not row.by_person and any(place.by_person for place in row.places):
            yield row.path, _by_places(row.places)


def _by_places(places: tuple[PlaceRow, ...]) -> str:
    lines: dict[str, list[int]] = {}
    for place in places:
        made_by = _MADE_BY[Owner(place.owner)] if place.owner in _MADE_BY else one_line(place.owner)
        if place.hunk.session is not None and not place.by_person and place.owner == Owner.OTHER_SESSION:
            made_by = f"{made_by}, {place.hunk.session}"
        lines.setdefault(made_by, []).append(place.hunk.new_start)
    return "; ".join(
        f"{made_by} (line{'s' if len(at) > 1 else ''} {', '.join(map(str, at))})" for made_by, at in lines.items()
    )


def _moved(recovery: Recovery) -> Iterator[tuple[str, tuple[str, str]]]:
    """What was moved, by the keys of the findings: the brief puts the person's word in the place of its own."""
    return ((card.key, (card.pile, card.reason)) for card in cards(recovery) if card.pile != card.found)


def brief_of(recovery: Recovery, write: Write, receipts: Receipts = _NONE) -> WrittenBrief:
    """The brief with everything that was said. Written a second time only where lines were added or changed.

    `receipts`: of the answers that are saved as they stand here.
    """
    plain = answers_of(recovery, receipts)
    written = write(plain)
    said = _with_lines(plain, recovery, written.brief, receipts)
    return written if said is plain else write(said)


def said_in(recovery: Recovery, write: Write, receipts: Receipts = _NONE, *, since: tuple[Line, ...] = ()) -> Answers:
    """All answers with which `brief_of` writes, the lines that were added or changed included.

    `since`: what is uncertain because something moved since the answers were given.
    """
    plain = answers_of(recovery, receipts)
    brief = write(plain).brief
    said = _with_lines(plain, recovery, brief, receipts)
    if since:
        before = said.lines.get("uncertain", brief.uncertain)
        said = replace(said, lines={**said.lines, "uncertain": (*since, *before)})
    return said


def _with_lines(plain: Answers, recovery: Recovery, brief: Brief, receipts: Receipts) -> Answers:
    lines = changed_lines(recovery, brief, receipts)
    return replace(plain, lines=lines) if lines else plain


def changed_lines(recovery: Recovery, brief: Brief, receipts: Receipts = _NONE) -> dict[Section, tuple[Line, ...]]:
    """The sections that a person's words change, whole."""
    added = _added_lines(recovery, receipts)
    sections: list[Section] = [*added, *(name for name in recovery.given.edits if name not in added)]
    changed: dict[Section, tuple[Line, ...]] = {}
    for section in sections:
        before = (*lines_of(brief, section), *added.get(section, ()))
        own = {
            edit: Line(edit.now, Confidence.RECORDED, by=recovery.by, receipt=receipts.get(line_key(section, edit)))
            for edit in recovery.given.edits.get(section, ())
        }
        after = _edited(before, own)
        if after != lines_of(brief, section):
            changed[section] = after
    return changed


_PROCESS_WORDS: Final[dict[ProcessSaid, str]] = {
    "gone": "Original process: gone",
    "running": "Original process: still running",
    "unknown": "Original process: not known whether it still runs",
}
_LOOKED_WORDS: Final[dict[LookedSaid, str]] = {
    "happened": "it happened",
    "did_not_happen": "it did not happen",
    "unknown": "still unknown",
}


def _added_lines(recovery: Recovery, receipts: Receipts) -> dict[Section, tuple[Line, ...]]:
    """Lines for what a person said that no other part of a brief has a place for."""
    given = recovery.given
    attempt: list[tuple[str, str]] = []
    if given.process is not None or given.process_note:
        attempt.append(("process", _noted(_PROCESS_WORDS[process_of(recovery)], given.process_note)))
    if given.happened:
        attempt.append(("happened", f"What happened: {one_line(given.happened)}"))
    uncertain = [
        (f"inspected {row.key}", _noted(f"{row.what} ({_step_words(row)}): {_LOOKED_WORDS[row.said]}", row.note))
        for row in uncertain_rows(recovery)
        if row.by_person and (row.subagent is not None or row.kind != "external")
    ]
    uncertain += [
        (f"probed {row.key}", _looked_words(row, row.looked))
        for row in uncertain_rows(recovery)
        if row.looked is not None
    ]
    texts: dict[Section, list[tuple[str, str]]] = {"previous_attempt": attempt, "uncertain": uncertain}
    return {
        section: tuple(
            Line(text, Confidence.RECORDED, by=recovery.by, receipt=receipts.get(question)) for question, text in said
        )
        for section, said in texts.items()
        if said
    }


def _looked_words(row: Uncertain, looked: Probe) -> str:
    """What a look that the person had run told: its exit code and the first line of its answer."""
    first = next((line for line in looked.out.splitlines() if line.strip()), "")
    said = f": {cut(one_line(first), _FIRST_LINE)}" if first else ", and said nothing"
    said += f" ({row.told})" if row.told else ""
    command = shlex.join(looked.argv)
    return f"Looked at {looked.at} for {_step_words(row)} with {command}: exit code {looked.code}{said}"


def _step_words(row: Uncertain) -> str:
    return f"step {row.step}" + (f" of sub-agent {row.subagent}" if row.subagent is not None else "")


def _noted(text: str, note: str) -> str:
    return f"{text}; {one_line(note)}" if note.strip() else text


def _edited(lines: tuple[Line, ...], own: Mapping[LineEdit, Line]) -> tuple[Line, ...]:
    """Lines with a person's edits. An edit of a line that stands there no more becomes a line of its own."""
    changed = {edit.was: line for edit, line in own.items() if edit.was}
    there = {line.text for line in lines}
    after = [
        replace(line, text=said.text, by=said.by, receipt=said.receipt) if (said := changed.get(line.text)) else line
        for line in lines
        if line.text not in changed or changed[line.text].text
    ]
    new = (line for edit, line in own.items() if edit.now and edit.was not in there)
    return (*after, *new)
