"""A message in Markdown, as the lines of prose in it, each with what governs it.

Decides what is prose (not fences, block quotes, comments, struck-out text), what stands under a heading or a lead-in,
and whether a line's own mark says that it is not done. Refuses to join what the writer set apart: a list item, a table
row and a heading are units of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, list item, table row or heading."""

    text: str
    """Without list marks and emphasis."""
    under: tuple[str, ...]
    """The headings and lead-ins above it, outermost first."""
    open: bool = False
    """Its check box is empty."""


_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG: Final = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>\n]*)?/?>")
_FENCE: Final = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?P<mark>`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*\s*$")
_BOLD_LINE: Final = re.compile(r"\s{0,3}(?:\*\*|__)(?P<text>[^*_]+?):?(?:\*\*|__):?\s*$")
_ITEM: Final = re.compile(r"(?P<indent>\s*)(?:[-*+•‣]|\d{1,3}[.)]|[a-z]\))\s+(?P<text>.*)$")
_BOX: Final = re.compile(r"\[(?P<box>[ xX~-]?)\]\s*")
_TABLE_RULE: Final = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_STRUCK: Final = re.compile(r"~~.+?~~")
_EMPHASIS: Final = re.compile(r"\*\*\*|\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|(?<!\w)__?(?=\w)|(?<=[\w.!?:])__?(?!\w)")
_RULE: Final = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$")
_NEW_LINE: Final = re.compile(r"[A-Z0-9`*\[(\"“]|[^\w\s.,;:)'\"-]")


def units_of(message: str) -> list[Unit]:
    """The prose of a message, in order."""
    return list(_Reader().read(_COMMENT.sub(" ", message)))


class _Reader:
    def __init__(self) -> None:
        self._fence = ""
        self._headings: list[tuple[int, str]] = []
        self._leads: list[tuple[int, str]] = []
        self._paragraph: list[str] = []
        self._indent = -1
        self._open = False
        self._blank = True

    def read(self, message: str) -> Iterator[Unit]:
        """Every unit."""
        lines = message.splitlines()
        for at, line in enumerate(lines):
            if self._fenced(line):
                yield from self._flush()
                continue
            if not line.strip() or _RULE.match(line):
                yield from self._flush()
                self._blank = True
                continue
            yield from self._line(line, lines[at + 1] if at + 1 < len(lines) else "")
            self._blank = False
        yield from self._flush()

    def _fenced(self, line: str) -> bool:
        match = _FENCE.match(line)
        if self._fence:
            if match and match["mark"].startswith(self._fence) and not line.strip(" `~"):
                self._fence = ""
            return True
        if match:
            self._fence = match["mark"]
        return bool(match)

    def _line(self, line: str, following: str) -> Iterator[Unit]:
        if line.lstrip().startswith(">"):
            yield from self._flush()
        elif _TABLE_RULE.match(line) and "|" in line:
            self._paragraph.clear()
        elif line.lstrip().startswith("|"):
            yield from self._flush()
            if not (_TABLE_RULE.match(following) and "|" in following):
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                self._paragraph = [": ".join(cell for cell in cells if cell)]
                yield from self._flush()
        elif heading := _HEADING.match(line):
            yield from self._heading(len(heading["level"]), heading["text"])
        elif bold := _BOLD_LINE.match(line):
            yield from self._heading(7, bold["text"])
        elif item := _ITEM.match(line):
            yield from self._flush()
            self._item(item)
        elif self._blank and line.startswith(("    ", "\t")) and self._indent < 0:
            yield from self._flush()
        else:
            yield from self._prose(line)

    def _heading(self, level: int, text: str) -> Iterator[Unit]:
        yield from self._flush()
        self._leads.clear()
        self._indent = -1
        self._headings = [above for above in self._headings if above[0] < level]
        self._paragraph = [text]
        yield from self._flush()
        self._headings.append((level, _plain(text)))

    def _item(self, item: re.Match[str]) -> None:
        self._indent = len(item["indent"].expandtabs(4))
        self._leads = [lead for lead in self._leads if lead[0] < self._indent]
        text = item["text"]
        box = _BOX.match(text)
        self._open = box is not None and box["box"] not in {"x", "X"}
        self._paragraph = [text[box.end() :] if box else text]

    def _prose(self, line: str) -> Iterator[Unit]:
        if self._blank and not line.startswith((" ", "\t")):
            yield from self._flush()
            self._leads.clear()
            self._indent = -1
        elif self._paragraph and self._sets_apart(line):
            yield from self._flush()
        self._paragraph.append(line.strip())

    def _sets_apart(self, line: str) -> bool:
        """Whether a line after another is a statement of its own, not the rest of a wrapped one."""
        before = self._paragraph[-1]
        return before.endswith((".", "!", "?", ":")) or (len(before) < 60 and bool(_NEW_LINE.match(line.lstrip())))

    def _flush(self) -> Iterator[Unit]:
        if not self._paragraph:
            return
        text = _plain(" ".join(self._paragraph))
        self._paragraph = []
        under = (*(text for _, text in self._headings), *(text for _, text in self._leads))
        if text:
            yield Unit(text, under, self._open)
        if text.endswith(":"):
            self._leads.append((self._indent, text))
        self._open = False


def _plain(text: str) -> str:
    """Without emphasis, tags and what is struck out; code spans stay as they are."""
    pieces = re.split(r"(`+[^`]*`+)", text)
    pieces[::2] = (_EMPHASIS.sub("", _TAG.sub(" ", _STRUCK.sub(" ", piece))) for piece in pieces[::2])
    return " ".join("".join(pieces).split())
