"""`search`."""

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from refloat.model.search import Asked
from refloat.model.session import State
from refloat.model.stamp import Stamp, later, read_stamp
from refloat.usecases.answer_search import answer_search
from refloat_tui.cli import err, quick, seeking
from refloat_tui.cli.commands.bench import as_json, bench, here

if TYPE_CHECKING:
    from refloat.model.refreshed import Refreshed

_AGO: Final = re.compile(r"(\d{1,4})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class Moment(click.ParamType[Stamp]):
    """A day, a moment, or how long ago."""

    name = "D"

    def __init__(self, *, last: bool) -> None:
        self._last = last

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Stamp:
        """`2026-06-01` (its first or last moment in UTC), RFC 3339, `3d`, `12h`, `2w`."""
        text = str(value)
        if found := _AGO.fullmatch(text):
            ago = int(found.group(1)) * _UNITS[found.group(2)]
            return later(bench().machine.clock.now(), -ago.total_seconds())
        if _DAY.fullmatch(text):
            text += "T23:59:59.999Z" if self._last else "T00:00:00.000Z"
        stamp = read_stamp(text)
        if stamp is None:
            self.fail(f"{value!r} is no day (`2026-06-01`), no moment, and no time ago (`12h`, `3d`, `2w`)", param, ctx)
        return stamp


class Search(click.Command):
    """Takes `-word` as a word to leave out: no option of it has one dash but `-h`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the words behind the options."""
        valued = {name for param in self.params if _has_value(param) for name in param.opts}
        options: list[str] = []
        words: list[str] = []
        rest = list(args)
        while rest:
            word = rest.pop(0)
            if word == "--":
                words += rest
                break
            if not (word.startswith("--") or word == "-h"):
                words.append(word)
                continue
            options.append(word)
            if word in valued:
                if not rest:
                    return super().parse_args(ctx, options)  # which says so
                options.append(rest.pop(0))
        return super().parse_args(ctx, [*options, "--", *words])


def _has_value(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and not param.is_flag


@click.command(cls=Search, short_help="Full text over every session.")
@click.argument("words", nargs=-1, metavar="WORDS")
@click.option("--agent", help="Only this agent's sessions.")
@click.option("--workspace", type=click.Path(path_type=Path), help="Only sessions of this directory.")
@click.option("--here", "only_here", is_flag=True, help="Only sessions of the present directory.")
@click.option("--state", type=click.Choice([state.value for state in State]), help="Only sessions in this state.")
@click.option("--file", "file", metavar="PATH", help="Only sessions in which a step named this file.")
@click.option("--command", metavar="TEXT", help="Only sessions that ran such a command.")
@click.option("--since", type=Moment(last=False), help="From then on: 2026-06-01, 12h, 3d, 2w.")
@click.option("--until", type=Moment(last=True), help="Up to then.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=seeking.DEFAULT_LIMIT,
    show_default=True,
    help="At most so many hits.",
)
@as_json
def search(
    words: tuple[str, ...],
    agent: str | None,
    workspace: Path | None,
    only_here: bool,
    state: str | None,
    file: str | None,
    command: str | None,
    since: Stamp | None,
    until: Stamp | None,
    limit: int,
    json_: bool,
) -> int:
    """Prompts, replies, thoughts, commands, paths and outputs of every session that hold WORDS, the best first.

    All words must stand in one item; "a phrase" in a row; -word must not. The last word may be only the beginning of
    one. Of an output the beginning and the end are searched. Secrets are not found.
    """
    if workspace is not None and only_here:
        raise click.UsageError("--here and --workspace contradict each other; take one")
    names = [reader.agent for reader in bench().readers]
    if agent is not None and agent not in names:
        raise click.UsageError(f"no agent is called {agent!r}; try `--agent {'` or `--agent '.join(names)}`")
    place = here() if only_here else workspace
    asked = Asked(
        words=seeking.typed(words),
        agent=agent,
        workspace=None if place is None else str(place.absolute()),
        state=State(state) if state else None,
        file=file,
        command=command,
        since=since,
        until=until,
        limit=limit,
    )
    found = answer_search(bench(), asked, unchanged=quick.is_unchanged(), tell=_tell)
    return seeking.show(found, as_json=json_)


def _tell(state: "Refreshed") -> None:
    if state.waits:
        err.say("another Refloat is reading; waiting for it")
    elif state.total > 1 and 0 < state.done < state.total:
        err.say(f"reading {state.done:,} of {state.total:,} sessions")
