"""`run`, `step`, `trail`, `verify`, `record backup`: steps saved, and whether they are as they were saved."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from refloat import wire_record
from refloat.brief.masks import Masker, mask_tree
from refloat.machine.moment import now
from refloat.model.saving import OUTCOMES, SavedOutcome
from refloat.model.stamp import Stamp
from refloat.usecases import back_up_record as backups
from refloat.usecases.saved_record import open_saved
from refloat.usecases.show_trail import SHOWN
from refloat.usecases.verify_saved import verify_ref
from refloat_tui.cli import err, out, saving
from refloat_tui.cli import trail as trails
from refloat_tui.cli.commands.bench import as_json, bench, show_secrets
from refloat_tui.cli.show.record import verified_lines

if TYPE_CHECKING:
    from refloat.record.store import Record

Command = TypeVar("Command", bound=Callable[..., Any])


def opened() -> "Record":
    """The record, where anything was ever saved."""
    places = bench().machine.places
    return open_saved(places.data, places.config, places.environment, moment())


def moment() -> Stamp:
    """Now."""
    return Stamp(now())


def job_option(command: Command) -> Command:
    """Add `--job`."""
    return click.option("--job", required=True, metavar="JOB", help="The job that it is saved on.")(command)


def producer_option(command: Command) -> Command:
    """Add `--producer`."""
    return click.option(
        "--producer", metavar="P", help="Who does it (default: the agent's session that started this, else human:YOU)."
    )(command)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@job_option
@producer_option
@click.option("--receipt", type=click.Path(dir_okay=False), metavar="FILE", help="Write the receipt there, as JSON.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
def run(job: str, producer: str | None, receipt: str | None, command: tuple[str, ...]) -> int:
    """Run a command as it would run anyway, and save it as a step."""
    return saving.run(job, producer, receipt, command)


@click.command()
@job_option
@producer_option
@click.option("--tool", required=True, metavar="T", help="What did it.")
@click.option("--input", "given", metavar="FILE", help="What it was given; - for standard input.")
@click.option("--output", metavar="FILE", help="What came of it; - for standard input.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="How it ended (default: ok, or error by the exit code).")
@click.option("--exit-code", type=click.IntRange(min=0))
@click.option("--summary", help="One line that says what was done (default: the tool).")
@click.option("--note", help="Anything else that the next one must know.")
@as_json
def step(
    job: str,
    producer: str | None,
    tool: str,
    given: str | None,
    output: str | None,
    outcome: SavedOutcome | None,
    exit_code: int | None,
    summary: str | None,
    note: str | None,
    json_: bool,
) -> int:
    """Save a step that ran elsewhere."""
    return saving.step(
        job,
        tool,
        producer=producer,
        given=given,
        output=output,
        outcome=outcome,
        exit_code=exit_code,
        summary=summary,
        note=note,
        as_json=json_,
    )


@click.command()
@click.argument("job")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="So many steps.")
@show_secrets
@as_json
def trail(job: str, limit: int, show_secrets: bool, json_: bool) -> int:
    """What a newcomer to a job must know first."""
    return trails.trail(job, limit, as_json=json_, masked=not show_secrets)


@click.command(short_help="Is what was saved unchanged? If not: which step, which field.")
@click.argument("what", metavar="JOB|RECEIPT|FILE.json")
@show_secrets
@as_json
def verify(what: str, show_secrets: bool, json_: bool) -> int:
    """Re-hash everything, from the saved bytes up. Exit 1 when anything was altered since, or is missing."""
    found = verify_ref(what, opened, moment())
    masker = Masker(enabled=not show_secrets)
    if json_:
        out.write(wire_record.dump(wire_record.verified(found), masker))
    else:
        out.lines(verified_lines(mask_tree(found, masker), out.width()), masker)
    return 0 if found.ok else 1


@click.group()
def record() -> None:
    """Look after the record itself."""


@record.command()
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@as_json
def backup(target: Path, json_: bool) -> int:
    """Copy the whole record, outputs included, into one private file. Others may go on writing."""
    with opened() as kept:
        missing = backups.back_up_record(kept, target.absolute(), moment())
    if json_:
        out.write(wire_record.dump(wire_record.backed_up(str(target.absolute()), missing), Masker()))
        return 3 if missing else 0
    err.say(f"wrote {target}")
    for name in missing:
        err.say(f"the output {name} is not kept any more, and not in the backup")
    return 3 if missing else 0
