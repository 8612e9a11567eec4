"""Steps and items of a history, one line each."""

import json
from dataclasses import dataclass
from typing import Final, assert_never

from refloat.model.transcript import FileEdit, Item, Outcome, Step, StepKind
from refloat.text import inert, one_line
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.age import absolute, duration
from refloat_tui.theme import Glyphs


def outcome_glyph(outcome: Outcome, glyphs: Glyphs) -> str:
    """One sign."""
    match outcome:
        case Outcome.OK:
            return glyphs.ok
        case Outcome.ERROR:
            return glyphs.error
        case Outcome.DENIED:
            return glyphs.denied
        case Outcome.INTERRUPTED:
            return glyphs.interrupted
        case Outcome.DANGLING:
            return glyphs.dangling
        case _:
            assert_never(outcome)


def outcome_style(outcome: Outcome) -> str:
    """The name of its colour; what went well is quiet."""
    match outcome:
        case Outcome.OK:
            return "$pile-saved"
        case Outcome.ERROR:
            return "$pile-gone"
        case Outcome.DENIED | Outcome.INTERRUPTED | Outcome.DANGLING:
            return "$pile-claimed"
        case _:
            assert_never(outcome)


def outcome_words(step: Step) -> str:
    """`exit 1`, `error`, `no result`; empty for a plain success."""
    return ended_words(step.outcome, step.exit_code)


def ended_words(outcome: Outcome, exit_code: int | None) -> str:
    """The same of anything that ended so."""
    match outcome:
        case Outcome.OK:
            return "" if exit_code in {0, None} else f"exit {exit_code}"
        case Outcome.ERROR:
            return "error" if exit_code is None else f"exit {exit_code}"
        case Outcome.DENIED:
            return "refused"
        case Outcome.INTERRUPTED:
            return "interrupted"
        case Outcome.DANGLING:
            return "no result"
        case _:
            assert_never(outcome)


def lines_changed(edits: tuple[FileEdit, ...]) -> tuple[int, int]:
    """Added and removed lines of what was recorded. A whole write counts its lines as added."""
    added = removed = 0
    for edit in edits:
        if edit.hunks:
            added += sum(line.startswith("+") for hunk in edit.hunks for line in hunk.lines)
            removed += sum(line.startswith("-") for hunk in edit.hunks for line in hunk.lines)
        elif edit.after is not None:
            added += edit.after.count("\n") + (not edit.after.endswith("\n") and bool(edit.after))
    return added, removed


def changed_words(added: int, removed: int, glyphs: Glyphs) -> Pieces:
    """`+18 −3`; empty where nothing is counted."""
    pieces: list[tuple[str, str]] = []
    if added:
        pieces.append((f"+{added}", "$added"))
    if removed:
        # The two belong together where a line is wrapped.
        between = (" " if glyphs.ascii else "\u00a0") if added else ""
        pieces.append((f"{between}{glyphs.minus}{removed}", "$removed"))
    return tuple(pieces)


KINDS: Final[dict[str, frozenset[StepKind]]] = {
    "all": frozenset(),
    "talk": frozenset(),
    "steps": frozenset(StepKind),
    "edits": frozenset({StepKind.EDIT}),
    "checks": frozenset({StepKind.CHECK}),
    "outside": frozenset({StepKind.EXTERNAL}),
    "trouble": frozenset(),
}
"""The filters of a history, in the order in which the key walks them."""

_TROUBLE: Final = frozenset({"api_error", "rate_limit", "interruption", "compaction"})


def passes(item: Item, kind: str) -> bool:
    """Whether a filter lets an item through."""
    if kind == "all":
        return True
    if kind == "talk":
        return item.type in {"prompt", "reply"}
    if kind == "trouble":
        if item.step is not None:
            return item.step.outcome is not Outcome.OK
        return item.marker is not None and item.marker.kind in _TROUBLE
    return item.step is not None and item.step.kind in KINDS[kind]


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One line of a history, in cells."""

    glyph: Pieces
    kind: Pieces
    text: Pieces
    right: Pieces


def step_words(step: Step, root: str | None) -> str:
    """What a step did, on one line, with paths told from the session's own directory."""
    words = step.summary or step.tool
    return one_line(words.replace(f"{root.rstrip('/')}/", "") if root and root != "/" else words)


