"""How a file that Refloat wrote into a checkout is recognised, by content alone (design, section 6).

Decides what is Refloat's own: a brief, a salvaged patch, its list of reasons and the contents that the list answers
for, an export, a saved answer, a repaired copy, a backup of the record. Refuses to go by a name, and by a list where
the content changed.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Final, cast

from refloat.model.repaired import CLAUDE_FIELD, CODEX_FIELD

BRIEF_FILE: Final = "HANDOFF.md"
"""Where a brief is written, in the session's workspace, unless another place is named. Not what it is recognised by."""
MARK: Final = "<!-- refloat/1 {"
"""How the line begins that marks a text: the first of a patch, the last of every other."""
BESIDE: Final = ".files"
"""What the directory of a salvage's contents has behind the patch's name."""
LISTING: Final = ".txt"
"""What the list of them has behind the directory's name."""

BACKUP: Final = "RFLT"
"""SQLite's application id of a backup; it stands in the first hundred bytes (https://sqlite.org/fileformat.html)."""
_SQLITE: Final = "SQLite format 3\0"
_HEADER: Final = 100

_ANSWER: Final = re.compile(r'\s*\{\s*"schema"\s*:\s*"refloat/1"')
_COPY: Final = re.compile(rf'\{{.*"(?:{CLAUDE_FIELD}|{CODEX_FIELD})"\s*:\s*\{{')
_RECEIPT: Final = re.compile(r'"canonical_bytes":\s*"([A-Za-z0-9+/=]+)')
_HOLDS: Final = re.compile(r"<!-- refloat/1 (\{.*\}) -->")


def mark_of(what: str, holds: tuple[str, ...] | None = None) -> str:
    """The line that marks a text as Refloat's; `holds` are SHA-256 of the contents that a list answers for."""
    told: dict[str, object] = {"wrote": what} if holds is None else {"wrote": what, "holds": holds}
    return f"<!-- refloat/1 {json.dumps(told, separators=(',', ':'))} -->"


def is_own_text(text: str, tail: str | None = None) -> bool:
    """Whether a text is one that Refloat wrote; of a long one, its beginning and its `tail`."""
    last = (text if tail is None else tail).rstrip().rpartition("\n")[2]
    if text.startswith(MARK) or last.startswith(MARK) or _ANSWER.match(text):
        return True
    if text.startswith(_SQLITE):
        return BACKUP in text[:_HEADER]
    first = text.partition("\n")[0]
    return any((_COPY.match(last), _COPY.match(first), _is_receipt(first)))


def _is_receipt(line: str) -> bool:
    """Whether a line is a receipt of AER-1 whose payload carries Refloat's own member."""
    match = _RECEIPT.search(line)
    payload = match[1][: len(match[1]) // 4 * 4] if match and line.startswith("{") else ""
    try:
        return b'"refloat":{' in b64decode(payload, validate=True)
    except ValueError:
        return False


def listings_of(path: str) -> Iterator[str]:
    """Where a list may stand that answers for the content at a path."""
    parts = path.split("/")
    return ("/".join(parts[: at + 1]) + LISTING for at, part in enumerate(parts[:-1]) if part.endswith(BESIDE))


def held_by(listing: str) -> frozenset[str]:
    """SHA-256 of the contents that a list answers for; none where it is no list of Refloat's."""
    match = _HOLDS.fullmatch(listing.rstrip().rpartition("\n")[2])
    try:
        told: object = json.loads(match[1]) if match else None
    except ValueError:
        return frozenset()
    found = cast("dict[str, object]", told).get("holds") if isinstance(told, dict) else None
    return frozenset(map(str, cast("list[object]", found))) if isinstance(found, list) else frozenset()


def digest(data: bytes) -> str:
    """How a list names a content."""
    from hashlib import sha256  # it loads the whole of OpenSSL, and lists are rare

    return sha256(data).hexdigest()
