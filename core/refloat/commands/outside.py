"""Effects outside the checkout: push, publish, deploy, writes to an API or a database, mail.

By the table of verbs (`knowledge/actions.toml`), each with the read-only question that tells whether it happened.
Refuses what only looks (`--dry-run`), and writes to this machine's own servers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from refloat.commands.line import Simple, read_line
from refloat.commands.probes import Given, fill, flag_value, safe
from refloat.commands.push import push_of
from refloat.commands.reading import reads_only
from refloat.knowledge.tables import forgets, own_rows, table
from refloat.knowledge.tables import texts as row_texts

Naming = Literal["verb", "object", "whole"]
"""How an action is called: by its verb alone, with its first object, or by the whole command."""

_QUIET_FLAGS: Final = frozenset({"-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "-y", "--yes"})
"""Flags that change nothing about what is done."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect outside the checkout that a command line names."""

    name: str
    """The same for the same effect."""
    probe: tuple[str, ...] | None
    """A read-only command that would tell whether it happened; None where none is known."""
    cwd: str | None
    """Where the command runs, seen from where its line starts; None where that cannot be told."""
    hidden: str | None
    """What gives the exit code of the line in its place."""
    shared: str | None = None
    """What runs behind it once it succeeded."""
    late: bool = False
    """Something has to succeed before it begins (`npm test && git push`)."""


@dataclass(frozen=True, slots=True)
class _Row:
    verb: tuple[str, ...]
    naming: Naming
    probe: str | None
    unless: frozenset[str]
    """Words with which it has no effect outside."""
    only: frozenset[str]
    """Words without which it has none."""


def effects_of(command: str, *, branch: str | None = None) -> tuple[Effect, ...]:
    """The effects outside the checkout that a command line names, in its order.

    `branch` is the one that was checked out; where it is given, what a command leaves to git's defaults is filled in.
    """
    found: list[Effect] = []
    line = read_line(command)
    for index, part in enumerate(line):
        effect = _effect(part, branch)
        if effect is not None:
            late = any(one.shared is not None and one.hidden is None for one in line[:index])
            found.append(replace(effect, late=late))
    return tuple(found)


def external(part: Simple) -> bool:
    """Whether a simple command has an effect outside the checkout."""
    return _effect(part, None) is not None


def _effect(part: Simple, branch: str | None) -> Effect | None:
    words = part.words
    if words[0] == "git":
        push = push_of(words, branch)
        if push is not None:
            return Effect(push.name, push.probe, part.cwd, part.hidden, part.shared)
    told = _by_family(part) if words[:2] == ("gh", "api") else _by_table(part, branch) or _by_family(part)
    told = told or _by_script(words)
    return None if told is None else Effect(told[0], told[1], part.cwd, part.hidden, part.shared)


# ── by the table ─────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def _rows() -> Mapping[str, tuple[_Row, ...]]:
    """Program → its rows, the longest verbs first and a person's own before the built-in ones."""
    own, every = own_rows("actions"), table("actions")
    found: dict[str, tuple[_Row, ...]] = {}
    for program, rows in every.items():
        if not program.startswith("@"):
            first = own.get(program, {})
            ordered = {**first, **{key: value for key, value in rows.items() if key not in first}}
            made = [row for key, value in ordered.items() for row in _made(program, key, value)]
            found[program] = tuple(sorted(made, key=lambda row: -len(row.verb)))
    return found


def _made(program: str, key: str, value: object) -> list[_Row]:
    texts = {"probe": value} if isinstance(value, str) else row_texts(value)
    naming: Naming
    probe: str | None
    unless: frozenset[str]
    """Words with which it has no effect outside."""
    only: frozenset[str]
    """Words without which it has none."""


def effects_of(command: str, *, branch: str | None = None) -> tuple[Effect, ...]:
    """The effects outside the checkout that a command line names, in its order.

    `branch` is the one that was checked out; where it is given, what a command leaves to git's defaults is filled in.
    """
    found: list[Effect] = []
    line = read_line(command)
    for index, part in enumerate(line):
        effect = _effect(part, branch)
        if effect is not None:
            late = any(one.shared is not None and one.hidden is None for one in line[:index])
            found.append(replace(effect, late=late))
    return tuple(found)


def external(part: Simple) -> bool:
    """Whether a simple command has an effect outside the checkout."""
    return _effect(part, None) is not None


def _effect(part: Simple, branch: str | None) -> Effect | None:
    words = part.words
    if words[0] == "git":
        push = push_of(words, branch)
        if push is not None:
            return Effect(push.name, push.probe, part.cwd, part.hidden, part.shared)
    told = _by_family(part) if words[:2] == ("gh", "api") else _by_table(part, branch) or _by_family(part)
    told = told or _by_script(words)
    return None if told is None else Effect(told[0], told[1], part.cwd, part.hidden, part.shared)


