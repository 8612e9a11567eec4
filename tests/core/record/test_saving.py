"""Running a command and saving it: what is written when, and that nothing of the record stops the command."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from refloat.errors import NotDone, UsageError
from refloat.model.record import SavedStep
from refloat.model.saving import Ended, Runner, Tree
from refloat.model.stamp import Stamp, later
from refloat.record.chain import Begun, add_step, begin_step
from refloat.record.checking import verify_job
from refloat.record.contents import SMALL, read
from refloat.record.keys import OWN
from refloat.record.running import note_command, read_command
from refloat.record.store import NotWritten, Record
from refloat.record.trails import load_trail
from refloat.record.whole import NoSuchJob
from refloat.testing.jobs import ENDING, OPENING
from refloat.usecases.save_step import (
    Desk,
    Elsewhere,
    EndedElsewhere,
    Ran,
    begin_elsewhere,
    end_elsewhere,
    outcome_of,
    run_step,
    save_elsewhere,
)
from refloat.usecases.show_trail import show_trail

COMMAND = Runner("host", 8, "100")
NOW = Stamp("2026-09-14T14:00:00.000Z")
Keep = Callable[[bytes], None]
Make = Callable[[Callable[[Keep], Ended]], Desk]


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] - used by pytest
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def desk(url: str | None, tmp_path: Path) -> Make:
    """A desk whose commands are functions, whose clock ticks, and whose checkout changes with each look."""
    ticks, looks = count(), count()
    environment = {} if url is None else {"REFLOAT_RECORD_URL": url}

    def make(command: Callable[[Keep], Ended]) -> Desk:
        def look(directory: str) -> Tree:
            return Tree("a" * 40, f"{directory} {next(looks)}")

        def run(argv: Sequence[str], keep: Keep, started: Callable[[Runner], None]) -> Ended:
            started(COMMAND)
            return command(keep) if argv else Ended(0)

        return Desk(
            data=tmp_path / "data",
            config=tmp_path / "config",
            environment=environment,
            workspace="/srv/app",
            runner=Runner("host", 7, "99"),
            now=lambda: later(NOW, next(ticks)),
            look=look,
            run=run,
        )

    return make


def go(desk: Desk, argv: Sequence[str] = ("make", "it")) -> Ran:
    return run_step(desk, "retry", "human:ada", argv, " ".join(argv))


def only(record: Record) -> SavedStep:
    (step,) = load_trail(record, "retry").steps
    return step


def test_the_command_s_process_is_noted_while_it_runs(desk: Make, tmp_path: Path, opened: Callable[[], Record]) -> None:
    found: list[Runner | None] = []

    def command(keep: Keep) -> Ended:
        del keep
        (step,) = load_trail(opened(), "retry").steps
        found.append(read_command(tmp_path / "data", step.id))
        return Ended(0)

    go(desk(command))
    assert found == [COMMAND]
    assert list((tmp_path / "data" / "running").iterdir()) == []


@pytest.mark.parametrize(
    ("own", "command", "told"),
    [(True, None, True), (None, None, None), (False, None, None), (False, True, True), (False, False, False)],
)
def test_a_step_is_gone_only_where_its_command_is_too(
    record: Record, tmp_path: Path, *, own: bool | None, command: bool | None, told: bool | None
) -> None:
    begun = begin_step(record, OPENING)
    if command is not None:
        note_command(tmp_path / "data", begun.id, COMMAND)
    (step,) = show_trail(record, "retry", 5, lambda runner: command if runner == COMMAND else own).steps
    assert step.running is told


def test_a_beginning_that_no_other_job_has_is_enough(record: Record) -> None:
    for job in ("recovery:codex:1", "recovery:codex:2", "retry"):
        begin_step(record, OPENING._replace(job=job))
    assert show_trail(record, "ret", 5, lambda _: None).job == "retry"
    with pytest.raises(NoSuchJob, match="did you mean recovery:codex:1, recovery:codex:2"):
        show_trail(record, "recovery:", 5, lambda _: None)


def test_a_damaged_note_of_a_command_is_none(tmp_path: Path) -> None:
    (tmp_path / "running").mkdir()
    for text in (b"", b"x y z", b"\xff 1 2", b"7"):
        (tmp_path / "running" / "ab").write_bytes(text)
        assert read_command(tmp_path, "ab") is None
    assert read_command(tmp_path, "../ab") is None


def test_the_step_is_in_flight_before_the_command_starts(desk: Make, opened: Callable[[], Record]) -> None:
    seen: list[SavedStep] = []

    def command(keep: Keep) -> Ended:
        keep(b"some ")
        seen.append(only(opened()))
        keep(b"words")
        return Ended(0)

    ran = go(desk(command))
    assert seen[0].link is None
    assert (seen[0].opening.summary, seen[0].opening.tree.worktree) == ("make it", "/srv/app 0")
    assert seen[0].opening.runner == Runner("host", 7, "99")
    assert (ran.trouble, ran.ended.code) == (None, 0)
    step = only(opened())
    assert step.ending is not None
    assert (step.ending.outcome, step.ending.tree.worktree, step.output_bytes) == ("ok", "/srv/app 1", 10)
    assert step.opening.started_at < step.ending.ended_at


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3_000_000])
def test_every_byte_is_kept_however_many(desk: Make, opened: Callable[[], Record], tmp_path: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)

    def command(keep: Keep) -> Ended:
        for at in range(0, size, 100_000):
            keep(data[at : min(at + 100_000, size)])
        return Ended(0)

    go(desk(command))
    record = opened()
    step = only(record)
    with record.reading() as connection:
        assert b"".join(read(record, connection, step.output_sha256 or "", step.output_bytes)) == data[:size]
    assert verify_job(record, "retry").ok
    data_directory = tmp_path / "data"
    assert not list(data_directory.glob("incoming/*"))
    for path in data_directory.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_its_words_are_kept_as_they_were_given(desk: Make, opened: Callable[[], Record]) -> None:
    go(desk(lambda _: Ended(0)), ("sh", "-c", "echo 'a b'", "\udcff"))
    record = opened()
    step = only(record)
    with record.reading() as connection:
        kept = b"".join(read(record, connection, step.input_sha256 or "", step.input_bytes))
    assert kept == b"sh\0-c\0echo 'a b'\0\xff"


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        (Ended(0), "ok"),
        (Ended(1), "error"),
        (Ended(127, None, "No such file"), "error"),
        (Ended(130, 2), "interrupted"),
        (Ended(137, 9), "interrupted"),
        (Ended(139, 11), "error"),
    ],
)
def test_what_became_of_it(ended: Ended, outcome: str) -> None:
    assert outcome_of(ended) == outcome


def test_a_record_that_cannot_be_opened_stops_no_command(desk: Make, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text('[record]\nurl = "mysql://x"\n')
    ran = go(desk(lambda _: Ended(3))._replace(environment={}))
    assert (ran.ended.code, ran.sealed) == (3, None)
    assert ran.trouble is not None
    assert ran.trouble.startswith("this step is not saved: the record's URL")


def test_a_record_that_is_lost_meanwhile_leaves_the_step_in_flight(
    desk: Make, opened: Callable[[], Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    from refloat.record.store import NotWritten
    from refloat.usecases import save_step

    def refuse(*_: object) -> None:
        raise NotWritten("the record cannot be written: the server is gone")

    monkeypatch.setattr(save_step, "seal_step", refuse)
    ran = go(desk(lambda _: Ended(4)))
    assert (ran.ended.code, ran.sealed) == (4, None)
    assert ran.trouble == (
        "step 1 of retry stays in flight, its end is not saved: the record cannot be written: the server is gone"
    )
    assert only(opened()).link is None


def test_a_name_that_is_none_runs_nothing(desk: Make) -> None:
    def command(keep: Keep) -> Ended:
        raise AssertionError(keep)

    with pytest.raises(UsageError):
        run_step(desk(command), "", "human:ada", ["make"], "make")


def test_a_step_from_elsewhere_is_sealed_at_once(desk: Make, opened: Callable[[], Record]) -> None:
    told = Elsewhere("retry", "me", "deploy", "denied", "to staging", 1, b"in", None, "by hand")
    sealed = save_elsewhere(desk(lambda _: Ended(0)), told)
    step = only(opened())
    assert step.link is not None
    assert (step.link.receipt, step.input_bytes, step.output_sha256) == (sealed.receipt, 2, None)
    assert step.ending is not None
    assert (step.ending.outcome, step.ending.note) == ("denied", "by hand")


def test_a_big_output_from_elsewhere_lies_beside_the_rows(
    desk: Make, opened: Callable[[], Record], url: str | None
) -> None:
    data = b"a long line of a log\n" * 10_000
    save_elsewhere(desk(lambda _: Ended(0)), Elsewhere("retry", "me", "log", "ok", output=data))
    record = opened()
    step = only(record)
    with record.reading() as connection:
        row = connection.row("contents.one", sha256=step.output_sha256 or "")
        assert row is not None
        assert (row["place"], row["coding"]) == ("file" if url is None else "row", "zstd")
        assert b"".join(read(record, connection, step.output_sha256 or "", step.output_bytes)) == data


# ── steps that run elsewhere ─────────────────────────────────────────────────────────────────────────────────────────


def begun(desk: Desk, **more: str) -> Begun:
    told = Elsewhere("retry", "mcp:editor", "edit", "ok", "edit a.py", given=b"+1", origin="mcp")
    return begin_elsewhere(desk, told._replace(**more))


def test_a_step_begun_for_somebody_else_is_in_flight_until_it_is_ended(
    desk: Make, opened: Callable[[], Record]
) -> None:
    here = desk(lambda _: Ended(0))
    flying = begun(here, workspace="/srv/other")
    step = only(opened())
    assert (step.link, step.opening.origin, step.opening.workspace) == (None, "mcp", "/srv/other")
    assert step.opening.tree.worktree == "/srv/other 0"
    sealed = end_elsewhere(here, flying.id, EndedElsewhere("error", 2, b"no\n", "why"), "mcp")
    step = only(opened())
    assert step.ending is not None
    assert step.link is not None
    assert (step.seq, step.link.receipt) == (1, sealed.receipt)
    assert (step.ending.outcome, step.ending.exit_code, step.ending.note) == ("error", 2, "why")
    assert step.ending.tree.worktree == "/srv/other 1"
    assert (step.input_bytes, step.output_bytes) == (2, 3)
    assert verify_job(opened(), "retry").problems == ()


def test_a_step_is_ended_once_and_only_by_whom_it_was_begun(desk: Make, opened: Callable[[], Record]) -> None:
    here = desk(lambda _: Ended(0))
    flying = begun(here)
    with pytest.raises(UsageError, match="no step has the id"):
        end_elsewhere(here, "ab" * 16, EndedElsewhere("ok"), "mcp")
    with pytest.raises(NotDone, match="was begun by mcp"):
        end_elsewhere(here, flying.id, EndedElsewhere("ok"), "hook")
    assert only(opened()).link is None
    end_elsewhere(here, flying.id, EndedElsewhere("ok"), "mcp")
    with pytest.raises(NotDone, match="sealed already"):
        end_elsewhere(here, flying.id, EndedElsewhere("error"), "mcp")
    step = only(opened())
    assert step.ending is not None
    assert step.ending.outcome == "ok"


def test_a_key_that_cannot_be_used_is_told_by_every_way_of_saving(desk: Make, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / OWN).write_text("nonsense")
    (tmp_path / "data" / OWN).chmod(0o600)
    here, told = desk(lambda _: Ended(0)), list[str]()
    ran = go(here)
    assert ran.sealed is not None
    assert ran.trouble is not None
    assert "step 1 is saved without a signature" in ran.trouble
    save_elsewhere(here, Elsewhere("retry", "human:ada", "edit", "ok"), told.append)
    end_elsewhere(here, begun(here).id, EndedElsewhere("ok"), "mcp", told.append)
    assert len(told) == 2
    assert all("saved without a signature" in sentence for sentence in told)


def test_what_no_receipt_can_speak_of_is_not_saved(opened: Callable[[], Record]) -> None:
    record = opened()
    add_step(record, OPENING, ENDING)
    with pytest.raises(NotWritten, match="no receipt"):
        add_step(record, OPENING, ENDING._replace(exit_code=2**53 + 1))
    add_step(record, OPENING, ENDING)
    found = verify_job(record, "retry")
    assert (found.ok, found.checked) == (True, 2)
