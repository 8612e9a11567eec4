# ruff: noqa: S608 - the SQL of these tests is their own
"""Whatever is changed in what is stored is found, and named."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.errors import RefloatError, UsageError
from refloat.model.record import Verified
from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.record.chain import add_step, begin_step, seal_step
from refloat.record.checking import find_receipt, verify_job
from refloat.record.contents import hold
from refloat.record.receipts import seal
from refloat.record.store import FILE_NAME, Record, open_in_memory, open_record
from refloat.record.trails import find_jobs, load_trail
from refloat.record.whole import NoSuchJob, load_job
from refloat.testing.jobs import BIG, ENDING, NOW, OPENING, fill

TABLES = ("steps", "wraps", "pickups", "decisions")


@pytest.fixture
def alter(url: str | None, record: Record, tmp_path: Path) -> Callable[[str], None]:
    """Change the stored rows behind the record's back."""
    fill(record, tmp_path)

    def change(sql: str) -> None:
        if url is None:
            with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
                connection.execute(sql)
        else:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(sql)  # pyright: ignore[reportArgumentType, reportCallIssue] - a test's own words

    return change


def columns(record: Record, table: str) -> list[str]:
    with record.reading() as connection:
        links = load_job(connection, "retry").links
    return next(list(row) for kind, row in links if f"{kind}s" == table)


def found(verified: Verified) -> set[tuple[int | None, str]]:
    return {(fault.seq, fault.field) for fault in verified.problems}


def test_what_nobody_changed_is_unchanged(alter: Callable[[str], None], record: Record) -> None:
    verified = verify_job(record, "retry")
    assert verified.problems == ()
    assert verified.ok
    assert (verified.checked, verified.in_flight, verified.signature) == (6, (4,), "unsigned")


FIELDS = {
    "steps": "id seq origin producer tool summary workspace host pid pid_started automatic input_sha256 input_bytes "
    "started_at head_before worktree_before unknown_before rests_on opened output_sha256 output_bytes outcome "
    "exit_code ended_at head_after worktree_after unknown_after note sealed previous digests receipt signer signature",
    "wraps": "id at producer summary goal recipient next_steps not_checked last_seq automatic note sealed previous "
    "digests receipt signer signature",
    "pickups": "id at producer wrap checked continue_at automatic note sealed previous digests receipt "
    "signer signature",
    "decisions": "id at status decided_by release about automatic note sealed previous digests receipt "
    "signer signature",
}
NUMBERS = {"seq", "pid", "automatic", "input_bytes", "output_bytes", "exit_code", "sealed", "rests_on"} | {
    "last_seq",
    "continue_at",
}


def test_the_list_of_fields_is_whole(alter: Callable[[str], None], record: Record) -> None:
    for table, names in FIELDS.items():
        assert set(columns(record, table)) == {*names.split(), "job"}


@pytest.mark.parametrize("field", [f"{table}.{name}" for table, names in FIELDS.items() for name in names.split()])
def test_an_altered_field_is_found_and_named(alter: Callable[[str], None], record: Record, field: str) -> None:
    table, name = field.split(".")
    where = " WHERE seq = 1" if table == "steps" else ""
    value = f"coalesce({name}, 0) + 70" if name in NUMBERS else f"coalesce({name}, '') || 'x'"
    alter(f"UPDATE {table} SET {name} = {value}{where}")
    verified = verify_job(record, "retry")
    assert not verified.ok
    wanted = name if table == "steps" else f"{table[:-1]}.{name}"
    assert wanted in {fault.field for fault in verified.problems}
    if table == "steps" and name != "seq":
        assert next(fault.seq for fault in verified.problems if fault.field == wanted) == 1


