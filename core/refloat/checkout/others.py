"""The dirty rest of a checkout: files that the session did not edit, and who made them.

Leaves out what Refloat itself wrote: a brief ends in its own mark.
"""

from typing import Final

from refloat.checkout.edited import staged_hunks
from refloat.checkout.files import Content
from refloat.checkout.hunks import LONGEST, whole_hunk
from refloat.checkout.owners import Ground, own_hunks, owner_of
from refloat.checkout.porcelain import StatusEntry
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.model.checkout import OtherChange, Owner
from refloat.model.session import SessionName

MARK: Final = "<!-- refloat/1 {"
"""How the last line of every brief begins (design §6)."""


def is_brief(content: Content) -> bool:
    """Whether a file is a brief that Refloat wrote."""
    return content.kind == "text" and content.text.rstrip().rpartition("\n")[2].startswith(MARK)


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
    if is_brief(content):
        return None
    raw = whole_hunk(content) if entry.xy == "??" else repository.hunks.get(path, ())
    staged = () if raw else staged_hunks(survey, real)
    ground = survey.ground(real, staged=bool(staged))
    hunks = own_hunks([hunk for hunk in raw or staged if len(hunk.lines) <= LONGEST], ground)
    owner, session = owner_of(hunks)
    owner = owner or ground.fallback.owner
    return OtherChange(path, entry.xy, owner, session, _why(owner, session, ground), tuple(hunks))


def _why(owner: Owner, session: SessionName | None, ground: Ground) -> str:
    match owner:
        case Owner.OTHER_SESSION:
            return f"the record of {session} holds its lines"
        case Owner.THIS_SESSION:
            return "the session edited it by another name: a link leads to it"
        case Owner.MIXED:
            return "its hunks have several owners"
        case Owner.COMMAND if ground.fallback.owner is not Owner.COMMAND and ground.runs.last is not None:
            return f"the layout that step {ground.runs.last.step} gives: {ground.runs.last.command}"
        case _:
            return ground.fallback.why
