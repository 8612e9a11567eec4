"""What a session came to: recalled where its files are as they were, read on where the last one grew, read anew else.

Decides which of the three, by device, inode, size and time of every stretch; where it may be read on, `frozen` says.
What is kept on disk has its titles and failure texts masked; values that were just read stay raw. JSON is cast
unchecked here: Refloat wrote it itself, under the schema number of `catalogue.peek`.
"""

from __future__ import annotations

import os
from _blake2 import blake2b  # see `catalogue.store`
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, cast

import orjson

from refloat.catalogue.pack import Packed, pack, share, unpack
from refloat.catalogue.rows import Key, Reading
from refloat.catalogue.store import Catalogue, hide_path
from refloat.model.light import light, replace
from refloat.model.session import Failure
from refloat.model.story import Story, Summary
from refloat.readers.contract import Digest, Found, Reader, Segment, SourceFile
from refloat.there import is_plain_file
from refloat.usecases.frozen import Parts, find_starts, freeze
from refloat.usecases.masking import mask
from refloat.usecases.reading import Placed, Resumable, read_summary

_BATCH: Final = 256
_BATCH_BYTES: Final = 128 * 1024 * 1024
"""Sessions, and bytes of them, read before they are kept: what a killed first reading loses at most. Each time the same
pages of the tables are written again.
"""


def key_of(found: Found) -> Key:
    """What a session is kept under."""
    return found.agent, found.session_id, found.segments[-1].file.path if found.segments else ""


@light
class Made:
    """What reading a session came to, ready to be kept."""

    packed: Packed
    files: str | None = None
    """Which files it was read from; None: it must be read again the next time."""
    reading: Reading | None = None
    """None: it cannot be written."""
    frozen: bytes = b""
    secret: bool = False
    """What is frozen holds a secret: it goes to no disk, and the next Refloat reads the session anew."""
    edited: tuple[str, ...] = ()
    digest: bytes = b""
    """What was made of the texts that were read."""
    anew: bool = True
    """All of the session was read, not only what is new."""

    @property
    def written(self) -> bytes:
        """What of it may stand on disk to read on from."""
        return b"" if self.secret else self.frozen


class Index(Protocol):
    """Keeps what readings made of their texts. See `refloat.search.index`."""

    def covers(self, key: Key, files: str) -> bool:
        """Whether the session's texts are kept, of just this state of its files."""
        ...

    def covered(self) -> Collection[Key]:
        """All of which the texts are kept, of whatever state."""
        ...

    def keep(self, rows: Sequence[tuple[Key, str, str | None, bytes]]) -> None:
        """Keep (key, files, the files that an earlier reading held and this one went on from, digest) of each; what was
        kept of one that was read anew (None) goes.
        """
        ...

    def forget(self, keys: Iterable[Key]) -> None:
        """Sessions whose files are gone."""
        ...

    def close(self) -> None:
        """Let go of its files: nothing more is kept in this look."""
        ...


@light
class Searched:
    """What is made of the texts of sessions while they are read."""

    index: Callable[[int | None, Collection[Key] | None], Index]
    """For one look, beside the catalogue that is known by this number; with keys: it is asked for these alone."""
    digests: Callable[[], Digest]
    """A function that pickle finds by its name."""


def index_of(
    searched: Searched | None, catalogue: Catalogue | None, keys: Collection[Key] | None = None
) -> Index | None:
    """The index for one look, where texts are kept at all; `keys`: it will be asked for these sessions alone."""
    if searched is None:
        return None
    return searched.index(None if catalogue is None else catalogue.born or None, keys)