@pytest.mark.parametrize("name", FIELDS["steps"].split()[:19])
def test_an_altered_field_of_the_step_in_flight_is_found(
    alter: Callable[[str], None], record: Record, name: str
) -> None:
    value = f"coalesce({name}, 0) + 70" if name in NUMBERS else f"coalesce({name}, '') || 'x'"
    alter(f"UPDATE steps SET {name} = {value} WHERE seq = 4")
    assert (74 if name == "seq" else 4, name) in found(verify_job(record, "retry"))


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("UPDATE jobs SET created_at = '2020-01-01T00:00:00.000Z'", (None, "created_at")),
        ("UPDATE jobs SET last_seq = 9", None),
        ("UPDATE jobs SET last_seq = 2", (None, "last_seq")),
        ("UPDATE jobs SET last_sealed = 9", (None, "last_sealed")),
        ("UPDATE jobs SET head = 'ab'", (None, "head")),
        ("DELETE FROM steps WHERE seq = 2", (2, "step")),
        ("DELETE FROM steps WHERE seq = 4", (4, "step")),
        ("DELETE FROM decisions", (None, "last_sealed")),
        ("DELETE FROM wraps", (None, "chain")),
        ("UPDATE steps SET sealed = NULL WHERE seq = 3", (3, "sealed")),
        ("UPDATE steps SET outcome = 'ok' WHERE seq = 4", (4, "sealed")),
        ("DELETE FROM contents WHERE bytes = 10", (1, "output")),
        ("DELETE FROM pieces WHERE data = 'x'", (3, "input")),
        ("UPDATE contents SET bytes = 11 WHERE bytes = 10", (1, "output")),
        ("UPDATE contents SET coding = 'gzip' WHERE bytes = 10", (1, "output")),
        ("UPDATE contents SET kept_sha256 = 'ab' WHERE bytes = 10", (1, "output")),
        ("UPDATE pieces SET data = '42 failed' WHERE data = '42 passed\n'", (1, "output")),
    ],
)
def test_what_is_altered_around_the_links_is_found(
    alter: Callable[[str], None], record: Record, url: str | None, sql: str, fault: tuple[int | None, str] | None
) -> None:
    if url is None:
        for word in ("'x'", "'42 failed'", "'42 passed\n'"):
            sql = sql.replace(f"data = {word}", f"data = CAST({word} AS BLOB)")
    alter(sql)
    verified = verify_job(record, "retry")
    assert not verified.ok
    assert fault is None or fault in found(verified)


def test_a_link_replaced_whole_breaks_the_chain(alter: Callable[[str], None], record: Record) -> None:
    with record.reading() as connection:
        row = connection.rows("links.steps_of", job="retry", after=1, many=1)[0]
        job = connection.row("jobs.one", job="retry")
    assert job is not None
    forged = seal("step", {**row, "outcome": "ok"}, job["created_at"])
    made = f"digests = '{forged['digests']}', receipt = '{forged['receipt']}'"
    alter(f"UPDATE steps SET outcome = 'ok', {made} WHERE seq = 2")
    assert found(verify_job(record, "retry")) == {(2, "receipt")}


def test_one_receipt_alone(alter: Callable[[str], None], record: Record) -> None:
    with record.reading() as connection:
        rows = connection.rows("links.steps_of", job="retry", after=0, many=9)
    alter("UPDATE steps SET exit_code = 0 WHERE seq = 2")
    job, receipt = find_receipt(record, str(rows[0]["receipt"])[:12])
    assert (job, receipt) == ("retry", rows[0]["receipt"])
    first, second = (verify_job(record, "retry", str(row["receipt"])) for row in rows[:2])
    assert (first.ok, first.checked) == (True, 1)
    assert (second.ok, found(second)) == (False, {(2, "exit_code")})


@pytest.mark.parametrize("prefix", ["", "zz", "f" * 64])
def test_a_receipt_that_is_none_or_many(alter: Callable[[str], None], record: Record, prefix: str) -> None:
    with pytest.raises(UsageError):
        find_receipt(record, prefix)


def test_a_job_that_is_none_names_the_nearest(alter: Callable[[str], None], record: Record) -> None:
    with pytest.raises(NoSuchJob, match="did you mean retry"):
        verify_job(record, "rety")


def test_a_saved_output_that_is_saved_again_heals(
    alter: Callable[[str], None], record: Record, url: str | None
) -> None:
    alter("UPDATE contents SET bytes = 3, coding = 'zstd' WHERE bytes = 10")
    assert not verify_job(record, "retry").ok
    add_step(record, OPENING, ENDING, None, hold(b"42 passed\n"))
    assert verify_job(record, "retry").ok


