"""The quick road of `refloat list`: finished rows of the catalogue, when it is proved that nothing has changed since.

Decides whether they still hold: same home and variables, same boot, every file as it was, every repository where it
was, no process of an agent running, no activity of just now. Where only a few transcripts grew, `usecases.regrow` is
asked to have the catalogue tell it. In any doubt it says nothing, and the full road answers. While nothing changed it
imports `_sqlite3`, `binascii`, `gc`, `os` and `sys` and nothing else that costs: a test lists what it loads.
"""

import os
import sys
from collections.abc import Mapping, Sequence

from refloat.catalogue.peek import DAMAGED, NOW, SCHEMA, Finished, Gone, Peek, Told, peek, read_places, read_specs
from refloat.catalogue.repos import Repos, is_in_scope
from refloat.catalogue.walk import Row, Spec, differing, fingerprint, patched, walk
from refloat.machine.moment import ago, boot_seconds, now
from refloat.machine.table import may_carry, running_programs
from refloat.uncollected import Uncollected
from refloat.usecases.may_be_held import may_be_held
from refloat_tui.cli import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TypeVar

    _Row = TypeVar("_Row", Told, Finished)

STATES = frozenset(("live", "unresolved", "failed", "stopped", "unbound"))
_AGENTS = ("claude-code", "codex")
"""The agents whose programs `running_programs` knows: with any other one the full road must look."""
_PROGRAMS = ("claude", "codex")
_PIECE = 256
"""Sessions written at once: to lay all of many megabytes side by side takes as long as to read them."""
_RECENT = 30
"""Seconds during which a record may have a writer that nobody sees yet (design, section 3)."""
_NOW = NOW.encode()
_MASK = rows.MASK.encode()
_BOOT = 5
"""Seconds by which two readings of one boot may differ."""


class Asked:
    """The words of a call."""

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
    asked = read(words)
    directory = cache_directory(environment)
    if asked is None or not directory:
        return None
    found = peek(directory)
    if found is None:
        return None
    try:
        with Uncollected():
            pieces = _answer(found, directory, asked, environment)
    except DAMAGED as fault:
        _throw_away(directory, fault)
        return None
    finally:
        found.close()
    return None if pieces is None else _write(pieces, text=not asked.json)


def read(words: Sequence[str]) -> Asked | None:
    """What plain words of `["list", …]` ask for; None where the parser must read them."""
    asked = Asked()
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


def cache_directory(environment: Mapping[str, str]) -> str:
    """As `machine.places` finds it, for the plain cases; "" for any other."""
    home = environment.get("HOME", "")
    if not home.startswith("/"):
        return ""
    if given := environment.get("REFLOAT_CACHE_DIR"):
        return given if given.startswith("/") else ""
    base = environment.get("XDG_CACHE_HOME", "")
    return (base if base.startswith("/") else home + "/.cache") + "/refloat"


def _throw_away(directory: str, fault: Exception) -> None:
    """A catalogue that is damaged where a whole look does not read it: this road would stumble over it every time."""
    from refloat.catalogue.opening import throw_away
    from refloat.catalogue.peek import FILE
    from refloat.damage import is_damage

    if is_damage(fault):
        throw_away(f"{directory}/{FILE}")


