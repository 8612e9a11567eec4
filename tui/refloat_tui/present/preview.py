"""What a brief keeps to itself and what it will be held to, in words."""

from collections.abc import Iterator

from refloat.model.brief import Ages, BriefPreview, MaskedPlace
from refloat.text import inert_line, one_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.path import from_home

NOTHING_MASKED = "Nothing in it looks like a secret."
NOTHING_AGES = "It speaks of nothing that could be looked at again."
HOW_IT_AGES = "`refloat check FILE.md` says when one of these has moved."


def masked_words(preview: BriefPreview) -> str:
    """`3 places, 2 values`."""
    places, values = len(preview.masked), preview.values
    return f"{places} place{'' if places == 1 else 's'}, {values} value{'' if values == 1 else 's'}"


def hint(place: MaskedPlace) -> str:
    """What may be told of a value."""
    if place.length is None:
        return "length not known"
    return f"{place.length} character{'' if place.length == 1 else 's'}"


def where(place: MaskedPlace, preview: BriefPreview) -> str:
    """Where it stands, and where the same value stood before."""
    section = f", {one_line(place.section)}" if place.section else ""
    first = next((row for row in preview.masked if row.value is not None and row.value == place.value), place)
    same = "" if first is place else f" (the value of line {first.line} again)"
    return f"line {place.line}{section}{same}"


def what_ages(thing: Ages, home: str = "") -> tuple[str, str]:
    """A thing that a brief speaks of, and how it stands."""
    name = inert_line(from_home(thing.what, home) if thing.kind != "head" else thing.what)
    return name, thing.now


def preview_pieces(preview: BriefPreview, home: str = "") -> Iterator[Pieces]:
    """The whole, line by line."""
    yield (("MASKED", STRONG), (f"  {masked_words(preview)}" if preview.masked else "", QUIET))
    if not preview.masked:
        yield ((f"  {NOTHING_MASKED}", ""),)
    for place in preview.masked:
        yield ((f"  {one_line(place.kind)}", STRONG), (f", {hint(place)}  ", ""), (where(place, preview), QUIET))
    yield ()
    yield (("WILL AGE", STRONG), (f"  {HOW_IT_AGES}" if preview.ages else "", QUIET))
    if not preview.ages:
        yield ((f"  {NOTHING_AGES}", ""),)
    for thing in preview.ages:
        name, now = what_ages(thing, home)
        yield ((f"  {name}", ""), (f"  {now}", QUIET))
