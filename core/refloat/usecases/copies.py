"""Which sessions are copies: another one begins with the same row and holds this one's last.

Decides it by looking for the id of the last conversation row in the other's files, once for each state of that file.
Only sessions of one lineage are held against each other. Refuses to call two branches of one talk copies, and to let
a session carry what its reader left out of it as another's.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from refloat.catalogue.rows import Key, Stat
from refloat.catalogue.store import Catalogue
from refloat.model.session import SessionName
from refloat.model.story import Summary
from refloat.readers.contract import Found
from refloat.usecases.sighting import stat_of

_BLOCK: Final = 1024 * 1024


class Copies:
    """Finds the session that carries another one whole; remembers what it looked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Stat, str], bool] = {}
        self._fresh: list[tuple[str, Stat, str, bool]] = []

    def find(
        self, sessions: Sequence[tuple[Key, Found, Summary]], catalogue: Catalogue | None
    ) -> Mapping[Key, SessionName]:
        """For each session that another one carries whole, the name of that other."""
        names = {(found.agent, found.session_id) for _, found, _ in sessions}
        kin: dict[tuple[str, str], list[tuple[Key, Found, Summary]]] = {}
        found_in: dict[Key, SessionName] = {}
        for row in sessions:
            key, found, summary = row
            goes_on = summary.continued_in
            if goes_on and goes_on != found.session_id and (found.agent, goes_on) in names:
                found_in[key] = SessionName(f"{found.agent}:{goes_on}")
            if summary.lineage:
                kin.setdefault((found.agent, summary.lineage), []).append(row)
        for family in kin.values():
            if len(family) > 1:
                self._within(family, found_in, catalogue)
        if catalogue is not None and self._fresh:
            catalogue.keep_copies(self._fresh)
        self._fresh.clear()
        return found_in

    def _within(
        self,
        family: list[tuple[Key, Found, Summary]],
        found_in: dict[Key, SessionName],
        catalogue: Catalogue | None,
    ) -> None:
        # Fuller ones first, so that of two equal copies just one is left and all point to the same.
        family.sort(key=_fullness, reverse=True)
        for at, (key, found, summary) in enumerate(family):
            if key in found_in or not summary.last_row:
                continue
            for carrier_key, carrier, _ in sorted(family[:at], key=_counts_all, reverse=True):
                if carrier.session_id == found.session_id or carrier_key in found_in or _counts_without(carrier, found):
                    continue
                if self._holds(carrier, summary.last_row, catalogue):
                    found_in[key] = SessionName(f"{carrier.agent}:{carrier.session_id}")
                    break

    def _holds(self, found: Found, row: str, catalogue: Catalogue | None) -> bool:
        return any(self._file_holds(file.path, stat_of(file), row, catalogue) for file in found.files)

    def _file_holds(self, path: str, stat: Stat, row: str, catalogue: Catalogue | None) -> bool:
        known = self._known.get((path, stat, row))
        if known is None and catalogue is not None:
            known = catalogue.copy(path, stat, row)
        if known is None:
            known = _search(path, row.encode("utf-8", "surrogateescape"))
            self._fresh.append((path, stat, row, known))
        self._known[path, stat, row] = known
        return known


def _counts_all(row: tuple[Key, Found, Summary]) -> bool:
    return not row[1].relatives


def _counts_without(carrier: Found, found: Found) -> bool:
    """Whether the one was read without what it holds of the other's."""
    left_out = {file.path for file in carrier.relatives}
    return any(file.path in left_out for file in found.files)


def _fullness(row: tuple[Key, Found, Summary]) -> tuple[str, int, int, bool, str]:
    _, found, summary = row
    size = sum(file.size for file in found.files)
    return summary.last_activity_at or "", summary.steps + summary.prompts, size, not found.renamed, found.session_id


def _search(path: str, needle: bytes) -> bool:
    """Whether a file holds the bytes as a JSON string of their own."""
    needle = b'"' + needle + b'"'
    kept = b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - in blocks, whatever the size
            while block := file.read(_BLOCK):
                if needle in kept + block:
                    return True
                kept = block[-len(needle) :]
    except OSError:
        return False
    return False
