"""The recovery wizard without a screen: seven pages, each with a question, an answer from evidence, and its reason.

Decides what each page asks, what stands there before anybody says anything, and what an answer changes. Pure: evidence
and answers are values, `answer` gives a new Recovery. Refuses to save (`keep_draft`), to write a brief's text
(`write_brief`, passed in) and to draw.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeVar, assert_never

from refloat.model.brief import Brief, WrittenBrief
from refloat.model.checkout import Checkout, DirtyHunk, EditedFile, OtherChange, Owner
from refloat.model.liveness import Verdict
from refloat.model.recovery import (
    PAGES,
    PILES,
    ChosePath,
    Draft,
    EditedLine,
    Given,
    Inspected,
    LineEdit,
    LookedAt,
    LookedSaid,
    MovedTo,
    Page,
    Pile,
    Probe,
    Probed,
    ProcessSaid,
    Said,
    SaidDoneWhen,
    SaidGoal,
    SaidHappened,
    SaidHunk,
    SaidNext,
    SaidOwner,
    SaidProcess,
    SaidTitle,
    SaidWrap,
    Seen,
    WentOn,
    WentTo,
    WroteTo,
)
from refloat.model.session import Session, State
from refloat.model.story import Story
from refloat.model.transcript import Step
from refloat.model.triage import ActionOutcome, Finding, Triage, step_key
from refloat.text import one_line
from refloat.usecases.judge_look import judge_look

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

OWNERS: Final = (Owner.UNKNOWN, Owner.THIS_SESSION, Owner.OTHER_SESSION, Owner.COMMAND, Owner.PREDATES)
"""What a person may say of a change, in the order in which a key goes round; besides, any words of their own."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The evidence, and what a person said to it."""

    session: Session
    checkout: Checkout
    triage: Triage
    asked: str
    """The first prompt that stands, whole."""
    said: str
    """The agent's last words."""
    base: Brief
    """The brief from evidence alone."""
    by: str
    """Who answers: `user@host`."""
    given: Given = field(default_factory=Given)
    changed: tuple[str, ...] = ()
    """What moved since the answers were given; sentences."""
    steps: tuple[Step, ...] = ()
    """The session's own and its sub-agents', oldest first."""


def answer(recovery: Recovery, said: Said) -> Recovery:
    """The recovery with one more thing said."""
    before, given = recovery.given, _with(recovery.given, said)
    silent = isinstance(said, WentOn | WentTo | LookedAt | Probed | SaidWrap | ChosePath | WroteTo)
    if before.written is not None and not silent and given != before:
        given = replace(given, stale=True)
    return replace(recovery, given=given)


def _with(given: Given, said: Said) -> Given:
    match said:
        case WentOn(page):
            return replace(given, passed=given.passed | {page}, page=next_page(page) or page)
        case WentTo(page):
            return replace(given, page=page)
        case SaidProcess(word, note):
            return replace(given, process=word, process_note=note)
        case SaidHappened(text):
            return replace(given, happened=text)
        case SaidOwner(path, owner):
            return replace(given, owners=_put(given.owners, path, owner))
        case SaidHunk(key, owner):
            return replace(given, hunks=_put(given.hunks, key, owner))
        case LookedAt(key, looked):
            return replace(given, looked_at=given.looked_at | {key} if looked else given.looked_at - {key})
        case MovedTo(key, pile, reason):
            return replace(given, moved=_put(given.moved, key, None if pile is None else (pile, reason)))
        case Inspected(key, word, note):
            return replace(given, inspected=_put(given.inspected, key, None if word is None else (word, note)))
        case Probed(key, probe):
            return replace(given, probes=_put(given.probes, key, probe))
        case SaidGoal(text):
            return replace(given, goal=text)
        case SaidNext(text):
            return replace(given, next_step=text)
        case SaidDoneWhen(lines):
            return replace(given, done_when=lines)
        case SaidTitle(text):
            return replace(given, title=text)
        case EditedLine(section, edit):
            return replace(given, edits={**given.edits, section: _merge(given.edits.get(section, ()), edit)})
        case SaidWrap(words):
            return replace(given, wrap=dict(words))
        case ChosePath(path):
            return replace(given, path=path)
        case WroteTo(path, at):
            return replace(given, written=(path, at), stale=False)
        case _:
            assert_never(said)


