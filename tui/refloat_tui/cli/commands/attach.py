"""`attach`: go to where a session lives, or only look."""

import click

from refloat import wire
from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.model.terminals import Attachment
from refloat.usecases.attach_session import go, mask_screen, plan_attach
from refloat_tui.cli import err, out
from refloat_tui.cli.asking import actor
from refloat_tui.cli.commands.bench import answer, as_json, bench, here, session_argument, show_secrets
from refloat_tui.cli.show.attach import note_lines, plan_lines


@click.command(short_help="Go to the terminal of a live session.")
@session_argument
@click.option("--peek", is_flag=True, help="Only show what its screen shows: nothing is switched.")
@click.option("--dry-run", is_flag=True, help="Say where it lives and what would be run.")
@show_secrets
@as_json
def attach(session: str, peek: bool, dry_run: bool, show_secrets: bool, json_: bool) -> int:
    """Go to where a live session runs: its tmux, screen or zellij pane, or its agent's own background.

    From inside the same tmux its view is switched; from elsewhere this terminal becomes one that looks at the pane.
    Where nothing leads there it says where the process lives, and exits with 1.

    \b
    refloat attach last               go there
    refloat attach last --peek        see its screen without going
    refloat attach last --dry-run     the exact command, nothing more
    """  # noqa: D301 - click's sign for lines that stay as they are
    plan = plan_attach(bench(), actor(), session, here(), peek=peek)
    if peek:
        return _show(plan, json_=json_, masked=not show_secrets)
    if json_ or dry_run:
        answer(plan, plan_lines, wire.attach if json_ else None, masked=not show_secrets)
    if plan.refused is not None:
        return _refused(plan, told=json_ or dry_run)
    if dry_run:
        return 0
    masker = Masker()
    for sentence in (f"it lives {plan.place.words}: going there" if plan.place else "", *note_lines(plan)):
        if sentence and not json_:
            err.say(masker.text(sentence))
    return go(bench().machine, plan, stays=False)


def _refused(plan: Attachment, *, told: bool) -> int:
    if told or plan.refused is None:
        return 1
    raise NotDone(Masker().text(plan.refused.why))


def _show(plan: Attachment, *, json_: bool, masked: bool) -> int:
    masker = Masker(enabled=masked)
    plan = mask_screen(plan, masker)
    if json_:
        out.write(wire.dump(wire.attach(plan), masker=masker))
        return 0 if plan.screen is not None else 1
    if plan.screen is None:
        why = plan.refused.why if plan.refused is not None else f"what is shown {plan.place.words} cannot be read"  # pyright: ignore[reportOptionalMemberAccess] - refused or placed
        raise NotDone(masker.text(why))
    if plan.place is not None:
        err.say(masker.text(f"this is shown {plan.place.words} (process {plan.place.pid}):"))
    out.lines(plan.screen, masker)
    for note in plan.place.notes if plan.place is not None else ():
        err.say(masker.text(note))
    return 0
