"""What stands behind a claim that something was checked, committed or done outside: the step, and what it is worth.

Pure. Only what came before the words counts: a check that ran later supports nothing. Refuses to take a result that
nobody recorded for a success.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from refloat.commands import Push, check_of, commit_subject, commits_in, is_commit, pushes_in
from refloat.commands.checks import SORTS as EVERY_SORT
from refloat.commands.checks import Sort
from refloat.commands.line import read_line
from refloat.commands.sorts import is_tool, programs_of, sorts_of
from refloat.model.checkout import Checkout, CheckRun, Freshness, PlaceKind
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.model.triage import ActionOutcome, ClaimKind, FindingVerdict, Said, StandsIn
from refloat.triage.actions import Action, Attempt
from refloat.triage.findings import NOWHERE, CommitSeen

SORTS: Final[dict[ClaimKind, Sort]] = {
    ClaimKind.TESTS_PASS: "test",
    ClaimKind.LINT_PASSES: "lint",
    ClaimKind.BUILDS: "build",
}
_CALLED: Final[dict[Sort, str]] = {"test": "test run", "lint": "lint or type check", "build": "build"}

CONFIRMED, RECORDED = FindingVerdict.CONFIRMED, FindingVerdict.RECORDED
UNSUPPORTED, CONTRADICTED, STALE = FindingVerdict.UNSUPPORTED, FindingVerdict.CONTRADICTED, FindingVerdict.STALE
WORST_FIRST: Final = (CONTRADICTED, UNSUPPORTED, STALE, RECORDED, CONFIRMED)


@dataclass(frozen=True, slots=True)
class Backing:
    """What is known of a claim."""

    verdict: FindingVerdict
    why: str
    steps: tuple[Step, ...] = ()
    where: StandsIn | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """All that claims are held against; what many of them ask for is sought once."""

    steps: Sequence[Step]
    """Every step, sub-agents' too, in the order in which they began."""
    checkout: Checkout
    commits: Mapping[str, CommitSeen]
    actions: Sequence[Action]
    pull_requests: Sequence[tuple[int, str]]
    """(item, text) of the points at which the record itself names a pull request."""

    @cached_property
    def checks(self) -> Sequence[tuple[Step, frozenset[Sort]]]:
        """The steps that check anything, and what."""
        return [(step, sorts) for step in self.steps if (sorts := _sorts(step))]

    @cached_property
    def _runs(self) -> Mapping[tuple[int, str | None], CheckRun]:
        return {(run.step, run.subagent): run for run in reversed(self.checkout.checks)}

    def before(self, said: Said) -> list[Step]:
        """The steps that came before some words, what was taken back left out."""
        return [step for step in self.steps if not step.superseded and came_before(step, said)]

    def run_of(self, step: Step) -> CheckRun | None:
        """What a check is worth."""
        return self._runs.get((step.n, step.subagent))


def came_before(step: Step, said: Said) -> bool:
    """Whether a step came, and ended if it did, before some words."""
    if said.at is not None and step.ended_at is not None and step.ended_at > said.at:
        return False
    if step.subagent is None:
        return step.item < said.message
    return said.at is not None and step.at is not None and step.at <= said.at


def named(step: Step) -> str:
    """`step 12 (`pytest -q`)`."""
    inside = f" of sub-agent {step.subagent}" if step.subagent else ""
    what = " ".join((check_of(step.command) or step.command if step.command else step.summary).split())
    return f"step {step.n}{inside} (`{what}`)" if what else f"step {step.n}{inside}"


def applied(step: Step) -> bool:
    """Whether a step changed files, as far as the record knows."""
    refused = step.outcome in (Outcome.DENIED, Outcome.ERROR) and not step.effects_unknown
    return bool(step.edits) and not refused


def _refused(step: Step) -> bool:
    return step.never_ran or (step.outcome is Outcome.DENIED and not step.effects_unknown)


def _unrun(step: Step) -> str:
    return "was refused and never ran" if step.outcome is Outcome.DENIED else "never ran"


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sorts(step: Step) -> frozenset[Sort]:
    if step.command is not None:
        return sorts_of(step.command)
    return frozenset(EVERY_SORT) if step.kind is StepKind.CHECK else frozenset()


