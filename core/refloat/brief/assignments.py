"""Secrets that show by the name before them: `API_KEY=…`, `password: "…"`, `--token …`, `<secret>…</secret>`.

Decides from the words of the name and the form of the value. Refuses placeholders (`<token>`, `${X}`, `changeme`),
code (`token = parser.next()`), types and prose: a reader must still see what happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from refloat.brief.hits import LOOK, Hit, find_all, is_placeholder, is_random
from refloat.patterns import late

_TRIGGER: Final = late(r"key|token|secret|passw|pass_|_pass|passphrase|passcode|pwd|credential|signature|auth|sig=")
_NAME_BEFORE: Final = late(r"[\w.\-]{0,64}\Z")
_NAME_AFTER: Final = late(r"[\w.\-]{0,64}")
_OPERATOR: Final = late(
    r"""(?P<close>\\{0,3}["'`]?\]?)"""
    r"""(?P<op>(?P<space>[ \t\r\n]*+(?:\\{1,3}[nrt][ \t\r\n]*+)*)"""
    r"""(?:===?|!==?|:=|=>|=|:|,(?=[ \t]*\\{0,3}["'`]))[ \t]*+)"""
    r"""(?P<over>(?:(?:\\?\r?\n(?:[ \t]*+\d++[\t→]|(?P<sign>[+-]))?|\\{1,3}[nrt])[ \t]*+){0,64})"""
    r"""(?P<quote>@?[rbfu]?(?:(?:"{3}|'{3})(?:\r?\n)?|\\{0,3}["'`]))?"""
)
"""A name's end and what follows. `over`: white space that is more than blanks, with what a diff or a tool that numbers
lines puts before each.
"""
_KEY: Final = late(r"(?:[ \t]*+\d++[\t→])?(?P<sign>[+-]?)[ \t]*+(?:- +)?[\"']?")
"""What stands before the first name of a line."""
_BLOCK: Final = late(r"[|>][-+\d]{0,2}[ \t]*+(?=\r?\n)")
_LONE: Final = late(
    r"""\r?\n(?:[ \t]*+\d++[\t→]|(?P<sign>[+-]))?[ \t]++"""
    r"""(?P<value>[^\s"'`\\=,;(){}\[\]]{6,}+(?<!:)={0,2})[ \t]*+(?=\r?\n|\Z)"""
)
"""A line with one word, further in."""
_MARGIN: Final = 128
"""Characters before the first name of a line, at most."""
_NAMES: Final = late(r"""\\{0,3}["'`]{1,3}\s*+[:=]""")
"""What follows a text that is itself a name."""
_BARE: Final = late(r"""(?:[^\s"'`,;&<>(){}\[\]|\\]|\\(?![nrtu"'`\\]))+""")
_ENV_VALUE: Final = late(r"""(?:[^\s"'`\\]|\\(?![nrtu"'`\\]))+""")
_WORDS: Final = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENV_NAME: Final = late(r"[A-Z][A-Z0-9_]*")
_SENTENCE: Final = late(r"""s?\s++(?:is|was|are|to|=)\s*+:?\s*+["'`“]?([^\s"'`”,;]{6,})""")
_FLAG: Final = late(r"""(?:(?:[ \t\r\n]|\\\r?\n)[ \t\r\n]*+(?:\\\r?\n[ \t\r\n]*+)*|\\n)["'`]?([^\s"'`\\]{4,})""")
_ELEMENT: Final = late(r">([^<>\n]{4,})</")
_CURL_USER: Final = late(r"""(?<!\S)(?:-u|--user|--proxy-user|-U)(?:[ \t]*|=)["'`]?[^\s:"'`]{1,64}:([^\s"'`\\]{3,})""")
_NETRC: Final = late(r"""login\s+\S+\s+password\s+(\S+)""")
_MYSQL: Final = late(r"""(?<!\S)-p([^\s"'`\\-][^\s"'`\\]{3,})""")
_SSHPASS: Final = late(r"""sshpass\s+-p\s*["']?([^\s"'\\]{3,})""")
# `-p` of `gh auth login` is a protocol.
_REGISTRY: Final = late(
    r"""(?:(?<=docker\s)|(?<=podman\s)|(?<=nerdctl\s)|(?<=buildah\s)|(?<=skopeo\s)|(?<=registry\s)|(?<=oras\s)|(?<=crane\sauth\s)
    |(?<=\boc\s)|(?<=\baz\s))login\s[^\n|;&]{0,256}?(?<=\s)-p(?!assword)[ \t=]*["'`]?([^\s"'`\\]{3,})""",
    re.VERBOSE,
)

_STRONG: Final = frozenset({"password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret", "passw", "pw"})
_MEDIUM: Final = frozenset({
    "token", "apikey", "credential", "credentials", "secrets", "passwords", "sig", "signature", "authtoken",
    "accesstoken", "secretkey", "accesskey", "privatekey", "auth", "pat",
})  # fmt: skip
_NOT_SECRET: Final = frozenset({"PWD", "OLDPWD", "pwd", "cwd"})
_KEY_BEFORE: Final = frozenset({
    "api", "access", "secret", "private", "auth", "signing", "sign", "encryption", "encrypt", "master", "service",
    "account", "storage", "license", "session", "app", "application", "client", "consumer", "subscription", "webhook",
    "ssh", "gpg", "deploy", "admin", "root", "server", "hmac", "jwt", "aes", "cipher", "shared", "db", "database",
    "openai", "anthropic", "stripe", "aws", "azure", "gcp", "google", "rsa", "priv", "sas", "integration", "write",
})  # fmt: skip
_PLAIN_TOKENS: Final = frozenset({
    "next", "page", "continuation", "pad", "eos", "bos", "unk", "sep", "cls", "mask", "stop", "start", "end", "sync",
    "cursor", "max", "min", "public", "cancellation",
})  # fmt: skip
_VALUE_WORDS: Final = frozenset({
    "value", "plain", "plaintext", "text", "raw", "base64", "b64", "old", "new", "current", "prod", "dev", "staging",
    "live", "test", "hash", "default", "env", "var", "data",
})  # fmt: skip
_DOTTED: Final = late(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+")
_PATTERN: Final = late(r"\[[^\]]*\][*+?{)]|\(\?[:=!<P]|\\\\?[wdsbv]\b|\.\*|%\(")
"""Regular expressions and format strings."""
_PROSE: Final = late(
    r"\b(?:password|token|secret|key|your|enter|please|required|invalid|must|is|the|for|and|not|with|"
    r"will|be|of|this|that)\b",
    re.IGNORECASE,
)


def _strength(name: str) -> int:
    """2 for the name of a password or secret, 1 for that of a token or key, 0 for any other."""
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1] in _VALUE_WORDS or words[-1].isdigit()):
        words.pop()
    if not words:
        return 0
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _STRONG:
        return 2 if last not in {"pass", "pw"} or before or name.isupper() else 0
    if last == "key":
        if before in _KEY_BEFORE:
            return 1
        return 1 if before and name == name.upper() else 0
    if last == "token" and before in _PLAIN_TOKENS:
        return 0
    if last.endswith(("password", "passwd", "passphrase", "secret")) and len(last) <= 24:
        return 2
    if last in _MEDIUM or last.endswith(("apikey", "token")):
        return 1
    return 1 if last == "id" and words[-3:-1] == ["access", "key"] else 0


