"""What git prints, read into values. Pure: bytes in, values out.

Formats: git-status(1) "Porcelain Format Version 2", git-diff(1) "Generating patch text" and "Raw output format",
git-worktree(1) "Porcelain Format". Refuses to run git.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from refloat.model.light import field, light, slotted
from refloat.model.stamp import Stamp, stamp_of_seconds
from refloat.patterns import late

NOTHING: Final = late(r"0+")
"""An object id of zeros: nothing stands there."""


UNMERGED: Final = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
"""The two characters of paths in conflict."""


@light
class StatusEntry:
    """A dirty path."""

    xy: str
    """Two characters as in `git status --porcelain`; `??` for untracked."""
    head: str | None
    """Object id of its content in HEAD."""
    submodule: bool = False
    index: str | None = None
    """Object id of what is staged; None where nothing is, or the path is in conflict."""
    mode: str = ""
    """The file's mode now, as git has it (`100755`); empty where git does not tell."""
    head_mode: str = ""

    @property
    def unmerged(self) -> bool:
        """Whether the path is in conflict."""
        return self.xy in UNMERGED

    @property
    def staged_apart(self) -> bool:
        """Whether something is staged and the file differs from it."""
        return self.xy[0] not in " ?" and self.xy[1] != " " and not self.unmerged


@slotted
class Status:
    """What `git status --porcelain=v2 -z --branch` says."""

    head: str | None = None
    branch: str | None = None
    entries: dict[str, StatusEntry] = field(default_factory=dict[str, StatusEntry])


