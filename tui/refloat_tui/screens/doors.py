"""Where the desk leads to: given by whoever opens it, so that the desk knows neither the wizard nor the demo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from refloat.model.light import light

if TYPE_CHECKING:
    from textual.screen import Screen

    from refloat.model.session import SessionName
    from refloat_tui.library import Library
    from refloat_tui.operations import Operations
    from refloat_tui.screens.wizard.farewell import Farewell


@light
class Doors:
    """Where the desk leads to; None: that way is not there, and its key says so."""

    wizard: Callable[[SessionName], Screen[Farewell]] | None = None
    demo: Demo | None = None
    operations: Operations | None = None
    """What may be done to sessions."""
    home: str = ""
    """The home that paths are told from where that is not the app's own: a demo's."""
    is_demo: bool = False
    """They lead to nothing real: the head line says so."""


Demo = Callable[[], "tuple[Library, Doors]"]
"""Builds the demo and answers with its library and its own doors; slow."""
