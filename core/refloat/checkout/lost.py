"""Lost files of a session: what the record says that each should be, made to fit what stands on disk now.

Decides which files are lost (their edits stand in no saved place), from where their content comes (the record first,
else a lost place that holds it, else the recorded hunks put where they fit) and how it meets what others changed since.
Refuses to let go of anything that stands on disk now and that neither HEAD nor the record holds.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from refloat.checkout.compare import judge
from refloat.checkout.files import content_of, read_bytes, text_of
from refloat.checkout.fold import Folded, Standing
from refloat.checkout.gitpatch import EXECUTABLE, REGULAR
from refloat.checkout.homes import find_homes
from refloat.checkout.lines import same_but_line_ends
from refloat.checkout.merge import put_onto
from refloat.checkout.places import is_saved
from refloat.checkout.rejoin import bytes_of, ended_like, rejoin
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.model.checkout import EditedFile, Fate, FileState, FoundIn, PlaceKind
from refloat.model.transcript import FileEdit
from refloat.there import is_directory

_LOST: Final = frozenset({Fate.LOST, Fate.REVERTED, Fate.UNCONFIRMED})
_STATES: Final = frozenset({FileState.PARTLY, FileState.REVERTED, FileState.DIVERGED, FileState.DELETED})
_NOTHING: Final = b"\0 \t\r\n"
"""All that stands in a file whose content was lost with the power: zero bytes, where it is not empty."""
_MODES: Final = frozenset({REGULAR, EXECUTABLE})


@dataclass(frozen=True, slots=True)
class Lost:
    """One file, with what stands there and what should."""

    path: str
    """As the checkout names it."""
    name: str | None
    """What a patch calls it, relative to the root; None where it lies elsewhere, or may not be patched (`why` says it).
    """
    old: tuple[bytes, str] | None
    """Bytes and mode on disk now."""
    new: tuple[bytes, str] | None
    """Bytes and mode as they should be; None: the file should be gone, or nothing is known (`why` says it)."""
    why: str
    hunks: bytes | None = None
    """Mere hunks, where the record holds no more and they fit nowhere."""


@dataclass(slots=True)
class Trees:
    """What HEAD, and HEAD at the session's start, have at the lost paths; asked for at once."""

    repository: Repository | None
    head: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    start: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def mode(self, name: str | None) -> str | None:
        """Git's mode of a path in HEAD, else at the start."""
        found = self.head.get(name or "") or self.start.get(name or "")
        return found[0] if found else None

    def versions(self, name: str | None) -> list[bytes]:
        """Its content at the start, then in HEAD; what is not there is left out."""
        oids = [found[1] for tree in (self.start, self.head) if (found := tree.get(name or "")) and found[0] in _MODES]
        loaded = self.repository.load_objects(oids) if self.repository and oids else dict[str, bytes]()
        return [loaded[oid] for oid in dict.fromkeys(oids) if oid in loaded]

    def in_head(self, name: str | None, data: bytes) -> bool:
        """Whether HEAD has just these bytes at the path, but for line ends."""
        found = self.head.get(name or "")
        if found is None or self.repository is None:
            return False
        return found[1] in (self.repository.oid(data), self.repository.oid(data.replace(b"\r\n", b"\n")))


def find_lost(survey: Survey, files: Sequence[EditedFile], root: str | None) -> list[Lost]:
    """Every lost file, in the order of the first edit; `files` are those of the same survey, in its order.

    `root`: what the paths of a patch are relative to, the repository's root or the folder that the session worked in.
    """
    rows = [(real, file) for real, file in zip(survey.folded, files, strict=True) if _is_lost(survey, real, file)]
    swept = _was_swept(survey, files, {real for real, _ in rows})
    homes, trees = _load_trees(survey, [real for real, _ in rows])
    found: list[Lost] = []
    for real, file in rows:
        place = _Place(survey, real, file, trees, root, homes.get(real, survey.target(real)), swept)
        if (lost := place.restore()) is not None:
            found.append(lost)
    gone = {row.name for row in found if row.new is None}
    return list(_each_once(_unless_blocked(root, row, gone) for row in found))


def _each_once(rows: Iterable[Lost]) -> Iterator[Lost]:
    """A patch holds one file of a name: that of a worktree that is gone gives way."""
    taken: set[str] = set()
    for row in rows:
        twice = row.name is not None and row.name in taken
        yield replace(row, name=None, why="the patch holds another file of its name already") if twice else row
        taken.add(row.name or "")


