"""The table of what matters: asked, done, said, open, last. Each row names the step or item that it rests on."""

from dataclasses import dataclass
from typing import Final

from refloat.model.checkout import Checkout, CheckRun, EditedFile, Fate, Freshness, Owner
from refloat.model.fate_words import FATE_WORDS
from refloat.model.session import State
from refloat.model.status import Status
from refloat.model.story import Story
from refloat.model.transcript import Item, Outcome, Step, StepKind
from refloat.model.triage import Finding, StillOpen, Triage
from refloat.text import cut, inert_line, one_line
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.age import clock_time, timed_line
from refloat_tui.present.hunk import fate_style, hunks_changed
from refloat_tui.present.path import short_path
from refloat_tui.present.step import changed_words, ended_words, outcome_glyph, outcome_style, outcome_words, step_words
from refloat_tui.theme import Glyphs

_TEXT: Final = 600
"""Characters of one row: more is one key away."""


@dataclass(frozen=True, slots=True)
class RecapRow:
    """One row."""

    label: str
    """Empty where it belongs to the row above."""
    text: Pieces
    right: Pieces = ()
    item: int | None = None
    """The item of the history that it rests on."""


def root_of(story: Story) -> str | None:
    """The directory that paths are told from."""
    return story.summary.worktree or story.summary.workspace


def _asked(story: Story, glyphs: Glyphs) -> list[RecapRow]:
    asks = [item for item in story.items if item.type == "prompt" and not item.superseded]
    if not asks:
        return [RecapRow("ASKED", (("nothing was ever asked", QUIET),))]
    rows = [RecapRow("ASKED", ((cut(one_line(asks[0].text or ""), _TEXT, glyphs.ellipsis), "bold"),), item=asks[0].n)]
    if len(asks) > 2:
        rows.append(RecapRow("", ((f"{glyphs.ellipsis} {len(asks) - 2} more {glyphs.ellipsis}", QUIET),)))
    if len(asks) > 1:
        last = asks[-1]
        rows.append(RecapRow("", ((cut(one_line(last.text or ""), _TEXT, glyphs.ellipsis), ""),), item=last.n))
    return rows


_THERE: Final = frozenset({Fate.COMMITTED, Fate.UNCOMMITTED, Fate.UNCONFIRMED})


def _files(checkout: Checkout, story: Story, glyphs: Glyphs) -> list[RecapRow]:
    items = {step.n: step.item for step in story.steps}
    rows: list[RecapRow] = []
    for fate, words in FATE_WORDS.items():
        files = [file for file in checkout.files if file.edits and file.edits[-1].fate is fate]
        if files:
            names: list[tuple[str, str]] = []
            for file in files[:6]:
                names += [
                    (("  " if names else "") + short_path(file.path, 32, glyphs.ellipsis), ""),
                    *_count(file, glyphs),
                ]
            if len(files) > 6:
                names.append((f"  {glyphs.ellipsis}", QUIET))
            counted = f"{len(files)} {'file' if len(files) == 1 else 'files'} "
            text = ((counted, ""), (words, fate_style(fate)), ("  ", ""), *names)
            rows.append(RecapRow("", text, item=items.get(files[0].edits[-1].step)))
    return rows


def _count(file: EditedFile, glyphs: Glyphs) -> Pieces:
    """Lines of the session's own; nothing where they are not on disk, or lie in one place with another's."""
    if file.edits[-1].fate not in _THERE or any(hunk.owner is Owner.MIXED for hunk in file.hunks):
        return ()
    added, removed = hunks_changed(hunk for hunk in file.hunks if hunk.owner is Owner.THIS_SESSION)
    words = changed_words(added, removed, glyphs)
    return ((" ", ""), *words) if words else ()


def _edits(story: Story, checkout: Checkout | None, glyphs: Glyphs) -> list[RecapRow]:
    edits = [step for step in story.every_step if step.kind is StepKind.EDIT and not step.superseded]
    if not edits:
        return []
    if checkout is not None:
        return _files(checkout, story, glyphs)
    text = (
        f"{len(edits)} {'edit' if len(edits) == 1 else 'edits'} recorded; comparing with the checkout{glyphs.ellipsis}"
    )
    return [RecapRow("", ((text, QUIET),), item=edits[-1].item or None)]


def _last_runs(story: Story, kind: StepKind) -> list[Step]:
    last: dict[str, Step] = {}
    for step in story.steps:
        if step.kind is kind and not step.superseded:
            last.pop(step.summary, None)
            last[step.summary] = step
    return list(last.values())


def _freshness(run: CheckRun | None) -> str:
    if run is None or run.freshness is Freshness.CURRENT:
        return "" if run is None else "  still true of this tree"
    if run.freshness is Freshness.STALE:
        return f"  stale: {timed_line(run.stale_because or 'files changed after it')}"
    return "  which tree it saw is not known"


def _checks(story: Story, checkout: Checkout | None, glyphs: Glyphs) -> list[RecapRow]:
    root = root_of(story)
    runs = {run.step: run for run in checkout.checks} if checkout else {}
    rows: list[RecapRow] = []
    for step in _last_runs(story, StepKind.CHECK)[-4:]:
        if step.outcome is Outcome.DANGLING:
            continue
        run = runs.get(step.n)
        outcome, code = (step.outcome, step.exit_code) if run is None else (run.outcome, run.exit_code)
        style = outcome_style(outcome)
        text = (
            (f"{outcome_glyph(outcome, glyphs)} ", style),
            (cut(step_words(step, root), 80, glyphs.ellipsis), ""),
            (f"  {ended_words(outcome, code) or 'ok'}", style),
            (_freshness(run), QUIET),
        )
        rows.append(RecapRow("", text, ((f"step {step.n}", QUIET),), step.item or None))
    return rows


