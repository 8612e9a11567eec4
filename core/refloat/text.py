"""Foreign text made inert: no control sequence, markup or direction trick of somebody else's reaches a terminal.

Decides what may be shown as it is. Refuses to decide what is secret (`brief.masks`) or how long a line may be.
"""

from __future__ import annotations

import re
from typing import Final

from refloat.patterns import late

UNTITLED: Final = "untitled"
"""Shown for a session without a title: nothing that can be read was ever asked of it."""

# C0 without tab and line feed, DEL, C1, and every direction control that Unicode has (UAX #9, and the tag and
# invisible-operator blocks that hide text).
_HOSTILE: Final = late(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ud800-\udfff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_ENDS: Final = late("\r\n|[\u2028\u2029\x85]")
_BREAKS: Final = late(r"[\t\n]")


def _name(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def inert(text: str) -> str:
    r"""Show `text` as text: controls become `\x1b`-like names, line ends become line feeds, tabs stay."""
    if text.isprintable():  # none of these is
        return text
    return _HOSTILE.sub(_name, _LINE_ENDS.sub("\n", text))


def inert_line(text: str) -> str:
    """Show `text` on one line: tabs and line feeds are named as well."""
    return _BREAKS.sub(lambda m: "\\n" if m.group() == "\n" else "\\t", inert(text))


def one_line(text: str) -> str:
    """Prose on one line: runs of white space become one space, the rest is made inert."""
    return inert(" ".join(text.split()))


def cut(text: str, limit: int, mark: str = "…") -> str:
    """At most `limit` characters; a cut is shown by `mark`. Mask secrets first: half a secret is not found any more."""
    return text if len(text) <= limit else text[: max(0, limit - len(mark))].rstrip() + mark


_JSON_HOSTILE: Final = late(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def escape_json(document: str) -> str:
    r"""Make finished JSON safe to print: DEL, C1 and direction controls inside its strings become `\uXXXX`."""
    if document.isprintable() or (document.isascii() and "\x7f" not in document):
        return document
    return _JSON_HOSTILE.sub(_json_escape, document)