def _put(mapping: dict[_Key, _Value], key: _Key, value: _Value | None) -> dict[_Key, _Value]:
    if value is None:
        return {name: word for name, word in mapping.items() if name != key}
    return {**mapping, key: value}


def _merge(edits: tuple[LineEdit, ...], edit: LineEdit) -> tuple[LineEdit, ...]:
    """Add an edit. One to a line that was itself changed or added goes on from there; back to the start, it is none.
    A line that was taken out comes back by being added.
    """
    for at, earlier in enumerate(edits):
        brought_back = not edit.was and earlier == LineEdit(edit.now, "")
        if brought_back or (edit.was and earlier.now == edit.was):
            merged = LineEdit(earlier.was, edit.now)
            kept = () if merged.was == merged.now else (merged,)
            return (*edits[:at], *kept, *edits[at + 1 :])
    return edits if edit.was == edit.now else (*edits, edit)


# ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def next_page(page: Page) -> Page | None:
    """The page after this one; None after the last."""
    at = PAGES.index(page) + 1
    return PAGES[at] if at < len(PAGES) else None


def previous_page(page: Page) -> Page | None:
    """The page before this one; None before the first."""
    at = PAGES.index(page)
    return PAGES[at - 1] if at else None


def begin(
    session: Session, story: Story, checkout: Checkout, triage: Triage, base: WrittenBrief, *, by: str
) -> Recovery:
    """A recovery in which nobody said anything yet. Mask the values first where they are going to be shown."""
    prompts = (item.text for item in story.items if item.type == "prompt" and item.text and not item.superseded)
    replies = [item.text for item in story.items if item.type == "reply" and item.text and not item.superseded]
    return Recovery(
        session=session,
        checkout=checkout,
        triage=triage,
        asked=next(prompts, ""),
        said=replies[-1] if replies else "",
        base=base.brief,
        by=by,
        steps=tuple(story.every_step),
    )


def resume(recovery: Recovery, draft: Draft) -> Recovery:
    """Put earlier answers to the evidence of today, and say what moved since."""
    return replace(recovery, given=draft.given, changed=tuple(_moved(draft.seen, see(recovery))))


# page 1

_PROCESS_FROM: Final[dict[Verdict, ProcessSaid]] = {
    Verdict.GONE: "gone",
    Verdict.RUNNING: "running",
    Verdict.CANDIDATE: "unknown",
    Verdict.UNKNOWABLE: "unknown",
}


def process_of(recovery: Recovery) -> ProcessSaid:
    """What became of the process: the person's word, else the evidence's."""
    return recovery.given.process or _PROCESS_FROM[recovery.session.liveness.verdict]


# page 2


def happened_of(recovery: Recovery) -> str:
    """How it ended, in a sentence: the person's, else one from the record."""
    if recovery.given.happened is not None:
        return recovery.given.happened
    session = recovery.session
    if session.failure is not None:
        return f"{session.failure.kind.replace('_', ' ').capitalize()}: {one_line(session.failure.detail)}"
    match session.state:
        case State.STOPPED:
            return "The last turn ended, and then the process went away."
        case State.UNBOUND:
            return "Nothing was ever asked of it."
        case State.LIVE:
            return "It has not ended: the process still runs."
        case State.UNRESOLVED | State.FAILED:
            return "The record does not say how it ended."
        case _:
            assert_never(session.state)


# page 3


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """One dirty place of a file that several changed."""

    key: str
    hunk: DirtyHunk
    owner: str
    """An Owner's word or the person's own."""
    by_person: bool

    @property
    def found(self) -> str:
        """The evidence's answer."""
        return self.hunk.owner

    @property
    def open(self) -> bool:
        """Nobody knows who made it."""
        return self.owner in {Owner.UNKNOWN, Owner.MIXED}


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """One file of page 3."""

    path: str
    state: str
    """A FileState's word, or git's two characters for a file that the session did not edit."""
    why: str
    owner: str | None
    """An Owner's word or the person's own; None where nothing of it is dirty."""
    found: str | None
    """The evidence's answer."""
    by_person: bool
    hunks: tuple[DirtyHunk, ...]
    places: tuple[PlaceRow, ...] = ()
    """Each dirty place for itself, where they are not all of one owner."""

    @property
    def open(self) -> bool:
        """Nobody knows who made it, or a place of it."""
        if self.places and not self.by_person:
            return any(place.open for place in self.places)
        return self.owner in {Owner.UNKNOWN, Owner.MIXED}