def _was_swept(survey: Survey, files: Sequence[EditedFile], lost: Collection[str]) -> bool:
    """Whether everything that the session did is lost, contents among it: then its deletions went the same way.

    A deletion that was undone by itself was undone on purpose. A file that the session left as it had found it stands
    either way.
    """
    made = [
        (real, file)
        for real, file in zip(survey.folded, files, strict=True)
        if survey.folded[real].made and not _left_as_found(survey.folded[real])
    ]
    stands = any(real not in lost and file.state is not FileState.UNVERIFIABLE for real, file in made)
    return not stands and any(real in lost and file.recorded == "content" for real, file in made)


def _left_as_found(folded: Folded) -> bool:
    """Whether the edits of a file cancel each other out: whole text again, or made and deleted. What was moved to its
    path began with the text of another one.
    """
    came = folded.made[0].edit.path != folded.path
    if folded.deleted:
        return folded.existed is False or came
    return not came and folded.text is not None and folded.existed is not False and folded.text == folded.first_text


def _unless_blocked(root: str | None, row: Lost, gone: Collection[str | None]) -> Lost:
    """Git's own check does not see that a directory on the way to a new file is none, so it is seen here."""
    if root is None or row.name is None or row.old is not None:
        return row
    above = _no_directory(root, row.name)
    return row if above is None or above in gone else replace(row, name=None, why=f"{above} is no directory now")


def _standing(survey: Survey, real: str) -> Folded:
    """The record without what was taken back with its part of the talk."""
    return survey.without_superseded.get(real, survey.folded[real])


def _origins(survey: Survey, real: str) -> list[str]:
    """Paths that the content was moved from, newest first."""
    return [path for path in dict.fromkeys(row.edit.path for row in survey.folded[real].edits[::-1]) if path != real]


def _is_lost(survey: Survey, real: str, file: EditedFile) -> bool:
    rows = zip(survey.folded[real].edits, file.edits, strict=True)
    fates = [edit for row, edit in rows if row.standing not in (Standing.SUPERSEDED, Standing.REFUSED)]
    lost = any(edit.fate in _LOST for edit in fates)
    if file.state in (FileState.REVERTED, FileState.PARTLY):
        # Lines of a reverted file that read like the session's may be from before it; of others the rest is lost.
        lost |= any(edit.fate in (Fate.UNCOMMITTED, Fate.COMMITTED) and edit.commit is None for edit in fates)
    if file.state in (FileState.REVERTED, FileState.DIVERGED):
        # Another session replaced it; where what that one wrote is gone as well, it can be put back.
        lost |= any(edit.fate is Fate.REPLACED and not (edit.by or "").startswith("step ") for edit in fates)
    if not lost or is_saved(file.found_in):
        return False
    return file.state in _STATES


def _load_trees(survey: Survey, reals: Sequence[str]) -> tuple[Mapping[str, str], Trees]:
    """Where lost files of worktrees that are gone belong now, and the trees with all that is asked of them."""
    repository = survey.trees.main
    if repository is None or not reals or repository.head is None:
        return {}, Trees(repository)
    head = repository.find_entries(repository.head)
    start = repository.find_entries(survey.base) if survey.base and survey.base != repository.head else head
    homes = find_homes(survey, repository, reals, head.keys() | start.keys())
    paths = [path for real in reals for path in (homes.get(real, survey.target(real)), *_origins(survey, real))]
    names = [name for path in paths if (name := _below(str(repository.root), path))]
    wanted = (found[1] for tree in (head, start) for name in names if (found := tree.get(name)))
    repository.load_objects(wanted)
    return homes, Trees(repository, head, start)


def _below(root: str | None, path: str) -> str | None:
    above = None if root is None else root.rstrip("/") + "/"
    return path[len(above) :] if above is not None and path.startswith(above) else None


