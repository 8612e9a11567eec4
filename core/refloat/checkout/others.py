"""The dirty rest of a checkout: files that the session did not edit, and who made them.

Leaves out what Refloat itself wrote: a brief ends in its own mark.
"""

from collections.abc import Sequence
from typing import Final

from refloat.checkout.edited import LONGEST, whole_hunk
from refloat.checkout.files import Content
from refloat.checkout.lines import bare_lines
from refloat.checkout.owners import Fallback, own_hunk, owner_of
from refloat.checkout.porcelain import DiffHunk, StatusEntry
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.model.checkout import DirtyHunk, OtherChange, Owner
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
    fallback = survey.fallback(content.mtime)
    hunks = _owned(survey, real, raw, content, fallback)
    owner, session = owner_of(hunks)
    owner = owner or fallback.owner
    return OtherChange(path, entry.xy, owner, session, _why(owner, session, fallback), tuple(hunks))


def _owned(survey: Survey, real: str, raw: Sequence[DiffHunk], content: Content, fallback: Fallback) -> list[DirtyHunk]:
    witnesses = survey.witnesses(real)
    lines = bare_lines(content.text) if witnesses and content.kind == "text" else []
    return [own_hunk(hunk, lines, witnesses, fallback) for hunk in raw if len(hunk.lines) <= LONGEST]


def _why(owner: Owner, session: SessionName | None, fallback: Fallback) -> str:
    match owner:
        case Owner.OTHER_SESSION:
            return f"the record of {session} holds its lines"
        case Owner.THIS_SESSION:
            return "the session edited it by another name: a link leads to it"
        case Owner.MIXED:
            return "its hunks have several owners"
        case _:
            return fallback.why
