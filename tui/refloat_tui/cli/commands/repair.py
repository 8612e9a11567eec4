"""`repair`: a plan, and a repaired copy."""

import sys
from pathlib import Path

import click

from refloat import wire
from refloat.model.repair import Repair
from refloat.model.situation import Ruling
from refloat.usecases.act import Refused, Wish, look
from refloat.usecases.repair_session import Draft, draft_repair
from refloat.usecases.repair_session import install as install_copy
from refloat_tui.cli import err
from refloat_tui.cli.asking import actor
from refloat_tui.cli.commands.bench import answer, as_json, bench, here, located, out_option, session_argument
from refloat_tui.cli.show.repair import repair_lines


@click.command(
    short_help="A repaired copy of a transcript that its agent cannot load.",
    epilog="refloat repair last   |   refloat repair ID --out copy.jsonl   |   refloat repair ID --install --dry-run",
)
@session_argument
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only say what is wrong and what a copy would do (the default); with --install: where it goes.",
)
@out_option("Write the copy to this new file (0600).", instead="name a new file for the copy, such as copy.jsonl")
@click.option("--install", is_flag=True, help="Write the copy where its agent finds it, as a session of its own.")
@click.option("--yes", is_flag=True, help="With --install: write without asking.")
@click.option("--force", metavar="REASON", help="With --install: although something may still be at it; is recorded.")
@as_json
def repair(
    session: str, dry_run: bool, target: Path | None, install: bool, yes: bool, force: str | None, json_: bool
) -> int:
    """What keeps an agent from loading a transcript, and a repaired copy of it.

    The original is never written to. The copy is a session of its own, with a new id; calls whose result was never
    recorded are closed in it as interrupted, and stay open questions.
    """
    if target is not None and (dry_run or install):
        message = "`--out` goes with neither `--dry-run` nor `--install`"
        raise click.UsageError(message)
    if (force is not None or yes) and not install:
        message = "`--force` and `--yes` go with `--install`"
        raise click.UsageError(message)
    with draft_repair(bench(), located(session)) as draft:
        done = Repair(draft.plan)
        if not draft.plan.is_sound:
            if draft.may_be_running and not install:
                err.say("its process may still run: what looks cut off may be under way")
            if target is not None:
                done = draft.write(target)
            elif install:
                refused = _refusal(draft, force, "would" if dry_run else "will")
                done = Repair(draft.plan, refused=refused)
                if refused is None and not dry_run:
                    done = _installed(draft, yes=yes, force=force)
        answer(done, repair_lines, wire.repair if json_ else None, masked=True)
    return 0 if done.refused is None else 1


def _refusal(draft: Draft, force: str | None, verb: str) -> Ruling | None:
    """Say where the copy goes, and what the guard says of it now; nothing is written."""
    seen = look(bench(), actor(), Wish("install", draft.plan.session, here(), force))
    if not seen.ruling.allowed:
        err.say(f"REFUSED: {Refused(seen.ruling)}")
    more = "; nothing else is touched" if seen.ruling.allowed and verb == "will" else ""
    err.say(f"{f'{verb} write' if seen.ruling.allowed else 'refused:'} {_told(draft)}{more}")
    for why in seen.ruling.overruled:
        err.say(f"`--force` {verb} overrule: {why}")
    return None if seen.ruling.allowed else seen.ruling


def _told(draft: Draft) -> str:
    many = len(draft.plan.actions)
    return f"{draft.place}: a new session of the agent's ({draft.name}), with {many} repair{'' if many == 1 else 's'}"


def _installed(draft: Draft, *, yes: bool, force: str | None) -> Repair:
    if not yes and not _agreed():
        return Repair(draft.plan)
    try:
        return install_copy(bench(), actor(), draft, here(), force=force)
    except Refused as fault:  # it was allowed a moment ago
        err.say(f"REFUSED: {fault}")
        return Repair(draft.plan, refused=fault.ruling)


def _agreed() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "`--install` asks first; `--yes` answers for a script"
        raise click.UsageError(message)
    return click.confirm("Write it?", default=False, err=True)
