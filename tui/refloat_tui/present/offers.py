"""Plans of operations as offers: the exact command, what it will do, what it will not, and what stands against it.

Decides words and what a yes rests on. Refuses to judge: the guard's ruling comes in with each plan.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from refloat.model.own_files import BESIDE, LISTING
from refloat.model.record import Lease
from refloat.model.repair import RepairPlan
from refloat.model.salvage import Salvage
from refloat.model.session import State
from refloat.model.situation import Ruling
from refloat.model.stopping import Kin, StopPlan
from refloat.model.terminals import ENDED_INSTEAD, Attachment
from refloat.text import inert_line, one_line
from refloat_tui.operations import Asked, Offer, Operation, Row
from refloat_tui.present.holder import holder_words

if TYPE_CHECKING:
    from refloat.usecases.start_agent import Plan

_ALSO: Final = 60
"""Rows that are shown; a plan may have thousands."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What one look saw beside the plan itself."""

    title: str
    state: State
    workspace: str | None
    ruling: Ruling
    lease: Lease | None
    """On the session, somebody else's."""

    @property
    def words(self) -> str:
        """The session, as a question names it."""
        return _title_words(self.title)


def _title_words(title: str) -> str:
    """A session, as a question names it."""
    return f"\u201c{one_line(title)}\u201d" if title else "this session"


def start_offer(asked: Asked, scene: Scene, plan: Plan, agents: Sequence[str], *, in_tmux: bool) -> Offer:
    """Of `continue` and `new`."""
    going_on = asked.operation == "continue"
    will = [f"run that command in the workspace, and keep the attempt in the record ({plan.agent})"]
    if going_on:
        question = f"Continue {scene.words}?"
        will.insert(0, "go on with this very session, in its own transcript")
    else:
        question = f"Start a new session from {scene.words}?"
        if plan.writes_brief:
            will.insert(0, f"write the brief first, private: {inert_line(str(plan.brief))}")
            will.append("name the session's id and the brief's file anew when it starts")
        will.append("link both sessions, so that each leads to the other")
    will.append("hold the session and its workspace while the agent runs")
    overruled = (f"overruled: {why}" for why in plan.ruling.overruled)
    notes = (*plan.ruling.warnings, *overruled, *map(inert_line, plan.brief_words))
    missing = "" if plan.installed else f"{plan.command[0]} is not installed here, or not on the PATH"
    elsewhere = bool(missing) and plan.ruling.allowed
    if elsewhere and plan.writes_brief:
        notes = (*notes, f"the command writes the brief first, private: {inert_line(str(plan.brief))}")
    return Offer(
        asked=asked,
        question=question,
        commands=(plan.by_hand if elsewhere else shlex.join(plan.command),),
        copied=plan.by_hand,
        elsewhere=elsewhere,
        workspace=plan.workspace,
        will=tuple(will),
        will_not=(
            "start beside another writer: the guard is asked again when you say yes, and once more under the lease",
            "change the old transcript" if not going_on else "take back or repeat what was done: the agent decides",
        ),
        lease=_lease_words(scene.lease, "yours while the agent runs"),
        guard=missing if elsewhere else plan.ruling.why,
        refused=plan.refused is not None or bool(missing),
        force_helps=plan.ruling.force_helps and not missing,
        instead=_instead(plan.ruling),
        notes=notes,
        agents=tuple(agents),
        window=in_tmux,
        takes_terminal=True,
        rests_on=(plan.ruling.branch, plan.ruling.holder, plan.ruling.overruled, plan.workspace, plan.installed),
    )


