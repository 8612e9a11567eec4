"""Commands that verify: tests, lint, type checks, builds; and those that rewrite files.

Decides from program and verb, by the tables in `knowledge`. Refuses to count a call that only prints a version or help.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from typing import Final, Literal

from refloat.caching import cached_if
from refloat.commands.line import SHORT, read_line
from refloat.commands.options import spread
from refloat.knowledge.tables import forgets, sound_pattern, table, texts
from refloat.model.light import light
from refloat.patterns import late

Sort = Literal["test", "lint", "build"]
SORTS: Final[tuple[Sort, ...]] = ("test", "lint", "build")

_INTERPRETERS: Final = late(r"(?:python|pypy)[\d.]*|py|node|php|ruby|perl|tsx|ts-node|bun|deno|bash|sh|zsh|pwsh")
_SCRIPT_FILE: Final = late(
    r"(?:run[-_]?)?(?P<name>tests?|checks?|lint|verify|validate|build|ci|e2e|smoke|integration)"
    r"(?:[-_.]\w[\w.-]*)?\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php|ps1)|run[-_](?P<bare>tests?|checks?|lint|ci)"
    r"|\w[\w-]*[-_.](?P<file>test|spec)\.(?:rb|py|js|mjs|cjs|ts|php)"
)
"""A script of the project's own whose name says that it verifies: `./run_tests.sh`, `scripts/check.py`."""


@light
class _Knowledge:
    """The tables, as they are asked."""

    programs: Mapping[str, tuple[tuple[Sort, frozenset[str]], ...]]
    """Program → (sort, its verifying words; none: any call) of each."""
    scripts: Mapping[Sort, re.Pattern[str]]
    script_runners: frozenset[str]
    target_runners: frozenset[str]
    many: frozenset[str]
    alone: Mapping[str, frozenset[str]]
    """Program, or `flags` for all → words that alone make it tell about itself; `!-V` for none of that program's."""
    nothing: Mapping[str, frozenset[str]]
    """Program, or `flags` for all → words with which it verifies nothing."""
    untested: Mapping[str, frozenset[str]]
    """Program → words (`-x=test` for two) with which it runs no tests, and builds at most."""
    ignoring: Mapping[str, frozenset[str]]
    """Program, or `flags` for all → words with which its exit code says nothing."""
    builds: Mapping[str, frozenset[str]]
    """Program → its verifying words that build as well."""
    formatters: Mapping[str, frozenset[str]]
    fixers: Mapping[str, frozenset[str]]
    generators: Mapping[str, tuple[str, ...]]


def _set(text: object) -> frozenset[str]:
    return frozenset(str(text).split())


def _sets(rows: Mapping[str, object]) -> dict[str, frozenset[str]]:
    return {name: _set(words) for name, words in rows.items()}


@cache
def _knowledge() -> _Knowledge:
    checks, writers = table("checks"), table("formatters")
    programs: dict[str, tuple[tuple[Sort, frozenset[str]], ...]] = {}
    for sort in SORTS:
        for program, verbs in checks.get(sort, {}).items():
            programs[program] = (*programs.get(program, ()), (sort, _set(verbs)))
    runners = checks.get("runners", {})
    return _Knowledge(
        programs,
        {sort: _scripts(str(checks["scripts"].get(sort, ""))) for sort in SORTS},
        _set(runners.get("script", "")),
        _set(runners.get("target", "")),
        _set(runners.get("many", "")),
        _sets(checks.get("alone", {})),
        _sets(checks.get("nothing", {})),
        _sets(checks.get("untested", {})),
        _sets(checks.get("ignoring", {})),
        {name: _set(row.get("build", "")) for name, value in checks.get("also", {}).items() if (row := texts(value))},
        {program: _set(flags) for program, flags in writers.get("formatters", {}).items()},
        {program: _set(flags) for program, flags in writers.get("fixers", {}).items()},
        {program: tuple(str(files).split()) for program, files in writers.get("generators", {}).items()},
    )


def _scripts(patterns: str) -> re.Pattern[str]:
    """Names of scripts of a sort; a person's own pattern that is none is left out."""
    sound = [pattern for pattern in patterns.split() if sound_pattern(pattern) is not None]
    return re.compile(f"(?:{'|'.join(sound) or '(?!)'})(?:[:_./-].*)?")


