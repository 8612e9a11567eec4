"""`salvage` for a person: what is in the patch, what is not and why."""

from collections.abc import Iterator

from refloat.model.salvage import Salvage
from refloat.text import inert_line
from refloat_tui.cli.show.table import counted


def salvage_lines(found: Salvage) -> Iterator[str]:
    """Sentences for standard error."""
    for path in found.unread:
        yield f"{inert_line(path)} cannot be read: nobody knows what of it is lost"
    if not found.files and not found.unread:
        yield "nothing to salvage: the record holds no content that the checkout and the saved places lack"
    if not found.files:
        return
    inside = sum(file.in_patch for file in found.files)
    if inside:
        yield f"{counted(inside, 'file')} in the patch, {len(found.files) - inside} not"
    else:
        yield f"no patch: of {counted(len(found.files), 'lost file')} none can be applied to the checkout as it stands"
    for file in found.files:
        yield f"{'in the patch' if file.in_patch else 'not in it'}: {inert_line(file.path)} ({file.why})"
    if found.secrets:
        yield f"it holds {counted(found.secrets, 'value')} that look like secrets, exact and unmasked"
