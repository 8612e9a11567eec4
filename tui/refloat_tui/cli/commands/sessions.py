"""`list`, `status`, `recap`, `history`."""

from dataclasses import replace
from pathlib import Path

import click

from refloat import wire
from refloat.brief.masks import Masker, mask_tree
from refloat.model.session import State
from refloat.model.status import RECAP_LIMIT
from refloat.there import is_there
from refloat.usecases.find_sessions import Scope
from refloat.usecases.read_session import read_story
from refloat_tui.cli import out
from refloat_tui.cli.commands.bench import answer, as_json, bench, full, here, located, session_argument, show_secrets


@click.command("list")
@click.option("--all", "everywhere", is_flag=True, help="Sessions of every workspace.")
@click.option("--cwd", type=click.Path(path_type=Path), help="Sessions of this directory (default: the present one).")
@click.option("--all-copies", is_flag=True, help="Also sessions whose whole content another one carries on.")
@click.option("--agent", help="Only this agent's.")
@click.option("--state", type=click.Choice([state.value for state in State]), help="Only those in this state.")
@click.option("--resumable", is_flag=True, help="Only what `continue` would accept now.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@show_secrets
@as_json
def list_(
    everywhere: bool,
    cwd: Path | None,
    all_copies: bool,
    agent: str | None,
    state: str | None,
    resumable: bool,
    limit: int | None,
    show_secrets: bool,
    json_: bool,
) -> int:
    """Sessions, newest activity first, with their state."""
    if everywhere and cwd is not None:
        raise click.UsageError("--all and --cwd contradict each other; take one")
    names = [reader.agent for reader in bench().readers]
    if agent is not None and agent not in names:
        raise click.UsageError(f"no agent is called {agent!r}; try `--agent {'` or `--agent '.join(names)}`")
    scope = Scope(
        cwd=None if everywhere else (cwd or here()).absolute(),
        agent=agent,
        state=State(state) if state else None,
        resumable=resumable,
        limit=limit,
        all_copies=all_copies,
    )
    from refloat_tui.cli.listing import show_list

    return show_list(scope, as_json=json_, show_secrets=show_secrets)


@click.command()
@session_argument
@full
@show_secrets
@as_json
def status(session: str, full: bool, show_secrets: bool, json_: bool) -> None:
    """State, liveness evidence, failure, next operation."""
    from refloat.usecases.tell_status import tell_status  # the checkout's rooms: no other command of this file asks it
    from refloat_tui.cli.asking import actor
    from refloat_tui.cli.show.sessions import status_lines

    shown = tell_status(bench(), located(session), actor(), full=full)
    answer(
        shown, status_lines, (lambda value: wire.status(value, full=full)) if json_ else None, masked=not show_secrets
    )


@click.command()
@session_argument
@click.option("--limit", type=click.IntRange(min=1), default=RECAP_LIMIT, show_default=True, help="So many items.")
@full
@show_secrets
@as_json
def recap(session: str, limit: int, full: bool, show_secrets: bool, json_: bool) -> None:
    """What happened, in short: the same bytes for the same transcript."""
    from refloat.usecases.show_recap import show_recap  # no other command of this file hears what an agent claims
    from refloat_tui.cli.show.sessions import recap_lines

    found = located(session)
    shown = replace(show_recap(read_story(found.reader, found.found, full=full), limit), ref=found.ref)
    answer(shown, recap_lines, (lambda value: wire.recap(value, full=full)) if json_ else None, masked=not show_secrets)


@click.command()
@click.argument("session", metavar="SESSION[/SUBAGENT]")
@click.option("--from", "first", type=click.IntRange(min=1), help="First item.")
@click.option("--to", "last", type=click.IntRange(min=1), help="Last item.")
@full
@show_secrets
@as_json
def history(session: str, first: int | None, last: int | None, full: bool, show_secrets: bool, json_: bool) -> None:
    """Every message, step and marker."""
    if first and last and first > last:
        raise click.UsageError(f"--from {first} lies behind --to {last}; swap them")
    found, subagent = _with_subagent(session)
    story = read_story(found.reader, found.found, full=full)
    if subagent is not None:
        story = story.subagents[subagent]
    items = story.items[(first or 1) - 1 : last]
    masker = Masker(enabled=not show_secrets)
    masker.learn(items)  # line by line: what is named late must be masked early too
    if json_:
        for item in items:
            out.write(wire.dump_line(wire.item(item, full=full), masker=masker))
        return
    from refloat_tui.cli.show.sessions import history_lines

    out.lines(history_lines(mask_tree(items, masker), out.width(), found.session.workspace, full=full), masker)


def _with_subagent(ref: str):  # noqa: ANN202 - a pair of this function's own
    """`SESSION/SUBAGENT` apart; a path with slashes stays a path."""
    session, slash, subagent = ref.rpartition("/")
    if slash and not is_there(ref):
        found = located(session)
        ids = [agent.id for agent in found.found.subagents]
        if subagent not in ids:
            known = ", ".join(ids) or "none"
            raise click.UsageError(f"{found.session.name} has no sub-agent {subagent!r}; it has: {known}")
        return found, subagent
    return located(ref), None