def is_secret_name(name: str, *, signed: bool) -> bool:
    """Whether a value behind this name may be secret. `signed`: it stands in the query of an address, where alone a
    signature is.
    """
    return (
        name not in _NOT_SECRET and _strength(name) > 0 and (signed or not name.lower().endswith(("signature", "sig")))
    )


def _kind(name: str) -> str:
    low = name.lower()
    for word in ("passphrase", "password", "secret", "token", "key", "signature", "credential"):
        if word in low:
            return word
    return "password" if "pass" in low or "pwd" in low else "credential"


def _is_wordlike(value: str) -> bool:
    return all(part.isalpha() for part in re.split(r"[-_.:/ ]", value) if part)


def _quoted_is_secret(value: str, strength: int) -> bool:
    if is_placeholder(value) or len(value) < 4 or _PATTERN.search(value):
        return False
    if " " in value:
        return strength == 2 and not _PROSE.search(value)
    if strength == 2:
        return not (_is_wordlike(value) and _strength(value))
    return is_random(value) or (len(value) >= 20 and not _is_wordlike(value))


def _bare_is_secret(value: str, strength: int, after: str, *, spaced: bool, colon: bool, env: bool) -> bool:
    if is_placeholder(value) or len(value) < 3:
        return False
    if env:
        return strength == 2 or is_random(value) or (len(value) >= 16 and not _is_wordlike(value))
    if _DOTTED.fullmatch(value) or after in {"(", "["}:
        return False
    if is_random(value) and len(value) >= 6:
        return not re.fullmatch(r"[a-z]+\d{1,3}(?:_\w+)?|[A-Z][A-Za-z]+\d{0,3}", value) or strength == 2
    if strength < 2 or spaced or _strength(value):
        return False
    more = () if colon else (" ",)
    return after in {"", "\n", "\r", "\\", '"', "'", "&", ";", *more} and len(value) >= 6


