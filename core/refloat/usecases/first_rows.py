"""The rows of a list that fit on a screen, straight from the catalogue: what is painted before anything is looked at.

Decides which those are, in the order in which the desk shows them. Refuses to look at the disk otherwise, to wait and
to judge: it all is provisional, and a look that follows says what is so now. Loads no reader.
"""

from collections.abc import Mapping
from typing import cast

import orjson

from refloat.catalogue.chains import NOTE, read_chains
from refloat.catalogue.peek import DAMAGED, NOW, SCHEMA, Peek, Placed, peek, read_places
from refloat.catalogue.repos import Repos
from refloat.model.attempts import InChain, rank_of
from refloat.model.light import light
from refloat.model.session import Session, SessionName, State
from refloat.model.stamp import Stamp
from refloat.ports import Places
from refloat.usecases.batch import Batch
from refloat.wire.reading import read_session


@light
class FirstRows:
    """The first rows, and the group that stands on top."""

    batch: Batch
    group: str


def first_rows(places: Places, now: Stamp, here: str, rows: int) -> FirstRows | None:
    """At most so many sessions, those of the repository or directory `here` (a real path) first; None where there is no
    catalogue that can be read so. Their number in all is the batch's `total`.
    """
    found = peek(str(places.cache))
    if found is None:
        return None
    try:
        return _first_rows(found, now, here, rows)
    except DAMAGED:
        return None
    finally:
        found.close()


def _first_rows(found: Peek, now: Stamp, here: str, rows: int) -> FirstRows | None:
    notes = found.notes()
    if notes.get("schema") != SCHEMA:
        return None
    repos = {path: repo for path, repo, _ in read_places(notes.get("places", ""))}
    home = repos.get(here) or Repos().of(here)[0] or here
    told = found.placed()
    chains = read_chains(notes.get(NOTE, ""))
    wanted = _in_order(told, repos, home, chains, rows)[:rows]
    texts = found.finished([(row[1], row[0]) for row in wanted])
    documents = [orjson.loads(text.replace(NOW.encode(), now.encode())) for text in texts]
    sessions = tuple(_session(document) for document in documents)
    return FirstRows(Batch(sessions, provisional=True, total=len(told), chains=chains), home) if sessions else None


def _session(document: object) -> Session:
    return read_session(cast("Mapping[str, object]", document))  # what it lacks it says


def _in_order(
    told: list[Placed], repos: Mapping[str, str], home: str, chains: Mapping[SessionName, InChain], least: int
) -> list[Placed]:
    """At least so many, as the desk shows them: the group of this place, then by newest activity; in each what is
    broken first.
    """

    def rank(row: Placed) -> int:
        return rank_of(State(row[2]), chains.get(SessionName(f"{row[1]}:{row[0]}")))

    groups: dict[str, list[Placed]] = {}
    for row in told:
        groups.setdefault(repos.get(row[3]) or row[3], []).append(row)
    ordered: list[Placed] = []
    for name in sorted(groups, key=lambda name: name != home):
        if len(ordered) >= least:
            break
        ordered += sorted(groups[name], key=rank)
    return ordered
