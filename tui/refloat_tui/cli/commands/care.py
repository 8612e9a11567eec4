"""`refresh`, `doctor`."""

import click

from refloat import wire
from refloat.usecases.doctor import examine_machine
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat_tui.cli import err
from refloat_tui.cli.commands.bench import answer, as_json, bench
from refloat_tui.cli.show.care import doctor_lines


@click.command()
def refresh() -> None:
    """Read all that is new into the catalogue."""
    listing = list_sessions(bench(), Scope())
    err.say(f"{len(listing.sessions)} sessions read, {len(listing.problems)} problems")


@click.command(short_help="What was found, and what could not be read.")
@as_json
def doctor(json_: bool) -> None:
    """What was found, what could not be read, what is missing on this machine."""
    answer(examine_machine(bench()), doctor_lines, wire.doctor if json_ else None, masked=True)
