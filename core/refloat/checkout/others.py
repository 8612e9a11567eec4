"""The dirty rest of a checkout: files that the session did not edit, and who made them.

Leaves out what Refloat itself wrote, a brief or anything else that a person had put into the checkout. Refuses to
leave it out where it took the place of something else that HEAD holds: that is a loss to whoever commits.
"""

from dataclasses import replace
from typing import Final

from refloat.checkout.edited import owned_hunks, staged_hunks
from refloat.checkout.files import read_beginning, read_bytes
from refloat.checkout.hunks import LONGEST, whole_hunk
from refloat.checkout.owners import Ground, own_hunks, owner_of
from refloat.checkout.porcelain import StatusEntry
from refloat.checkout.repository import Repository
from refloat.checkout.runs import removed_by
from refloat.checkout.survey import Survey
from refloat.model.checkout import OtherChange, Owner
from refloat.model.own_files import digest, held_by, is_own_text, listings_of
from refloat.model.session import SessionName

_PUT_OVER: Final = "Refloat wrote it, over what HEAD holds there"


def is_own(survey: Survey, real: str) -> bool:
    """Whether Refloat wrote the file at a path: it says so itself, or a list beside it answers for its content."""
    content = survey.content(real)
    if is_own_text(content.text if content.kind == "text" else read_beginning(real)):
        return True
    held = frozenset[str]().union(*(held_by(survey.content(listing).text) for listing in listings_of(real)))
    found = read_bytes(real) if held else None
    return found is not None and digest(found[0]) in held


def find_other_changes(survey: Survey) -> list[OtherChange]:
    """Every dirty file that the session did not edit, by path."""
    repository = survey.trees.main
    if repository is None:
        return []
    found = (_change(survey, repository, path, entry) for path, entry in sorted(repository.entries.items()))
    return [change for change in found if change is not None]


def _change(survey: Survey, repository: Repository, path: str, entry: StatusEntry) -> OtherChange | None:
    real = f"{repository.root}/{path.rstrip('/')}"
    folded = survey.folded.get(real)
    if folded is not None and folded.edits:
        return None
    content = survey.content(real)
    if entry.submodule and (inside := _within(survey, real, entry)) is not None:
        return inside
    own = is_own(survey, real)
    if own and not _took_a_place(repository, entry):
        return None
    raw = whole_hunk(content) if entry.xy == "??" else repository.hunks.get(path, ())
    staged = () if raw else staged_hunks(survey, real)
    ground = survey.ground(real, staged=bool(staged))
    hunks = own_hunks([hunk for hunk in raw or staged if len(hunk.lines) <= LONGEST], ground)
    owner, session = owner_of(hunks)
    owner = owner or ground.fallback.owner
    why = _PUT_OVER if own else _why(survey, real, owner, session, ground)
    if owner is Owner.COMMAND and entry.head is None and (source := survey.written_elsewhere(content.text)) is not None:
        owner, session, why = Owner.THIS_SESSION, survey.name, f"what the session wrote to {survey.trees.shown(source)}"
        hunks = [replace(hunk, owner=owner, session=session) for hunk in hunks]
    return OtherChange(path, entry.xy, owner, session, why, tuple(hunks))


def _within(survey: Survey, real: str, entry: StatusEntry) -> OtherChange | None:
    """A submodule whose dirt is told file by file, since the session edited in it; None where its commit moved too."""
    edited = next((path for path in survey.folded if path.startswith(f"{real}/")), None)
    inner = survey.trees.of(edited) if edited is not None else None
    if inner is None or str(inner.root) != real or not inner.entries or entry.head is not None:
        return None
    parties = {_party(survey, inner, path, inside) for path, inside in inner.entries.items()}
    owner, session = next(iter(parties)) if len(parties) == 1 else (Owner.MIXED, None)
    name = survey.trees.shown(real)
    return OtherChange(name, entry.xy, owner, session, "a submodule: as the dirty files in it are", ())


def _party(survey: Survey, inner: Repository, path: str, entry: StatusEntry) -> tuple[Owner, SessionName | None]:
    real = f"{inner.root}/{path.rstrip('/')}"
    if real in survey.folded and survey.folded[real].edits:
        owner, session = owner_of(owned_hunks(survey, real))
        return owner or survey.fallback(real).owner, session
    change = _change(survey, inner, path, entry)
    return (Owner.UNKNOWN, None) if change is None else (change.owner, change.session)


def _moved_here(survey: Survey, real: str) -> str | None:
    """That a file which the session edited stands at this path now, and what moved it where that is recorded."""
    source = next((source for source, target in survey.moved.items() if target == real), None)
    if source is None:
        return None
    run = removed_by(survey.runs, source)
    by = "" if run is None else f" by step {run.step}: {run.command}"
    return f"moved from {survey.trees.shown(source)}{by}"


def _took_a_place(repository: Repository, entry: StatusEntry) -> bool:
    """Whether HEAD holds another thing there than one that Refloat wrote."""
    if entry.head is None or entry.submodule:
        return False
    held = repository.load_objects([entry.head]).get(entry.head)
    return held is None or not is_own_text(held.decode(errors="replace"))


def _why(survey: Survey, real: str, owner: Owner, session: SessionName | None, ground: Ground) -> str:
    if owner is not Owner.OTHER_SESSION and (moved := _moved_here(survey, real)) is not None:
        return moved
    match owner:
        case Owner.OTHER_SESSION:
            return f"the record of {session} holds its lines"
        case Owner.THIS_SESSION if survey.aliases(real):
            return "the session edited it by another name: a link leads to it"
        case Owner.THIS_SESSION:
            return "the session's record holds its lines"
        case Owner.MIXED:
            return "its hunks have several owners"
        case Owner.COMMAND if ground.fallback.owner is not Owner.COMMAND and ground.runs.last is not None:
            return f"the layout that step {ground.runs.last.step} gives: {ground.runs.last.command}"
        case _:
            return ground.fallback.why
