"""Secrets masked on the way out: every string of a value, in one pass of its own, with the words around left alone.

Decides what of a text is replaced by `[masked: KIND]`, remembers what `find_secrets` found, and masks it wherever it
(or a piece of twelve characters of it) stands in the same output. Refuses to cut: cutting comes after masking, half a
secret is not found any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Final, TypeVar, cast

from refloat.brief.find_secrets import find_in_all, find_secrets
from refloat.brief.hits import MASK, Hit, merge
from refloat.brief.suspects import find_suspects
from refloat.brief.unseen import placed, seen_text
from refloat.model.light import field_names, replace
from refloat.patterns import late

T = TypeVar("T")

_SIMPLE: Final = {str, int, float, bool, type(None)}
PIECE: Final = 12
"""So many characters of a known secret in a row never leave."""

_BATCH: Final = 4 * 1024 * 1024
_SOME: Final = 4
"""Texts that are counted together."""
_BLOCK: Final = PIECE // 2
"""Whatever piece of a value stands somewhere, one of the value's parts of so many characters lies wholly in it."""
_MOST_BLOCKS: Final = 256
"""More are not looked for one by one."""
_MOST_PIECES: Final = 500_000
_ROUNDS: Final = 4
_RUN: Final = late(r"\S{12,}")
_SHORT_RUN: Final = late(r"\S{6,}")
_FEW: Final = 32
"""So many short values are looked for one by one; of more, every place is looked up."""
_REPEATED_KEY: Final = late(r"(\[masked: private key\])(?:(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]*\1)+")


