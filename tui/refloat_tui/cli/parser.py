"""The words of the command line, and what becomes of errors: one sentence and an exit code."""

import difflib
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from refloat import __version__
from refloat_tui.cli import ending, err

COMMANDS: Final = {
    "list": "sessions:list_",
    "status": "sessions:status",
    "recap": "sessions:recap",
    "history": "sessions:history",
    "search": "search:search",
    "checkout": "work:checkout",
    "triage": "work:triage",
    "brief": "work:brief",
    "check": "work:check",
    "salvage": "salvage:salvage",
    "continue": "start:continue_",
    "new": "start:new",
    "attach": "attach:attach",
    "stop": "stop:stop",
    "run": "record:run",
    "step": "record:step",
    "jobs": "ties:jobs",
    "trail": "record:trail",
    "wrap": "handover:wrap",
    "pickup": "handover:pickup",
    "verify": "record:verify",
    "decide": "handover:decide",
    "export": "handover:export",
    "reconstruct": "handover:reconstruct",
    "record": "record:record",
    "repair": "repair:repair",
    "keep": "care:keep",
    "mcp": "mcp:mcp",
    "hook": "hooks:hook",
    "refresh": "care:refresh",
    "doctor": "care:doctor",
    "recover": "app:recover",
    "demo": "app:demo",
}
"""Command to `module:function` below `commands`; a module is imported when its command is called."""


class Commands(click.Group):
    """Commands loaded by name, and the nearest one for a word that is none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order in which a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: object = getattr(import_module(f"refloat_tui.cli.commands.{module}"), function)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say what to type instead."""
        word = args[0] if args else ""
        if word and not word.startswith("-") and word not in COMMANDS:
            near = difflib.get_close_matches(word, COMMANDS, n=3, cutoff=0.6)
            hint = (
                "did you mean " + " or ".join(f"`refloat {name}`" for name in near) if near else "try `refloat --help`"
            )
            raise click.UsageError(f"there is no command {word!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="SESSION is a session id, a unique prefix of one, agent:id, `last`, or the path of a transcript.",
)
@click.version_option(__version__, "--version", prog_name="refloat")
@click.pass_context
def refloat(ctx: click.Context) -> None:
    """Get stranded agent work afloat again.

    Without a command the terminal app opens on the sessions of this machine.
    """
    if ctx.invoked_subcommand is None:
        from refloat_tui.cli import opening

        ctx.exit(opening.open_desk())


def run(words: Sequence[str]) -> int:
    """Run the command line and return its exit code, as `ending.told` does."""
    return ending.told(lambda: _run(words))


def _run(words: Sequence[str]) -> object:
    try:
        return refloat.main(list(words), prog_name="refloat", standalone_mode=False)
    except click.UsageError as fault:
        err.say(_sentence(fault))
        return 2
    except click.Abort:
        err.say("stopped")
        return 130
    except click.ClickException as fault:
        err.say(fault.format_message())
        return fault.exit_code


def _sentence(fault: click.UsageError) -> str:
    path = fault.ctx.command_path if fault.ctx else "refloat"
    said = fault.format_message().rstrip(".")
    missing = fault.param.name if isinstance(fault, click.MissingParameter) and fault.param is not None else None
    if missing == "parent":
        return f"`{path}` goes on from a session: `{path} --parent last`, or an id that `refloat list --all` shows"
    if missing == "session":
        return f"`{path}` needs a session: `{path} last`, or an id that `refloat list --all` shows"
    return said if "did you mean" in said.lower() or "try `" in said else f"{said}; see `{path} --help`"
