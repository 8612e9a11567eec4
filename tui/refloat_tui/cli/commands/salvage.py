"""`salvage`: a patch of lost work."""

import shlex
from pathlib import Path

import click

from refloat import wire
from refloat.brief.masks import Masker
from refloat.model.fate_words import MADE_ANEW
from refloat.model.salvage import Salvage
from refloat.text import inert_line
from refloat.usecases.put_salvage import Put, put_salvage
from refloat.usecases.salvage import salvage_session
from refloat_tui.cli import err, out
from refloat_tui.cli.commands.bench import as_json, bench, located, out_option, session_argument
from refloat_tui.cli.ending import UNREAD
from refloat_tui.cli.show.salvage import salvage_lines


@click.command(short_help="A patch of what the record holds and the checkout lacks.")
@session_argument
@out_option("Write it here, private (0600); what no patch can hold stands beside, in FILE.files.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@as_json
def salvage(session: str, target: Path | None, force: bool, json_: bool) -> int:
    """A patch of lost work, exact and unmasked, that `git apply` takes on the tree as it is.

    The checkout itself is never touched.
    """
    found = salvage_session(bench(), located(session))
    written = put_salvage(bench(), found, target, overwrite=force) if target is not None else None
    if json_:
        out.write(wire.dump(wire.salvage(found), masker=Masker(enabled=False)))
    elif target is None:
        out.exact(found.patch)
    masker = Masker()
    for sentence in (*salvage_lines(found), *_next(found, target, written)):
        err.say(masker.text(sentence))
    return UNREAD if found.unread else 0


def _next(found: Salvage, target: Path | None, written: Put | None) -> list[str]:
    """Where it went and how it is applied."""
    lines: list[str] = []
    if written is None or target is None:
        if any(file.beside is not None for file in found.files):
            lines.append("`--out FILE.patch` writes the contents that stand in no patch into FILE.patch.files")
        return lines
    if (apply := written.apply(found.repo)) is not None:
        lines.append(f"wrote {written.patch}; `{shlex.join(apply)}` applies it")
    elif written.patch is not None:
        lines.append(f"wrote {written.patch}; {inert_line(found.gone or '')} is gone: {MADE_ANEW}")
    if written.beside is not None:
        lines.append(f"wrote {written.beside}")
    if written.listing is not None:
        lines.append(f"wrote {written.listing}, which says why each stands in no patch")
    if written.patch is None:
        instead = ", ".join(path.name for path in (written.beside, written.listing) if path is not None)
        rest = f"what could be saved stands in {instead} beside it" if instead else "no file was written at all"
        lines.append(f"{target} was not written: nothing can be in that patch; {rest}")
    return lines
