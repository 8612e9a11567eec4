"""The catalogue: private, shared, thrown away when it is not as expected, never needed."""

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from refloat.catalogue import peek as peeking
from refloat.catalogue.opening import check
from refloat.catalogue.peek import FILE, NEWEST, peek, read_places, read_specs, write_places, write_specs
from refloat.catalogue.store import SCOPE, Catalogue, Reading, Relived, Told

KEY = ("claude-code", "s1", "/t/s1.jsonl")


def told(key: tuple[str, str, str] = KEY, **more: object) -> Told:
    values = {
        "key": key,
        "mark": "m",
        "pulse": "p",
        "superseded": False,
        "last_activity": "2026-09-14T09:00:00.000Z",
        "state": "stopped",
        "place": "/w",
        "worktree": "",
        "title": "Title",
        "folder": "w",
        "front": "{",
        "live": "l",
        "back": "}",
    }
    return Told(**(values | more))  # pyright: ignore[reportArgumentType] - by name


def test_what_is_kept_is_found_again_by_both_readers(tmp_path: Path):
    reading = Reading(KEY, "{}", "row-1", b"summary")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([("/t/s1.jsonl", (1, 2, 3, 4), "{}")])
        assert catalogue.keep_readings([(reading, b"frozen", ["/w/a.py"])])
        assert catalogue.finish([told()], [], [], [("codex", "/w", "{}")], {"fingerprint": "f"})
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.identities() == {"/t/s1.jsonl": ((1, 2, 3, 4), "{}")}
        assert catalogue.readings() == {KEY: reading}
        assert catalogue.reading(KEY) == reading
        assert catalogue.kin("claude-code", "row-1") == [reading]
        assert catalogue.frozen(KEY, "{}") == b"frozen"
        assert catalogue.frozen(KEY, "{1}") is None  # that of another state
        assert catalogue.editors(["/w/a.py", "/w/b.py"]) == {("claude-code", "s1")}
        many = [f"/w/{n}.py" for n in range(3000)]
        assert catalogue.editors([*many, "/w/half \ud800", "/w/a.py", *many]) == {("claude-code", "s1")}
        assert catalogue.editors(["/w/half \ud800"]) == catalogue.editors(many) == catalogue.editors([]) == frozenset()
    quick = peek(str(tmp_path))
    assert quick is not None
    assert quick.notes()["fingerprint"] == "f"
    assert [(row[0], row[7]) for row in quick.told()] == [("s1", "Title")]
    assert quick.told_finished(places=True)[0][7] == b"{,l,}"
    assert quick.gone() == [("codex", "/w", "{}")]
    quick.close()


def test_a_search_reads_the_newest_sessions_first_and_no_more_than_it_asks_for(tmp_path: Path):
    moments = [f"2026-09-{day:02d}T09:00:00.000Z" for day in range(1, 29)]
    rows = [
        told(("codex", f"s{number:03d}", "/t"), last_activity=moments[number % 28], superseded=number % 5 == 0)
        for number in range(300)
    ]
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.finish(rows, [], [rows[1].key], [], {"fingerprint": "f"})
        names = [(row[3], row[1]) for row in catalogue.scope()]
        wanted = [(row.last_activity, row.key[1]) for row in rows if not row.superseded and row is not rows[1]]
        assert names == sorted(sorted(wanted, key=lambda pair: pair[1]), key=lambda pair: pair[0], reverse=True)
        for question in (SCOPE, NEWEST):
            steps = [row[3] for row in catalogue._db.execute(f"EXPLAIN QUERY PLAN {question}")]
            assert len(steps) == 1
            assert "COVERING INDEX newest" in steps[0]


def test_file_and_directory_are_private(tmp_path: Path):
    place = tmp_path / "cache" / "refloat"
    with Catalogue.open(place) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.keep_identities([("/a", (1, 2, 3, 4), "{}")])
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_catalogue_is_thrown_away(tmp_path: Path, damage: bytes):
    (tmp_path / FILE).write_bytes(damage)
    assert peek_notes(tmp_path) is None
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.readings() == {}
        assert catalogue.keep_identities([("/a", (1, 2, 3, 4), "{}")])


