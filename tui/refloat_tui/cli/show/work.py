"""`checkout`, `triage` and `check` for a person."""

import shlex
from collections.abc import Iterator

from refloat.model.brief import BriefCheck
from refloat.model.checkout import Checkout, EditedFile
from refloat.model.triage import Finding, Triage
from refloat.text import cut, inert_line
from refloat_tui.cli.show.table import columns, counted, labelled, section


def checkout_lines(checkout: Checkout, width: int, *, patch: bool) -> Iterator[str]:
    """What is under way, each edited file with its fate and owner, the dirty rest, the checks."""
    head = f"{checkout.branch or 'detached'} at {(checkout.head or 'no commit')[:12]}"
    yield from labelled("CHECKOUT", f"{checkout.repo or 'no repository'}  {head}", width)
    base = checkout.base
    yield from labelled("", f"HEAD when the session began: {(base.head or 'unknown')[:12]} ({base.how})", width)
    if checkout.operation:
        under_way = checkout.operation
        onto = f" onto {under_way.onto}" if under_way.onto else ""
        branch = f" of {under_way.branch}" if under_way.branch else ""
        yield from labelled("UNDER WAY", f"{under_way.kind}{branch}{onto}", width)
        yield from section("CONFLICTS", ["  " + inert_line(path) for path in under_way.conflicts])
    rows = [
        (file.state, _owner(file.owner, file.session), inert_line(file.path), _fates(file)) for file in checkout.files
    ]
    yield from section(f"FILES THAT THE SESSION EDITED ({len(rows)})", columns(rows, width))
    for file in checkout.files:
        for place in file.found_in:
            told = " ".join(part for part in (place.where, place.ref, (place.commit or "")[:12]) if part)
            yield from labelled("", f"{file.path}: stands in {told}", width, 4)
        if patch:
            yield from _hunks(file)
    others = [
        (change.status, _owner(change.owner, change.session), inert_line(change.path), change.why)
        for change in checkout.other_changes
    ]
    yield from section(f"OTHER CHANGES, NOT OF THIS SESSION'S EDITS ({len(others)})", columns(others, width))
    checks = [
        (
            f"step {run.step}",
            run.outcome,
            "" if run.exit_code is None else f"exit {run.exit_code}",
            run.freshness,
            "; ".join(filter(None, (run.stale_because, run.note))),
        )
        for run in checkout.checks
    ]
    yield from section("CHECKS", columns(checks, width))
    warnings = [
        line for warned in checkout.warnings for line in labelled("  !", f"{warned.what} {warned.path or ''}", width, 4)
    ]
    yield from section("NOT OBEYED, OR NOT LOOKED AT", warnings)


def _owner(owner: str | None, session: str | None) -> str:
    return session or owner or "-"


def _fates(file: EditedFile) -> str:
    told = [f"step {edit.step} {edit.fate}{f' in {edit.commit[:12]}' if edit.commit else ''}" for edit in file.edits]
    doubt = "" if file.confirmed else "not confirmed by the record; "
    why = f"{file.why}; " if file.why else ""
    return doubt + why + ", ".join(told)


def _hunks(file: EditedFile) -> Iterator[str]:
    for hunk in file.hunks:
        owner = _owner(hunk.owner, hunk.session)
        yield f"    @@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@ {owner}"
        yield from ("    " + inert_line(line) for line in hunk.lines)


def triage_lines(triage: Triage, width: int) -> Iterator[str]:
    """The three piles, what must not be repeated, what may still run."""
    sizes = f"saved {len(triage.saved)} · claimed {len(triage.claimed)} · gone {len(triage.gone)}"
    yield from labelled("TRIAGE", f"{triage.session}  {sizes}", width)
    yield from section("SAVED", _findings(triage.saved, width))
    if triage.claims_looked_for:
        yield from section("CLAIMED", _findings(triage.claimed, width))
    else:
        yield from [
            "",
            "CLAIMED",
            "  claims in the agent's messages are not looked for yet: trust none without evidence",
        ]
    yield from section("GONE", _findings(triage.gone, width))
    rows = [
        (
            row.outcome.replace("_", " "),
            f"step {row.step}",
            f"{row.times}×",
            row.action,
            "look: " + shlex.join(row.probe) if row.probe else "",
        )
        for row in triage.do_not_repeat
    ]
    yield from section("DO NOT REPEAT WITHOUT LOOKING", columns(rows, width))
    running = {True: "still running", False: "no longer running", None: "unknown whether it runs"}
    still = [
        (work.kind, running[work.running], f"step {work.step}" if work.step else "", work.what)
        for work in triage.still_open
    ]
    yield from section("WHAT ELSE WAS ALIVE", columns(still, width))


def _findings(findings: tuple[Finding, ...], width: int) -> list[str]:
    rows: list[str] = []
    for finding in findings:
        steps = " ".join(f"step {n}" for n in finding.steps[:4])
        where = (
            f" [{finding.where.place}{f' {finding.where.ref}' if finding.where.ref else ''}]" if finding.where else ""
        )
        back = ", ".join(f"{place.source}{f' {place.ref}' if place.ref else ''}" for place in finding.recoverable_from)
        rows.append(cut(f"  {finding.verdict:<12} {inert_line(finding.what)}{where}  {steps}", width))
        detail = "; ".join(part for part in (finding.why, f"recoverable from {back}" if back else "") if part)
        if detail:
            rows.extend(labelled("", detail, width, 15))
    return rows


def check_lines(answer: BriefCheck, width: int) -> Iterator[str]:
    """Whether a brief still holds, and what moved."""
    if answer.holds:
        yield "the brief still holds: nothing that it speaks of has moved"
        return
    yield f"the brief no longer holds: {counted(len(answer.moved), 'thing')} moved"
    yield from columns([(moved.what, moved.was, "→ " + moved.now) for moved in answer.moved], width)
