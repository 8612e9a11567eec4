"""Keeps a whole look in the catalogue, so that the next list needs neither readers nor a look of its own.

Decides whether the quick road may answer from it: only when everything was read and could be kept, no process of an
agent ran, and no verdict rests on something that passes by itself. What is kept is finished JSON, masked and escaped;
a session told before and unchanged is not masked and written again.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # see `catalogue.store`
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from refloat import wire
from refloat.brief.masks import Masker
from refloat.catalogue.peek import NOW, Gone, write_places, write_specs
from refloat.catalogue.rows import Alone, Key, Told
from refloat.catalogue.store import Catalogue
from refloat.model.session import RecordGone, Session, SessionName
from refloat.model.stamp import Stamp, seconds_of
from refloat.text import cut, one_line
from refloat.usecases.judging import Judge, is_settled
from refloat.usecases.masking import mask, mask_each
from refloat.usecases.sessions import TITLE, Surroundings, listed_title
from refloat.usecases.sighting import Sighting, lost_files

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.attempts import InChain

_LIVE: Final = ("state", "activity", "failure")
_BACK: Final = "turns"
"""The first key behind `liveness`."""
_TOGETHER: Final = 256
"""Sessions that are masked with one look at all of them."""
_Marked = tuple[Key, Session, "InChain | None", str]
"""(key, session, its chain, mark)"""


def keep_listing(
    catalogue: Catalogue,
    sighting: Sighting,
    sessions: Mapping[Key, Session],
    gone: Sequence[RecordGone],
    *,
    chains: Mapping[SessionName, InChain],
    surroundings: Surroundings,
    judge: Judge,
    home: Path,
    alone: Callable[[], Mapping[str, Alone]],
    trusted: bool,
) -> Sequence[Key]:
    """Keep what a look found; which sessions are proved to be gone.

    `alone` gives the files whose growth concerns one session each. `trusted`: nothing was left unread, and all that was
    read could be kept.
    """
    lasting = trusted and not sighting.is_of_here and not judge.any_agent_runs
    quiet = lasting and all(is_settled(each.liveness) for each in sessions.values())
    notes, others = dict[str, str](), dict[str, Alone | None]()
    if quiet:
        notes = _notes(sighting, judge, home) | {"places": _places(sessions.values(), gone, surroundings)}
        others = _differing(catalogue.alone(), alone())
    if chains:
        from refloat.catalogue.chains import NOTE, write_chains

        notes[NOTE] = write_chains(chains)
    kept, known = catalogue.marks(), catalogue.notes()
    new = _changed(sessions, kept, chains, surroundings, judge.at)
    unlisted = [key for key, (_, listed) in kept.items() if listed and key not in sessions]
    lost = lost_files(sighting, catalogue.known_files())
    same = notes == {name: value for name, value in known.items() if name != "schema"}
    if new or unlisted or lost or others or not same:
        rows = [_tell_gone(row, surroundings) for row in gone]
        batches = (new[start : start + _TOGETHER] for start in range(0, len(new), _TOGETHER))
        told = chain.from_iterable(_tell(batch, judge.at, surroundings) for batch in batches)
        catalogue.finish(told, unlisted, rows, notes, alone=others, forget=lost)
    return [key for key in kept if key[2] in lost] if lost else []


def _changed(
    sessions: Mapping[Key, Session],
    kept: Mapping[Key, tuple[str, bool]],
    chains: Mapping[SessionName, InChain],
    surroundings: Surroundings,
    at: Stamp,
) -> Sequence[_Marked]:
    """Sessions to be told anew."""
    new: list[_Marked] = []
    for key, session in sessions.items():
        linked = chains.get(session.name)
        mark = _mark(session, surroundings, linked, at)
        if kept.get(key) != (mark, True):
            new.append((key, session, linked, mark))
    return new


def _differing(kept: Mapping[str, Alone], now: Mapping[str, Alone]) -> dict[str, Alone | None]:
    changed: dict[str, Alone | None] = {path: row for path, row in now.items() if kept.get(path) != row}
    return changed | {path: None for path in kept if path not in now}


def _places(sessions: Collection[Session], gone: Sequence[RecordGone], surroundings: Surroundings) -> str:
    """Where the sessions worked, and in which repository each place lies."""
    directories = {row.workspace for row in (*sessions, *gone)} | {row.worktree for row in sessions}
    places = [surroundings.place(directory) for directory in directories]
    return write_places((place.path, *place.repo) for place in places)


def _notes(sighting: Sighting, judge: Judge, home: Path) -> dict[str, str]:
    asked = sighting.variables.items()
    return {
        "home": str(home),
        "variables": "\n".join(name if value is None else f"{name}\t{value}" for name, value in sorted(asked)),
        "specs": write_specs(sighting.specs),
        "fingerprint": sighting.fingerprint,
        "mark": mark_of(sighting.fingerprint),
        "since": "",
        "boot": "" if judge.boot is None else str(int(seconds_of(judge.boot))),
        "booted": judge.boot or "",
    }


def mark_of(fingerprint: str) -> str:
    """A short text that is another one for another fingerprint."""
    return blake2b(fingerprint.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _mark(session: Session, surroundings: Surroundings, linked: InChain | None, at: Stamp) -> str:
    """Changes when anything that is told does, the moment of the look apart."""
    places = surroundings.place(session.workspace), surroundings.place(session.worktree)
    told = repr((session, *places, linked)).replace(at, NOW)
    return blake2b(told.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _live(document: wire.Document, at: Stamp) -> str:
    state = _json({key: document[key] for key in _LIVE})
    liveness = _json(document["liveness"])
    return f'{state[1:-1]},"liveness":{liveness}'.replace(f'"at":"{at}"', f'"at":"{NOW}"')


def tell_alone(key: Key, session: Session, at: Stamp, surroundings: Surroundings) -> Told:
    """A session as the catalogue keeps it, which stands in no chain of attempts."""
    return _tell([(key, session, None, _mark(session, surroundings, None, at))], at, surroundings)[0]


def _tell(sessions: Sequence[_Marked], at: Stamp, surroundings: Surroundings) -> list[Told]:
    # Masked as a whole: a secret found in one place is masked in every one.
    masked = mask_each([_shown(session) for _, session, *_ in sessions])
    return [_told(each, *shown, at, surroundings) for each, shown in zip(sessions, masked, strict=True)]


def _shown(session: Session) -> tuple[wire.Document, str, str]:
    folder = os.path.basename(session.workspace or "")  # noqa: PTH119 - a foreign style stays as it is
    return wire.session(session), session.title, folder


def _told(
    marked: _Marked, document: wire.Document, title: str, folder: str, at: Stamp, surroundings: Surroundings
) -> Told:
    key, session, linked, mark = marked
    names = list(document)
    front = {name: document[name] for name in names[: names.index(_LIVE[0])]}
    back = {name: document[name] for name in names[names.index(_BACK) :]}
    return Told(
        key=key,
        mark=mark,
        superseded=session.superseded_by is not None,
        last_activity=session.last_activity_at or "",
        state=session.state,
        place=surroundings.place(session.workspace).path,
        worktree=surroundings.place(session.worktree).path,
        title=cut(listed_title(title, linked, repaired=session.repaired), TITLE),
        folder=one_line(folder),
        finished=f"{_json(front)[:-1]},{_live(document, at)},{_json(back)[1:]}",
    )


def _tell_gone(row: RecordGone, surroundings: Surroundings) -> Gone:
    return row.agent, surroundings.place(row.workspace).path, _json(mask(wire.record_gone(row))).encode()


def _json(masked: object) -> str:
    return wire.dump(masked, masker=Masker(enabled=False)).rstrip("\n")
