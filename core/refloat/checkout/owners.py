"""Who made a dirty place: found by text, and by time only where no text speaks.

Pure. A hunk belongs to a session when its record holds the lines that the hunk adds and what they replaced. Refuses to
round unknown to anybody.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from refloat.checkout.fold import Folded, RecordedEdit, Standing
from refloat.checkout.lines import Difference, bare, bare_all, bare_lines, find_differences, tells
from refloat.checkout.porcelain import DiffHunk
from refloat.checkout.runs import NO_RUNS, FileRuns, Layout, Run, core, reformatted
from refloat.checkout.witness import Witness
from refloat.model.checkout import DirtyHunk, FileState, Owner
from refloat.model.light import light, slotted
from refloat.model.session import SessionName

_FARTHEST: Final = 200
"""How many lines a hunk is moved up or down to look whether it is the same change told at another place."""


@light
class Fallback:
    """Who made a hunk that no text explains, and how that is known."""

    owner: Owner
    why: str


UNKNOWN: Final = Fallback(Owner.UNKNOWN, "no session that was read holds its lines")

_Party = tuple[Owner, SessionName | None]
_NOBODY: Final[_Party] = (Owner.UNKNOWN, None)
_EARLIER: Final[_Party] = (Owner.PREDATES, None)
_COMMAND: Final[_Party] = (Owner.COMMAND, None)


@light
class Ground:
    """What the dirty places of one file are judged on."""

    lines: Sequence[str]
    """The file's lines as it is now, without carriage returns; none where it is no text."""
    witnesses: Sequence[Witness]
    fallback: Fallback = UNKNOWN
    head: str | None = None
    """Its text in HEAD; None where HEAD has none, or where that was not asked."""
    runs: FileRuns = NO_RUNS
    seen: AbstractSet[str] = frozenset()
    """Every line of the whole file as this session read it before it changed anything; none where it did not."""
    head_lines: AbstractSet[str] = frozenset()
    """Every line that HEAD has at the path."""


@slotted
class _Case:
    """One hunk while its owner is sought."""

    hunk: DiffHunk
    parties: set[_Party]
    added: list[int]
    """Indexes of lines that it adds and nobody's record explains."""
    gone: list[str]
    """Lines that it takes away and nobody's record explains."""
    strange: bool = False
    """Its lines are not those of the file: git tells them otherwise than the disk has them."""


def own_hunks(hunks: Sequence[DiffHunk], ground: Ground) -> list[DirtyHunk]:
    """The dirty places of one file, each with its owner: judged together, for no record can explain a line twice."""
    looks = [(is_turned(hunk), _is_strange(hunk, ground)) for hunk in hunks]
    whole = None if any(map(any, looks)) else _whole_way(hunks, ground)
    if whole is not None:
        return [_owned(hunk, *_party(whole)) for hunk in hunks]
    cases = [_case(hunk, ground, *look) for hunk, look in zip(hunks, looks, strict=True)]
    _balance(cases, ground)
    _credit_commands(cases, ground)
    return [_settled(case, ground.fallback) for case in cases]


def _owned(hunk: DiffHunk, owner: Owner, session: SessionName | None) -> DirtyHunk:
    return DirtyHunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines, hunk.lines, owner, session)


def _settled(case: _Case, fallback: Fallback) -> DirtyHunk:
    if case.parties == {_NOBODY}:
        return _owned(case.hunk, fallback.owner, None)
    if len(case.parties) == 1:
        return _owned(case.hunk, *next(iter(case.parties)))
    return _owned(case.hunk, Owner.MIXED, None)


def _whole_way(hunks: Sequence[DiffHunk], ground: Ground) -> Witness | None:
    """The one session whose record leads from HEAD's text to the one on disk, with nobody between its edits.

    Its record holds both texts, so however a diff tells them apart, it is its work: of equal lines git may keep others
    than the record's own diff does. None where another record holds one of the dirty lines too: then each place is
    weighed by itself.
    """
    if (head := ground.head) is None:
        return None if any(hunk.lines for hunk in hunks) else _made_new(ground)
    able = [witness for witness in ground.witnesses if witness.wrote_all and _starts_at(witness.folded, head)]
    if len(able) != 1:
        return None
    dirty = [index for hunk in hunks for index in range(hunk.new_start - 1, hunk.new_start - 1 + hunk.new_lines)]
    rivals = [witness for witness in ground.witnesses if witness is not able[0] and any(map(witness.wrote, dirty))]
    return None if rivals else able[0]