def _step_line(step: Step, glyphs: Glyphs, root: str | None) -> ItemLine:
    style = outcome_style(step.outcome)
    added, removed = lines_changed(step.edits)
    words = outcome_words(step)
    right = ((words, style),) if words else changed_words(added, removed, glyphs)
    if not right:
        right = ((duration(step.at, step.ended_at), QUIET),)
    loud = step.kind in {StepKind.EDIT, StepKind.CHECK, StepKind.EXTERNAL} or step.outcome is not Outcome.OK
    text = step_words(step, root)[:1000]
    return ItemLine(
        ((outcome_glyph(step.outcome, glyphs), style),),
        ((step.kind.value, "bold" if step.kind is StepKind.EXTERNAL else QUIET),),
        ((text, "" if loud else QUIET),),
        right,
    )


def item_line(item: Item, glyphs: Glyphs, root: str | None = None) -> ItemLine:
    """An item in cells."""
    if item.step is not None:
        return _step_line(item.step, glyphs, root)
    if item.marker is not None:
        kind = one_line(item.marker.kind).replace("_", " ")
        return ItemLine(
            ((glyphs.marker, QUIET),),
            ((kind, "$pile-claimed" if item.marker.kind in _TROUBLE else QUIET),),
            ((one_line(item.marker.text)[:1000], f"{QUIET} italic"),),
            (),
        )
    text = one_line(item.text or "")[:1000]
    match item.type:
        case "prompt":
            return ItemLine(((glyphs.prompt, "$person bold"),), (("asked", "$person"),), ((text, "bold"),), ())
        case "reply":
            return ItemLine(((glyphs.reply, ""),), (("said", QUIET),), ((text, ""),), ())
        case _:
            return ItemLine(((glyphs.thinking, QUIET),), (("thought", QUIET),), ((text, f"{QUIET} italic"),), ())


def _readable(text: str) -> str:
    """Recorded arguments, laid out where they are JSON."""
    if not text.startswith(("{", "[")) or len(text) > 65536:
        return text
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, dict):
        rows = (f"{key}: {v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)}" for key, v in value.items())
        return "\n".join(rows)
    return json.dumps(value, ensure_ascii=False, indent=2)


def item_heading(item: Item) -> Pieces:
    """What a whole item is headed by."""
    when = absolute(item.at)
    if item.step is not None:
        step = item.step
        words = outcome_words(step) or step.outcome.value
        took = duration(step.at, step.ended_at)
        facts = [words, when, f"took {took}" if took else "", f"line {step.line} of its transcript"]
        return (
            (f"Step {step.n} ", "bold"),
            (f"{one_line(step.tool)} ", "bold"),
            ("  ".join(fact for fact in facts if fact), QUIET),
        )
    name = (
        item.marker.kind.replace("_", " ")
        if item.marker
        else {"prompt": "asked", "reply": "said"}.get(item.type, "thought")
    )
    return ((f"Item {item.n} ", "bold"), (f"{one_line(name)} ", "bold"), (when, QUIET))


def item_sections(item: Item) -> tuple[tuple[str, str], ...]:
    """The whole of an item as (heading, inert text). Masked before it came here."""
    if item.step is not None:
        step = item.step
        sections = [
            ("what", inert(step.summary)),
            ("input", inert(_readable(step.input))),
            (
                "output",
                inert(step.output) or ("no result was recorded" if step.outcome is Outcome.DANGLING else "nothing"),
            ),
        ]
        if step.output_bytes > len(step.output.encode(errors="replace")):
            sections.append(("", f"The record holds {step.output_bytes:,} bytes of output; the beginning is shown."))
        return tuple(sections)
    return (("", inert(item.marker.text if item.marker is not None else item.text or "")),)