def checked(said: Said, evidence: Evidence) -> Backing:
    """Tests pass, lint passes, it builds: held against the last check of that sort, each named tool for itself."""
    sort = SORTS[said.claim.kind]
    ran = [step for step, sorts in evidence.checks if sort in sorts and not step.superseded and came_before(step, said)]
    judged = [_by_tool(said, sort, ran, tool, evidence) for tool in said.claim.names or ("",)]
    worst = min(judged, key=lambda backing: WORST_FIRST.index(backing.verdict))
    steps = tuple({(step.n, step.subagent): step for backing in judged for step in backing.steps}.values())
    return replace(worst, steps=steps or worst.steps)


def _by_tool(said: Said, sort: Sort, ran: Sequence[Step], tool: str, evidence: Evidence) -> Backing:
    fitting = [step for step in ran if not tool or _can_be(step, tool)]
    if not fitting:
        what = f"run of `{tool}`" if tool and ran else _CALLED[sort]
        later = [step for step, sorts in evidence.checks if sort in sorts and not came_before(step, said)]
        after = f"; {named(later[0])} came after these words" if later else ""
        return Backing(UNSUPPORTED, f"no {what} is recorded before it{after}")
    return _judged(fitting, said, evidence, sort)


def _can_be(step: Step, tool: str) -> bool:
    """Whether a check can be a run of a tool: it names it, or it is a script that may run anything."""
    programs = programs_of(step.command) if step.command else frozenset[str]()
    return tool in programs or not any(map(is_tool, programs))


def _judged(ran: Sequence[Step], said: Said, evidence: Evidence, sort: Sort | None) -> Backing:
    started = [step for step in ran if not _refused(step)]
    if not started:
        return Backing(CONTRADICTED, f"{named(ran[-1])} {_unrun(ran[-1])}", (ran[-1],))
    last = started[-1]
    run = evidence.run_of(last)
    unknown = _unknown(last, run)
    if unknown or run is None:
        return Backing(UNSUPPORTED, unknown or f"{named(last)} has no known outcome", (last,))
    code = f" with exit code {run.exit_code}" if run.exit_code is not None else ""
    if run.outcome is not Outcome.OK:
        return Backing(CONTRADICTED, f"{named(last)} failed{code}", (last,))
    rest = _earlier_failures(started) + _later_pass(last, said, evidence, sort)
    if run.freshness is Freshness.STALE:
        because = run.stale_because or "a file changed after it"
        return Backing(STALE, f"{named(last)} passed{code}, and after it {because}{rest}", (last,))
    if run.freshness is Freshness.UNKNOWN_TREE:
        why = f"; {run.stale_because}" if run.stale_because else ""
        return Backing(RECORDED, f"{named(last)} passed{code}{why}{rest}", (last,))
    return Backing(CONFIRMED, f"{named(last)} passed{code}, and nothing changed since{rest}", (last,))


def _unknown(step: Step, run: CheckRun | None) -> str | None:
    """Why nobody knows how a check ended; None where it is known."""
    if step.outcome is Outcome.DANGLING:
        return f"{named(step)} has no recorded result"
    if step.outcome is Outcome.INTERRUPTED or step.effects_unknown:
        return f"{named(step)} was cut off: it neither passed nor failed"
    if step.background is not None and step.background.running:
        return f"{named(step)} was left running in the background"
    if run is not None and not run.proved:
        return f"{named(step)}: {run.note or 'nothing says how it ended'}"
    return None


def _earlier_failures(ran: Sequence[Step]) -> str:
    """Another check of that sort that failed and was not run again."""
    last: dict[str, Step] = {}
    for step in ran:
        last[(check_of(step.command) if step.command else None) or step.summary] = step
    failed = [step for step in last.values() if step is not ran[-1] and step.outcome is Outcome.ERROR]
    return f"; {named(failed[-1])} failed before and was not run again" if failed else ""


def _later_pass(last: Step, said: Said, evidence: Evidence, sort: Sort | None) -> str:
    later = [
        step
        for step, sorts in evidence.checks
        if not came_before(step, said) and step is not last and (sort is None or sort in sorts)
    ]
    runs = [(step, evidence.run_of(step)) for step in later]
    passed = [step for step, run in runs if run is not None and run.outcome is Outcome.OK and not _unknown(step, run)]
    return f"; {named(passed[-1])} passed after these words" if passed else ""


