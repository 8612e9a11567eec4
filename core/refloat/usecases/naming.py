"""Which session a person means by a word: an id, a unique prefix, `agent:id`, `last`, or a path from anywhere.

Decides on exactly one or says which ones are near. Opens no transcript to compare names; only a path is recognised by
content.
"""

import os
import shlex
import stat
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from refloat.catalogue.store import Catalogue
from refloat.errors import NoSuchSession, Unreadable, UsageError
from refloat.model.problem import only_unread
from refloat.model.session import SessionName
from refloat.readers.contract import Found, Reader, SourceFile
from refloat.there import is_there
from refloat.usecases.batch import Scope
from refloat.usecases.finder import Finder
from refloat.usecases.located import Located
from refloat.usecases.sighting import Sighting, newest_of
from refloat.usecases.workbench import Workbench

_NEAR: Final = 3
_LIKE: Final = 0.6
"""How alike an id must be to come before a title that fits."""

_LONGEST: Final = 200
"""Characters that are compared with ids and titles, which takes as long as the square of them."""

_Pair = tuple[Reader, Found]


def find_named(finder: Finder, bench: Workbench, ref: str, cwd: Path) -> Located:
    """The one session that `ref` means. Raises as `find_sessions.resolve` says."""
    if not ref.strip():
        raise UsageError("an empty word names no session: `last`, an id, or a path does")
    if ref == "last":
        return _find_last(finder, bench, cwd)
    sighting = finder.sight()
    found = sighting.found
    if _looks_like_path(ref) or not (fitting := _by_name(found, ref)):
        path = Path(os.path.expanduser(ref))  # noqa: PTH111 - no error for a user whom nobody knows
        path = path if path.is_absolute() else cwd / path
        if _looks_like_path(ref) or is_there(path):
            return finder.locate(*_by_path(bench, found, ref, path))
        raise NoSuchSession(ref, _nearest(bench, found, ref), some=bool(found), unread=_unread(sighting))
    names = sorted({_name(each) for _, each in fitting})
    if len(names) > 1:
        raise NoSuchSession(ref, names[:_NEAR], ambiguous=True)
    return finder.locate(*max(fitting, key=lambda pair: newest_of(pair[1])))


def _find_last(finder: Finder, bench: Workbench, cwd: Path) -> Located:
    listed = finder.find(Scope(cwd=cwd, limit=1)).sessions
    if not listed:
        sighting = finder.sight()
        near = _nearest(bench, sighting.found, "")
        raise NoSuchSession("last", near, some=bool(sighting.found), unread=_unread(sighting))
    wanted = listed[0].name
    return finder.locate(*next(pair for pair in finder.sight().found if _name(pair[1]) == wanted))


def _unread(sighting: Sighting) -> str:
    """The first thing that could not be looked into; "" where all could."""
    return next((f"{problem.path} {problem.what}" for problem in only_unread(sighting.problems)), "")


def _name(found: Found) -> SessionName:
    return SessionName(f"{found.agent}:{found.session_id}")


def _looks_like_path(ref: str) -> bool:
    return "/" in ref or ref in {".", ".."} or ref.startswith("~") or ref.endswith(".jsonl")


# ── by name ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _by_name(found: Iterable[_Pair], ref: str) -> list[_Pair]:
    agent, colon, word = ref.partition(":")
    pairs = list(found)
    if colon and any(reader.agent == agent for reader, _ in pairs):
        pairs = [pair for pair in pairs if pair[1].agent == agent]
    else:
        word = ref
    if not word:
        return []
    whole = [pair for pair in pairs if pair[1].session_id == word]
    return whole or [pair for pair in pairs if pair[1].session_id.startswith(word)]


def _nearest(bench: Workbench, found: Sequence[_Pair], ref: str) -> list[SessionName]:
    """At most three names: those with a like id, then those with a fitting title. No word at all: the newest."""
    word = ref.rpartition(":")[2].lower()[:_LONGEST]
    newest = sorted(found, key=lambda pair: newest_of(pair[1]), reverse=True)
    scores = {_name(each): _likeness(word, each.session_id.lower()) for _, each in newest}
    by_id = sorted(scores, key=lambda name: scores[name], reverse=True)
    near = [name for name in by_id if scores[name] >= _LIKE][:_NEAR]
    if len(near) < _NEAR:
        near += [name for name in _by_title(bench, word) if name in scores]
    return list(dict.fromkeys(near if word else by_id))[:_NEAR]