# ── by the table ─────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def _rows() -> Mapping[str, tuple[_Row, ...]]:
    """Program → its rows, the longest verbs first and a person's own before the built-in ones."""
    own, every = own_rows("actions"), table("actions")
    found: dict[str, tuple[_Row, ...]] = {}
    for program, rows in every.items():
        if not program.startswith("@"):
            first = own.get(program, {})
            ordered = {**first, **{key: value for key, value in rows.items() if key not in first}}
            made = [row for key, value in ordered.items() for row in _made(program, key, value)]
            found[program] = tuple(sorted(made, key=lambda row: -len(row.verb)))
    return found


def _made(program: str, key: str, value: object) -> list[_Row]:
    told: Rows = {"probe": value} if isinstance(value, str) else value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - checked by the tables
    texts = {str(name): str(text) for name, text in told.items()}
    naming: Naming = "verb" if texts.get("name") == "verb" else "object" if texts.get("name") == "object" else "whole"
    unless, only = (frozenset(texts.get(name, "").split()) for name in ("unless", "only"))
    return [
        _Row((program, *(() if verb == "*" else verb.split())), naming, texts.get("probe") or None, unless, only)
        for verb in key.split("|")
    ]


def _by_table(part: Simple, branch: str | None) -> tuple[str, tuple[str, ...] | None] | None:
    words = part.words
    if {"--help", "--version"} & set(words) or words[1:] == ("help",):
        return None
    script = _script_of(words)
    words = script or words
    plain = tuple(word for word in words if not word.startswith("-") or word == "--prod")
    for row in _rows().get(words[0], ()):
        if plain[: len(row.verb)] != row.verb or row.unless.intersection(words):
            continue
        if row.only and not row.only.intersection(words):
            continue
        objects = list(plain[len(row.verb) :])
        given: Given = {"branch": branch, "target": _target(words, objects)}
        everything = (*words, *part.flags)
        return _name(row, everything, objects), fill(row.probe, everything, objects, given) if row.probe else None
    return None


