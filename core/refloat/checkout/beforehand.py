"""What stood at a path before the session wrote it whole, where the record does not say: what HEAD had there then.

A row of a sub-agent, of a long file, of a call that was cut off holds the content after a write and not the one before.
Decides for which files that matters: a file that stands as it was written needs no before. Refuses to take HEAD's
content for one that the record itself shows, and asks git nothing where no such file is.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Final

from refloat.checkout.files import content_of
from refloat.checkout.fold import Folded, Known, Standing, fold
from refloat.checkout.gitpatch import EXECUTABLE, REGULAR
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey

_FILES: Final = frozenset({REGULAR, EXECUTABLE})


def tell_befores(survey: Survey) -> None:
    """Fold the files anew whose before the record lacks, on what HEAD had of them when the session wrote them."""
    texts = _texts_of_head(survey, [real for real, file in survey.folded.items() if _lacks_before(survey, real, file)])
    if not texts:
        return
    known = {real: [Known(None, text), *survey.known.get(real, ())] for real, text in texts.items()}
    only, real = texts.keys(), survey.trees.real
    survey.known = {**survey.known, **known}
    survey.folded = {**survey.folded, **fold(survey.steps, known, real=real, only=only)}
    taken_back = only & survey.without_superseded.keys()
    if taken_back:
        without = frozenset({Standing.SUPERSEDED})
        kept = fold(survey.steps, known, real=real, without=without, only=taken_back)
        survey.without_superseded = {**survey.without_superseded, **kept}


def _lacks_before(survey: Survey, real: str, folded: Folded) -> bool:
    """Whether a file was written whole over nobody knows what, and does not stand so now."""
    if folded.deleted or folded.existed is False or not folded.written_whole:
        return False
    if not any(piece.whole and piece.before is None for piece in folded.pieces):
        return False
    content = survey.content(real)
    return content.kind == "text" and content.text != folded.text


def _texts_of_head(survey: Survey, wanted: list[str]) -> Mapping[str, str]:
    """The text that HEAD had of each file at its first write; files that it had not, or not as text, are left out."""
    asked: dict[tuple[str, str], tuple[Repository, dict[str, str]]] = {}
    for real in wanted:
        repository = survey.trees.of(real)
        commit = repository.head_at(survey.folded[real].made[0].at) if repository is not None else None
        if commit is None and repository is survey.trees.main:
            commit = survey.base
        if repository is not None and commit is not None:
            name = os.path.relpath(real, repository.root)
            asked.setdefault((str(repository.root), commit), (repository, {}))[1][name] = real
    return {real: text for (_, commit), (repository, names) in asked.items()
            for real, text in _texts(repository, commit, names)}  # fmt: skip


def _texts(repository: Repository, commit: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    entries = repository.find_entries(commit, list(names))
    oids = {name: oid for name, (mode, oid) in entries.items() if mode in _FILES and name in names}
    loaded = repository.load_objects(oids.values())
    for name, oid in oids.items():
        content = content_of(loaded[oid]) if oid in loaded else None
        if content is not None and content.kind == "text":
            yield names[name], content.text