def _made_new(ground: Ground) -> Witness | None:
    """The one session that made a new file of which no line can be told: it is empty, or no text."""
    able = [witness for witness in ground.witnesses if witness.wrote_all and witness.folded.existed is not True]
    return able[0] if len(able) == 1 and len(ground.witnesses) == 1 else None


def _starts_at(folded: Folded, head: str) -> bool:
    first = None if folded.stirred else folded.first_lines
    return first is not None and bare_all(first) == bare_lines(head)


def is_turned(hunk: DiffHunk | DirtyHunk) -> bool:
    """Whether lines differ in nothing but the carriage return at their end."""
    if "\r" not in "".join(hunk.lines):
        return False
    gone = {line[1:] for line in hunk.lines if line[:1] == "-"}
    came = {line[1:] for line in hunk.lines if line[:1] == "+"}
    return bool({bare(line) for line in gone ^ came if line in gone} & {bare(line) for line in came - gone})


def _is_strange(hunk: DiffHunk, ground: Ground) -> bool:
    """Whether git tells its lines otherwise than the disk has them (attribute `ident`, a filter)."""
    return bool(hunk.lines) and _lines_at(hunk, ground) != bare_all(
        [line[1:] for line in hunk.lines if line[:1] == "+"]
    )


def _lines_at(hunk: DiffHunk, ground: Ground) -> list[str]:
    """The lines that the file has where the hunk adds some."""
    start = hunk.new_start - 1 if hunk.new_lines else 0
    return list(ground.lines[start : start + hunk.new_lines])


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _case(hunk: DiffHunk, ground: Ground, turned: bool, strange: bool) -> _Case:
    """Judge a hunk by what it really changes: a line that it takes away and puts back at once is no change."""
    case = _Case(hunk, set(), [], [])
    gone = bare_all([line[1:] for line in hunk.lines if line[:1] == "-"])
    start = hunk.new_start - 1 if hunk.new_lines else 0
    added = _lines_at(hunk, ground)
    if strange:
        case.parties, case.gone, case.strange = {_NOBODY}, gone, True
        return case
    if turned:
        able = [witness for witness in ground.witnesses if witness.wrote_all]
        case.parties.add(_party(able[0]) if len(able) == 1 else _NOBODY)
    places = find_differences(gone, added) if len(added) == hunk.new_lines else []
    for place in places or ([] if turned else [Difference(0, len(gone), 0, hunk.new_lines)]):
        _judge(case, gone[place.old_from : place.old_to], range(start + place.new_from, start + place.new_to), ground)
    return case


def _judge(case: _Case, gone: Sequence[str], added: range, ground: Ground) -> None:
    if not added:
        party = _remover(gone, ground)
        case.parties.add(party)
        case.gone += gone if party == _NOBODY else ()
        return
    if not gone:
        added = _slid(added, ground.lines, ground.witnesses)
    parties, orphans = _writers(added, ground)
    case.added += orphans
    if parties == {_NOBODY}:
        case.gone += gone
        case.parties.add(_NOBODY)
        return
    unexplained = [line for line in gone if not _explained(line, parties, ground)]
    if unexplained:
        case.gone += unexplained
        parties = parties | {_other_remover(set(unexplained), ground.witnesses)}
    case.parties |= parties


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


def _writers(added: range, ground: Ground) -> tuple[set[_Party], list[int]]:
    """Who wrote some lines of the file, and which of them nobody did."""
    if len(ground.witnesses) == 1 and ground.witnesses[0].wrote_each(added):
        return {_party(ground.witnesses[0])}, []
    parties: set[_Party] = set()
    quiet: list[int] = []
    orphans: list[int] = []
    for index in added:
        writer = _writer(index, ground)
        if writer in (_NOBODY, _EARLIER) and index < len(ground.lines) and not tells(ground.lines[index]):
            quiet.append(index)
            continue
        parties.add(writer)
        orphans += [index] if writer == _NOBODY else []
    for index in quiet:
        # Blank lines and lone brackets go with the lines around them, where that record holds such a line at all.
        if _EARLIER in parties and _was_there(ground.lines[index], ground):
            continue
        if not any(ground.lines[index] in w.folded.traces.added and _party(w) in parties for w in ground.witnesses):
            parties.add(_NOBODY)
            orphans.append(index)
    return parties or {_NOBODY}, orphans


