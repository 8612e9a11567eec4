"""What became of the commits that a record names: on a branch, rewritten, only in the reflog, or nowhere.

Decides by ids, by subjects, by what the reflog says was amended, and by what a squashed commit holds. Refuses to call a
commit nowhere whose subject a shell or a hook may have made, or that was made elsewhere.
"""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from refloat.checkout.porcelain import Blob, read_raw
from refloat.commands import commit_cwd, commit_subject, commits_in, is_commit
from refloat.model.checkout import Checkout, PlaceKind
from refloat.model.light import light
from refloat.model.transcript import Step
from refloat.ports import Git
from refloat.there import is_there
from refloat.triage.findings import CommitSeen

_AMENDED: Final = ("commit (amend)", "rebase (squash)", "rebase (fixup)", "rebase (reword)", "rebase (edit)")
_MOST: Final = 8
"""Lost commits that are held against what came later."""


@light
class _Known:
    """What the repository knows of commits since the session's start."""

    branches: Mapping[str, str]
    """Commit → a branch that it is on."""
    by_subject: Mapping[str, tuple[str, str]]
    """Subject → (commit, branch), of those that were asked for."""
    logged: Mapping[str, str]
    """Commit → subject, of HEAD's reflog."""
    amended: Mapping[str, str]
    """Commit → the one that took its place."""
    subjects: frozenset[str]
    """Of every commit that was looked at."""

    def rewritten(self, sha: str | None) -> str | None:
        """The commit on a branch that one was amended to."""
        seen = set[str]()
        while sha is not None and sha not in seen and sha not in self.branches:
            seen.add(sha)
            sha = self.amended.get(sha)
        return sha if sha is not None and sha in self.branches else None


def find_commits(git: Git, steps: Iterable[Step], checkout: Checkout) -> Mapping[str, CommitSeen]:
    """What became of the commits that the record names, by shortened id and by subject."""
    made = [step for step in steps if step.command is not None and is_commit(step.command)]
    named = {sha: subject for step in made for sha, subject in commits_in(step.output)}
    subjects = {subject: step for step in made if (subject := commit_subject(step.command or "")) is not None}
    if checkout.repo is None or (not named and not subjects):
        return {}
    root = Path(checkout.repo)
    whole = _whole(git, root, named)
    known = _known(git, root, checkout, whole.values(), {*subjects, *named.values()})
    found = {sha: _seen(whole.get(sha), named[sha], known) for sha in named}
    found.update(_found_elsewhere(git, root, made, whole))
    for subject, step in subjects.items():
        if subject in found:
            continue
        seen = _by_subject(subject, known)
        if seen is not None:
            found[subject] = seen
        elif known.subjects and _is_nowhere(subject, step, checkout.repo, known):
            found[subject] = CommitSeen(None, None)
    return _with_squashed(git, root, found, known)


def _found_elsewhere(git: Git, root: Path, made: Sequence[Step], whole: Mapping[str, str]) -> Mapping[str, CommitSeen]:
    """Commits that were made in another repository than the checkout's (a submodule, a neighbour), as it has them."""
    asked: dict[Path, list[str]] = {}
    for step in made:
        missing = [sha for sha, _ in commits_in(step.output) if sha not in whole]
        other = _repository_of(step) if missing else None
        if other is not None and other != root:
            asked.setdefault(other, []).extend(missing)
    found: dict[str, CommitSeen] = {}
    for other, shas in asked.items():
        for short, sha in _whole(git, other, dict.fromkeys(shas)).items():
            name = _branch_with(git, other, sha)
            found[short] = CommitSeen(sha, PlaceKind.BRANCH if name else PlaceKind.UNREACHABLE_COMMIT, name)
    return found


def _repository_of(step: Step) -> Path | None:
    """The top of the checkout in which a step commits, by where one is on disk; None where nobody can say."""
    place = commit_cwd(step.command or "")
    if place is None or step.cwd is None:
        return None
    made_in = Path(posixpath.normpath(posixpath.join(step.cwd, place)))
    return next((folder for folder in (made_in, *made_in.parents) if is_there(folder / ".git")), None)


def _branch_with(git: Git, root: Path, sha: str) -> str | None:
    """A branch or tag that a commit is on."""
    held = git.run(root, "for-each-ref", f"--contains={sha}", "--format=%(refname:short)", "--count=1")
    name = held.out.decode(errors="replace").strip()
    return name if held.code == 0 and name and name != "stash" else None


def _whole(git: Git, root: Path, named: Iterable[str]) -> dict[str, str]:
    asked = "".join(f"{sha}^{{commit}}\n" for sha in named).encode()
    lines = git.run(root, "cat-file", "--batch-check", stdin=asked).out.decode(errors="replace").splitlines()
    rows = zip(named, (line.split(" ") for line in lines), strict=False)
    return {sha: words[0] for sha, words in rows if len(words) == 3 and words[1] == "commit"}


def _seen(sha: str | None, subject: str, known: _Known) -> CommitSeen:
    if sha is not None and sha in known.branches:
        return CommitSeen(sha, PlaceKind.BRANCH, known.branches[sha])
    amended = known.rewritten(sha)
    newer = (amended, known.branches[amended]) if amended is not None else known.by_subject.get(subject)
    rewritten, ref = newer or (None, None)
    if sha is None:
        return CommitSeen(None, None, ref, rewritten)
    return CommitSeen(sha, PlaceKind.REFLOG if sha in known.logged else PlaceKind.UNREACHABLE_COMMIT, ref, rewritten)


