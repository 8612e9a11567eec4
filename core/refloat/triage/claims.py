"""What was said against what is recorded: each claim becomes a finding, with the steps behind it (design §5).

Pure. A claim that a step confirms is saved; one that nothing supports, that a step contradicts, or that a later edit
made stale is claimed. The same claim in several messages is one finding, of the last of them. Refuses to find claims:
`refloat.claims` does.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from refloat.commands import may_undo
from refloat.model.checkout import SAVED_PLACES, EditedFile, Fate, FileState, Owner
from refloat.model.fate_words import FATE_WORDS
from refloat.model.transcript import Outcome, Step
from refloat.model.triage import Claim, ClaimKind, Finding, Said
from refloat.triage.backing import (
    CONFIRMED,
    CONTRADICTED,
    JUDGES,
    RECORDED,
    SORTS,
    STALE,
    UNSUPPORTED,
    WORST_FIRST,
    Backing,
    Evidence,
    applied,
    named,
)
from refloat.triage.findings import is_gone, loses, where_it_stands

_STANDS: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE, FileState.MOVED})
_SENTENCES: Final = 3
"""Sentences of one message that are told of one claim."""
_StepKey = tuple[int, str | None]


def judge_claims(said: Iterable[Said], evidence: Evidence) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that claims make: (saved, claimed), each in the order of their messages."""
    judged = [(one, _judge(one, evidence)) for one in _last_of_each(_joined(said))]
    findings = [_finding(one, backing) for one, backing in _once(judged)]
    saved = tuple(finding for finding in findings if finding.verdict in (CONFIRMED, RECORDED))
    return saved, tuple(finding for finding in findings if finding.verdict not in (CONFIRMED, RECORDED))


def _joined(said: Iterable[Said]) -> list[Said]:
    """What one message says of the same thing, as one claim."""
    found: dict[tuple[int, ClaimKind, tuple[str, ...]], list[Said]] = {}
    for one in said:
        found.setdefault((one.message, one.claim.kind, one.claim.files), []).append(one)
    return [replace(same[0], claim=_one_claim([one.claim for one in same])) for same in found.values()]


def _one_claim(same: Sequence[Claim]) -> Claim:
    texts = list(dict.fromkeys(claim.text for claim in same))
    left = len(texts) - _SENTENCES
    text = " … ".join(texts[:_SENTENCES]) + (f" … and {left} more" if left > 0 else "")
    names = tuple(dict.fromkeys(name for claim in same for name in claim.names))
    return Claim(same[0].kind, text, same[0].files, names)


def _last_of_each(said: Iterable[Said]) -> list[Said]:
    """The last time that each thing was said."""
    last: dict[tuple[str, ...], Said] = {}
    for one in said:
        key = _identity(one)
        last.pop(key, None)
        last[key] = one
    return sorted(last.values(), key=lambda one: one.message)


def _identity(said: Said) -> tuple[str, ...]:
    """What makes two claims the same one: the thing where it is named, the turn for unnamed edits, else the words."""
    claim = said.claim
    match claim.kind:
        case ClaimKind.EDITED:
            return (claim.kind, *(sorted(claim.files) or [str(said.prompt)]))
        case ClaimKind.FIXED | ClaimKind.VERIFIED:
            return (claim.kind, " ".join(re.findall(r"\w+", claim.text.lower())))
        case _:
            return (claim.kind, *sorted(claim.names))


def _once(judged: Sequence[tuple[Said, Backing]]) -> list[tuple[Said, Backing]]:
    """Of claims that rest on the same run of a check, the last: "tests pass" and "pytest passes" are one."""
    last = {
        (one.claim.kind, tuple((step.n, step.subagent) for step in backing.steps)): one.message
        for one, backing in judged
        if one.claim.kind in SORTS and backing.steps
    }
    return [
        (one, backing)
        for one, backing in judged
        if last.get((one.claim.kind, tuple((step.n, step.subagent) for step in backing.steps)), one.message)
        == one.message
    ]


def _judge(said: Said, evidence: Evidence) -> Backing:
    if said.claim.kind is ClaimKind.EDITED:
        return _edited(said, evidence) if said.claim.files else _edited_something(said, evidence)
    return JUDGES[said.claim.kind](said, evidence)


def _finding(said: Said, backing: Backing) -> Finding:
    subagents = {step.subagent for step in backing.steps}
    kind = said.claim.kind.value
    return Finding(
        said.claim.text,
        kind,
        backing.files,
        tuple(dict.fromkeys(step.n for step in backing.steps)),
        said.message,
        backing.verdict,
        backing.where,
        (),
        kind,
        backing.why,
        subagent=subagents.pop() if len(subagents) == 1 else None,
    )


# ── edits ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _edited(said: Said, evidence: Evidence) -> Backing:
    """Named files: each held against its own edits, and the worst decides."""
    before = {(step.n, step.subagent): step for step in evidence.before(said)}
    found = [_one_file(name, before, evidence) for name in said.claim.files]
    worst = min(found, key=lambda backing: WORST_FIRST.index(backing.verdict))
    steps = {(step.n, step.subagent): step for backing in found for step in backing.steps}
    whys = dict.fromkeys(backing.why for backing in found if backing.verdict is worst.verdict)
    return replace(
        worst,
        why="; ".join(whys),
        steps=tuple(steps.values()),
        files=tuple(dict.fromkeys(file for backing in found for file in backing.files)),
        where=worst.where if len(found) == 1 else None,
    )


