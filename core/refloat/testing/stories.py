"""Builds Stories by hand: sessions as a reader would give them, step by step, without a transcript.

For tests of whatever works on a Story, and for outside readers' tests. Invents no content: a test says what a step did.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from typing import Literal

from refloat.commands import classify
from refloat.model.problem import Place
from refloat.model.stamp import Stamp, later
from refloat.model.story import OpenWork, Story, Summary
from refloat.model.transcript import (
    Background,
    Ending,
    FileEdit,
    Hunk,
    Item,
    Marker,
    Outcome,
    Queued,
    Step,
    StepKind,
    Touched,
)

START = Stamp("2026-09-14T09:00:00.000Z")
"""When a built session begins unless told otherwise."""


def hunks_between(before: str, after: str, context: int = 3) -> tuple[Hunk, ...]:
    """The hunks of a unified diff between two texts, with positions, as an agent's tool records them."""
    found: list[Hunk] = []
    rows = list(unified_diff(_ended(before), _ended(after), n=context, lineterm=""))[2:]
    for row in rows:
        if row.startswith("@@"):
            old, new = (part.lstrip("-+").split(",") for part in row.split(" ")[1:3])
            counts = (int(old[1]) if len(old) > 1 else 1, int(new[1]) if len(new) > 1 else 1)
            found.append(Hunk(int(old[0]), counts[0], int(new[0]), counts[1], ()))
        else:
            body, open_end = row.rstrip("\0"), row.endswith("\0")
            lines = (body, "\\ No newline at end of file") if open_end else (body,)
            last = found[-1]
            found[-1] = Hunk(last.old_start, last.old_lines, last.new_start, last.new_lines, (*last.lines, *lines))
    return tuple(found)


def _ended(text: str) -> list[str]:
    """Lines of a text; a last one without a line feed is marked, for it differs from one with it."""
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\0"]


def edited(path: str, before: str, after: str, *, exact: bool = True, context: int = 3) -> FileEdit:
    """An edit of a file from one text to another; not `exact`: only the hunks are recorded."""
    return FileEdit(path, "update", before=before if exact else None, hunks=hunks_between(before, after, context))


def replaced(path: str, old: str, new: str, *, every: bool = False) -> FileEdit:
    """A replacement of text of which the record knows neither position nor surroundings."""
    gone, added = old.split("\n"), new.split("\n")
    lines = (*("-" + line for line in gone), *("+" + line for line in added))
    return FileEdit(path, "update", hunks=(Hunk(None, len(gone), None, len(added), lines),), replace_all=every)


def written(path: str, text: str, *, existed: bool | None = None) -> FileEdit:
    """A whole write."""
    return FileEdit(path, "create", after=text, existed=existed)


