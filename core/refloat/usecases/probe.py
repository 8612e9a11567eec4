"""Run the read-only look that would tell whether an effect outside happened, once a person has said yes to it.

Decides where it runs, and whether it can be run from here at all. Refuses a command that differs from the one that was
shown (a secret in it is masked), and a checkout whose own git configuration would have the look start programs.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refloat.errors import NotDone
from refloat.model.recovery import Probe
from refloat.ports import Machine
from refloat.text import cut
from refloat.there import is_directory
from refloat.usecases.remotes import why_no_remote

PROBE_SECONDS: Final = 20.0
_KEPT: Final = 2_000
"""Characters of an answer that stay."""
_STARTS: Final = re.compile(rb"credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|vcs)", re.DOTALL)
"""Settings with which a question to a remote starts a program (git-config(1)). `core.sshCommand` and the like, and
addresses that name a helper, are overruled by the launcher."""


@dataclass(frozen=True, slots=True)
class Look:
    """A look that a person can be asked about."""

    argv: tuple[str, ...]
    """As it is run."""
    place: Path
    """Where it is run."""
    why_not: str | None
    """Why it cannot be run from here; None: it can."""


def plan_look(
    machine: Machine, exact: tuple[str, ...] | None, shown: tuple[str, ...] | None, place: str | None, cwd: Path
) -> Look:
    """What would be run, and where.

    `exact` is the command as the record has it, `shown` the one that a person sees; `place` the directory that the
    action ran in, `cwd` the one to take where that is gone.
    """
    where = Path(place) if place is not None and place.startswith("/") and is_directory(place) else cwd
    return Look(exact or (), where, _why_not(machine, exact, shown, where))


def _why_not(machine: Machine, exact: tuple[str, ...] | None, shown: tuple[str, ...] | None, where: Path) -> str | None:
    if shown is None or exact is None:
        return "No read-only command is known that would tell. Look yourself, then say what you found."
    if exact != shown:
        return "The command holds a secret, which is masked here. Run it yourself, then say what you found."
    if machine.launcher.which(exact[0]) is None:
        return f"{exact[0]} is not installed here."
    if no_remote := why_no_remote(machine.git, where, exact):
        return f"{no_remote[0].upper()}{no_remote[1:]}: the look would have nobody to ask."
    if exact[0] == "git" and (setting := _starts_a_program(machine, where)):
        return (
            f"This checkout's own git configuration has {setting}, which the look would obey. Run it yourself, then "
            "say what you found."
        )
    return None


def _starts_a_program(machine: Machine, where: Path) -> str | None:
    """A setting of the checkout itself that has git start a program when it asks a remote."""
    told = machine.git.run(where, "config", "--list", "--local", "--includes", "-z")
    for entry in told.out.split(b"\0") if told.code == 0 else ():
        name, _, value = entry.partition(b"\n")
        if value and _STARTS.fullmatch(name):
            return name.decode("utf-8", "replace")
    return None


def run_look(machine: Machine, look: Look, mask: Callable[[str], str]) -> Probe:
    """Run a look that a person has seen and confirmed. Its answer is masked before it is cut.

    Raises:
        NotDone: it may not be run; `why_not` says why.

    """
    if look.why_not is not None:
        raise NotDone(look.why_not)
    answered = machine.launcher.run(look.argv, look.place, PROBE_SECONDS)
    out = (answered.out.decode("utf-8", "backslashreplace") + answered.err).strip()
    if answered.timed_out:
        out = f"no answer within {PROBE_SECONDS:.0f} s\n{out}".strip()
    return Probe(look.argv, answered.code, cut(mask(out), _KEPT), machine.clock.now())