def owner_rows(recovery: Recovery) -> tuple[OwnerRow, ...]:
    """The files of page 3: those that nobody can name an owner for first, then in the checkout's order."""
    checkout, given = recovery.checkout, recovery.given
    rows = [_owner_row(row, row.state, given) for row in checkout.files]
    rows += [_owner_row(row, row.status, given) for row in checkout.other_changes]
    return tuple(sorted(rows, key=lambda row: row.found not in {Owner.UNKNOWN, Owner.MIXED}))


def _owner_row(change: EditedFile | OtherChange, state: str, given: Given) -> OwnerRow:
    places = tuple(_places(change, given))
    said = given.owners.get(change.path)
    agreed = {place.owner for place in places}
    found = str(change.owner) if change.owner is not None else None
    owner = agreed.pop() if len(agreed) == 1 else found
    return OwnerRow(change.path, state, change.why, said or owner, found, said is not None, change.hunks, places)


@lru_cache(maxsize=8192)
def _digest_of(lines: tuple[str, ...]) -> str:
    """Kept: a page asks for its rows with every key."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _places(change: EditedFile | OtherChange, given: Given) -> Iterator[PlaceRow]:
    owners = {hunk.owner for hunk in change.hunks}
    if len(change.hunks) < 2 or (len(owners) == 1 and change.owner is not Owner.MIXED):
        return
    seen: dict[str, int] = {}
    for hunk in change.hunks:
        digest = _digest_of(hunk.lines)
        seen[digest] = seen.get(digest, 0) + 1
        key = f"{change.path}\n{digest}\n{seen[digest]}"
        said = given.hunks.get(key)
        yield PlaceRow(key, hunk, said or hunk.owner, said is not None)


def next_owner(row: OwnerRow | PlaceRow) -> str:
    """The owner that a key press changes to."""
    known = [str(owner) for owner in OWNERS]
    return known[(known.index(row.owner) + 1) % len(known)] if row.owner in known else known[1]


# page 4


@dataclass(frozen=True, slots=True)
class Card:
    """One finding of page 4, on the pile where it lies now."""

    key: str
    finding: Finding
    pile: Pile
    found: Pile
    reason: str
    """Why the person moved it."""
    looked: bool


def cards(recovery: Recovery) -> tuple[Card, ...]:
    """Every finding, by pile; what a person moved lies where they put it."""
    return cards_of(recovery.triage, recovery.given)


def cards_of(triage: Triage, given: Given) -> tuple[Card, ...]:
    """The findings of a triage with what a person said to them."""
    piles: tuple[tuple[Pile, tuple[Finding, ...]], ...] = (
        ("saved", triage.saved),
        ("claimed", triage.claimed),
        ("gone", triage.gone),
    )
    made: list[Card] = []
    for found, findings in piles:
        for finding in findings:
            pile, reason = given.moved.get(finding.key, (found, ""))
            made.append(Card(finding.key, finding, pile, found, reason, finding.key in given.looked_at))
    return tuple(sorted(made, key=lambda card: PILES.index(card.pile)))


# page 5


@dataclass(frozen=True, slots=True)
class Uncertain:
    """One step of page 5 of which nobody knows whether it happened."""

    key: str
    step: int
    subagent: str | None
    what: str
    kind: str
    """`external` or `dangling`."""
    why: str
    probe: tuple[str, ...] | None
    said: LookedSaid
    note: str
    by_person: bool
    looked: Probe | None
    told: str = ""
    """What `looked` tells, in words; "" where that cannot be judged."""


def uncertain_rows(recovery: Recovery) -> tuple[Uncertain, ...]:
    """External actions to inspect, then the other calls without a result."""
    return tuple(_uncertain(recovery, row) for row in _uncertain_steps(recovery.triage))


@dataclass(frozen=True, slots=True)
class _Open:
    step: int
    subagent: str | None
    what: str
    kind: str
    why: str
    probe: tuple[str, ...] | None
    part: int = 0


def _uncertain_steps(triage: Triage) -> Iterator[_Open]:
    seen: set[str] = set()
    for row in triage.do_not_repeat:
        if row.outcome is ActionOutcome.UNKNOWN:
            seen.add(step_key(row.step, row.subagent))
            times = f" It was tried {row.times} times." if row.times > 1 else ""
            why = (
                f"It may have taken effect outside the checkout: no result says.{times} Look before anybody repeats it."
            )
            why += f" No look from here can tell: {row.no_look}." if row.no_look else ""
            yield _Open(
                row.step, row.subagent, row.action, "external", why, None if row.no_look else row.probe, row.part
            )
    for finding in (*triage.gone, *triage.claimed, *triage.saved):
        if finding.kind == "dangling" or finding.confirmed is False:
            for step in finding.steps[-1:]:
                if step_key(step, finding.subagent) not in seen:
                    seen.add(step_key(step, finding.subagent))
                    yield _Open(step, finding.subagent, finding.what, "dangling", finding.why, None)


def _uncertain(recovery: Recovery, row: _Open) -> Uncertain:
    key, given = step_key(row.step, row.subagent, row.part), recovery.given
    said, note = given.inspected.get(key, ("unknown", ""))
    looked, told = given.probes.get(key), ""
    if looked is not None and row.subagent is None:
        told = judge_look(looked, recovery.steps, row.step, recovery.checkout.base.head)
    return Uncertain(
        key=key,
        step=row.step,
        subagent=row.subagent,
        what=row.what,
        kind=row.kind,
        why=row.why,
        probe=row.probe,
        said=said,
        note=note,
        by_person=key in given.inspected,
        looked=looked,
        told=told,
    )


# page 6


def goal_of(recovery: Recovery) -> str:
    """What it is all for: the person's words, else what was asked first."""
    if recovery.given.goal is not None:
        return recovery.given.goal
    return recovery.asked.strip() or recovery.session.title


