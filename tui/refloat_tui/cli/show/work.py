"""`checkout`, `triage` and `check` for a person."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from refloat.model.checkout import SAVED_PLACES, Checkout, DirtyHunk, EditedFile, Fate, OtherChange, Owner, PlaceKind
from refloat.model.fate_words import OWNER_WORDS, PLACE_WORDS, STATE_WORDS, WRITES_OUT, fate_words, salvage_line
from refloat.text import inert_line, one_line
from refloat_tui.cli.show.table import columns, counted, labelled, section, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from refloat.model.brief import BriefCheck, BriefPreview, Moved
    from refloat.model.checkout import CheckRun
    from refloat.model.triage import Finding, Triage


def checkout_lines(checkout: Checkout, width: int, *, patch: bool, ref: str = "") -> Iterator[str]:
    """What is under way, each edited file with its fate and owner, the dirty rest, the checks."""
    yield from labelled("CHECKOUT", _where(checkout), width)
    base = checkout.base
    if checkout.repo is not None or base.head is not None:
        yield from labelled("", f"HEAD when the session began: {(base.head or 'unknown')[:12]} ({base.how})", width)
    if checkout.operation:
        under_way = checkout.operation
        onto = f" onto {under_way.onto}" if under_way.onto else ""
        branch = f" of {under_way.branch}" if under_way.branch else ""
        yield from labelled("UNDER WAY", f"{under_way.kind}{branch}{onto}", width)
        yield from section("CONFLICTS", ["  " + inert_line(path) for path in under_way.conflicts])
    if checkout.files:
        meant = "the state of each; below it, the fate of each edit"
        yield from ["", f"FILES THAT THE SESSION EDITED ({len(checkout.files)}): {meant}"]
    named = [(STATE_WORDS[file.state], inert_line(file.path), _by(file, checkout)) for file in checkout.files]
    for file, row in zip(checkout.files, columns(named, width), strict=True):
        yield row
        for told in (_fates(file), _places(file)):
            yield from labelled("", told, width, 6) if told else ()
        if patch:
            yield from _hunks(file, checkout)
    if any(_is_had_elsewhere(file) for file in checkout.files):
        yield from _way_back(ref or checkout.session, width)
    others = [
        (change.status, inert_line(change.path), "; ".join(filter(None, (_by(change, checkout), change.why))))
        for change in checkout.other_changes
    ]
    yield from section(f"OTHER CHANGES, NOT OF THIS SESSION'S EDITS ({len(others)})", columns(others, width))
    yield from section("CHECKS", columns(map(_check, checkout.checks), width))
    warnings = [
        line for warned in checkout.warnings for line in labelled("  !", f"{warned.what} {warned.path or ''}", width, 4)
    ]
    yield from section("NOT OBEYED, OR NOT LOOKED AT", warnings)


def _where(checkout: Checkout) -> str:
    """The repository, and what is checked out in it."""
    if checkout.repo is None:
        return "no repository"
    return f"{checkout.repo}  {checkout.branch or 'detached'} at {(checkout.head or 'no commit')[:12]}"


def _check(run: CheckRun) -> tuple[str, ...]:
    return (
        f"step {run.step}",
        run.outcome if run.proved else "not proved",
        "" if run.exit_code is None else f"exit {run.exit_code}",
        run.freshness,
        "; ".join(filter(None, (one_line(run.command), run.stale_because, run.note))),
    )


def _by(what: EditedFile | OtherChange | DirtyHunk, checkout: Checkout) -> str:
    """Who made the dirty lines; nothing where none is dirty."""
    if what.owner is None:
        return ""
    if what.session and what.session != checkout.session:
        return f"by {what.session}"
    match what.owner:
        case Owner.PREDATES:
            return OWNER_WORDS[what.owner]
        case Owner.UNKNOWN:
            return f"owner {OWNER_WORDS[what.owner]}"
        case _:
            return f"by {OWNER_WORDS[what.owner]}"


def _fates(file: EditedFile) -> str:
    """What became of each edit; those of one fate together."""
    steps: dict[str, list[str]] = {}
    for edit in file.edits:
        steps.setdefault(fate_words(edit, digits=12), []).append(str(edit.step))
    told = [f"step{'s' if len(numbers) > 1 else ''} {', '.join(numbers)} {fate}" for fate, numbers in steps.items()]
    doubt = "" if file.confirmed else "not confirmed by the record"
    return "; ".join(filter(None, (*told, doubt, file.why)))


def _places(file: EditedFile) -> str:
    """Where its recorded content stands besides the file itself."""
    told = [
        " ".join(part for part in (PLACE_WORDS[place.where], place.ref, (place.commit or "")[:12]) if part)
        for place in file.found_in
        if place.where is not PlaceKind.WORKTREE or place.path not in {file.path, None}
    ]
    return f"also found in: {', '.join(told)}" if told else ""


def _hunks(file: EditedFile, checkout: Checkout) -> Iterator[str]:
    for hunk in file.hunks:
        owner = _by(hunk, checkout)
        yield f"    @@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@ {owner}"
        yield from ("    " + inert_line(line) for line in hunk.lines)


def triage_lines(triage: Triage, width: int, *, ref: str = "") -> Iterator[str]:
    """The three piles, what must not be repeated, what may still run."""
    sizes = (
        f"saved {len(triage.saved)}{_of_the_saved(triage)} · claimed {len(triage.claimed)} · gone {len(triage.gone)}"
        f"{_of_the_gone(triage)}"
    )
    yield from labelled("TRIAGE", f"{triage.session}  {sizes}", width)
    if not (triage.saved or triage.claimed or triage.gone or triage.do_not_repeat or triage.still_open):
        yield from labelled("", "No edit, check, commit, effect outside or claim is recorded: nothing to sort.", width)
    yield from section("SAVED (stands, or its result is known)", _findings(triage.saved, width))
    yield from section("CLAIMED (said, and no step proves it)", _findings(triage.claimed, width))
    yield from section("GONE (stands nowhere, or nobody knows how it ended)", _findings(triage.gone, width))
    if any(row.kind == "edit" and row.recoverable_from for row in triage.gone):
        yield from _way_back(ref or triage.session, width)
    rows = [
        (
            row.outcome.replace("_", " "),
            f"step {row.step}",
            f"{row.times}×" if row.times > 1 else "",
            row.action,
            row.no_look or ("look: " + shlex.join(row.probe) if row.probe else ""),
        )
        for row in triage.do_not_repeat
    ]
    yield from section("DO NOT REPEAT WITHOUT LOOKING", columns(rows, width))
    running = {True: "still running", False: "no longer running", None: "unknown whether it runs"}
    still = [
        (work.kind.replace("_", " "), running[work.running], f"step {work.step}" if work.step else "", work.what)
        for work in triage.still_open
    ]
    lines: list[str] = []
    for work, line in zip(triage.still_open, columns(still, width), strict=True):
        lines.append(line)
        if why := work.why + (f"; its output lies in {work.output}" if work.output else ""):
            lines += labelled("", why, width, 6)
    yield from section("WHAT ELSE WAS ALIVE", lines)


def _of_the_saved(triage: Triage) -> str:
    """What the count of the saved holds besides work that holds."""
    failed = sum(row.failed and row.kind == "check" for row in triage.saved)
    in_vain = sum(row.failed and row.kind == "external" for row in triage.saved)
    claims = sum(row.claim is not None for row in triage.saved)
    told = [
        f"{triage.confirmed} confirmed" if triage.confirmed != len(triage.saved) else "",
        f"{counted(failed, 'result')} of a failed check" if failed else "",
        f"{counted(in_vain, 'action')} that failed" if in_vain else "",
        f"{counted(claims, 'claim')} borne out" if claims else "",
    ]
    return f" ({', '.join(filter(None, told))})" if any(told) else ""


def _of_the_gone(triage: Triage) -> str:
    """How many of it are not lost for all that is known."""
    unknown = sum(row.unknown or row.unconfirmed for row in triage.gone)
    lost = f"{len(triage.gone) - unknown} lost, " if unknown != len(triage.gone) else ""
    return f" ({lost}{unknown} of unknown outcome)" if unknown else ""


def _is_had_elsewhere(file: EditedFile) -> bool:
    """Whether an edit went away and its content stands only where it is not safe."""
    went = any(edit.fate in {Fate.LOST, Fate.REVERTED} for edit in file.edits)
    return went and bool(file.found_in) and not any(place.where in SAVED_PLACES for place in file.found_in)


def _way_back(session: str, width: int) -> Iterator[str]:
    yield from labelled("", f"`{salvage_line(session)}` {WRITES_OUT}", width, 2)


def _findings(findings: tuple[Finding, ...], width: int) -> list[str]:
    rows: list[str] = []
    for finding in findings:
        numbers = ", ".join(map(str, finding.steps[:6])) + (", …" if len(finding.steps) > 6 else "")
        steps = f"step{'s' if len(finding.steps) > 1 else ''} {numbers}" if finding.steps else ""
        where = (
            f" [{finding.where.place}{f' {finding.where.ref}' if finding.where.ref else ''}]" if finding.where else ""
        )
        back = ", ".join(
            f"{place.source.replace('_', ' ')}{f' {place.ref}' if place.ref else ''}"
            for place in finding.recoverable_from
        )
        said = f"{finding.claim.replace('_', ' ')}: " if finding.claim else ""
        if finding.message is not None:
            steps = ", ".join(filter(None, (steps, f"item {finding.message}")))
        known = finding.known_as.upper() if finding.failed or finding.unknown else finding.known_as
        rows.append(shorten(f"  {known:<12} {said}{inert_line(finding.what)}{where}  {steps}", width))
        detail = "; ".join(part for part in (finding.why, f"recoverable from {back}" if back else "") if part)
        if detail:
            rows.extend(labelled("", detail, width, 15))
    return rows


def _moved(moved: Moved) -> str:
    """`was … now …`; two digests tell a person only that they differ."""
    if moved.was.startswith("content ") and moved.now.startswith("content "):
        return "its content changed"
    return f"was: {moved.was}   now: {moved.now}"


def check_lines(answer: BriefCheck, width: int) -> Iterator[str]:
    """Whether a brief still holds, and what moved."""
    if answer.holds:
        yield "the brief still holds: nothing that it speaks of has moved"
        return
    yield f"the brief no longer holds: {counted(len(answer.moved), 'thing')} moved"
    yield from columns([(moved.what, _moved(moved)) for moved in answer.moved], width)


def preview_lines(preview: BriefPreview, width: int) -> Iterator[str]:
    """What of a brief is masked, and what of it will age."""
    from refloat_tui.present.preview import (
        HOW_IT_AGES,
        NOTHING_AGES,
        NOTHING_MASKED,
        hint,
        masked_words,
        what_ages,
        where,
    )

    masked = [(one_line(row.kind), hint(row), where(row, preview)) for row in preview.masked]
    yield f"MASKED ({masked_words(preview)})" if masked else "MASKED"
    yield from columns(masked, width) or [f"  {NOTHING_MASKED}"]
    yield ""
    yield "WILL AGE"
    yield from columns([what_ages(thing) for thing in preview.ages], width) or [f"  {NOTHING_AGES}"]
    yield ""
    yield f"Nothing was written. {HOW_IT_AGES}" if preview.ages else "Nothing was written."