def is_unchanged(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the last whole look still holds, so that what the catalogue tells of sessions needs no other one."""
    environment = os.environ if environment is None else environment
    directory = cache_directory(environment)
    found = peek(directory) if directory else None
    if found is None:
        return False
    try:
        notes = _notes_that_hold(found, "", environment)
        return notes is not None and _places_that_hold(notes, _newest(found.told()), Repos()) is not None
    except DAMAGED as fault:
        _throw_away(directory, fault)
        return False
    finally:
        found.close()


def _notes_that_hold(found: Peek, directory: str, environment: Mapping[str, str]) -> Mapping[str, str] | None:
    """What the last whole look noted, when no file has changed since; where some grew, and `directory` is that of the
    catalogue, what it would note now.
    """
    notes = found.notes()
    if notes.get("schema") != SCHEMA or "fingerprint" not in notes or not _same_conditions(notes, environment):
        return None
    specs = read_specs(notes["specs"])
    if any(spec[0] not in _AGENTS for spec in specs) or _any_agent_runs():
        return None
    rows, faults = walk(specs)
    seen, before = fingerprint(specs, rows, faults), patched(notes["fingerprint"], notes["since"])
    if seen == before:
        return notes
    return _regrown(directory, notes, specs, before, seen) if directory and not faults else None


def _regrown(
    directory: str, notes: Mapping[str, str], specs: Sequence[Spec], before: str, seen: str
) -> Mapping[str, str] | None:
    gone, come = differing(before, seen)
    grown = _only_grown(gone, come)
    if grown is None:
        return None
    from refloat.sparing import load_least

    load_least()
    from refloat.usecases.regrow import Change, regrow

    # `found` stays open: the writer is not the last to let go, and need not move its log into the file.
    return regrow(directory, Change(notes, specs, grown, sorted(gone), sorted(come), seen, now(), may_carry))


def _only_grown(gone: "Collection[str]", come: "Collection[str]") -> list[tuple[str, Row]] | None:
    """Transcripts that are not as they were, each with its agent; None where anything else changed too."""
    grown: list[tuple[str, Row]] = []
    for line in come:
        path, _, told = line.rpartition("\t")
        size, mtime, inode, device, head = told.split(" ")
        if head[-1:] != "t":
            return None
        grown.append((head[:-1], (path, int(size), int(mtime), int(inode), int(device))))
    paths = {row[0] for _, row in grown}
    same = paths == {line.rpartition("\t")[0] for line in gone}
    return grown if same and len(paths) == len(grown) == len(gone) else None


def _places_that_hold(notes: Mapping[str, str], newest: str, repos: Repos) -> list[tuple[str, str, str]] | None:
    """Where every directory of a session lies, when none has moved and no activity is of just now. `newest`: the last
    activity of any session, "" where there is none.
    """
    if not newest or newest > ago(_RECENT):
        return None
    places = read_places(notes["places"])
    return None if any(repos.of(path) != (repo, common) for path, repo, common in places) else places


def _newest(told: "Sequence[Told | Finished]") -> str:
    """The last activity of any of them, which are sorted by it."""
    return told[0][2] if told else ""


def _answer(found: Peek, directory: str, asked: Asked, environment: Mapping[str, str]) -> "Iterator[bytes] | None":
    """The answer in pieces; None where the full road must give it."""
    notes = _notes_that_hold(found, directory, environment)
    if notes is None:
        return None
    if may_be_held(environment):
        return None  # who is at a session stands with it
    if asked.json:
        chosen = _choose(found.told_finished(), found, notes, asked)
        return None if chosen is None else _json(*chosen)
    told = found.told()
    chosen = _choose(told, found, notes, asked)
    return None if chosen is None else _text(*chosen, environment, everywhere=asked.everywhere or not told)


def _choose(
    told: "list[_Row]", found: Peek, notes: Mapping[str, str], asked: Asked
) -> "tuple[list[_Row], list[Gone]] | None":
    """What was asked for, and the sessions whose record is gone."""
    repos = Repos()
    places = _places_that_hold(notes, _newest(told), repos)
    if places is None:
        return None
    gone = found.gone()
    if not asked.everywhere:
        if asked.cwd and not os.path.isdir(asked.cwd):  # noqa: PTH112 - pathlib is dear here
            return None  # the full road says so, where nobody worked there either
        here = os.path.realpath(asked.cwd or os.getcwd())  # noqa: PTH109 - pathlib is dear here
        repo = repos.of(here)
        inside = {path for path, *its_repo in places if is_in_scope(here, repo, path, (its_repo[0], its_repo[1]))}
        told = [row for row in told if row[4] in inside or row[5] in inside]
        gone = [row for row in gone if row[1] in inside]
    told = [row for row in told if _fits(row, asked)][: asked.limit]
    return told, [row for row in gone if not asked.agent or row[0] == asked.agent]


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


def _fits(row: Told | Finished, asked: Asked) -> bool:
    return (
        (asked.all_copies or not row[6])
        and (not asked.agent or row[1] == asked.agent)
        and (not asked.state or row[3] == asked.state)
    )


def _json(told: Sequence[Finished], gone: Sequence[Gone]) -> "Iterator[bytes]":
    at = now().encode()
    yield b'{"schema":"refloat/1","sessions":['
    for start in range(0, len(told), _PIECE):
        rows_of = b",".join([row[7] for row in told[start : start + _PIECE]])
        yield (b"," if start else b"") + rows_of.replace(_NOW, at)  # row by row it takes SQLite twice as long
    yield b'],"records_gone":[' + b",".join([row[2] for row in gone]) + b'],"problems":[]}\n'


def _text(
    told: Sequence[Told], gone: Sequence[Gone], environment: Mapping[str, str], *, everywhere: bool
) -> "Iterator[bytes]":
    lines = rows.table(
        [(row[3], row[7], row[1], row[2], row[0], row[8]) for row in told],
        len(gone),
        rows.width(environment),
        now(),
        ascii_only=rows.wants_ascii(environment),
        everywhere=everywhere,
    )
    yield ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _write(pieces: "Iterator[bytes]", *, text: bool) -> int:
    masked = 0
    try:
        for piece in pieces:
            masked += piece.count(_MASK) if text else 0
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except OSError as fault:
        # The interpreter would complain again while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            print(f"refloat: standard output cannot be written: {fault.strerror or fault}", file=sys.stderr)  # noqa: T201 - as `err.say`, without its imports
            return 3
    if masked:
        print(f"refloat: {rows.masked_words(masked)}", file=sys.stderr)  # noqa: T201 - as above
    return 0