@light
class DiffHunk:
    """One hunk of a diff without context. `lines` as in `model.transcript.Hunk`, without backslash lines."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]


@light
class Blob:
    """What a commit made of a path."""

    path: str
    oid: str | None
    """None: it deleted the path."""


@light
class LoggedCommit:
    """A commit with what it changed against its first parent."""

    sha: str
    parents: tuple[str, ...]
    at: Stamp | None
    subject: str
    source: str
    """The ref by which it was reached, where asked for."""
    blobs: tuple[Blob, ...]


def decode(data: bytes) -> str:
    """A path or text of git; bytes that are no UTF-8 stay recognisable as such."""
    return data.decode("utf-8", "surrogateescape")


def read_status(out: bytes) -> Status:
    """Read `status --porcelain=v2 -z --branch`."""
    status = Status()
    fields = iter(decode(out).split("\0"))
    for line in fields:
        match line[:2]:
            case "# ":
                _header(status, line)
            case "1 ":
                words = line.split(" ", 8)
                status.entries[words[8]] = StatusEntry(
                    words[1].replace(".", " "), _oid(words[6]), words[2][0] == "S", _oid(words[7]), words[5], words[3]
                )
            case "2 ":
                words = line.split(" ", 9)
                origin = next(fields, "")
                status.entries[words[9]] = StatusEntry(words[1].replace(".", " "), None, words[2][0] == "S")
                status.entries.setdefault(origin, StatusEntry("D ", _oid(words[6])))
            case "u ":
                words = line.split(" ", 10)
                status.entries[words[10]] = StatusEntry(words[1], _oid(words[8]), words[2][0] == "S")
            case "? ":
                status.entries[line[2:]] = StatusEntry("??", None)
            case _:
                pass
    return status


def _header(status: Status, line: str) -> None:
    match line.split(" ", 2):
        case ["#", "branch.oid", oid] if oid != "(initial)":
            status.head = oid
        case ["#", "branch.head", name] if name != "(detached)":
            status.branch = name
        case _:
            pass


def _oid(word: str) -> str | None:
    return None if NOTHING.fullmatch(word) else word


_HUNK: Final = late(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def read_diff(out: bytes) -> dict[str, list[DiffHunk]]:
    """Read a patch without renames into hunks by path (relative to the repository's root). Binary files have none."""
    found: dict[str, list[DiffHunk]] = {}
    hunks: list[DiffHunk] = []
    old_path: str | None = None
    lines = out.split(b"\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith(b"diff --git "):
            hunks, old_path = [], None
        elif line.startswith(b"--- "):
            old_path = _patch_path(line[4:], b"a/")
        elif line.startswith(b"+++ "):
            path = _patch_path(line[4:], b"b/") or old_path
            if path is not None:
                hunks = found.setdefault(path, [])
        elif head := _HUNK.match(line):
            index = _take_hunk(head, lines, index, hunks)
    return found


def _take_hunk(head: re.Match[bytes], lines: Sequence[bytes], index: int, hunks: list[DiffHunk]) -> int:
    old_lines, new_lines = int(head[2] or 1), int(head[4] or 1)
    body: list[str] = []
    old, new = old_lines, new_lines
    while index < len(lines) and (old > 0 or new > 0):
        line = lines[index]
        index += 1
        sign = line[:1]
        if sign == b"\\":
            continue
        old -= sign != b"+"
        new -= sign != b"-"
        body.append(line.decode(errors="replace"))
    hunks.append(DiffHunk(int(head[1]), old_lines, int(head[3]), new_lines, tuple(body)))
    return index


_ESCAPE: Final = late(rb"\\([0-7]{3}|.)")
_NAMED: Final = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13}


def _unescape(match: re.Match[bytes]) -> bytes:
    word = match.group(1)
    return bytes([int(word, 8)]) if len(word) == 3 else bytes([_NAMED.get(word, word[0])])


def _patch_path(word: bytes, prefix: bytes) -> str | None:
    """A path of a patch header: quoted as in C where it holds odd characters, a tab behind one with a space."""
    word = word.rstrip(b"\t")
    if word.startswith(b'"') and word.endswith(b'"'):
        word = _ESCAPE.sub(_unescape, word[1:-1])
    return None if word == b"/dev/null" else decode(word.removeprefix(prefix))


LOG_FORMAT: Final = "--format=%x01%H%x02%P%x02%ct%x02%S%x02%s%x03"
"""Between the commits of a log there are only raw changes; the marks are no characters of a subject line."""


def read_log(out: bytes) -> Iterator[LoggedCommit]:
    """Read `log --raw -z --no-abbrev` in `LOG_FORMAT`."""
    for chunk in out.split(b"\x01")[1:]:
        head, _, raw = chunk.partition(b"\x03")
        words = decode(head).split("\x02")
        if len(words) >= 5:
            at = stamp_of_seconds(int(words[2])) if words[2].isdigit() else None
            yield LoggedCommit(words[0], tuple(words[1].split()), at, words[4], words[3], tuple(read_raw(raw)))


def read_raw(raw: bytes) -> Iterator[Blob]:
    """Read raw changes: `:mode mode oid oid X NUL path NUL`."""
    fields = iter(decode(raw).split("\0"))
    for word in fields:
        meta = word.strip("\n")
        if meta.startswith(":"):
            words = meta.split(" ")
            path = next(fields, "")
            if len(words) >= 5:
                yield Blob(path, _oid(words[3]))


def read_reflog(out: bytes) -> list[tuple[int, str]]:
    """Read `log -g --format=%H%x00%gd --date=unix`: (seconds since 1970, commit), newest first."""
    found: list[tuple[int, str]] = []
    for line in out.decode(errors="replace").splitlines():
        sha, _, name = line.partition("\0")
        seconds = re.search(r"@\{(\d+)", name)
        if seconds:
            found.append((int(seconds[1]), sha))
    return found


def read_worktrees(out: bytes) -> list[str]:
    """The paths of `worktree list --porcelain -z` (or without `-z`), bare ones left out."""
    found: list[str] = []
    entries = re.split(rb"\0\0|\n\n", out)
    for entry in entries:
        fields = re.split(rb"[\0\n]", entry)
        if fields[0].startswith(b"worktree ") and b"bare" not in fields[1:]:
            found.append(decode(fields[0][9:]))
    return found


class Index:
    """What `ls-files -v -z` lists: every tracked path with its tag, sorted by path. Most are never asked about, so the
    list is searched as it is.
    """

    def __init__(self, out: bytes) -> None:
        self._out = out
        self.plain = out.startswith(b"H ") and out.count(b"\0H ") + 1 == out.count(b"\0")
        """Every tag is `H`, as in nearly every repository."""

    def __contains__(self, path: str) -> bool:
        return self.tag(path) is not None

    def tag(self, path: str) -> str | None:
        """`H` for a plain path, small where git takes it as unchanged unasked (git-ls-files(1)); None: not tracked."""
        try:
            wanted, out = path.encode("utf-8", "surrogateescape"), self._out
        except UnicodeEncodeError:  # half a character, as a record can name it, is no name on a disk
            return None
        low, high = 0, len(out)
        while low < high:  # both at the start of an entry
            start = out.rfind(b"\0", low, (low + high) // 2) + 1 or low
            end = out.find(b"\0", start)
            here = out[start + 2 : end]
            if here == wanted:
                return chr(out[start])
            low, high = (end + 1, high) if here < wanted else (low, start)
        return None


def read_staged(out: bytes) -> dict[str, str]:
    """Read `ls-files -s -z`: path to the object id of what is staged."""
    rows = (entry.partition("\t") for entry in decode(out).split("\0") if entry)
    return {path: meta.split(" ")[1] for meta, _, path in rows if meta.endswith(" 0")}


def read_objects(out: bytes) -> Mapping[str, bytes]:
    """Read `cat-file --batch`: content by object id; missing ones are left out."""
    found: dict[str, bytes] = {}
    at = 0
    while at < len(out):
        end = out.find(b"\n", at)
        if end < 0:
            break
        words = out[at:end].split(b" ")
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            found[words[0].decode()] = out[at : at + size]
            at += size + 1
    return found
