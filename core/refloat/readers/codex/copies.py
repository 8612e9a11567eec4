"""Which rows at the head of a file are copies of a parent's (formats/codex, section 8).

Decides in this order: an ordinal that the file itself names; ids that the parent's own file holds; the file's first
settings row that names its own thread; the time in a turn's id; the moment of writing, as copies are written at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from refloat.model.light import plain_of, slotted
from refloat.model.stamp import Stamp, later
from refloat.patterns import late
from refloat.readers.codex.shape import Json, as_dict, as_id, as_int, as_list, as_text, finger, time_of_uuid
from refloat.readers.contract import SourceFile
from refloat.readers.lines import decode, raw_lines

MOMENT: Final = 10.0
"""Seconds within which a file's copied rows were written."""
_SLACK_MS: Final = 2000
_IDS: Final = late(rb'"(?:turn_id|call_id)"\s*:\s*"([^"\\]{1,200})"')
_USER: Final = (b'"user_message"', b'"role":"user"', b'"role": "user"')


@slotted
class Copying:
    """What is known of the copied head of one file, as JSON values."""

    own: str
    created: str = ""
    first: str = ""
    """Stamp of the file's first row."""
    until_ordinal: int | None = None
    settings: bool = False
    """The file holds a settings row that names its own thread, further on."""
    copied: bool = False
    """A row of the parent's was met."""

    def freeze(self) -> Json:
        """As JSON."""
        return plain_of(self)


def thaw(frozen: object) -> Copying | None:
    """What `freeze` gave."""
    told = as_dict(frozen)
    if not told:
        return None
    return Copying(
        as_text(told.get("own")),
        as_text(told.get("created")),
        as_text(told.get("first")),
        as_int(told.get("until_ordinal")),
        told.get("settings") is True,
        told.get("copied") is True,
    )


class Ancestry:
    """Ids and prompts of the parent's file, read once and only when asked for."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._files = files
        self._ids: frozenset[str] | None = None
        self._prompts: frozenset[int] = frozenset()

    def ids(self) -> frozenset[str]:
        """Turn and call ids of the parent; empty where its file cannot be read."""
        if self._ids is None:
            self._read()
        return self._ids or frozenset()

    def has_prompt(self, text: str) -> bool:
        """Whether the parent was asked this too."""
        return finger(text) in self._prompts

    def _read(self) -> None:
        ids: set[str] = set()
        prompts: set[int] = set()
        for file in self._files:
            try:
                with open(file.path, "rb") as lines:  # noqa: PTH123 - streamed
                    for line in raw_lines(lines):
                        ids.update(found.decode("utf-8", "replace") for found in _IDS.findall(line))
                        if any(mark in line for mark in _USER):
                            prompts.update(map(finger, user_texts(_payload(line))))
            except OSError:
                continue
        self._ids, self._prompts = frozenset(ids), frozenset(prompts)


def _payload(line: bytes) -> Json:
    try:
        return as_dict(as_dict(decode(line)).get("payload"))
    except (ValueError, RecursionError):
        return {}


def user_texts(payload: Json) -> list[str]:
    """The texts of a user-role row."""
    if payload.get("type") == "user_message":
        return [as_text(payload.get("message"))]
    if payload.get("role") == "user":
        return [as_text(as_dict(part).get("text")) for part in as_list(payload.get("content"))]
    return []


def names_itself(path: str, own: str) -> bool:
    """Whether a file holds a settings row with its own thread's id. False where it cannot be read."""
    mark = own.encode()
    try:
        with open(path, "rb") as lines:  # noqa: PTH123 - streamed
            return any(
                b'"thread_settings_applied"' in line and mark in line and _settles(_payload(line), own)
                for line in raw_lines(lines)
            )
    except OSError:
        return False


def _settles(payload: Json, own: str) -> bool:
    return payload.get("type") == "thread_settings_applied" and payload.get("thread_id") == own


def is_copy(state: Copying, ancestry: Ancestry, row: Json, payload: Json, at: Stamp | None) -> bool:
    """Whether this row is the parent's. The first one that is not ends the copied head."""
    if state.until_ordinal is not None:
        ordinal = as_int(row.get("ordinal"))
        return ordinal is None or ordinal < state.until_ordinal
    if row.get("type") == "session_meta":
        state.copied = True
        return True
    if _settles(payload, state.own):
        return False
    turn, call = as_id(payload.get("turn_id")), as_id(payload.get("call_id"))
    known = ancestry.ids()
    if known and (turn or call):
        return turn in known or call in known
    if state.settings and not known:
        return True
    first = Stamp(state.first)
    if at and first and at > later(first, MOMENT):
        return False
    if known:
        own_words = [text for text in user_texts(payload) if text.strip()]
        return not own_words or any(ancestry.has_prompt(text) for text in own_words)
    born, made = time_of_uuid(turn), time_of_uuid(state.own)
    return born is None or made is None or born + _SLACK_MS < made
