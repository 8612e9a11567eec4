"""`wrap`, `pickup`, `decide`, `export`, `reconstruct`: a job goes from hand to hand."""

import os
from pathlib import Path

import click

from refloat import wire_record
from refloat.brief.find_secrets import find_secrets
from refloat.brief.masks import Masker, mask_tree
from refloat.errors import NotDone
from refloat.machine import here
from refloat.model.saving import RELEASES, STATUSES, Release, Status
from refloat.usecases.export_job import FORMATS, Format, export_job, write_export_file
from refloat.usecases.hand_over import NewDecision, NewWrap, decide_job, pick_up, wrap_job
from refloat.usecases.read_session import read_story
from refloat.usecases.reconstruct import reconstruct_on
from refloat.usecases.save_step import default_producer
from refloat.usecases.targets import refuse_taken, refuse_target
from refloat_tui.cli import err, out
from refloat_tui.cli.commands.bench import as_json, bench, located, out_option, session_argument, show_secrets
from refloat_tui.cli.commands.record import moment, opened, producer_option, tell_unsigned
from refloat_tui.cli.show.record import pickup_lines, wrap_lines
from refloat_tui.cli.show.table import counted


@click.command()
@click.argument("job")
@producer_option
@click.option("--summary", required=True, help="What was done.")
@click.option("--goal", default="", help="What for (default: the goal of the last wrap).")
@click.option("--to", "recipient", help="Who shall go on.")
@click.option("--next", "next_steps", multiple=True, help="What comes next; may be given more than once.")
@click.option("--not-checked", multiple=True, help="What nobody checked; may be given more than once.")
@click.option("--note", help="Anything else.")
@show_secrets
@as_json
def wrap(
    job: str,
    producer: str | None,
    summary: str,
    goal: str,
    recipient: str | None,
    next_steps: tuple[str, ...],
    not_checked: tuple[str, ...],
    note: str | None,
    show_secrets: bool,
    json_: bool,
) -> None:
    """Hand a job over: what was done, what for, to whom, what comes next."""
    new = NewWrap(job, moment(), _who(producer), summary, goal, recipient, next_steps, not_checked, note=note)
    with opened() as record:
        done = wrap_job(record, new)
        tell_unsigned(record)
    masker = Masker(enabled=not show_secrets)
    if json_:
        out.write(wire_record.dump(wire_record.link_answer(job, "wrap", wire_record.wrap(done)), masker))
    else:
        width = out.width(whole=show_secrets)
        lines = [*wrap_lines(mask_tree(done, masker), width), "", f"`refloat pickup {done.id[:12]} --as YOU`"]
        out.lines(lines[1:], masker)


@click.command()
@click.argument("wrap", metavar="WRAP|JOB")
@click.option("--as", "producer", required=True, metavar="P", help="Who goes on.")
@show_secrets
@as_json
def pickup(wrap: str, producer: str, show_secrets: bool, json_: bool) -> None:
    """Accept a wrap, or a job that has none: its trail, what most rests on verified, and where to go on."""
    with opened() as record:
        picked = pick_up(record, wrap, producer, moment, here.is_running)
        tell_unsigned(record)
    masker = Masker(enabled=not show_secrets)
    if not json_:
        out.lines(pickup_lines(mask_tree(picked, masker), out.width(whole=show_secrets)), masker)
        return
    out.write(wire_record.dump(wire_record.picked_up(picked), masker))


@click.command()
@click.argument("job")
@click.argument("status", type=click.Choice(STATUSES))
@click.option("--by", required=True, metavar="WHO", help="Who decides.")
@click.option("--release", type=click.Choice(RELEASES), help="May it be released?")
@click.option("--about", metavar="RECEIPT", help="What it is about (default: the job).")
@click.option("--note", help="Why.")
@as_json
def decide(
    job: str, status: Status, by: str, release: Release | None, about: str | None, note: str | None, json_: bool
) -> None:
    """Decide on a job: accepted, pending or declined."""
    with opened() as record:
        done = decide_job(record, NewDecision(job, moment(), status, by, release, about, note=note))
        tell_unsigned(record)
    masker = Masker()
    if json_:
        out.write(wire_record.dump(wire_record.link_answer(job, "decision", wire_record.decision(done)), masker))
    else:
        out.lines([f"{job} is {done.status}, decided by {done.decided_by}; receipt {done.link.receipt[:12]}"], masker)


@click.command()
@click.argument("job")
@click.option("--format", "form", type=click.Choice(FORMATS), default="json", show_default=True)
@out_option("Write it here, private (0600); - for standard output.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.option("--show-secrets", is_flag=True, help="Print to a terminal even what looks like secrets.")
@as_json
def export(job: str, form: Format, target: Path | None, force: bool, show_secrets: bool, json_: bool) -> None:
    """Write a job out, exact: JSON that `refloat verify` checks anywhere, Markdown, or receipts of AER-1."""
    if json_ and target is None and form != "json":
        raise click.UsageError(f"--json tells of a file: give --out, or leave --format {form} away")
    if force and target is None:
        raise click.UsageError("--force replaces a file; name it with --out")
    if target is not None:
        refuse_target(target, bench().machine.places, bench().readers)
        refuse_taken(target, "", force=force)
    secrets: list[int] = []
    with opened() as record:
        document = export_job(record, job, form, lambda text: secrets.append(len(find_secrets(text))))
        if target is None and out.is_terminal() and not show_secrets:
            pieces = list(document)  # nothing is printed before all of it was looked through
            if sum(secrets):
                raise NotDone(
                    f"{_look_like(sum(secrets))}, and this is a terminal: write it to a file with --out FILE, or print "
                    "it with --show-secrets"
                )
            for piece in pieces:
                out.exact(piece)
        elif target is None:
            for piece in document:
                out.exact(piece)
        else:
            write_export_file(target.absolute(), document)
    if json_ and target is not None:
        told = wire_record.exported(job, form, str(target.absolute()), sum(secrets))
        out.write(wire_record.dump(told, Masker()))
    elif target is not None:
        err.say(f"wrote {target}")
    if sum(secrets):
        err.say(f"it is exact, and {_look_like(sum(secrets))}")


def _look_like(secrets: int) -> str:
    return f"{counted(secrets, 'value')} in it {'looks like a secret' if secrets == 1 else 'look like secrets'}"


@click.command()
@session_argument
@click.option("--job", required=True, metavar="JOB", help="The job that it is put on.")
@as_json
def reconstruct(session: str, job: str, json_: bool) -> None:
    """Put a session that had no record on a job, labelled a reconstruction, its gaps named."""
    found = located(session)
    story = read_story(found.reader, found.found, full=True)
    places = bench().machine.places
    done = reconstruct_on(places.data, places.config, places.environment, job, found.session.name, story, moment())
    masker = Masker()
    if json_:
        out.write(wire_record.dump(wire_record.reconstruction(job, done), masker))
        return
    steps = len(done.receipts) - 1
    told = f", #{done.first + 1} to #{done.first + steps}" if steps else ""
    lines = [
        f"{counted(steps, 'step')} of {done.session} put on {job} as a reconstruction{told}",
        f"  #{done.first} before them is no step of the session: it says that they were put here, and names the gaps",
    ]
    out.lines([*lines, *(f"  gap: {gap}" for gap in done.gaps)], masker)


def _who(producer: str | None) -> str:
    return producer or default_producer(os.environ, lambda: here.user(os.environ))
