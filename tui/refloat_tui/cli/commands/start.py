"""`continue`, `new`: go on with a session, or start another one from it, and never beside a second writer."""

import sys
from pathlib import Path

import click

from refloat import wire
from refloat.brief.masks import Masker, mask_tree
from refloat.usecases.act import Refused, Wish
from refloat.usecases.start_agent import Order, Plan, need_program, plan_start, start_agent, words_of
from refloat_tui.cli import err, out
from refloat_tui.cli.asking import actor
from refloat_tui.cli.commands.bench import Command, as_json, bench, here, session_argument
from refloat_tui.cli.own_program import own_program
from refloat_tui.cli.show.start import plan_lines


class StartCommand(click.Command):
    """A command with `--tmux`, whose value stands behind `=` alone: the word that follows is the session or prompt."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare `--tmux` its empty value before click takes the next word for it."""
        end = args.index("--") if "--" in args else len(args)
        bare = ["--tmux=" if word == "--tmux" else word for word in args[:end]]
        return super().parse_args(ctx, [*bare, *args[end:]])


def guarded(command: Command) -> Command:
    """Add what operations on sessions share."""
    for option in (
        as_json,
        click.option("--hold", is_flag=True, hidden=True),
        click.option(
            "--tmux",
            metavar="[=SESSION]",
            help="In a new window of this tmux session, or of the one that is named.",
        ),
        click.option("--force", metavar="REASON", help="Overrule the guard; the reason is recorded."),
        click.option("--dry-run", is_flag=True, help="Show the exact command, and what forbids it; change nothing."),
    ):
        command = option(command)
    return command


@click.command("continue", cls=StartCommand, short_help="The agent's own resume command, where no writer can be at it.")
@session_argument
@click.argument("prompt", required=False)
@guarded
def continue_(
    session: str, prompt: str | None, dry_run: bool, force: str | None, tmux: str | None, hold: bool, json_: bool
) -> int:
    """Go on with a session that stopped: the agent's own resume command, in its workspace, in this terminal.

    Refused while a process owns the session or may own it, and while somebody else holds it or its workspace.

    \b
      refloat continue last
      refloat continue 5f0c1d2e "Run the tests again, then commit"
      refloat continue 5f0c1d2e --tmux=work -- "--strict is missing in the lint step"
      refloat continue last --dry-run --json
    """  # noqa: D301 - click's own mark
    order = Order(Wish("continue", session, here(), force), prompt)
    return _answer(order, dry_run=dry_run, tmux=tmux, hold=hold, json_=json_)


@click.command(cls=StartCommand, short_help="A linked session in the same workspace, started with the brief.")
@click.option("--parent", required=True, metavar="SESSION", help="The session to go on from.")
@click.argument("prompt", required=False)
@click.option("--agent", metavar="AGENT", help="Another agent than the one that had it.")
@click.option(
    "--brief",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.md",
    help="A brief that is there already; without, one of its own that stands and holds, else one is written, private.",
)
@guarded
def new(
    parent: str,
    prompt: str | None,
    agent: str | None,
    brief: Path | None,
    dry_run: bool,
    force: str | None,
    tmux: str | None,
    hold: bool,
    json_: bool,
) -> int:
    """Start a linked session in the parent's workspace; the agent is told to read the brief first.

    The link is kept in the record: both sessions show that they belong together.

    \b
      refloat new --parent last
      refloat new --parent 5f0c1d2e --agent codex "Finish step 3 only"
      refloat new --parent last --brief HANDOFF.md
    """  # noqa: D301 - click's own mark
    order = Order(Wish("new", parent, here(), force), prompt, agent, None if brief is None else brief.absolute())
    return _answer(order, dry_run=dry_run, tmux=tmux, hold=hold, json_=json_)


def _answer(order: Order, *, dry_run: bool, tmux: str | None, hold: bool, json_: bool) -> int:
    if json_ and not dry_run:
        raise click.UsageError("--json goes with --dry-run: without, the agent has the terminal")
    if dry_run:
        return _show(plan_start(bench(), actor(), order), json_=json_)
    return _held(order) if hold else _go_on(order, tmux)


def _go_on(order: Order, tmux: str | None) -> int:
    plan = plan_start(bench(), actor(), order)
    if plan.refused is not None:
        raise Refused(plan.refused)
    for why in plan.ruling.overruled if tmux is None else ():  # the window says it itself
        err.say(f"overruled: {why}")
    return _start(plan) if tmux is None else _in_tmux(plan, tmux)


def _show(plan: Plan, *, json_: bool) -> int:
    masker = Masker()
    if json_:
        out.write(wire.dump(wire.planned(plan.command, plan.workspace, plan.refused, _brief(plan)), masker=masker))
    else:
        out.lines(plan_lines(mask_tree(plan, masker), out.width()), masker)
    return 0 if plan.refused is None else 1


def _brief(plan: Plan) -> dict[str, object] | None:
    if plan.brief is None:
        return None
    aside = () if plan.found is None else plan.found.aside
    return wire.planned_brief(str(plan.brief), aside, is_there=not plan.writes_brief)


def _start(plan: Plan) -> int:
    from refloat.machine.foreground import run_agent

    ended, child = start_agent(bench(), actor(), plan, run_agent, err.say)
    if child is not None and child != plan.session.name:
        err.say(f"{child} goes on from {plan.session.name}")
    return ended.code


def _in_tmux(plan: Plan, session: str) -> int:
    from refloat.usecases.open_window import open_window

    need_program(plan)
    words = words_of(plan.order, plan.session.name)
    where = open_window(bench().machine, [*own_program(), words[0], "--hold", *words[1:]], session, plan.agent)
    out.write(f"{plan.session.name} goes on in tmux window {where}\n")
    return 0


def _held(order: Order) -> int:
    """A window closes with its program, and the app comes back over it: what it said last must be read first."""
    from refloat_tui.cli import ending

    code = ending.told(lambda: _go_on(order, None))
    if code:
        err.say(f"it ended with exit code {code}; press enter to go on")
        sys.stdin.readline()
    return code