def _likeness(word: str, session_id: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, word, session_id[: max(len(word), 1)], autojunk=False).ratio()


def _by_title(bench: Workbench, word: str) -> list[SessionName]:
    catalogue = Catalogue.open(bench.machine.places.cache) if word else None
    if catalogue is None:
        return []
    with catalogue:
        titles = {SessionName(f"{agent}:{session}"): title.lower() for agent, session, title in catalogue.titles()}
    holding = [name for name, title in titles.items() if word in title]
    from difflib import get_close_matches

    alike = get_close_matches(word, titles.values(), _NEAR, _LIKE)
    return [*holding, *(name for name, title in titles.items() if title in alike)]


# ── by path ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _by_path(bench: Workbench, found: Sequence[_Pair], ref: str, path: Path) -> _Pair:
    if "\0" in ref:
        raise UsageError(f"{ref} is no path: it holds a zero byte")
    real = os.path.realpath(path)
    inside = [pair for pair in found if str(path) in _paths(pair[1]) or real in _paths(pair[1])]
    if inside:
        return max(inside, key=lambda pair: newest_of(pair[1]))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            next(path.iterdir(), None)
        elif stat.S_ISREG(mode):
            path.open("rb").close()
        else:
            raise UsageError(f"{path} is neither a file nor a directory")
    except FileNotFoundError:
        raise NoSuchSession(ref) from None
    except OSError as fault:
        raise Unreadable(f"{path} cannot be read: {fault.strerror or fault}") from fault
    below = _below(bench, found, real) if stat.S_ISDIR(mode) else []
    if len(names := list(dict.fromkeys(_name(each) for _, each in below))) > 1:
        raise NoSuchSession(ref, names[:_NEAR], ambiguous=True)
    own = {file for _, each in found for file in _paths(each)}
    pairs = below or [pair for reader in bench.readers for pair in _recognised(reader, Path(real), own)]
    if not pairs:
        raise UsageError(_no_transcript(bench, path, is_directory=stat.S_ISDIR(mode)))
    if len({_name(each) for _, each in pairs}) > 1:
        raise NoSuchSession(ref, [min(_paths(each)) for _, each in pairs[:_NEAR]], ambiguous=True)
    return pairs[0]


def _below(bench: Workbench, found: Sequence[_Pair], real: str) -> list[_Pair]:
    """Of a directory of an agent's own: the sessions in it, newest first. What was found is not sought again."""
    places = bench.machine.places
    walks = [walk for reader in bench.readers for walk in reader.walks(places.home, places.environment)]
    roots = [os.path.realpath(walk.root) for walk in walks if walk.holds == "transcripts"]
    if not any(os.path.dirname(root) == real or Path(real).is_relative_to(root) for root in roots):  # noqa: PTH120
        return []
    here = os.path.join(real, "")  # noqa: PTH118 - of a text
    held = [pair for pair in found if any(os.path.realpath(path).startswith(here) for path in _paths(pair[1]))]
    return sorted(held, key=lambda pair: newest_of(pair[1]), reverse=True)


def _no_transcript(bench: Workbench, path: Path, *, is_directory: bool) -> str:
    kind = f"an agent that can be read ({', '.join(reader.agent for reader in bench.readers)})"
    if not is_directory:
        return f"{path} is no transcript of {kind}"
    listing = f"`refloat list --cwd {shlex.quote(str(path))}`"
    return f"{path} is a directory with no transcript of {kind}; {listing} shows the sessions that worked there"


def _paths(found: Found) -> frozenset[str]:
    parts = [*found.segments, *(segment for sub in found.subagents for segment in sub.segments)]
    return frozenset(segment.file.path for segment in parts)


def _from_outside(found: Found) -> Found:
    """A session that an agent does not know by itself, under the id that its rows name, however its file is called."""
    return replace(found, by_path=True, session_id=found.renamed or found.session_id)


def _recognised(reader: Reader, path: Path, own: Collection[str]) -> list[_Pair]:
    """Sessions of an agent that a file or directory from anywhere holds, newest first."""
    files: Sequence[SourceFile] = reader.recognise(path) or ()
    grouped = reader.group([(file, reader.identify(file)) for file in files]) if files else ()
    pairs = [(reader, each if _paths(each) <= set(own) else _from_outside(each)) for each in grouped]
    pairs = [pair for pair in pairs if _paths(pair[1])]
    return sorted(pairs, key=lambda pair: newest_of(pair[1]), reverse=True)