def _script_of(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """`python manage.py migrate`, `php artisan migrate`: the script is the program."""
    if len(words) > 2 and re.fullmatch(r"python[\d.]*|php|ruby", words[0]):
        script = words[1].rpartition("/")[2]
        return (script, *words[2:]) if script in _rows() else None
    return None


def _target(words: Sequence[str], objects: Sequence[str]) -> tuple[str, ...] | None:
    """What a cluster's command is about: its file, or a kind with a name."""
    file = flag_value(words, "-f", "--filename", "-k", "--kustomize")
    if file is not None:
        flag = "-k" if {"-k", "--kustomize"} & {word.partition("=")[0] for word in words} else "-f"
        return (flag, file) if file != "-" and safe(file) else None
    named = [word for word in objects if "=" not in word]
    named = named[1:] if named[:1] == ["image"] else named
    return tuple(named[:2]) or None


def _name(row: _Row, words: Sequence[str], objects: Sequence[str]) -> str:
    match row.naming:
        case "verb":
            return " ".join(row.verb)
        case "object":
            return " ".join([*row.verb, *objects[:1]])
        case "whole":
            return " ".join(word for word in words if word not in _QUIET_FLAGS)


def _by_script(words: tuple[str, ...]) -> tuple[str, None] | None:
    """`npm run deploy`, `make release`: a script of the project that says that it goes out."""
    runners = table("checks").get("runners", {})
    scripts, targets = (frozenset(str(runners.get(name, "")).split()) for name in ("script", "target"))
    if words[0] not in scripts | targets or any("dry" in word for word in words):
        return None
    names = frozenset(str(table("actions").get("@scripts", {}).get("names", "")).split())
    plain = [word for word in words[1:] if not word.startswith("-")]
    if words[0] in scripts:
        plain = plain[1:2] if plain[:1] in (["run"], ["run-script"]) else []
    if any(re.split(r"[:_./-]", word, maxsplit=1)[0] in names for word in plain):
        return " ".join(word for word in words if word not in _QUIET_FLAGS), None
    return None


# ── by family ────────────────────────────────────────────────────────────────────────────────────────────────────────

_WRITING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HERE: Final = re.compile(r"(?:https?://)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|:\d+)(?:[:/].*)?\Z")
_URL: Final = re.compile(r"https?://|\w[\w.-]*\.\w+/|localhost|:\d|\$\{?\w+")
_BODIES: Final = frozenset(
    {"-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form",
     "--form-string", "--post-data", "--post-file", "-body", "--body-data"}
)  # fmt: skip
_ITEM: Final = re.compile(r"[\w.\[\]-]+(?::=|=(?!=)|@)\S*")
"""A field of httpie's: its presence makes the request a POST."""
_SQL_WRITE: Final = re.compile(
    r"\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s|ALTER\s|CREATE\s|TRUNCATE\s|GRANT\s"
    r"|REVOKE\s|MERGE\s+INTO|REPLACE\s+INTO|COPY\s+\S+\s+FROM|CALL\s|VACUUM|REINDEX"
    r"|\.(?:insert|update|delete|remove|replace|drop|create)\w*\()",
    re.IGNORECASE,
)
_REDIS_WRITE: Final = re.compile(
    r"(?:SET|MSET|DEL|UNLINK|FLUSH\w*|H(?:SET|DEL)|[LR](?:PUSH|POP)|S(?:ADD|REM)|Z(?:ADD|REM)|EXPIRE|INCR\w*|DECR\w*"
    r"|RENAME|XADD|EVAL|CONFIG|SHUTDOWN|PUBLISH)",
    re.IGNORECASE,
)
_REMOTE_PLACE: Final = re.compile(r"(?:rsync://.+|(?!\w:\\)[\w.-]+@?[\w.-]*:(?!\\).*)")


def _http(part: Simple) -> tuple[str, tuple[str, ...] | None] | None:
    """A request that writes: `curl POST URL`. PUT and DELETE can be asked back by a HEAD (RFC 9110, 9.2.1)."""
    words = part.words
    url = next((word for word in words[1:] if _URL.match(word)), "")
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


def _api(part: Simple) -> tuple[str, tuple[str, ...] | None] | None:
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


def _sql(part: Simple) -> tuple[str, None] | None:
    words = part.words
    host = flag_value(words, "-h", "--host") or ""
    if host in {"localhost", "127.0.0.1"}:
        return None
    said = " ".join(words[1:]) + "\n" + part.stdin
    if words[0] in {"redis-cli", "valkey-cli"}:
        verb = next((word for word in words[1:] if _REDIS_WRITE.fullmatch(word)), None)
        return None if verb is None else (" ".join(words), None)
    writes = _SQL_WRITE.search(said) or {"-f", "--file", "-i"} & {word.partition("=")[0] for word in words}
    return (" ".join(words), None) if writes else None


def _copy(part: Simple) -> tuple[str, None] | None:
    objects = [word for word in part.words[1:] if not word.startswith("-")]
    dry = any(word == "--dry-run" or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in part.words[1:])
    remote = objects and _REMOTE_PLACE.fullmatch(objects[-1])
    return (" ".join(part.words), None) if remote and not (dry and part.words[0] == "rsync") else None


def _remote(part: Simple) -> tuple[str, None] | None:
    """`ssh HOST COMMAND`: what runs over there is judged as here; only plain reading has no effect."""
    objects = list(part.words[1:])
    while objects and objects[0].startswith("-"):
        objects = objects[2 if objects[0] in {"-i", "-p", "-o", "-l", "-F", "-J", "-L", "-R", "-b", "-c"} else 1 :]
    script = " ".join(objects[1:]) or part.stdin
    if not objects or not script.strip() or reads_only(script):
        return None
    return " ".join(part.words), None


def _cloud(part: Simple) -> tuple[str, tuple[str, ...] | None] | None:
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


def _bucket(plain: Sequence[str], words: Sequence[str]) -> tuple[str, tuple[str, ...] | None] | None:
    """`aws s3 cp a s3://b/a`: told back by listing the place that is written."""
    if plain[1:2] and plain[1] not in {"cp", "mv", "rm", "sync", "mb", "rb", "website"}:
        return None
    target = plain[-1] if plain[2:] else ""
    if plain[1:2] in (["cp"], ["sync"]) and not target.startswith("s3://"):
        return None  # a download
    probe = ("aws", "s3", "ls", target) if target.startswith("s3://") and safe(target) else None
    return " ".join(word for word in words if word not in _QUIET_FLAGS), probe


def _inside(part: Simple) -> tuple[str, None] | None:
    """`kubectl exec POD -- COMMAND`: judged by the command."""
    words = part.words
    script = " ".join(words[words.index("--") + 1 :]) if "--" in words else ""
    return None if script and reads_only(script) else (" ".join(words), None)


_Family = Callable[[Simple], tuple[str, tuple[str, ...] | None] | None]
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


def _by_family(part: Simple) -> tuple[str, tuple[str, ...] | None] | None:
    words = part.words
    if words[:2] == ("gh", "api"):
        return _api(part)
    if words[0] in {"kubectl", "oc"} and words[1:2] == ("exec",):
        return _inside(part)
    judge = _families().get(words[0]) or _families().get(words[0].lower())
    return judge(part) if judge is not None else None


def probe_templates() -> tuple[str, ...]:
    """Every probe of the tables, as it is written there."""
    rows = (row.probe for rows in _rows().values() for row in rows)
    return tuple(dict.fromkeys(probe for probe in rows if probe is not None))


def action(command: str) -> str | None:
    """A short name of the first effect outside the checkout; None where there is none."""
    return next((effect.name for effect in effects_of(command)), None)


def probe(command: str) -> tuple[str, ...] | None:
    """A read-only command that would tell whether the first effect outside happened; None where none is known."""
    return next((effect.probe for effect in effects_of(command)), None)


forgets(_rows.cache_clear)
forgets(_families.cache_clear)
