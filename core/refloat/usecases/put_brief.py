"""A brief put into a file: private, whole or not at all.

Decides where a brief usually goes and how it gets there. Refuses to replace a file unless told to, but for an older
brief of the same session, one of another that holds no more, and an empty file: a script may write these anew as often
as it likes.
"""

import os
from pathlib import Path

from refloat.brief.fingerprint import session_of_brief
from refloat.errors import NotDone, UsageError
from refloat.model.brief import WrittenBrief
from refloat.model.own_files import BRIEF_FILE
from refloat.model.session import Session, SessionName
from refloat.text import inert_line
from refloat.there import is_directory
from refloat.usecases.check_brief import check_brief
from refloat.usecases.old_briefs import BRIEFS
from refloat.usecases.situations import place_of
from refloat.usecases.targets import refuse_kind, refuse_taken, refuse_target
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_private


def usual_path(session: Session, cwd: Path) -> Path:
    """`HANDOFF.md` in the session's workspace; in `cwd` where that is not there any more."""
    workspace = place_of(session)
    where = Path(workspace) if workspace and is_directory(workspace) else cwd
    return where / BRIEF_FILE


def put_brief(path: Path, markdown: str, *, overwrite: bool = False) -> Path:
    """Write a brief for its owner's eyes alone (0600). A link of that name is replaced, never followed. Where it may be
    written is for the caller to ask (`targets.refuse_target`): a brief of Refloat's own lies among its data.

    Raises:
        NotDone: a file is there and `overwrite` is not given, or it could not be written; the sentence says which.

    """
    if not overwrite and os.path.lexists(path):
        raise NotDone(f"{path} is there already")
    try:
        write_private(path, markdown)
    except UsageError as error:  # its sentence speaks to a command line
        why = error.__cause__.strerror if isinstance(error.__cause__, OSError) else None
        raise NotDone(f"{path} could not be written: {why or error}") from error
    return path


def brief_of_another(path: Path, session: SessionName) -> SessionName | None:
    """The other session whose brief a file is; None where it is this one's, or none."""
    whose = session_of_brief(path)
    return whose if whose != session else None


def renew_brief(bench: Workbench, path: Path, written: WrittenBrief, *, force: bool) -> SessionName | None:
    """Write a brief, also over an older one and over an empty file; over all else, links too, only with `force`: a
    brief of another session that still holds may be all that somebody has. Refloat's own place for briefs is made.

    Returns the other session whose brief was replaced, where it was one.

    Raises:
        NotDone: something else is there.
        UsageError: it cannot be written, or may not be, whatever is forced.

    """
    briefs = bench.machine.places.data / BRIEFS
    is_own = path.parent == briefs and not briefs.is_symlink()
    if is_own:
        refuse_kind(path)
    else:
        refuse_target(path, bench.machine.places, bench.readers)
    refuse_taken(path, "no brief", lambda there: session_of_brief(Path(there)) is not None, force=force)
    whose = brief_of_another(path, written.session)
    if whose is not None and not force and check_brief(bench, path).holds:
        what = f"{path} is the brief of another session, {inert_line(whose)}, and still holds"
        raise NotDone(f"{what}; name another file, or replace it with `--force`")
    if is_own:
        _make_place(briefs)
    write_private(path, written.markdown)
    return whose


def _make_place(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise UsageError(
            f"{str(folder)!r} cannot be made ({fault.strerror}); name another place with `--out`"
        ) from fault
