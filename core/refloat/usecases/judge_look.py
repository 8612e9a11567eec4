"""What the answer of `git ls-remote` tells of a push, in words: whether the session's own commit is what stands there.

Decides by equal names of commits alone. Concludes only of a plain `git push REMOTE BRANCH` whose last commit the record
shows: git said that it made it on that branch, in the directory that was pushed from, and no later command can have
moved the branch. Refuses to conclude that a push did not happen where the other side stands at a commit that the
session never saw, or has no such branch: somebody may have gone on from its own, or merged it. Says nothing of tags:
an annotated one has an id that is no commit's.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final

from refloat.commands import commit_cwd, is_commit, made_in, push_of
from refloat.commands.line import Simple, read_line
from refloat.commands.reading import QUIET, reading_kind
from refloat.model.recovery import Probe
from refloat.model.transcript import Step
from refloat.text import inert_line

_LINE: Final = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\s+(\S+)")
"""`OID TAB REF` (git-ls-remote(1), OUTPUT)."""
_SHORT: Final = 7
_STILL: Final = frozenset({"add", "push"})
"""Verbs of git that only change other things than where a branch stands."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A commit that git said it made in a step of the session's own."""

    step: Step
    branch: str
    sha: str
    """Shortened, as git told it."""

    @property
    def words(self) -> str:
        return f"the commit of step {self.step.n}"


def judge_look(looked: Probe, steps: Sequence[Step], pushing: int, began: str | None) -> str:
    """A sentence without its full stop; "" where the answer cannot be judged.

    `steps`: the session's own and its sub-agents', oldest first. `pushing`: the number of its own step that pushed.
    `began`: HEAD at the session's start.
    """
    names = [word for word in looked.argv[2:] if not word.startswith("-")]
    at = next((index for index, step in enumerate(steps) if (step.n, step.subagent) == (pushing, None)), None)
    if looked.argv[:2] != ("git", "ls-remote") or looked.code != 0 or len(names) != 2 or at is None:
        return ""
    if names[1].startswith("refs/tags/"):
        return ""
    branch = names[1].removeprefix("refs/heads/")
    name = inert_line(branch)
    if not looked.out.strip():
        return f"there is no {name} at the remote"  # or no more: it may have been merged and taken away
    there = {ref: sha for sha, ref in _LINE.findall(looked.out)}
    sha = there.get(f"refs/heads/{branch}")
    if sha is None or f"refs/tags/{branch}" in there:
        return ""
    push = _plain_push(steps[at], names[0], branch)
    own = [made for step in steps[:at] if step.subagent is None for made in _made_by(step)]
    last = _last_pushed(steps[: at + 1], push, branch, own) if push is not None else None
    return _compared(f"{name} is at {sha[:_SHORT]} there", sha, own, last, began)


def _compared(told: str, sha: str, own: Sequence[_Made], last: _Made | None, began: str | None) -> str:
    if last is not None and sha.startswith(last.sha):
        return f"{told}, {last.words}: it is there"
    seen = next((made.words for made in reversed(own) if sha.startswith(made.sha)), None)
    seen = seen or ("where the session began" if sha == began else None)
    told += f", {seen}" if seen else ""
    if last is None:
        return told
    return f"{told}, not at {last.sha[:_SHORT]}, {last.words}" + (": it is not there" if seen else "")


def _made_by(step: Step) -> list[_Made]:
    if step.command is None or not is_commit(step.command):
        return []
    return [_Made(step, branch, sha) for branch, sha in made_in(step.output)]


def _plain_push(step: Step, remote: str, branch: str) -> Simple | None:
    """What of a step's line pushes just this branch, by its name; None where it is not the line's only push."""
    parts = [(part, push) for part in read_line(step.command or "") if (push := push_of(part.words)) is not None]
    plain = [part for part, push in parts if push.name == f"git push {remote} {branch}" and push.refs == (branch,)]
    return plain[0] if len(plain) == len(parts) == 1 else None


def _last_pushed(steps: Sequence[Step], push: Simple, branch: str, own: Sequence[_Made]) -> _Made | None:
    """The last commit on a branch before the last of `steps` pushed it, where the record shows it."""
    last = own[-1] if own else None
    if last is None or last.branch != branch:
        return None
    later = dropwhile(lambda step: step is not last.step, steps)
    others = (step for step in steps if step.subagent is not None)
    after = [step for step in (*later, *others) if step is not last.step]
    moving = any(made_in(step.output) or any(map(_may_move, _parts(step))) for step in after)
    behind = dropwhile(lambda part: part.words[:2] != ("git", "commit"), _parts(last.step))
    if moving or any(_may_move(part) for part in behind if part.words[:2] != ("git", "commit")):
        return None
    made_at = _place(last.step, commit_cwd(last.step.command or ""))
    return last if made_at is not None and made_at == _place(steps[-1], push.cwd) else None


def _parts(step: Step) -> tuple[Simple, ...]:
    """What a step ran; a line that cannot be read, or a tool that is no shell, as one word."""
    return tuple(read_line(step.command or "")) or (Simple((step.command or step.tool,)),)


def _may_move(part: Simple) -> bool:
    """Whether a command names git and is not known to leave branches where they are."""
    words = part.words
    if words[0] in QUIET or reading_kind(words, writes=False) is not None:
        return False
    if words[0] == "git":
        return len(words) < 2 or words[1] not in _STILL
    return "git" in " ".join((*words, part.stdin, part.reads)).lower()


def _place(step: Step, below: str | None) -> str | None:
    return None if step.cwd is None or below is None else posixpath.normpath(posixpath.join(step.cwd, below))
