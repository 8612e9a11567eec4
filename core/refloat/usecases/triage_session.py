"""Sort what a session did and said into saved, claimed and gone, with what else was open and what must not be repeated.

The piles are those of design §5.

Asks the repository only for the commits that the record names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from refloat.commands import commit_subject, commits_in, is_commit
from refloat.model.checkout import Checkout, PlaceKind
from refloat.model.session import Session, State
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step
from refloat.model.triage import ActionOutcome, DoNotRepeat, Finding, Triage
from refloat.ports import Git
from refloat.triage.actions import find_actions, list_actions
from refloat.triage.backing import Evidence
from refloat.triage.claims import judge_claims
from refloat.triage.findings import CommitSeen, sort_findings
from refloat.usecases.hear_claims import hear_claims
from refloat.usecases.remotes import why_no_remote
from refloat.usecases.still_open import find_still_open
from refloat.usecases.workbench import Workbench


def triage_session(bench: Workbench, story: Story, checkout: Checkout, session: Session) -> Triage:
    """Sort a session's work and words, held against its checkout."""
    steps = list(story.every_step)
    actions = find_actions(steps, branch=story.summary.branch or checkout.branch, root=checkout.repo)
    commits = _find_commits(bench.machine.git, steps, checkout)
    piles = sort_findings(steps, checkout, commits, actions)
    requests = [
        (item.n, item.marker.text) for item in story.items if item.marker and item.marker.kind == "pull_request"
    ]
    evidence = Evidence(steps, checkout, commits, actions, requests)
    borne_out, claimed = judge_claims(hear_claims(story), evidence)
    return Triage(
        checkout.session,
        (*piles.saved, *borne_out),
        claimed,
        tuple(row for row in piles.gone if not _runs_now(row, session, steps)),
        tuple(find_still_open(bench, story, session)),
        tuple(_look_for(bench.machine.git, row, checkout) for row in list_actions(actions)),
    )


def _runs_now(row: Finding, session: Session, steps: Iterable[Step]) -> bool:
    """Whether a finding is nothing but a call that a live session still waits for: it is under way, not gone."""
    if session.state is not State.LIVE or row.kind == "commit" or row.claim is not None:
        return False
    own = [step for step in steps if step.n in row.steps and step.subagent == row.subagent]
    last = max((step.turn for step in steps if step.subagent == row.subagent), default=0)
    return bool(own) and all(step.outcome is Outcome.DANGLING and step.turn == last for step in own)


def _look_for(git: Git, row: DoNotRepeat, checkout: Checkout) -> DoNotRepeat:
    """The row with what stands against its look here."""
    place = row.place if row.place is not None and Path(row.place).is_dir() else checkout.repo
    if row.outcome is not ActionOutcome.UNKNOWN or place is None:
        return row
    return replace(row, no_look=why_no_remote(git, Path(place), row.probe))


def _find_commits(git: Git, steps: Iterable[Step], checkout: Checkout) -> Mapping[str, CommitSeen]:
    """What became of the commits that the record names, by shortened id and by subject."""
    named: dict[str, str] = {}
    subjects: set[str] = set()
    for step in steps:
        if step.command is not None and is_commit(step.command):
            named.update(commits_in(step.output))
            subject = commit_subject(step.command)
            subjects |= {subject} if subject else set()
    if checkout.repo is None or (not named and not subjects):
        return {}
    root = Path(checkout.repo)
    asked = "".join(f"{sha}^{{commit}}\n" for sha in named).encode()
    lines = git.run(root, "cat-file", "--batch-check", stdin=asked).out.decode(errors="replace").splitlines()
    rows = zip(named, (line.split(" ") for line in lines), strict=False)
    whole = {sha: words[0] for sha, words in rows if len(words) == 3 and words[1] == "commit"}
    branches, by_subject = _on_branches(git, root, checkout, whole.values(), {*subjects, *named.values()})
    logged = git.run(root, "log", "-g", "--format=%H%x00%s", "HEAD", "--").out.decode(errors="replace").splitlines()
    reflog = {sha: subject for sha, _, subject in (line.partition("\0") for line in logged)}
    found = {sha: _seen(whole.get(sha), named[sha], branches, by_subject, reflog) for sha in named}
    for subject in subjects - found.keys():
        if subject in by_subject:
            found[subject] = CommitSeen(by_subject[subject][0], PlaceKind.BRANCH, by_subject[subject][1])
        elif lost := [sha for sha, told in reflog.items() if told == subject and sha not in branches]:
            found[subject] = CommitSeen(lost[0], PlaceKind.REFLOG)
    return found


def _seen(
    sha: str | None,
    subject: str,
    branches: Mapping[str, str],
    by_subject: Mapping[str, tuple[str, str]],
    reflog: Mapping[str, str],
) -> CommitSeen:
    if sha is not None and sha in branches:
        return CommitSeen(sha, PlaceKind.BRANCH, branches[sha])
    newer = by_subject.get(subject)
    rewritten = newer[0] if newer is not None else None
    ref = newer[1] if newer is not None else None
    if sha is None:
        return CommitSeen(None, None, ref, rewritten)
    return CommitSeen(sha, PlaceKind.REFLOG if sha in reflog else PlaceKind.UNREACHABLE_COMMIT, ref, rewritten)


def _on_branches(
    git: Git, root: Path, checkout: Checkout, wanted: Iterable[str], subjects: set[str]
) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Which commits are on a branch (and which), and the commits of some subjects since the session's start."""
    since = [f"^{checkout.base.head}"] if checkout.base.head else ["--max-count=2000"]
    refs = ["HEAD", "--branches", "--remotes", "--tags"] if checkout.head else ["--branches", "--remotes", "--tags"]
    answer = git.run(root, "log", "--source", "--format=%H%x00%S%x00%s", *refs, *since, "--")
    if answer.code != 0 and checkout.base.head:
        answer = git.run(root, "log", "--source", "--format=%H%x00%S%x00%s", "--max-count=2000", *refs, "--")
    branches: dict[str, str] = {}
    by_subject: dict[str, tuple[str, str]] = {}
    for line in answer.out.decode(errors="replace").splitlines():
        sha, _, rest = line.partition("\0")
        source, _, subject = rest.partition("\0")
        ref = checkout.branch or "HEAD" if source == "HEAD" else source.removeprefix("refs/heads/")
        branches[sha] = ref
        if subject in subjects:
            by_subject.setdefault(subject, (sha, ref))
    for sha in set(wanted) - branches.keys():
        held = git.run(root, "for-each-ref", f"--contains={sha}", "--format=%(refname:short)", "--count=1")
        name = held.out.decode(errors="replace").strip()
        if held.code == 0 and name and name != "stash":
            branches[sha] = name
    return branches, by_subject
