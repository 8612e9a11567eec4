"""Ed25519 keys beside the record: this machine's own, and those that a person said are known.

Decides how they lie on disk: `signing.key` (one line, `ed25519` and 64 hex digits) and `known_keys` (a line each: the
public key, a space, a name), both for their owner's eyes alone. Refuses a private key that others could read. Loads no
cryptography: a command without a key pays for none (`record.signing` has it).
"""

import fcntl
import os
import re
import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from refloat.errors import Unreadable

OWN: Final = "signing.key"
KNOWN: Final = "known_keys"
KEY: Final = re.compile(r"[0-9a-f]{64}")
"""A public key as text: its 32 bytes in hex, lower case (RFC 8032, section 5.1.5)."""
_OWN_LINE: Final = re.compile(r"ed25519 ([0-9a-f]{64})\n?")
_KNOWN_LINE: Final = re.compile(r"([0-9a-f]{64}) (\S.*)")

Known = Callable[[], Mapping[str, str]]
"""Public keys to the names that somebody gave them; asked for only where something is signed."""


class KeyUnusable(Unreadable):
    """A file of keys is there and cannot be used."""


def read_own(directory: Path) -> bytes | None:
    """The 32 bytes of this machine's own private key; None where there is none.

    Raises:
        KeyUnusable: others could read it, it cannot be read, or holds no key.

    """
    path = directory / OWN
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KeyUnusable(f"the signing key {path} cannot be read: {error.strerror or error}") from error
    try:
        mode = os.fstat(handle).st_mode
        found = None if not stat.S_ISREG(mode) else _OWN_LINE.fullmatch(os.read(handle, 200).decode("ascii", "replace"))
    except OSError as error:
        raise KeyUnusable(f"the signing key {path} cannot be read: {error.strerror or error}") from error
    finally:
        os.close(handle)
    if mode & 0o077:
        raise KeyUnusable(
            f"the signing key {path} can be read by others (mode {stat.S_IMODE(mode):04o}): where nobody did, "
            f"`chmod 600 {path}`; else move it away and make another with `refloat record key --new`"
        )
    if found is None:
        raise KeyUnusable(f"{path} holds no signing key: move it away and make one with `refloat record key --new`")
    return bytes.fromhex(found[1])


def own_line(seed: bytes) -> str:
    """What `signing.key` holds."""
    return f"ed25519 {seed.hex()}\n"


def read_known(directory: Path) -> dict[str, str]:
    """Public keys to names; empty where none was ever trusted.

    Raises:
        KeyUnusable: the file cannot be read, or a line of it is no key.

    """
    path = directory / KNOWN
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(f"the known keys in {path} cannot be read: {error}") from error
    known: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        found = _KNOWN_LINE.fullmatch(line)
        if found is None:
            raise KeyUnusable(f"line {number} of {path} is no key with a name")
        known[found[1]] = found[2]
    return known


def known_lines(known: Mapping[str, str]) -> str:
    """What `known_keys` holds."""
    return "".join(f"{key} {name}\n" for key, name in known.items())


def no_keys() -> Mapping[str, str]:
    """Nobody's key is known."""
    return {}


@contextmanager
def changing(directory: Path) -> Generator[None]:
    """While nobody else changes the files of keys: two that do so at once lose nothing.

    Raises:
        KeyUnusable: the directory cannot be written.

    """
    from refloat.record.contents import make_private  # it stands on the record, which stands on this

    try:
        make_private(directory)
        lock = os.open(directory / f"{KNOWN}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise KeyUnusable(f"keys cannot be kept in {directory}: {error.strerror or error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
