"""What no secret goes without: a word or a beginning in the text, and what has to stand behind it.

Decides which finder can have something to find where a cue is met, by a look at a few bytes around it. Says yes where
a finder says no, never the other way about. Works on UTF-8: whatever is not ASCII there counts as anything that it
could be.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from refloat.brief.assignments import is_secret_name
from refloat.brief.shapes import BEGINNINGS, LIBRARY_WORDS
from refloat.model.light import light
from refloat.patterns import late

TOKENS: Final = 1
WEBHOOKS: Final = 2
KEYS: Final = 4
HEADERS: Final = 8
ADDRESSES: Final = 16
ASSIGNMENTS: Final = 32
COMMANDS: Final = 64
LIBRARY: Final = 128
EVERY: Final = 255
"""Finders, as bits."""
COLOURED: Final = 256
SILENT: Final = 512
"""No finders: the text holds an escape character, or something else that is not seen; a secret may show without it.
`suspects` finds the first of these by itself: no cue stands for it.
"""

_NEAR: Final = 4 * 600
"""Bytes behind a cue that a judgement looks at: as many as the finders' `LOOK` characters can take."""


@light
class Cue:
    """What is searched for."""

    sign: bytes
    finder: int
    """What may find something where it stands; a bit."""
    judge: Callable[[bytes, int, int], object] | None = None
    """Whether it may, from all bytes and where the cue begins and ends in them. None: always."""
    caseless: bool = True
    expression: bytes | None = None
    """Where not each place of `sign` counts: what a search by expressions looks for instead."""
    beyond: int = 0
    """So many bytes has what that finds behind `sign`."""


# White space of ASCII. A byte that is not ASCII may be of a white space too, or of a letter that case makes one of A-Z.
_S: Final = rb"[\s\x1c-\x1f]"
_BEARER: Final = late(
    rb"""(?:%s++|%%20|\\?["'`]?%s*+(?:[:=]%s*+\\?["'`]?)?)(?:[A-Za-z0-9._~+/=:-]{8}|[A-Za-z0-9._~+/=:-]{0,7}[\x80-\xff])"""
    % (_S, _S, _S)
)
_AUTHORIZATION: Final = late(rb"""\\*+["'`]?%s*+[:=,\x80-\xff]""" % _S)
_BASIC: Final = late(rb"%s*+(?:[A-Za-z0-9+/]{8}|[A-Za-z0-9+/]{0,7}[\x80-\xff])" % _S)
_COOKIE: Final = late(rb"""\\*+["'`]?%s*+[:=,]?%s*+\\*+["'`]?%s*+[\w.%%$-]*+[=\x80-\xff]""" % (_S, _S, _S))
_ADDRESS: Final = late(rb"""[^\s:/@"'`<>\\]{0,1024}+(?::[^\s/"'`<>\\]{1,1024}@|@)""")
_BOT: Final = late(rb"[A-Za-z0-9_-]{33}")
_LOGIN: Final = late(rb"(?:%s|[\x80-\xff])" % _S)


def _behind(pattern: re.Pattern[bytes]) -> Callable[[bytes, int, int], object]:
    return lambda data, _, end: pattern.match(data, end, end + _NEAR)


# ── assignments ──────────────────────────────────────────────────────────────────────────────────────────────────────

_NAME: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_NAME_HALF: Final = 64
"""Characters of a name before its trigger, and behind it."""
_BEHIND_NAME: Final = late(
    rb"""(?P<rest>[\w.\-]{0,65}+)(?:
    (?P<value>\\{0,3}["'`]?\]?[ \t\r\n]*+(?:\\{1,3}[nrt][ \t\r\n]*+)*(?:[=:]|!=|,[ \t]*\\{0,3}["'`])|>[^<>\n]{4}
    |%s++(?:(?:is|was|are|to|=)%s*+:?%s*+["'`]?[^\s"'`,;]*?[0-9\x80-\xff]|[\x80-\xff]))
    |(?P<odd>[\x80-\xff])
    |(?:(?:[ \t\r\n]|\\\r?\n)[ \t\r\n]*+(?:\\\r?\n[ \t\r\n]*+)*|\\n)["'`]?[^\s"'`\\]{4})"""
    % (_S, _S, _S),
    re.VERBOSE,
)


