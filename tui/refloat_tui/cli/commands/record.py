"""`run`, `step`, `trail`, `verify`, `record …`: steps saved, and whether they are as they were saved."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from refloat import wire_record
from refloat.brief.masks import Masker, mask_tree
from refloat.errors import NotDone
from refloat.machine import here
from refloat.machine.moment import now
from refloat.model.saving import OUTCOMES, SavedOutcome
from refloat.model.stamp import Stamp
from refloat.usecases import back_up_record as backups
from refloat.usecases import known_keys as keys
from refloat.usecases.saved_record import open_saved
from refloat.usecases.show_trail import SHOWN
from refloat.usecases.targets import refuse_dash
from refloat.usecases.verify_saved import verify_ref
from refloat_tui.cli import err, out, saving
from refloat_tui.cli import trail as trails
from refloat_tui.cli.commands.bench import as_json, bench, show_secrets
from refloat_tui.cli.show.record import keys_lines, verified_lines

if TYPE_CHECKING:
    from refloat.record.store import Record

Command = TypeVar("Command", bound=Callable[..., Any])


def opened() -> "Record":
    """The record, where anything was ever saved."""
    places = bench().machine.places
    return open_saved(places.data, places.config, places.environment, moment())


def tell_unsigned(record: "Record") -> None:
    """Say why what was just saved is not signed although there is a key."""
    if record.unsigned_because is not None:
        err.say(record.unsigned_because)


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
@click.option("--force", is_flag=True, help="Replace a file that is no receipt.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
def run(job: str, producer: str | None, receipt: str | None, command: tuple[str, ...], *, force: bool) -> int:
    """Run a command as it would run anyway, and save it as a step."""
    return saving.run(job, producer, receipt, command, force=force)


@click.command()
@job_option
@producer_option
@click.option("--tool", required=True, metavar="T", help="What did it.")
@click.option("--input", "given", metavar="FILE", help="What it was given; - for standard input.")
@click.option("--output", metavar="FILE", help="What came of it; - for standard input.")
@click.option("--outcome", type=click.Choice(OUTCOMES), help="How it ended (default: ok, or error by the exit code).")
@click.option("--exit-code", type=click.IntRange(min=0, max=2**31 - 1))
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
    found = verify_ref(what, opened, moment(), keys.known_in(bench().machine.places.data))
    masker = Masker(enabled=not show_secrets)
    if json_:
        out.write(wire_record.dump(wire_record.verified(found), masker))
    else:
        out.lines(verified_lines(mask_tree(found, masker), out.width(whole=show_secrets)), masker)
    return 0 if found.ok else 1


@click.group(invoke_without_command=True)
@click.pass_context
def record(context: click.Context) -> None:
    """Look after the record itself."""
    if context.invoked_subcommand is None:
        out.write(context.get_help() + "\n")


@record.command()
@click.argument("name", metavar="FILE", type=click.Path(dir_okay=False))
@as_json
def backup(name: str, json_: bool) -> int:
    """Copy the whole record, outputs included, into one private file. Others may go on writing."""
    refuse_dash(name, "backup", "name a new file for the copy, such as record-backup.db")
    target = Path(name)
    with opened() as kept:
        missing = backups.back_up_record(bench(), kept, target.absolute(), moment())
    if json_:
        out.write(wire_record.dump(wire_record.backed_up(str(target.absolute()), missing), Masker()))
        return 3 if missing else 0
    err.say(f"wrote {target}")
    for output in missing:
        err.say(f"the output {output} is not kept any more, and not in the backup")
    return 3 if missing else 0


@record.command("key", short_help="This machine's own key; receipts are signed with it.")
@click.option("--new", "make", is_flag=True, help="Make it (private, 0600); receipts sealed from now on are signed.")
@click.option("--name", metavar="NAME", help="What it is called here (default: YOU@HOST).")
@as_json
def key_(make: bool, name: str | None, json_: bool) -> None:
    """Print this machine's public key, for `refloat record trust` on others."""
    data = _data()
    found = keys.make_key(data, name or here.user_at_host(os.environ)) if make else keys.get_own_key(data)
    if found is None:
        raise NotDone("this machine has no key, and receipts are not signed; `refloat record key --new` makes one")
    _answer_key(found, json_=json_)


@record.command("keys")
@as_json
def keys_(json_: bool) -> None:
    """Every key that is known here: `refloat verify` calls what others signed `unknown_key`."""
    found = keys.list_keys(_data())
    masker = Masker()
    if json_:
        out.write(wire_record.dump(wire_record.known_keys(found), masker))
    else:
        out.lines(keys_lines(mask_tree(found, masker), out.width()), masker)


@record.command()
@click.argument("key")
@click.option("--name", metavar="NAME", help="Whose it is (default: its first digits).")
@as_json
def trust(key: str, name: str | None, json_: bool) -> None:
    """Know a public key from here on; ask its owner for it on another way than the receipts came."""
    _answer_key(keys.trust_key(_data(), key, name or key[:12]), json_=json_)


@record.command()
@click.argument("key", metavar="KEY|NAME")
@as_json
def untrust(key: str, json_: bool) -> None:
    """Forget a key: what it signed is of an unknown key from here on."""
    _answer_key(keys.untrust_key(_data(), key), json_=json_)


def _data() -> Path:
    return bench().machine.places.data


def _answer_key(key: keys.KnownKey, *, json_: bool) -> None:
    masker = Masker()
    if json_:
        out.write(wire_record.dump(wire_record.known_key(key), masker))
    else:
        out.lines(keys_lines([mask_tree(key, masker)], out.width()), masker)
