"""What a person decided in a recovery, as steps of a job: who answered what, on which evidence.

Decides which answers are steps (those that the next attempt rests on; not where a person looked or stood), and what
each one is told with. Pure: two states of the answers are compared, so the same answer twice is no step, and one taken
back is. Values are those of the recovery, masked as the person saw them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from refloat.model.brief import SECTIONS
from refloat.model.checkout import Owner
from refloat.model.fate_words import OWNER_WORDS
from refloat.model.recovery import Given, LineEdit
from refloat.model.saving import Ending, Opening, Runner, SavedOutcome, Tree
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.chain import LONGEST_NAME
from refloat.record.contents import hold
from refloat.record.drafts import Answered
from refloat.text import cut, one_line
from refloat.usecases.recover import Recovery, cards, owner_rows, uncertain_rows

_SUMMARY: Final = 240
_TAKEN_BACK: Final = "taken back"

Document = Mapping[str, object]
_Key = TypeVar("_Key", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class Decided:
    """One answer that changed."""

    key: str
    """Names the question within the recovery; `write_recovery` finds the answer's receipt by it."""
    tool: str
    summary: str
    evidence: Document
    """What the person had before them."""
    said: Document
    outcome: SavedOutcome = "ok"
    exit_code: int | None = None


def job_of(session: SessionName) -> str:
    """The job that a session's recovery is on."""
    name = "".join(letter if letter.isprintable() else "_" for letter in f"recovery:{session}")
    return name[:LONGEST_NAME]


def standing(recovery: Recovery, saved: Given, receipts: Mapping[str, str]) -> dict[str, str]:
    """Of the receipts that came with `saved`: those of answers that are still the same in `recovery`."""
    moved_on = {decided.key for decided in decisions(recovery, saved)}
    return {key: receipt for key, receipt in receipts.items() if key not in moved_on}


def steps_for(recovery: Recovery, before: Given, now: Stamp, *, host: str) -> list[Answered]:
    """A step for each answer that is not as it was `before`."""
    session, user = recovery.session, recovery.by.partition("@")[0]
    tree = Tree(recovery.checkout.head, None, "an answer: the worktree is not hashed")
    rows: list[Answered] = []
    for decided in decisions(recovery, before):
        asked = {"session": session.name, "question": decided.key, "by": recovery.by, "evidence": decided.evidence}
        opening = Opening(
            job_of(session.name),
            f"human:{user}",
            decided.tool,
            cut(one_line(decided.summary), _SUMMARY),
            "recovery",
            now,
            recovery.checkout.repo or session.worktree or session.workspace,
            tree,
            Runner(host or None),
        )
        ending = Ending(decided.outcome, now, decided.exit_code, tree)
        rows.append(Answered(decided.key, opening, ending, hold(_json(asked)), hold(_json(decided.said))))
    return rows


def _json(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=True, sort_keys=True, indent=1).encode("ascii")


def decisions(recovery: Recovery, before: Given) -> Iterator[Decided]:
    """What was said since `before`, in the order of the pages."""
    yield from _process(recovery, before)
    yield from _owners(recovery, before)
    yield from _places(recovery, before)
    yield from _moved(recovery, before)
    yield from _looks(recovery, before)
    yield from _inspected(recovery, before)
    yield from _words(recovery, before)
    yield from _edits(recovery, before)