def _one_file(name: str, before: dict[_StepKey, Step], evidence: Evidence) -> Backing:
    files = [file for file in evidence.checkout.files if _is_called(file.path, name)]
    made = [
        (file, [before[edit.step, edit.subagent] for edit in file.edits if (edit.step, edit.subagent) in before])
        for file in files
    ]
    made = [(file, steps) for file, steps in made if steps]
    if not made:
        return _by_command(name, before.values(), evidence)
    judged = [_state(file, steps, before.keys()) for file, steps in made]
    best = max(judged, key=lambda backing: WORST_FIRST.index(backing.verdict))
    return (
        replace(best, steps=tuple(step for backing in judged for step in backing.steps)) if _is_folder(name) else best
    )


def _is_folder(name: str) -> bool:
    return name.endswith(("/", "\\"))


def _is_called(path: str, name: str) -> bool:
    """Whether a path may be called by a name: whole, or by its last parts."""
    plain = name.replace("\\", "/").removeprefix("./").removeprefix("~/")
    if _is_folder(name):
        return f"/{path}".find(f"/{plain.strip('/')}/") >= 0
    return path == plain or path.endswith(f"/{plain.lstrip('/')}") or plain.endswith(f"/{path}")


def _state(file: EditedFile, steps: Sequence[Step], before: AbstractSet[_StepKey]) -> Backing:
    edits = [edit for edit in file.edits if (edit.step, edit.subagent) in before]
    who = ", ".join(named_short(steps))
    made = tuple(steps)
    if all(edit.fate is Fate.NEVER_APPLIED for edit in edits):
        return Backing(CONTRADICTED, f"{who}: {file.path}: {FATE_WORDS[Fate.NEVER_APPLIED]}", made, files=(file.path,))
    saved = [place for place in file.found_in if place.where in SAVED_PLACES]
    if file.state in _STANDS or saved or (file.state is FileState.PARTLY and not loses(file)):
        where = where_it_stands(file, saved)
        verdict = RECORDED if where is None else CONFIRMED
        return Backing(verdict, f"{who}: {file.path}: {file.why}", made, where, (file.path,))
    if file.state is FileState.UNVERIFIABLE and not is_gone(file):
        why = f"{who} edited {file.path}, and it could not be verified: {file.why}"
        return Backing(RECORDED, why, made, files=(file.path,))
    now = "nothing shows that it stands" if file.unseen else "that stands nowhere now"
    why = f"{who} edited {file.path}, and {now}: {file.why}"
    return Backing(STALE, why, made, files=(file.path,))


def named_short(steps: Sequence[Step]) -> list[str]:
    """`step 3`, each once, the last three of many."""
    return list(dict.fromkeys(f"step {step.n}" for step in steps))[-3:]


def _by_command(name: str, before: Iterable[Step], evidence: Evidence) -> Backing:
    """No edit of that name: a command of the session may have made the change."""
    change = next((one for one in evidence.checkout.other_changes if _is_called(one.path, name)), None)
    if change is not None and change.owner in (Owner.COMMAND, Owner.THIS_SESSION):
        return Backing(
            RECORDED, f"{change.path} was changed by a command of the session: {change.why}", files=(change.path,)
        )
    last = name.replace("\\", "/").strip("/").rpartition("/")[2]
    moved = [
        step
        for step in before
        if step.command is not None and step.outcome is Outcome.OK and last in step.command and may_undo(step.command)
    ]
    if moved:
        return Backing(RECORDED, f"{named(moved[-1])} names {name}", (moved[-1],), files=(name,))
    return Backing(UNSUPPORTED, f"no recorded step edits {name} before it", files=(name,))


def _edited_something(said: Said, evidence: Evidence) -> Backing:
    """No file named: held against the edits of its turn, else against all edits before it."""
    before = [step for step in evidence.before(said) if applied(step)]
    since = [step for step in before if step.subagent is not None or step.item > said.prompt] or before
    if not since:
        return Backing(UNSUPPORTED, "no edit is recorded before it")
    keys = {(step.n, step.subagent) for step in since}
    files = [file for file in evidence.checkout.files if any((edit.step, edit.subagent) in keys for edit in file.edits)]
    judged = [_state(file, since, keys) for file in files]
    lost = [file.path for file, backing in zip(files, judged, strict=True) if backing.verdict in (STALE, CONTRADICTED)]
    steps = tuple(since)
    paths = tuple(file.path for file in files)
    who = ", ".join(named_short(since))
    if not lost:
        sure = bool(judged) and all(backing.verdict is CONFIRMED for backing in judged)
        told = "what it edited stands" if sure else "what it edited could not all be looked at"
        return Backing(CONFIRMED if sure else RECORDED, f"{who}: {told}", steps, files=paths)
    if len(lost) == len(files):
        return Backing(STALE, f"{who}: nothing of it stands now ({', '.join(lost[:3])})", steps, files=paths)
    return Backing(RECORDED, f"{who}: {', '.join(lost[:3])} no longer stands, the rest does", steps, files=paths)
