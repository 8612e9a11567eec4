"""The tree of rows: which prompts a new prompt leaves behind, and which rows were read before.

A rewind, or an edited prompt, shows in one thing only: the new prompt hangs on a row that stands above an earlier one.
Decides carefully: missing parents, cycles, several roots, compactions and parallel results (which branch the tree all
the time) are no rewind. Memory is bounded: the rows since the last compaction, and of those the newest few thousand.
"""

from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

_GENERATION: Final = 8192
_MASK: Final = (1 << 64) - 1
_SIZES: Final = 0xFFFF
_BEGINNING: Final = "beginning"
"""Stands for a rewind that names no row."""


@lru_cache(maxsize=64)  # each row is asked for three times in a row
def key_of(row: str) -> int:
    """64 bits that stand for a row id: a UUID folded, anything else by a hash that every process computes alike."""
    try:
        whole = int(row.replace("-", ""), 16)
    except ValueError:
        whole = int.from_bytes(row.encode("utf-8", "replace")[:256], "big") * 0x9E3779B97F4A7C15 + len(row)
        while whole > _MASK:
            whole = (whole >> 64) ^ (whole & _MASK)
        return whole
    return (whole ^ (whole >> 64)) & _MASK


class Tree:
    """Knows of each row the prompt that it stands under, and the prompts that count at present."""

    def __init__(self, frozen: Mapping[str, object] | None = None) -> None:
        self._new: dict[int, tuple[int, int]] = {}
        """Row key to (prompt, size of its line)."""
        self._old: dict[int, tuple[int, int]] = {}
        self._prompts: list[list[int]] = []
        """[number, how many asks it holds: queued ones count with it, 1 for a root]; only those that stand."""
        self._last = 0
        self._cut = ""
        self._told = False
        """The program said that it went back, and no prompt came since."""
        if frozen:
            self._thaw(frozen)

    @property
    def prompt(self) -> int:
        """Number of the prompt that the newest rows stand under."""
        return self._prompts[-1][0] if self._prompts else 0

    def seen(self, row: str, size: int) -> bool:
        """Whether the very same row (id and size) was read before: the program re-appends some."""
        key = key_of(row)
        found = self._new.get(key) or self._old.get(key)
        return found is not None and found[1] == size & _SIZES

    def take(self, row: str, parent: str | None, size: int) -> bool:
        """Take in a row that is no prompt; False where the very same one was read before."""
        key, size = key_of(row), size & _SIZES
        new, old = self._new, self._old
        found = new.get(key) or (old.get(key) if old else None)
        if found is not None and found[1] == size:
            return False
        above = None
        if parent:
            key_above = key_of(parent)
            above = new.get(key_above) or (old.get(key_above) if old else None)
        if len(new) >= _GENERATION:
            self._old, self._new = new, {}
        self._new[key] = (above[0] if above is not None else self.prompt, size)
        return True

    def knows(self, row: str) -> bool:
        """Whether a row of that id was read."""
        return self._find(row) is not None

    def add(self, row: str, parent: str | None, size: int) -> None:
        """Take in a row that is no prompt."""
        self._put(row, self._under(parent), size)

    def add_prompt(self, row: str, parent: str | None, size: int, *, unanswered: bool = False) -> int:
        """Take in a prompt; how many earlier asks it leaves behind. `unanswered`: nothing came since the last one."""
        told, self._told = self._told, False
        if told and parent is None:
            taken = sum(asks for _, asks, _ in self._prompts)  # it went back to before the very first ask
            self._prompts.clear()
        elif unanswered and parent is None and self._prompts and self._prompts[-1][2]:
            taken = self._prompts.pop()[1]  # the very first ask, stopped before an answer came and put anew
        else:
            taken = self._take_back(self._under(parent))
        self._last += 1
        self._prompts.append([self._last, 1, int(parent is None)])
        self._put(row, self._last, size)
        return taken

    def add_queued(self, row: str, parent: str | None, size: int) -> None:
        """Take in a prompt that was delivered in the middle of a turn: the answer need not hang on it."""
        self._put(row, self._under(parent), size)
        if not self._prompts:
            self._last += 1
            self._prompts.append([self._last, 0, 0])
        self._prompts[-1][1] += 1

    def compacted(self, row: str, size: int) -> None:
        """Take in a compaction boundary: what stands before it is not taken back by what follows."""
        self._new, self._old = {}, {}
        self._put(row, self.prompt, size)

    def rewound(self, leaf: str, cut: str) -> int:
        """The program says that it went back to `leaf`, or cut at `cut`: how many asks that leaves behind."""
        mark = cut or leaf or _BEGINNING
        if mark == self._cut:
            return 0  # such rows are written again and again
        self._cut = mark
        self._told = True
        found = self._find(leaf)
        if found is not None and found[0] < self.prompt:
            return self._take_back(found[0])
        found = self._find(cut)
        return 0 if found is None else self._take_back(found[0])

    def _find(self, row: str | None) -> tuple[int, int] | None:
        if not row:
            return None
        key = key_of(row)
        return self._new.get(key) or self._old.get(key)

    def _under(self, parent: str | None) -> int:
        found = self._find(parent)
        return self.prompt if found is None else found[0]

    def _take_back(self, under: int) -> int:
        if under >= self.prompt or (under and all(number != under for number, *_ in self._prompts)):
            return 0  # on top, or on a branch that was left before
        taken = 0
        while self._prompts and self._prompts[-1][0] > under:
            taken += self._prompts.pop()[1]
        return taken

    def _put(self, row: str, prompt: int, size: int) -> None:
        if not row:
            return
        if len(self._new) >= _GENERATION:
            self._old, self._new = self._new, {}
        self._new[key_of(row)] = (prompt, size & _SIZES)

    # ── to and from JSON ─────────────────────────────────────────────────────────────────────────────────────────────

    def freeze(self) -> dict[str, object]:
        """All of it as JSON values."""
        return {
            "new": _pack(self._new),
            "old": _pack(self._old),
            "prompts": [list(prompt) for prompt in self._prompts],
            "last": self._last,
            "cut": self._cut,
            "told": self._told,
        }

    def _thaw(self, frozen: Mapping[str, object]) -> None:
        # Written by `freeze` of this version: the catalogue drops what another one wrote.
        self._new = _unpack(cast("Sequence[object]", frozen["new"]))
        self._old = _unpack(cast("Sequence[object]", frozen["old"]))
        self._prompts = [list(prompt) for prompt in cast("Sequence[Sequence[int]]", frozen["prompts"])]
        self._last = cast("int", frozen["last"])
        self._cut = cast("str", frozen["cut"])
        self._told = frozen["told"] is True


def _pack(rows: Mapping[int, tuple[int, int]]) -> list[object]:
    if not rows:
        return []
    runs: list[list[int]] = []
    for prompt, _ in rows.values():
        if runs and runs[-1][0] == prompt:
            runs[-1][1] += 1
        else:
            runs.append([prompt, 1])
    keys = b64encode(array("Q", rows).tobytes()).decode()
    sizes = b64encode(array("H", (size for _, size in rows.values())).tobytes()).decode()
    return [keys, sizes, runs]


def _unpack(packed: Sequence[object]) -> dict[int, tuple[int, int]]:
    if not packed:
        return {}
    keys, sizes = array("Q"), array("H")
    keys.frombytes(b64decode(cast("str", packed[0])))  # as `_pack` made them
    sizes.frombytes(b64decode(cast("str", packed[1])))
    prompts = [prompt for prompt, many in cast("Sequence[Sequence[int]]", packed[2]) for _ in range(many)]
    return {key: (prompt, size) for key, prompt, size in zip(keys, prompts, sizes, strict=True)}