def _outside(story: Story, glyphs: Glyphs) -> list[RecapRow]:
    root = root_of(story)
    return [
        RecapRow(
            "",
            (
                (f"{outcome_glyph(step.outcome, glyphs)} ", outcome_style(step.outcome)),
                (cut(step_words(step, root), 120, glyphs.ellipsis), ""),
                (f"  outside{f', {words}' if (words := outcome_words(step)) else ''}", QUIET),
            ),
            ((f"step {step.n}", QUIET),),
            step.item or None,
        )
        for step in _last_runs(story, StepKind.EXTERNAL)[-4:]
        if step.outcome is not Outcome.DANGLING
    ]


def _said(story: Story, triage: Triage | None, glyphs: Glyphs) -> list[RecapRow]:
    reply = next((item for item in reversed(story.items) if item.type == "reply" and not item.superseded), None)
    if reply is None:
        return []
    quoted = cut(one_line(reply.text or ""), _TEXT, glyphs.ellipsis)
    rows = [RecapRow("SAID", ((f"{glyphs.quotes[0]}{quoted}{glyphs.quotes[1]}", ""),), item=reply.n)]
    if triage is None:
        return [*rows, RecapRow("", ((f"its own words; holding them against the evidence{glyphs.ellipsis}", QUIET),))]
    unproved = [finding for finding in triage.claimed if finding.claim]
    borne_out = [finding for finding in triage.saved if finding.claim and finding.message == reply.n]
    rows += [_judged(finding, "$pile-claimed") for finding in unproved[:3]]
    rows += [_judged(finding, "$pile-saved") for finding in borne_out[:3]]
    if not unproved and not borne_out:
        rows.append(RecapRow("", (("its own words; no rule finds a claim in them", QUIET),)))
    return rows


def _judged(finding: Finding, style: str) -> RecapRow:
    """What was claimed, with the verdict that Triage has on it."""
    judged = f"  {finding.known_as}: {timed_line(finding.why)}"
    return RecapRow("", ((one_line(finding.what), ""), (judged, style)), item=finding.message)


def _running(work: StillOpen, glyphs: Glyphs) -> RecapRow:
    words = {True: "still running", False: "ended with it", None: "whether it runs is not known"}[work.running]
    if work.kind == "queued_prompt":
        words = "was waiting to be sent"
    pid = f" (pid {work.pid})" if work.pid else ""
    style = "$pile-claimed" if work.running else QUIET
    return RecapRow("", ((cut(inert_line(work.what), 120, glyphs.ellipsis) + pid, ""), (f"  {words}", style)))


def _open(story: Story, status: Status, triage: Triage | None, glyphs: Glyphs) -> list[RecapRow]:
    root = root_of(story)
    alive = status.session.state is State.LIVE
    rows = [
        RecapRow(
            "",
            (
                (cut(step_words(step, root), 120, glyphs.ellipsis), "bold"),
                ("  runs now" if alive else "  outcome unknown", "$pile-claimed"),
            ),
            ((f"step {step.n}", QUIET),),
            step.item or None,
        )
        for step in status.open_steps
    ]
    rows += [_running(work, glyphs) for work in (triage.still_open if triage else ())]
    return rows or [RecapRow("", (("nothing", QUIET),))]


def _last(story: Story, glyphs: Glyphs) -> list[RecapRow]:
    root = root_of(story)
    last: Item | None = story.items[-1] if story.items else None
    if last is None:
        return []
    step = last.step
    if step is not None:
        words = outcome_words(step) or step.outcome.value
        text: Pieces = (
            (f"{clock_time(last.at)}  ", QUIET),
            (cut(step_words(step, root), 120, glyphs.ellipsis), ""),
            (f" {glyphs.arrow} {words}", outcome_style(step.outcome)),
        )
        return [RecapRow("LAST", text, ((f"step {step.n}", QUIET),), last.n)]
    name = (
        last.marker.kind.replace("_", " ") if last.marker else {"prompt": "asked", "reply": "said"}.get(last.type, "")
    )
    words = cut(one_line(last.marker.text if last.marker else last.text or ""), 160, glyphs.ellipsis)
    return [RecapRow("LAST", ((f"{clock_time(last.at)}  {one_line(name)}  ", QUIET), (words, "")), item=last.n)]


def _headed(label: str, rows: list[RecapRow]) -> list[RecapRow]:
    return [RecapRow(label if not at else "", row.text, row.right, row.item) for at, row in enumerate(rows)]


_ONLY_LOOKS: Final = frozenset({StepKind.READ, StepKind.SEARCH, StepKind.WEB, StepKind.PLAN})


def _nothing_done(status: Status) -> str:
    """Nothing, or nothing known: a step without a result may have done anything."""
    steps = [step.n for step in status.open_steps if step.kind not in _ONLY_LOOKS]
    if not steps:
        return "no edit, no check, nothing outside"
    which = f"step {steps[0]}" if len(steps) == 1 else f"steps {', '.join(map(str, steps[:6]))}"
    return f"nothing known: what {which} did has no recorded result"


def recap_rows(
    story: Story, status: Status, checkout: Checkout | None, triage: Triage | None, glyphs: Glyphs
) -> tuple[RecapRow, ...]:
    """The table. What is still being worked out (`None`) is told as that, not left out."""
    done = [*_edits(story, checkout, glyphs), *_checks(story, checkout, glyphs), *_outside(story, glyphs)]
    return (
        *_asked(story, glyphs),
        *_headed("DONE", done or [RecapRow("", ((_nothing_done(status), QUIET),))]),
        *_said(story, triage, glyphs),
        *_headed("OPEN", _open(story, status, triage, glyphs)),
        *_last(story, glyphs),
    )
