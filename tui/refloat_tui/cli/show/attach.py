"""`attach` for a person: where a session lives, how one gets there, and what is to be seen."""

from collections.abc import Iterator
from shlex import join

from refloat.model.terminals import Attachment
from refloat_tui.cli.show.table import labelled


def plan_lines(plan: Attachment, width: int) -> Iterator[str]:
    """Where it lives, and the commands in their order."""
    if plan.place is not None:
        yield from labelled("lives", f"{plan.place.words}  (process {plan.place.pid})", width, 10)
    if plan.refused is not None:
        yield from labelled("REFUSED", plan.refused.why, width, 10)
    elif plan.way is not None:
        for at, command in enumerate(plan.way.commands):
            yield ("          " if at else "run       ") + "$ " + join(command)  # whole: it is there to be copied
    for note in note_lines(plan):
        yield from labelled("note", note, width, 10)


def note_lines(plan: Attachment) -> tuple[str, ...]:
    """What whoever goes there must know."""
    return (*(plan.place.notes if plan.place else ()), *(plan.way.notes if plan.way and not plan.refused else ()))
