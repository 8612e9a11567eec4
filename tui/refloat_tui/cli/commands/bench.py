"""What every command needs: the workbench, the session that was meant, and the way out of an answer."""

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click

from refloat.brief.masks import Masker, mask_tree
from refloat.usecases.find_sessions import Located, resolve
from refloat.usecases.open_bench import open_bench
from refloat.usecases.workbench import Workbench
from refloat_tui.cli import out

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


@cache
def bench() -> Workbench:
    """The real machine and every reader."""
    from refloat.machine.real import real_machine

    return open_bench(real_machine(os.environ))


def here() -> Path:
    """The directory that the command was called in; home where that has vanished."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def located(ref: str) -> Located:
    """The session that SESSION means.

    Raises:
        NoSuchSession: none, or more than one.
    """
    return resolve(bench(), ref, here())


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


def answer(
    value: T, text: Callable[[T, int], Iterable[str]], json: Callable[[T], object] | None, *, masked: bool
) -> None:
    """Print an answer: as JSON when `json` is given, else as lines. Masks before anything is cut."""
    from refloat import wire

    masker = Masker(enabled=masked)
    if json is not None:
        out.write(wire.dump(json(value), masker=masker))
        return
    out.lines(text(mask_tree(value, masker), out.width()), masker)
    if masker.count:
        from refloat_tui.cli import err

        err.say(f"{masker.count} value{'s' if masker.count > 1 else ''} that look like secrets were masked")
