"""The answer for each file that the session edited: its state, where its content stands, its dirty hunks and fates.

Decides the order of the questions: disk first, then what is cheap to ask, then the dear places for what is still lost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Final

from refloat.checkout.compare import STANDS, Comparison
from refloat.checkout.fates import Surroundings, judge_fates
from refloat.checkout.files import Content
from refloat.checkout.fold import Folded, recorded_as
from refloat.checkout.hunks import UNTOLD, changed_hunks, whole_hunk
from refloat.checkout.moved import find_moved
from refloat.checkout.owners import is_turned, own_hunks, owner_of
from refloat.checkout.places import (
    INDEX,
    Archive,
    add_lost_commits,
    add_lost_contents,
    find_backups,
    find_in_record,
    find_in_worktrees,
    find_places,
    find_staged,
    is_saved,
)
from refloat.checkout.porcelain import DiffHunk
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.checkout.uptake import Committed, Uptake
from refloat.model.checkout import DirtyHunk, EditedFile, FileState, FoundIn, Owner, PlaceKind
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later, stamp_of_seconds
from refloat.together import Running

_SEARCHED: Final = frozenset(
    {FileState.PARTLY, FileState.REVERTED, FileState.DIVERGED, FileState.DELETED, FileState.MOVED}
)


def find_edited(survey: Survey, meanwhile: Callable[[], object] = lambda: None) -> list[EditedFile]:
    """Every file that the session edited, in the order of the first edit. `meanwhile` is called once while git looks
    for what is lost; it may not ask what the repository keeps.
    """
    order = list(survey.folded)
    survey.prefetch_heads()
    _begin_search(survey)
    moved = find_moved(survey)
    survey.moved.update(moved)
    hunks = {real: owned_hunks(survey, real) for real in order}  # while git lists what the repository keeps
    places = {real: _cheap_places(survey, real, moved.get(real)) for real in order}
    lost = _find_lost(survey, places)
    searches = _begin_searches(survey, lost)
    told = {
        real: _edited(survey, real, places[real], moved.get(real), hunks[real]) for real in order if real not in lost
    }
    meanwhile()
    found = {real: rows for search in searches for real, rows in search.result().items()}
    for real in lost:
        places[real] += [*found.get(real, ()), *_recorded_places(survey, real)]
        told[real] = _edited(survey, real, places[real], moved.get(real), hunks[real])
    return [told[real] for real in order]


def _edited(
    survey: Survey, real: str, places: Sequence[FoundIn], moved: str | None, hunks: Sequence[DirtyHunk]
) -> EditedFile:
    folded, comparison = survey.folded[real], survey.comparison(real)
    owner, session = owner_of(hunks)
    state, why = comparison.state, comparison.why
    if state is FileState.PRESENT and (strange := _changed_since(survey, real, hunks)) is not None:
        state, why = FileState.CHANGED_SINCE, f"every recorded hunk is there, and {strange} changed"
    if moved is not None:
        whole = survey.content(moved).text == folded.text
        what = "the recorded content stands" if whole else "every recorded hunk stands, and something else changed,"
        state, why = FileState.MOVED, f"gone from its path; {what} at {survey.trees.shown(moved)}"
    return EditedFile(
        survey.trees.shown(real),
        state,
        why,
        recorded_as(folded),
        folded.confirmed,
        owner,
        session,
        tuple(places),
        judge_fates(folded, comparison, _surroundings(survey, real, hunks, moved, places)),
        tuple(hunks),
        survey.is_unseen(real) and not folded.deleted,
        comparison.halved and state is FileState.PARTLY,
    )


def _changed_since(survey: Survey, real: str, hunks: Sequence[DirtyHunk]) -> str | None:
    """What else changed in a file of which the record has mere hunks: another's dirty place, in a file that was written
    after the session's last edit of it. What was there before it is no change since.
    """
    folded, written = survey.folded[real], survey.content(real).mtime
    strange = (hunk for hunk in hunks if hunk.owner not in (Owner.THIS_SESSION, Owner.PREDATES))
    others = [hunk for hunk in strange if not _is_accounted(hunk, folded)]
    last = max((row.ended_at or row.at or "" for row in folded.made), default="")
    if not others or folded.text is not None or not last or written is None:
        return None
    if (moment := stamp_of_seconds(written)) is None or moment <= later(Stamp(last), 1):
        return None
    return "line ends" if any(map(is_turned, others)) else "something else"


def _is_accounted(hunk: DirtyHunk, folded: Folded) -> bool:
    """Whether the session recorded all that a place changes: another one may have made the same edit once more."""
    own = {"+": folded.traces.added, "-": folded.traces.removed}
    return all(line[1:] in own[line[0]] for line in hunk.lines if line[:1] in own)


# ── dirty hunks ──────────────────────────────────────────────────────────────────────────────────────────────────────


def owned_hunks(survey: Survey, real: str) -> list[DirtyHunk]:
    """The dirty places of a file, each with its owner."""
    raw = _raw_hunks(survey, real)
    if raw:
        return _as_moved(survey, real, own_hunks(raw, survey.ground(real)))
    staged = staged_hunks(survey, real)
    return own_hunks(staged, survey.ground(real, staged=True)) if staged else []


def _as_moved(survey: Survey, real: str, hunks: list[DirtyHunk]) -> list[DirtyHunk]:
    """A path that is gone because its file was moved is one half of a change, and has the owner of the other half."""
    target = survey.moved.get(real)
    owner, session = owner_of(owned_hunks(survey, target)) if target is not None else (None, None)
    return hunks if owner is None else [replace(hunk, owner=owner, session=session) for hunk in hunks]


def staged_hunks(survey: Survey, real: str) -> Sequence[DiffHunk]:
    """What is staged of a file that itself is as HEAD has it, or gone."""
    inside = survey.place_in_tree(real)
    return inside[0].staged.get(inside[1], ()) if inside is not None else ()


def _raw_hunks(survey: Survey, real: str) -> Sequence[DiffHunk]:
    content = survey.content(real)
    inside = survey.place_in_tree(real)
    if inside is None:
        return _against_record(survey.folded.get(real), content)
    repository, path = inside
    entry = repository.entries.get(path)
    if entry is None:
        if content.kind == "missing" or path in repository.index:
            return ()
        return _against_record(survey.folded.get(real), content)
    if entry.xy == "??":
        return _new_hunk(content)
    found = repository.hunks.get(path, ())
    if found or content.kind in ("binary", "large"):
        return found or [UNTOLD]
    if entry.head is None and content.kind == "text" and not content.text:
        return [UNTOLD]
    head = survey.head_text(real)
    if head is None or content.kind != "text":
        return ()
    return changed_hunks(Content("text", head), content)  # UTF-16: git tells none


def _new_hunk(content: Content) -> Sequence[DiffHunk]:
    """The hunk of a file that is new; one without lines is dirty all the same."""
    return [UNTOLD] if content.kind == "text" and not content.text else whole_hunk(content)


def _against_record(folded: Folded | None, content: Content) -> Sequence[DiffHunk]:
    """Where there is no HEAD to hold a file against, its recorded before stands in."""
    before = folded.first_text if folded is not None else None
    if before is None or content.kind != "text":
        return _new_hunk(content)
    return changed_hunks(Content("text", before), content)


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _cheap_places(survey: Survey, real: str, moved: str | None) -> list[FoundIn]:
    folded, state = survey.folded[real], survey.comparison(real).state
    if moved is not None:
        return [FoundIn(PlaceKind.WORKTREE, survey.trees.shown(moved), None, None), *_committed_as(survey, real, moved)]
    if state in STANDS:
        here = FoundIn(_kind_of_place(survey, real), survey.trees.shown(real), None, None)
        asked = _is_clean(survey, real) or _under_way(survey, real)
        return [here, *(_committed_places(survey, real) if asked else ())]
    if state is FileState.UNVERIFIABLE:
        return []
    kept = survey.archive(real)
    if kept is None or folded.deleted:
        return []
    archive, names = kept
    found = find_places(folded, names, archive, (PlaceKind.BRANCH, PlaceKind.STASH))
    found += find_in_worktrees(folded, names, archive, survey.target(real))
    if (inside := survey.place_in_tree(real)) is not None:
        found += find_staged(folded, survey.trees.shown(real), inside[1], inside[0])
    return sorted(found, key=lambda place: list(PlaceKind).index(place.where))


def _kind_of_place(survey: Survey, real: str) -> PlaceKind:
    """The session's own worktree, or another one of the same repository; what lies outside counts as its own."""
    tree, main = survey.trees.of(real), survey.trees.main
    other = tree is not None and main is not None and tree is not main and tree.common_dir == main.common_dir
    return PlaceKind.OTHER_WORKTREE if other else PlaceKind.WORKTREE


