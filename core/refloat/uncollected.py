"""No look for cycles, where thousands of values are made that hang together in none.

Decides nothing. A module of its own, and no generator: the quickest commands load little else.
"""

import gc


def pause() -> None:
    """Look for no cycles until `resume`, or to the end of a process that makes none."""
    gc.disable()


def resume() -> None:
    """Look for them again after `pause`, apart from all that was made until now: what a start makes stays anyway."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def grow_old() -> None:
    """Let all values that there are count as old: no look at the young ones concerns them."""
    gc.freeze()
    gc.unfreeze()


class Uncollected:
    """For as long as a `with` lasts, and without making good for it, all values at once, as soon as it is over: they
    count as old then.
    """

    def __init__(self) -> None:
        self._was = False

    def __enter__(self) -> None:
        self._was = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was:
            grow_old()
            gc.enable()