def proved(said: Said, evidence: Evidence) -> Backing:
    """Fixed, verified: held against the checks between the last edit and the words."""
    before = evidence.before(said)
    edits = [at for at, step in enumerate(before) if applied(step)]
    if not edits and said.claim.kind is ClaimKind.FIXED:
        return Backing(UNSUPPORTED, "no edit is recorded before it")
    since = before[edits[-1] + 1 :] if edits else before
    ran = [step for step in since if _sorts(step)]
    if not ran:
        where = f"after {named(before[edits[-1]])}" if edits else "before it"
        hint = _tried(since)
        return Backing(UNSUPPORTED, f"no check ran {where}{hint}", (before[edits[-1]],) if edits else ())
    tests = [step for step in ran if "test" in _sorts(step)]
    return _judged(tests or ran, said, evidence, None)


def _tried(since: Iterable[Step]) -> str:
    """What else ran there: no check, but what the words may mean."""
    ran = [step for step in since if step.kind in (StepKind.COMMAND, StepKind.OTHER) and step.outcome is Outcome.OK]
    return f"; {named(ran[-1])} is no check, look at what it showed" if ran else ""


# ── commits ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def committed(said: Said, evidence: Evidence) -> Backing:
    """Committed: held against the last commit before the words, or the one that they name."""
    before = evidence.before(said)
    tried = [step for step in before if step.command is not None and is_commit(step.command)]
    by_id = [
        step for step in tried for sha, _ in commits_in(step.output) if _same_id(sha, said.claim.names)
    ] if said.claim.names else []  # fmt: skip
    if not tried:
        return Backing(UNSUPPORTED, "no recorded step makes a commit before it")
    last = (by_id or tried)[-1]
    found = _commit(last, evidence)
    if by_id or found.verdict not in (CONFIRMED, RECORDED):
        return found
    later = [step for step in before[before.index(last) + 1 :] if applied(step)]
    if later:
        return replace(
            found, verdict=STALE, why=f"{found.why}, and {named(later[0])} edited files after it", where=None
        )
    return found


def _same_id(sha: str, names: Iterable[str]) -> bool:
    return any(sha.startswith(name) or name.startswith(sha) for name in names)


def _commit(step: Step, evidence: Evidence) -> Backing:
    made = commits_in(step.output)
    keys = [sha for sha, _ in made] or ([subject] if (subject := commit_subject(step.command or "")) else [])
    seen = next((evidence.commits[key] for key in reversed(keys) if key in evidence.commits), None)
    known = seen if seen is not None and seen.sha is not None and seen.place is PlaceKind.BRANCH else None
    if known is not None:
        where = StandsIn(PlaceKind.BRANCH, known.ref, known.sha)
        return Backing(CONFIRMED, f"{(known.sha or '')[:12]} is on {known.ref or 'a branch'}", (step,), where)
    if seen is not None and seen.rewritten is not None:
        where = StandsIn(PlaceKind.BRANCH, seen.ref, seen.rewritten)
        return Backing(CONFIRMED, f"{keys[-1]} was rewritten as {seen.rewritten[:12]}", (step,), where)
    if seen is not None and seen.sha is None and not made and step.outcome is Outcome.OK:
        return Backing(UNSUPPORTED, f"{named(step)} ended, and {NOWHERE}", (step,))
    if (made or (seen is not None and seen.sha is not None)) and evidence.checkout.repo is not None:
        return Backing(STALE, f"{named(step)} made {keys[-1]}, and that is on no branch", (step,))
    return _by_outcome(step, "the record names no commit to look for")


def _by_outcome(step: Step, fine: str) -> Backing:
    if _refused(step):
        return Backing(CONTRADICTED, f"{named(step)} {_unrun(step)}", (step,))
    if step.outcome is Outcome.ERROR and not step.effects_unknown:
        code = f" with exit code {step.exit_code}" if step.exit_code is not None else ""
        return Backing(CONTRADICTED, f"{named(step)} failed{code}", (step,))
    if step.outcome is Outcome.DANGLING:
        return Backing(UNSUPPORTED, f"{named(step)} has no recorded result", (step,))
    if step.outcome is not Outcome.OK or step.effects_unknown:
        return Backing(UNSUPPORTED, f"{named(step)} was cut off: nobody knows how far it came", (step,))
    return Backing(RECORDED, f"{named(step)} ended without an error; {fine}", (step,))


