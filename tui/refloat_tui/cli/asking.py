"""What every command needs: the workbench, the session that was meant, and the way out of an answer."""

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from refloat.usecases.act import Actor
    from refloat.usecases.ahead import Ahead
    from refloat.usecases.find_sessions import Located
    from refloat.usecases.workbench import Workbench

T = TypeVar("T")


_unmasked: list[str] = []
"""The option that asks for secrets, where it was given."""


@cache
def bench() -> "Workbench":
    """The real machine and every reader."""
    from refloat.machine.real import real_machine
    from refloat.usecases.open_bench import open_bench

    return open_bench(real_machine(os.environ))


def finding() -> "Workbench":
    """The one that sessions are found with: where secrets are wanted, titles are read where they stand."""
    return bench().uncached() if _unmasked else bench()


def show_unmasked(wanted: object) -> None:
    """Whether the answer of this call is to show secrets."""
    _unmasked[:] = ["--show-secrets"] if wanted else []


def actor() -> "Actor":
    """Who this process is, and how it comes to the record."""
    from refloat.machine import here as own
    from refloat.usecases.act import actor_of

    return actor_of(bench().machine, own.runner(), own.is_running)


def here() -> Path:
    """The directory that the command was called in; home where that has vanished."""
    try:
        return Path.cwd()
    except OSError:
        return Path.home()


def located(ref: str) -> "Located":
    """The session that SESSION means.

    Raises:
        NoSuchSession: none, or more than one.
    """
    from refloat.usecases.find_sessions import resolve

    return resolve(finding(), ref, here())


def located_whole(ref: str) -> "tuple[Located, Ahead]":
    """The session that SESSION means, to be read whole and held against its checkout, at which a look has begun: most
    who ask stand in it.

    Raises:
        NoSuchSession: none, or more than one.
    """
    from refloat.together import Running

    git = bench().machine.git
    Running(git.version)  # asked before the first question of all, and answered while this thread imports
    from refloat.usecases.ahead import Ahead

    ahead = Ahead(git)
    ahead.begin(str(here()))
    from refloat.usecases.find_sessions import resolve

    return resolve(finding(), ref, here(), ahead.begin), ahead


def answer(
    value: T, text: Callable[[T, int], Iterable[str]], json: Callable[[T], object] | None, *, masked: bool
) -> None:
    """Print an answer: as JSON when `json` is given, else as lines. Masks before anything is cut."""
    from refloat.brief.masks import Masker, mask_tree
    from refloat_tui.cli import out

    masker = Masker(enabled=masked)
    if json is not None:
        from refloat import wire

        out.write(wire.dump(json(value), masker=masker))
        return
    out.lines(text(mask_tree(value, masker), out.width()), masker)