def peek_notes(directory: Path) -> object:
    quick = peek(str(directory))
    try:
        return quick.notes() if quick else None
    except sqlite3.Error:
        return None
    finally:
        if quick:
            quick.close()


def test_another_schema_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.keep_identities([("/a", (1, 2, 3, 4), "{}")])
    monkeypatch.setattr("refloat.catalogue.opening.SCHEMA", peeking.SCHEMA + "-next")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.identities() == {}


def test_a_place_that_cannot_be_made_means_no_catalogue(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    assert Catalogue.open(tmp_path / "file" / "refloat") is None


def test_a_locked_catalogue_is_gone_without(tmp_path: Path):
    first = Catalogue.open(tmp_path)
    assert first is not None
    blocker = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with Catalogue.open(tmp_path, wait=0.01) as second:  # pyright: ignore[reportOptionalContextManager]
        assert second.identities() == {}
        assert not second.keep_identities([("/a", (1, 2, 3, 4), "{}")])
    blocker.execute("ROLLBACK")
    blocker.close()
    assert first.keep_identities([("/a", (1, 2, 3, 4), "{}")])
    first.close()


def test_what_is_appended_to_the_log_is_moved_into_the_file_before_it_grows_long(tmp_path: Path):
    with Catalogue.open(tmp_path) as reader:  # pyright: ignore[reportOptionalContextManager]
        sizes: list[int] = []
        for n in range(24):
            with Catalogue.open(tmp_path, append=True) as writer:  # pyright: ignore[reportOptionalContextManager]
                assert writer.keep_readings([(Reading(KEY, str(n), "", b""), bytes(200_000), [])])
            sizes.append((tmp_path / f"{FILE}-wal").stat().st_size)
            assert reader.files()[KEY] == str(n)
        assert max(sizes) < 2_000_000
        assert any(later < earlier for earlier, later in pairwise(sizes))
    assert not (tmp_path / f"{FILE}-wal").exists()


def test_reading_something_takes_the_quick_answer_back(tmp_path: Path):
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.finish([told()], [], [], [], {"fingerprint": "f"})
        catalogue.keep_readings([(Reading(KEY, "{}", "", b""), b"", [])])
        assert "fingerprint" not in catalogue.notes()


def test_sessions_come_newest_first_and_leave_when_unlisted_or_forgotten(tmp_path: Path):
    keys = [("codex", name, f"/t/{name}") for name in ("b", "a", "c", "d")]
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.finish([told(key) for key in keys], [], [], [], {})
        catalogue.finish(
            [told(keys[2], last_activity="2026-09-15T00:00:00.000Z")],
            [Relived(keys[0], "failed", "p2", "l2")],
            [keys[3]],
            [],
            {},
            forget=["/t/a"],
        )
        assert catalogue.marks()[keys[0]] == ("m", "p2", True)
    quick = peek(str(tmp_path))
    assert quick is not None
    assert [(row[0], row[3]) for row in quick.told()] == [("c", "stopped"), ("b", "failed")]
    quick.close()


def test_a_name_that_is_no_text_is_kept_by_its_bytes_or_not_at_all(tmp_path: Path):
    odd = "/t/\udcff.jsonl"
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([(odd, (1, 2, 3, 4), "{}")])
        assert odd in catalogue.identities()
        assert not catalogue.finish([told(place="/\udcff")], [], [], [], {"fingerprint": "f"})
        assert "fingerprint" not in catalogue.notes()


def test_specs_survive_as_text():
    specs = [
        ("claude-code", "/h/.claude/projects", (".jsonl", ".x"), 5, "transcripts"),
        ("codex", "/h", ("",), 0, "locks"),
    ]
    assert read_specs(write_specs(specs)) == specs
    assert read_specs("") == []


def test_places_survive_as_text_each_once():
    places = [("/w/a", "/w", "/w/.git"), ("/x", "", ""), ("/x", "", ""), ("", "", "")]
    assert read_places(write_places(places)) == [("/w/a", "/w", "/w/.git"), ("/x", "", "")]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("UPDATE files SET identity = replace(identity, 's1', 's2')", "identity"),
        ("UPDATE resumes SET frozen = CAST(replace(CAST(frozen AS TEXT), 'z', 'Z') AS BLOB)", "frozen"),
        ("UPDATE readings SET summary = x'00'", "summary"),
        ("UPDATE readings SET summary = 7", "summary"),
    ],
)
def test_a_value_that_is_not_as_it_was_written_is_not_there(tmp_path: Path, question: str, found: str):
    reading = Reading(KEY, "{}", "row-1", b"summary")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([("/t/s1.jsonl", (1, 2, 3, 4), '{"id":"s1"}')])
        assert catalogue.keep_readings([(reading, b"frozen", [])])
    with sqlite3.connect(tmp_path / FILE) as raw:
        raw.execute(question)
    raw.close()
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert (catalogue.identity("/t/s1.jsonl") == "") is (found == "identity")
        assert (catalogue.identities()["/t/s1.jsonl"][1] == "") is (found == "identity")
        assert (catalogue.frozen(KEY, reading.files) is None) is (found == "frozen")
        assert (catalogue.reading(KEY) == reading) is (found != "summary")


