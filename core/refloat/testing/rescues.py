"""A recovery over an invented session, on a machine that stands still: for tests, and for looking at the wizard alone.

The brief that it writes is a plain one of its own, so that the wizard can be tried apart from `write_brief`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from refloat.brief.fingerprint import write_last_line
from refloat.model.brief import (
    SECTIONS,
    Ages,
    Answers,
    Brief,
    BriefPreview,
    Confidence,
    Fingerprint,
    Line,
    MaskedPlace,
    WrittenBrief,
)
from refloat.model.stamp import Stamp, later
from refloat.ports import GitAnswer, Machine, Places
from refloat.readers.registry import load_all
from refloat.testing.fakes import (
    FakeProcesses,
    FakeSignals,
    FakeTerminals,
    FakeTraces,
    FakeWatch,
    ScriptedGit,
)
from refloat.testing.samples import Sample, at
from refloat.usecases.hold_session import Holding
from refloat.usecases.keep_draft import Drafts
from refloat.usecases.rescue import Case, Masked, Rescue
from refloat.usecases.targets import refuse_target


@dataclass
class TickingClock:
    """A second later each time that it is asked."""

    moment: Stamp = field(default_factory=lambda: at(100))

    def now(self) -> Stamp:
        """Tell this moment."""
        self.moment = later(self.moment, 1)
        return self.moment


@dataclass
class ScriptedLauncher:
    """Answers probes from a table and remembers what it was asked."""

    answers: dict[tuple[str, ...], GitAnswer] = field(default_factory=dict[tuple[str, ...], GitAnswer])
    asked: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def which(self, program: str) -> str | None:
        """Everything is installed."""
        return f"/usr/bin/{program}"

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """What the table says, else success with one line."""
        del cwd, seconds
        self.asked.append(tuple(argv))
        return self.answers.get(tuple(argv), GitAnswer(0, b"9c0e2b1f4d5a\trefs/heads/fix/rounding\n", ""))

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int | None:
        """Nothing is ever started."""
        del argv, cwd, executable

    def end(self, pid: int) -> None:
        """Nothing runs."""
        del pid


def still_machine(home: Path, launcher: ScriptedLauncher | None = None, user: str = "ana") -> Machine:
    """A machine on which nothing happens, with Refloat's places below `home`."""
    places = Places(home, home / "cache", home / "data", home / "config", {"USER": user})
    return Machine(
        TickingClock(),
        FakeProcesses(name="harbour"),
        ScriptedGit(),
        FakeWatch(),
        launcher or ScriptedLauncher(),
        FakeTraces(),
        FakeTerminals(),
        places,
        FakeSignals(),
    )


def plain_brief(sample: Sample, answers: Answers | None) -> WrittenBrief:
    """A short brief of a sample, with the answers put to it."""
    said = answers or Answers()
    brief = Brief(
        title=said.title or sample.session.title or "Untitled",
        previous_attempt=_previous(sample),
        current_artifact=_artifact(sample, said),
        established=tuple(
            Line(f"{row.what}: {row.why}", Confidence.VERIFIED, row.steps) for row in sample.triage.saved
        ),
        uncertain=_uncertain(sample, said),
        next_step=_lines(said.next_step and (said.next_step,), "Look what step 8 did, then go on.", said.by),
        done_when=_lines(said.done_when, "`pytest -q` and `mypy src` pass.", said.by),
    )
    brief = replace(brief, **said.lines)
    name = sample.session.name
    whose = write_last_line(Fingerprint(name, None, None, (), ()), mentions=lambda _: False, may_stand=lambda _: True)
    return WrittenBrief(name, brief, f"{plain_markdown(brief)}\n{whose}\n", masked=0, omitted=0)


def plain_markdown(brief: Brief) -> str:
    """Headings and lists."""
    parts = [f"# {brief.title}\n"]
    for name, heading in SECTIONS:
        lines: tuple[Line, ...] = getattr(brief, name)
        parts.append(f"## {heading}\n")
        parts += [f"- {line.text} ({line.by or line.confidence})" for line in lines]
        parts.append("")
    return "\n".join(parts)


def _previous(sample: Sample) -> tuple[Line, ...]:
    session = sample.session
    because = session.failure.detail if session.failure else "its last turn ended"
    return (
        Line(f"Session {session.name} in {session.workspace}", Confidence.RECORDED),
        Line(f"Stopped because {because}", Confidence.RECORDED),
        Line(f"Original process: {session.liveness.verdict}", Confidence.VERIFIED),
    )


def _artifact(sample: Sample, said: Answers) -> tuple[Line, ...]:
    rows = [Line(f"HEAD {(sample.checkout.head or 'none')[:7]} on {sample.checkout.branch}", Confidence.VERIFIED)]
    for change in (*sample.checkout.files, *sample.checkout.other_changes):
        owner = said.owners.get(change.path, change.owner)
        if owner is not None:
            by = said.by if change.path in said.owners else None
            rows.append(Line(f"{change.path}: dirty, owner {owner}", Confidence.VERIFIED, by=by))
    return tuple(rows)


def _uncertain(sample: Sample, said: Answers) -> tuple[Line, ...]:
    rows: list[Line] = []
    for action in sample.triage.inspect:
        word, note = said.inspected.get(action.key, ("unknown", ""))
        by = said.by if action.key in said.inspected else None
        rows.append(Line(f"{action.action}: {word} {note}".strip(), Confidence.UNKNOWN, (action.step,), by))
    return tuple(rows)


def _lines(said: tuple[str, ...] | str | None, found: str, by: str | None) -> tuple[Line, ...]:
    if not said:
        return (Line(found, Confidence.RECORDED),)
    return tuple(Line(text, Confidence.RECORDED, by=by) for text in said)


def plain_preview(sample: Sample) -> BriefPreview:
    """One value, masked in two places, and the sample's files as what will age."""
    masked = (
        MaskedPlace("GitHub token", 40, 1, "Previous attempt", 9),
        MaskedPlace("GitHub token", 40, 1, "What remains uncertain", 31),
    )
    files = (Ages("file", row.path, "content 9c0e2b1f4d5a") for row in sample.checkout.files)
    return BriefPreview(sample.session.name, masked, (Ages("head", "HEAD", "commit 9c0e2b1f4d5a"), *files))


def unmasked(value: Masked, /) -> Masked:
    """As it is: samples hold no secrets."""
    return value


def rescue_of(
    sample: Sample,
    machine: Machine,
    *,
    drafts: Drafts,
    cwd: Path | None = None,
    holding: Holding | None = None,
) -> Rescue:
    """A Rescue of a sample; whoever opened the `drafts` closes them."""
    return Rescue(
        machine,
        drafts,
        Case(sample.session, sample.story, sample.checkout, sample.triage),
        write=lambda answers: plain_brief(sample, answers),
        preview=lambda _: plain_preview(sample),
        mask=unmasked,
        refuse=lambda path: refuse_target(path, machine.places, load_all()[0]),
        cwd=cwd or machine.places.home,
        holding=holding,
    )
