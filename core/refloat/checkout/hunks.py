"""Hunks that git does not tell: of a file that is new as a whole, and between two contents that are at hand.

Pure. Refuses to tell the lines of what is no text, or of more lines than anybody reads.
"""

from collections.abc import Sequence
from typing import Final

from refloat.checkout.files import Content
from refloat.checkout.lines import bare_lines, find_differences
from refloat.checkout.porcelain import DiffHunk

LONGEST: Final = 20_000
"""Lines of an untracked file past which its hunk is told without its lines."""
UNTOLD: Final = DiffHunk(0, 0, 0, 0, ())
"""The one hunk of a change whose lines cannot be told."""


def whole_hunk(content: Content) -> Sequence[DiffHunk]:
    """The single hunk of a file that is new as a whole."""
    if content.kind != "text":
        return [UNTOLD] if content.kind in ("binary", "large", "link") else ()
    lines = bare_lines(content.text)
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return ()
    if len(lines) > LONGEST:
        return [DiffHunk(0, 0, 1, len(lines), ())]
    return [DiffHunk(0, 0, 1, len(lines), tuple("+" + line for line in lines))]


def changed_hunks(before: Content, after: Content) -> Sequence[DiffHunk]:
    """How one content became another, without the lines around."""
    if before.kind != "text" or after.kind != "text":
        return [UNTOLD]
    old, new = bare_lines(before.text), bare_lines(after.text)
    return [
        DiffHunk(
            place.old_from + (place.old_to > place.old_from),
            place.old_to - place.old_from,
            place.new_from + (place.new_to > place.new_from),
            place.new_to - place.new_from,
            (
                *("-" + x for x in old[place.old_from : place.old_to]),
                *("+" + x for x in new[place.new_from : place.new_to]),
            ),
        )
        for place in find_differences(old, new)
    ]
