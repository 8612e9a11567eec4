"""`keep`, `refresh`, `doctor`."""

from contextlib import closing

import click

from refloat import wire
from refloat.model.problem import only_unread
from refloat.model.refreshed import Refreshed
from refloat.uncollected import Uncollected
from refloat.usecases.refresh import refresh as read_all
from refloat_tui.cli import err
from refloat_tui.cli.commands.bench import answer, as_json, bench, located
from refloat_tui.cli.ending import UNREAD
from refloat_tui.cli.show.care import doctor_lines, refresh_line, refreshed_lines
from refloat_tui.cli.show.keep import kept_lines, kept_many_lines


@click.command(short_help="An own copy of a session, before its agent deletes it.")
@click.argument("session", metavar="SESSION", required=False)
@click.option("--all-due", is_flag=True, help="Every session that its agent's clean-up deletes within a week.")
@as_json
def keep(session: str | None, all_due: bool, json_: bool) -> int:
    """An own, compressed and hashed copy of the transcript and its side files. It is exact: secrets stay in it."""
    if (session is None) != all_due:
        message = "name one session, or `--all-due`"
        raise click.UsageError(message)
    from refloat.usecases.keep_session import keep_due, keep_session  # no other command of this file knows a record

    if session is not None:
        answer(keep_session(bench(), located(session)), kept_lines, wire.keep if json_ else None, masked=True)
        return 0
    many = keep_due(bench())
    answer(many, kept_many_lines, wire.keep_many if json_ else None, masked=True)
    return 1 if many.failed else 0


@click.command(short_help="Read all that is new.")
@as_json
def refresh(json_: bool) -> int:
    """Read all that is new, newest files first, with progress on standard error. Stopped early, it keeps that much."""
    state, code = Refreshed(), 0
    with Uncollected(), closing(read_all(bench())) as states:
        try:
            for state in states:
                err.progress(refresh_line(state))
        except KeyboardInterrupt:
            code = 130
    err.progress("")
    if not state.kept:
        err.say(f"nothing could be kept: {bench().machine.places.cache} cannot be written")
        code = 3
    answer(state, refreshed_lines, wire.refreshed if json_ else None, masked=True)
    return code or (UNREAD if only_unread(state.problems) else 0)


@click.command(short_help="What was found, and what could not be read.")
@as_json
def doctor(json_: bool) -> None:
    """What was found, what could not be read, what is missing on this machine."""
    from refloat.usecases.doctor import examine_machine  # half of all rooms

    answer(examine_machine(bench()), doctor_lines, wire.doctor if json_ else None, masked=True)