def stop_offer(asked: Asked, scene: Scene, plan: StopPlan, pids: Sequence[int]) -> Offer:
    """Of `stop`."""
    words = ["refloat", "stop", plan.session]
    words += [] if asked.pid is None else ["--pid", str(asked.pid)]
    words += [] if asked.force is None else ["--force", asked.force]
    line = shlex.join(words)
    will = [f"send {ask.signal} to {_heads(plan.kin)} and wait {ask.grace:g} s" for ask in plan.asks]
    if plan.kin:
        will += ["send SIGTERM, then SIGKILL, to what is left of these processes, 5 s each"]
        will += ["then look whether anything of it goes on: only that is called stopped"]
    notes = list(plan.warnings)
    if plan.confirm is not None:
        notes.insert(0, f"nobody proved that this is its process; what ties it: {plan.confirm}")
    will_not = [f"signal process {left.pid} ({left.name}): {left.why}" for left in plan.left]
    return Offer(
        asked=asked,
        question=f"Stop {scene.words}?",
        commands=(line,),
        copied=line,
        workspace=scene.workspace,
        will=tuple(will),
        will_not=(*will_not, "touch the transcript, the checkout or any other process"),
        lease=_lease_words(scene.lease, "a stop takes none"),
        guard=_why(scene.ruling, plan.refused),
        refused=plan.refused is not None,
        force_helps=scene.ruling.force_helps,
        instead=_instead(scene.ruling),
        notes=tuple(notes),
        heading="PROCESSES",
        rows=tuple(_kin_row(kin) for kin in plan.kin[:_ALSO]),
        pids=tuple(pids),
        rests_on=(
            plan.refused,
            scene.ruling.branch,
            scene.ruling.overruled,
            tuple((kin.process.pid, kin.process.start_token) for kin in plan.kin if kin.role in {"owner", "named"}),
        ),
    )


def attach_offer(asked: Asked, scene: Scene, plan: Attachment) -> Offer:
    """Of `attach`."""
    lines = tuple(shlex.join(command) for command in plan.way.commands) if plan.way and not plan.refused else ()
    takes = plan.way is not None and plan.way.takes_terminal
    place = plan.place.words if plan.place is not None else ""
    will = f"show it in this terminal, {place}; Refloat comes back when you leave it" if takes else f"show it {place}"
    notes = (*(plan.place.notes if plan.place else ()), *(plan.way.notes if plan.way and lines else ()))
    return Offer(
        asked=asked,
        question=f"Go to {scene.words}?",
        commands=lines,
        copied=" && ".join(lines),
        workspace=scene.workspace,
        will=(will,) if lines else (),
        will_not=("start a second agent, or type anything into the one that runs",),
        lease=_lease_words(scene.lease, "going there takes none"),
        guard=plan.refused.why if plan.refused is not None else scene.ruling.why,
        refused=plan.refused is not None,
        instead=_instead(scene.ruling) or ("stop" if plan.refused and _nowhere(plan) else None),
        notes=notes,
        takes_terminal=takes,
        rests_on=(plan.refused, lines, plan.place.pid if plan.place else None),
    )


def repair_offer(asked: Asked, scene: Scene, plan: RepairPlan, place: str) -> Offer:
    """Of `repair`: `place` is the directory or the file that the copy is written to."""
    words = ["refloat", "repair", plan.session, *(["--install"] if asked.out is None else ["--out", place])]
    words += [] if asked.force is None else ["--force", asked.force]
    line = shlex.join(words)
    installs = asked.out is None
    sound = plan.is_sound
    told = "as a session of its own, which its agent finds" if installs else "which no agent looks for"
    refused = sound or (installs and not scene.ruling.allowed)
    guard = scene.ruling.why if installs else "a copy elsewhere is no writer: nobody has to be asked"
    maybe = scene.state in {State.LIVE, State.UNRESOLVED}
    return Offer(
        asked=asked,
        question=f"Repair {scene.words} into a copy?",
        commands=(line,),
        copied=line,
        workspace=scene.workspace,
        will=() if sound else (f"write a new file, {told}: {inert_line(place)}",),
        will_not=("open the original for writing", *(f"take along {words}" for words in plan.left_out)),
        lease=_lease_words(scene.lease, "yours while it writes" if installs else "a copy elsewhere takes none"),
        guard="its transcript is sound: there is nothing to repair" if sound else guard,
        refused=refused,
        force_helps=installs and not sound and scene.ruling.force_helps,
        notes=(
            *(("its process may still run: what looks cut off may be under way",) if maybe and not sound else ()),
            *scene.ruling.warnings,
            *(f"overruled: {why}" for why in scene.ruling.overruled if installs),
            *((f"{len(plan.actions) - _ALSO} more lines: the command with --json has all",) if _many(plan) else ()),
        ),
        heading="WHAT IS WRONG, AND WHAT THE COPY DOES ABOUT IT",
        rows=tuple(
            Row(f"line {issue.line}", issue.severity, issue.code.replace("_", " "), f"{issue.detail}: {action.detail}")
            for issue, action in zip(plan.issues[:_ALSO], plan.actions[:_ALSO], strict=True)
        ),
        rests_on=(plan, scene.ruling.branch if installs else "", scene.ruling.overruled, asked.out),
    )