def dump(path: Path) -> object:
    """All that is stored of jobs, as SQLite itself gives it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        tables = (*TABLES, "jobs", "contents", "pieces")
        return [sorted(map(repr, connection.execute(f"SELECT * FROM {table}"))) for table in tables]


def verdict(directory: Path) -> Verified | RefloatError:
    """Of a check; whatever is damaged, the trail and the list of jobs are there or a sentence is."""
    try:
        with open_record(directory, NOW) as record:
            with suppress(RefloatError):
                find_jobs(record)
            with suppress(RefloatError):
                load_trail(record, "retry")
            return verify_job(record, "retry")
    except RefloatError as error:
        return error


def test_a_flipped_bit_anywhere_in_the_file_is_found_or_changes_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_record(data, NOW) as record:
        fill(record, data)
    path = data / FILE_NAME
    whole = path.read_bytes()
    before = dump(path)
    missed: list[int] = []
    for place in range(0, len(whole), 311):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        found_it = verdict(data)
        for extra in data.glob(f"{FILE_NAME}-*"):
            extra.unlink()
        if isinstance(found_it, RefloatError) or not found_it.ok:
            continue
        path.write_bytes(flipped)
        if dump(path) != before:
            missed.append(place)
        for extra in data.glob(f"{FILE_NAME}-*"):
            extra.unlink()
    assert missed == []


def test_every_flipped_bit_of_an_output_is_found_and_its_step_named(tmp_path: Path) -> None:
    with open_record(tmp_path, NOW) as record:
        fill(record, tmp_path)
        (path,) = (tmp_path / "outputs").rglob("*.zst")
        whole = path.read_bytes()
        assert len(whole) < len(BIG) * 4096
        for bit in [*range(256), *range(256, len(whole) * 8, max(1, len(whole) * 8 // 200))]:
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << (bit % 8)
            path.write_bytes(flipped)
            assert found(verify_job(record, "retry")) == {(3, "output")}, bit
        path.unlink()
        assert [fault.verdict for fault in verify_job(record, "retry").problems] == ["missing"]


texts = st.text(st.characters(), max_size=20)  # controls, zero characters and halves of surrogate pairs included
stamps = st.just(NOW)
trees = st.builds(Tree, st.none() | texts, st.none() | texts, st.none() | texts)
openings = st.builds(
    Opening,
    job=st.sampled_from(["retry", "grün"]),
    producer=texts,
    tool=texts,
    summary=texts,
    origin=st.sampled_from(["run", "hook"]),
    started_at=stamps,
    workspace=st.none() | texts,
    tree=trees,
    runner=st.builds(Runner, st.none() | texts, st.none() | st.integers(0, 2**31), st.none() | st.just("12")),
    automatic=st.booleans(),
)
endings = st.builds(
    Ending,
    outcome=st.sampled_from(["ok", "error", "denied", "interrupted", "dangling"]),
    ended_at=stamps,
    exit_code=st.none() | st.integers(-(2**31), 2**31),
    tree=trees,
    note=st.none() | texts,
)


@settings(max_examples=60)
@given(st.lists(st.tuples(openings, st.none() | endings, st.none() | st.binary(), st.none() | st.binary()), max_size=6))
def test_whatever_is_saved_verifies(
    steps: list[tuple[Opening, Ending | None, bytes | None, bytes | None]],
) -> None:
    with open_in_memory(NOW) as record:
        for opening, ending, given_, output in steps:
            begun = begin_step(record, opening, None if given_ is None else hold(given_))
            if ending is not None:
                seal_step(record, begun, ending, None if output is None else hold(output))
        for job in {opening.job for opening, _, _, _ in steps}:
            mine = [ending for opening, ending, _, _ in steps if opening.job == job]
            verified = verify_job(record, job)
            assert verified.problems == ()
            assert (verified.checked, len(verified.in_flight)) == (len(mine) - mine.count(None), mine.count(None))
