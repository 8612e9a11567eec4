"""Two patch languages as edits: the `apply_patch` text that Codex's models write, and unified hunks.

Decides what a patch asks for. Refuses to decide whether it was applied: a patch that the tool rejects reads the same.
Lenient where the tool is: a heredoc around the patch, blank lines between sections, anything behind the end.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from refloat.model.light import field, slotted
from refloat.model.transcript import FileEdit, Hunk
from refloat.patterns import late

BEGIN: Final = "*** Begin Patch"
_END: Final = "*** End Patch"
_ADD: Final = "*** Add File: "
_DELETE: Final = "*** Delete File: "
_UPDATE: Final = "*** Update File: "
_MOVE: Final = "*** Move to: "
_HEADINGS: Final = frozenset({"create", "delete", "update"})
_MARKS: Final = {_ADD: "create", _DELETE: "delete", _UPDATE: "update", _MOVE: "move"}
_RANGE: Final = late(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_SIGNS: Final = frozenset({" ", "+", "-", "", "\r"})
"""How a line of an update may begin."""
_DRIVE: Final = late(r"[A-Za-z]:[\\/]|\\\\")


@lru_cache(maxsize=1024)
def absolute(path: str, cwd: str) -> str:
    """Make a recorded path absolute: `file://` URIs are decoded, relative ones joined to `cwd`, dots resolved as text.

    Without a `cwd` a relative path stays relative; Windows paths are taken as they are.
    """
    path = local_path(path)
    if _DRIVE.match(path):
        return path
    if not path.startswith("/"):
        if _DRIVE.match(cwd):
            return cwd.rstrip("\\/") + "\\" + path.replace("/", "\\")
        path = posixpath.join(cwd, path) if cwd else path
    made = posixpath.normpath(path)
    return "/" + made.lstrip("/") if made.startswith("//") else made


def local_path(path: str) -> str:
    """A path that may be a `file://` URI, as a plain path. Codex 0.153 writes such URIs for `cwd` and `path`."""
    if not path.startswith("file://"):
        return path
    from urllib.parse import unquote  # hardly ever asked

    bare = unquote(path[7:].removeprefix("localhost"))
    return bare[1:] if bare[:1] == "/" and _DRIVE.match(bare[1:]) else bare


@slotted
class _Section:
    """One file's part of a patch while it is being read."""

    op: str
    path: str
    moved_to: str | None = None
    added: list[str] = field(default_factory=list[str])
    hunks: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    """Anchor and body lines."""


def parse_patch(text: str, cwd: str) -> tuple[FileEdit, ...]:
    """Read every `*** Begin Patch` … `*** End Patch` in `text`; paths are made absolute with `cwd`.

    A patch cut before its end gives what stands there. Format: Codex `apply_patch` (formats/codex, section 5.3).
    """
    if BEGIN not in text:
        return ()
    return tuple(_edit(section, cwd) for section in _sections(text.split("\n")))


def touched_by(text: str, cwd: str) -> tuple[FileEdit, ...]:
    """The same edits as `parse_patch` has, of which nothing is told but the paths."""
    if BEGIN not in text:
        return ()
    found: list[list[str]] = []
    inside = False
    for _, kind, path in _marks(text.split("\n")):
        if kind in _HEADINGS:
            inside = True
            found.append([kind, path, ""])
        elif kind == "end":
            inside = False
        elif kind == "move" and inside:
            found[-1][2] = path
    return tuple(
        FileEdit(absolute(path, cwd), "update", moved_to=absolute(to, cwd) if to and kind == "update" else None)
        for kind, path, to in found
    )


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    section: _Section | None = None
    behind = 0
    for at, kind, path in _marks(lines):
        if section and at > behind:
            _add(section, lines[behind:at])
        behind = at + 1
        if kind in _HEADINGS or kind == "end":
            if section:
                yield section
            section = None if kind == "end" else _Section(kind, path)
        elif section and kind == "move":
            section.moved_to = path
        elif section and kind == "line":
            _add(section, (lines[at],))
    if section:
        _add(section, lines[behind:])
        yield section


