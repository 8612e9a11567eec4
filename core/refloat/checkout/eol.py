"""What git does to a text on its way between the worktree and a patch, as far as line ends go.

Pure. Follows git's `convert.c` (2.39): attributes first, then `core.autocrlf` and `core.eol`. Decides whether a content
would reach the disk byte for byte. Refuses to know what a filter program would do: such a path is told as unsure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

ASKED: Final = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")
"""Attributes that bear on what a file's bytes become (gitattributes(5))."""

_Action = Literal["binary", "text", "text_input", "text_crlf", "auto", "auto_input", "auto_crlf"]
_BARE_LF: Final = re.compile(rb"(?<!\r)\n")


@dataclass(frozen=True, slots=True)
class Conversion:
    """What happens to one path."""

    action: _Action
    crlf_out: bool
    """Bare line feeds become CR LF on the way to the disk."""
    unsure: str | None = None
    """Why nobody can say what the bytes would become."""

    def to_worktree(self, data: bytes) -> bytes:
        """What git writes to disk for a content."""
        if not self.crlf_out or not _BARE_LF.search(data):
            return data
        if self.action.startswith("auto") and (b"\r" in data or _looks_binary(data)):
            return data
        return _BARE_LF.sub(b"\r\n", data)

    def to_git(self, data: bytes) -> bytes:
        """What git takes the bytes on disk for."""
        if self.action == "binary" or (self.action.startswith("auto") and _looks_binary(data)):
            return data
        return data.replace(b"\r\n", b"\n")


def conversion_of(attributes: Mapping[str, str], settings: Mapping[str, str]) -> Conversion:
    """What applies to a path: `attributes` as `git check-attr` tells them, `settings` as `git config` does."""
    autocrlf = settings.get("core.autocrlf", "false").lower()
    turns = autocrlf in _YES or (autocrlf != "input" and settings.get("core.eol", "").lower() == "crlf")
    action = _by_attribute(attributes)
    if action == "text":
        action = "text_crlf" if turns else "text_input"
    elif action is None:
        action = "auto_crlf" if autocrlf in _YES else "auto_input" if autocrlf == "input" else "binary"
    out = action in ("text_crlf", "auto_crlf") or (action == "auto" and turns)
    return Conversion(action, out, _unsure(attributes))


_YES: Final = frozenset({"true", "yes", "on", "1"})


def _by_attribute(attributes: Mapping[str, str]) -> _Action | None:
    """None: the attributes leave it to the settings."""
    action = _of_text(attributes.get("text", "unspecified")) or _of_text(attributes.get("crlf", "unspecified"))
    if action == "binary":
        return action
    match attributes.get("eol"), action:
        case "lf", "auto":
            return "auto_input"
        case "crlf", "auto":
            return "auto_crlf"
        case "lf", _:
            return "text_input"
        case "crlf", _:
            return "text_crlf"
        case _:
            return action


def _of_text(value: str) -> _Action | None:
    match value:
        case "set":
            return "text"
        case "unset":
            return "binary"
        case "input":
            return "text_input"
        case "auto":
            return "auto"
        case _:
            return None


def _unsure(attributes: Mapping[str, str]) -> str | None:
    for name, what in (
        ("filter", "a filter of the repository (attribute `filter`)"),
        ("working-tree-encoding", "another encoding in the worktree (attribute `working-tree-encoding`)"),
        ("ident", "expanded keywords (attribute `ident`)"),
    ):
        if attributes.get(name, "unspecified") not in ("unspecified", "unset"):
            return f"{what} changes what git writes"
    return None


def _looks_binary(data: bytes) -> bool:
    """Git's guess (`convert_is_binary`): a carriage return of its own, a zero byte, or too little that is printable."""
    if b"\0" in data or re.search(rb"\r(?!\n)", data):
        return True
    body = data[:-1] if data.endswith(b"\x1a") else data
    # Git counts line ends as neither.
    odd = len(re.findall(rb"[\x01-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]", body))
    plain = len(re.findall(rb"[\x08\x09\x0c\x1b\x20-\x7e\x80-\xff]", body))
    return (plain >> 7) < odd


def read_attributes(out: bytes) -> dict[str, dict[str, str]]:
    """Read `check-attr -z`: path, attribute and value, each with a zero byte behind it."""
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    found: dict[str, dict[str, str]] = {}
    for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        found.setdefault(path, {})[name] = value
    return found


def read_settings(out: bytes) -> dict[str, str]:
    """Read `config --get-regexp -z`: key, line feed, value; the last of each key counts, one without value is true."""
    found: dict[str, str] = {}
    for entry in out.decode("utf-8", "surrogateescape").split("\0"):
        key, given, value = entry.partition("\n")
        if key:
            found[key] = value if given else "true"
    return found