def _committed_places(survey: Survey, real: str) -> list[FoundIn]:
    kept = survey.archive(real)
    return [] if kept is None else find_places(survey.folded[real], kept[1], kept[0], (PlaceKind.BRANCH,))


def _committed_as(survey: Survey, real: str, moved: str) -> list[FoundIn]:
    kept = survey.archive(real)
    if kept is None or not _is_clean(survey, moved):
        return []
    names = survey.names_in(moved, kept[0].repository, kept[0].worktrees)
    return find_places(survey.folded[real], names, kept[0], (PlaceKind.BRANCH,))


def _is_clean(survey: Survey, real: str) -> bool:
    inside = survey.place_in_tree(real)
    if inside is None or inside[1] in inside[0].entries:
        return False
    return survey.content(real).kind == "missing" or inside[1] in inside[0].index


def _under_way(survey: Survey, real: str) -> bool:
    """Whether a rebase or the like is under way that puts commits into the worktree anew."""
    inside = survey.place_in_tree(real)
    operation = inside[0].operation if inside is not None else None
    return operation is not None and operation.kind not in ("index_lock", "bisect")


def _begin_search(survey: Survey) -> None:
    """Begin to list what nothing names, beside the look at all other files, where a file that git calls clean or gone
    has not what was recorded: it is lost, if it does not stand somewhere else.
    """
    main = survey.trees.main
    if main is not None and any(_seems_lost(survey, real, main) for real in survey.folded):
        survey.store(main).begin()


