r"""Patches as `git apply` takes them: from two contents of a path to the text that leads from one to the other.

Pure. Format: git-diff(1) "Generating patch text with -p", and for binary content git's own `literal` hunks (git's
`diff.c`, `emit_binary_diff_body`). Decides what is told as text: what is no UTF-8 or holds a zero byte is told as a
binary literal, so that a patch is always valid UTF-8. Lines end at `\n` and nowhere else. Refuses to judge paths.
"""

import base64
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from refloat.checkout.lines import Difference, find_differences

REGULAR: Final = "100644"
EXECUTABLE: Final = "100755"
_CONTEXT: Final = 3
_PER_LINE: Final = 52
"""Bytes of one line of a binary literal."""
_LENGTHS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ESCAPES: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_OPEN: Final = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class Side:
    """A path's content, its mode (`100644` and the like) and the object id that git gives it."""

    data: bytes
    mode: str
    oid: str


def patch_of(path: str, old: Side | None, new: Side | None, *, whole: bool = False) -> str:
    """The patch that makes `old` into `new`; None stands for no file there. Nothing where they are equal.

    `path` is relative to the root, undecodable bytes as surrogates. `whole` puts all of the old text into one hunk:
    git takes its carriage returns literally then.
    """
    if old == new:
        return ""
    before, after = (old.data if old else b""), (new.data if new else b"")
    binary = not (is_text(before) and is_text(after))
    head = [f"diff --git {_name('a', path)} {_name('b', path)}\n", *_modes(old, new)]
    zeros = "0" * len((old or new or _NOTHING).oid)
    ids = f"{old.oid if old else zeros}..{new.oid if new else zeros}"
    kept = f" {old.mode}" if old and new and old.mode == new.mode else ""
    if before == after:
        return "".join([*head, f"index {ids}\n"] if not (old and new) else head)
    head.append(f"index {ids}{kept}\n")
    if binary:
        return "".join([*head, "GIT binary patch\n", *_literal(after), "\n", *_literal(before), "\n"])
    head.append(f"--- {_header_name('a', path) if old else '/dev/null'}\n")
    head.append(f"+++ {_header_name('b', path) if new else '/dev/null'}\n")
    return "".join([*head, *_hunks(before, after, whole=whole)])


_NOTHING: Final = Side(b"", REGULAR, "0" * 40)


def is_text(data: bytes) -> bool:
    """Whether a content is told as lines: UTF-8 without a zero byte."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _modes(old: Side | None, new: Side | None) -> Iterator[str]:
    if new is None and old is not None:
        yield f"deleted file mode {old.mode}\n"
    elif old is None and new is not None:
        yield f"new file mode {new.mode}\n"
    elif old is not None and new is not None and old.mode != new.mode:
        yield f"old mode {old.mode}\n"
        yield f"new mode {new.mode}\n"


def quoted(path: str) -> str:
    """A path as git writes it: in C's quotes where it holds anything but plain printable ASCII."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    return '"' + "".join(map(_escaped, raw)) + '"'


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _name(side: str, path: str) -> str:
    return quoted(f"{side}/{path}")


def _header_name(side: str, path: str) -> str:
    """With a tab behind a bare name that holds spaces: `patch` programs would take the rest for a date."""
    name = _name(side, path)
    return name + "\t" if " " in name and not name.startswith('"') else name


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(data: bytes) -> list[str]:
    """Lines with their line feeds, so that a last one without it differs from one with it."""
    lines = data.decode().split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def _hunks(before: bytes, after: bytes, *, whole: bool) -> Iterator[str]:
    old, new = _lines(before), _lines(after)
    context = max(len(old), len(new)) if whole else _CONTEXT
    for group in _grouped(find_differences(old, new), context):
        yield from _hunk(group, old, new, context)


def _grouped(places: Sequence[Difference], context: int) -> Iterator[list[Difference]]:
    """Differences whose contexts touch stand in one hunk."""
    group = list(places[:1])
    for above, below in pairwise(places):
        if below.old_from - above.old_to > 2 * context:
            yield group
            group = []
        group.append(below)
    if group:
        yield group


def _hunk(group: Sequence[Difference], old: Sequence[str], new: Sequence[str], context: int) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead = min(context, first.old_from)
    trail = min(context, len(old) - last.old_to)
    old_from, new_from = first.old_from - lead, first.new_from - lead
    old_size, new_size = last.old_to + trail - old_from, last.new_to + trail - new_from
    yield f"@@ -{_range(old_from, old_size)} +{_range(new_from, new_size)} @@\n"
    at = old_from
    for place in group:
        yield from _signed(" ", old[at : place.old_from])
        yield from _signed("-", old[place.old_from : place.old_to])
        yield from _signed("+", new[place.new_from : place.new_to])
        at = place.old_to
    yield from _signed(" ", old[at : at + trail])


def _range(start: int, size: int) -> str:
    at = start + 1 if size else start
    return str(at) if size == 1 else f"{at},{size}"


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line
        if not line.endswith("\n"):
            yield "\n" + _OPEN


# ── binary ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _literal(data: bytes) -> Iterator[str]:
    """A deflated content in lines of base 85, each with its length in front (`A` is 1, `z` is 52)."""
    yield f"literal {len(data)}\n"
    packed = zlib.compress(data, 9)
    for start in range(0, len(packed), _PER_LINE):
        piece = packed[start : start + _PER_LINE]
        yield _LENGTHS[len(piece) - 1] + base64.b85encode(piece, pad=True).decode() + "\n"
