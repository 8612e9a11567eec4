"""Programs whose effect outside stands in their arguments: requests, statements of a database, copies, clouds, `ssh`.

Which programs they are is data (`knowledge/actions.toml`); how each family is read is said here. Refuses to count what
goes to this machine's own servers, and what only reads.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

from refloat.commands.inline import inline
from refloat.commands.line import Simple
from refloat.commands.options import objects, past_options, spread, valued
from refloat.commands.probes import digest, flag_value, safe, shortened
from refloat.commands.reading import reads_only
from refloat.knowledge.tables import forgets, table
from refloat.patterns import late

Told = tuple[str, tuple[str, ...] | None]
"""Name of an effect, and a read-only command that would tell whether it happened."""

QUIET_FLAGS: Final = frozenset({"-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "-y", "--yes"})
"""Flags that change nothing about what is done."""

_WRITING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HERE: Final = late(r"(?:https?://)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|:\d+)(?:[:/].*)?\Z")
_URL: Final = late(r"https?://|\w[\w.-]*\.\w+(?::\d+)?/|\d+(?:\.\d+){3}|localhost|:\d|\$\{?\w+")
_BODIES: Final[dict[str, str]] = {
    **dict.fromkeys(("-d", "--data", "--data-raw", "--data-ascii", "--post-data", "-body", "--body-data"), "-d"),
    "--data-binary": "-d", "--data-urlencode": "-d", "--post-file": "-d", "--json": "--json",
    "-F": "-F", "--form": "-F", "--form-string": "-F",
}  # fmt: skip
"""Options with what a request sends → how they are called."""
_FILES: Final = frozenset({"-T", "--upload-file"})
_ITEM: Final = late(r"[\w.\[\]-]+(?::=|=(?!=)|@)\S*")
"""A field of httpie's: its presence makes the request a POST."""
_SQL_WRITE: Final = late(
    r"\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s|ALTER\s|CREATE\s|TRUNCATE\s|GRANT\s"
    r"|REVOKE\s|MERGE\s+INTO|REPLACE\s+INTO|COPY\s+\S+\s+FROM|CALL\s|VACUUM|REINDEX|EXECUTE\s|DO\s+\$|\\ir?\s"
    r"|\.(?:insert|update|delete|remove|replace|drop|create)\w*\()",
    re.IGNORECASE,
)
_SQL_LITERAL: Final = late(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
"""What is no statement, whatever it says: a comment, a text, a quoted name."""
_SENDS: Final = late(r"^\s*-?@?(?:m?put|reput|m?rm|rmdir|mkdir|rename|chmod|chown|ln|symlink|mv)\s", re.MULTILINE)
_MIRRORS_UP: Final = late(r"\bmirror\s+(?:-\S+\s+)*(?:-\w*R|--reverse)")
_REDIS_WRITE: Final = late(
    r"(?:SET|MSET|DEL|UNLINK|FLUSH\w*|H(?:SET|DEL)|[LR](?:PUSH|POP)|S(?:ADD|REM)|Z(?:ADD|REM)|EXPIRE|INCR\w*|DECR\w*"
    r"|RENAME|XADD|EVAL|CONFIG|SHUTDOWN|PUBLISH)",
    re.IGNORECASE,
)
_STATEMENT: Final = frozenset({"-c", "--command", "-e", "--execute", "--eval", "-Q", "-q", "--query"})
"""Options of database clients with a statement: what else is given to read is not read as one."""
_REMOTE_PLACE: Final = late(r"(?:rsync://.+|(?!\w:\\)[\w.-]+@?[\w.-]*:(?!\\).*)")


def _http(part: Simple) -> Told | None:
    """A request that writes: `curl POST URL`. PUT and DELETE can be asked back by a HEAD (RFC 9110, 9.2.1)."""
    words = spread(part.words)
    named = (*objects(part.words)[1:], *words[1:])
    whole = next((word for word in named if re.match(r"https?://", word)), None)
    url = whole or next((word for word in named if _URL.match(word)), "")
    if _HERE.match(url):
        return None
    method = _method(words)
    config = flag_value(words, "-K", "--config") if words[0] == "curl" and method == "GET" else None
    if method not in _WRITING and (config is None or {"-G", "--get", "-X", "--request"} & set(words)):
        return None
    asks = method in {"PUT", "DELETE"} and url.startswith("http") and "@" not in url and safe(url.replace("&", ""))
    probe = ("curl", "-q", "-sS", "--head", "--max-time", "15", url) if asks else None
    told = ["-K", config] if config is not None else [method]
    return " ".join(word for word in (words[0], *told, url, *_sent(words), _given(part).strip()) if word), probe


def _sent(words: Sequence[str]) -> list[str]:
    """What a request sends, each as short as a name takes: with something else it is another request."""
    if words[0] in {"http", "https", "xh", "xhs"}:
        return [shortened(word) for word in words[2:] if _ITEM.fullmatch(word)]
    sent: list[str] = []
    for flag, behind in zip(words, (*words[1:], ""), strict=True):
        name, equals, value = flag.partition("=")
        if name in _BODIES or name in _FILES:
            sent += [_BODIES.get(name, name), shortened(value if equals else behind)]
    return sent


def _method(words: Sequence[str]) -> str:
    named = flag_value(words, "-X", "--request", "--method", "-Method", "-method")
    if named:
        return named.upper()
    flags = {word.partition("=")[0] for word in words[1:] if word.startswith("-")}
    if words[0] in {"http", "https", "xh", "xhs"}:
        plain = [word for word in words[1:] if not word.startswith("-")]
        if plain and plain[0].isupper():
            return plain[0]
        return "POST" if any(map(_ITEM.fullmatch, plain[1:])) else "GET"
    if _FILES & flags:
        return "PUT"
    return "POST" if flags & _BODIES.keys() and not {"-G", "--get"} & flags else "GET"


def _api(part: Simple) -> Told | None:
    """`gh api` writes where a method or a field says so (gh-api(1): fields make it a POST)."""
    words = spread(part.words)
    method = (flag_value(words, "-X", "--method") or "").upper()
    names = {word.partition("=")[0] for word in words}
    if not method:
        method = "POST" if {"-f", "-F", "--field", "--raw-field", "--input"} & names else "GET"
    takes = valued("gh")
    behind = zip(words[2:], ("", *words[2:]), strict=False)
    target = next((word for word, before in behind if not word.startswith("-") and before not in takes), "")
    if target == "graphql":
        return ("gh api graphql mutation", None) if re.search(r"\bmutation\b", " ".join(words)) else None
    if method not in _WRITING:
        return None
    probe = ("gh", "api", "--method", "GET", target) if target and safe(target) else None
    fields = {"-f", "-F", "--field", "--raw-field", "--input"}
    given = [shortened(word) for word, flag in zip(words[2:], words[1:], strict=False) if flag in fields]
    return " ".join(("gh api", method, target, *given, _given(part).strip())).rstrip(), probe


def _sql(part: Simple) -> Told | None:
    words = part.words
    host = flag_value(words, "-h", "--host") or ""
    if host in {"localhost", "127.0.0.1"}:
        return None
    if words[0] in {"redis-cli", "valkey-cli"}:
        verb = next((word for word in words[1:] if _REDIS_WRITE.fullmatch(word)), None)
        return None if verb is None and not part.reads else (" ".join(words) + _given(part), None)
    said = (_SQL_LITERAL.sub("''", word) for word in (*words[1:], part.stdin))
    names = {word.partition("=")[0] for word in spread(words)}
    unseen = {"-f", "--file", "-i"} & names or (part.reads and not _STATEMENT & names)
    return (" ".join(words) + _given(part), None) if unseen or _SQL_WRITE.search("\n".join(said)) else None


def _copy(part: Simple) -> Told | None:
    named = objects(part.words)[1:]
    dry = part.words[0] == "rsync" and {"-n", "--dry-run"} & set(spread(part.words))
    return (" ".join(part.words), None) if named and _REMOTE_PLACE.fullmatch(named[-1]) and not dry else None


def _transfer(part: Simple) -> Told | None:
    """A session of `sftp` or `lftp`: by its commands, where the line holds them."""
    words = spread(part.words)
    script = flag_value(words, "-e", "-c") if words[0] == "lftp" else None
    said = "\n".join((*re.split(r"[;\n]|&&", script or ""), part.stdin))
    file = flag_value(words, *(("-f",) if words[0] == "lftp" else ("-b",)))
    if part.reads or file not in (None, "-") or _SENDS.search(said) or _MIRRORS_UP.search(said):
        return " ".join(part.words) + _given(part), None
    return None


def _remote(part: Simple) -> Told | None:
    """`ssh HOST COMMAND`: what runs over there is judged as here; only plain reading has no effect."""
    told = past_options(part.words)
    script = " ".join(told[1:]) or part.stdin
    if not told or (not script.strip() and not part.reads) or (script.strip() and reads_only(script)):
        return None
    return " ".join(part.words) + _given(part), None


def _given(part: Simple) -> str:
    """The beginning of what a command is given to read, so that two scripts for one place differ in name."""
    if not part.stdin.strip():
        return f" < {part.reads}" if part.reads else ""
    lines = [line for line in part.stdin.splitlines() if line.strip()]
    words = lines[0].split()
    cut = len(words) > 6 or len(lines) > 1
    return f" << {' '.join(words[:6])}{f' … #{digest(part.stdin)}' if cut else ''}"


def _cloud(part: Simple) -> Told | None:
    words = part.words
    plain = objects(words)[1:]
    if {"--help", "--dry-run", "--dryrun", "--validate-only", "--no-execute-changeset"} & set(words):
        return None
    if words[:2] == ("aws", "s3"):
        return _bucket(plain, words)
    reads = str(table("actions").get("@cloud", {}).get("reads", "")).split()
    if not plain or any(word.partition("-")[0] in reads or word in reads for word in plain[:5]):
        return None
    return (" ".join(words), None) if len(plain) > 1 else None


def _bucket(plain: Sequence[str], words: Sequence[str]) -> Told | None:
    """`aws s3 cp a s3://b/a`: told back by listing the place that is written."""
    if plain[1:2] and plain[1] not in {"cp", "mv", "rm", "sync", "mb", "rb", "website"}:
        return None
    target = plain[-1] if plain[2:] else ""
    if plain[1:2] in (("cp",), ("sync",)) and not target.startswith("s3://"):
        return None  # a download
    probe = ("aws", "s3", "ls", target) if target.startswith("s3://") and safe(target) else None
    return " ".join(word for word in words if word not in QUIET_FLAGS), probe


def _inside(part: Simple) -> Told | None:
    """`kubectl exec POD -- COMMAND`: judged by the command."""
    words = part.words
    script = " ".join(words[words.index("--") + 1 :]) if "--" in words else ""
    return None if script and reads_only(script) else (" ".join(words), None)


_Family = Callable[[Simple], Told | None]
_FAMILIES: Final[dict[str, _Family]] = {
    "@http": _http,
    "@sql": _sql,
    "@copy": _copy,
    "@cloud": _cloud,
    "@remote": _remote,
    "@transfer": _transfer,
    "@inline": inline,
}


@cache
def _families() -> Mapping[str, _Family]:
    tables = table("actions")
    return {
        program: judge
        for family, judge in _FAMILIES.items()
        for program in str(tables.get(family, {}).get("programs", "")).split()
    }


def by_family(part: Simple) -> Told | None:
    """(name, probe) of a simple command's effect outside, for the families of the table; None where it has none."""
    words = part.words
    if words[:2] == ("gh", "api"):
        return _api(part)
    if words[0] in {"kubectl", "oc"} and words[1:2] == ("exec",):
        return _inside(part)
    judge = _families().get(words[0]) or _families().get(words[0].lower().rstrip("0123456789."))
    return judge(part) if judge is not None else None


forgets(_families.cache_clear)