@dataclass(slots=True)
class StoryBuilder:
    """Takes steps in order; every step takes two seconds, ten after the one before."""

    agent: str = "claude-code"
    session_id: str = "5f0c1d2e-0000-4000-8000-000000000001"
    workspace: str | None = None
    started: Stamp = START
    commit: str | None = None
    worktree: str | None = None
    subagent: str | None = None
    steps: list[Step] = field(default_factory=list[Step])
    touched: list[Touched] = field(default_factory=list[Touched])
    open_work: list[OpenWork] = field(default_factory=list[OpenWork])
    queued: list[Queued] = field(default_factory=list[Queued])
    subagents: dict[str, Story] = field(default_factory=dict[str, Story])
    words: list[tuple[int, Item]] = field(default_factory=list[tuple[int, Item]])
    """What was said, each with the number of steps before it."""

    def at(self, n: int) -> Stamp:
        """When step `n` begins."""
        return later(self.started, n * 10.0)

    def step(
        self,
        kind: StepKind,
        *,
        outcome: Outcome = Outcome.OK,
        edits: Sequence[FileEdit] = (),
        command: str | None = None,
        output: str = "",
        exit_code: int | None = None,
        effects_unknown: bool = False,
        never_ran: bool = False,
        pushed: bool = False,
        superseded: bool = False,
        files: Sequence[str] = (),
        summary: str = "",
        background: Background | None = None,
    ) -> Step:
        """Add a step of any kind."""
        n = len(self.steps) + 1
        made = Step(
            n=n,
            id=f"call_{self.subagent or ''}{n}",
            kind=kind,
            tool="Bash" if command is not None else kind.value,
            summary=summary or command or ", ".join(edit.path for edit in edits),
            at=self.at(n),
            ended_at=None if outcome is Outcome.DANGLING else later(self.at(n), 2),
            outcome=outcome,
            exit_code=exit_code,
            files=tuple(files) or tuple(edit.path for edit in edits),
            message=None,
            line=n,
            path=f"/transcripts/{self.session_id}.jsonl",
            input="",
            output=output,
            output_bytes=len(output.encode()),
            command=command,
            cwd=self.workspace,
            edits=tuple(edits),
            effects_unknown=effects_unknown,
            never_ran=never_ran,
            pushed=pushed,
            superseded=superseded,
            subagent=self.subagent,
            turn=1,
            item=n,
            background=background,
        )
        self.steps.append(made)
        return made

    def edit(self, *edits: FileEdit, outcome: Outcome = Outcome.OK, superseded: bool = False) -> Step:
        """Add a step that edits files."""
        return self.step(StepKind.EDIT, edits=edits, outcome=outcome, superseded=superseded)

    def run(
        self, command: str, output: str = "", *, outcome: Outcome = Outcome.OK, exit_code: int | None = None
    ) -> Step:
        """Add a shell command, of the kind that its words tell."""
        if exit_code is None and outcome is Outcome.OK:
            exit_code = 0
        return self.step(classify(command), command=command, output=output, outcome=outcome, exit_code=exit_code)

    def say(
        self, text: str, *, as_: Literal["prompt", "reply", "thinking"] = "reply", superseded: bool = False
    ) -> None:  # fmt: skip
        """Add words, five seconds after the step before them began."""
        n = len(self.steps)
        self.words.append((n, Item(0, as_, later(self.at(n), 5), text=text, superseded=superseded)))

    def mark(self, kind: str, text: str, *, claim: bool = False) -> None:
        """Add a marker, five seconds after the step before it began."""
        n, at = len(self.steps), later(self.at(len(self.steps)), 5)
        marker = Marker(kind, text, at, Place("", 0, 0), claim)
        self.words.append((n, Item(0, "marker", at, marker=marker)))

    def _items(self) -> tuple[Item, ...]:
        """Steps and words in their order, numbered."""
        found: list[Item] = []
        for n in range(len(self.steps) + 1):
            if n:
                step = self.steps[n - 1]
                step = replace(step, item=len(found) + 1)
                found.append(Item(len(found) + 1, "step", step.at, step=step, superseded=step.superseded))
            said = [item for after, item in self.words if after == n]
            found += [replace(item, n=at) for at, item in enumerate(said, len(found) + 1)]
        return tuple(found)

    def build(self) -> Story:
        """The Story of all that was added."""
        return Story(
            self._summary(),
            self._items(),
            dict(self.subagents),
            None,
            tuple(self.touched),
            tuple(self.open_work),
            tuple(self.queued),
        )

    def _summary(self) -> Summary:
        paths = dict.fromkeys(edit.path for step in self.steps for edit in step.edits)
        dangling = sum(step.outcome is Outcome.DANGLING for step in self.steps)
        return Summary(
            agent=self.agent,
            session_id=self.session_id,
            title="A built session",
            workspace=self.workspace,
            cwd=self.workspace,
            worktree=self.worktree,
            branch=None,
            commit=self.commit,
            model=None,
            version="",
            entrypoint="",
            started_at=self.started,
            last_activity_at=self.at(len(self.steps) + 1),
            turns=1,
            prompts=1,
            steps=len(self.steps),
            dangling=dangling,
            edits=sum(step.kind is StepKind.EDIT for step in self.steps),
            parent="",
            continued_in="",
            lineage="",
            last_row="",
            ending=Ending(
                "open", dangling, None, cut=False, prompts=1, pending=None, open_since=None, user_interrupted=False
            ),
            problems=(),
            edited_paths=tuple(paths),
        )
