"""Owners that cannot be seen whole: of another user, of another machine, behind a lock."""
# ruff: noqa: S106 - a start token is a start time, no password

from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.liveness.test_liveness import LAST, Scene, kinds, lock, register, text

from refloat.model.liveness import Holder, ProcessInfo, Verdict
from refloat.model.stamp import later
from refloat.testing.fakes import DOMAIN, process


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_another_users_process(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd=None, inspectable=False, uid=1234)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.UNKNOWABLE
    assert kinds(liveness) == ["not_inspectable"]
    assert "1234" in text(liveness)


def test_another_users_process_on_another_session(scene: Scene) -> None:
    scene.processes.rows = [process(7, argv=["claude", "--resume", "two"], cwd=None, inspectable=False)]
    assert scene.judge().verdict is Verdict.GONE


def test_a_transcript_from_anywhere(scene: Scene) -> None:
    scene.subject = replace(scene.subject, by_path=True)
    scene.processes.boot = later(LAST, 60)
    assert scene.judge().verdict is Verdict.UNKNOWABLE
    assert kinds(scene.judge()) == ["by_path"]


def test_a_workspace_of_another_system(scene: Scene) -> None:
    scene.subject = replace(scene.subject, directories=("C:\\src\\ledgerly",))
    assert scene.judge().verdict is Verdict.UNKNOWABLE
    assert kinds(scene.judge()) == ["other_host"]


@pytest.mark.parametrize(
    "holder",
    [
        register(domain=DOMAIN.replace("4026531836", "4026532999")),
        register(domain="linux:ffff:pid:[4026531836]"),
        register(foreign=True),
        register(start_token="Mon Sep 14 09:00:00 2026"),
    ],
)
def test_a_register_from_elsewhere(scene: Scene, holder: Holder) -> None:
    """Its process number means another process here, even where the start happens to fit."""
    scene.processes.rows = [process(7)]
    scene.reader.holders = [holder]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.UNKNOWABLE
    assert kinds(liveness) == ["other_host"]


def test_a_register_of_this_very_domain(scene: Scene) -> None:
    scene.processes.rows = [process(7)]
    scene.reader.holders = [register(domain=DOMAIN)]
    assert scene.judge().verdict is Verdict.RUNNING


@pytest.mark.parametrize("holders", [None, frozenset({0}), frozenset({99})])
def test_a_lock_whose_holder_cannot_be_seen(scene: Scene, holders: frozenset[int] | None) -> None:
    scene.reader.holders = [lock()]
    scene.processes.locks = {lock().path: holders}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.UNKNOWABLE
    assert kinds(liveness) == ["lock"]


def test_a_lock_that_the_table_gives_to_a_zombie_is_held_by_somebody_unseen(scene: Scene) -> None:
    """A zombie holds no file: whoever inherited the descriptor holds the lock now, and may write."""
    scene.processes.rows = [process(7, zombie=True)]
    scene.reader.holders = [lock()]
    scene.processes.locks = {lock().path: frozenset({7})}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.UNKNOWABLE
    assert "held by a process that cannot be seen" in text(liveness)


def test_a_lock_goes_on_with_whoever_got_its_descriptor(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd="/"), process(8, cwd="/")]
    scene.processes.bearers = {lock().path: frozenset({8})}
    scene.reader.holders = [lock()]
    scene.processes.locks = {lock().path: frozenset({99})}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.RUNNING
    assert [evidence.pid for evidence in liveness.evidence] == [8]


@pytest.mark.parametrize("first", [[], [process(7, zombie=True)]])
def test_a_lock_that_another_program_inherited_names_it(scene: Scene, first: list[ProcessInfo]) -> None:
    """It is no agent, so it owns nothing and nobody stops it for the session's; its agent is kept out until it ends."""
    scene.processes.rows = [*first, process(9, "sleep", argv=["sleep", "99"], cwd="/")]
    scene.processes.bearers = {lock().path: frozenset({9, 11})}
    scene.reader.holders = [lock()]
    scene.processes.locks = {lock().path: frozenset({7})}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.UNKNOWABLE
    assert [(evidence.kind, evidence.pid) for evidence in liveness.evidence] == [("lock", None), ("child", 9)]
    assert "held by process 9 (sleep)" in text(liveness)


def test_an_owner_that_is_seen_outweighs_what_is_not(scene: Scene) -> None:
    scene.subject = replace(scene.subject, by_path=True)
    scene.processes.rows = [process(7), process(8, cwd=None, inspectable=False)]
    scene.reader.holders = [register()]
    assert scene.judge().verdict is Verdict.RUNNING


# ── children, several sessions, economy ──
