"""Effects outside the checkout: push, publish, deploy, writes to an API or a database, mail.

By the table of verbs (`knowledge/actions.toml`), each with the read-only question that tells whether it happened.
Refuses what only looks (`--dry-run`), and writes to this machine's own servers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, Literal

from refloat.caching import cached_if
from refloat.commands.checks import only_tells
from refloat.commands.families import QUIET_FLAGS, by_family
from refloat.commands.line import SHORT, Simple, read_line
from refloat.commands.options import VALUED, objects, spread
from refloat.commands.probes import Given, fill, flag_value, safe, shortened
from refloat.commands.push import push_of
from refloat.knowledge.tables import forgets, own_rows, sound_pattern, table
from refloat.knowledge.tables import texts as row_texts
from refloat.model.light import light
from refloat.patterns import late

Naming = Literal["verb", "object", "whole"]
"""How an action is called: by its verb alone, with its first object, or by the whole command."""
About = Literal["directory", "repository", "anything"]
"""What an effect depends on of the place where it runs: what lies there, whose repository that is, or nothing."""


_FLAG_HOLE: Final = late(r"\{(-[^}]+)\}")
_INTERPRETERS: Final = late(
    r"(?:python|pypy)[\d.]*|node|php|ruby|perl|tsx|ts-node|bash|sh|zsh|dash|ksh|ash|fish|pwsh|source|\."
)
_NO_FILE: Final = frozenset({"-c", "-e", "-m", "-n", "-p", "-r", "--eval"})
"""Options of interpreters with which what follows is no script, or is not run."""
_SCRIPT: Final = late(r"(?P<first>[a-z]+)(?:[-_.]\w[\w.-]*)?\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|php|ps1)")
_FILE: Final = late(
    r"@?(?!/|~)(?:\.{1,2}(?:/[^:]*)?|[\w.-]+/|(?:[\w.-]+/)*[\w.-]+\.(?:ya?ml|json|sql|tgz|tar|gz|zip|whl|txt|md|csv|html?"
    r"|xml|toml|tf|sh|js|ts|py|rb))"
)
"""A file or directory that is looked for where the command runs."""
_BY_REPOSITORY: Final = frozenset({"git", "gh", "glab", "hub", "tea", "hg", "svn", "jj"})
_SHOWS: Final = frozenset({"--help", "-h", "--version", "--check", "--list", "--plan", "--preview"})
"""With one of these a project's script only shows what it would do."""
_TAIL: Final = 40_000
"""Characters of an output that are looked at."""


@light
class Effect:
    """One effect outside the checkout that a command line names."""

    name: str
    """The same for the same effect."""
    probe: tuple[str, ...] | None
    """A read-only command that would tell whether it happened; None where none is known."""
    cwd: str | None
    """Where the command runs, seen from where its line starts; None where that cannot be told."""
    about: "About"
    """What of that place it depends on."""
    hidden: str | None
    """What gives the exit code of the line in its place."""
    shared: str | None = None
    """What runs behind it once it succeeded."""
    doubt: str | None = None
    """Why a line that succeeded does not say that this happened, in words."""
    late: bool = False
    """Something has to succeed before it begins (`npm test && git push`)."""


@light
class _Row:
    """A verb of a program that acts outside."""

    verb: tuple[str, ...]
    naming: Naming
    probe: str | None
    unless: frozenset[str]
    """Words with which it has no effect outside."""
    only: frozenset[str]
    """Words without which it has none."""
    by: tuple[str, ...]
    """Options, each `--one,-o`, with another value of which it is another effect."""


def _is_short(command: str, *, branch: str | None = None) -> bool:
    del branch
    return len(command) <= SHORT


@cached_if(_is_short, 16_384)
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


def _effect(part: Simple, branch: str | None) -> Effect | None:
    words = part.words
    if words[0] == "git":
        push = push_of(words, branch)
        if push is not None:
            return Effect(
                push.name,
                push.probe,
                part.cwd,
                "repository",
                hidden=part.hidden,
                shared=part.shared,
                doubt=_doubt(part),
            )
    told = by_family(part) if words[:2] == ("gh", "api") else _by_table(part, branch) or by_family(part)
    told = told or _by_script(words)
    if told is None:
        return None
    return Effect(told[0], told[1], part.cwd, _about(words, told[0]), part.hidden, part.shared, _doubt(part))


