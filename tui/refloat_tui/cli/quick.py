"""The quick road of `refloat list`: finished rows of the catalogue, when it is proved that nothing has changed since.

Decides whether they still hold: same home and variables, same boot, every file as it was, every repository where it
was, no process of an agent running, no activity of just now. In any doubt it says nothing, and the full road answers.
Imports `_sqlite3`, `gc`, `os` and `sys` and nothing else that costs: a test lists the modules that it loads.
"""

import _sqlite3
import gc
import os
import sys
from collections.abc import Mapping, Sequence

from refloat.catalogue.peek import NOW, Gone, Peek, Told, peek, read_places, read_specs
from refloat.catalogue.repos import Repos, is_in_scope
from refloat.catalogue.walk import Spec, fingerprint, walk
from refloat.machine.moment import ago, boot_seconds, now
from refloat.machine.table import running_programs
from refloat_tui.cli import rows

STATES = frozenset(("live", "unresolved", "failed", "stopped", "unbound"))
_AGENTS = ("claude-code", "codex")
"""The agents whose programs `running_programs` knows: with any other one the full road must look."""
_PROGRAMS = ("claude", "codex")
_RECENT = 30
"""Seconds during which a record may have a writer that nobody sees yet (design, section 3)."""
_BOOT = 5
"""Seconds by which two readings of one boot may differ."""


class _Asked:
    """The words of the call."""

    def __init__(self) -> None:
        self.everywhere = False
        self.cwd = ""
        self.agent = ""
        self.state = ""
        self.limit: int | None = None
        self.all_copies = False
        self.json = False


def answer(words: Sequence[str], environment: Mapping[str, str] | None = None) -> int | None:
    """Answer `["list", …]` on standard output and return 0, or None where the full road must answer.

    Nothing was written when it returns None.
    """
    environment = os.environ if environment is None else environment
    asked = _read_words(words)
    directory = _cache_directory(environment)
    if asked is None or not directory:
        return None
    found = peek(directory)
    if found is None:
        return None
    gc.disable()  # thousands of rows and no cycle among them
    try:
        text = _answer(found, asked, environment)
    except (_sqlite3.Error, OSError, ValueError, KeyError, TypeError):  # damaged, or of another form
        return None
    finally:
        gc.enable()
        found.close()
    if text is None:
        return None
    return _write(text)


def _read_words(words: Sequence[str]) -> _Asked | None:
    asked = _Asked()
    rest = list(words[1:])
    while rest:
        word, sign, value = rest.pop(0).partition("=")
        if word in {"--all", "--all-copies", "--json"} and not sign:
            asked.everywhere |= word == "--all"
            asked.all_copies |= word == "--all-copies"
            asked.json |= word == "--json"
            continue
        if word not in {"--cwd", "--agent", "--state", "--limit"}:
            return None
        if not sign:
            if not rest:
                return None
            value = rest.pop(0)
        if word == "--cwd":
            asked.cwd = value
        elif word == "--agent":
            asked.agent = value
        elif word == "--state":
            asked.state = value
        elif value.isdecimal() and value.isascii() and int(value) > 0:
            asked.limit = int(value)
        else:
            return None
    if (asked.state and asked.state not in STATES) or (asked.agent and asked.agent not in _AGENTS):
        return None
    return None if asked.everywhere and asked.cwd else asked


def _cache_directory(environment: Mapping[str, str]) -> str:
    """As `machine.places` finds it, for the plain cases; "" for any other."""
    home = environment.get("HOME", "")
    if not home.startswith("/"):
        return ""
    if given := environment.get("REFLOAT_CACHE_DIR"):
        return given if given.startswith("/") else ""
    base = environment.get("XDG_CACHE_HOME", "")
    return (base if base.startswith("/") else home + "/.cache") + "/refloat"


