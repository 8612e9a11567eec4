"""What a found secret is, and the questions that every finder asks of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from refloat.model.light import light
from refloat.patterns import late


@light
class Hit:
    """One secret, or one line of one: `text[start:end]`, never across a line end."""

    start: int
    end: int
    kind: str
    strong: bool = True
    """Random enough that even a piece of it, met elsewhere, is known for what it is."""


MASK: Final = "[masked: "
"""How a replacement begins; nothing that holds it is a secret any more."""

_DIGITS: Final = late(r"\d")
_PLACEHOLDER: Final = late(
    r"""[$<{%*•\[#].*|.*(?:\$\{|\{\{|<[\w -]+>).*|(.)\1*|x{3,}.*|\.{2,}.*|.*…|.*\.\.\.|change[-_ ]?(?:me|it|this).*|
    (?:your|my|the|some|a|an|insert|enter|put|replace|add)[-_ ].*|example.*|.*[-_]example|placeholder.*|redacted.*|
    masked.*|hidden|none|null|nil|true|false|undefined|todo|tbd|dummy|fake|test|testing|foo|bar|baz|foobar|string|str|
    int|bool|boolean|number|bytes|object|any|self|required|optional|empty|n/a|na|yes|no|on|off|unset|default|unknown|
    missing|invalid|
    (?:api[-_ ]?)?(?:key|password|passwd|passphrase|pass|pw|pwd|secret|token|credentials?)s?(?:[-_ ]?here)?|
    os\.(?:environ|getenv).*|process\.env.*|import\.meta.*|secrets?\.\w+|env\.\w+|vars?\.\w+|settings\.\w+|config\.\w+|
    file:.*|https?://[^:@\s]*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def is_random(value: str) -> bool:
    """Whether a value mixes letters and digits like no word does."""
    digits = len(_DIGITS.findall(value))
    if not digits or not any(c.isalpha() for c in value):
        return False
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return mixed or digits >= 2


LOOK: Final = 512
"""So many characters are enough to judge whether a value is a secret; one that is, is taken to its end."""


def judged(
    pattern: re.Pattern[str], text: str, at: int, is_secret: Callable[[re.Match[str]], bool], done: int = 0
) -> re.Match[str] | None:
    """The match of a pattern that holds a secret. What is none costs no more than `LOOK` characters, however long it
    goes on, and so does one that lies before `done`, where another secret ends: a text full of beginnings is searched
    in time that grows as the text does.
    """
    near = pattern.match(text, at, at + LOOK)
    if near is None or not is_secret(near):
        return None
    whole = near.end() < at + LOOK or near.end() <= done
    return near if whole else pattern.match(text, at)


def is_placeholder(value: str) -> bool:
    """Whether a value only says where a secret would stand."""
    return not value or MASK.rstrip() in value or _PLACEHOLDER.fullmatch(value.strip()) is not None


def is_mixed(value: str) -> bool:
    """Whether a long run has small and capital letters in shares that no name has."""
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return len(value) >= 24 and min(capitals, small) >= 0.3 * len(value)


def find_all(text: str, word: str) -> Sequence[int]:
    """Every place where `word` begins."""
    if word not in text:
        return ()
    places = [text.find(word)]
    while (at := text.find(word, places[-1] + len(word))) >= 0:
        places.append(at)
    return places


def merge(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Sorted, and what overlaps or touches made one; the kind is that of the longest, then of the first."""
    merged: list[Hit] = []
    widest = 0
    for hit in sorted(hits, key=lambda h: (h.start, -h.end)):
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            kind = hit.kind if hit.end - hit.start > widest else last.kind
            merged[-1] = Hit(last.start, max(last.end, hit.end), kind, last.strong or hit.strong)
            widest = max(widest, hit.end - hit.start)
        else:
            merged.append(hit)
            widest = hit.end - hit.start
    return tuple(merged)