def _about(words: Sequence[str], name: str) -> About:
    if words[0] in by_directory() and name.startswith(words[0]):
        return "directory"
    if _scripts()[2].intersection(re.split(r"[._ -]", _file_of(tuple(words)))) or any(map(_FILE.fullmatch, words[1:])):
        return "directory"
    return "repository" if words[0] in _BY_REPOSITORY else "anything"


_FAILS: Final = late(r"--fail(?:-with-body|-early)?|-[a-zA-Z#]*f[a-zA-Z#]*")


def _doubt(part: Simple) -> str | None:
    """Why the success of a part's line does not say that it happened."""
    if part.hidden is not None:
        return f"its exit code is that of `{part.hidden}`"
    if part.skipped is not None:
        return f"`{part.skipped}` can have kept it from running"
    # curl(1), EXIT CODES: an answer of the server's is a success, whatever its status, unless --fail is given.
    if part.words[0] in {"curl", "curlie"} and not any(map(_FAILS.fullmatch, part.words[1:])):
        return "without `--fail` its exit code is fine whatever the answer was"
    if part.words[0] in {"http", "https"} and "--check-status" not in part.words:
        return "without `--check-status` its exit code is fine whatever the answer was"
    return None


# ── by the table ─────────────────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=1024)
def _rows(program: str) -> tuple[_Row, ...]:
    """A program's rows, the longest verbs first and a person's own before the built-in ones."""
    rows = table("actions").get(program)
    if rows is None or program.startswith("@"):
        return ()
    first = own_rows("actions").get(program, {})
    ordered = {**first, **{key: value for key, value in rows.items() if key not in first}}
    verbs = {key: value for key, value in ordered.items() if key != VALUED}
    made = [row for key, value in verbs.items() for row in _made(program, key, value)]
    return tuple(sorted(made, key=lambda row: -len(row.verb)))


def _made(program: str, key: str, value: object) -> list[_Row]:
    texts = {"probe": value} if isinstance(value, str) else row_texts(value)
    naming: Naming = "verb" if texts.get("name") == "verb" else "object" if texts.get("name") == "object" else "whole"
    unless, only = (frozenset(texts.get(name, "").split()) for name in ("unless", "only"))
    by, probe = tuple(texts.get("by", "").split()), texts.get("probe") or None
    return [
        _Row((program, *(() if verb == "*" else verb.split())), naming, probe, unless, only, by)
        for verb in key.split("|")
    ]


def _by_table(part: Simple, branch: str | None) -> tuple[str, tuple[str, ...] | None] | None:
    words = part.words
    if not _rows(words[0]) and _script_of(words) is None:
        return None
    if {"--help", "--version"} & set(words) or words[1:] == ("help",):
        return None
    script = _script_of(words)
    words = script or words
    plain, told = objects(words), {*words, *spread(words)}
    for row in _rows(words[0]):
        if plain[: len(row.verb)] != row.verb or row.unless & told:
            continue
        if row.only and not row.only & told:
            continue
        named = list(plain[len(row.verb) :])
        given: Given = {"branch": branch, "target": _target(words, named)}
        flags = (*spread(words), *part.flags)
        name = _name(row, (*words, *part.flags), [*named[: row.naming == "object"], *_context(row, flags)])
        return name, fill(row.probe, flags, named, given) if row.probe else None
    return None


