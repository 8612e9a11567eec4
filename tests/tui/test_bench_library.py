"""The library over a real workbench: what a person says on the desk is there for the wizard, masked and whole."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import UTF8
from tests.tui.test_desk import WIDE, words_of
from tests.tui.waiting import until

from refloat.errors import NotDone, UsageError
from refloat.model.recovery import LookedAt, MovedTo
from refloat.model.saving import Runner
from refloat.model.triage import FindingVerdict
from refloat.readers.registry import load
from refloat.record.leases import Claim, take_lease
from refloat.testing.fakes import FakeClock, FakeProcesses, fake_machine
from refloat.usecases.act import actor_of
from refloat.usecases.recover import cards, cards_of
from refloat.usecases.workbench import Workbench
from refloat_tui import bench_library
from refloat_tui.app import RefloatApp, Start
from refloat_tui.bench_library import BenchLibrary
from refloat_tui.present.next_keys import next_actions
from refloat_tui.widgets.triage_pane import TriagePane

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _rows(work: Path) -> list[dict[str, Any]]:
    def row(n: int, kind: str, content: object) -> dict[str, Any]:
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{n}", "model": "claude-sonnet-5", "type": "message", "stop_reason": "tool_use"}
        return {
            "parentUuid": f"r{n - 1}" if n > 1 else None,
            "uuid": f"r{n}",
            "isSidechain": False,
            "type": kind,
            "message": message,
            "timestamp": f"2026-05-01T10:0{n}:00.000Z",
            "cwd": str(work),
            "sessionId": "s1",
            "version": "2.1.0",
        }

    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": f"git push https://{SECRET}@example.invalid/x main"},
    }
    said = {"type": "text", "text": "I fixed the pager, and all 12 tests pass. Now I'll push it."}
    return [row(1, "user", "Push it."), row(2, "assistant", [said, call])]


def _library(directory: Path) -> BenchLibrary:
    work = directory / "work"
    work.mkdir()
    path = directory / "home" / ".claude" / "projects" / "p" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in _rows(work)))
    os.utime(path, (1_780_000_000, 1_780_000_000))
    machine = fake_machine(directory, clock=FakeClock(), processes=FakeProcesses())
    return BenchLibrary(Workbench(machine, [load("claude-code")]), directory / "work")


def test_what_is_said_on_the_desk_is_there_for_the_wizard(tmp_path: Path):
    library = _library(tmp_path)
    name = next(iter(session.name for batch in library.find_sessions(lambda: False) for session in batch.sessions))
    opened = library.open(name)
    (card,) = (card for card in cards_of(opened.triage(), opened.given()) if "git push" in card.finding.what)
    assert SECRET not in card.finding.what
    opened.answer(LookedAt(card.key, looked=True))
    given = opened.answer(MovedTo(card.key, "claimed", "it may have arrived"))
    expected = replace(card, pile="claimed", reason="it may have arrived", looked=True)
    assert expected in cards_of(opened.triage(), given)
    assert library.open(name).given() == given
    kept = library.rescue(name).take_up()
    assert expected in cards(kept.recovery)
    assert kept.recovery.changed == ()


async def test_what_the_agent_said_without_a_step_behind_it_fills_the_claimed_pile(tmp_path: Path):
    library = _library(tmp_path)
    (name,) = (session.name for batch in library.find_sessions(lambda: False) for session in batch.sessions)
    app = RefloatApp(library, None, Start(UTF8, home=str(tmp_path / "home"), chosen=name))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.screen.query(TriagePane))
        claimed = app.screen.query_one(TriagePane).pile_list("claimed")
        await until(pilot, lambda: claimed.rows)
        verdicts = {str(row.card.finding.claim): row.card.finding.verdict for row in claimed.rows}
        assert verdicts["fixed"] == verdicts["tests_pass"] == FindingVerdict.UNSUPPORTED
        assert "pushed" not in verdicts
        await pilot.press("4")
        await until(pilot, lambda: "“I fixed the pager" in words_of(app))
        assert "CLAIMED 2" in words_of(app)


def test_a_secret_of_the_last_item_is_masked_in_the_first_and_masking_may_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bench_library, "_PIECE", 1)
    library = _library(tmp_path)
    path = tmp_path / "home" / ".claude" / "projects" / "p" / "s1.jsonl"
    path.write_text(path.read_text().replace("Push it.", f"Push it, it begins with {SECRET[:20]}"))
    (name,) = (session.name for batch in library.find_sessions(lambda: False) for session in batch.sessions)
    prompt, *_, step = library.open(name).story.items
    assert prompt.text is not None
    assert SECRET[:16] not in prompt.text
    assert prompt.text.startswith("Push it, it begins with")
    assert step.step is not None
    assert "[masked" in step.step.summary
    asked: list[int] = []
    with pytest.raises(NotDone):
        library.open(name, lambda: bool(asked.append(1)) or len(asked) > 2)
    assert len(asked) == 3


def test_a_look_at_what_changed_tells_that_session_masked_and_no_further_look_is_due(tmp_path: Path):
    library = _library(tmp_path)
    list(library.find_sessions(lambda: False))
    path = tmp_path / "home" / ".claude" / "projects" / "p" / "s1.jsonl"
    row = _rows(tmp_path / "work")[0] | {"uuid": "r3", "parentUuid": "r2"}
    row["message"] = {"role": "user", "content": f"Use {SECRET}"}
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
    (batch,) = library.look_again(lambda: False, frozenset({str(path)}))
    assert (batch.narrow, [session.prompts for session in batch.sessions]) == (True, [2])
    assert SECRET not in repr(batch)
    assert batch.sessions[0].transcript.bytes == path.stat().st_size


def test_what_is_next_is_what_the_guard_lets_through(tmp_path: Path):
    """Somebody else recovers it: nobody is told to start a session from it, before and after the checkout is read."""
    library = _library(tmp_path)
    session = next(session for batch in library.find_sessions(lambda: False) for session in batch.sessions)
    opened = library.open(session.name)
    assert opened.status.next.command is not None
    bench = library._bench
    ana = Runner("devbox", 12, "5")
    actor = actor_of(bench.machine, ana, lambda one: True)
    with actor.make() as record:
        claim = Claim(session.name, "ana@devbox", ana, 600, "is recovering this")
        take_lease(record, claim, bench.machine.clock.now(), lambda one: None)
    held = library.open(session.name)
    for _ in range(2):
        assert (held.status.next.operation, held.status.next.command) == ("resolve_liveness", None)
        assert "ana@devbox is recovering this" in held.status.next.why
        held.checkout()
    assert next_actions(held.status) == ("desk.evidence",)


def test_where_no_brief_may_be_written_is_known_before_anything_is_asked(tmp_path: Path):
    library = _library(tmp_path)
    (name,) = (session.name for batch in library.find_sessions(lambda: False) for session in batch.sessions)
    written, work = library.open(name).brief(), tmp_path / "work"
    (work / "plain.md").write_text("mine")
    (work / "folder.md").mkdir()
    os.mkfifo(work / "pipe.md")
    assert library.may_be_written(work / "plain.md")
    for path in (work / "folder.md", work / "pipe.md", tmp_path / "home/.claude/projects/p/s1.jsonl"):
        assert not library.may_be_written(path)
        with pytest.raises(UsageError):
            library.write_brief(written, path)
    library.write_brief(written, work / "plain.md")
    assert (work / "plain.md").read_text() == written.markdown


async def test_the_desk_tells_that_the_brief_of_a_recovery_was_moved_away_and_that_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("refloat_tui.screens.desk._LOOK_EVERY", 0.05)
    library, brief = _library(tmp_path), tmp_path / "work" / "HANDOFF.md"
    (name,) = (session.name for batch in library.find_sessions(lambda: False) for session in batch.sessions)
    rescue = library.rescue(name)
    kept = rescue.take_up()
    rescue.save(rescue.put(kept.recovery, brief, overwrite=False), done=True)
    app = RefloatApp(library, None, Start(UTF8, home=str(tmp_path / "home"), chosen=name))
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "; brief in " in words_of(app))
        brief.rename(tmp_path / "elsewhere.md")
        await until(pilot, lambda: "its brief is gone from " in words_of(app))
        brief.write_text("mine")
        await until(pilot, lambda: "its brief is gone: another file stands in " in words_of(app))
        (tmp_path / "elsewhere.md").rename(brief)
        await until(pilot, lambda: "; brief in " in words_of(app))
