"""An index of a few paths, for git to compare with the disk: a large checkout's own has each of its files looked at.

Decides the bytes alone (gitformat-index(5), version 2): entries without the times and sizes by which git would take a
file for unchanged, so that each is read. Refuses nothing: it is held in memory and never written into a repository.
"""

from collections.abc import Iterable
from importlib import import_module
from struct import pack
from typing import Final

_VERSION: Final = 2
_LONGEST_NAME: Final = 0xFFF
_STEP: Final = 8
"""Entries end at a multiple of so many bytes, with a zero at least."""


def index_file(entries: Iterable[tuple[str, str, str]], algorithm: str) -> bytes:
    """The bytes of an index of these paths, each with its mode as git writes it (`100644`) and its object id."""
    rows = sorted((path.encode("utf-8", "surrogateescape"), int(mode, 8), oid) for path, mode, oid in entries)
    parts = [pack(">4sII", b"DIRC", _VERSION, len(rows))]
    for name, mode, oid in rows:
        stat = pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0)
        entry = stat + bytes.fromhex(oid) + pack(">H", min(len(name), _LONGEST_NAME)) + name
        parts.append(entry + bytes(_STEP - len(entry) % _STEP))
    body = b"".join(parts)
    return body + git_hash(algorithm, body)


def git_hash(algorithm: str, data: bytes) -> bytes:
    """Git's hash of some bytes."""
    if algorithm == "sha1":
        # `hashlib` gives the very same, and loads the whole of OpenSSL first; not every type checker finds this.
        return bytes(import_module("_sha1").sha1(data).digest())
    import hashlib

    return hashlib.new(algorithm, data, usedforsecurity=False).digest()
