"""What of a program is text or comment, and so nothing that it does: `s.replace('requests.get(', 'requests.post(')`.

Decides by how quotes and comments look in Python, JavaScript and their like, with what a text has filled in (f-strings,
templates) counted as code again. Refuses to parse: a quote that is never closed ends with its line. `tokenize` is not
asked of Python either: it stops at what a shell would have filled in, and tells f-strings otherwise from 3.12 on.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from refloat.patterns import late

Span = tuple[int, int]
"""Where something starts and ends."""

_TEXT: Final = (
    r"(?P<long>\"\"\"|'''|`)(?:\\.|[^\\])*?(?:(?P=long)|\\?\Z)"
    r"|(?P<short>[\"'])(?:\\.|(?!(?P=short))[^\\\n])*(?:(?P=short)|$)"
)
_HASHED: Final = late(_TEXT + r"|#[^\n]*", re.DOTALL | re.MULTILINE)
_SLASHED: Final = late(
    _TEXT + r"|//[^\n]*|/\*.*?(?:\*/|\Z)|(?<=[(,=:])[ ]?/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL | re.MULTILINE,
)
"""With comments as C has them; a slash behind one of `(,=:` begins a pattern of JavaScript."""
_WITH_HASH: Final = late(r"(?:python|pypy|ruby|perl)[\d.]*")
_FILLED: Final = late(r"(?:[fF][rR]?|[rR][fF])\Z")
_FIELD: Final = late(r"(?<!\{)\{(?!\{)[^}]*")


def literals(code: str, program: str) -> list[Span]:
    """The texts and comments of a program that `program` runs, in their order."""
    pattern = _HASHED if _WITH_HASH.fullmatch(program) else _SLASHED
    return [span for match in pattern.finditer(code) for span in _apart(code, match)]


def _apart(code: str, text: re.Match[str]) -> Iterator[Span]:
    start, end = text.span()
    if text["long"] == "`" or _FILLED.search(code, max(start - 2, 0), start):
        for field in _FIELD.finditer(code, start, end):
            yield start, field.start()
            start = field.end()
    yield start, end


def within(match: re.Match[str], spans: Sequence[Span]) -> bool:
    """Whether a match lies wholly in one of some spans."""
    at = bisect_right(spans, match.start(), key=lambda span: span[0]) - 1
    return at >= 0 and match.end() <= spans[at][1]
