"""HEAD and the hash of a worktree, at the price of two short runs of git: for commands that may cost next to nothing.

Decides what the hash is over: git's porcelain status and the content of every dirty file, untracked ones included.
Refuses to take longer than it may: what is not known by then is None, with the reason. git is told beforehand to run
nothing of the repository's (`git_options`), as in `git`, which loads a library for it.
"""

import os
import signal
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from select import select
from typing import Final

from refloat.machine.git_options import ENVIRONMENT, FIXED, PERSONAL, harden, neutralised, personal_settings
from refloat.machine.programs import absolute_parts, find_program
from refloat.model.saving import Tree

SECONDS: Final = 0.2
_STATUS: Final = (
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--no-ahead-behind",
)
_FIELDS: Final = {"1": 8, "2": 9, "u": 10}
"""Fields before the path in a line of `git status --porcelain=v2` (git-status(1))."""
_PIECE: Final = 1 << 20


class _TooSlow(Exception):  # noqa: N818 - reads as the answer that it is
    pass


class _Silent(Exception):  # noqa: N818
    pass


def look_at_tree(directory: str, environment: Mapping[str, str], seconds: float = SECONDS) -> Tree:
    """HEAD and the worktree's hash for a directory, within so many seconds."""
    root = _root(directory)
    if root is None:
        return Tree(unknown="no repository")
    git = find_program("git", environment)
    if git is None:
        return Tree(unknown="there is no git on the path")
    until = time.monotonic() + seconds
    head: str | None = None
    try:
        listing = _status(git, root, environment, until)
        head, entries = _read_status(listing)
        return Tree(head, _hash(root, entries, until))
    except _TooSlow:
        return Tree(head, None, f"it took longer than {seconds * 1000:.0f} ms")
    except _Silent:
        return Tree(head, None, "git could not tell")
    except OSError as error:
        return Tree(head, None, f"a dirty file could not be read: {error.strerror or error}")


def _root(directory: str) -> str | None:
    """The directory with `.git` at or above; None where there is none, and inside a `.git` itself."""
    place = os.path.realpath(directory)
    while not os.path.lexists(os.path.join(place, ".git")):  # noqa: PTH118 - text stays text
        above = os.path.dirname(place)  # noqa: PTH120
        if above == place:
            return None
        place = above
    return place


def _status(git: str, root: str, environment: Mapping[str, str], until: float) -> bytes:
    home, xdg = environment.get("HOME", ""), environment.get("XDG_CONFIG_HOME", "")
    own = {**ENVIRONMENT, "PATH": absolute_parts(environment)}
    asking = {**own, "HOME": home, **({"XDG_CONFIG_HOME": xdg} if xdg else {})}
    del asking["GIT_CONFIG_GLOBAL"]
    listing = _ask([git, *FIXED, "-C", root, "config", "--list", "-z", "--show-scope", "--includes"], asking, until)
    fields = listing.decode("utf-8", "surrogateescape").split("\0")
    entries = [(scope, *entry.partition("\n")) for scope, entry in zip(fields[0::2], fields[1::2], strict=False)]
    local = [key for scope, key, _, _ in entries if scope not in {"global", "command"}]
    kept = {key: value if given else "true" for scope, key, given, value in entries if scope == "global"}
    settings = [
        (key, value)
        for key, value in personal_settings({key: kept[key] for key in PERSONAL if key in kept}, home, xdg).items()
        if key not in local
    ]
    filters = neutralised(local)
    if filters and not _takes_settings(_ask([git, "version"], own, until)):
        raise _Silent  # it could not be told to leave them alone
    settings += filters
    if "core.worktree" in local:
        own["GIT_WORK_TREE"] = root  # a setting of the repository names another place
    for n, (key, value) in enumerate(settings):
        own |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
    own["GIT_CONFIG_COUNT"] = str(len(settings))
    return _ask([git, "--no-pager", "--no-optional-locks", *FIXED, "-C", root, *harden(_STATUS)], own, until)


def _takes_settings(version: bytes) -> bool:
    """Whether git takes settings by environment (since 2.31), where a name may hold any character."""
    words = version.decode("ascii", "replace").split()  # `git version 2.39.5 (Apple Git-154)`
    parts = words[2].split(".")[:2] if len(words) > 2 else []
    return [int(part) for part in parts if part.isdigit()] >= [2, 31]


def _read_status(listing: bytes) -> tuple[str | None, Sequence[tuple[str, str]]]:
    """HEAD, and each dirty path with its whole line."""
    head: str | None = None
    entries: list[tuple[str, str]] = []
    for line in listing.decode("utf-8", "surrogateescape").split("\0"):
        kind, _, rest = line.partition(" ")
        if kind == "#" and rest.startswith("branch.oid "):
            name = rest.removeprefix("branch.oid ")
            head = None if name == "(initial)" else name
        elif kind == "?":
            entries.append((rest, line))
        elif kind in _FIELDS:
            entries.append((line.split(" ", _FIELDS[kind])[-1], line))
    return head, entries


def _hash(root: str, entries: Sequence[tuple[str, str]], until: float) -> str:
    whole = sha256()
    for path, line in sorted(entries):
        whole.update(os.fsencode(line) + b"\0")
        for part in _content(os.path.join(root, path), until):  # noqa: PTH118
            whole.update(part)
    return whole.hexdigest()


def _content(path: str, until: float) -> Iterator[bytes]:
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            yield b"link " + os.fsencode(os.readlink(path)) + b"\0"  # noqa: PTH115
        elif stat.S_ISREG(mode):
            found = sha256()
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                while part := file.read(_PIECE):
                    found.update(part)
                    if time.monotonic() > until:
                        raise _TooSlow
            yield b"file " + found.digest()
        else:
            yield b"other "
    except FileNotFoundError:
        yield b"gone "


def _ask(argv: Sequence[str], environment: Mapping[str, str], until: float) -> bytes:
    """What a program prints; `subprocess` alone would cost as much as the program."""
    out, into = os.pipe()
    try:
        pid = os.posix_spawn(
            argv[0],
            list(argv),
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, into, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
            setsigmask=(),
            setsigdef=(signal.SIGPIPE, signal.SIGINT, signal.SIGHUP, signal.SIGTERM),
        )
    except OSError as error:
        os.close(out)
        raise _Silent from error
    finally:
        os.close(into)
    parts: list[bytes] = []
    try:
        while part := _read_by(out, until):
            parts.append(part)
    except BaseException:
        os.killpg(pid, signal.SIGKILL)
        raise
    finally:
        os.close(out)
        _, status = os.waitpid(pid, 0)
    if status:
        raise _Silent
    return b"".join(parts)


def _read_by(fd: int, until: float) -> bytes:
    left = until - time.monotonic()
    if left <= 0 or not select([fd], [], [], left)[0]:
        raise _TooSlow
    return os.read(fd, _PIECE)
