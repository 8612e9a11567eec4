"""`triage --probe`: each read-only look is shown first, run on a yes alone, and its answer shown masked."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from refloat.brief.masks import Masker
from refloat.errors import UsageError
from refloat.model.triage import DoNotRepeat, Triage
from refloat.ports import Machine
from refloat.text import inert
from refloat.there import is_directory
from refloat.usecases.probe import PROBE_SECONDS, plan_look, run_look
from refloat_tui.cli import out


def need_someone_to_ask(*, json_: bool) -> None:
    """Refuse where nobody can be asked.

    Raises:
        UsageError: there is no terminal, or standard output is meant for a program.
    """
    if json_:
        raise UsageError("--probe asks before each look, and --json is for programs: leave one of them out")
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise UsageError(
            "--probe asks before each look, and there is no terminal to ask on; `refloat triage` lists them"
        )


def ask_and_look(machine: Machine, triage: Triage, workspace: Path, masker: Masker) -> None:
    """Go through what is to be inspected, asking each time. Nothing is run without a yes."""
    rows = triage.inspect
    if not rows:
        out.write("\nNothing is to be looked at: no action outside the checkout has an unknown outcome.\n")
        return
    cwd = workspace if is_directory(workspace) else Path.cwd()
    out.write("\nLOOKS, each run only on your yes\n")
    for row in rows:
        out.lines(_asked(machine, row, cwd, masker), masker)


def _asked(machine: Machine, row: DoNotRepeat, cwd: Path, masker: Masker) -> Iterator[str]:
    shown = tuple(masker.text(word) for word in row.probe) if row.probe is not None else None
    look = plan_look(machine, row.probe, shown, row.place, cwd)
    title = f"\nstep {row.step}: {masker.text(row.action)}"
    if look.why_not is not None:
        yield title
        if shown is not None:
            yield f"  {shlex.join(shown)}"
        yield f"  {look.why_not}"
        return
    question = f"{title}\n  {shlex.join(look.argv)}\n  in {look.place}, for {PROBE_SECONDS:.0f} s at most; it only asks"
    out.write(inert(question) + "\n")
    if not click.confirm("  Run it now?", default=False):
        yield "  not run"
        return
    said = run_look(machine, look, masker.text)
    yield from ("  | " + line for line in said.out.splitlines() or ["(no output)"])
    yield f"  exit code {said.code}. This shows what is there now, and nothing more: what it means is yours to say."