def _process(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given, liveness = recovery.given, recovery.session.liveness
    was, now = (before.process, before.process_note), (given.process, given.process_note)
    if was != now:
        found = {
            "verdict": liveness.verdict,
            "evidence": [
                {"kind": row.kind, "detail": row.detail, "pid": row.pid, "at": row.at} for row in liveness.evidence
            ],
        }
        summary = f"original process: {_noted(given.process or _TAKEN_BACK, given.process_note)}"
        yield Decided("process", "process", summary, found, _said(now[0], was[0], note=given.process_note))


def _owners(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given = recovery.given.owners
    rows = {row.path: row for row in owner_rows(replace(recovery, given=Given()))}
    for path in _changed(before.owners, given):
        row = rows.get(path)
        found: Document = {"path": path}
        if row is not None:
            found = {**found, "state": row.state, "why": row.why, "owner": row.found}
        summary = f"owner of {path}: {_owner_words(given.get(path))}"
        yield Decided(f"owner {path}", "owner", summary, found, _said(given.get(path), before.owners.get(path)))


def _owner_words(owner: str | None) -> str:
    """As every screen says it; a person's own word stands as it is."""
    if owner is None:
        return _TAKEN_BACK
    return OWNER_WORDS[Owner(owner)] if owner in set(Owner) else owner


def _places(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given = recovery.given.hunks
    rows = {place.key: place for row in owner_rows(replace(recovery, given=Given())) for place in row.places}
    for key in _changed(before.hunks, given):
        place, path = rows.get(key), key.partition("\n")[0]
        found: Document = {"path": path}
        where = path
        if place is not None:
            found = {**found, "line": place.hunk.new_start, "lines": list(place.hunk.lines), "owner": place.found}
            where = f"{path} at line {place.hunk.new_start}"
        summary = f"owner of {where}: {_owner_words(given.get(key))}"
        yield Decided(f"place {key}", "owner", summary, found, _said(given.get(key), before.hunks.get(key)))


def _moved(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given = recovery.given.moved
    rows = {card.key: card for card in cards(recovery)}
    for key in _changed(before.moved, given):
        card = rows.get(key)
        found: Document = {"finding": key}
        if card is not None:
            finding = card.finding
            found = {
                **found,
                "what": finding.what,
                "pile": card.found,
                "kind": finding.kind,
                "verdict": finding.verdict,
                "steps": list(finding.steps),
                "why": finding.why,
            }
        pile, reason = given.get(key, (None, ""))
        was, _ = before.moved.get(key, (None, ""))
        what = card.finding.what if card is not None else key
        summary = f"{_noted(f'moved to {pile}' if pile else f'move {_TAKEN_BACK}', reason)}: {what}"
        yield Decided(f"moved {key}", "triage", summary, found, _said(pile, was, reason=reason))


def _looks(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given = recovery.given.probes
    for key in _changed(before.probes, given):
        probe = given.get(key)
        if probe is None:
            continue  # a look that was made cannot be taken back
        command = " ".join(probe.argv)
        said = {"argv": list(probe.argv), "exit_code": probe.code, "output": probe.out, "at": probe.at}
        summary = f"looked at {_step_words(key)}: {command} → exit {probe.code}"
        outcome: SavedOutcome = "error" if probe.code else "ok"
        yield Decided(f"probe {key}", "look", summary, _uncertain(recovery, key), said, outcome, probe.code)


def _inspected(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given = recovery.given.inspected
    for key in _changed(before.inspected, given):
        said, note = given.get(key, (None, ""))
        was, _ = before.inspected.get(key, (None, ""))
        summary = f"{_step_words(key)}: {_noted((said or _TAKEN_BACK).replace('_', ' '), note)}"
        found = _uncertain(recovery, key)
        yield Decided(f"inspected {key}", "inspect", summary, found, _said(said, was, note=note))


def _uncertain(recovery: Recovery, key: str) -> Document:
    for row in uncertain_rows(recovery):
        if row.key == key:
            looked = None
            if row.looked is not None:
                looked = {"argv": list(row.looked.argv), "exit_code": row.looked.code, "output": row.looked.out}
            return {
                "step": row.step,
                "subagent": row.subagent,
                "what": row.what,
                "kind": row.kind,
                "why": row.why,
                "looked": looked,
            }
    return {"step": key}


def _words(recovery: Recovery, before: Given) -> Iterator[Decided]:
    given, base = recovery.given, recovery.base
    bare = replace(recovery, given=Given())
    rows: tuple[tuple[str, object, object, object], ...] = (
        ("happened", given.happened, before.happened, _failure(bare)),
        ("title", given.title, before.title, recovery.session.title),
        ("goal", given.goal, before.goal, recovery.asked),
        ("next_step", given.next_step, before.next_step, [line.text for line in base.next_step]),
        ("done_when", given.done_when, before.done_when, [line.text for line in base.done_when]),
    )
    for key, now, was, found in rows:
        if now != was:
            words = _TAKEN_BACK if now is None else "; ".join(now) if isinstance(now, tuple) else str(now)
            asked = "what happened" if key == "happened" else key.replace("_", " ")
            yield Decided(key, key, f"{asked}: {words}", {"found": found}, _said(now, was))


def _failure(recovery: Recovery) -> Document:
    failure = recovery.session.failure
    told = None if failure is None else {"kind": failure.kind, "detail": failure.detail, "at": failure.at}
    return {"state": recovery.session.state, "failure": told}


def _edits(recovery: Recovery, before: Given) -> Iterator[Decided]:
    for section, heading in SECTIONS:
        was, now = _by_line(before.edits.get(section, ())), _by_line(recovery.given.edits.get(section, ()))
        for key in _changed(was, now):
            line, added = key
            text = now.get(key)
            if text is None:
                words = f"change {_TAKEN_BACK}: {line or added}"
            elif not line:
                words = f"added: {text}"
            else:
                words = f"now: {text}" if text else f"taken out: {line}"
            said = _said(text, was.get(key))
            found = {"section": section, "line": line}
            yield Decided(line_key(section, LineEdit(line, added)), "line", f"{heading}, {words}", found, said)


def line_key(section: str, edit: LineEdit) -> str:
    """Names an edit of a line: by what stood there, a new line by itself."""
    return f"line {section} was {edit.was}" if edit.was else f"line {section} new {edit.now}"


def _by_line(edits: Sequence[LineEdit]) -> dict[tuple[str, str], str]:
    """(what stood there, "") → what stands there now; a new line, ("", it) → it."""
    return {(edit.was, "" if edit.was else edit.now): edit.now for edit in edits}


def _changed(was: Mapping[_Key, object], now: Mapping[_Key, object]) -> list[_Key]:
    """Keys whose values are not the same, or that only one has."""
    return [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)]


def _said(answer: object, before: object, **more: str) -> Document:
    """`answer` null: taken back."""
    return {"answer": answer, "before": before, **{name: text for name, text in more.items() if text}}


def _noted(text: str, note: str) -> str:
    return f"{text} ({note})" if note.strip() else text


def _step_words(key: str) -> str:
    subagent, _, step = key.rpartition("/")
    return f"step {step} of sub-agent {subagent}" if subagent else f"step {step}"
