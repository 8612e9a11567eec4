r"""How well claims are found: precision and recall over labelled sentences, by half and by kind.

    python benchmarks/claims.py [FILE …] [--missed]

A FILE holds lines of `KINDS <tab> MESSAGE` (`-` for none, `\n` for a line end); without one, those of the tests.
Counts one for each pair of message and kind. `--missed` prints every wrong and every missing one.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from refloat.claims import find_claims

LABELLED = Path(__file__).parents[1] / "tests" / "core" / "claims"
HALVES = tuple(LABELLED / f"{name}.txt" for name in ("held_out", "developed", "fresh", "rounds"))


@dataclass
class Score:
    """Counts of one file."""

    right: Counter[str] = field(default_factory=Counter[str])
    wrong: Counter[str] = field(default_factory=Counter[str])
    missed: Counter[str] = field(default_factory=Counter[str])
    told: list[str] = field(default_factory=list[str])
    messages: int = 0

    @property
    def precision(self) -> float:
        """Of what was found, how much is right."""
        right, wrong = self.right.total(), self.wrong.total()
        return right / (right + wrong) if right + wrong else 1.0

    @property
    def recall(self) -> float:
        """Of what is there, how much was found."""
        right, missed = self.right.total(), self.missed.total()
        return right / (right + missed) if right + missed else 1.0


def read(path: Path) -> list[tuple[frozenset[str], str]]:
    """The labelled messages of a file."""
    rows = (line.partition("\t") for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return [(frozenset(kinds.split(",")) - {"-"}, message.replace("\\n", "\n")) for kinds, _, message in rows]


def score(path: Path) -> Score:
    """How well the claims of a file are found."""
    made = Score()
    for wanted, message in read(path):
        found = frozenset(claim.kind.value for claim in find_claims(message))
        made.messages += 1
        made.right.update(found & wanted)
        made.wrong.update(found - wanted)
        made.missed.update(wanted - found)
        made.told += [f"  wrong   {kind:<12} {message!r}" for kind in sorted(found - wanted)]
        made.told += [f"  missing {kind:<12} {message!r}" for kind in sorted(wanted - found)]
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="precision and recall of the claim finder")
    parser.add_argument("files", nargs="*", type=Path, default=HALVES)
    parser.add_argument("--missed", action="store_true", help="print what is wrong and what is missing")
    asked = parser.parse_args()
    for path in asked.files:
        made = score(path)
        print(f"{path.stem}: {made.messages} messages, precision {made.precision:.3f}, recall {made.recall:.3f}")
        for kind in sorted({*made.right, *made.wrong, *made.missed}):
            right, wrong, missed = made.right[kind], made.wrong[kind], made.missed[kind]
            print(f"  {kind:<12} right {right:>3}   wrong {wrong:>3}   missing {missed:>3}")
        if asked.missed:
            print("\n".join(made.told))


if __name__ == "__main__":
    main()