class Masker:
    """Masks the strings of one output, counts the places, and remembers what it masked.

    `enabled=False` (for `--show-secrets`) leaves everything as it is and counts nothing.
    """

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self.count = 0
        """Places masked so far."""
        self._found = False
        self._values: dict[str, str] = {}
        self._pieces: dict[str, str] = {}
        """Every stretch of `PIECE` characters of a long value."""
        self._short: dict[int, dict[str, str]] = {}
        """Values that are no longer than a piece, by their length."""
        self._heads: dict[str, list[str]] = {}
        """Once there are too many pieces: long values by their first one alone."""
        self._blocks: set[str] = set()
        """What every text has that holds a known value or a piece of one; more than `_MOST_BLOCKS`: not kept on."""

    @property
    def knows_any(self) -> bool:
        """Whether it was shown a secret."""
        return self.enabled and self._found

    def learn(self, value: object) -> bool:
        """Remember the secrets of a value's strings without giving anything back: what comes later, in pieces, is
        masked by all of them. Tells whether any are known now.
        """
        if self.enabled:
            flow = _Flow(self.learn_all)
            _gather(value, flow)
            flow.hand_on()
        return self._found

    def learn_all(self, texts: Iterable[str]) -> bool:
        """The same of many texts, each on its own."""
        if self.enabled:
            every = list(dict.fromkeys(texts))  # a listing says the same in thousands of places
            self.learn_suspects(every, find_suspects(every))
        return self._found

    def learn_suspects(self, texts: Sequence[str], suspects: Iterable[tuple[int, int]]) -> bool:
        """The same of many texts of which `find_suspects` has told this."""
        if self.enabled:
            for _, text, hits in find_in_all(texts, suspects):
                self._found = True
                self._remember(text, hits)
        return self._found

    def text(self, text: str) -> str:
        """Mask one text. The same text masked again stays the same."""
        if not self.enabled or len(text) < 4:
            return text
        masked = self._render(text, self._hits(text))
        if masked is text:
            return text
        masked = self._settle(masked)
        return _REPEATED_KEY.sub(r"\1", masked) if "private key]" in masked else masked

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Mask many texts, each on its own, at the price of those in which something is masked."""
        if not self.enabled:
            return list(texts)
        suspects = {number for number, _ in find_suspects(texts)}
        return [
            self.text(text) if number in suspects or next(self._known(text), None) else text
            for number, text in enumerate(texts)
        ]

    def tree(self, value: T) -> T:
        """`mask_tree(value, self)`."""
        return mask_tree(value, self)

    def lines(self, lines: Sequence[str]) -> list[str]:
        """Mask lines that belong together: a secret that goes over several is seen, and as many lines come back."""
        if not self.enabled or not lines:
            return list(lines)
        joined = "\n".join(lines)
        hits = self._hits(joined)
        if not hits:
            return list(lines)
        masked: list[str] = []
        at = number = 0
        for line in lines:
            own: list[Hit] = []
            while number < len(hits) and hits[number].end <= at + len(line):
                hit = hits[number]
                if hit.start >= at:
                    own.append(Hit(hit.start - at, hit.end - at, hit.kind, hit.strong))
                number += 1
            masked.append(self._settle(self._render(line, own)))
            at += len(line) + 1
        return masked

    def _settle(self, text: str) -> str:
        """Mask until nothing more is found: a replacement may bare what stood in its shadow."""
        for _ in range(_ROUNDS):
            hits = self._hits(text)
            if not hits:
                return text
            text = self._render(text, hits)
        return text

    def _hits(self, text: str) -> tuple[Hit, ...]:
        hits = self._plain_hits(text)
        seen = seen_text(text)
        if seen is None:
            return hits
        bare, starts, origins = seen
        more = self._plain_hits(bare)
        return merge((*hits, *(placed(hit, starts, origins) for hit in more))) if more else hits

    def _plain_hits(self, text: str) -> tuple[Hit, ...]:
        found = find_secrets(text)
        self._remember(text, found)
        known = tuple(self._known(text))
        return merge((*found, *known)) if known else found

    def _remember(self, text: str, hits: Iterable[Hit]) -> None:
        for hit in hits:
            value = text[hit.start : hit.end]
            if not hit.strong or len(value) < 6 or value in self._values:
                continue
            self._values[value] = hit.kind
            if len(self._blocks) <= _MOST_BLOCKS:
                long = len(value) >= PIECE
                ends = range(_BLOCK, len(value) + 1, _BLOCK) if long else ()
                self._blocks.update([value[end - _BLOCK : end] for end in ends] if long else [value])
            if len(value) < PIECE:
                self._short.setdefault(len(value), {})[value] = hit.kind
            elif len(self._pieces) < _MOST_PIECES:
                for at in range(len(value) - PIECE + 1):
                    self._pieces.setdefault(value[at : at + PIECE], hit.kind)
            else:
                self._heads.setdefault(value[:PIECE], []).append(value)

    def _known(self, text: str) -> Iterator[Hit]:
        """Where remembered secrets, or pieces of them, stand."""
        if len(self._blocks) <= _MOST_BLOCKS and not any(block in text for block in self._blocks):
            return
        pieces, heads = self._pieces, self._heads
        if pieces:
            for run in _RUN.finditer(text):
                start, word = run.start(), run.group()
                for at in range(len(word) - PIECE + 1):
                    piece = word[at : at + PIECE]
                    if (kind := pieces.get(piece)) is not None:
                        yield Hit(start + at, start + at + PIECE, kind)
                    for value in heads.get(piece, ()) if heads else ():
                        if word.startswith(value, at):
                            yield Hit(start + at, start + at + len(value), self._values[value])
        if sum(map(len, self._short.values())) <= _FEW:
            for values in self._short.values():
                for value, kind in values.items():
                    yield from _standing(text, value, kind)
        else:
            yield from self._known_short(text)

    def _known_short(self, text: str) -> Iterator[Hit]:
        """The same places as `_standing` finds, in one pass over the text."""
        for run in _SHORT_RUN.finditer(text):
            start, word = run.start(), run.group()
            for length, values in self._short.items():
                for at in range(len(word) - length + 1):
                    kind = values.get(word[at : at + length])
                    if kind is not None and _is_word(word, at, at + length):
                        yield Hit(start + at, start + at + length, kind)

    def name(self, kind: str, value: str) -> str:
        """What stands in the place of a value."""
        del value
        return kind

    def _render(self, text: str, hits: Sequence[Hit]) -> str:
        if not hits:
            return text
        parts: list[str] = []
        at = 0
        for hit in hits:
            parts += (text[at : hit.start], f"{MASK}{self.name(hit.kind, text[hit.start : hit.end])}]")
            at = hit.end
        self.count += len(hits)
        return "".join((*parts, text[at:]))


def _standing(text: str, value: str, kind: str) -> Iterator[Hit]:
    """A short value counts elsewhere only as a word of its own."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if _is_word(text, at, end):
            yield Hit(at, end, kind)
        at = text.find(value, end)


def _is_word(text: str, start: int, end: int) -> bool:
    return not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum()


class _Flow(list[str]):
    """Texts, handed on so many characters at a time: looking through them takes several times their room, and some are
    made only for that (`model.compressed`).
    """

    def __init__(self, take: Callable[[list[str]], object]) -> None:
        self._take = take
        self._room = _BATCH
        self._seen = 0

    def look(self) -> None:
        """Hand on what there is, where it is much. Asked now and then, and looks at some together: counting each by
        itself takes as long as the rest of gathering it.
        """
        if len(self) - self._seen < _SOME:
            return
        self._room -= sum(map(len, self[self._seen :]))
        self._seen = len(self)
        if self._room <= 0:
            self.hand_on()

    def hand_on(self) -> None:
        """What there is."""
        self._take(self)
        self.clear()
        self._room, self._seen = _BATCH, 0


