"""The way out of every tool: masked as a whole, then bounded, then inert.

Decides how much one answer may hold. What was left out is told in `cut`, so that nobody takes the rest for all.
"""

import json
from collections.abc import Mapping
from typing import Final, cast

from refloat import wire
from refloat.brief.masks import Masker
from refloat.text import cut, escape_json, one_line

LIMIT: Final = 100_000
"""Characters of one answer."""
LONGEST: Final = 4_000
"""Characters of one text in it, apart from a brief, which is bounded by its own limit."""
_SENTENCE: Final = 2_000
_WHOLE: Final = frozenset(("markdown",))

Document = dict[str, object]


def write_answer(document: Mapping[str, object]) -> str:
    """One JSON document: every secret masked, every text and the whole no longer than their limits."""
    masker = Masker()
    masked = cast("Document", json.loads(wire.dump(document, masker=masker)))
    masked.setdefault("masked", masker.count)
    left_out: dict[str, int] = {}
    answer = {key: value if key in _WHOLE else _shortened(value) for key, value in masked.items()}
    while len(text := _dumped(answer, left_out)) > LIMIT and _drop(answer, left_out):
        pass
    return text


def write_sentence(sentence: str) -> str:
    """An error's sentence, masked and on one line."""
    return cut(one_line(Masker().text(sentence)), _SENTENCE)


def _shortened(value: object) -> object:
    if isinstance(value, str):
        return cut(value, LONGEST, f"… ({len(value)} characters in all)")
    if isinstance(value, list):
        return [_shortened(each) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in cast("Document", value).items()}
    return value


def _drop(answer: Document, left_out: dict[str, int]) -> bool:
    """Halve the longest list, or leave out the longest other value; False where nothing is left to leave out."""
    longest = max((key for key in answer if answer[key] not in (None, [])), key=lambda key: len(_plain(answer[key])))
    value = answer[longest]
    if longest in {"schema", "job", "session", "masked"}:
        return False
    if isinstance(value, list):
        rows = cast("list[object]", value)
        answer[longest] = rows[: len(rows) // 2]
        left_out[longest] = left_out.get(longest, 0) + len(rows) - len(rows) // 2
    else:
        answer[longest], left_out[longest] = None, 1
    return True


def _dumped(answer: Document, left_out: Mapping[str, int]) -> str:
    return escape_json(_plain({**answer, "cut": left_out} if left_out else answer))


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
