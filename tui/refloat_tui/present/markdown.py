"""A brief's Markdown, line by line, for a screen. Headings, bullets and code are shown; nothing is linked or run."""

import re
from dataclasses import dataclass
from typing import Final

from refloat.text import inert_line
from refloat_tui.present import FAINT, QUIET, Pieces
from refloat_tui.theme import Glyphs

FINGERPRINT: Final = "<!-- refloat/"
"""How the last line of a brief begins; it is for `refloat check`, not for eyes."""
_MARKS: Final = re.compile(r"(`[^`]+`|\*\([^*`]+\)\*)")
_BULLET: Final = re.compile(r"^(\s*)([-*]|\d+\.) (.*)$")


@dataclass(frozen=True, slots=True)
class MarkdownLine:
    """One line, with what hangs before it when it wraps."""

    text: Pieces
    lead: str = ""
    """Printed once, before the text."""
    style: str = ""


def _inline(text: str, style: str = "") -> Pieces:
    pieces: list[tuple[str, str]] = []
    for part in _MARKS.split(inert_line(text)):
        if part.startswith("`") and len(part) > 2:
            pieces.append((part, "$key"))
        elif part.startswith("*("):
            pieces.append((part.strip("*"), QUIET))
        elif part:
            pieces.append((part, style))
    return tuple(pieces)


def markdown_lines(markdown: str, glyphs: Glyphs) -> tuple[MarkdownLine, ...]:
    """All lines of a text."""
    found: list[MarkdownLine] = []
    fenced = False
    for raw in markdown.splitlines():
        if raw.lstrip().startswith("```"):
            fenced = not fenced
            continue
        bullet = _BULLET.match(raw)
        if fenced:
            found.append(MarkdownLine(((inert_line(raw), "$secondary"),), lead="    "))
        elif raw.startswith("#"):
            level = len(raw) - len(raw.lstrip("#"))
            style = "bold" if level == 1 else "$accent bold"
            found.append(MarkdownLine(((inert_line(raw.lstrip("# ")), style),)))
        elif raw.startswith(FINGERPRINT):
            found.append(
                MarkdownLine(
                    (
                        ("The last line is a fingerprint: ", FAINT),
                        ("refloat check FILE.md", QUIET),
                        (" tells whether the brief still holds.", FAINT),
                    )
                )
            )
        elif raw.startswith("<!--"):
            found.append(MarkdownLine(((inert_line(raw), FAINT),)))
        elif raw.startswith(">"):
            found.append(MarkdownLine(_inline(raw.lstrip("> "), QUIET), lead=f"{glyphs.bar} ", style=QUIET))
        elif bullet is not None:
            indent, mark, words = bullet.groups()
            sign = glyphs.dot if glyphs.ascii else glyphs.reply
            found.append(MarkdownLine(_inline(words), lead=f"{indent}{sign if mark in '-*' else mark} ", style=QUIET))
        else:
            found.append(MarkdownLine(_inline(raw)))
    return tuple(found)
