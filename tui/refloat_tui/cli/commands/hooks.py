"""`hook`: Refloat in an agent's settings, and what agents call there."""

import difflib
import os
import sys
from collections.abc import Iterator

import click

from refloat import wire_record
from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.machine.places import find_directories
from refloat.machine.programs import find_program
from refloat.usecases import hooks_install
from refloat.usecases.hooks_install import AGENTS, SCOPES, Agent, Plan, Scope, plan_install, plan_uninstall
from refloat_tui.cli import err, hooking, out
from refloat_tui.cli.commands.bench import as_json, here

_PROGRAMS = {"claude-code": "claude", "codex": "codex"}
_agent = click.argument("agent", type=click.Choice(AGENTS))
_scope = click.option(
    "--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Whose settings (Codex has no local)."
)
_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group()
def hook() -> None:
    """Let an agent save its steps by itself: results of tools, a greeting, wraps when it stops."""


@hook.command()
@_agent
@_scope
@_yes
@as_json
def install(agent: Agent, scope: Scope, yes: bool, json_: bool) -> int:
    """Write hooks into AGENT's own settings: shows the change, asks, keeps a copy beside the file."""
    plan = plan_install(_desk(agent), agent, scope)
    return _carry_out(plan, "install", yes=yes, json_=json_)


@hook.command()
@_agent
@_scope
@_yes
@as_json
def uninstall(agent: Agent, scope: Scope, yes: bool, json_: bool) -> int:
    """Take the hooks out of AGENT's settings: back to the copy, or ours alone where others edited since."""
    plan = plan_uninstall(_desk(agent), agent, scope)
    return _carry_out(plan, "uninstall", yes=yes, json_=json_)


@hook.command("claude-code")
def claude_code() -> int:
    """What Claude Code calls: reads one event from standard input."""
    return hooking.answer(["hook", "claude-code"]) or 0


@hook.command()
def codex() -> int:
    """What Codex calls: reads one event from standard input."""
    return hooking.answer(["hook", "codex"]) or 0


def _desk(agent: Agent) -> hooks_install.Desk:
    own = find_program("refloat", os.environ)
    return hooks_install.Desk(
        home=find_directories(os.environ).home,
        environment=os.environ,
        root=hooks_install.find_root(here()),
        program=(own,) if own else (sys.executable, "-m", "refloat_tui"),
        agent_program=find_program(_PROGRAMS[agent], os.environ),
    )


def _carry_out(plan: Plan, verb: str, *, yes: bool, json_: bool) -> int:
    if plan.changes:
        err.say(f"this writes to {plan.agent}'s own settings, {plan.path}:")
        if not json_:
            out.lines(_diff(plan), Masker())
        if not yes and not _agreed():
            raise NotDone("nothing was changed")
        (hooks_install.install if verb == "install" else hooks_install.uninstall)(plan)
    if json_:
        answer = {
            "agent": plan.agent,
            "scope": plan.scope,
            "path": str(plan.path),
            "changed": plan.changes,
            "backup": str(plan.backup) if plan.backup and plan.changes and verb == "install" else None,
            "remarks": list(plan.remarks),
        }
        out.write(wire_record.dump({"schema": wire_record.SCHEMA, "hook": answer}, Masker()))
        return 0
    for line in _outcome(plan, verb):
        err.say(line)
    return 0


def _agreed() -> bool:
    try:
        return click.confirm("Write it?", default=False, err=True)
    except click.Abort:  # the end of standard input is no yes
        return False


def _diff(plan: Plan) -> Iterator[str]:
    before, after = ((data or b"").decode("utf-8", "replace").splitlines() for data in (plan.before, plan.after))
    was, shall = (str(plan.path) if data is not None else os.devnull for data in (plan.before, plan.after))
    return difflib.unified_diff(before, after, was, shall, lineterm="")


def _outcome(plan: Plan, verb: str) -> Iterator[str]:
    if not plan.changes:
        yield f"nothing to do: the hooks are {'there already' if verb == 'install' else 'not there'} ({plan.path})"
    elif verb == "install":
        yield f"wrote {plan.path}" + (f"; what was there: {plan.backup}" if plan.backup else "")
        yield "tie a directory to a job: `refloat jobs tie JOB [DIR]`; without a tie nothing is saved"
    else:
        yield f"took the hooks out of {plan.path}" if plan.after is not None else f"{plan.path} is gone again"
    yield from plan.remarks