# ── outside ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_OUTSIDE: Final[dict[ClaimKind, tuple[re.Pattern[str], re.Pattern[str] | None, str]]] = {
    ClaimKind.PUSHED: (re.compile(r"\b(?:git|jj git) push\b|push_files|create_or_update_file"), None, "pushes"),
    ClaimKind.PR_OPENED: (
        re.compile(
            r"\bgh pr (?:create|new)\b|\bglab mr create\b|\bhub pull-request\b|\bPOST\b.*/(?:pulls|merge_requests)\b"
            r"|(?:create|open)_?(?:pull|merge)_?request|createPullRequest|\baz repos pr create\b",
            re.IGNORECASE,
        ),
        None,
        "opens a pull request",
    ),
    ClaimKind.PUBLISHED: (
        re.compile(
            r"\bpublish|\btwine upload\b|\b(?:gem|nuget|docker|podman|image|manifest|helm) push\b|\bmvn deploy\b"
            r"|\bgoreleaser\b|\bsemantic-release\b|\brelease create\b|\bskopeo copy\b|--push\b|\brake release\b"
            r"|\b(?:run|run-script|make|just|task) (?:release|ship)\b|(?:^|[\s/])(?:release|ship)(?:[-_.]\w+)*\.\w+",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:publish|release|upload)(?:\b|[.:_-])", re.IGNORECASE),
        "publishes anything",
    ),
    ClaimKind.DEPLOYED: (
        re.compile(
            r"deploy|rollout|(?:^|[\s/])ship(?:[-_.]\w+)*\.\w+"
            r"|\bkubectl (?:apply|set|replace|create)\b|\bhelm (?:install|upgrade)\b|\bapply\b|\bpulumi\b"
            r"|\b(?:vercel|netlify|surge|gh-pages|railway|flyctl?|heroku|wrangler|ansible-playbook|rsync|scp|ssh)\b"
            r"|\bs3 (?:sync|cp)\b|\bgsutil\b|\bdocker (?:stack|service)\b|\bsystemctl (?:restart|start)\b"
            r"|\bgit push (?:heroku|dokku|live|production)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:re)?(?:deploy|rollout|ship)(?:\b|[.:_-])", re.IGNORECASE),
        "deploys anything",
    ),
}
"""Kind → how the actions behind it are called, how a plain command of that purpose is, and what it does, in words."""


_LOOKS: Final = frozenset(
    {"--dry-run", "--dryrun", "--dry", "-n", "--help", "--check", "--list", "--plan", "--preview"}
)
"""Flags with which a script that publishes or deploys only shows what it would do."""
_SAY: Final = frozenset({"git", "echo", "printf"})
"""Programs whose words only speak of it."""
_TAG: Final = re.compile(r"\btags?\b", re.IGNORECASE)
_TAG_NAME: Final = re.compile(r"\btags?\s+[`'\"]?(?P<name>v?\d[\w.+-]*[\w+-])", re.IGNORECASE)
_BRANCH: Final = re.compile(
    r"`(?P<quoted>[^`\s]+)` branch\b"
    r"|\b(?P<name>main|master|develop|release|staging|production|trunk|gh-pages) branch\b",
    re.IGNORECASE,
)
"""A branch that is called by a name, and not only described (`the fixed branch`)."""
_REMOVES: Final = re.compile(r"\b(?:delet|remov)", re.IGNORECASE)
_REQUEST: Final = re.compile(r"/(?:pull|merge_requests)/(\d+)")


def _means(said: Said, attempt: Attempt) -> bool:
    """Whether an attempt can be what the words name: a draft publishes nothing, a branch is no tag."""
    command = attempt.step.command or ""
    match said.claim.kind:
        case ClaimKind.PUBLISHED:
            parts = read_line(command)
            drafts = [p for p in parts if p.words[:3] == ("gh", "release", "create") and {"--draft", "-d"} & {*p.words}]
            return not drafts
        case ClaimKind.PUSHED:
            pushes = pushes_in(command, None)
            return not pushes or any(_pushes(said.claim.text, push) for push in pushes)
        case ClaimKind.PR_OPENED:
            made = set(_REQUEST.findall(attempt.step.output))
            named_ones = {number for name in said.claim.names for number in re.findall(r"\d+", name)}
            return not made or not named_ones or bool(made & named_ones)
        case _:
            return True


