"""What `list` does where what is kept does not answer it, whichever road its words came by.

Decides what is loaded when: what prints an answer, once, before a second process begins to read and to write.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.errors import UsageError
from refloat.model.problem import only_unread
from refloat.model.session import Session, State
from refloat.usecases.batch import Listing, Scope
from refloat.usecases.finder import Finder
from refloat.usecases.may_be_held import may_be_held
from refloat_tui.cli.asking import answer, bench, finding, here, show_unmasked
from refloat_tui.cli.ending import UNREAD
from refloat_tui.cli.held import holders

if TYPE_CHECKING:
    from refloat.model.record import Lease
    from refloat_tui.cli.quick import Asked

_SHOW: Final = "refloat_tui.cli.show"
_BESIDE: Final = 80
"""Columns for what stands beside a title, or more."""
_TEXT: Final = 400
"""Bytes of a session's texts, or so."""
_NO_SESSIONS: Final = '"sessions":[]'


def answer_plain(asked: "Asked") -> int | None:
    """Answer plain words on standard output and return the exit code; None where the parser must, and nothing was
    written.
    """
    if asked.agent and asked.agent not in [reader.agent for reader in bench().readers]:
        return None  # it could not be loaded
    scope = Scope(
        cwd=None if asked.everywhere else (Path(asked.cwd) if asked.cwd else here()).absolute(),
        agent=asked.agent or None,
        state=State(asked.state) if asked.state else None,
        limit=asked.limit,
        all_copies=asked.all_copies,
    )
    from refloat_tui.cli import ending

    return ending.told(lambda: show_list(scope, as_json=asked.json))


def show_list(scope: Scope, *, as_json: bool = False, show_secrets: bool = False) -> int:
    """Print sessions, newest activity first, with their state; return the exit code."""
    write = _Write() if as_json and not show_secrets else None
    sought = replace(scope, limit=None) if scope.resumable else scope
    show_unmasked(show_secrets)
    finder = Finder(finding(), before=lambda many: _load(many, as_json=as_json), write=write)
    listing = finder.find(sought)
    everywhere = scope.cwd is None or not finder.told  # where there is none at all, that is what is said
    if scope.resumable:
        listing = replace(listing, sessions=_accepted(listing.sessions, scope.limit))
    unfiltered = scope.agent is None and scope.state is None and not scope.resumable
    if scope.cwd is not None and unfiltered and not listing.sessions and not listing.records_gone:
        _refuse_nowhere(scope.cwd, finder)
    held = holders(bench()) if may_be_held(os.environ) else {}
    if (text := _joined(listing, held)) is not None:
        from refloat_tui.cli import out

        out.write(text)
    else:
        answer(
            listing,
            lambda value, width: _lines(
                value, _room(value, width) if show_secrets else width, held, everywhere=everywhere
            ),
            (lambda value: _json(value, held)) if as_json else None,
            masked=not show_secrets,
        )
    if some := sum(session.provisional for session in listing.sessions):
        from refloat_tui.cli import err

        err.say(f"{some:,} sessions are told by the ends of their files; `refloat refresh` reads them whole")
    return UNREAD if only_unread(listing.problems) else 0


def _refuse_nowhere(place: Path, finder: Finder) -> None:
    """Refuse a place that is no directory and never was one to any session: a slip of the hand.

    Raises:
        UsageError: it is one.

    """
    from refloat.there import is_directory
    from refloat.usecases.sessions import Surroundings, names_here

    if not is_directory(place) and not names_here(place, finder.told, Surroundings()):
        raise UsageError(f"{place} is no directory, and no session worked there")


def _accepted(sessions: Sequence[Session], limit: int | None) -> tuple[Session, ...]:
    """Those that `continue` would let through, by the same guard and with everybody who is at them now."""
    from itertools import islice

    from refloat.usecases.act import would_accept
    from refloat_tui.cli.asking import actor

    own = actor()
    return tuple(islice((one for one in sessions if would_accept(bench(), own, one)), limit))


def _load(many: int, *, as_json: bool) -> None:
    """What two processes write so many sessions with."""
    from refloat.brief import suspects

    for name in ("refloat.brief.masks", "refloat_tui.cli.out", "refloat.wire" if as_json else f"{_SHOW}.listing"):
        import_module(name)
    suspects.expect(many * _TEXT)


class _Write:
    """Writes the JSON of each of some sessions, if there is no secret in any of them: one that is found once is masked
    everywhere. Sessions say the same in thousands of places: no text is looked through twice.
    """

    def __init__(self) -> None:
        self._bare: set[str] = set()
        """Texts without one."""

    def __call__(self, sessions: Sequence[Session]) -> list[str | None]:
        from refloat import wire
        from refloat.brief.masks import Masker, strings_of

        documents = [wire.session(session) for session in sessions]
        texts = set(strings_of(documents)) - self._bare
        if Masker().learn_all(texts):
            return [None] * len(documents)
        self._bare |= texts
        return [wire.dump(document, masker=Masker(enabled=False)).rstrip("\n") for document in documents]


def _joined(listing: Listing, held: "Mapping[str, Lease]") -> str | None:
    """The JSON of the whole from that of each session; None where it holds a secret, or one is not written, or is
    held: what is kept of a session says nothing of that.
    """
    if any(session.name in held for session in listing.sessions):
        return None
    texts = [listing.written.get(session.name) for session in listing.sessions]
    if not texts or None in texts:
        return None
    from refloat import wire
    from refloat.brief.masks import Masker

    masker = Masker()
    rest = wire.dump(wire.listing(replace(listing, sessions=())), masker=masker)
    before, none, after = rest.partition(_NO_SESSIONS)
    return None if masker.knows_any or not none else f"{before}{none[:-1]}{','.join(filter(None, texts))}]{after}"


def _json(listing: Listing, held: "Mapping[str, Lease]") -> object:
    from refloat import wire

    return wire.listing(listing, held)


def _room(listing: Listing, width: int) -> int:
    """Columns that take every title whole: a secret in one would be cut away otherwise."""
    return max([width, *(len(session.title or "") + _BESIDE for session in listing.sessions)])


def _lines(listing: Listing, width: int, held: "Mapping[str, Lease]", *, everywhere: bool) -> Iterable[str]:
    from refloat_tui.cli.show.listing import listing_lines

    return listing_lines(listing, width, bench().machine.clock.now(), held, everywhere=everywhere)
