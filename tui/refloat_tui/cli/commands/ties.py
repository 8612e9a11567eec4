"""`jobs`, `jobs tie`, `jobs untie`: every job, and which directory's work goes to one."""

import os
from pathlib import Path

import click

from refloat import wire_record
from refloat.brief.masks import Masker, mask_tree
from refloat.machine import here as this
from refloat.usecases.save_step import default_producer
from refloat.usecases.show_trail import list_jobs
from refloat.usecases.tie_job import find_record, said_of_new, tie_job, ties_here, untie_job
from refloat_tui.cli import out
from refloat_tui.cli.commands.bench import as_json, bench, here, show_secrets
from refloat_tui.cli.commands.record import moment, opened
from refloat_tui.cli.show.record import jobs_lines

_directory = click.argument("directory", required=False, metavar="[DIR]", type=click.Path(path_type=Path))


@click.group(invoke_without_command=True)
@show_secrets
@as_json
@click.pass_context
def jobs(ctx: click.Context, show_secrets: bool, json_: bool) -> None:
    """Every job, the newest activity first; with TIE and UNTIE, which directory's work hooks save on which job."""
    if ctx.invoked_subcommand is not None:
        return
    places, now = bench().machine.places, moment()
    found = list_jobs(places.data, places.config, places.environment, now)
    ties = ties_here(places.data, places.config, places.environment, this.host(), now)
    masker = Masker(enabled=not show_secrets)
    if json_:
        out.write(wire_record.dump(wire_record.jobs(found, ties), masker))
    else:
        out.lines(jobs_lines(mask_tree(found, masker), ties, out.width(whole=show_secrets)), masker)


@jobs.command()
@click.argument("job")
@_directory
@as_json
def tie(job: str, directory: Path | None, json_: bool) -> None:
    """Save on JOB what agents with a hook do in DIR (default: this directory) and below."""
    places, now = bench().machine.places, moment()
    by = default_producer(os.environ, lambda: this.user(os.environ))
    with find_record(places.data, places.config, places.environment, now) as record:
        done = tie_job(record, this.host(), job, directory or here(), by, now)
        new = said_of_new(record, done.job)
    masker = Masker()
    if json_:
        out.write(wire_record.dump({"schema": wire_record.SCHEMA, "tie": wire_record.tie(done)}, masker))
    else:
        tied = f"what agents do in {done.workspace} is saved on {done.job}, where `refloat hook install` was run"
        out.lines([tied, *([new] if new else [])], masker)


@jobs.command()
@_directory
@as_json
def untie(directory: Path | None, json_: bool) -> None:
    """Let nothing of DIR (default: this directory) be saved by hooks any more; what is saved stays."""
    with opened() as record:
        place = untie_job(record, this.host(), directory or here())
    if json_:
        out.write(wire_record.dump({"schema": wire_record.SCHEMA, "untied": place}, Masker()))
    else:
        out.lines([f"{place} is tied to no job any more"], Masker())
