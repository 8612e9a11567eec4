"""Operations over a real workbench: joins the use cases, masks what is shown, keeps what is run as it is.

Decides nothing about sessions. Use cases are imported where they are called, in a worker. What takes this terminal is
Refloat's own command line, as a process of its own: it asks the guard and takes the leases itself, and the agent stands
for them when the app is gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.errors import NotDone, UsageError
from refloat.model.guard import tied_to
from refloat.model.session import SessionName, State
from refloat.model.situation import Guarded
from refloat.model.stopping import Progress, Stopped
from refloat.model.terminals import Attachment
from refloat_tui.operations import Asked, Offer, Operation, Planned, Repaired, Salvaged
from refloat_tui.present.offers import (
    Scene,
    Target,
    attach_offer,
    repair_offer,
    salvage_offer,
    start_offer,
    stop_offer,
)

if TYPE_CHECKING:
    from refloat.model.salvage import Salvage
    from refloat.model.stopping import StopPlan
    from refloat.usecases.act import Actor, Seen, Wish
    from refloat.usecases.start_agent import Plan
    from refloat.usecases.workbench import Workbench

_GUARDED: Final[dict[Operation, Guarded]] = {
    "attach": "attach",
    "continue": "continue",
    "new": "new",
    "stop": "stop",
    "repair": "install",
}
IN_DEMO: Final = "this is the demo, where no agent is started"
DEMO: Final = f"{IN_DEMO}; outside of it enter would run the command"


class _Planned:
    """One look. A subclass does what its operation can."""

    def __init__(self, offer: Offer) -> None:
        self.offer = _masked(offer)

    def in_terminal(self) -> int:
        raise NotDone(f"{self.offer.asked.operation} takes no terminal")

    def in_window(self) -> str:
        raise NotDone(f"{self.offer.asked.operation} opens no window")

    def stop(self, tell: Callable[[Progress], None]) -> Stopped:
        del tell
        raise NotDone(f"{self.offer.asked.operation} stops nothing")

    def repair(self) -> Repaired:
        raise NotDone(f"{self.offer.asked.operation} repairs nothing")

    def salvage(self) -> Salvaged:
        raise NotDone(f"{self.offer.asked.operation} salvages nothing")


class _Start(_Planned):
    def __init__(self, offer: Offer, bench: Workbench, plan: Plan, program: Sequence[str]) -> None:
        super().__init__(offer)
        self._bench, self._plan, self._program = bench, plan, program

    def _words(self) -> list[str]:
        from refloat.usecases.start_agent import words_of

        words = words_of(self._plan.order, self._plan.session.name)
        return [*self._program, words[0], "--hold", *words[1:]]

    def in_terminal(self) -> int:
        return self._bench.machine.terminals.converse(self._words())

    def in_window(self) -> str:
        from refloat.usecases.open_window import open_window

        where = open_window(self._bench.machine, self._words(), "", self._plan.agent)
        return f"{self._plan.session.name} goes on in tmux window {where}"


class _Attach(_Planned):
    def __init__(self, offer: Offer, bench: Workbench, plan: Attachment) -> None:
        super().__init__(offer)
        self._bench, self._plan = bench, plan

    def in_terminal(self) -> int:
        from refloat.usecases.attach_session import go

        return go(self._bench.machine, self._plan, stays=True)

    def in_window(self) -> str:
        from refloat.usecases.attach_session import go

        go(self._bench.machine, self._plan, stays=True)
        return f"it is shown {self._plan.place.words}" if self._plan.place is not None else "it is shown"


class _Stop(_Planned):
    def __init__(self, offer: Offer, bench: Workbench, actor: Actor, wish: Wish, plan: StopPlan) -> None:
        super().__init__(offer)
        self._bench, self._actor, self._wish, self._plan = bench, actor, wish, plan

    def stop(self, tell: Callable[[Progress], None]) -> Stopped:
        from refloat.brief.masks import Masker, mask_tree
        from refloat.usecases.stop_session import stop_session

        return mask_tree(stop_session(self._bench, self._actor, self._wish, self._plan, tell), Masker())


class _Repair(_Planned):
    def __init__(self, offer: Offer, bench: Workbench, actor: Actor, seen: Seen, cwd: Path) -> None:
        super().__init__(offer)
        self._bench, self._actor, self._seen, self._cwd = bench, actor, seen, cwd

    def repair(self) -> Repaired:
        from refloat.usecases.repair_session import draft_repair, install

        asked = self.offer.asked
        with draft_repair(self._bench, self._seen.located) as draft:
            if draft.plan != self.offer.rests_on[0]:
                raise NotDone("the transcript changed since it was looked at: nothing was written; look again")
            if asked.out is None:
                done = install(self._bench, self._actor, draft, self._cwd, force=asked.force)
            else:
                done = draft.write(_path(asked.out, self._bench, self._cwd))
        return Repaired(done.written or "", done.copy if done.installed else None)


class _Salvage(_Planned):
    def __init__(self, offer: Offer, bench: Workbench, found: Salvage, path: Path | None) -> None:
        super().__init__(offer)
        self._bench, self._found, self._path = bench, found, path

    def salvage(self) -> Salvaged:
        from shlex import join

        from refloat.usecases.put_salvage import put_salvage

        if self._path is None:
            raise NotDone("no file was named: nothing was written")
        put = put_salvage(self._bench, self._found, self._path)
        written = tuple(str(path) for path in (put.patch, put.beside, put.listing) if path is not None)
        apply = put.apply(self._found.repo)
        gone = self._found.gone if put.patch is not None else None
        return Salvaged(written, None if apply is None else join(apply), gone)


class BenchOperations:
    """All that the app may do to the sessions of one workbench."""

    def __init__(self, bench: Workbench, cwd: Path, program: Sequence[str], *, starts: bool = True) -> None:
        """`program`: the words that start Refloat's command line. `starts`: agents may be started."""
        self._bench, self._cwd, self._program, self._starts = bench, cwd, tuple(program), starts

    def _actor(self) -> Actor:
        from refloat.machine import here
        from refloat.usecases.act import actor_of

        return actor_of(self._bench.machine, here.runner(), here.is_running)

    def plan(self, asked: Asked) -> Planned:
        """Look, and say what would be done."""
        from refloat.usecases import act

        if asked.operation == "salvage":
            return self._salvage(asked)
        actor = self._actor()
        operation = _GUARDED[asked.operation]
        wish = act.Wish(operation, asked.session, self._cwd, asked.force, asked.pid)
        seen = act.look(self._bench, actor, wish)
        scene = Scene(seen.session.title, seen.session.state, seen.place, seen.ruling, seen.situation.lease)
        match asked.operation:
            case "continue" | "new":
                return self._start(asked, actor, wish, scene)
            case "attach":
                return self._attach(asked, actor, scene)
            case "stop":
                return self._stop(asked, actor, wish, seen, scene)
            case "repair":
                return self._repair(asked, actor, seen, scene)

    def _start(self, asked: Asked, actor: Actor, wish: Wish, scene: Scene) -> Planned:
        from refloat.usecases.start_agent import Order, installed_agents, plan_start

        plan = plan_start(self._bench, actor, Order(wish, asked.prompt or None, asked.agent, asked.brief))
        agents = installed_agents(self._bench) if asked.operation == "new" else ()
        in_tmux = bool(self._bench.machine.places.environment.get("TMUX"))
        offer = start_offer(asked, scene, plan, agents, in_tmux=in_tmux)
        if not self._starts and plan.refused is None:  # a refusal of the guard's holds in the demo as anywhere
            guard = DEMO if plan.installed else f"{IN_DEMO}; and {offer.guard}"
            offer = replace(offer, refused=True, force_helps=False, instead=None, guard=guard, elsewhere=False)
        return _Start(offer, self._bench, plan, self._program)

    def _attach(self, asked: Asked, actor: Actor, scene: Scene) -> Planned:
        from refloat.usecases.attach_session import plan_attach

        plan = plan_attach(self._bench, actor, asked.session, self._cwd)
        return _Attach(attach_offer(asked, scene, plan), self._bench, plan)

    def _stop(self, asked: Asked, actor: Actor, wish: Wish, seen: Seen, scene: Scene) -> Planned:
        from refloat.usecases.stop_plan import plan_stop

        plan = plan_stop(self._bench, actor, wish)
        # What a dead process left behind names one, too: there is nobody to choose among then.
        pids = tied_to(seen.situation) if seen.session.state is State.UNRESOLVED else ()
        return _Stop(stop_offer(asked, scene, plan, pids), self._bench, actor, wish, plan)

    def _repair(self, asked: Asked, actor: Actor, seen: Seen, scene: Scene) -> Planned:
        from refloat.usecases.repair_session import draft_repair

        with ExitStack() as stack:
            draft = stack.enter_context(draft_repair(self._bench, seen.located))
            refused = ""
            out = None if asked.out is None else _path(asked.out, self._bench, self._cwd)
            place = "" if out is None else str(out)
            try:
                if out is None:
                    place = str(draft.place.parent)
                elif not draft.plan.is_sound:
                    draft.destination(out)
            except (NotDone, UsageError) as error:
                refused = str(error)
            offer = repair_offer(asked, scene, draft.plan, place)
        if refused:
            offer = replace(offer, refused=True, force_helps=False, guard=refused, will=())
        return _Repair(offer, self._bench, actor, seen, self._cwd)

    def _salvage(self, asked: Asked) -> Planned:
        from refloat.usecases.find_sessions import resolve
        from refloat.usecases.salvage import salvage_session

        located = resolve(self._bench, asked.session, self._cwd)
        found = salvage_session(self._bench, located)
        path = self._patch_of(found) if asked.out is None else _path(asked.out, self._bench, self._cwd)
        target = Target(
            None if path is None else str(path),
            self._forbids(path, found),
            inside=path is not None and _is_below(path, found.repo),
        )
        return _Salvage(salvage_offer(asked, located.session.title, found, target), self._bench, found, path)

    def _patch_of(self, found: Salvage) -> Path | None:
        """A new file at home, or in a temporary place where home lies in the checkout: it is written into only if a
        person names a file there.
        """
        places = self._bench.machine.places
        from refloat.usecases.put_salvage import in_the_way

        name = found.session.rpartition(":")[2][:8]
        for place in (places.home, Path(places.environment.get("TMPDIR") or "/tmp")):  # noqa: S108 - a new, private file
            if _is_below(place, found.repo):
                continue
            numbered = (
                place / f"refloat-salvage-{name}{number}.patch" for number in ("", *(f"-{n}" for n in range(2, 99)))
            )
            return next((path for path in numbered if in_the_way(found, path) is None), None)
        return None

    def _forbids(self, path: Path | None, found: Salvage) -> str:
        from refloat.usecases.put_salvage import in_the_way
        from refloat.usecases.targets import refuse_target

        if path is None:
            return "no place outside of the checkout was found for it; e names a file" if found.files else ""
        try:
            refuse_target(path, self._bench.machine.places, self._bench.readers)
        except UsageError as error:
            return str(error)
        if (there := in_the_way(found, path)) is not None:
            return f"{there} is there already; e names another file"
        return ""

    def peek(self, session: SessionName) -> Attachment:
        """Where a session lives and what is to be seen there, masked."""
        from refloat.brief.masks import Masker, mask_tree
        from refloat.usecases.attach_session import mask_screen, plan_attach

        masker = Masker()
        plan = mask_screen(plan_attach(self._bench, self._actor(), session, self._cwd, peek=True), masker)
        return mask_tree(plan, masker)


def _is_below(path: Path, directory: str | None) -> bool:
    return directory is not None and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(directory))


def _path(text: str, bench: Workbench, cwd: Path) -> Path:
    if text == "~" or text.startswith("~/"):
        return Path(f"{bench.machine.places.home}{text[1:]}")
    return cwd / text


def _masked(offer: Offer) -> Offer:
    """Masked for the eye; what was asked, and what a yes rests on, stay as they are."""
    from refloat.brief.masks import Masker, mask_tree

    shown = mask_tree(
        replace(offer, asked=replace(offer.asked, prompt=None, force=None, brief=None), rests_on=()), Masker()
    )
    return replace(shown, asked=offer.asked, rests_on=offer.rests_on)