def _names_secret(data: bytes, start: int, end: int) -> bool:
    """Whether a trigger lies in a name that may name a secret, and something like a value follows."""
    behind = _BEHIND_NAME.match(data, end)
    if behind is None:
        return False
    near = data[max(0, start - _NAME_HALF) : start]
    head, rest = near[len(near.rstrip(_NAME)) :], behind["rest"]
    first = start - len(head)
    before = data[first - 1] if first else 0x0A
    if len(head) == _NAME_HALF or len(rest) >= _NAME_HALF or before >= 0x80 or behind["odd"] is not None:
        return True  # it may go on
    name = head + data[start:end] + rest
    if before == 0x5C and name[:1] in (b"n", b"r", b"t"):  # the letter of a JSON-escaped line end
        name, before = name[1:], name[0]
    if behind["value"] is None and not name.startswith(b"-"):
        return False  # words behind one word
    return _may_name(name, signed=before in b"?&")


@lru_cache(maxsize=4096)
def _may_name(name: bytes, *, signed: bool) -> bool:
    return is_secret_name(name.decode().strip("-."), signed=signed)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────────────────────────

# Of the characters that are not ASCII, two have one in their lower case: U+0130 and the sign of Kelvin.
_FOLDED: Final = (b"\xc4\xb0", b"\xe2\x84\xaa")
_TRIGGERS: Final = (
    "key", "token", "secret", "passw", "pass_", "_pass", "passphrase", "passcode", "pwd", "credential", "signature",
    "auth", "sig=",
)  # fmt: skip


def _token_cue(word: str, least: str) -> Cue:
    """A beginning; of a short one, which stands in ordinary words, no place without some of what must follow."""
    sign = word.encode()
    if not least:
        return Cue(sign, TOKENS, caseless=False)
    judge = _behind(late(least.encode()))
    letters, _, number = least.partition("]{")  # found without an expression: it would be all that loads them
    number = number.partition("}")[0].partition(",")[0]
    if len(word) > 3 or "[" in letters[1:] or not number.isdecimal():
        return Cue(sign, TOKENS, judge, caseless=False)
    beyond = min(8, int(number))
    expression = f"{word}{letters}]{{{beyond}}}".encode()  # a word is spelled as in the expressions of `shapes`
    return Cue(sign, TOKENS, judge, caseless=False, expression=expression, beyond=beyond)


CUES: Final = (
    *(Cue(word.encode(), ASSIGNMENTS, _names_secret) for word in _TRIGGERS),
    Cue(b"bearer", HEADERS, _behind(_BEARER)),
    Cue(b"authorization", HEADERS, _behind(_AUTHORIZATION)),
    Cue(b"basic ", HEADERS, _behind(_BASIC)),
    Cue(b"cookie", HEADERS, _behind(_COOKIE)),
    Cue(b"://", ADDRESSES, _behind(_ADDRESS), caseless=False),
    Cue(b"login", COMMANDS, _behind(_LOGIN)),
    *(Cue(word, COMMANDS) for word in (b"curl", b"mysql", b"mariadb", b"sshpass")),
    *(Cue(word, KEYS, caseless=False) for word in (b"PRIVATE KEY", b"PuTTY-User-Key")),
    *(Cue(word, WEBHOOKS, caseless=False) for word in (b"hooks.slack.com/", b"/api/webhooks/")),
    Cue(b":AA", WEBHOOKS, _behind(_BOT), caseless=False),
    *(Cue(word.encode(), LIBRARY) for word in LIBRARY_WORDS),
    *(Cue(word, EVERY, caseless=False) for word in _FOLDED),
    *(_token_cue(word, least) for word, least in BEGINNINGS),
)
