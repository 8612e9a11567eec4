"""Who waits in the app for somebody else is told so there, and nothing is written beside the screen."""

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.waiting import until

from refloat import waiting
from refloat.model.stamp import Stamp
from refloat.record import sqlite as engine
from refloat.record.sqlite import open_file
from refloat_tui import app as apps
from refloat_tui import terminal

NOW = Stamp("2026-09-14T09:00:00.000Z")
SAID = "another process holds the record; this one waits for it"


async def test_a_record_that_another_one_holds_is_waited_for_with_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(engine, "QUIET", 0.05)
    path = tmp_path / "record.db"
    open_file(path, NOW).close()
    done: list[bool] = []

    def save() -> None:
        with closing(open_file(path, NOW)) as record, record.writing():
            done.append(True)

    app = make_app(FakeLibrary(some_sessions()))
    monkeypatch.setattr(waiting, "_listener", [app.tell_wait])
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with app.run_test(notifications=True) as pilot:
            saving = Thread(target=save)
            saving.start()
            await until(pilot, lambda: [note.message for note in app._notifications] == [SAID])
            assert not done
            other.execute("ROLLBACK")
            saving.join(60)
            assert done
    assert capfd.readouterr().err == ""
    app.tell_wait(SAID)  # and one that comes after the end is dropped


def test_while_the_app_runs_it_is_the_one_that_is_told(monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []

    class Quiet:
        def __init__(self, _: object) -> None: ...

        def start(self) -> None: ...

        def end_soon(self) -> None: ...

        def rest(self) -> None: ...

    def hear(_: apps.RefloatApp, sentence: str) -> None:
        told.append(sentence)

    def run(_: apps.RefloatApp) -> None:
        waiting.tell(SAID)

    monkeypatch.setattr(terminal, "Watchman", Quiet)
    monkeypatch.setattr(apps.RefloatApp, "run", run)
    monkeypatch.setattr(apps.RefloatApp, "tell_wait", hear)
    apps.run_app(make_app(FakeLibrary(some_sessions())))
    waiting.tell("later")
    assert told == [SAID]