def make(
    reader: Reader,
    found: Found,
    start: Mapping[str, Resumable],
    digests: Callable[[], Digest] | None = None,
    *,
    quick: bool = False,
    clean: bool = False,
) -> Made:
    """Read a session, on from `start` where that is given for a part, with a digest of its texts where one is wanted.
    Needs no catalogue, so any process can do it. `quick` as in `reading.run`; `clean`: what stands in `start` was
    looked through, and holds no secret.
    """
    digest = None if digests is None else digests()
    ends: dict[str, Resumable | None] = {}
    summaries: dict[str, Summary] = {}
    for sub in (None, *found.subagents):
        part = "" if sub is None else sub.id
        sink = None if digest is None else digest.sink(part)
        summaries[part], ends[part] = read_summary(reader, found, sub, start.get(part), sink, quick=quick)
    made = _made(found, Packed(summaries.pop(""), summaries), ends, start if clean else {})
    return made if digest is None else replace(made, digest=digest.close(), anew=not start)


def make_whole(reader: Reader, found: Found, placed: Placed | None = None) -> tuple[Made, Story]:
    """Read a session with all of its items: the same, and its story on top."""
    from refloat.usecases.read_session import read_whole  # a list reads no items

    story, ends = read_whole(reader, found, placed)
    subagents = {key: sub.summary for key, sub in story.subagents.items()}
    return _made(found, Packed(story.summary, subagents), ends, {}), story


def _made(found: Found, packed: Packed, ends: Mapping[str, Resumable | None], clean: Mapping[str, Resumable]) -> Made:
    files = files_text(found)
    if files is None or not _may_be_kept(packed):
        return Made(packed)
    try:
        frozen = freeze(ends, found, clean, list(map(_shown, _every(packed))))
        kept = packed if frozen.clean else _masked(packed)
        reading = Reading(key_of(found), files, kept.summary.lineage, pack(kept))
    except (TypeError, ValueError):  # some name in it is no text
        return Made(packed, files)
    edited = dict.fromkeys(path for each in _every(kept) for path in each.edited_paths)
    return Made(packed, files, reading, frozen.data, frozen.secret, tuple(edited))


