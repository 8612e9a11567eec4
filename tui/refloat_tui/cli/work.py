"""What `checkout` and `triage` do, whichever road their words came by."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from refloat.model.checkout import Checkout
from refloat_tui.cli.asking import answer, bench, located_whole, show_unmasked

if TYPE_CHECKING:
    from refloat.model.triage import Triage
    from refloat.usecases.find_sessions import Located

alive: list[object] = []
"""What was examined, kept for `straight.leave`: freed one by one it would hold up the end of the process."""


def show_checkout(session: str, *, patch: bool = False, show_secrets: bool = False, as_json: bool = False) -> None:
    """Print each recorded edit compared with the working tree."""
    show_unmasked(show_secrets)
    meant, ahead = located_whole(session)
    from refloat.usecases.examine import examine_checkout

    seen = examine_checkout(bench(), meant, ahead)
    _, shown = seen
    alive.append(seen)

    def lines(value: Checkout, width: int) -> Iterable[str]:
        from refloat_tui.cli import out
        from refloat_tui.cli.show.work import checkout_lines

        return checkout_lines(value, width if out.is_bounded() else out.width(whole=True), patch=patch, ref=meant.ref)

    answer(
        shown,
        lines,
        _checkout_json if as_json else None,
        masked=not show_secrets,
    )


def _checkout_json(value: Checkout) -> object:
    from refloat import wire

    return wire.checkout(value)


def _triage_json(value: "Triage") -> object:
    from refloat import wire

    return wire.triage(value)


def show_triage(session: str, *, show_secrets: bool = False, as_json: bool = False) -> "tuple[Located, Triage]":
    """Print the work sorted into saved, claimed and gone, and give it back with whose it is."""
    show_unmasked(show_secrets)
    meant, ahead = located_whole(session)
    from refloat.usecases.examine import examine
    from refloat_tui.cli.show.work import triage_lines

    seen = examine(bench(), meant, ahead)
    shown = seen.triage
    alive.append(seen)
    answer(shown, partial(triage_lines, ref=meant.ref), _triage_json if as_json else None, masked=not show_secrets)
    return meant, shown