def _name_at(text: str, start: int, end: int) -> tuple[str, int, int]:
    before = _NAME_BEFORE.search(text, max(0, start - 64), start)
    first = before.start() if before else start
    if first and text[first - 1] == "\\" and text[first] in "nrt":
        first += 1  # the letter of a JSON-escaped line end
    after = _NAME_AFTER.match(text, end)
    last = after.end() if after else end
    while last > end and text[last - 1] in ".-":
        last -= 1
    return text[first:last].strip("-."), first, last


def assignment_hits(text: str, low: str) -> Iterator[Hit]:
    """Values that stand behind the name of a secret. `low` is `text` in lower case, of the same length."""
    done, runs = 0, _Runs(text)
    for trigger in _TRIGGER.finditer(low):
        if trigger.start() < done:
            continue
        name, first, last = _name_at(text, trigger.start(), trigger.end())
        done = max(done, last)
        if not is_secret_name(name, signed=text[first - 1 : first] in {"?", "&"}):
            continue
        strength = _strength(name)
        operator = _OPERATOR.match(text, last)
        if operator and operator["space"].strip(" \t") and ("," in operator["op"] or not _is_quoted(operator)):
            operator = None  # the line may end before the sign where the name is quoted
        hit = (
            _value_hit(runs, name, first, strength, operator)
            if operator
            else _phrase_hit(text, name, first, last, strength)
        )
        if hit is not None:
            yield hit
        elif operator and not operator["quote"] and operator["op"].rstrip(" \t").endswith(":"):
            yield from _hits_below(text, name, first, operator.end("op"))


def _phrase_hit(text: str, name: str, first: int, last: int, strength: int) -> Hit | None:
    """The value of a flag, of an XML element, or one that a sentence names."""
    if text.startswith("-", first):
        match = _FLAG.match(text, last)
        if match is None or match[1].startswith("-") or is_placeholder(match[1]) or _strength(match[1]):
            return None
    elif text.startswith("<", first - 1) and (match := _ELEMENT.match(text, last)):
        if not _quoted_is_secret(match[1], strength):
            return None
    else:
        match = _SENTENCE.match(text, last)
        if match is None or is_placeholder(match[1]) or not is_random(match[1]):
            return None
    value = match[1].rstrip(".!?:)")
    return Hit(match.start(1), match.start(1) + len(value), _kind(name), is_random(value))