class Recall:
    """Remembers readings, in memory from look to look and in the catalogue from run to run."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[str, Packed]] = {}
        self._written: dict[Key, Reading] | None = None
        """What the catalogue keeps, where all of it was wanted, as far as it was not unpacked yet: both at once would
        be half of all memory.
        """
        self._pending: list[tuple[Reading, bytes, Sequence[str]]] = []
        self._unkept = 0
        """Bytes of the sessions that are not kept yet."""
        self._frozen: dict[Key, bytes] = {}
        self._secret: set[Key] = set()
        """Of these, what is frozen is here alone."""
        self._catalogue: Catalogue | None = None
        self._index: Index | None = None
        self._digested: list[tuple[Key, str, str | None, bytes]] = []
        self.kept_all = True
        """Whether everything that was read since `open` is in the catalogue, or will be with `flush`."""
        self.can_keep = False
        """Whether there is a catalogue, and it took what it was given."""

    def open(self, catalogue: Catalogue | None, *, everything: bool, index: Index | None = None) -> None:
        """Use a catalogue from now on; `everything` takes all of its readings along, which a list needs. With an
        `index`, what it does not cover counts as unread.
        """
        self._catalogue, self._index = catalogue, index
        self.can_keep = catalogue is not None
        self._pending.clear()
        self._digested.clear()
        self._let_go()
        self.kept_all = True
        self._written = dict(catalogue.readings()) if catalogue is not None and everything else None

    def recall(self, found: Found) -> Packed | None:
        """What the session came to, when none of its files has changed since."""
        key = key_of(found)
        if self._written is not None and key not in self._written and key not in self._known:
            return None
        files = files_text(found)
        if files is None:
            return None
        if self._index is not None and not self._index.covers(key, files):
            return None
        known = self._known.get(key)
        if known is not None and known[0] == files:
            return known[1]
        reading = self._reading(key)
        if reading is None or reading.files != files:
            return None
        packed = _unpack(reading)
        if packed is not None:
            self._known[key] = files, packed
            self._frozen.pop(key, None)  # of an earlier reading
            if self._written is not None:
                self._written.pop(key, None)
        return packed

    def read(self, reader: Reader, found: Found) -> Packed:
        """Read what is new of a session, and keep it."""
        return self.keep(found, make(reader, found, self.starts(found)))

    def read_whole(self, reader: Reader, found: Found, placed: Placed | None = None) -> tuple[Packed, Story]:
        """Read all of a session, and keep what a list needs of it."""
        made, story = make_whole(reader, found, placed)
        return self.keep(found, made), story

    def keep(self, found: Found, made: Made) -> Packed:
        """Keep what a session was read to be."""
        key = key_of(found)
        made = replace(made, packed=share(made.packed))
        before = None if made.anew else self._before(key)
        self._known.pop(key, None)
        if made.files is None:
            self.kept_all = False
            return made.packed
        self._known[key] = made.files, made.packed
        if made.reading is None:
            self.kept_all = False
            return made.packed
        self._frozen[key] = made.frozen
        if self._catalogue is None:
            self.kept_all = False
            return made.packed
        if made.secret:
            self._secret.add(key)
        else:
            self._secret.discard(key)
        self._pending.append((made.reading, made.written, made.edited))
        if self._index is not None:
            self._digested.append((key, made.files, before, made.digest))
        self._unkept += sum(file.size for file in found.files)
        if len(self._pending) >= _BATCH or self._unkept >= _BATCH_BYTES:
            self.flush()
        return made.packed

    def forget(self, keys: Iterable[Key], seen: Collection[Key]) -> None:
        """Let go of sessions whose files are gone: of these, and of those of the index that were not seen."""
        if self._index is not None:
            unseen = (key for key in self._index.covered() if key not in seen and not os.path.lexists(key[2]))
            if gone := {*keys, *unseen}:
                self._index.forget(gone)

    def flush(self) -> None:
        """Write what was read to the catalogue, and before it to the index: what a kill parts is read again."""
        if self._index is not None and self._digested:
            self._index.keep(self._digested)
        self._digested.clear()
        if self._catalogue is not None and self._pending:
            if self._catalogue.keep_readings(self._pending):
                self._let_go()
            else:
                self.kept_all = self.can_keep = False
        self._pending.clear()
        self._unkept = 0

    def _let_go(self) -> None:
        """Of what is frozen, unless it is here alone."""
        self._frozen = {key: frozen for key, frozen in self._frozen.items() if key in self._secret}

    def close(self) -> None:
        """The end of a look: write what was read, and let go of the index."""
        self.flush()
        if self._index is not None:
            self._index.close()

    def read_of(self, found: Found) -> int:
        """Bytes of its own files that need not be read again."""
        return read_before(found, self.starts(found))

    def _reading(self, key: Key) -> Reading | None:
        if self._written is not None:
            return self._written.get(key)
        return None if self._catalogue is None else self._catalogue.reading(key)

    def _before(self, key: Key) -> str | None:
        """The files from which the session was read last."""
        known = self._known.get(key)
        if known is not None:
            return known[0]
        reading = self._reading(key)
        return None if reading is None else reading.files

    def starts(self, found: Found) -> Mapping[str, Resumable]:
        """Where each part of the session may be read on from."""
        key = key_of(found)
        before = self._before(key)
        if before is None or (self._index is not None and not self._index.covers(key, before)):
            return {}
        frozen = self._frozen.get(key)
        if not frozen and self._catalogue is not None:
            frozen = self._catalogue.frozen(key, before)
        if frozen is None:
            return {}
        try:
            return find_starts(before, frozen, files_text(found) or "{}")
        except (ValueError, TypeError, KeyError, IndexError):  # frozen by another version: read anew
            return {}


def read_before(found: Found, starts: Mapping[str, Resumable]) -> int:
    """Bytes of a session's own files that stand before the place where reading goes on."""
    at = starts.get("")
    return 0 if at is None else sum(segment.file.size for segment in found.segments[: at.segment]) + at.cursor.offset


def _every(packed: Packed) -> Sequence[Summary]:
    return packed.summary, *packed.subagents.values()


def _may_be_kept(packed: Packed) -> bool:
    """A file that could not be opened may open later, and its stat will not tell."""
    return not any(
        problem.line is None and problem.offset is None for summary in _every(packed) for problem in summary.problems
    )