def _seems_lost(survey: Survey, real: str, main: Repository) -> bool:
    inside = survey.place_in_tree(real)
    if inside is None or inside[0] is not main or survey.folded[real].deleted:
        return False
    entry = main.entries.get(inside[1])
    return (entry is None or "D" in entry.xy) and survey.comparison(real).state in _SEARCHED


def _find_lost(survey: Survey, places: Mapping[str, Sequence[FoundIn]]) -> dict[str, None]:
    """The files whose recorded content stands in no place that counts as saved, in the order of `places`."""
    return {
        real: None
        for real, found in places.items()
        if survey.comparison(real).state in _SEARCHED and not survey.folded[real].deleted and not is_saved(found)
    }


def _begin_searches(survey: Survey, lost: Iterable[str]) -> list[Running[dict[str, list[FoundIn]]]]:
    """Begin to look in reflogs, lost commits and lost contents. Until a search is done nobody else may add to its
    archive.
    """
    snapshots = [row.source for row in survey.story.touched if row.kind == "snapshot_commit"]
    return [Running(_search(survey, *each, snapshots)) for each in _archives_of(survey, lost)]


def _search(
    survey: Survey, archive: Archive, names: Mapping[str, list[str]], snapshots: Sequence[str]
) -> Callable[[], dict[str, list[FoundIn]]]:
    files = {real: survey.folded[real] for real in names}
    kinds = (PlaceKind.REFLOG, PlaceKind.UNREACHABLE_COMMIT)

    def search() -> dict[str, list[FoundIn]]:
        add_lost_commits(archive, [name for called in names.values() for name in called], snapshots)
        found = {real: find_places(files[real], called, archive, kinds) for real, called in names.items()}
        nowhere = {real: files[real] for real, rows in found.items() if not rows}
        if nowhere:
            add_lost_contents(archive, nowhere, names)
            found |= {real: find_places(folded, names[real], archive, kinds) for real, folded in nowhere.items()}
        return found

    return search


