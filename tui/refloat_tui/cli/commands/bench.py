"""The arguments that commands share, and what each of them asks of `asking`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from refloat.usecases.targets import refuse_dash
from refloat_tui.cli.asking import answer, bench, here, located, located_whole, show_unmasked

__all__ = [
    "answer",
    "as_json",
    "bench",
    "full",
    "here",
    "located",
    "located_whole",
    "out_option",
    "session_argument",
    "show_secrets",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def as_json(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print the answer as JSON (refloat/1).")(command)


def show_secrets(command: Command) -> Command:
    """Add `--show-secrets`."""

    def told(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        del ctx, param
        show_unmasked(value)
        return value

    return click.option(
        "--show-secrets", is_flag=True, is_eager=True, callback=told, help="Do not mask what looks like a secret."
    )(command)


def full(command: Command) -> Command:
    """Add `--full`."""
    return click.option("--full", is_flag=True, help="Do not cut inputs and outputs.")(command)


def out_option(words: str, *, instead: str = "") -> Callable[[Command], Command]:
    """Add `--out FILE`, as `target`. `-` is standard output, which is where it goes without; where it cannot go there,
    `instead` says what to do.
    """

    def named(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
        del ctx, param
        if value is None or (value == "-" and not instead):
            return None
        refuse_dash(value, "--out", instead)
        return Path(value)  # it makes `-` of `./-`

    def add(command: Command) -> Command:
        kind = click.Path(dir_okay=False)
        return click.option("--out", "target", metavar="FILE", type=kind, callback=named, help=words)(command)

    return add


def session_argument(command: Command) -> Command:
    """Add SESSION."""
    return click.argument("session", metavar="SESSION")(command)