def _by_subject(subject: str, known: _Known) -> CommitSeen | None:
    if subject in known.by_subject:
        return CommitSeen(known.by_subject[subject][0], PlaceKind.BRANCH, known.by_subject[subject][1])
    lost = [sha for sha, told in known.logged.items() if told == subject and sha not in known.branches]
    return _seen(lost[0], subject, known) if lost else None


def _is_nowhere(subject: str, step: Step, repo: str, known: _Known) -> bool:
    """Whether a commit of that subject, made in this checkout, was looked for and is not there."""
    place = commit_cwd(step.command or "")
    if place is None or step.cwd is None or "$" in subject or "`" in subject:
        return False
    made_in = posixpath.normpath(posixpath.join(step.cwd, place))
    if not (made_in + "/").startswith(repo.rstrip("/") + "/") or _repository_of(step) not in (None, Path(repo)):
        return False
    # Git joins the lines of a first paragraph; hooks put a ticket before it.
    return not any(told.startswith(subject) or told.endswith(subject) for told in known.subjects)


def _known(git: Git, root: Path, checkout: Checkout, wanted: Iterable[str], subjects: set[str]) -> _Known:
    rows = _on_branches(git, root, checkout)
    branches = {sha: ref for sha, ref, _ in rows}
    by_subject: dict[str, tuple[str, str]] = {}
    for sha, ref, subject in rows:
        if subject in subjects:
            by_subject.setdefault(subject, (sha, ref))
    answer = git.run(root, "log", "-g", "--format=%H%x00%gs%x00%s", "HEAD", "--")
    entries = [(*line.split("\0", 2), "", "")[:3] for line in answer.out.decode(errors="replace").splitlines()]
    # The newest first: what stood before an amendment is the next row.
    amended = {older[0]: newer[0] for newer, older in pairwise(entries) if newer[1].startswith(_AMENDED)}
    logged = {sha: subject for sha, _, subject in entries}
    # What is dated before the session's start was not told above: a clock that was set, a commit that was dated back.
    newest = {subject: sha for sha, subject in reversed(logged.items()) if subject in subjects - by_subject.keys()}
    for sha in {*wanted, *newest.values()} - branches.keys():
        if (name := _branch_with(git, root, sha)) is not None:
            branches[sha] = name
            by_subject.setdefault(logged.get(sha, ""), (sha, name))
    return _Known(branches, by_subject, logged, amended, frozenset((*logged.values(), *(told for *_, told in rows))))


def _on_branches(git: Git, root: Path, checkout: Checkout) -> list[tuple[str, str, str]]:
    """(commit, branch, subject) of the commits on branches since the session's start, the newest first."""
    since = [f"^{checkout.base.head}"] if checkout.base.head else ["--max-count=2000"]
    refs = ["HEAD", "--branches", "--remotes", "--tags"] if checkout.head else ["--branches", "--remotes", "--tags"]
    answer = git.run(root, "log", "--source", "--format=%H%x00%S%x00%s", *refs, *since, "--")
    if answer.code != 0 and checkout.base.head:
        answer = git.run(root, "log", "--source", "--format=%H%x00%S%x00%s", "--max-count=2000", *refs, "--")
    found: list[tuple[str, str, str]] = []
    for line in answer.out.decode(errors="replace").splitlines():
        sha, _, rest = line.partition("\0")
        source, _, subject = rest.partition("\0")
        ref = checkout.branch or "HEAD" if source == "HEAD" else source.removeprefix("refs/heads/")
        found.append((sha, ref, subject))
    return found


# ── what was squashed ────────────────────────────────────────────────────────────────────────────────────────────────


def _with_squashed(git: Git, root: Path, found: Mapping[str, CommitSeen], known: _Known) -> Mapping[str, CommitSeen]:
    """Commits that are on no branch, and whose content one commit on a branch brought in whole."""
    lost = {
        seen.sha for seen in found.values() if seen.sha and seen.place is not PlaceKind.BRANCH and not seen.rewritten
    }
    if not lost or len(lost) > _MOST:
        return found
    squashed: dict[str, str] = {}
    for sha in lost:
        into = _squashed_into(git, root, sha)
        if into is not None:
            squashed.update(dict.fromkeys(_between(git, root, f"{into}^", sha), into))
    return {
        key: CommitSeen(seen.sha, seen.place, known.branches.get(squashed[seen.sha], "HEAD"), squashed[seen.sha])
        if seen.sha in squashed and seen.sha in lost
        else seen
        for key, seen in found.items()
    }


def _squashed_into(git: Git, root: Path, sha: str) -> str | None:
    """A commit of HEAD's that brought in just what one that is on no branch holds beyond where they parted."""
    base = git.run(root, "merge-base", "HEAD", sha).out.decode(errors="replace").strip()
    wanted = _blobs(git, root, base, sha) if base else frozenset[Blob]()
    if not wanted:
        return None
    for one in _between(git, root, base, "HEAD"):
        if wanted <= _blobs(git, root, f"{one}^", one):
            return one
    return None


def _between(git: Git, root: Path, older: str, newer: str) -> Sequence[str]:
    answer = git.run(root, "rev-list", "--max-count=50", newer, f"^{older}", "--")
    return answer.out.decode(errors="replace").split() if answer.code == 0 else ()


def _blobs(git: Git, root: Path, older: str, newer: str) -> frozenset[Blob]:
    """What differs between two commits, as it is in the newer one."""
    answer = git.run(root, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", older, newer, "--")
    return frozenset(read_raw(answer.out)) if answer.code == 0 else frozenset()