@dataclass(frozen=True, slots=True)
class Target:
    """Where the patch of lost work would go."""

    path: str | None
    """Its own file; None where no place is fit."""
    forbids: str = ""
    """Why nothing is written there."""
    inside: bool = False
    """It lies in the checkout."""


def salvage_offer(asked: Asked, title: str, found: Salvage, target: Target) -> Offer:
    """Of `salvage`."""
    command = shlex.join(["refloat", "salvage", found.session, "--out", target.path or "FILE.patch"])
    patched, shown = any(file.in_patch for file in found.files), inert_line(target.path or "")
    own, into = ("beside it", "a patch") if patched else ("as a file", "files: no patch can hold it")
    nothing = "" if found.files else "the record holds nothing that the checkout and the saved places lack"
    count = f"{len(found.files)} {'file' if len(found.files) == 1 else 'files'}"
    why = f"what its record holds of {count} stands nowhere else that is safe"
    return Offer(
        asked=asked,
        question=f"Write the lost work of {_title_words(title)} into {into}?",
        commands=(command,),
        copied=command,
        workspace=found.repo,
        will=tuple(_files_written(found, shown)),
        will_not=(
            *(() if patched else (f"write {shown} itself: nothing can be in that patch",)),
            f"touch the checkout, its index or a branch{': you apply the patch' if patched else ''}",
            "replace a file that is there",
        ),
        lease="none is needed: neither the session nor the checkout is written to",
        guard=nothing or target.forbids or why,
        refused=bool(nothing or target.forbids),
        notes=tuple(_care(found, target)),
        heading="WHAT IS LOST, AND WHAT BECOMES OF IT",
        rows=tuple(
            Row("in the patch" if file.in_patch else own if file.beside else "not to be had", "", file.path, file.why)
            for file in found.files[:_ALSO]
        ),
        rests_on=(found, target.path),
    )


def _files_written(found: Salvage, path: str) -> Iterator[str]:
    if any(file.in_patch for file in found.files):
        yield f"write {path}, a patch that is readable for you alone"
    if any(file.beside for file in found.files):
        yield f"write {path}{BESIDE}, with what no patch can hold, as it was recorded"
    if not all(file.in_patch for file in found.files):
        yield f"write {path}{BESIDE}{LISTING}, which says why each of it stands in no patch"


def _care(found: Salvage, target: Target) -> Iterator[str]:
    """What to know of the files before they are written."""
    if found.secrets:
        yield f"it holds {found.secrets} {'value' if found.secrets == 1 else 'values'} that look like secrets, exact"
    if target.inside:
        yield "the file lies in the checkout itself: git lists it as untracked"


def _many(plan: RepairPlan) -> bool:
    return len(plan.actions) > _ALSO


def _instead(ruling: Ruling) -> Operation | None:
    return None if ruling.instead == "brief" else ruling.instead  # a brief has its own place on the desk


def _nowhere(plan: Attachment) -> bool:
    return plan.place is not None and plan.place.kind in ENDED_INSTEAD


def _why(ruling: Ruling, refused: str | None) -> str:
    return ruling.why if refused is None or not ruling.allowed else refused


def _lease_words(lease: Lease | None, own: str) -> str:
    return holder_words(lease) if lease is not None else f"nobody else holds it; {own}"


def _heads(kin: Sequence[Kin]) -> str:
    heads = [each.process for each in kin if each.role in {"owner", "named"}]
    return ", ".join(f"{row.pid} ({inert_line(row.name)})" for row in heads)


def _kin_row(kin: Kin) -> Row:
    row = kin.process
    return Row(str(row.pid), kin.role, inert_line(row.name), inert_line(shlex.join(row.argv) or row.name))