def _marks(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """The marked lines of a patch: index, what each is, and the path that it names. It is one of `_HEADINGS`, or
    `move`, `end`, `line` for one of a section's own, or nothing.
    """
    inside = False
    for at, line in enumerate(lines):
        if "***" not in line:  # nearly all: no mark, which may stand between blanks too
            continue
        head = line.strip()
        if not inside:
            inside = head == BEGIN
            yield at, "", ""
        elif head == _END:
            inside = False
            yield at, "end", ""
        elif line.startswith("***"):
            bare = line.rstrip()
            mark = next((mark for mark in _MARKS if bare.startswith(mark)), "")
            yield at, _MARKS.get(mark, ""), line[len(mark) :].strip()
        else:
            yield at, "line", ""


def _add(section: _Section, lines: Sequence[str]) -> None:
    """Take lines that follow each other without a mark among them."""
    if section.op == "create":
        section.added += [line[1:] for line in lines if line[:1] == "+"]
    elif section.op == "update":
        _add_to_hunks(section.hunks, lines)


def _add_to_hunks(hunks: list[tuple[str, list[str]]], lines: Sequence[str]) -> None:
    body = hunks[-1][1] if hunks else None
    for line in lines:
        if line[:1] in _SIGNS:
            if body is None:
                hunks.append(("", body := []))
            body.append(line)
        elif line.startswith("@@"):
            hunks.append((line[2:].strip(), body := []))
        elif body:
            hunks.append(("", body := []))


def _edit(section: _Section, cwd: str) -> FileEdit:
    path = absolute(section.path, cwd)
    match section.op:
        case "create":
            return FileEdit(path, "create", after="".join(f"{line}\n" for line in section.added))
        case "delete":
            return FileEdit(path, "delete", existed=True)
        case _:
            hunks = tuple(hunk for anchor, lines in section.hunks if (hunk := _loose_hunk(anchor, lines)))
            moved = absolute(section.moved_to, cwd) if section.moved_to else None
            return FileEdit(path, "update", hunks=hunks, moved_to=moved, existed=True)


def _loose_hunk(anchor: str, lines: list[str]) -> Hunk | None:
    # A wholly empty line is empty context, but at either end it is as often mere spacing before the next section.
    while lines and not lines[-1].rstrip("\r"):
        lines.pop()
    while lines and not lines[0].rstrip("\r"):
        lines.pop(0)
    if not lines:
        return None
    body = tuple([line if line.rstrip("\r") else " " + line for line in lines])
    gone, new = _counts(body)
    return Hunk(None, gone, None, new, body, anchor)


def _counts(lines: Sequence[str]) -> tuple[int, int]:
    signs = [line[:1] for line in lines]
    kept = signs.count(" ") + signs.count("")
    return kept + signs.count("-"), kept + signs.count("+")


def parse_unified(diff: str) -> tuple[Hunk, ...]:
    """Read the hunks of a unified diff of one file; `---`/`+++` headers may stand before them or be missing.

    A hunk that is shorter than its header says keeps the lines that it has, with counts of those lines.
    """
    hunks: list[Hunk] = []
    body: list[str] = []
    start: tuple[int, int] | None = None
    left = [0, 0]
    lines = diff.split("\n")
    if lines and not lines[-1]:
        lines.pop()

    def close() -> None:
        if start is not None and body:
            hunks.append(Hunk(start[0], *_counts(body)[:1], start[1], _counts(body)[1], tuple(body)))
        body.clear()

    for line in lines:
        if found := _RANGE.match(line):
            close()
            start = int(found[1]), int(found[3])
            left = [int(found[2] or 1), int(found[4] or 1)]
        elif start is not None and line.startswith("\\"):
            body.append(line)
        elif start is not None and max(left) > 0 and line[:1] in {" ", "+", "-", ""}:
            left[0] -= line[:1] != "+"
            left[1] -= line[:1] != "-"
            body.append(line or " ")
    close()
    return tuple(hunks)
