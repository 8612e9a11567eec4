"""What the answer of `git ls-remote` tells of a push, in words: whether the session's own commit is what stands there.

Decides by equal names of commits alone. Refuses to conclude that a push did not happen where the other side stands at a
commit that the session never saw: somebody may have gone on from its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refloat.model.recovery import Probe
from refloat.model.triage import Triage
from refloat.text import inert_line

_LINE: Final = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\s+(\S+)")
"""`OID TAB REF` (git-ls-remote(1), OUTPUT)."""
_SHORT: Final = 7


@dataclass(frozen=True, slots=True)
class OwnCommit:
    """A commit that a step made."""

    step: int
    sha: str


def own_commits(triage: Triage, before: int) -> tuple[OwnCommit, ...]:
    """The commits of the session's own steps before a step, oldest first; sub-agents count for themselves."""
    found: list[OwnCommit] = []
    for finding in (*triage.saved, *triage.gone):
        if finding.kind == "commit" and finding.subagent is None and finding.steps and finding.steps[0] < before:
            sha = finding.where.commit if finding.where else None
            sha = sha or next((row.commit for row in finding.recoverable_from if row.commit), None)
            if sha:
                found.append(OwnCommit(finding.steps[0], sha))
    return tuple(sorted(found, key=lambda commit: commit.step))


def judge_look(looked: Probe, commits: Sequence[OwnCommit], began: str | None) -> str:
    """A sentence without its full stop; "" where the answer cannot be judged. `began`: HEAD at the session's start."""
    if looked.argv[:2] != ("git", "ls-remote") or looked.code != 0:
        return ""
    names = [word for word in looked.argv[2:] if not word.startswith("-")][1:]
    there = {ref: sha for sha, ref in _LINE.findall(looked.out)}
    if len(names) != 1:
        return ""
    bare = names[0].removeprefix("refs/heads/").removeprefix("refs/tags/")
    name = inert_line(bare)
    if not looked.out.strip():
        return f"there is no {name} at the remote: it is not there"
    sha = there.get(names[0]) or there.get(f"refs/heads/{bare}") or there.get(f"refs/tags/{bare}")
    if sha is None or not commits:
        return ""
    last, at = commits[-1], f"{name} is at {sha[:_SHORT]} there"
    if sha == last.sha:
        return f"{at}, the commit of step {last.step}: it is there"
    not_at = f"not at {last.sha[:_SHORT]}, the commit of step {last.step}"
    earlier = next((commit for commit in commits if commit.sha == sha), None)
    if earlier is not None:
        return f"{at}, the commit of step {earlier.step}, {not_at}: it is not there"
    if sha == began:
        return f"{at}, where the session began, {not_at}: it is not there"
    return f"{at}, {not_at}"
