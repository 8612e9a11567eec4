"""Texts to words, the same way for the index and for what is searched in a text afterwards.

Decides what a word is: a run of letters and digits, without case, accents and compatibility forms. Scripts that write
no spaces (Chinese, Japanese, Korean, Thai and its neighbours) and emoji give a word for each character; the index
holds them in pairs, so that any stretch of them is found. What only colours a terminal stands between words. Refuses to
stem: names in code are no prose.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from refloat.caching import cached_if
from refloat.patterns import late

_DENSE: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2600-\u27bf\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
_IS_DENSE: Final = late(f"[{_DENSE}]")
_DENSE_BOUNDS: Final = tuple(map(ord, _DENSE.replace("-", "")))
"""Where ranges of such characters begin and end, in turns."""
_DENSE_RUN: Final = late(rf"[{_DENSE}](?:[\x00-/:-@\[-`{{-\x7f]*[{_DENSE}])*")
"""Of a folded text: such characters in a row, with what is no word between them."""
_PLAIN: Final = late("[0-9a-z]+")
_SHORT: Final = 32
"""Foreign characters in a row that may come again: a word. In a script without spaces a row is a sentence."""
_KEPT: Final = 8192
"""So many of them are remembered."""
_TOKEN: Final = late(r"[^\x00-/:-`{-\x7f]+")
"""A word of a folded text without dense ones: what is not ASCII there is a letter or a digit. Said by what it is not,
which compiles thirty times as fast."""
_CONTROL: Final = late(r"(?:\x1b\[|\x9b|\\\\{0,3}(?:u001[bB]|x1[bB]|033|e)\[)[0-9;:?]{0,32}[A-Za-z]")
"""A sequence that colours or moves, as it is or as programs spell it."""
_ESCAPED: Final = late(r"\x1b\[[0-9;:?]{0,32}[A-Za-z]")
"""The same in a text that spells none. It begins with fixed signs, which are found at once."""
_MAY_CONTROL: Final = late(r"\[(?:(?<=\x1b\[)|(?<=1[bB]\[)|(?<=033\[)|(?<=\\e\[))[0-9;:?]{0,32}[A-Za-z]")
"""Stands in every text that holds one with a bracket. It begins with its one fixed sign, which is found at once."""
_ACCENTS: Final = late("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")


_MARKED: Final = late(rb"\?\?*")
_SIMPLE: Final = late("[0-9A-Za-z]")


class _Folds(dict[int, str]):
    """What each character becomes; worked out when it is first met. What is no letter and no digit becomes a space."""

    def __missing__(self, code: int) -> str:
        bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", chr(code)).casefold())
        folded = "".join(c if c.isascii() or _is_of_word(c) else " " for c in unicodedata.normalize("NFC", bare))
        self[code] = folded
        return folded


_FOLDS: Final = _Folds()


def _uncoloured(text: str) -> str:
    """A text of the same length with blanks for what a terminal does not show as letters."""
    return _without(text, lambda found: " " * len(found.group()))


def _without(text: str, blank: str | Callable[[re.Match[str]], str]) -> str:
    """A text with a blank for each sequence that colours."""
    if "\\" in text or "\x9b" in text:
        return _CONTROL.sub(blank, text) if _MAY_CONTROL.search(text) is not None or "\x9b" in text else text
    return _ESCAPED.sub(blank, text) if "\x1b" in text else text


def composed(text: str) -> str:
    """The form of a text that places of words count in: letters and their accents as one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_dense(word: str) -> bool:
    """Whether a word is one character of a script without spaces."""
    code = ord(word[0])
    at = bisect_right(_DENSE_BOUNDS, code)
    return at % 2 == 1 or (at > 0 and _DENSE_BOUNDS[at - 1] == code)


def _is_of_word(character: str) -> bool:
    """Whether a character stands in words. Signs of Indic scripts do, and count as no letters to Python."""
    return character.isalnum() or "\u0900" <= character <= "\u0dff" or is_dense(character)


def word_spans(text: str) -> Sequence[tuple[int, int]]:
    """Where each word that `split` tells of a `composed` text stands in it."""
    text = _uncoloured(text)
    if text.isascii():
        return [found.span() for found in _PLAIN.finditer(text.lower())]
    folded, is_placed, has_dense = _folded(text)
    spans = _spans(folded, has_dense=has_dense)
    if is_placed:
        return list(spans)
    places: list[int] = []
    for at, character in enumerate(text):
        places += [at] * len(_FOLDS[ord(character)])
    return [(places[start], places[end - 1] + 1) for start, end in spans]


def split(text: str) -> list[str]:
    """The words of any text."""
    text = _uncoloured(text)
    if text.isascii():
        return _PLAIN.findall(text.lower())
    folded, _, has_dense = _folded(composed(text))
    return [folded[start:end] for start, end in _spans(folded, has_dense=True)] if has_dense else _TOKEN.findall(folded)


def _spans(folded: str, *, has_dense: bool) -> Iterator[tuple[int, int]]:
    """Where words stand in a folded text."""
    for found in _TOKEN.finditer(folded):
        if has_dense and not found.group().isascii():
            yield from _parted(folded, *found.span())
        else:
            yield found.span()