def is_check(words: Sequence[str]) -> bool:
    """Whether a simple command verifies."""
    return sort_of(tuple(words)) is not None


def _is_short(words: tuple[str, ...]) -> bool:
    return sum(map(len, words)) <= SHORT


@cached_if(_is_short, 16_384)
def sort_of(words: tuple[str, ...]) -> Sort | None:
    """What a simple command verifies: tests, style and types (`lint`), or that it builds; None: it does not verify."""
    rest = words[1:]
    if (only_tells(words) and not _looks(words)) or _asks_about_it(words):
        return None
    if formatter_of(words) is not None:
        return "lint" if _looks(words) else None
    sort = _by_table(words) or _by_script(words) or _by_file(words)
    if sort == "test" and untested(words):
        return "build" if _knowledge().builds.get(words[0], frozenset()).intersection(rest) else None
    return sort


def _asks_about_it(words: Sequence[str]) -> bool:
    """Whether a program's only word asks it for its version or its help."""
    known = _knowledge().alone
    own, told = known.get(words[0], frozenset()), " ".join(words[1:])
    return told in own or (told in known.get("flags", frozenset()) and f"!{told}" not in own)


def only_tells(words: Sequence[str]) -> bool:
    """Whether a program is told to list, plan or print what it would do."""
    known = _knowledge()
    own, rest = known.nothing.get(words[0], frozenset()), spread(words)[1:]
    if known.nothing.get("flags", frozenset()).intersection(rest) or any(
        word in own or word.partition("=")[0] in own for word in rest if word.startswith("-")
    ):
        return True
    plain = [word for word in rest if not word.startswith("-")]
    verb = any(plain[:1] and plain[0] in verbs for _, verbs in known.programs.get(words[0], ()))
    return bool(own.intersection(plain[1:2] if verb else plain[:1]))


def untested(words: Sequence[str]) -> bool:
    """Whether a program is told to leave its tests out: `mvn verify -DskipTests`, `cargo test --no-run`."""
    own = _knowledge().untested.get(words[0], frozenset())
    given = {*words[1:], *(f"{flag}={value}" for flag, value in pairwise(words[1:]) if flag.startswith("-"))}
    return bool(own & given)


def ignores(words: Sequence[str]) -> str | None:
    """The flag with which a check's exit code says nothing of what it found (`--exit-zero`); None: there is none."""
    known = _knowledge().ignoring
    flags = known.get("flags", frozenset()) | known.get(words[0], frozenset())
    return next((word for word in words[1:] if word in flags), None)


def verifies(program: str) -> frozenset[Sort]:
    """The sorts of check that the table knows a program for; empty for one that runs a project's own scripts."""
    known = _knowledge()
    if program in known.script_runners or program in known.target_runners:
        return frozenset()
    return frozenset(sort for sort, _ in known.programs.get(program, ()))


def _by_table(words: tuple[str, ...]) -> Sort | None:
    known = _knowledge()
    for size in (2, 1):
        program, rest = " ".join(words[:size]), words[size:]
        for sort, verbs in known.programs.get(program, ()) if len(words) >= size else ():
            if not verbs or _names_one(program, rest, verbs):
                return sort
    return None


def _names_one(program: str, rest: Sequence[str], verbs: frozenset[str]) -> bool:
    flags = [word for word in rest if word.startswith("-")]
    plain = [word for word in rest if not word.startswith("-")]
    if verbs.intersection(flags) or verbs.intersection(word.partition("=")[0] for word in flags):
        return True
    if program in _knowledge().many:
        named = (word.split(maxsplit=1)[0] for word in plain[:8] if word.strip())  # sbt takes "testOnly a.B"
        return any(word in verbs or re.split(r"[:.]", word)[-1] in verbs for word in named)
    return bool(plain) and plain[0] in verbs


