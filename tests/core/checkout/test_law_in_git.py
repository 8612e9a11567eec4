"""The law of ownership with real repositories: git tells the hunks in its own way, and whole comparisons judge them."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo
from tests.core.checkout.test_owner_law import PERSON, SESSIONS, Act, Line, World, party, sides, takers, text_of

from refloat.checkout.lines import tells
from refloat.model.checkout import DirtyHunk
from refloat.testing.stories import StoryBuilder

FORMS = ("exact", "exact", "hunks", "loose", "whole over known")


def history(chance: random.Random) -> tuple[list[str], list[Act]]:
    """Lines that tell their author, blank ones and brackets between them."""
    base = [chance.choice([f"base {n}", f"base {n}", "", "}"]) for n in range(chance.randint(0, 12))]
    acts: list[Act] = []
    for n in range(chance.randint(1, 9)):
        who = chance.choice([*SESSIONS, *SESSIONS, PERSON, "commit"])
        new = [chance.choice([f"{who} {n}.{k}", f"{who} {n}.{k}", f"{who} again", "", "}"]) for k in range(4)]
        size = chance.randint(0, 4)
        acts.append(Act(who, chance.randint(0, 20), chance.randint(0, 3), tuple(new[:size]), chance.choice(FORMS)))
    return base, acts


def compared(repo: Repo, world: World) -> list[DirtyHunk]:
    """The dirty places of the file, as a comparison of the session `mine` with its checkout tells them."""
    builders = {who: world.builders.get(who) or StoryBuilder(session_id=who) for who in SESSIONS}
    for builder in builders.values():
        builder.workspace = str(repo.root)
    mine, others = builders.pop("mine"), [one for one in builders.values() if one.steps]
    if not mine.steps:
        mine.run("ls")
    made = repo.compare(mine, *others)
    found = [*made.files, *made.other_changes]
    return [hunk for file in found for hunk in file.hunks if file.path == "a.py"]


def commit_in(repo: Repo, world: World) -> Callable[[float], None]:
    def commit(moment: float) -> None:
        repo.write("a.py", text_of(world.head), moment)
        repo.git("add", "-A", at=moment)
        repo.git("commit", "-q", "--allow-empty", "-m", "state", at=moment)

    return commit


@pytest.mark.parametrize("seed", range(40))
def test_no_session_is_credited_with_what_it_did_not_do(repo: Repo, seed: int) -> None:
    base, acts = history(random.Random(seed))  # noqa: S311 - the same histories in every run
    path = Path(repo.path("a.py"))
    world = World([Line(text, "base") for text in base], path=str(path))
    world.head = list(world.lines)
    commit = commit_in(repo, world)
    commit(-500)
    for n, act in enumerate(acts):
        world.do(act, 10.0 * (n + 1))
        if act.who == "commit":
            commit(10.0 * (n + 1))
    repo.write("a.py", world.text, 500)
    for hunk in compared(repo, world):
        who = party(hunk)
        who = who.partition(":")[2] if who else None
        if who is None or world.alone(who):
            continue
        gone, came = sides(hunk)
        for text in filter(tells, came):
            assert who in {line.author for line in world.lines if line.text == text}, (hunk, acts)
        for text in filter(tells, gone):
            assert who in (takers(world, text) or {who}), (hunk, acts)
