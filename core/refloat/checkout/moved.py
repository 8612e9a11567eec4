"""Where files that a session edited stand now when they are gone from their paths.

Decides by content: the recorded result to the last byte, else a new path whose text is the file's for the better part
and holds all that the record says (a rename in which somebody changed something else too). Refuses a path that was
there when the session began, and one that the session edited itself.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from refloat.checkout.compare import STANDS, judge
from refloat.checkout.files import content_of
from refloat.checkout.lines import bare_lines, tells
from refloat.checkout.porcelain import StatusEntry
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.model.checkout import FileState

_ALIKE: Final = 0.5
"""Share of the lines of the longer text that both must have: what git asks of a rename (git-diff(1), `-M`)."""
_MOST: Final = 500
"""New paths that are read when a file is sought that somebody changed as well."""

_Entries = Mapping[str, tuple[str, str]]
"""Mode and object id by path."""


def find_moved(survey: Survey) -> dict[str, str]:
    """The files that are gone from their path though the session left them, and where each stands now."""
    gone = [real for real in survey.folded if survey.comparison(real).state is FileState.DELETED]
    repository = survey.trees.main
    if repository is None or not gone:
        return {}
    found = _exactly(survey, repository, gone)
    left = [real for real in gone if real not in found]
    found.update(_alike(survey, repository, left, set(found.values())))
    return found


def _exactly(survey: Survey, repository: Repository, gone: Sequence[str]) -> dict[str, str]:
    """Where the recorded content stands as it is: at a new dirty path, or in HEAD's tree."""
    wanted = {real: survey.folded[real].text for real in gone}
    texts = {text: real for real, text in wanted.items() if text is not None and any(map(tells, text.split("\n")))}
    found: dict[str, str] = {}
    for real in _new_and_dirty(repository) if texts else ():
        content = survey.content(real)
        if content.kind == "text" and content.text in texts:
            found.setdefault(texts[content.text], real)
    left = {text: real for text, real in texts.items() if real not in found}
    found.update(_in_head(survey, repository, left))
    return {real: target for real, target in found.items() if target not in survey.folded}


def _new_and_dirty(repository: Repository) -> Iterator[str]:
    return (f"{repository.root}/{path}" for path, entry in repository.entries.items() if _is_new(entry))


def _is_new(entry: StatusEntry) -> bool:
    return entry.xy == "??" or entry.xy[0] in "AR" or entry.xy[1] == "A"


def _in_head(survey: Survey, repository: Repository, texts: Mapping[str, str]) -> dict[str, str]:
    """Paths of HEAD at which lost contents stand; not those where they stood when the session began."""
    if not texts or repository.head is None:
        return {}
    oids = {repository.oid(text.encode("utf-8", "surrogateescape")): real for text, real in texts.items()}
    head = repository.find_entries(repository.head)
    standing = [(path, oid) for path, (_, oid) in head.items() if oid in oids and path not in repository.entries]
    before = repository.find_entries(survey.base) if standing and survey.base else {}
    return {
        oids[oid]: f"{repository.root}/{path}"
        for path, oid in reversed(standing)
        if before.get(path, ("", ""))[1] != oid
    }


# ── renamed and changed ──────────────────────────────────────────────────────────────────────────────────────────────


def _alike(survey: Survey, repository: Repository, gone: Sequence[str], taken: set[str]) -> dict[str, str]:
    """For each file the one new path that holds its recorded hunks and is like it; none where two are as like."""
    if not gone:
        return {}
    before = repository.find_entries(survey.base) if survey.base else {}
    news = [*_new_and_dirty(repository), *_new_in_head(repository, before)]
    able = dict.fromkeys(real for real in news if real not in taken and real not in survey.folded)
    candidates = list(islice(able, _MOST))
    found: dict[str, str] = {}
    for real, lines in _former_lines(survey, repository, gone, before).items() if candidates else ():
        ranked = sorted(_likeness(survey, real, lines, candidates), reverse=True)
        if ranked and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]):
            found[real] = ranked[0][1]
    return {real: target for real, target in found.items() if list(found.values()).count(target) == 1}


def _new_in_head(repository: Repository, before: _Entries) -> Iterator[str]:
    """Paths that commits since the session's start brought; none where that start is not known."""
    if before and repository.head is not None:
        for path in repository.find_entries(repository.head):
            if path not in before:
                yield f"{repository.root}/{path}"


def _former_lines(
    survey: Survey, repository: Repository, gone: Sequence[str], before: _Entries
) -> dict[str, Counter[str]]:
    """What each file held as the session left it; else, where the record has mere hunks, when the session began."""
    inside = {real: survey.place_in_tree(real) for real in gone if survey.folded[real].text is None}
    names = {real: place[1] for real, place in inside.items() if place is not None and place[0] is repository}
    oids = {real: before[name][1] for real, name in names.items() if name in before}
    blobs = repository.load_objects(oids.values()) if oids else dict[str, bytes]()
    found: dict[str, Counter[str]] = {}
    for real in gone:
        text = survey.folded[real].text
        if text is None and oids.get(real) in blobs:
            text = content_of(blobs[oids[real]]).text
        if text is not None and (lines := _telling(text)):
            found[real] = lines
    return found


def _telling(text: str) -> Counter[str]:
    return Counter(filter(tells, bare_lines(text)))


def _likeness(survey: Survey, real: str, lines: Counter[str], candidates: Sequence[str]) -> Iterator[tuple[float, str]]:
    for target in candidates:
        content = survey.content(target)
        if content.kind != "text":
            continue
        there = _telling(content.text)
        share = (lines & there).total() / max(lines.total(), there.total())
        if share >= _ALIKE and judge(survey.folded[real], content).state in STANDS:
            yield share, target