def next_of(recovery: Recovery, brief: Brief | None = None) -> str:
    """The one next step: the person's words, else the brief's as it stands with every other answer put to it (`brief`),
    or from evidence alone as long as that is not written.
    """
    if recovery.given.next_step is not None:
        return recovery.given.next_step
    return "\n".join(line.text for line in (brief or recovery.base).next_step)


def done_when_of(recovery: Recovery, brief: Brief | None = None) -> tuple[str, ...]:
    """When it is done: the person's words, else what the record holds; `brief` as with `next_of`."""
    if recovery.given.done_when is not None:
        return recovery.given.done_when
    return tuple(line.text for line in (brief or recovery.base).done_when)


# ── what moved ───────────────────────────────────────────────────────────────────────────────────────────────────────


def see(recovery: Recovery) -> Seen:
    """The evidence in short, to tell later what moved."""
    rows = owner_rows(replace(recovery, given=Given()))
    return Seen(
        state=recovery.session.state,
        head=recovery.checkout.head or "",
        transcript=recovery.session.transcript.bytes,
        files={row.path: _digest(row) for row in rows},
        open_steps=tuple(dict.fromkeys(row.step for row in _uncertain_steps(recovery.triage))),
    )


def _digest(row: OwnerRow) -> str:
    words = [row.state, row.found or "", *(line for hunk in row.hunks for line in hunk.lines)]
    return hashlib.sha256("\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _moved(was: Seen, now: Seen) -> Iterator[str]:
    if was.state and was.state != now.state:
        yield f"the session was {was.state} and is {now.state}"
    if was.head != now.head:
        yield f"HEAD was {was.head[:7] or 'none'} and is {now.head[:7] or 'none'}"
    if was.transcript != now.transcript:
        yield f"the transcript had {was.transcript:,} bytes and has {now.transcript:,}"
    for path in sorted({*was.files, *now.files}):
        before, after = was.files.get(path), now.files.get(path)
        if before is None:
            yield f"{path} is new here"
        elif after is None:
            yield f"{path} is as git has it, gone, or written by Refloat now"
        elif before != after:
            yield f"{path} changed"
    for step in now.open_steps:
        if step not in was.open_steps:
            yield f"step {step} has no known outcome"
    for step in was.open_steps:
        if step not in now.open_steps:
            yield f"step {step} has a known outcome now"