def files_text(found: Found) -> str | None:
    """Which stretches of which files hold the session, and their stats, and what else is told with its first line: the
    names that indexes have for it; None where a name is no text.
    """
    parts: Parts = {"": _stretches(found.segments)}
    for sub in found.subagents:
        parts[sub.id] = _stretches(sub.segments)
    relatives = [file.path for file in found.relatives]
    try:
        titles = blake2b(orjson.dumps(titles_of(found)), digest_size=12).hexdigest()  # they may hold a secret
        told: dict[str, object] = {"parts": parts, "parent": found.parent, "relatives": relatives, "titles": titles}
        told["renamed"] = found.renamed
        return orjson.dumps(told).decode()
    except TypeError:
        return None


def titles_of(found: Found) -> list[str]:
    """What indexes call a session, apart from its transcript."""
    notes = (segment.identity.note for segment in found.segments if segment.identity is not None)
    return [title for title in (found.title, *(note.get("title") for note in notes if note)) if title]


def _stretches(segments: Sequence[Segment]) -> list[list[object]]:
    return [
        [
            segment.file.path,
            segment.file.size,
            segment.file.mtime_ns,
            segment.file.inode,
            segment.file.device,
            segment.start,
            segment.end,
            segment.superseded,
        ]
        for segment in segments
    ]


def _masked(packed: Packed) -> Packed:
    subagents = {key: _mask_summary(summary) for key, summary in packed.subagents.items()}
    return Packed(_mask_summary(packed.summary), subagents)


_TEXTS: Final = (
    "title", "branch", "commit", "model", "version", "entrypoint", "parent", "continued_in", "lineage", "last_row",
)  # fmt: skip
"""Texts of a summary that a transcript says. Where the session works stays as it is: its files lie by that name."""


def _shown(summary: Summary) -> tuple[Mapping[str, str | None], Failure | None, tuple[str, ...]]:
    """What of a summary may hold a secret."""
    return {name: getattr(summary, name) for name in _TEXTS}, summary.ending.failure, summary.edited_paths


def _mask_summary(summary: Summary) -> Summary:
    texts, failure, paths = mask(_shown(summary))
    edited = tuple(
        path if path == shown else hide_path(path) for path, shown in zip(summary.edited_paths, paths, strict=True)
    )
    return replace(summary, **texts, edited_paths=edited, ending=replace(summary.ending, failure=failure))


def _unpack(reading: Reading) -> Packed | None:
    try:
        return unpack(reading.summary)
    except (ValueError, TypeError, KeyError):
        return None


def found_again(reading: Reading) -> tuple[Found, Summary] | None:
    """What a kept reading says of its files and of what they came to, without a look at the disk."""
    packed = _unpack(reading)
    if packed is None:
        return None
    told = cast("dict[str, object]", orjson.loads(reading.files))  # our own, checked by the schema number
    parts = cast("Parts", told["parts"])
    files = [SourceFile(*cast("tuple[str, int, int, int, int]", stretch[:5])) for stretch in parts[""]]
    relatives = tuple(SourceFile(path, 0, 0, 0, 0) for path in cast("list[str]", told["relatives"]))
    segments = tuple(Segment(file) for file in files)
    renamed = cast("str", told["renamed"])
    return Found(*reading.key[:2], segments, relatives=relatives, renamed=renamed), packed.summary


def housemates(cache: Path, found: Found, summary: Summary) -> Iterator[tuple[Found, Summary]]:
    """Other sessions of its agent that name its workspace, as far as the catalogue in `cache` knows them."""
    place = (summary.workspace or "").encode("utf-8", "replace")
    catalogue = Catalogue.open(cache) if place and not found.by_path else None
    if catalogue is None:
        return
    with catalogue:
        readings = catalogue.readings()
    for key, reading in readings.items():
        if key[0] == found.agent and key != key_of(found) and place in reading.summary:
            again = found_again(reading)
            if again is not None and all(is_plain_file(file.path) for file in again[0].files):
                yield again
