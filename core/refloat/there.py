"""What lies under a name that other people wrote: a recorded directory, a word that may be a path.

Decides that a name that cannot be looked up (too long, with a zero byte, below a directory of somebody else's) names
nothing here. `pathlib` raises for some of these, and which ones changes with the version of Python.
"""

import os


def is_there(path: "str | os.PathLike[str]") -> bool:
    """Whether something lies there."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def may_be_there(path: "str | os.PathLike[str]") -> bool:
    """Whether something may lie there: in a directory that may not be entered, nobody knows that nothing does."""
    try:
        os.stat(path)  # noqa: PTH116 - see above
    except (PermissionError, InterruptedError):
        return True
    except (OSError, ValueError):
        return False
    return True


def is_directory(path: "str | os.PathLike[str]") -> bool:
    """Whether a directory lies there."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def is_plain_file(path: "str | os.PathLike[str]") -> bool:
    """Whether a file lies there, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113 - see above


def from_here(path: str) -> str:
    """A path that a variable names, absolute: a relative one lies below the present directory, as the agents take it.
    As it is where that directory is gone.
    """
    if path.startswith("/"):
        return path
    try:
        return os.path.abspath(path)  # noqa: PTH100 - `..` goes, links stay
    except OSError:
        return path