def _recorded_places(survey: Survey, real: str) -> list[FoundIn]:
    """Backups and the record, where they hold what stands in no place that counts as saved."""
    known = [survey.content(real), *_in_head(survey, real)]
    folded, hunks = survey.folded[real], not survey.is_unseen(real)  # nothing is left that hunks could be put into
    return [*find_backups(folded, survey.backups, known), *find_in_record(folded, hunks=hunks)]


def _archives_of(survey: Survey, lost: Iterable[str]) -> list[tuple[Archive, dict[str, list[str]]]]:
    """Each repository that lost files lie in, with what they are called there."""
    found: dict[int, tuple[Archive, dict[str, list[str]]]] = {}
    for real in lost:
        kept = survey.archive(real)
        if kept is not None:
            found.setdefault(id(kept[0]), (kept[0], {}))[1][real] = kept[1]
    return list(found.values())


def _in_head(survey: Survey, real: str) -> list[Content]:
    text = survey.head_text(real)
    return [] if text is None else [Content("text", text)]


# ── fates ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _surroundings(
    survey: Survey, real: str, hunks: Sequence[DirtyHunk], moved: str | None, places: Iterable[FoundIn]
) -> Surroundings:
    clean = _is_clean(survey, moved or real)
    lines = {index for hunk in hunks for index in range(hunk.new_start - 1, hunk.new_start - 1 + hunk.new_lines)}
    comparison = survey.comparison(real)
    if any(hunk.new_start == hunk.old_start == 0 for hunk in hunks):
        lines = set(range(len(comparison.origins)))
    under_way = _under_way(survey, real)
    settled = comparison.state in STANDS and not clean and not under_way and lines.issuperset(_own_lines(comparison))
    kept = any(p.where in (PlaceKind.STASH, PlaceKind.OTHER_WORKTREE) or p.ref == INDEX for p in places)
    asked = comparison.state is not FileState.UNVERIFIABLE
    return Surroundings(
        dirty=not clean,
        dirty_lines=lines,
        commits=Uptake(() if settled else _commits(survey, real, moved)),
        replaced_by=partial(_taken_away_by, survey, real),
        undone_by=survey.undone_by(real) if comparison.state not in STANDS and (asked or kept) else None,
        put_back_by=_put_back_by(survey, real) if comparison.state is FileState.DIVERGED else None,
        moved=moved is not None,
        kept=kept,
        under_way=under_way,
        head=_head_of(survey, moved or real) if clean else None,
    )


def _head_of(survey: Survey, real: str) -> str | None:
    inside = survey.place_in_tree(real)
    return inside[0].head if inside is not None else None


def _taken_away_by(survey: Survey, real: str, lines: AbstractSet[str]) -> SessionName | None:
    """The other session that took all of these lines away from a file; nobody where there are none."""
    if not lines:
        return None
    for other in survey.others.that_may_have_removed(max(lines, key=len), real):
        folded = other.folded.get(real)
        if folded is not None and lines <= folded.traces.removed:
            return other.name
    return None


def _put_back_by(survey: Survey, real: str) -> str | None:
    """The session's own command behind its deletion of a file that can have put it back."""
    folded = survey.folded[real]
    if not folded.deleted:
        return None
    last = max((row.ended_at or row.at or "" for row in folded.made), default="")
    able = (run for run in survey.runs if run.returns and run.at >= last)
    return next((f"step {run.step}" for run in able if run.may_put_back(real)), None)


def _own_lines(comparison: Comparison) -> set[int]:
    return {index for index, origin in enumerate(comparison.origins) if origin is not None and origin >= 0}


def _commits(survey: Survey, real: str, moved: str | None) -> list[Committed]:
    """What commits since the start made of a file: those of HEAD first, then other branches; oldest first in each."""
    kept = survey.archive(real)
    if kept is None:
        return []
    archive, names = kept
    if moved is not None:
        names = [*names, *survey.names_in(moved, archive.repository, archive.worktrees)]
    versions = [v for v in archive.of(names, PlaceKind.BRANCH) if v.oid is not None or survey.folded[real].deleted]
    archive.prefetch(versions)
    ordered = sorted(versions, key=lambda version: not version.on_head)
    return [Committed(v.commit, v.at, None if v.oid is None else archive.lines(v)) for v in ordered if v.commit]