def _parted(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where words stand in a run of them that has dense ones: without an expression, which takes longer to compile than
    a search has.
    """
    begun = start
    for at in range(start, end):
        if is_dense(folded[at]):
            if begun < at:
                yield begun, at
            yield at, at + 1
            begun = at + 1
    if begun < end:
        yield begun, end


def _folded(text: str) -> tuple[str, bool, bool]:
    """What `_FOLDS` makes of a text, whether each character became just one, and whether any is dense."""
    parts: list[str] = []
    at, is_placed, has_dense = 0, True, False
    for run in _foreign(text):
        start, end = run.span()
        folded, placed, dense = _fold(text[start:end])
        parts += (text[at:start].lower(), folded)
        is_placed, has_dense = is_placed and placed, has_dense or dense
        at = end
    parts.append(text[at:].lower())
    return "".join(parts), is_placed, has_dense


def _foreign(text: str) -> Iterator[re.Match[bytes]]:
    """Where characters beyond ASCII stand in a row, and perhaps question marks, which are no words either. In one byte
    for each character they are found at once, ten times as fast as by an expression.
    """
    return _MARKED.finditer(text.encode("ascii", "replace"))


def _is_short(run: str) -> bool:
    return len(run) <= _SHORT


@cached_if(_is_short, _KEPT)
def _fold(run: str) -> tuple[str, bool, bool]:
    folded = run.translate(_FOLDS)
    return folded, all(len(_FOLDS[ord(character)]) == 1 for character in run), any(map(is_dense, folded))


def index_forms(texts: Iterable[str]) -> list[str]:
    """`index_form` of each; of most it is the text itself."""
    return [text if text.isascii() and "\x1b" not in text and "\\" not in text else index_form(text) for text in texts]


def index_form(text: str) -> str:
    """A text as the index takes it: FTS5's `ascii` tokenizer makes of it just the words that `index_terms` asks for."""
    text = _without(text, " ")
    if text.isascii():
        return text
    text = composed(text)
    parts: list[str] = []
    at, open_ = 0, ""
    forms = _FORMS
    for run in _foreign(text):
        start, end = run.span()
        plain = text[at:start]
        form, first, last = forms[text[start:end]]
        if open_ and _SIMPLE.search(plain) is not None:
            open_ = ""
        parts += (plain, f" {open_}{first} ", form) if open_ and first else (plain, form)
        open_ = open_ if last is None else last
        at = end
    parts.append(text[at:])
    return "".join(parts)


class _Forms(dict[str, tuple[str, str, str | None]]):
    """`_form` of foreign characters in a row; that of short rows, which come again and again, is kept. Asked for each
    of a text, for which `cached_if` takes twice as long.
    """

    def __missing__(self, run: str) -> tuple[str, str, str | None]:
        form = _form(run)
        if _is_short(run):
            if len(self) >= _KEPT:
                self.clear()
            self[run] = form
        return form


_FORMS: Final = _Forms()


def _form(run: str) -> tuple[str, str, str | None]:
    """What the index takes of foreign characters in a row; its first and its last word where these are dense, else "",
    and None for the last one where there is no word.
    """
    folded, _, has_dense = _fold(run)
    if not has_dense:
        return folded, "", None if folded.isspace() or not folded else ""
    runs = _TOKEN.findall(folded)
    first, last = (character if is_dense(character) else "" for character in (runs[0][0], runs[-1][-1]))
    return _DENSE_RUN.sub(_pairs, folded), first, last


def _pairs(run: re.Match[str]) -> str:
    """Dense characters in pairs; the last one alone too, as it may be sought alone."""
    row = _IS_DENSE.findall(run.group())
    return f" {' '.join(map(str.__add__, row, row[1:]))} {row[-1]} "


def word_end(text: str, at: int, reach: int) -> int:
    """Where the word ends before the one that goes over `at`, at most `reach` characters before; else `at`."""
    if not at or at >= len(text) or text[at].isspace() or text[at - 1].isspace():
        return at
    before = text[max(0, at - reach) : at]
    word = len(before.rsplit(None, 1)[-1])
    return at - word if word < len(before) else at


def word_start(text: str, at: int, reach: int) -> int:
    """Where the next word begins behind the one that goes over `at`, at most `reach` characters behind; else `at`."""
    if not at or at >= len(text) or text[at - 1].isspace():
        return at
    behind = text[at : at + reach]
    word = 0 if behind[0].isspace() else len(behind.split(None, 1)[0])
    return at + word + 1 if word < len(behind) else at


def index_terms(words: list[str]) -> list[tuple[str, bool]]:
    """What stands in the index where words stand in a row: terms, and whether one may only begin a longer one."""
    terms: list[tuple[str, bool]] = []
    at = 0
    while at < len(words):
        if not is_dense(words[at]):
            terms.append((words[at], False))
            at += 1
            continue
        end = at
        while end < len(words) and is_dense(words[end]):
            end += 1
        run = words[at:end]
        terms += [(first + second, False) for first, second in pairwise(run)] or [(run[0], True)]
        at = end
    return terms
