"""Who made a dirty place: found by text, and by time only where no text speaks.

Pure. A hunk belongs to a session when its record holds the lines that the hunk adds and what they replaced. Refuses to
round unknown to anybody.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from refloat.checkout.compare import Comparison
from refloat.checkout.fold import Folded
from refloat.checkout.lines import bare, tells
from refloat.checkout.pieces import FOREIGN
from refloat.checkout.porcelain import DiffHunk
from refloat.model.checkout import DirtyHunk, FileState, Owner
from refloat.model.light import light
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp

_FARTHEST: Final = 200
"""How many lines a hunk is moved up or down to look whether it is the same change told at another place."""


@light
class Witness:
    """What one session's record says of one file, held against the file as it is."""

    session: SessionName
    own: bool
    folded: Folded
    comparison: Comparison
    earlier: AbstractSet[str] = frozenset()
    """Those of `earliest` that HEAD does not have: the dirt that the session found."""
    earliest: AbstractSet[str] = frozenset()
    """Every line of the whole file before its first edit, where the record shows it."""

    @property
    def removed(self) -> set[str]:
        """Lines that its edits took away."""
        return self.folded.traces.removed

    def wrote(self, index: int) -> bool:
        """Whether it wrote the line of the file at `index`."""
        origins = self.comparison.origins
        return index < len(origins) and (origins[index] or 0) >= 0 and origins[index] is not None

    def written_at(self, index: int) -> Stamp | None:
        """When it wrote that line."""
        origin = self.comparison.origins[index]
        return None if origin is None or origin == FOREIGN else self.folded.edits[origin].at

    def found(self, index: int) -> bool:
        """Whether its record shows that line from before its first edit of the file.

        A line that somebody put in between two edits of the session is none from before it.
        """
        origins = self.comparison.origins
        return index < len(origins) and origins[index] == FOREIGN and self.comparison.lines[index] in self.earlier

    def last_at(self) -> Stamp:
        """When it last edited the file."""
        return max((row.at for row in self.folded.made if row.at), default=Stamp(""))

    @property
    def replaced_everything(self) -> bool:
        """It wrote the whole file over a content that its record does not hold."""
        return self.folded.written_whole and self.folded.first_text is None and self.folded.existed is not False


@light
class Fallback:
    """Who made a hunk that no text explains, and how that is known."""

    owner: Owner
    why: str


UNKNOWN: Final = Fallback(Owner.UNKNOWN, "no session that was read holds its lines")

_Party = tuple[Owner, SessionName | None]
_NOBODY: Final[_Party] = (Owner.UNKNOWN, None)
_EARLIER: Final[_Party] = (Owner.PREDATES, None)


def own_hunk(hunk: DiffHunk, lines: Sequence[str], witnesses: Sequence[Witness], fallback: Fallback) -> DirtyHunk:
    """A dirty hunk with its owner. `lines` are the file's lines as it is now, without carriage returns."""
    parties = _parties(hunk, lines, witnesses)
    if parties == {_NOBODY}:
        owner, session = fallback.owner, None
    elif len(parties) == 1:
        owner, session = next(iter(parties))
    else:
        owner, session = Owner.MIXED, None
    return DirtyHunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, hunk.lines, owner, session)


def _parties(hunk: DiffHunk, lines: Sequence[str], witnesses: Sequence[Witness]) -> set[_Party]:
    gone = [bare(line[1:]) for line in hunk.lines if line[:1] == "-"]
    added = range(hunk.new_start - 1, hunk.new_start - 1 + hunk.new_lines) if hunk.new_lines else range(0)
    if not added:
        return {_remover(gone, witnesses)}
    if not gone:
        added = _slid(added, lines, witnesses)
    parties = _writers(added, lines, witnesses)
    if parties == {_NOBODY} or not gone:
        return parties
    unexplained = {line for line in gone if not _explained(line, parties, witnesses)}
    return parties | ({_other_remover(unexplained, witnesses)} if unexplained else set())


