"""Ed25519 signatures over receipts (RFC 8032), made and judged.

Decides what exactly is signed, and that there is one spelling of a key and of a signature: lower-case hex, so that no
changed letter goes unseen. A signature tells on whose machine a receipt was sealed, never that a step was right.
Imported only where there is a key or a signature: `cryptography` costs more than an interpreter start.
"""

import re
from collections.abc import Mapping
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from refloat.model.record import Signature
from refloat.record.keys import KEY

_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")


class Signer:
    """A private key at work."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._key.public_key().public_bytes_raw().hex()
        """The public key, in hex."""

    def sign(self, receipt: str) -> str:
        """The signature over a receipt, in hex."""
        return self._key.sign(_message(receipt)).hex()


def new_seed() -> bytes:
    """The 32 bytes of a fresh private key."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def judge_signature(signer: object, receipt: object, signature: object, known: Mapping[str, str]) -> Signature:
    """What a link's signature is worth. A key that is not known is told only where its signature fits."""
    if signer is None and signature is None:
        return "unsigned"
    if not isinstance(signer, str) or not isinstance(receipt, str) or not isinstance(signature, str):
        return "invalid"
    if KEY.fullmatch(signer) is None or _SIGNATURE.fullmatch(signature) is None or not receipt.isascii():
        return "invalid"
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer)).verify(bytes.fromhex(signature), _message(receipt))
    except (InvalidSignature, ValueError):
        return "invalid"
    return "valid" if signer in known else "unknown_key"


def _message(receipt: str) -> bytes:
    """Names what is signed: the same key signing something else must never make a signature of a receipt."""
    return f"refloat/1 receipt {receipt}".encode("ascii")
