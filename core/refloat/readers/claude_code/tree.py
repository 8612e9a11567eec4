"""The tree of rows: which prompts a new prompt leaves behind, and which rows were read before.

A rewind, or an edited prompt, shows in one thing only: the new prompt hangs on a row that stands above an earlier one.
Decides carefully: missing parents, cycles, several roots, compactions and parallel results (which branch the tree all
the time) are no rewind. Memory is bounded: the rows since the last compaction, and of those the newest few thousand.
Rows that were met by this process are known by their ids, those of an earlier reading by 64 bits of each.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, cast

_GENERATION: Final = 8192
_MASK: Final = (1 << 64) - 1
_BITS: Final = 16
_SIZES: Final = (1 << _BITS) - 1
_PLAIN: Final = 36
"""Characters of a UUID as it is written."""
_BEGINNING: Final = "beginning"
"""Stands for a rewind that names no row."""


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

    def __init__(self, frozen: Mapping[str, object] | None = None, rows: Sequence[object] = ()) -> None:
        """`frozen`: what `freeze` gave, with the `rows` that `freeze_rows` gave."""
        self._new: dict[str, int] = {}
        """Row to the number of its prompt, and behind that the lower bits of the size of its line."""
        self._old: dict[str, int] = {}
        self._far_new: dict[int, int] = {}
        """The same of the rows that an earlier process read, by their keys."""
        self._far_old: dict[int, int] = {}
        self._prompts: list[list[int]] = []
        """[number, how many asks it holds: queued ones count with it, 1 for a root]; only those that stand."""
        self._last = 0
        self._cut = ""
        self._told = False
        """The program said that it went back, and no prompt came since."""
        if frozen:
            self._thaw(frozen, rows)

    @property
    def prompt(self) -> int:
        """Number of the prompt that the newest rows stand under."""
        return self._prompts[-1][0] if self._prompts else 0

    def seen(self, row: str, size: int) -> bool:
        """Whether the very same row (id and size) was read before: the program re-appends some."""
        found = self._find(row)
        return found is not None and found & _SIZES == size & _SIZES

    def take(self, row: str, parent: str | None, size: int) -> bool:
        """Take in a row that is no prompt; False where the very same one was read before."""
        new, size = self._new, size & _SIZES
        plain = not (self._old or self._far_new or self._far_old)
        found = new.get(row) if plain else self._find(row)
        if found is not None and found & _SIZES == size:
            return False
        above = None
        if parent:
            above = new.get(parent)
            if above is None and not plain:
                above = self._find(parent)
        if len(new) + len(self._far_new) >= _GENERATION:
            self._turn()
            new = self._new
        new[row] = (self.prompt if above is None else above >> _BITS) << _BITS | size
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
        self._new, self._old, self._far_new, self._far_old = {}, {}, {}, {}
        self._put(row, self.prompt, size)

    def rewound(self, leaf: str, cut: str) -> int:
        """The program says that it went back to `leaf`, or cut at `cut`: how many asks that leaves behind."""
        mark = cut or leaf or _BEGINNING
        if mark == self._cut:
            return 0  # such rows are written again and again
        self._cut = mark
        self._told = True
        found = self._find(leaf)
        if found is not None and found >> _BITS < self.prompt:
            return self._take_back(found >> _BITS)
        found = self._find(cut)
        return 0 if found is None else self._take_back(found >> _BITS)

    def _find(self, row: str | None) -> int | None:
        """What is known of a row; an earlier process's word of one counts as long as no newer row has its key."""
        if not row:
            return None
        found = self._new.get(row)
        if found is None and self._far_new:
            found = self._far_new.get(key_of(row))
        if found is None:
            found = self._old.get(row)
        if found is None and self._far_old:
            found = self._far_old.get(key_of(row))
        return found

    def _under(self, parent: str | None) -> int:
        found = self._find(parent)
        return self.prompt if found is None else found >> _BITS

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
        if len(self._new) + len(self._far_new) >= _GENERATION:
            self._turn()
        self._new[row] = prompt << _BITS | size & _SIZES

    def _turn(self) -> None:
        """The newest rows are the older ones from here on."""
        self._old, self._new = self._new, {}
        self._far_old, self._far_new = self._far_new, {}

    # ── to and from JSON ─────────────────────────────────────────────────────────────────────────────────────────────

    def freeze(self) -> dict[str, object]:
        """All of it but its rows, as JSON values."""
        return {
            "prompts": [list(prompt) for prompt in self._prompts],
            "last": self._last,
            "cut": self._cut,
            "told": self._told,
        }

    def freeze_rows(self) -> list[list[object]]:
        """The rows: no text of the transcript."""
        return [_pack(self._far_new, self._new), _pack(self._far_old, self._old)]

    def _thaw(self, frozen: Mapping[str, object], rows: Sequence[object]) -> None:
        # Written by `freeze` of this version: the catalogue drops what another one wrote.
        self._far_new, self._far_old = map(_unpack, cast("Sequence[Sequence[object]]", rows))
        self._prompts = [list(prompt) for prompt in cast("Sequence[Sequence[int]]", frozen["prompts"])]
        self._last = cast("int", frozen["last"])
        self._cut = cast("str", frozen["cut"])
        self._told = frozen["told"] is True


def keys_of(rows: Iterable[str]) -> array[int]:
    """`key_of` of each, which for UUIDs as they are written takes a twentieth of the time."""
    rows = list(rows)
    text = "".join(rows)
    bare = text.replace("-", "")
    dashes = "-" * len(rows)
    if (
        set(map(len, rows)) == {_PLAIN}
        and len(bare) == 32 * len(rows)
        and text[8::_PLAIN] == text[13::_PLAIN] == text[18::_PLAIN] == text[23::_PLAIN] == dashes
    ):
        try:
            halves = array("Q", bytes.fromhex(bare))
        except ValueError:
            halves = array("Q")
        if len(halves) == 2 * len(rows):  # white space was passed over else
            if sys.byteorder == "little":
                halves.byteswap()
            size = 8 * len(rows)
            upper, lower = (int.from_bytes(halves[half::2].tobytes(), "big") for half in (0, 1))
            return array("Q", (upper ^ lower).to_bytes(size, "big"))
    return array("Q", map(key_of, rows))


def _pack(far: Mapping[int, int], near: Mapping[str, int]) -> list[object]:
    rows = {**far, **dict(zip(keys_of(near), near.values(), strict=True))} if near else far
    if not rows:
        return []
    runs = [[prompt, len(list(run))] for prompt, run in groupby([value >> _BITS for value in rows.values()])]
    keys = b64encode(array("Q", rows).tobytes()).decode()
    sizes = b64encode(array("H", [value & _SIZES for value in rows.values()]).tobytes()).decode()
    return [keys, sizes, runs]


def _unpack(packed: Sequence[object]) -> dict[int, int]:
    if not packed:
        return {}
    keys, sizes = array("Q"), array("H")
    keys.frombytes(b64decode(cast("str", packed[0])))  # as `_pack` made them
    sizes.frombytes(b64decode(cast("str", packed[1])))
    prompts = [prompt for prompt, many in cast("Sequence[Sequence[int]]", packed[2]) for _ in range(many)]
    return {key: prompt << _BITS | size for key, prompt, size in zip(keys, prompts, sizes, strict=True)}
