"""Where an export or a receipt may be written: not over Refloat's own files, and over nothing but a plain file."""

import os
import stat
from pathlib import Path

from refloat.errors import NotDone


def refuse_target(path: str | Path, data: Path) -> None:
    """Refuse a file in Refloat's own directory, and what is there and is no plain file; a link counts as its target.

    Raises:
        NotDone: nothing may be written there.

    """
    own = os.path.realpath(data)
    places = (os.path.realpath(path), os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))  # noqa: PTH118, PTH119, PTH120 - text stays text
    if any(place == own or place.startswith(f"{own}/") for place in places):
        raise NotDone(f"{path} lies in {data}, where the record is: name another file")
    try:
        told = os.stat(path)  # noqa: PTH116 - text stays text
    except (OSError, ValueError):
        return  # whoever opens it tells
    if not stat.S_ISREG(told.st_mode):
        raise NotDone(f"{path} is there, and is no plain file: name another one")
