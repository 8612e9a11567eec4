"""The arguments that commands share, and what each of them asks of `asking`."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from refloat_tui.cli.asking import answer, bench, here, located, located_whole

__all__ = [
    "answer",
    "as_json",
    "bench",
    "full",
    "here",
    "located",
    "located_whole",
    "session_argument",
    "show_secrets",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def as_json(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print the answer as JSON (refloat/1).")(command)


def show_secrets(command: Command) -> Command:
    """Add `--show-secrets`."""
    return click.option("--show-secrets", is_flag=True, help="Do not mask what looks like a secret.")(command)


def full(command: Command) -> Command:
    """Add `--full`."""
    return click.option("--full", is_flag=True, help="Do not cut inputs and outputs.")(command)


def session_argument(command: Command) -> Command:
    """Add SESSION."""
    return click.argument("session", metavar="SESSION")(command)
