"""Streams of bytes compressed with Zstandard, and back.

Decides that a stream is right only when it ends where its end is said to be. The library is loaded when it is used.
"""

import sys
from collections.abc import Iterable, Iterator


class ContentDamaged(Exception):  # noqa: N818 - reads as the answer that it is
    """What is kept cannot be decoded, or is not what was saved."""


def pack(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Compress a stream of bytes."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdCompressor
    else:
        from backports.zstd import ZstdCompressor
    packer = ZstdCompressor()
    for part in parts:
        if packed := packer.compress(part):
            yield packed
    yield packer.flush()


def unpack(raw: Iterable[bytes]) -> Iterator[bytes]:
    """What `pack` was given, in pieces.

    Raises:
        ContentDamaged: it is no whole stream; what came before was decoded all the same.

    """
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor, ZstdError
    else:
        from backports.zstd import ZstdDecompressor, ZstdError
    unpacker = ZstdDecompressor()
    try:
        for part in raw:
            if unpacker.eof:
                raise ContentDamaged("something stands behind its end")
            yield unpacker.decompress(part)
            while not unpacker.needs_input and not unpacker.eof:
                yield unpacker.decompress(b"")
    except (ZstdError, ValueError) as error:
        raise ContentDamaged(f"it cannot be decompressed: {error}") from error
    if not unpacker.eof or unpacker.unused_data:
        raise ContentDamaged("it is cut off" if not unpacker.eof else "something stands behind its end")
