"""Steps, wraps, pickups and decisions become links of one chain, on both engines."""

import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from refloat.errors import UsageError
from refloat.model.record import Checked
from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import (
    AlreadySealed,
    add_step,
    add_steps,
    begin_step,
    seal_step,
)
from refloat.record.contents import hold
from refloat.record.handovers import NewDecision, NewPickup, NewWrap, add_decision, add_pickup, add_wrap
from refloat.record.receipts import altered_fields
from refloat.record.store import NotWritten, Record, open_record

NOW = Stamp("2026-09-14T14:00:00.000Z")
END = Stamp("2026-09-14T14:00:02.000Z")
OPENING = Opening(
    "retry", "human:ada", "run", "pytest -q", "run", NOW, "/srv/app", Tree("a" * 40, "b" * 64), Runner("host", 12, "99")
)
ENDING = Ending("ok", END, 0, Tree("a" * 40, "c" * 64))


def links(record: Record, job: str = "retry") -> list[dict[str, object]]:
    with record.reading() as connection:
        found = [dict(row) for row in connection.rows("links.steps_of", job=job, after=0, many=100000)]
        for name in ("wraps", "pickups", "decisions"):
            found += [dict(row) for row in connection.rows(f"links.{name}_of", job=job)]
    return sorted((row for row in found if row["sealed"] is not None), key=lambda row: str(row["sealed"]).zfill(9))


def test_a_step_is_there_before_it_ends_and_sealed_when_it_does(record: Record) -> None:
    begun = begin_step(record, OPENING, hold(b"pytest\0-q"))
    with record.reading() as connection:
        row = connection.row("links.step", id=begun.id)
        assert row is not None
        assert (row["seq"], row["sealed"], row["outcome"], row["receipt"]) == (1, None, None, None)
    sealed = seal_step(record, begun, ENDING, hold(b"42 passed\n"))
    with record.reading() as connection:
        row = connection.row("links.step", id=begun.id)
        job = connection.row("jobs.one", job="retry")
    assert row is not None
    assert job is not None
    assert (row["sealed"], row["outcome"], row["exit_code"], row["output_bytes"]) == (1, "ok", 0, 10)
    assert job["head"] == row["receipt"] == sealed.receipt
    assert altered_fields("step", row, job["created_at"]) == ()


def test_a_step_is_sealed_once(record: Record) -> None:
    begun = begin_step(record, OPENING)
    first = seal_step(record, begun, ENDING)
    with pytest.raises(AlreadySealed):
        seal_step(record, begun, ENDING._replace(outcome="error"))
    with record.reading() as connection:
        job = connection.row("jobs.one", job="retry")
    assert job is not None
    assert (job["last_sealed"], job["head"]) == (1, first.receipt)


def test_the_chain_follows_sealing_and_takes_in_every_kind(record: Record) -> None:
    slow = begin_step(record, OPENING)
    add_step(record, OPENING, ENDING, None, hold(b"quick"))
    add_wrap(record, NewWrap("retry", END, "human:ada", "did", "stop after 3", "bob", ["look"], ["the docs"]))
    seal_step(record, slow, ENDING)
    add_pickup(record, NewPickup("retry", END, "codex:1", None, [Checked(2, "ab", "unchanged")], 3))
    add_decision(record, NewDecision("retry", END, "accepted", "ada", "ok"))
    found = links(record)
    assert [row["sealed"] for row in found] == [1, 2, 3, 4, 5]
    assert [row.get("seq") for row in found] == [2, None, 1, None, None]
    assert [row["previous"] for row in found] == ["", *[row["receipt"] for row in found[:-1]]]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b[1m", "x" * 201])
def test_a_name_that_no_line_can_show_is_refused(record: Record, name: str) -> None:
    with pytest.raises(UsageError):
        begin_step(record, OPENING._replace(job=name))


def test_text_that_no_engine_takes_is_stored_as_what_can_be_read(record: Record) -> None:
    sealed = add_step(record, OPENING._replace(summary="a\0b\udc80\ud800"), ENDING)
    assert sealed.row["summary"] == "a\ufffdb\ufffd\ufffd"
    with record.reading() as connection:
        row = connection.row("links.step", id=sealed.id)
        job = connection.row("jobs.one", job="retry")
    assert row is not None
    assert job is not None
    assert altered_fields("step", row, job["created_at"]) == ()


def test_a_failed_transaction_leaves_nothing(record: Record) -> None:
    add_step(record, OPENING, ENDING)
    with pytest.raises(KeyError), record.writing() as connection:  # noqa: PT012 - the block is the transaction
        connection.run("jobs.take_seq", job="retry")
        raise KeyError
    assert add_step(record, OPENING, ENDING).row["seq"] == 2


def test_many_at_once_keep_their_order(record: Record) -> None:
    sealed = add_steps(record, [(OPENING._replace(tool=f"t{n}"), ENDING, None, hold(b"same")) for n in range(20)])
    assert [(one.row["seq"], one.sealed) for one in sealed] == [(n, n) for n in range(1, 21)]


def test_writers_that_share_a_job_lose_and_repeat_nothing(opened: Callable[[], Record]) -> None:
    opened()
    failed: list[BaseException] = []
    start = threading.Barrier(8)

    def write(writer: int) -> None:
        try:
            own = opened()
            start.wait()
            for n in range(25):
                begun = begin_step(own, OPENING._replace(producer=f"p{writer}"), hold(b"%d" % n))
                seal_step(own, begun, ENDING, hold(b"%d %d" % (writer, n)))
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            failed.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    found = links(opened())
    assert [row["sealed"] for row in found] == list(range(1, 201))
    assert sorted(str(row["seq"]).zfill(3) for row in found) == [f"{n:03}" for n in range(1, 201)]
    assert [row["previous"] for row in found] == ["", *[row["receipt"] for row in found[:-1]]]


def test_a_server_that_was_gone_meanwhile_is_connected_to_again(server: str, tmp_path: Path) -> None:
    schema = "gone_meanwhile"
    with psycopg.connect(server, autocommit=True) as other:
        other.execute(f"CREATE SCHEMA {schema}")  # pyright: ignore[reportArgumentType, reportCallIssue] - a name of our own
        with open_record(tmp_path, NOW, f"{server}&options=-csearch_path%3D{schema}") as record:
            add_step(record, OPENING, ENDING)
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
            with pytest.raises(NotWritten, match="cannot be written"):
                add_step(record, OPENING, ENDING)
            assert add_step(record, OPENING, ENDING).row["seq"] == 2
