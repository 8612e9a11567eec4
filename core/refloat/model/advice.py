"""Advice: the one next operation of a session, out of what the guard lets through.

Decides which operation a state calls for, and what is said where the guard forbids it: then no command is advised.
Refuses to know a command line, a checkout, or a rule of its own about who may act: `model.guard` judges.
"""

from typing import Final, assert_never

from refloat.model.guard import judge, tied_to
from refloat.model.light import light, replace
from refloat.model.session import State, place_here
from refloat.model.situation import Guarded, Ruling, Situation
from refloat.model.status import Operation

_TO_THEM: Final = ": agree with them first, who finishes it or takes it over"
_TO_YOURSELF: Final = ", or finish it; nothing that was said is lost"
_PEOPLE: Final = frozenset({"session_is_held", "workspace_is_held", "another_person_works_there"})


@light
class Advice:
    """What is advised, and the guard's word on it."""

    operation: Operation
    why: str
    ruling: Ruling | None = None
    """None: nobody has to be asked."""
    forbids: str = ""
    """What keeps anybody from doing it here and now; empty: nothing does."""

    @property
    def first_the_place(self) -> bool:
        """What goes on with the session itself waits for the workspace to be there again."""
        return self.operation in {"continue", "prompt"} and bool(self.forbids)

    @property
    def by_hand(self) -> bool:
        """It cannot be done here, and can be taken along: the brief needs neither the process nor the workspace."""
        return self.operation == "new_linked" and bool(self.forbids)


def advise(seen: Situation) -> Advice:
    """The next operation (design, section 3), whatever operation the situation was looked at for."""
    match seen.state:
        case State.LIVE:
            return _to_the_owner(seen)
        case State.UNRESOLVED:
            return _to_find_out(seen)
        case State.FAILED | State.STOPPED | State.UNBOUND:
            return _to_go_on(seen)
        case _:
            assert_never(seen.state)


def _ask(seen: Situation, operation: Guarded) -> Ruling:
    return judge(replace(seen, operation=operation, force=None, pid=None))


def _is_your_own(seen: Situation) -> bool:
    return seen.lease is not None and seen.lease.holder == seen.own


def _to_find_out(seen: Situation) -> Advice:
    why = "a process may own it, or its absence cannot be proved: find out before anything else is started"
    tied = tied_to(seen)
    if not tied:
        return Advice("resolve_liveness", f"{why}; the evidence names no process that could be ended here")
    pids = " or ".join(map(str, tied))
    settled = f"the evidence names process {pids}; if that is its own, ending it by its number settles it"
    return Advice("resolve_liveness", f"{why}; {settled}")


def _to_the_owner(seen: Situation) -> Advice:
    ruling = _ask(seen, "attach")
    pids = ", ".join(map(str, seen.liveness.owners))
    owner = f"process {pids} owns it" if pids else "a process owns it"
    if ruling.allowed:
        return Advice("attach", f"{owner}: go to its terminal; do not start a second one on it", ruling)
    return Advice("attach", f"{owner}, and {ruling.why}: agree with them first", ruling, ruling.why)


def _to_go_on(seen: Situation) -> Advice:
    ruling = _ask(seen, "continue")
    if ruling.allowed:
        asked = ruling.branch == "ask_for_the_first_time"
        return Advice("prompt" if asked else "continue", ruling.why, ruling)
    anew = _ask(seen, "new")
    if anew.allowed:
        return Advice("new_linked", ruling.because, anew)
    if anew.branch in _PEOPLE:
        first = _TO_YOURSELF if _is_your_own(seen) else _TO_THEM
        return Advice("resolve_liveness", f"{anew.because}{first}", forbids=anew.because)
    if anew.branch == "no_workspace":
        # A talk that ended well is still there to go on with: only its place is missing.
        then: dict[State, Operation] = {State.STOPPED: "continue", State.UNBOUND: "prompt"}
        is_other = seen.workspace is not None and place_here(seen.workspace) is None  # never a place of this machine
        if not is_other and ruling.branch == "no_workspace" and (own := then.get(seen.state)) is not None:
            return Advice(own, ruling.because, ruling, ruling.because)
        return Advice("new_linked", anew.because, anew, anew.because)
    return Advice("resolve_liveness", anew.why, forbids=anew.because)