class _Runs:
    """Where runs of value characters end. A run that is asked for from within ends where it ends from its beginning:
    a text of many names in one long word is gone through once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._last: dict[re.Pattern[str], tuple[int, int]] = {}

    def end(self, pattern: re.Pattern[str], at: int) -> int | None:
        """The end of the run that goes over `at`; None where none does. `pattern` repeats one character."""
        begun, ended = self._last.get(pattern, (0, 0))
        if begun <= at < ended:
            return ended
        match = pattern.match(self.text, at)
        if match is None:
            return None
        self._last[pattern] = match.span()
        return match.end()


def _value_hit(runs: _Runs, name: str, first: int, strength: int, operator: re.Match[str]) -> Hit | None:
    text = runs.text
    if operator["quote"]:
        return _quoted_hit(text, name, first, strength, operator)
    if "," in operator["op"]:
        return None
    env = operator["op"] == "=" and _ENV_NAME.fullmatch(name) is not None and not operator["close"]
    line_start = not first or text[first - 1] in "\n " or text[first - 2 : first] == "\\n" or text[first - 1] == "n"
    start = operator.end("op")
    stop = runs.end(_ENV_VALUE if env and line_start else _BARE, start)
    if stop is None:
        return None
    end = stop
    while end > start and text[end - 1] in (";,.)" if env else "."):
        end -= 1
    value = text[start : min(end, start + LOOK)]
    spaced, colon, after = operator["space"] != "", ":" in operator["op"], text[stop : stop + 1]
    if not _bare_is_secret(value, strength, after, spaced=spaced, colon=colon, env=env):
        return None
    return Hit(start, end, _kind(name), is_random(value))


def _quoted_hit(text: str, name: str, first: int, strength: int, operator: re.Match[str]) -> Hit | None:
    quote, start = operator["quote"].lstrip("@rbfu").rstrip(), operator.end()
    is_list = "," in operator["op"]
    if is_list and not name.isidentifier():
        return None
    end = _closing(text, start, quote)
    value = text[start:end]
    if not _quoted_is_secret(value, 1 if is_list else strength):
        return None
    if len(quote) == 3 and "\\" not in quote and not _is_one_word(text, operator, end, quote):
        return None
    if operator["over"] and not _is_of_name(text, first, strength, operator, end):
        return None
    return Hit(start, end, _kind(name), is_random(value) and " " not in value)


def _is_one_word(text: str, operator: re.Match[str], end: int, quote: str) -> bool:
    """Whether a text that may have many lines is a value, and none that explains."""
    is_whole = text[end : end + 5].lstrip("\r\n").startswith(quote)
    return is_whole and not operator["over"] and " " not in text[operator.end() : end]


def _is_quoted(operator: re.Match[str]) -> bool:
    """Whether the name is."""
    return operator["close"].strip("\\]") != ""


def _is_of_name(text: str, first: int, strength: int, operator: re.Match[str], end: int) -> bool:
    """Whether a quoted value on a later line is what the name stands for, and no text or name by itself."""
    over, sign, quote, value = (
        operator["over"],
        operator["op"].rstrip(" \t"),
        operator["quote"],
        text[operator.end() : end],
    )
    if "," in sign or sign == "=" or "`" in quote or (strength == 1 and not is_random(value)):
        return False
    if " " in value and not _is_quoted(operator):
        return False
    if operator["sign"] and operator["sign"] != text[text.rfind("\n", 0, first) + 1 :][:1]:
        return False
    if "\\" in over.replace("\\\n", "") and "\\" not in quote:  # words of a program, not of its text
        return False
    return _NAMES.match(text, end) is None


def _hits_below(text: str, name: str, first: int, at: int) -> Iterator[Hit]:
    """What YAML has as a value on the lines below its name: a block, or words that stand there alone."""
    block = _BLOCK.match(text, at)
    key = _KEY.fullmatch(text, text.rfind("\n", max(0, first - _MARGIN), first) + 1, first)
    line = _LONE.match(text, block.end() if block else at)
    while key and line and (line["sign"] or "") == key["sign"]:
        value = line["value"][:LOOK]
        if not _bare_is_secret(value, _strength(name), "", spaced=not block, colon=True, env=False):
            return
        yield Hit(*line.span("value"), _kind(name), is_random(value))
        line = _LONE.match(text, line.end())


def _closing(text: str, start: int, quote: str) -> int:
    """Where the string ends that `quote` (with as many backslashes as it has) opened, at most at the line's end."""
    limit = text.find("\n", start, start + 4096)
    limit = min(len(text), start + 4096) if limit < 0 else limit
    at = text.find(quote, start, limit)
    # With more backslashes than the one that opened, the mark belongs to the string.
    while at >= 0 and text[at - 1] == "\\":
        at = text.find(quote, at + 1, limit)
    return limit if at < 0 else at


def command_hits(text: str, low: str) -> Iterator[Hit]:
    """Passwords in the short flags of some programs, and in a `.netrc` line."""
    for word, pattern in (("curl", _CURL_USER), ("mysql", _MYSQL), ("mariadb", _MYSQL), ("sshpass", _SSHPASS),
                          ("login", _NETRC), ("login", _REGISTRY)):  # fmt: skip
        done = 0
        for at in find_all(low, word):
            if at >= done:  # a line once as a whole
                line = text.find("\n", at)
                done = len(text) if line < 0 else line
                yield from (_password(match) for match in pattern.finditer(text, at, done) if _is_given(match))
            # And once from each of its programs on, for one may stand within the value of another's.
            match = pattern.search(text, at, min(done, at + LOOK))
            if match is not None and _is_given(match):
                yield _password(pattern.match(text, match.start(), done) or match)


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match[1][:LOOK])


def _password(match: re.Match[str]) -> Hit:
    return Hit(*match.span(1), "password", is_random(match[1][:LOOK]))