def _pushes(text: str, push: Push) -> bool:
    words = push.name.split()
    removes = "--delete" in words or "-d" in words or any(word.startswith(":") for word in words)
    if removes:
        return _REMOVES.search(text) is not None
    branch = _BRANCH.search(text)
    if branch is not None and push.refs and all(push.refs):
        called = (branch["quoted"] or branch["name"]).lower()
        return any(called in ref.lower() for ref in push.refs)
    if _TAG.search(text) is None or {"--tags", "--follow-tags", "--mirror"} & {*words}:
        return True
    named_tag = _TAG_NAME.search(text)
    refs = [ref.removeprefix("refs/tags/") for ref in push.refs]
    return not refs or "branch" in text.lower() or named_tag is None or named_tag["name"] in refs


def outside(said: Said, evidence: Evidence) -> Backing:
    """Pushed, PR opened, published, deployed: held against the last attempt before the words."""
    called, plain, does = _OUTSIDE[said.claim.kind]
    before = evidence.before(said)
    named_so = [
        attempt
        for action in evidence.actions
        for attempt in action.attempts
        if called.search(_called_by(action, attempt)) and _means(said, attempt)
    ]
    # Of several in one step the last counts, and one of which nobody knows before one that is done.
    done_first = sorted(named_so, key=lambda attempt: attempt.outcome is not ActionOutcome.DONE)
    wanted = {(attempt.step.n, attempt.step.subagent): attempt for attempt in done_first}
    tried = [step for step in before if (step.n, step.subagent) in wanted or _scripted(step, plain)]
    if not tried:
        request = _requested(said, evidence)
        return request or Backing(UNSUPPORTED, f"no recorded step {does} before it, as these words name it")
    last = tried[-1]
    found = _attempt(last, wanted.get((last.n, last.subagent)))
    if said.claim.kind is ClaimKind.PUSHED and found.verdict is RECORDED:
        return _pushed(found, last, before)
    return found


def _called_by(action: Action, attempt: Attempt) -> str:
    """By which words an attempt is known: its effects where it has some, for the rest of its line did other things."""
    line = "" if attempt.effects else attempt.step.command or ""
    return f"{action.name} {attempt.step.tool} {line}{' git push' if attempt.step.pushed else ''}"


def _scripted(step: Step, plain: re.Pattern[str] | None) -> bool:
    if plain is None or step.command is None or step.kind is not StepKind.COMMAND:
        return False
    return any(
        plain.search(" ".join(part.words)) and not _LOOKS.intersection(part.words) and part.words[0] not in _SAY
        for part in read_line(step.command)
    )


_TIME_IS_UP: Final = frozenset({124, 137})
"""Exit codes of timeout(1): what it ended may have come far."""


def _attempt(step: Step, attempt: Attempt | None) -> Backing:
    if attempt is None or attempt.not_started:
        return _by_outcome(step, "what it did was not looked at")
    if attempt.outcome is ActionOutcome.DONE:
        return Backing(RECORDED, f"{named(step)}: {attempt.why}", (step,))
    failed = step.outcome is Outcome.ERROR and not attempt.open and step.exit_code not in _TIME_IS_UP
    return Backing(CONTRADICTED if failed else UNSUPPORTED, f"{named(step)}: {attempt.why}", (step,))


def _pushed(found: Backing, push: Step, before: Sequence[Step]) -> Backing:
    later = [
        step
        for step in before[before.index(push) + 1 :]
        if step.command is not None
        and is_commit(step.command)
        and (commits_in(step.output) or step.outcome is Outcome.OK)
    ]
    if not later:
        return found
    return replace(found, verdict=STALE, why=f"{found.why}, and {named(later[0])} made a commit after it")


def _requested(said: Said, evidence: Evidence) -> Backing | None:
    """A pull request that the record itself names."""
    if said.claim.kind is not ClaimKind.PR_OPENED:
        return None
    told = [text for item, text in evidence.pull_requests if item <= said.message + 1]
    return Backing(RECORDED, f"the record names it: {told[-1]}") if told else None


JUDGES: Final[dict[ClaimKind, Callable[[Said, Evidence], Backing]]] = {
    **dict.fromkeys(SORTS, checked),
    **dict.fromkeys(_OUTSIDE, outside),
    ClaimKind.FIXED: proved,
    ClaimKind.VERIFIED: proved,
    ClaimKind.COMMITTED: committed,
}
"""Kind → what judges it; `edited` is judged by `triage.claims`."""