def _by_script(words: tuple[str, ...]) -> Sort | None:
    """`npm run lint`, `make check`: by the name of the script or target."""
    known = _knowledge()
    plain = [word for word in words[1:] if not word.startswith("-")]
    if words[0] in known.script_runners:
        run = plain[:1] in (["run"], ["run-script"])
        plain = plain[1:] if run else plain[2:] if plain[:1] == ["workspace"] else plain
        if not plain:
            return None
        if words[0] == "npm" and not run:
            return "test" if plain[0] in {"test", "t", "tst"} else None
        named = _named(plain[0])
        return named or (sort_of(words[words.index(plain[0]) :]) if words[0] != "npm" else None)
    if words[0] in known.target_runners:
        return next((sort for word in plain if (sort := _named(word))), None)
    return None


def _named(name: str) -> Sort | None:
    return next((sort for sort, pattern in _knowledge().scripts.items() if pattern.fullmatch(name)), None)


def _by_file(words: tuple[str, ...]) -> Sort | None:
    """`./run_tests.sh`, `python manage.py test`, `node node_modules/.bin/jest`."""
    if found := _SCRIPT_FILE.fullmatch(words[0]):
        return _named(found["name"] or found["bare"] or found["file"])
    if not _INTERPRETERS.fullmatch(words[0]):
        return None
    script = next((index for index, word in enumerate(words[1:], start=1) if not word.startswith("-")), None)
    if script is None or "-c" in words[1:script] or "-e" in words[1:script]:
        return None
    return sort_of((words[script].rpartition("/")[2], *words[script + 1 :]))


def _is_short_line(command: str) -> bool:
    return len(command) <= SHORT


@cached_if(_is_short_line, 16_384)
def check_of(command: str) -> str | None:
    """The verifying part of a command in one line, the same for the same check; None where it has none."""
    return next((" ".join(part.words) for part in read_line(command) if is_check(part.words)), None)


def sort_of_check(command: str) -> Sort | None:
    """What the first check of a command line verifies; None where there is none."""
    return next((sort for part in read_line(command) if (sort := sort_of(part.words)) is not None), None)


# ── what rewrites files ──────────────────────────────────────────────────────────────────────────────────────────────


def formatter_of(words: Sequence[str]) -> str | None:
    """The formatter that a simple command calls, as the table names it; None for anything else."""
    known = _knowledge().formatters
    words = _through(words)
    for size in (2, 1):
        name = " ".join(words[:size])
        if len(words) >= size and name in known:
            return name
    return None


def _through(words: Sequence[str]) -> Sequence[str]:
    """What a project's script runner runs: `yarn prettier`, `pdm run black`."""
    if words and words[0] in _knowledge().script_runners and words[0] != "npm":
        return words[2:] if words[1:2] == ("run",) else words[1:]
    return words


def _looks(words: Sequence[str]) -> bool:
    """Whether a formatter is told only to look, in the table's terms (`!-w`: it looks unless `-w` is given)."""
    name = formatter_of(words)
    if name is None:
        return False
    flags = _knowledge().formatters[name]
    given = set(words) | {word.partition("=")[0] for word in words}
    writing = {flag[1:] for flag in flags if flag.startswith("!")}
    if writing:
        return not writing & given or bool(flags & given)
    return bool(flags & given)


def rewrites(words: Sequence[str]) -> bool:
    """Whether a formatter, or a check that was told to mend, writes files."""
    if formatter_of(words) is not None:
        return not _looks(words)
    flags = _knowledge().fixers.get(words[0], frozenset())
    return bool(flags.intersection(words[1:]) or flags.intersection(word.partition("=")[0] for word in words[1:]))


def formats(command: str) -> str | None:
    """The formatter of a command line that writes (`black`, `eslint`); None where none does."""
    for part in read_line(command):
        if rewrites(part.words):
            return formatter_of(part.words) or part.words[0]
    return None


def generates(command: str, path: str) -> bool:
    """Whether a command line runs a generator that the table knows to write files of that name."""
    name = path.rpartition("/")[2]
    known = _knowledge().generators
    for part in read_line(command):
        for size in (2, 1):
            files = known.get(" ".join(part.words[:size]), ()) if len(part.words) >= size else ()
            if any(fnmatchcase(name, file) for file in files):
                return True
    return False


forgets(_knowledge.cache_clear)
forgets(sort_of.cache_clear)
forgets(check_of.cache_clear)
