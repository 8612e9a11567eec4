"""The law of ownership with real repositories: git tells the hunks in its own way, and whole comparisons judge them."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, file_of
from tests.core.checkout.test_owner_law import PERSON, SESSIONS, Act, Line, World, party, sides, takers, text_of

from refloat.checkout.lines import tells
from refloat.model.checkout import DirtyHunk, Owner
from refloat.testing.stories import StoryBuilder, edited

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


def test_a_session_alone_owns_its_change_where_git_keeps_other_lines_than_its_record_does(repo: Repo) -> None:
    before, after = "c = 3\nb = 2\n" * 5 + "a = 1\nc = 3\n", "a = 1\nb = 2\n"
    path = repo.write("a.py", before)
    repo.commit("a")
    story = repo.story()
    edit = edited(path, before, after)
    story.edit(edit)
    repo.write("a.py", after, 12)
    file = file_of(repo.compare(story), "a.py")
    assert "+b = 2" in [line for hunk in file.hunks for line in hunk.lines]
    assert "+b = 2" not in [line for hunk in edit.hunks for line in hunk.lines]
    assert {hunk.owner for hunk in file.hunks} == {Owner.THIS_SESSION}


def test_a_keyword_that_git_folds_is_not_the_sessions(repo: Repo) -> None:
    before, after = "# $Id: 1$\nb = 2\nc = 3\n", "# $Id: 1$\nb = 2\nc = 4\n"
    path = repo.write("a.py", before)
    repo.commit("a")
    repo.write(".gitattributes", "*.py ident\n", 500)
    story = repo.story()
    story.edit(edited(path, before, after))
    repo.write("a.py", after, 12)
    keyword, own = file_of(repo.compare(story), "a.py").hunks
    assert keyword.lines == ("-# $Id: 1$", "+# $Id$")
    assert keyword.owner is not Owner.THIS_SESSION
    assert (own.lines, own.owner) == (("-c = 3", "+c = 4"), Owner.THIS_SESSION)
