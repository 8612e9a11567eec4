"""The terminal app by a command: the wizard straight away, the demo."""

from contextlib import ExitStack
from pathlib import Path

import click

from refloat_tui.cli import err, opening, out
from refloat_tui.cli.commands.bench import bench, here, located, session_argument


@click.command(short_help="The recovery wizard; goes on where it stood.")
@session_argument
def recover(session: str) -> int:
    """The recovery wizard, straight away; it goes on where an earlier one stood."""
    chosen = located(session).session.name
    opening.need_terminal()
    return opening.run(bench(), here(), chosen)


@click.command(short_help="A small repository with sessions in every state.")
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Build it here and leave it there.")
@click.option("--build-only", is_flag=True, help="Build it, say where, and do not open the app; needs --home.")
def demo(home: Path | None, build_only: bool) -> int:
    """A small repository and sessions in every state, to try it on.

    What only running processes make is not built with --build-only: no session of it is live or unresolved.
    """
    if build_only and home is None:
        raise click.UsageError("--build-only needs `--home DIR`, or nobody could find what was built")
    if build_only and home is not None:
        built, _ = opening.build(home.absolute(), processes=False)
        out.write(f"{built.home}\n")
        err.say("no process stands behind it: none of its sessions is live or unresolved")
        err.say(f"look at it: cd {built.workspace} && HOME={built.home} refloat")
        return 0
    opening.need_terminal()
    with ExitStack() as stack:
        workbench, workspace = opening.enter_demo(stack, home)
        code = opening.run(workbench, workspace, starts=False)
    if home is not None:
        err.say(f"the demo stays: cd {workspace} && HOME={home.absolute()} refloat")
    return code