def _script_of(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """`python manage.py migrate`, `php artisan migrate`: the script is the program."""
    if len(words) > 2 and re.fullmatch(r"python[\d.]*|php|ruby", words[0]):
        script = words[1].rpartition("/")[2]
        return (script, *words[2:]) if _rows(script) else None
    return None


def _target(words: Sequence[str], named: Sequence[str]) -> tuple[str, ...] | None:
    """What a cluster's command is about: its file, or a kind with a name."""
    file = flag_value(words, "-f", "--filename", "-k", "--kustomize")
    if file is not None:
        flag = "-k" if {"-k", "--kustomize"} & {word.partition("=")[0] for word in words} else "-f"
        return (flag, file) if file != "-" and safe(file) else None
    named = [word for word in named if "=" not in word]
    named = named[1:] if named[:1] == ["image"] else named
    return tuple(named[:2]) if named and all(map(safe, named[:2])) else None


def _context(row: _Row, words: Sequence[str]) -> list[str]:
    """Flags that the probe asks with (`--repo a/b`), or that say what is made: with another value, another effect."""
    found: list[str] = []
    for names in (*row.by, *_FLAG_HOLE.findall(row.probe or "")):
        flags = [name for name in names.split(",") if name.startswith("-")]
        value = flag_value(words, *flags)
        found += [flags[0], shortened(value)] if value is not None else []
    return found


def _name(row: _Row, words: Sequence[str], told: Sequence[str]) -> str:
    """A row's verb with what is `told` beside it; or all the words."""
    if row.naming == "whole":
        return " ".join(word for word in words if word not in QUIET_FLAGS)
    return " ".join([*row.verb, *told])


@cache
def by_directory() -> frozenset[str]:
    """Programs whose effect is that of the directory that they run in: a package, a stack."""
    return frozenset(str(table("actions").get("@directory", {}).get("programs", "")).split())


@cache
def _scripts() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Programs that run a script, those that run a target, and the names of scripts that go out."""
    runners, own = table("checks").get("runners", {}), table("actions").get("@scripts", {})
    texts = (runners.get("script", ""), runners.get("target", ""), own.get("names", ""))
    scripts, targets, names = (frozenset(str(text).split()) for text in texts)
    return scripts, targets, names


def _by_script(words: tuple[str, ...]) -> tuple[str, None] | None:
    """`npm run deploy`, `make release`, `./deploy.sh`: a script of the project that says that it goes out."""
    scripts, targets, names = _scripts()
    if any("dry" in word for word in words) or _SHOWS.intersection(words):
        return None
    whole = " ".join(word for word in words if word not in QUIET_FLAGS)
    if words[0] not in scripts and words[0] not in targets:
        return (whole, None) if _is_one(_file_of(words), names) else None
    if only_tells(words):
        return None
    plain = objects(words)[1:]
    if words[0] in scripts:
        plain = plain[1:2] if plain[:1] in (("run",), ("run-script",)) else ()
    return (whole, None) if any(re.split(r"[:_./-]", word, maxsplit=1)[0] in names for word in plain) else None


def _file_of(words: tuple[str, ...]) -> str:
    """The script that a command runs, without its directory: itself, or what an interpreter is given; "" for none."""
    if not _INTERPRETERS.fullmatch(words[0]):
        return words[0]
    script = next((index for index, word in enumerate(words) if index and not word.startswith("-")), 0)
    return words[script].rpartition("/")[2] if script and not _NO_FILE.intersection(words[:script]) else ""


def _is_one(script: str, names: frozenset[str]) -> bool:
    """Whether a file is called as a script that goes out: `deploy`, `deploy.sh`, `release-linux.py`."""
    match = _SCRIPT.fullmatch(script)
    return script in names or (match is not None and match["first"] in names)


def shown_done(name: str, output: str) -> bool | None:
    """Whether an output shows that an effect of that name happened (True) or failed (False); None: it does not say."""
    done, failed = _shown()
    lines = output[-_TAIL:].splitlines()
    for pattern, answer in ((_of(failed, name), False), (_of(done, name), True)):
        if pattern is not None and any(pattern.search(line) for line in lines):
            return answer
    return None


def _of(patterns: Mapping[str, re.Pattern[str]], name: str) -> re.Pattern[str] | None:
    return next((pattern for key, pattern in patterns.items() if (name + " ").startswith(key + " ")), None)


@cache
def _shown() -> tuple[Mapping[str, re.Pattern[str]], Mapping[str, re.Pattern[str]]]:
    made: list[dict[str, re.Pattern[str]]] = []
    for section in ("@done", "@failed"):
        rows = {key: sound_pattern(str(text)) for key, text in table("actions").get(section, {}).items()}
        made.append({key: pattern for key, pattern in rows.items() if pattern is not None})
    return made[0], made[1]


def probe_templates() -> tuple[str, ...]:
    """Every probe of the tables, as it is written there."""
    rows = (row.probe for program in table("actions") for row in _rows(program))
    return tuple(dict.fromkeys(probe for probe in rows if probe is not None))


def action(command: str) -> str | None:
    """A short name of the first effect outside the checkout; None where there is none."""
    return next((effect.name for effect in effects_of(command)), None)


def probe(command: str) -> tuple[str, ...] | None:
    """A read-only command that would tell whether the first effect outside happened; None where none is known."""
    return next((effect.probe for effect in effects_of(command)), None)


forgets(_rows.cache_clear)
forgets(_scripts.cache_clear)
forgets(_shown.cache_clear)
forgets(by_directory.cache_clear)
forgets(effects_of.cache_clear)
