"""What a line must hold for a regular expression to match in it, read from the expression's source.

Pure. Finding a few letters is a hundred times as fast as trying dozens of expressions at every place, so whoever has
many of them asks these first. Knows the part of the syntax that tables of expressions use; of an expression that holds
anything else it says nothing, and so does it of one that may match without any letters: such a one is always tried.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_SHORTEST: Final = 2
"""Characters of a needle: shorter ones stand in every text."""
_MOST: Final = 24
"""Texts of one expression."""
_PART: Final = 6
"""Characters of what several needles have in common."""
_DIGITS: Final = frozenset({"[0-9]", "[1-9]", r"\d"})
_ANY: Final = frozenset({".", r"\s", r"\S", r"\w", r"\W", r"\D"})
_NOTHING: Final = frozenset({"$", r"\b", r"\B", r"\Z"})
_ESCAPED: Final = {r"\t": "\t", r"\n": "\n", r"\r": "\r", r"\f": "\f", r"\v": "\v"}
_TOKEN: Final = re.compile(
    r"[^\\()\[\]|^$.*+?{}]+(?![*+?{])|\(\?[=!]|\(\?<[=!]|\(\?:|\(\?P<\w+>|\((?!\?)|\[\^?\]?(?:\\.|[^\]\\])*\]|(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?|\\.|[^\\(\[]",
    re.DOTALL,
)
"""One element of an expression; what is not made of these is not read."""
_QUANTIFIER: Final = re.compile(r"[*+?]|\{(\d+)(,?)(\d*)\}")
_FEW: Final = re.compile(r"\[[^-\^\\\[\]]{1,4}\]")


class Needle(NamedTuple):
    """Some text, with a digit right before it or with anything."""

    text: str
    behind_digit: bool


class Hint(NamedTuple):
    """What is known of whatever an expression matches; with neither, nothing is."""

    starts: frozenset[str] = frozenset()
    """The line begins with one of these."""
    needles: frozenset[Needle] = frozenset()
    """One of these stands in it."""


class _Unread(Exception):  # noqa: N818 - never leaves this module
    """Syntax that is not known here."""


class _Part(NamedTuple):
    """What is known of an alternative."""

    leads: frozenset[Needle]
    """It begins with one of these."""
    whole: bool
    """They are all of it."""
    needles: frozenset[Needle]
    """One of these stands in it; none: nothing is known."""
    anchored: bool


_EMPTY: Final = frozenset({Needle("", behind_digit=False)})
_A_DIGIT: Final = frozenset({Needle("", behind_digit=True)})


def find_hint(source: str) -> Hint:
    """What a line holds in which the expression is found by `search`."""
    tokens: list[str] = _TOKEN.findall(source)
    if sum(map(len, tokens)) != len(source):
        return Hint()
    try:
        reader = _Reader(tokens)
        parts = reader.alternatives()
        if reader.at != len(tokens):
            return Hint()
    except _Unread:
        return Hint()
    if all(part.anchored for part in parts):
        leads = [lead.text for part in parts for lead in part.leads]
        if all(leads) and len(leads) <= _MOST:
            return Hint(starts=frozenset(leads))
    found = _any_of(parts)
    return Hint(needles=_fewest(found)) if found and _worth(found) >= _SHORTEST else Hint()


def _fewest(needles: frozenset[Needle]) -> frozenset[Needle]:
    """Those that do not hold another one."""
    return frozenset(one for one in needles if not any(_covers(other, one) for other in needles if other != one))


def _covers(needle: Needle, other: Needle) -> bool:
    """Whether it stands wherever the other does."""
    if needle.behind_digit:
        return other.behind_digit and other.text.startswith(needle.text)
    return needle.text in other.text


def _any_of(parts: Sequence[_Part]) -> frozenset[Needle]:
    """The needles of alternatives: those of each; none where one has none, or where they are many."""
    if not all(part.needles for part in parts):
        return frozenset()
    found = frozenset[Needle]().union(*(part.needles for part in parts))
    return found if len(found) <= _MOST else frozenset()


def _worth(needles: frozenset[Needle]) -> int:
    """How seldom they stand anywhere, by the one that says least."""
    return min(len(needle.text.strip()) + 2 * needle.behind_digit for needle in needles)


class _Run:
    """One alternative while it is being read: the texts that may end here, and the best needles so far."""

    def __init__(self) -> None:
        self.here = _EMPTY
        self.leads: frozenset[Needle] | None = None
        self.best = frozenset[Needle]()
        self.anchored = False

    def add(self, texts: frozenset[Needle], *, optional: bool = False) -> None:
        """One of these texts follows, or, `optional`, nothing; they stand behind no digit of their own."""
        if len(self.here) * (len(texts) + optional) > _MOST:
            self.end()
            if optional:
                return
        more = frozenset(Needle(one.text + text.text, one.behind_digit) for one in self.here for text in texts)
        self.here = self.here | more if optional else more

    def offer(self, needles: frozenset[Needle]) -> None:
        """One of these stands in what is matched."""
        if not needles or not all(needle.text for needle in needles):
            return
        if not self.best or _worth(needles) > _worth(self.best):
            self.best = needles

    def end(self, after: frozenset[Needle] = _EMPTY) -> None:
        """Something that is no certain text follows, and ends with `after`."""
        self.leads = self.here if self.leads is None else self.leads
        self.offer(self.here)
        self.here = after

    def part(self) -> _Part:
        """The alternative is over."""
        self.offer(self.here)
        whole = self.leads is None
        return _Part(self.here if self.leads is None else self.leads, whole, self.best, self.anchored)


class _Reader:
    """Reads an expression's tokens from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self.at = 0

    def alternatives(self) -> list[_Part]:
        """Those up to the end of the group."""
        parts = [self._alternative()]
        while self._next_is("|"):
            parts.append(self._alternative())
        return parts

    def _next_is(self, token: str) -> bool:
        if self.at == len(self._tokens) or self._tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def _alternative(self) -> _Part:
        run = _Run()
        if self._next_is("^"):
            run.anchored = True
        while self.at < len(self._tokens) and (token := self._tokens[self.at]) not in ("|", ")"):
            self.at += 1
            if token not in _NOTHING:
                self._element(token, run)
        return run.part()

    def _element(self, token: str, run: _Run) -> None:
        if token[0] == "(":
            self._group(token, run)
        elif token in _DIGITS:
            self._digits(run)
        elif token in _ANY:
            self._quantifier()
            run.end()
        elif token[0] not in "\\[^*+?{":
            self._texts(run, frozenset({Needle(token, behind_digit=False)}))
        elif token[0] == "\\" and (token in _ESCAPED or not token[1].isalnum()):
            self._texts(run, frozenset({Needle(_ESCAPED.get(token, token[1]), behind_digit=False)}))
        elif _FEW.fullmatch(token):
            self._texts(run, frozenset(Needle(letter, behind_digit=False) for letter in token[1:-1]))
        elif token[0] == "[":
            self._quantifier()
            run.end()
        else:
            raise _Unread

    def _digits(self, run: _Run) -> None:
        least, _ = self._quantifier()
        if least == 0 and run.here == _A_DIGIT:
            return  # more digits or none behind one
        run.end(_A_DIGIT if least else _EMPTY)

    def _texts(self, run: _Run, texts: frozenset[Needle]) -> None:
        """One of some texts, as often as the quantifier behind it says."""
        least, most = self._quantifier()
        if most == 1:
            run.add(texts, optional=least == 0)
            return
        if least:
            run.add(texts)
        run.end()

    def _group(self, opened: str, run: _Run) -> None:
        parts = self.alternatives()
        if not self._next_is(")"):
            raise _Unread
        if opened[-1] in "=!":
            self._quantifier()
            return  # takes up no place: what stands before it and behind it touch
        leads = frozenset(lead for part in parts for lead in part.leads)
        behind_digit = any(lead.behind_digit for lead in leads)
        if all(part.whole for part in parts) and not behind_digit:
            self._texts(run, leads)
            return
        least, _ = self._quantifier()
        if least and not behind_digit and len(run.here) * len(leads) <= _MOST:
            run.add(leads)
        run.end()
        if least:
            run.offer(_any_of(parts))

    def _quantifier(self) -> tuple[int, int | None]:
        """(at least, at most) of what stands before it."""
        found = _QUANTIFIER.match(self._tokens[self.at]) if self.at < len(self._tokens) else None
        if found is None:
            return 1, 1
        self.at += 1
        match found[0]:
            case "?":
                return 0, 1
            case "*":
                return 0, None
            case "+":
                return 1, None
            case _:
                low = int(found[1])
                return low, low if not found[2] else int(found[3]) if found[3] else None


def find_parts(texts: Iterable[str]) -> list[str]:
    """A few short texts, one of which stands in each of these: where none of them stands, none of these does."""
    left: set[str] = set(texts)
    found: list[str] = []
    while left:
        parts = Counter[str](part for text in left for part in _parts_of(text))
        best = max(sorted(parts), key=parts.__getitem__)
        found.append(best)
        left = {text for text in left if best not in text}
    return found


def _parts_of(text: str) -> set[str]:
    return {text[at : at + _PART] for at in range(max(1, len(text) - _PART + 1))}