def _writer(index: int, ground: Ground) -> _Party:
    wrote = [witness for witness in ground.witnesses if witness.wrote(index)]
    if len(wrote) == 1:
        return _party(wrote[0])
    if wrote:
        last = _last([(w, w.edit_at(index)) for w in wrote], alone=ground.lines.count(ground.lines[index]) == 1)
        return _party(last) if last is not None else _NOBODY
    # What the session's first edit found may have come since the session began: only an earlier look tells.
    line = ground.lines[index] if index < len(ground.lines) else None
    return _EARLIER if line in ground.seen and line not in ground.head_lines else _NOBODY


def _was_there(line: str, ground: Ground) -> bool:
    return line in ground.seen


def _last(claims: Sequence[tuple[Witness, RecordedEdit | None]], *, alone: bool) -> Witness | None:
    """Who of several came last; None where the records do not prove it.

    Records that were copied from one another (a fork, a resumed session) tell of the same edit: this session's own
    counts. Another session's later edit counts where it was confirmed, and where it cannot have made an equal line
    elsewhere in the file.
    """
    told: list[tuple[Witness, RecordedEdit | None]] = []
    for witness, row in sorted(claims, key=lambda claim: not claim[0].own):
        if not any(_same_edit(row, other) for _, other in told):
            told.append((witness, row))
    if len({_party(witness) for witness, _ in told}) == 1:
        return told[0][0]
    if any(row is None or row.at is None for _, row in told):
        return None
    ranked = sorted(told, key=lambda claim: (claim[1].at or "") if claim[1] else "", reverse=True)
    (last, row), (_, before) = ranked[0], ranked[1]
    if row is None or before is None or row.at == before.at or row.standing is not Standing.APPLIED:
        return None
    if row.edit.after is not None and last.replaced_everything:
        return None  # it may have written what it found
    return last if alone or last.folded.text is not None else None


def _same_edit(one: RecordedEdit | None, other: RecordedEdit | None) -> bool:
    return (
        one is not None and other is not None and one.at is not None and one.at == other.at and one.edit == other.edit
    )


def _party(witness: Witness) -> _Party:
    return (Owner.THIS_SESSION if witness.own else Owner.OTHER_SESSION, witness.session)


def _explained(line: str, parties: set[_Party], ground: Ground) -> bool:
    witnesses = ground.witnesses
    if _EARLIER in parties and ground.seen and line not in ground.seen:
        return True
    mine = [witness for witness in witnesses if _party(witness) in parties]
    if any(line in witness.removed or witness.wrote_over(line) for witness in mine):
        return True
    # What one session put in a line's place, and another replaced in turn, is the other's from then on.
    for earlier in witnesses:
        put = set(filter(tells, earlier.ledger().put.get(line, ()))) if _party(earlier) not in parties else set[str]()
        if put and any(put <= witness.removed for witness in mine):
            return True
    return False


def _other_remover(gone: set[str], witnesses: Sequence[Witness]) -> _Party:
    able = {_party(witness) for witness in witnesses if gone <= witness.removed}
    return next(iter(able)) if len(able) == 1 else _NOBODY


def _remover(gone: Sequence[str], ground: Ground) -> _Party:
    """Who took lines away where nothing was put in their place."""
    able = [witness for witness in ground.witnesses if _removed_all(gone, witness)]
    if not able:
        return _NOBODY
    stand = not set(gone).isdisjoint(ground.lines)
    last = _last([(witness, witness.removal_of(gone)) for witness in able], alone=not stand)
    return _party(last) if last is not None else _NOBODY


def _removed_all(gone: Sequence[str], witness: Witness) -> bool:
    if witness.folded.deleted or (witness.replaced_everything and witness.comparison.state is FileState.PRESENT):
        return witness.comparison.state is FileState.PRESENT
    return set(gone) <= witness.removed and any(map(tells, gone))


# ── all hunks of a file together ─────────────────────────────────────────────────────────────────────────────────────


def _balance(cases: Sequence[_Case], ground: Ground) -> None:
    """Take back what would be credited to a session more often than its record adds or removes it."""
    for witness in ground.witnesses:
        mine = [case for case in cases if case.parties == {_party(witness)}]
        if not mine:
            continue
        added, removed = _counted(mine, "+"), _counted(mine, "-")
        if _all_single(added) and _all_single(removed) and not any(map(witness.lost_after, removed)):
            continue  # as below, for nearly all, without a look at which lines tell anything
        added, removed, gone = _telling(added), _telling(removed), _telling(_counted(cases, "-"))
        if _all_single(added) and _all_single(removed) and not any(map(witness.lost_after, removed)):
            continue  # a line that it tells of at all it tells of once
        ledger = witness.ledger()
        over = {"+" + line for line, times in added.items() if 0 < ledger.added[line] < times}
        if not witness.folded.deleted and not witness.replaced_everything:
            able = {line: min(ledger.removed[line], gone[line] - witness.lost_after(line)) for line in removed}
            over |= {"-" + line for line, times in removed.items() if ledger.removed[line] and able[line] < times}
        for case in mine if over else ():
            _dispute(case, over)


