"""The age of a brief: what it speaks of, hashed into its last line, and looked at again later.

Decides whether a brief still holds. Refuses to count briefs and other files of Refloat's own, and to follow a link:
a link is its target's name. The last line is a comment that nothing in it can close.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, cast

from refloat.errors import UsageError
from refloat.model.brief import Ages, BriefCheck, Fingerprint, Moved
from refloat.model.own_files import held_by, is_own_text, listings_of
from refloat.model.session import SessionName, place_here
from refloat.ports import Git
from refloat.there import is_directory

TAIL: Final = 4_096
"""Bytes of a transcript's end that are hashed."""
ABSENT: Final = "-"

_TRANSCRIPTS: Final = 4
"""So many of a session's files, the last ones: the end is where it grows."""
_NO_FILE: Final = (OSError, ValueError)
"""A recorded path may hold what no name of a file can (NUL, a lone surrogate): then there is none."""
_CHUNK: Final = 1024 * 1024
_MARK: Final = "<!-- refloat/1 "
_ENDS: Final = 128 * 1024
"""Bytes of a file's beginning and end that say whether Refloat wrote it."""
_LAST_LINE: Final = re.compile(r"<!-- refloat/1 (\{.*\}) -->")


# ── taking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def take_fingerprint(
    session: SessionName, head: str | None, workspace: str | None, files: Iterable[str], transcript: Sequence[str]
) -> Fingerprint:
    """Hash what a brief may speak of. `files` are relative to `workspace` or absolute; Refloat's own are skipped."""
    hashed = tuple((path, hash_file(_place(workspace, path))) for path in dict.fromkeys(files))
    # Nothing of what is gone says that Refloat wrote it.
    kept = tuple((path, held) for path, held in hashed if held == ABSENT or not is_own(_place(workspace, path)))
    ends = tuple(end for path in transcript[-_TRANSCRIPTS:] if (end := _end_of(path)) is not None)
    return Fingerprint(session, head, workspace, kept, ends)


def _place(workspace: str | None, path: str) -> Path:
    return Path(workspace or "/") / path


def hash_file(path: Path) -> str:
    """SHA-256 of a file's content, of a link's target name; `-` where there is neither."""
    try:
        kind = path.lstat().st_mode
        if stat.S_ISLNK(kind):
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
        if not stat.S_ISREG(kind):
            return ABSENT
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()
    except _NO_FILE:
        return ABSENT


def is_own(path: Path) -> bool:
    """Whether Refloat wrote a file: it says so itself, or a list beside it answers for its content."""
    if is_own_text(*_ends_of(path)):
        return True
    held = frozenset[str]().union(*(held_by(_ends_of(Path(one))[1]) for one in listings_of(str(path))))
    return bool(held) and hash_file(path) in held


def _ends_of(path: Path) -> tuple[str, str]:
    """The beginning and the end of a file's text; nothing of what is no plain file."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return "", ""
        with path.open("rb") as file:
            head = file.read(_ENDS)
            file.seek(max(0, os.fstat(file.fileno()).st_size - _ENDS))
            return head.decode(errors="replace"), file.read().decode(errors="replace")
    except _NO_FILE:
        return "", ""


def _end_of(path: str) -> tuple[str, int, str] | None:
    size = _size(path)
    digest = None if size is None else _hash_tail(path, size)
    return None if size is None or digest is None else (path, size, digest)


def _size(path: str) -> int | None:
    try:
        return Path(path).stat().st_size
    except _NO_FILE:
        return None


def _hash_tail(path: str, size: int) -> str | None:
    """SHA-256 of the last `TAIL` bytes before `size`."""
    start = max(0, size - TAIL)
    try:
        with Path(path).open("rb") as file:
            file.seek(start)
            return hashlib.sha256(file.read(size - start)).hexdigest()
    except _NO_FILE:
        return None


# ── the last line ────────────────────────────────────────────────────────────────────────────────────────────────────


def write_last_line(fingerprint: Fingerprint, mentions: Callable[[str], bool], may_stand: Callable[[str], bool]) -> str:
    """The comment that ends a brief: of the files only those that the text mentions.

    `may_stand` says whether a text leaves as it is: what would be masked (a token in a path) is left out, hashes stand
    before their paths so that no path reads as the name of a secret.
    """
    document = {
        "session": fingerprint.session,
        "head": fingerprint.head,
        "workspace": fingerprint.workspace if fingerprint.workspace and may_stand(fingerprint.workspace) else None,
        "files": [[digest, path] for path, digest in fingerprint.files if mentions(path) and may_stand(path)],
        "transcript": [[digest, size, path] for path, size, digest in fingerprint.transcript if may_stand(path)],
    }
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    for mark, escaped in (("--", "-\\u002d"), (">", "\\u003e"), ("<", "\\u003c"), ("\x7f", "\\u007f")):
        text = text.replace(mark, escaped)
    return f"{_MARK}{text} -->"


def read_last_line(markdown: str) -> Fingerprint | None:
    """The fingerprint of a brief; None where the last line is none."""
    rows = [row.strip() for row in markdown.splitlines() if row.strip()]
    match = _LAST_LINE.fullmatch(rows[-1]) if rows else None
    if match is None:
        return None
    try:
        return _read(json.loads(match[1]))
    except (ValueError, TypeError, KeyError):
        return None


def session_of_brief(path: Path) -> SessionName | None:
    """The session whose brief a file is; None where it is none of Refloat's, or a link."""
    held = read_last_line(_ends_of(path)[1])
    return None if held is None else held.session