@dataclass(slots=True)
class _Place:
    """One lost file while its content is put together."""

    survey: Survey
    real: str
    file: EditedFile
    trees: Trees
    root: str | None
    home: str
    """Where it is put: its own path, or that of the same file where the worktree that it lay in is gone."""
    swept: bool
    """All that the session did to the checkout was taken away at once."""

    def restore(self) -> Lost | None:
        """What should stand there; None where nothing is lacking after all."""
        folded = _standing(self.survey, self.real)
        if not any(row.standing in (Standing.APPLIED, Standing.UNCONFIRMED) for row in folded.edits):
            return None
        path = self.home
        name, outside = self._name(path)
        old = read_bytes(path) if path.startswith("/") else None
        if outside is None and old is None and os.path.lexists(path):
            outside = _what_stands(path)
        if folded.deleted:
            return self._deletion(folded, name, old, outside)
        new, why = self._content(folded, name, old)
        if new is None and old is not None:
            new, why = self._over_stump(folded, name, old[0]) or (new, why)
        if new is None:
            return self._no_whole(folded, why, old)
        mode = old[1] if old else self._mode(name)
        if old is not None and old[0] == new:
            return None
        if outside is not None or name is None:
            return Lost(self.file.path, None, old, (new, mode), outside or "it may not be patched")
        elsewhere = f", as {name}: the worktree that it lay in is gone" if path != self.survey.target(self.real) else ""
        return Lost(self.file.path, name, old, (new, mode), why + elsewhere)

    def _name(self, path: str) -> tuple[str | None, str | None]:
        """Its name in the patch, or why it has none."""
        name = _below(self.root, path)
        if name is None:
            return None, "it lies outside the repository" if self.survey.trees.main else "it lies outside the workspace"
        if ".git" in name.lower().split("/"):
            return None, "it belongs to the repository itself"
        if self.trees.mode(name) == "120000":
            return None, "the repository has a symbolic link of that name"
        return name, None

    def _names(self, name: str | None) -> list[str | None]:
        """What it is called in the repository, then what it was called before the session moved it."""
        return [name, *(_below(self.root, path) for path in _origins(self.survey, self.real))]

    def _mode(self, name: str | None) -> str:
        modes = (self.trees.mode(one) for one in self._names(name))
        return next((mode for mode in modes if mode in _MODES), REGULAR)

    def _deletion(
        self, folded: Folded, name: str | None, old: tuple[bytes, str] | None, outside: str | None
    ) -> Lost | None:
        by = (self.survey.undone_by(self.real), *(edit.by for edit in self.file.edits if edit.fate is Fate.REVERTED))
        if old is None or any(who is not None and who.startswith("step ") for who in by):
            return None  # it put the file back itself
        text = text_of(old[0])
        known = (folded.first_text, *(row.edit.before for row in folded.edits))
        meant = text is not None and any(one is not None and same_but_line_ends(one, text) for one in known)
        if outside is None and not meant and not self.trees.in_head(name, old[0]):
            outside = "the session deleted it, and what stands there now is not what it deleted"
        if outside is None and not self.swept:
            outside = "the session deleted it, and somebody put it back: it is not deleted again"
        return Lost(self.file.path, None if outside else name, old, None, outside or "deletes it again")

    def _no_whole(self, folded: Folded, why: str, old: tuple[bytes, str] | None) -> Lost | None:
        """What is known of a file that cannot be patched: its whole content, or the recorded hunks."""
        if folded.text is not None:
            return Lost(self.file.path, None, old, (bytes_of(folded.text, [old[0]] if old else ()), REGULAR), why)
        found = next(self._lost_versions(folded), None)
        if found is not None:
            return Lost(self.file.path, None, old, (found[0], REGULAR), f"{why}; here as it stands in {found[1]}")
        hunks = _hunks_text([row.edit for row in folded.made])
        return Lost(self.file.path, None, old, None, why, hunks) if hunks else None

    # ── content ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _content(self, folded: Folded, name: str | None, old: tuple[bytes, str] | None) -> tuple[bytes | None, str]:
        """The bytes that should stand there, and how they came about; or None, and why not."""
        if old is None:
            named = (self.trees.versions(one) for one in self._names(name))
            return self._anew(folded, next(filter(None, named), list[bytes]()))
        versions = self.trees.versions(name)
        text = folded.text
        if text is None:
            return self._by_hunks(folded, old[0])
        back = self.survey.comparison(self.real).back
        base = _base_of(folded, versions) if back is None or back.text is None else back.text
        if base is None:
            return self._over(folded, text, name, old[0])
        made = rejoin(base, old[0], text)
        if made is not None:
            return made, "restores what the record holds" + self._beside_others(base, old[0])
        if text_of(old[0]) is None:
            return None, "what stands there now is no text, so the session's lines cannot be put back into it"
        return None, "the lines that the session changed were changed by somebody else, too"

    def _beside_others(self, base: str, disk: bytes) -> str:
        text = text_of(disk)
        same = text is not None and same_but_line_ends(base, text)
        return "" if same else ", and keeps what was changed since"

    def _anew(self, folded: Folded, versions: Sequence[bytes]) -> tuple[bytes | None, str]:
        """The content of a file that is gone."""
        if folded.text is not None:
            model = text_of(versions[0]) if versions else None
            blind = model is not None and "\r" not in (folded.first_text or "") + folded.text
            text = ended_like(folded.text, model) if blind and model is not None else folded.text
            return bytes_of(text, versions), "restores what the record holds whole"
        for data, where in self._lost_versions(folded):
            return data, f"restores what {where} holds; the record has its hunks"
        for data in reversed(versions):
            text = text_of(data)
            made = put_onto(_edits(folded), text) if text is not None else None
            if text is not None and made is not None and not folded.blind:
                made = _ended(folded, made, text)
                return rejoin(text, data, made), "the recorded hunks, put into the committed content"
        return None, "the record holds mere hunks, and what they changed is gone"

    def _over(self, folded: Folded, text: str, name: str | None, disk: bytes) -> tuple[bytes | None, str]:
        """A whole write of which nobody knows what stood there before: only what HEAD holds too may be replaced."""
        if self.trees.in_head(name, disk) and folded.existed is not False:
            shown = text_of(disk) or ""
            return bytes_of(ended_like(text, shown), [disk]), "restores what the record holds whole"
        return None, "the session wrote it whole, and something else stands there now"

    def _over_stump(self, folded: Folded, name: str | None, disk: bytes) -> tuple[bytes | None, str] | None:
        """What was cut off where the write of a file, or a disk, broke off: nobody's lines are in the way."""
        if not disk.strip(_NOTHING):
            made, why = self._content(folded, name, None)
            return None if made is None else (made, f"{why}; what stands there is empty")
        shown = text_of(disk)
        text = None if folded.text is None or shown is None else ended_like(folded.text, shown)
        if text is None or shown is None or not text.startswith(shown):
            return None
        return bytes_of(text, [disk]), "restores what the record holds whole; what stands there breaks off"

    def _by_hunks(self, folded: Folded, disk: bytes) -> tuple[bytes | None, str]:
        text = text_of(disk)
        if folded.blind or text is None:
            return None, "the record does not hold all that was written"
        made = put_onto(_edits(folded), text)
        if made is None:
            return None, "the record holds mere hunks, and they fit nowhere in what stands there now"
        return rejoin(text, disk, _ended(folded, made, text)), "the recorded hunks, put where they fit"

    def _lost_versions(self, folded: Folded) -> Iterator[tuple[bytes, str]]:
        """Contents in lost places that are just what the record says, exact bytes."""
        for place in self.file.found_in:
            data = self._read(place)
            if data is not None and judge(folded, content_of(data)).state is FileState.PRESENT:
                yield data, _words(place)

    def _read(self, place: FoundIn) -> bytes | None:
        if place.where is PlaceKind.AGENT_BACKUP and place.path:
            found = read_bytes(place.path)
            return found[0] if found else None
        if place.where not in (PlaceKind.REFLOG, PlaceKind.UNREACHABLE_COMMIT):
            return None
        kept = self.survey.archive(self.real)
        return kept[0].bytes_at(place) if kept is not None else None


