"""A brief put into a file: private, whole or not at all.

Decides where a brief usually goes and how it gets there. Refuses to replace a file unless told to, but for a brief of
Refloat's and an empty file: these a script may write anew as often as it likes.
"""

import os
from pathlib import Path

from refloat.brief.fingerprint import session_of_brief
from refloat.errors import NotDone, UsageError
from refloat.model.own_files import BRIEF_FILE
from refloat.model.session import Session
from refloat.there import is_directory
from refloat.usecases.situations import place_of
from refloat.usecases.targets import refuse_taken, refuse_target
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


def renew_brief(bench: Workbench, path: Path, markdown: str, *, force: bool) -> None:
    """Write a brief, also over another one and over an empty file; over all else, links too, only with `force`.

    Raises:
        NotDone: something else is there.
        UsageError: it cannot be written, or may not be, whatever is forced.

    """
    refuse_target(path, bench.machine.places, bench.readers)
    refuse_taken(path, "no brief", lambda there: session_of_brief(Path(there)) is not None, force=force)
    write_private(path, markdown)
