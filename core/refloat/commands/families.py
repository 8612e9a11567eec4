"""Programs whose effect outside stands in their arguments: requests, statements of a database, copies, clouds, `ssh`.

Which programs they are is data (`knowledge/actions.toml`); how each family is read is said here. Refuses to count what
goes to this machine's own servers, and what only reads.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from refloat.commands.line import Simple
from refloat.commands.probes import flag_value, safe
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
_BODIES: Final = frozenset(
    {"-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form",
     "--form-string", "--post-data", "--post-file", "-body", "--body-data"}
)  # fmt: skip
_ITEM: Final = late(r"[\w.\[\]-]+(?::=|=(?!=)|@)\S*")
"""A field of httpie's: its presence makes the request a POST."""
_SQL_WRITE: Final = late(
    r"\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s|ALTER\s|CREATE\s|TRUNCATE\s|GRANT\s"
    r"|REVOKE\s|MERGE\s+INTO|REPLACE\s+INTO|COPY\s+\S+\s+FROM|CALL\s|VACUUM|REINDEX"
    r"|\.(?:insert|update|delete|remove|replace|drop|create)\w*\()",
    re.IGNORECASE,
)
_REDIS_WRITE: Final = late(
    r"(?:SET|MSET|DEL|UNLINK|FLUSH\w*|H(?:SET|DEL)|[LR](?:PUSH|POP)|S(?:ADD|REM)|Z(?:ADD|REM)|EXPIRE|INCR\w*|DECR\w*"
    r"|RENAME|XADD|EVAL|CONFIG|SHUTDOWN|PUBLISH)",
    re.IGNORECASE,
)
_REMOTE_PLACE: Final = late(r"(?:rsync://.+|(?!\w:\\)[\w.-]+@?[\w.-]*:(?!\\).*)")


def _http(part: Simple) -> Told | None:
    """A request that writes: `curl POST URL`. PUT and DELETE can be asked back by a HEAD (RFC 9110, 9.2.1)."""
    words = part.words
    plain = [word for flag, word in pairwise(words) if not flag.startswith("-") or word.startswith("http")]
    whole = (word for word in words[1:] if re.match(r"https?://", word))
    url = next(whole, None) or next((word for word in (*plain, *words[1:]) if _URL.match(word)), "")
    if _HERE.match(url):
        return None
    method = _method(words)
    if method not in _WRITING:
        return None
    asks = method in {"PUT", "DELETE"} and url.startswith("http") and "@" not in url and safe(url.replace("&", ""))
    probe = ("curl", "-q", "-sS", "--head", "--max-time", "15", url) if asks else None
    return f"{words[0]} {method} {url}".rstrip(), probe


def _method(words: Sequence[str]) -> str:
    named = flag_value(words, "-X", "--request", "--method", "-Method", "-method")
    attached = next((word[2:] for word in words if re.fullmatch(r"-X[A-Za-z]+", word)), "")
    if named or attached:
        return (named or attached).upper()
    flags = {word.partition("=")[0] for word in words[1:] if word.startswith("-")}
    if words[0] in {"http", "https", "xh", "xhs"}:
        plain = [word for word in words[1:] if not word.startswith("-")]
        if plain and plain[0].isupper():
            return plain[0]
        return "POST" if any(map(_ITEM.fullmatch, plain[1:])) else "GET"
    if {"-T", "--upload-file"} & flags:
        return "PUT"
    sends = flags & _BODIES or any(re.fullmatch(r"-[dF]\S+", word) for word in words[1:])
    return "POST" if sends and not {"-G", "--get"} & flags else "GET"


def _api(part: Simple) -> Told | None:
    """`gh api` writes where a method or a field says so (gh-api(1): fields make it a POST)."""
    words = part.words
    method = (flag_value(words, "-X", "--method") or "").upper()
    names = {word.partition("=")[0] for word in words}
    if not method:
        method = "POST" if {"-f", "-F", "--field", "--raw-field", "--input"} & names else "GET"
    valued = {"-X", "--method", "-f", "-F", "--field", "--raw-field", "--input", "-H", "--header", "-q", "--jq", "-t",
              "--template", "--hostname", "--cache", "-p", "--preview"}  # fmt: skip
    behind = zip(words[2:], ("", *words[2:]), strict=False)
    target = next((word for word, before in behind if not word.startswith("-") and before not in valued), "")
    if target == "graphql":
        return ("gh api graphql mutation", None) if re.search(r"\bmutation\b", " ".join(words)) else None
    if method not in _WRITING:
        return None
    probe = ("gh", "api", "--method", "GET", target) if target and safe(target) else None
    return f"gh api {method} {target}".rstrip(), probe


def _sql(part: Simple) -> Told | None:
    words = part.words
    host = flag_value(words, "-h", "--host") or ""
    if host in {"localhost", "127.0.0.1"}:
        return None
    said = " ".join(words[1:]) + "\n" + part.stdin
    if words[0] in {"redis-cli", "valkey-cli"}:
        verb = next((word for word in words[1:] if _REDIS_WRITE.fullmatch(word)), None)
        return None if verb is None else (" ".join(words), None)
    writes = _SQL_WRITE.search(said) or {"-f", "--file", "-i"} & {word.partition("=")[0] for word in words}
    return (" ".join(words) + _given(part), None) if writes else None


def _copy(part: Simple) -> Told | None:
    objects = [word for word in part.words[1:] if not word.startswith("-")]
    dry = any(word == "--dry-run" or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in part.words[1:])
    remote = objects and _REMOTE_PLACE.fullmatch(objects[-1])
    return (" ".join(part.words), None) if remote and not (dry and part.words[0] == "rsync") else None


def _remote(part: Simple) -> Told | None:
    """`ssh HOST COMMAND`: what runs over there is judged as here; only plain reading has no effect."""
    objects = list(part.words[1:])
    while objects and objects[0].startswith("-"):
        objects = objects[2 if objects[0] in {"-i", "-p", "-o", "-l", "-F", "-J", "-L", "-R", "-b", "-c"} else 1 :]
    script = " ".join(objects[1:]) or part.stdin
    if not objects or not script.strip() or reads_only(script):
        return None
    return " ".join(part.words) + _given(part), None


def _given(part: Simple) -> str:
    """The beginning of what a command is given to read, so that two scripts for one place differ in name."""
    words = next((line.split() for line in part.stdin.splitlines() if line.strip()), list[str]())
    return f" << {' '.join(words[:6])}{' …' if len(words) > 6 else ''}" if words else ""


def _cloud(part: Simple) -> Told | None:
    words = part.words
    plain = [word for word in words[1:] if not word.startswith("-")]
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
    if plain[1:2] in (["cp"], ["sync"]) and not target.startswith("s3://"):
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
    judge = _families().get(words[0]) or _families().get(words[0].lower())
    return judge(part) if judge is not None else None


forgets(_families.cache_clear)