def strings_of(value: object) -> list[str]:
    """Every string in a value, lines that belong together joined."""
    found: list[str] = []
    _gather(value, found)
    return found


def _gather(value: object, found: list[str]) -> None:
    kind = type(value)
    if kind is str:
        found.append(cast("str", value))
    elif (parts := _parts_of(kind)) is not None:
        for part in parts(value):
            if type(part) is str:
                found.append(part)
            elif part and not _holds_none(type(part)):
                _gather(part, found)
        if isinstance(found, _Flow):
            found.look()
    elif kind is dict:
        rows = cast("dict[object, object]", value)
        for part in chain(rows, rows.values()):
            if type(part) is str:
                found.append(part)
            elif part is not None and type(part) is not int:
                _gather(part, found)
        if isinstance(found, _Flow):
            found.look()
    elif (kind is list or kind is tuple) and (kinds := set(map(type, cast("Sequence[object]", value)))) <= _SIMPLE:
        if kinds == {str}:
            found.append("\n".join(cast("Sequence[str]", value)))
        elif str in kinds:
            found += [part for part in cast("Sequence[object]", value) if type(part) is str]
    else:
        _gather_rare(value, found)


def _gather_rare(value: object, found: list[str]) -> None:
    """The same of what is of a type of its own, or holds more than plain values."""
    if value is None or isinstance(value, (Enum, int, float)):
        return
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, tuple | list | set | frozenset):
        rows = cast("Sequence[object]", value)
        if _are_lines(rows):
            found.append("\n".join(cast("Sequence[str]", rows)))
        else:
            for inner in rows:
                _gather(inner, found)
    elif _is_path(type(value)):
        found.append(str(value))
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[object, object]", value).items():
            _gather(key, found)
            _gather(inner, found)


@cache
def _holds_none(kind: type) -> bool:
    """Whether values of a type hold no string to be masked."""
    return kind is type(None) or issubclass(kind, (Enum, int, float))


@cache
def _parts_of(kind: type) -> Callable[[object], Sequence[object]] | None:
    """What gives the fields of a dataclass that is nothing else beside; a tree holds thousands of a few kinds."""
    names = field_names(kind)
    if names is None or issubclass(kind, (str, Enum, int, float, tuple, list, set, frozenset, Mapping)):
        return None
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]


@cache
def _is_path(kind: type) -> bool:
    """Whether a type is one of `pathlib`, which most that hold none have not loaded."""
    return any(base.__module__.startswith("pathlib") and base.__name__ == "PurePath" for base in kind.__mro__)


def _are_lines(rows: Iterable[object]) -> bool:
    return all(type(row) is str or (isinstance(row, str) and not isinstance(row, Enum)) for row in rows)


def mask_tree(value: T, masker: Masker) -> T:
    """A copy of the same type with every string masked; what holds no secret is given back as it is.

    A secret found anywhere in `value` is masked everywhere in it, also where it comes earlier.
    """
    masker.learn(value)
    return mask_known(value, masker)


def mask_known(value: T, masker: Masker) -> T:
    """The same, by what `masker` has learned already; of a value that was learned whole, in pieces."""
    return cast("T", _masked(value, masker)) if masker.knows_any else value


def _masked(value: object, masker: Masker) -> object:
    if isinstance(value, Enum) or value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return masker.text(value)
    if _is_path(type(value)):
        shown = masker.text(str(value))
        return value if shown == str(value) else cast("Callable[[str], object]", type(value))(shown)
    if (names := field_names(type(value))) is not None:
        return _masked_fields(value, names, masker)
    if isinstance(value, Mapping):
        rows = cast("Mapping[object, object]", value)
        made = {_masked(key, masker): _masked(inner, masker) for key, inner in rows.items()}
        return rows if made == rows else made
    if isinstance(value, tuple | list | set | frozenset):
        return _masked_sequence(cast("Sequence[object]", value), masker)
    return value


def _masked_fields(value: object, names: Iterable[str], masker: Masker) -> object:
    changed: dict[str, object] = {}
    for name in names:
        before: object = getattr(value, name)
        after = _masked(before, masker)
        if after is not before:
            changed[name] = after
    return replace(value, **changed) if changed else value


def _masked_sequence(rows: Sequence[object], masker: Masker) -> object:
    kept = list(rows)
    made: list[object] = (
        list(masker.lines(cast("list[str]", kept)))
        if len(kept) > 1 and _are_lines(kept)
        else [_masked(row, masker) for row in kept]
    )
    if all(after is before for after, before in zip(made, kept, strict=True)):
        return rows
    kind = type(cast("list[object]", rows))
    return kind(*made) if hasattr(kind, "_fields") else kind(made)  # a named tuple takes its values one by one
