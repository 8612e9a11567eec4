"""JSON out: every string masked, then cut, then escaped.

Refuses to write a string that no masker saw, apart from `dump_exact`, which is for stores of Refloat's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Protocol, TypeVar, cast

import orjson

from refloat.model.light import light
from refloat.text import escape_json

T = TypeVar("T")


class Masks(Protocol):
    """What masks secrets: `refloat.brief.masks.Masker`."""

    def tree(self, value: T) -> T:
        """A copy with every string masked."""
        ...


@light
class Long:
    """A text that is cut after it was masked: half a secret is not found any more."""

    text: str
    limit: int


def dump(value: object, *, masker: Masks) -> str:
    """One JSON document on one line, with its line end: every string masked, then cut, then escaped.

    A secret found anywhere in the document is masked everywhere in it.
    """
    return escape_json(_text(masker.tree(value))) + "\n"


def dump_line(value: object, *, masker: Masks) -> str:
    """One line of NDJSON. Let the masker `learn` all lines first: a secret may stand bare before it is recognised."""
    return dump(value, masker=masker)


def dump_exact(value: object) -> str:
    """One JSON document as it is, unmasked, for stores of Refloat's own."""
    return _text(value)


def _text(value: object) -> str:
    try:
        return orjson.dumps(value, _cut, orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:  # a lone surrogate, above all
        return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _cut(value: object) -> str:
    if isinstance(value, Long):
        return value.text[: value.limit]
    raise TypeError


def _plain(value: object) -> object:
    """Texts cut, lone surrogates (from undecodable file names) replaced: JSON readers reject them."""
    if isinstance(value, Enum):
        return cast("object", value.value)
    if isinstance(value, str):
        return value if value.isascii() else _whole(value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(inner) for key, inner in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast("Sequence[object]", value)]
    return _plain(value.text[: value.limit]) if isinstance(value, Long) else value


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text
