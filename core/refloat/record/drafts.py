"""Drafts of recoveries in the record: found, saved answer by answer, marked done.

Decides how what a person said becomes a row and comes back. Refuses to decide what an answer means.
A state that an older or newer program wrote is read as far as it is understood: an unknown word costs itself only.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar, cast
from uuid import uuid4

from refloat.errors import NotDone
from refloat.model.brief import SECTIONS, Section
from refloat.model.recovery import (
    LOOKED_SAID,
    PAGES,
    PILES,
    PROCESS_SAID,
    Draft,
    Given,
    LineEdit,
    Page,
    Probe,
    Seen,
)
from refloat.model.saving import Ending, Opening
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, read_stamp
from refloat.record.chain import add_within
from refloat.record.contents import Content
from refloat.record.engine import Connection, Row
from refloat.record.rows import number
from refloat.record.store import Record

_SECTIONS: Final = frozenset(section for section, _ in SECTIONS)
_EPOCH: Final = Stamp("1970-01-01T00:00:00.000Z")

_Word = TypeVar("_Word", bound=str)


class DraftMoved(NotDone):
    """Somebody else saved to the same draft meanwhile."""


def find_drafts(record: Record, *, done: bool = False) -> tuple[Draft, ...]:
    """Every draft, unfinished ones unless `done`, the newest first."""
    with record.reading() as connection:
        rows = connection.rows("drafts.all", done=int(done))
    return tuple(_draft(row) for row in rows)


def get_draft(record: Record, session: SessionName) -> Draft | None:
    """The unfinished draft of a session, or None."""
    with record.reading() as connection:
        row = connection.row("drafts.unfinished", session=session)
    return None if row is None else _draft(row)


def newest_draft(record: Record, session: SessionName) -> Draft | None:
    """What was answered last for a session: its unfinished draft, else the one that was finished last, or None."""
    with record.reading() as connection:
        row = connection.row("drafts.newest", session=session)
    return None if row is None else _draft(row)


def finished_draft(record: Record, session: SessionName) -> Draft | None:
    """The draft of a session that was finished last, or None."""
    with record.reading() as connection:
        row = connection.row("drafts.finished", session=session)
    return None if row is None else _draft(row)


def begin_draft(record: Record, session: SessionName, title: str, seen: Seen, now: Stamp) -> Draft:
    """The unfinished draft of a session: the one that is there, or a new one. Two that begin at once share one.

    A new one begins with the answers of the one that was finished last, and with what they were given about.
    """
    fresh = Draft(uuid4().hex, session, title, now, now, 1, Given(), seen)
    with record.writing() as connection:
        row = connection.row("drafts.newest", session=session)
        if row is not None and (before := _draft(row)).given.says_anything:
            fresh = replace(fresh, given=before.given.answers, seen=before.seen, receipts=before.receipts, by=before.by)
        state = write_state(fresh.given, fresh.seen, fresh.receipts, by=fresh.by)
        connection.run("drafts.begin", id=fresh.id, session=session, title=title, now=now, state=state)
        row = connection.row("drafts.unfinished", session=session)
    return fresh if row is None else _draft(row)


class Answered(NamedTuple):
    """A step to be saved with a draft: an answer, by the key of its question."""

    key: str
    opening: Opening
    ending: Ending
    given: Content
    output: Content


def _no_steps(before: Given) -> Sequence[Answered]:
    del before
    return ()


def _anybody(connection: Connection) -> None:
    del connection


def save_draft(
    record: Record,
    draft: Draft,
    now: Stamp,
    steps: Callable[[Given], Sequence[Answered]] = _no_steps,
    *,
    typing: bool = False,
    check: Callable[[Connection], None] = _anybody,
) -> Draft:
    """Save what was said, whole, and the steps that tell of it: all in one transaction. The draft comes back as it is
    now, with the receipts of its answers. `steps` gets what the steps told last.

    With `typing` the words are saved, and no step yet: a step for every few letters would bury the answer.
    `check` is asked within the transaction whether this one may still answer, and raises where not.

    Raises:
        DraftMoved: somebody else saved it since `draft` was read, or finished it.
        NotWritten: it could not be written.

    """
    signer = record.signer()
    with record.writing() as connection:
        check(connection)
        row = connection.row("drafts.state", id=draft.id, revision=draft.revision)
        if row is None:
            raise _moved(draft)
        state = str(row["state"])
        told = read_told(state) or state
        receipts = read_receipts(told)
        answered = steps(read_state(told)[0])
        for step in answered:
            if typing:
                receipts.pop(step.key, None)
            else:
                sealed = add_within(connection, step.opening, step.ending, step.given, step.output, signer)
                receipts[step.key] = sealed.receipt
        changed = connection.run(
            "drafts.save",
            state=write_state(draft.given, draft.seen, receipts, told if typing and answered else None, by=draft.by),
            title=draft.title,
            done=int(draft.done),
            now=now,
            id=draft.id,
            revision=draft.revision,
        )
        if not changed:
            raise _moved(draft)  # between the question and now; the steps go with it
    return replace(draft, updated_at=now, revision=draft.revision + 1, receipts=receipts)


def _moved(draft: Draft) -> DraftMoved:
    return DraftMoved(f"the recovery of {draft.session} was answered in another terminal meanwhile")


def _draft(row: Row) -> Draft:
    given, seen = read_state(str(row["state"]))
    return Draft(
        id=str(row["id"]),
        session=SessionName(str(row["session"])),
        title=str(row["title"]),
        created_at=read_stamp(row["created_at"]) or _EPOCH,
        updated_at=read_stamp(row["updated_at"]) or _EPOCH,
        revision=number(row, "revision") or 1,
        given=given,
        seen=seen,
        done=bool(row["done"]),
        receipts=read_receipts(str(row["state"])),
        by=_text(_read(str(row["state"])).get("by")) or "",
    )


# ── the state's JSON ─────────────────────────────────────────────────────────────────────────────────────────────────


def write_state(
    given: Given, seen: Seen, receipts: Mapping[str, str] | None = None, told: str | None = None, *, by: str = ""
) -> str:
    """What was said, what it was said about, and the receipts of it, as JSON.

    `told` is the earlier state that the steps tell, where words are being typed that no step tells yet.
    """
    value: dict[str, object] = {
        "page": given.page,
        "passed": sorted(given.passed),
        "process": given.process,
        "process_note": given.process_note,
        "happened": given.happened,
        "owners": given.owners,
        "hunks": given.hunks,
        "looked_at": sorted(given.looked_at),
        "moved": {key: list(said) for key, said in given.moved.items()},
        "inspected": {key: list(said) for key, said in given.inspected.items()},
        "probes": {
            key: {"argv": list(probe.argv), "code": probe.code, "out": probe.out, "at": probe.at}
            for key, probe in given.probes.items()
        },
        "goal": given.goal,
        "next_step": given.next_step,
        "done_when": None if given.done_when is None else list(given.done_when),
        "title": given.title,
        "edits": {section: [[edit.was, edit.now] for edit in edits] for section, edits in given.edits.items()},
        "wrap": given.wrap,
        "path": given.path,
        "written": None if given.written is None else list(given.written),
        "stale": given.stale,
        "seen": {
            "state": seen.state,
            "head": seen.head,
            "transcript": seen.transcript,
            "files": seen.files,
            "open_steps": list(seen.open_steps),
        },
        "receipts": dict(receipts or {}),
        "told": told,
        "by": by,
    }
    # ASCII, so that text with half a surrogate pair in it (it happens in transcripts) survives, too.
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def read_state(text: str) -> tuple[Given, Seen]:
    """Read what `write_state` wrote; what is missing or not understood takes its default."""
    state = _read(text)
    done_when = state.get("done_when")
    given = Given(
        page=_page(state.get("page")) or Page.PROCESS,
        passed=frozenset(page for word in _list(state.get("passed")) if (page := _page(word))),
        process=next((said for said in PROCESS_SAID if said == state.get("process")), None),
        process_note=_text(state.get("process_note")) or "",
        happened=_text(state.get("happened")),
        owners=_texts(state.get("owners")),
        hunks=_texts(state.get("hunks")),
        looked_at=frozenset(_words(state.get("looked_at"))),
        moved=dict(_pairs(PILES, _mapping(state.get("moved")).items())),
        inspected=dict(_pairs(LOOKED_SAID, _mapping(state.get("inspected")).items())),
        probes={key: probe for key, row in _mapping(state.get("probes")).items() if (probe := _probe(row))},
        goal=_text(state.get("goal")),
        next_step=_text(state.get("next_step")),
        done_when=None if done_when is None else tuple(_words(done_when)),
        title=_text(state.get("title")),
        edits={
            cast("Section", key): _edits(rows) for key, rows in _mapping(state.get("edits")).items() if key in _SECTIONS
        },
        wrap=_texts(state.get("wrap")),
        path=_text(state.get("path")),
        written=_written(state.get("written")),
        stale=state.get("stale") is True,
    )
    return given, _seen(_mapping(state.get("seen")))


def read_receipts(text: str) -> dict[str, str]:
    """The receipts in what `write_state` wrote."""
    return _texts(_read(text).get("receipts"))


def read_told(text: str) -> str | None:
    """The earlier state in what `write_state` wrote, where words were being typed."""
    return _text(_read(text).get("told"))


def _read(text: str) -> Mapping[str, object]:
    try:
        return _mapping(json.loads(text))
    except ValueError:
        return {}


def _seen(state: Mapping[str, object]) -> Seen:
    size = state.get("transcript")
    return Seen(
        state=_text(state.get("state")) or "",
        head=_text(state.get("head")) or "",
        transcript=size if isinstance(size, int) else 0,
        files=_texts(state.get("files")),
        open_steps=tuple(step for step in _list(state.get("open_steps")) if isinstance(step, int)),
    )


def _mapping(value: object) -> Mapping[str, object]:
    # JSON's own keys are text; the cast only tells the checker so.
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> dict[str, str]:
    return {key: word for key, word in _mapping(value).items() if isinstance(word, str)}


def _words(value: object) -> list[str]:
    return [word for word in _list(value) if isinstance(word, str)]


def _page(value: object) -> Page | None:
    return next((page for page in PAGES if page == value), None)


def _pairs(words: tuple[_Word, ...], rows: Iterable[tuple[str, object]]) -> list[tuple[str, tuple[_Word, str]]]:
    """Rows of (one of `words`, any text)."""
    found: list[tuple[str, tuple[_Word, str]]] = []
    for key, row in rows:
        match _list(row):
            case [word, str(note)]:
                found += [(key, (known, note)) for known in words if known == word]
            case _:
                pass
    return found


def _edits(value: object) -> tuple[LineEdit, ...]:
    pairs = (_words(row) for row in _list(value))
    return tuple(LineEdit(pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def _probe(value: object) -> Probe | None:
    row = _mapping(value)
    code, at = row.get("code"), read_stamp(row.get("at"))
    if not isinstance(code, int) or at is None:
        return None
    return Probe(tuple(_words(row.get("argv"))), code, _text(row.get("out")) or "", at)


def _written(value: object) -> tuple[str, Stamp] | None:
    match _list(value):
        case [str(path), at] if (stamp := read_stamp(at)) is not None:
            return path, stamp
        case _:
            return None
