"""Digests for a reading: what is searchable of a session, without what is secret, to the index.

Decides how texts are cleaned: secrets found in any of a session's texts are taken out of all of them. Travels to worker
processes.
"""

from collections.abc import Sequence
from pathlib import Path

from refloat.brief.masks import Masker
from refloat.model.light import light
from refloat.readers.contract import Sink
from refloat.search.digest import Digest


class Cleaner:
    """Takes secrets out of the texts of one session."""

    def __init__(self) -> None:
        self._masker = Masker()

    def __call__(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts without them."""
        return self._masker.texts(texts) if self._masker.learn_all(texts) else texts


class SessionDigest:
    """Digests one session; its sub-agents' talk is not searched, as it stands in no history of a session."""

    def __init__(self, directory: Path) -> None:
        self._own = Digest(directory, Cleaner())

    def sink(self, part: str) -> Sink | None:
        """What takes the texts of a part: "" for the session itself."""
        return None if part else self._own

    def close(self) -> bytes:
        """Write it; the receipt for `Index.keep`."""
        return self._own.close()


@light
class Digester:
    """Makes digests that write to the index of a cache directory."""

    directory: Path

    def __call__(self) -> SessionDigest:
        """A digest for one session."""
        return SessionDigest(self.directory)