def _read(document: object) -> Fingerprint:
    row = cast("dict[str, object]", document)
    files = cast("list[list[object]]", row["files"])
    ends = cast("list[list[object]]", row["transcript"])
    return Fingerprint(
        SessionName(str(row["session"])),
        _text_or_none(row["head"]),
        _text_or_none(row["workspace"]),
        tuple((str(path), str(digest)) for digest, path in files),
        tuple((str(path), int(str(size)), str(digest)) for digest, size, path in ends),
    )


def _text_or_none(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(value)
    return value


def ages_of(fingerprint: Fingerprint) -> tuple[Ages, ...]:
    """What a brief will be held to when somebody checks it, each with how it stands now."""
    head = fingerprint.head[:12] if fingerprint.head else "no commit"
    return (
        *((Ages("head", "HEAD", f"commit {head}" if fingerprint.head else head),) if fingerprint.workspace else ()),
        *(Ages("file", path, _content(digest)) for path, digest in fingerprint.files),
        *(Ages("transcript", path, f"ends at {size:,} bytes") for path, size, _ in fingerprint.transcript),
    )


# ── looking again ────────────────────────────────────────────────────────────────────────────────────────────────────


def check_fingerprint(fingerprint: Fingerprint, git: Git) -> BriefCheck:
    """Whether everything that a brief speaks of is as it was."""
    moved = [
        *_moved_head(fingerprint, git),
        *(row for path, digest in fingerprint.files if (row := _moved_file(fingerprint, path, digest))),
        *(row for end in fingerprint.transcript if (row := _moved_transcript(*end))),
    ]
    return BriefCheck(not moved, tuple(moved))


def _moved_head(fingerprint: Fingerprint, git: Git) -> list[Moved]:
    if fingerprint.workspace is None:
        return []
    here = Path(fingerprint.workspace)
    if place_here(fingerprint.workspace) is None or not is_directory(here):
        return [Moved("workspace", fingerprint.workspace, "gone")] if fingerprint.head else []
    answer = git.run(here, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    now = answer.out.decode("ascii", "replace").strip() or None if answer.code == 0 else None
    if now == fingerprint.head:
        return []
    return [Moved("HEAD", fingerprint.head or "no commit", now or "no commit")]


def _moved_file(fingerprint: Fingerprint, path: str, digest: str) -> Moved | None:
    now = hash_file(_place(fingerprint.workspace, path))
    if now == digest or (fingerprint.workspace is None and not Path(path).is_absolute()):
        return None
    return Moved(path, _content(digest), _content(now))


def _content(digest: str) -> str:
    return "no such file" if digest == ABSENT else f"content {digest[:12]}"


def _moved_transcript(path: str, size: int, digest: str) -> Moved | None:
    now = _size(path)
    was = f"{size:,} bytes"
    if now is None:
        return Moved(path, was, "gone")
    if now > size and _hash_tail(path, size) == digest:
        return Moved(path, was, f"{now:,} bytes: the session went on")
    if now != size or _hash_tail(path, size) != digest:
        return Moved(path, was, f"{now:,} bytes, another content")
    return None


def load_fingerprint(path: Path) -> Fingerprint:
    """The fingerprint of the brief in a file.

    Raises:
        UsageError: there is no such file, it cannot be read, or it is no brief.

    """
    try:
        markdown = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        message = f"there is no file {str(path)!r}; give the brief that `refloat brief SESSION --out FILE` wrote"
        raise UsageError(message) from None
    except OSError as fault:
        message = f"{str(path)!r} cannot be read ({fault.strerror}); give the file of a brief"
        raise UsageError(message) from fault
    fingerprint = read_last_line(markdown)
    if fingerprint is None:
        message = f"{str(path)!r} is no brief of Refloat: its last line holds no `<!-- refloat/1 … -->`"
        raise UsageError(message)
    return fingerprint
