"""Triage and salvage speak of the same losses: what is gone and held by the record is handed out, or told why not."""

import random
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo
from tests.core.checkout.test_law_in_git import commit_in, history
from tests.core.checkout.test_owner_law import SESSIONS, Line, World, text_of
from tests.core.checkout.test_triage import session_of

from refloat.model.checkout import PlaceKind
from refloat.model.salvage import Salvage
from refloat.model.triage import Triage
from refloat.testing.stories import StoryBuilder, edited, written
from refloat.usecases.compare_checkout import compare_checkout
from refloat.usecases.salvage import salvage
from refloat.usecases.triage_session import triage_session

OLD = "".join(f"line {n}\n" for n in range(1, 21))
NEW = OLD.replace("line 4\n", "line four\n").replace("line 17\n", "line seventeen\n")
_LOST_PLACES = (PlaceKind.RECORD, PlaceKind.AGENT_BACKUP, PlaceKind.REFLOG, PlaceKind.UNREACHABLE_COMMIT)


def both(repo: Repo, mine: StoryBuilder, *others: StoryBuilder) -> tuple[Triage, Salvage]:
    story, rest = mine.build(), [other.build() for other in others]
    checkout = compare_checkout(repo.bench, story, others=rest)
    return triage_session(repo.bench, story, checkout, session_of(mine)), salvage(repo.bench, story, others=rest)


def hold(told: Triage, found: Salvage) -> None:
    rows = {file.path: file for file in found.files}
    gone = {finding.files[0]: finding for finding in told.gone if finding.kind == "edit"}
    for path, finding in gone.items():
        if any(place.source is PlaceKind.RECORD for place in finding.recoverable_from):
            assert path in rows, (finding, found)
            assert rows[path].in_patch or (rows[path].why and rows[path].beside is not None)
    for path, row in rows.items():
        if row.in_patch and path in gone and not gone[path].what.endswith("deleted"):
            assert {place.source for place in gone[path].recoverable_from} & set(_LOST_PLACES), (row, gone[path])


@pytest.mark.parametrize("seed", range(40))
def test_whatever_became_of_a_file(repo: Repo, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same histories in every run
    base, acts = history(chance)
    path = Path(repo.path("a.py"))
    world = World([Line(text, "base") for text in base], path=str(path))
    world.head = list(world.lines)
    texts = [text_of(world.head)]
    commit = commit_in(repo, world)
    commit(-500)
    for n, act in enumerate(acts):
        world.do(act, 10.0 * (n + 1))
        texts.append(world.text)
        if act.who == "commit":
            commit(10.0 * (n + 1))
    end = chance.choice([world.text, *texts, "", world.text[: len(world.text) // 2], "a person's\n", None])
    if end is None:
        path.unlink()
    else:
        repo.write("a.py", end, 500)
    builders = {who: world.builders.get(who) or StoryBuilder(session_id=who) for who in SESSIONS}
    for builder in builders.values():
        builder.workspace = str(repo.root)
    mine, others = builders.pop("mine"), [one for one in builders.values() if one.steps]
    if not mine.steps:
        mine.run("ls")
    hold(*both(repo, mine, *others))


_DISK = {
    "before": OLD,
    "empty": "",
    "zeroed": "\0" * 40,
    "cut": NEW[:50],
    "half": NEW.replace("line four", "line 4"),
    "person": NEW.replace("line four", "line 4 by a person"),
    "another": "another\n",
    "deleted": None,
}


@pytest.mark.parametrize("form", ["new", "exact", "hunks"])
@pytest.mark.parametrize("became", _DISK)
def test_a_file_that_was_lost_in_some_way(repo: Repo, became: str, form: str) -> None:
    path = repo.path("a.py")
    if form != "new":
        repo.write("a.py", OLD)
        repo.commit("a")
    story = repo.story()
    story.edit(written(path, NEW, existed=False) if form == "new" else edited(path, OLD, NEW, exact=form == "exact"))
    if (disk := _DISK[became]) is not None:
        repo.write("a.py", disk, 500)
    elif form != "new":
        Path(path).unlink()
    told, found = both(repo, story)
    # A person changed a line of a file; what a new file had before, and where a hunk's file ends, nobody knows.
    stays = became == "person" or (became, form) in {
        ("before", "new"), ("half", "new"), ("zeroed", "hunks"), ("cut", "hunks")
    }  # fmt: skip
    assert [finding.kind for finding in told.gone] == ([] if stays else ["edit"])
    hold(told, found)
    if not stays:
        assert [file.in_patch for file in found.files] == [became != "another"]
    if not stays and became != "another":
        (repo.root.parent / "lost.patch").write_bytes(found.patch.encode())
        repo.git("apply", str(repo.root.parent / "lost.patch"))
        assert Path(path).read_text() == NEW


@pytest.mark.parametrize("there", [True, False])
def test_what_another_session_replaced(repo: Repo, *, there: bool) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    mine, other = repo.story(), repo.story(session_id="5f0c1d2e-0000-4000-8000-000000000002", agent="codex")
    mine.edit(edited(path, OLD, OLD.replace("line 4\n", "line four\n")))
    taken = OLD.replace("line 4\n", "line for\n")
    other.edit(edited(path, OLD.replace("line 4\n", "line four\n"), taken))
    repo.write("a.py", taken if there else OLD, 500)
    told, found = both(repo, mine, other)
    assert [finding.kind for finding in told.gone] == ["edit"]
    assert [file.in_patch for file in found.files] == [not there]
    hold(told, found)


@pytest.mark.parametrize("gone", [True, False])
def test_where_there_is_no_repository(bare: Repo, *, gone: bool) -> None:
    story = bare.story()
    story.edit(written(bare.path("lib/a.py"), "a\n", existed=False))
    story.edit(edited(bare.path("b.py"), OLD, NEW))
    if gone:
        bare.root.rmdir()
    told, found = both(bare, story)
    assert len(told.gone) == 2
    assert [file.in_patch for file in found.files] == [True, True]
    hold(told, found)
