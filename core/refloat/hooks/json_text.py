"""Where the values of a JSON text lie, so that a few of them can be added or taken out and no other byte moves.

Decides what is damaged: a byte order mark, a name that comes twice, anything that strict JSON is not.
"""

import json
import re
from collections.abc import Sequence
from json.decoder import JSONDecoder
from typing import Final, NamedTuple

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")


class Damaged(ValueError):  # noqa: N818 - reads as the answer that it is
    """The text is no strict JSON; the sentence says why."""


class Span(NamedTuple):
    """A part of the text."""

    start: int
    end: int


class Part(NamedTuple):
    """A member of an object, or an element of an array (whose `name` is empty)."""

    name: str
    whole: Span
    """With its name."""
    value: Span


def parse(text: str) -> object:
    """What a text means, strictly.

    Raises:
        Damaged: it is no strict JSON.

    """
    if text.startswith("\ufeff"):
        raise Damaged("it begins with a byte order mark")
    try:
        value: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError as error:
        raise Damaged("it is nested too deeply") from error
    except Damaged:
        raise
    except ValueError as error:
        raise Damaged(f"it is no JSON: {error}") from error
    return value


def parts(text: str, container: Span) -> Sequence[Part]:
    """The members or elements of the object or array that lies there."""
    found: list[Part] = []
    at = _skip(text, container.start + 1)
    named = text[container.start] == "{"
    while at < container.end - 1:
        begun, name = at, ""
        if named:
            told, at = JSONDecoder().raw_decode(text, at)
            name = str(told)
            at = _skip(text, _skip(text, at) + 1)
        _, end = JSONDecoder().raw_decode(text, at)
        found.append(Part(name, Span(begun, end), Span(at, end)))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def whole(text: str) -> Span:
    """The outermost value."""
    return Span(_skip(text, 0), len(text.rstrip(" \t\r\n")))


def insert(text: str, container: Span, name: str, value: object) -> str:
    """The text with one more member (or element, where `name` is empty) at the end of a container."""
    inside = parts(text, container)
    unit = _unit(text)
    own = _line_indent(text, container.start)
    line_end = "\r\n" if "\r\n" in text else "\n"
    label = f"{json.dumps(name, ensure_ascii=False)}: " if name else ""
    if inside and "\n" not in text[container.start : container.end]:
        return _put(text, inside[-1].whole.end, f", {label}{json.dumps(value, ensure_ascii=False)}")
    pretty = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{own}{unit}")
    piece = f"\n{own}{unit}{label}{pretty}".replace("\n", line_end)
    if inside:
        return _put(text, inside[-1].whole.end, f",{piece}")
    return text[: container.start + 1] + f"{piece}{line_end}{own}" + text[container.end - 1 :]


def remove(text: str, container: Span, part: Part) -> str:
    """The text without one part of a container; the container stays, empty where that was all."""
    inside = parts(text, container)
    at = next(n for n, each in enumerate(inside) if each.whole == part.whole)
    if len(inside) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if at:
        return text[: inside[at - 1].whole.end] + text[part.whole.end :]
    return text[: part.whole.start] + text[inside[1].whole.start :]


def _put(text: str, at: int, piece: str) -> str:
    return text[:at] + piece + text[at:]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Damaged(f"the name {twice!r} comes twice in it, and which one counts is not for Refloat to choose")
    return members


def _no_constant(word: str) -> object:
    raise Damaged(f"it is no JSON: {word}")
