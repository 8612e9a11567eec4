"""Keys that sign receipts: this machine's own made, others' trusted and forgotten again.

Decides that an own key is never replaced, only made where there is none: what it signed must stay tellable. It is known
from its making on, so that what it signed stays valid after it was moved away.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from refloat.errors import NotDone, UsageError
from refloat.record.keys import (
    KEY,
    KNOWN,
    OWN,
    KeyUnusable,
    Known,
    changing,
    known_lines,
    own_line,
    read_known,
    read_own,
)
from refloat.usecases.export_job import write_export_file

_LONGEST: Final = 100
_SHORTEST: Final = 8
"""Digits that name a key which is known already."""


class KnownKey(NamedTuple):
    """A public key that is known here."""

    key: str
    name: str
    own: bool
    """This machine signs with it."""


def known_in(data: Path) -> Known:
    """The keys that are known, for a check of a file: read when something in it is signed."""
    return lambda: read_known(data)


def make_key(data: Path, name: str) -> KnownKey:
    """Make this machine's own key (private, 0600); from here on receipts are signed with it.

    Raises:
        NotDone: there is one already, or it could not be written.
        UsageError: the name is none.
        KeyUnusable: a file of keys is there and cannot be used.

    """
    from refloat.record.signing import new_seed

    called, seed = _name(name), new_seed()
    public = _public(seed)
    with changing(data):
        if read_own(data) is not None:
            raise NotDone(f"there is a key already; move {data / OWN} away to make another, its receipts stay valid")
        _write(data, {**read_known(data), public: called})
        write_export_file(data / OWN, [own_line(seed)])
    return KnownKey(public, called, own=True)


def get_own_key(data: Path) -> KnownKey | None:
    """This machine's own key, or None.

    Raises:
        KeyUnusable: it is there and cannot be used.

    """
    seed = read_own(data)
    if seed is None:
        return None
    own = _public(seed)
    return KnownKey(own, read_known(data).get(own, ""), own=True)


def list_keys(data: Path) -> Sequence[KnownKey]:
    """Every key that is known here, the own one first, then by name.

    Raises:
        KeyUnusable: the known keys cannot be read.

    """
    own = _own(data)
    found = [KnownKey(key, name, key == own) for key, name in read_known(data).items()]
    return sorted(found, key=lambda each: (not each.own, each.name, each.key))


def trust_key(data: Path, key: str, name: str) -> KnownKey:
    """Know a public key from here on; a key that is known already gets the new name.

    Raises:
        UsageError: it is no key, or the name is none.
        NotDone: it could not be written.
        KeyUnusable: the known keys cannot be read.

    """
    called = _name(name)
    if KEY.fullmatch(key) is None:
        raise UsageError("a key is 64 hex digits in lower case, as `refloat record key` prints it on its own machine")
    with changing(data):
        _write(data, {**read_known(data), key: called})
    return KnownKey(key, called, key == _own(data))


def untrust_key(data: Path, key: str) -> KnownKey:
    """Forget a key: the whole of it, its beginning, or its name.

    Raises:
        UsageError: it means none, or more than one.
        NotDone: this machine signs with it, or it could not be written.
        KeyUnusable: the known keys cannot be read.

    """
    with changing(data):
        known = read_known(data)
        chosen = [each for each in known if each == key] or [
            each for each, name in known.items() if name == key or (len(key) >= _SHORTEST and each.startswith(key))
        ]
        if len(chosen) != 1:
            raise UsageError(f"{len(chosen) or 'no'} known keys are called {key!r}; `refloat record keys` lists them")
        if chosen[0] == _own(data):
            raise NotDone(f"this machine signs with that key; move {data / OWN} away first")
        gone = KnownKey(chosen[0], known.pop(chosen[0]), own=False)
        _write(data, known)
    return gone


def _own(data: Path) -> str | None:
    """The key that this machine signs with now; None where it does not."""
    try:
        seed = read_own(data)
    except KeyUnusable:
        return None
    return None if seed is None else _public(seed)


def _public(seed: bytes) -> str:
    from refloat.record.signing import Signer

    return Signer(seed).public


def _name(name: str) -> str:
    called = name.strip()
    if not called or len(called) > _LONGEST or not called.isprintable():
        raise UsageError(f"a key's name is 1 to {_LONGEST} printable characters; {name[:40]!r} is not")
    return called


def _write(data: Path, known: dict[str, str]) -> None:
    write_export_file(data / KNOWN, [known_lines(known)])