def _slid(added: range, lines: Sequence[str], witnesses: Sequence[Witness]) -> range:
    """An insertion next to equal lines can be told at several places: take the one that a session really wrote."""
    for step in (0, 1, -1):
        spot = added
        for _ in range(_FARTHEST):
            if any(all(w.wrote(index) for index in spot) for w in witnesses):
                return spot
            if step == 0 or (moved := _shifted(spot, step, lines)) is None:
                break
            spot = moved
    return added


def _shifted(spot: range, step: int, lines: Sequence[str]) -> range | None:
    leaves, enters = (spot.start, spot.stop) if step > 0 else (spot.stop - 1, spot.start - 1)
    if not 0 <= enters < len(lines) or lines[leaves] != lines[enters]:
        return None
    return range(spot.start + step, spot.stop + step)


def _writers(added: Iterable[int], lines: Sequence[str], witnesses: Sequence[Witness]) -> set[_Party]:
    parties: set[_Party] = set()
    quiet: list[int] = []
    for index in added:
        writer = _writer(index, witnesses)
        if writer == _NOBODY and index < len(lines) and not tells(lines[index]):
            quiet.append(index)
        else:
            parties.add(writer)
    if not parties:
        return {_NOBODY}
    for index in quiet:
        holders = [w for w in witnesses if lines[index] in w.folded.traces.added and _party(w) in parties]
        if not holders:
            parties.add(_NOBODY)
    return parties


def _writer(index: int, witnesses: Sequence[Witness]) -> _Party:
    wrote = [witness for witness in witnesses if witness.wrote(index)]
    if len(wrote) == 1:
        return _party(wrote[0])
    if wrote:
        return _party(max(wrote, key=lambda w: (w.written_at(index) or "", w.own)))
    # Only this session's first record tells what was there before it.
    if any(witness.own and witness.found(index) for witness in witnesses):
        return _EARLIER
    return _NOBODY


def _party(witness: Witness) -> _Party:
    return (Owner.THIS_SESSION if witness.own else Owner.OTHER_SESSION, witness.session)


def _explained(line: str, parties: set[_Party], witnesses: Sequence[Witness]) -> bool:
    if _EARLIER in parties and any(w.earliest and line not in w.earliest for w in witnesses if w.own):
        return True
    mine = [witness for witness in witnesses if _party(witness) in parties]
    if any(line in witness.removed or witness.replaced_everything for witness in mine):
        return True
    # What one session put in a line's place, and another replaced in turn, is the other's from then on.
    return any(
        line in earlier.removed and any(earlier.folded.traces.added & witness.removed for witness in mine)
        for earlier in witnesses
        if _party(earlier) not in parties
    )


def _other_remover(gone: set[str], witnesses: Sequence[Witness]) -> _Party:
    return next((_party(witness) for witness in witnesses if gone <= witness.removed), _NOBODY)


def _remover(gone: Sequence[str], witnesses: Sequence[Witness]) -> _Party:
    """Who took lines away where nothing was put in their place."""
    able = [witness for witness in witnesses if _removed_all(gone, witness)]
    return _party(max(able, key=lambda w: (w.last_at(), w.own))) if able else _NOBODY


def _removed_all(gone: Sequence[str], witness: Witness) -> bool:
    if witness.folded.deleted or (witness.replaced_everything and witness.comparison.state is FileState.PRESENT):
        return witness.comparison.state is FileState.PRESENT
    return set(gone) <= witness.removed and any(map(tells, gone))


def owner_of(hunks: Sequence[DirtyHunk]) -> tuple[Owner | None, SessionName | None]:
    """The owner of a file: that of all its hunks, else mixed; None where no hunk is dirty."""
    parties = {(hunk.owner, hunk.session) for hunk in hunks}
    if not parties:
        return None, None
    return next(iter(parties)) if len(parties) == 1 else (Owner.MIXED, None)