def test_a_catalogue_that_turns_out_damaged_is_gone_for_the_next(tmp_path: Path):
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        rows = [(f"/t/{n}.jsonl", (1, 2, 3, 4), "{}" * 40) for n in range(2000)]
        assert catalogue.keep_identities(rows)
    path = tmp_path / FILE
    content = bytearray(path.read_bytes())
    content[4096 * 40 :] = b"\xff" * (len(content) - 4096 * 40)
    path.write_bytes(content)
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.identities() == {}
    assert not path.exists()
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities(rows)


def test_a_check_throws_away_what_is_damaged_and_nothing_else(tmp_path: Path):
    path = tmp_path / FILE
    check(path)
    assert not path.exists()
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([(f"/t/{n}.jsonl", (1, 2, 3, 4), "{}" * 40) for n in range(2000)])
    check(path)
    content = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        check(path)
    content[4096 * 40 : 4096 * 42] = b"\xff" * 8192
    path.write_bytes(content)
    check(path)
    assert not path.exists()


def test_many_sessions_told_at_once_are_kept_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [("codex", f"s{n}", f"/t/s{n}.jsonl") for n in range(9)]
    kept: list[Sequence[tuple[str, str, str]]] = []
    for many in (1, 5, 9, 100):
        monkeypatch.setattr("refloat.catalogue.store._MANY", many)
        with Catalogue.open(tmp_path / str(many)) as catalogue:  # pyright: ignore[reportOptionalContextManager]
            assert catalogue.finish([told(keys[0], front="old")], [], [], [], {})
            assert catalogue.finish((told(key, front=key[1]) for key in keys), [], [], [], {"fingerprint": "f"})
            assert catalogue.finish((told(key, front=key[1] + "'") for key in keys[:7]), [], [], [], {})
            assert catalogue.marks() == dict.fromkeys(keys, ("m", "p", True))
            kept.append(catalogue.told())
    assert sorted(kept[0])[:1] == [("s0'", "l", "}")]
    assert all(rows == kept[0] for rows in kept)


def test_files_are_known_by_their_paths(tmp_path: Path) -> None:
    odd = os.fsdecode(b"/t/\xff.jsonl")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.keep_identities([("/t/a.jsonl", (1, 2, 3, 4), "{}"), (odd, (1, 2, 3, 5), "{}")])
        assert set(catalogue.known_files()) == {"/t/a.jsonl", odd}