def _edits(folded: Folded) -> list[FileEdit]:
    return [row.edit for row in folded.edits if row.standing in (Standing.APPLIED, Standing.UNCONFIRMED)]


def _ended(folded: Folded, text: str, model: str) -> str:
    """A text made of recorded hunks, with the line ends of what they were put onto where they show none themselves."""
    shown = any("\r" in line for edit in _edits(folded) for hunk in edit.hunks for line in hunk.lines)
    return text if shown else ended_like(text, model)


def _base_of(folded: Folded, versions: Sequence[bytes]) -> str | None:
    """What stood there before the session's first edit: recorded, else as the commit of its start has it."""
    if folded.first_text is not None:
        return folded.first_text
    if folded.existed is False or not versions:
        return None
    return text_of(versions[0])


def _words(place: FoundIn) -> str:
    match place.where:
        case PlaceKind.AGENT_BACKUP:
            return "a backup of the agent"
        case PlaceKind.REFLOG:
            return f"the reflog ({place.ref or (place.commit or '')[:12]})"
        case _:
            return f"an unreachable {place.ref or 'commit ' + (place.commit or '')[:12]}"


def _what_stands(path: str) -> str:
    if os.path.islink(path):  # noqa: PTH114 - no error for a name that cannot be looked up
        return "a symbolic link stands in its place now"
    if is_directory(path):
        return "a directory stands in its place now"
    return "what stands in its place now is no plain file, or too large"


def _no_directory(root: str, name: str) -> str | None:
    """The first part of the way to a path that is there and is no directory."""
    above = ""
    for part in name.split("/")[:-1]:
        above = f"{above}/{part}" if above else part
        full = f"{root}/{above}"
        if os.path.islink(full) or (os.path.lexists(full) and not os.path.isdir(full)):  # noqa: PTH112, PTH114 - strings
            return above
    return None


def _hunks_text(edits: Sequence[FileEdit]) -> bytes | None:
    """Recorded hunks as they are, for a person to put in by hand."""
    rows: list[str] = []
    for edit in edits:
        for hunk in edit.hunks:
            where = f"-{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} " if hunk.old_start else ""
            rows += [f"@@ {where}@@ {hunk.anchor}".rstrip(), *hunk.lines]
    return bytes_of("\n".join([*rows, ""])) if rows else None
