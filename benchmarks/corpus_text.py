"""Made-up text of the kinds that fill transcripts, written as JSON once, so that rows are put together from bytes.

Lines of logs, code and prose stand in one pool; a text is a stretch of it. Everything comes from the chance given.
"""

import json
import random
import uuid
from dataclasses import dataclass
from typing import BinaryIO

_TEXT = """the importer retry loop parse file total ledger invoice report export branch test failed passed value error
line column update handler request response cache index write read check session config default path module"""
WORDS = tuple(_TEXT.split())
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_LINES = 24_000
_BLOB = 1 << 20


class Pool:
    """Lines as JSON text without quotes, one behind the other, and where each begins."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(f"pool:{seed}")  # noqa: S311 - made-up data
        self._starts: list[int] = []
        found = bytearray()
        for _ in range(_LINES):
            self._starts.append(len(found))
            found += json.dumps(_line(chance) + "\n", ensure_ascii=False)[1:-1].encode()
        self._starts.append(len(found))
        self._text = bytes(found)
        self._blob = "".join(chance.choices(_BASE64, k=_BLOB)).encode()

    def lines(self, chance: random.Random, many: int) -> bytes:
        """So many lines."""
        many = min(many, _LINES - 1)
        at = chance.randrange(_LINES - many)
        return self._text[self._starts[at] : self._starts[at + many]]

    def blob(self, chance: random.Random, size: int) -> bytes:
        """Base64: a picture, or sealed reasoning."""
        size = min(size, _BLOB // 2)
        at = chance.randrange(_BLOB - size)
        return self._blob[at : at + size]


def _line(chance: random.Random) -> str:
    words = " ".join(chance.choices(WORDS, k=chance.randint(2, 14)))
    draw = chance.random()
    if draw < 0.35:
        indent, name = "    " * chance.randint(0, 4), chance.choice(WORDS)
        return f'{indent}{name}.{chance.choice(WORDS)}("{words[:40]}", {chance.randrange(1000)})'
    if draw < 0.55:
        return (
            f"2026-06-{chance.randint(1, 28):02d} 10:{chance.randrange(60):02d} INFO [{chance.choice(WORDS)}] {words}"
        )
    if draw < 0.65:
        return f"/srv/{chance.choice(WORDS)}/{chance.choice(WORDS)}.py:{chance.randrange(900)}: {words}"
    if draw < 0.68:
        return f"\x1b[32m✓\x1b[0m {words} (日本語, naïve café)"
    return "" if draw < 0.74 else words


@dataclass(slots=True)
class Maker:
    """One transcript under way: its clock, its chance, where its rows go."""

    chance: random.Random
    pool: Pool
    out: BinaryIO
    workspace: str
    milliseconds: int
    """Since 1970."""
    session: str
    size: int = 0
    count: int = 0
    last: int = 0
    """Bytes of the last row."""

    def tick(self) -> bytes:
        """The next moment, as a stamp."""
        self.milliseconds += self.chance.randint(40, 20_000)
        return stamp(self.milliseconds)

    def words(self, most: int) -> bytes:
        """A few words, as JSON text without quotes."""
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(3, most))).encode()

    def output(self, median: float, spread: float = 1.3, most: int = 1500) -> bytes:
        """Lines: mostly few, now and then many, as tool outputs are."""
        return self.pool.lines(self.chance, min(most, int(self.chance.lognormvariate(0, spread) * median) + 1))

    def id(self) -> bytes:
        """A row's id."""
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4)).encode()

    def add(self, row: bytes) -> None:
        """Write a row."""
        self.out.write(row + b"\n")
        self.last = len(row) + 1
        self.size += self.last
        self.count += 1


_DAY = 86_400_000


def stamp(milliseconds: int) -> bytes:
    """RFC 3339 in UTC."""
    days, rest = divmod(milliseconds, _DAY)
    if days not in _DAYS:
        from datetime import UTC, datetime

        _DAYS[days] = f"{datetime.fromtimestamp(days * 86_400, UTC):%Y-%m-%dT}"
    seconds, rest = divmod(rest, 1000)
    return f"{_DAYS[days]}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:03d}Z".encode()


_DAYS: dict[int, str] = {}