def _all_single(counted: Counter[str]) -> bool:
    return max(counted.values(), default=1) == 1


def _telling(counted: Counter[str]) -> Counter[str]:
    return counted if all(map(tells, counted)) else Counter({line: n for line, n in counted.items() if tells(line)})


def _dispute(case: _Case, over: AbstractSet[str]) -> None:
    told = bare_all([line for line in case.hunk.lines if tells(line[1:])])
    if any(line in over for line in told):
        case.parties = {_NOBODY} if all(line in over for line in told) else case.parties | {_NOBODY}


def _credit_commands(cases: Sequence[_Case], ground: Ground) -> None:
    """Give what no record explains to a command of the session, where a formatter or a recorded look tells of it."""
    last, may = ground.runs.last, ground.runs.between or ground.runs.ahead
    formatter = last is not None and last.formats
    unsettled = [case for case in cases if _NOBODY in case.parties] if formatter or may else []
    if not unsettled:
        return
    own = [witness for witness in ground.witnesses if witness.own]
    layout = Layout(_counted(cases, "-"), _counted(cases, "+"), core("".join(x for w in own for x in w.written())))
    for case in unsettled:
        meanwhile = [_runs_meanwhile(index, ground, own) for index in case.added]
        seen = bool(meanwhile) and all(meanwhile)
        named = seen and all(any(not run.formats for run in runs) for runs in meanwhile)
        if named or ((formatter or seen) and _laid_out(case, ground, layout, own)):
            case.parties = case.parties - {_NOBODY} | {_COMMAND}
        elif formatter:
            case.parties = _laid_out_by_both(case, ground, own) or case.parties


def _laid_out_by_both(case: _Case, ground: Ground, own: Sequence[Witness]) -> set[_Party]:
    """Of a file that is the session's text in another layout: whether a place is the formatter's alone, or both's."""
    made = core("".join(ground.lines))
    able = [w for w in own if w.folded.text is not None and core(w.folded.text) == made]
    if len(able) != 1 or case.strange:
        return set()
    changed = {core(line) for line in able[0].written()} | {core(line) for line in able[0].removed}
    told = [core(line[1:]) for line in case.hunk.lines if line[:1] in "+-" and tells(line[1:])]
    return {_COMMAND, _party(able[0])} if any(line in changed for line in told) else {_COMMAND}


def _runs_meanwhile(index: int, ground: Ground, own: Sequence[Witness]) -> Sequence[Run]:
    """The runs during which a line came that the record first lacks and then shows; none where it shows no such."""
    if any(witness.came_between(index) for witness in own):
        return ground.runs.between
    if not ground.seen or index >= len(ground.lines) or ground.lines[index] in ground.seen:
        return ()
    return ground.runs.ahead if any(witness.found(index) for witness in own) else ()


def _counted(cases: Iterable[_Case], sign: str) -> Counter[str]:
    return Counter(bare_all([line[1:] for case in cases for line in case.hunk.lines if line[:1] == sign]))


def _laid_out(case: _Case, ground: Ground, layout: Layout, own: Sequence[Witness]) -> bool:
    """Whether a formatter explains what nobody's record does."""
    gone = bare_all([line[1:] for line in case.hunk.lines if line[:1] == "-"])
    added = bare_all([line[1:] for line in case.hunk.lines if line[:1] == "+"])
    if gone and added and reformatted(gone, added):
        return True
    if case.strange or any(index >= len(ground.lines) for index in case.added):
        return False
    if not layout.laid_out([ground.lines[index] for index in case.added]):
        return False
    made = core("".join(added))
    left = [line for line in case.gone if core(line) not in made and not any(line in w.removed for w in own)]
    return bool(case.added or case.gone) and layout.moved_away(left)


def owner_of(hunks: Sequence[DirtyHunk]) -> tuple[Owner | None, SessionName | None]:
    """The owner of a file: that of all its hunks, else mixed; None where no hunk is dirty."""
    parties = {(hunk.owner, hunk.session) for hunk in hunks}
    if not parties:
        return None, None
    return next(iter(parties)) if len(parties) == 1 else (Owner.MIXED, None)
