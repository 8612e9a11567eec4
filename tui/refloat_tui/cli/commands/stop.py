"""`stop`: ends a session's process and all that belongs to it, and says what it verified."""

import signal
import sys
from typing import Any, Self

import click

from refloat.brief.masks import Masker
from refloat.errors import NotDone, UsageError
from refloat.model.stopping import Progress, StopPlan
from refloat.usecases.act import Actor, Wish
from refloat.usecases.stop_plan import plan_stop
from refloat.usecases.stop_session import plan_after_turn, stop_session
from refloat.wire import stopping as documents
from refloat_tui.cli import err, out
from refloat_tui.cli.asking import actor as own_actor
from refloat_tui.cli.commands.bench import answer, as_json, bench, here, session_argument
from refloat_tui.cli.show.stop import plan_lines, question_lines, stopped_lines


@click.command(short_help="End a session's process and its whole tree, verified.")
@session_argument
@click.option("--wait", is_flag=True, help="First let it work on until its present turn has ended.")
@click.option("--pid", type=int, help="Of a session whose owner is not proved: the process that you mean.")
@click.option("--yes", is_flag=True, help="With --pid: do not ask (needed without a terminal).")
@click.option("--force", metavar="REASON", help="Although somebody else is at it; the reason is recorded.")
@click.option("--dry-run", is_flag=True, help="Show what would be signalled, and send nothing.")
@as_json
def stop(session: str, wait: bool, pid: int | None, yes: bool, force: str | None, dry_run: bool, json_: bool) -> int:
    """End a session's process: interrupt, terminate, kill, each after a grace; then say what was verified.

    Only a verified owner is signalled, with all that it started. `refloat status SESSION` shows the evidence.

    \b
      refloat stop last              refloat stop last --wait
      refloat stop 5f0c --dry-run    refloat stop 5f0c --pid 4711
    """  # noqa: D301 - the backspace is click's sign for lines that stay as they are
    if yes and pid is None:
        raise UsageError("--yes answers the question that --pid asks: leave it out, or name a process")
    actor = own_actor()
    wish = Wish("stop", session, here(), force, pid)
    with _Ending() as ending:
        try:
            plan = plan_stop(bench(), actor, wish)
            if wait and not dry_run:
                plan = plan_after_turn(bench(), actor, wish, plan, _say)
            if dry_run:
                answer(plan, plan_lines, documents.stop_plan if json_ else None, masked=True)
                return 0 if plan.refused is None else 1
            if plan.confirm is not None and not yes:
                _ask(plan, json_=json_)
            return _stop(actor, wish, plan, ending, json_=json_)
        except (KeyboardInterrupt, click.Abort):  # the usual word for it, "stopped", would be taken for the session's
            err.say(f"you ended this command; `refloat status {session}` shows whether the session runs")
            return ending.code


class _Ending:
    """Whoever ends this command by a signal is answered as one who presses Ctrl-C: the stop says where it stands, and
    its step is sealed.
    """

    def __init__(self) -> None:
        self.code = 128 + signal.SIGINT
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup`
                self._before[number] = signal.signal(number, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _end(self, number: int, _: object) -> None:
        self.code = 128 + number
        raise KeyboardInterrupt


def _stop(actor: Actor, wish: Wish, plan: StopPlan, ending: _Ending, *, json_: bool) -> int:
    for warning in plan.warnings:
        err.say(warning)
    stopped = stop_session(bench(), actor, wish, plan, _say)
    answer(stopped, stopped_lines, documents.stopped if json_ else None, masked=True)
    if stopped.by_person:
        return ending.code
    return 0 if stopped.result == "stopped" else 1


def _ask(plan: StopPlan, *, json_: bool) -> None:
    """Show the named process and ask.

    Raises:
        UsageError: nobody can be asked.
        NotDone: the answer is no.
    """
    if json_ or not all(stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise UsageError(f"--pid {plan.kin[0].process.pid} asks before it stops, and nobody can answer here: add --yes")
    out.lines(question_lines(plan, out.width()), Masker())
    if not click.confirm("Stop it?", default=False):
        raise NotDone("nothing was sent")


def _say(progress: Progress) -> None:
    """Progress goes to a person, not into the answer."""
    if sys.stderr.isatty():
        err.say(progress.words)