def is_unchanged(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the last whole look still holds, so that what the catalogue tells of sessions needs no other one."""
    environment = os.environ if environment is None else environment
    directory = _cache_directory(environment)
    found = peek(directory) if directory else None
    if found is None:
        return False
    try:
        return _places_if_unchanged(found, found.told(finished=False), Repos(), environment) is not None
    except (_sqlite3.Error, OSError, ValueError, KeyError, TypeError):
        return False
    finally:
        found.close()


def _places_if_unchanged(
    found: Peek, told: Sequence[Told], repos: Repos, environment: Mapping[str, str]
) -> list[tuple[str, str, str]] | None:
    """Where every directory of a session lies, when nothing has changed since the last whole look."""
    notes = found.notes()
    if "fingerprint" not in notes or not _same_conditions(notes, environment):
        return None
    specs = read_specs(notes["specs"])
    if any(spec[0] not in _AGENTS for spec in specs) or _any_agent_runs() or not _same_files(notes, specs):
        return None
    if not told or told[0][2] > ago(_RECENT):
        return None
    places = read_places(notes["places"])
    return None if any(repos.of(path) != (repo, common) for path, repo, common in places) else places


def _answer(found: Peek, asked: _Asked, environment: Mapping[str, str]) -> str | None:
    repos, told = Repos(), found.told(finished=asked.json)
    places = _places_if_unchanged(found, told, repos, environment)
    if places is None:
        return None
    gone = found.gone()
    if not asked.everywhere:
        here = os.path.realpath(asked.cwd or os.getcwd())  # noqa: PTH109 - pathlib is dear here
        repo = repos.of(here)
        inside = {path for path, *its_repo in places if is_in_scope(here, repo, path, (its_repo[0], its_repo[1]))}
        told = [row for row in told if row[4] in inside or row[5] in inside]
        gone = [row for row in gone if row[1] in inside]
    told = [row for row in told if _fits(row, asked)][: asked.limit]
    gone = [row for row in gone if not asked.agent or row[0] == asked.agent]
    return _json(told, gone) if asked.json else _text(told, gone, asked, environment)


def _same_conditions(notes: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    if notes["home"] != environment.get("HOME", "").rstrip("/"):
        return False
    for line in notes["variables"].split("\n") if notes["variables"] else ():
        name, sign, value = line.partition("\t")
        if environment.get(name) != (value if sign else None):
            return False
    boot = boot_seconds()
    return boot is not None and notes["boot"] != "" and abs(boot - int(notes["boot"])) <= _BOOT


def _any_agent_runs() -> bool:
    for _, name, argv in running_programs():
        if name in _PROGRAMS or not argv or any(program in word for word in argv for program in _PROGRAMS):
            return True
    return False


def _same_files(notes: Mapping[str, str], specs: Sequence[Spec]) -> bool:
    found, faults = walk(specs)
    return not faults and fingerprint(specs, found, faults) == notes["fingerprint"]


def _fits(row: Told, asked: _Asked) -> bool:
    return (
        (asked.all_copies or not row[6])
        and (not asked.agent or row[1] == asked.agent)
        and (not asked.state or row[3] == asked.state)
    )


def _json(told: Sequence[Told], gone: Sequence[Gone]) -> str:
    sessions = ",".join([row[7] for row in told]).replace(NOW, now())
    records = ",".join([row[2] for row in gone])
    return f'{{"schema":"refloat/1","sessions":[{sessions}],"records_gone":[{records}],"problems":[]}}\n'


def _text(told: Sequence[Told], gone: Sequence[Gone], asked: _Asked, environment: Mapping[str, str]) -> str:
    lines = rows.table(
        [(row[3], row[7], row[1], row[2], row[0], row[8]) for row in told],
        len(gone),
        rows.width(environment),
        now(),
        ascii_only=rows.wants_ascii(environment),
        everywhere=asked.everywhere,
    )
    return "\n".join(lines) + "\n"


def _write(text: str) -> int:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except OSError as fault:
        # The interpreter would complain again while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            print(f"refloat: standard output cannot be written: {fault.strerror or fault}", file=sys.stderr)  # noqa: T201 - as `err.say`, without its imports
            return 2
    return 0
