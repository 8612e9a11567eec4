"""A brief put into a file: private, whole or not at all.

Decides where a brief usually goes and how it gets there. Refuses to replace a file unless told to.
"""

import os
import tempfile
from pathlib import Path

from refloat.errors import NotDone
from refloat.model.session import Session

FILE_NAME = "HANDOFF.md"


def usual_path(session: Session, cwd: Path) -> Path:
    """`HANDOFF.md` in the session's workspace; in `cwd` where that is not there any more."""
    workspace = session.worktree or session.workspace
    where = Path(workspace) if workspace and Path(workspace).is_dir() else cwd
    return where / FILE_NAME


def put_brief(path: Path, markdown: str, *, overwrite: bool = False) -> Path:
    """Write a brief for its owner's eyes alone (0600). A link of that name is replaced, never followed.

    Raises:
        NotDone: a file is there and `overwrite` is not given, or it could not be written; the sentence says which.

    """
    if not overwrite and os.path.lexists(path):
        raise NotDone(f"{path} is there already")
    try:
        handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # created 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(markdown)
                file.flush()
                os.fsync(file.fileno())
            Path(partial).replace(path)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise NotDone(f"{path} could not be written: {error.strerror or error}") from error
    return path
