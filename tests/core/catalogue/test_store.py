"""The catalogue: private, shared, thrown away when it is not as expected, never needed."""

import os
import random
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from refloat.catalogue import peek as peeking
from refloat.catalogue.opening import check
from refloat.catalogue.peek import DAMAGED, FILE, SHOWN, peek, read_places, read_specs, write_places, write_specs
from refloat.catalogue.rows import SUMS, Alone, Reading, Told
from refloat.catalogue.store import SCOPE, Catalogue
from refloat.damage import FAULTS

KEY = ("claude-code", "s1", "/t/s1.jsonl")


def told(key: tuple[str, str, str] = KEY, **more: object) -> Told:
    values = {
        "key": key,
        "mark": "m",
        "superseded": False,
        "last_activity": "2026-09-14T09:00:00.000Z",
        "state": "stopped",
        "place": "/w",
        "worktree": "",
        "title": "Title",
        "folder": "w",
        "finished": '{"at":1}',
    }
    return Told(**(values | more))  # pyright: ignore[reportArgumentType] - by name


def test_what_is_kept_is_found_again_by_both_readers(tmp_path: Path):
    reading = Reading(KEY, "{}", "row-1", b"summary")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([("/t/s1.jsonl", (1, 2, 3, 4), "{}")])
        assert catalogue.keep_readings([(reading, b"frozen", ["/w/a.py"])])
        assert catalogue.finish([told()], [], [("codex", "/w", b"{}")], {"fingerprint": "f"})
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
    assert quick.told_finished()[0][7] == b'{"at":1}'
    assert quick.gone() == [("codex", "/w", b"{}")]
    quick.close()


def test_a_search_reads_the_newest_sessions_first_and_no_more_than_it_asks_for(tmp_path: Path):
    moments = [f"2026-09-{day:02d}T09:00:00.000Z" for day in range(1, 29)]
    rows = [
        told(("codex", f"s{number:03d}", "/t"), last_activity=moments[number % 28], superseded=number % 5 == 0)
        for number in range(300)
    ]
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.finish(rows, [rows[1].key], [], {"fingerprint": "f"})
        names = [(row[3], row[1]) for row in catalogue.scope()]
        wanted = [(row.last_activity, row.key[1]) for row in rows if not row.superseded and row is not rows[1]]
        assert names == sorted(sorted(wanted, key=lambda pair: pair[1]), key=lambda pair: pair[0], reverse=True)
        for question in (SCOPE, SHOWN, SUMS):
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
        catalogue.finish([told()], [], [], {"fingerprint": "f"})
        catalogue.keep_readings([(Reading(KEY, "{}", "", b""), b"", [])])
        assert "fingerprint" not in catalogue.notes()


def test_sessions_come_newest_first_and_leave_when_unlisted_or_forgotten(tmp_path: Path):
    keys = [("codex", name, f"/t/{name}") for name in ("b", "a", "c", "d")]
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.finish([told(key) for key in keys], [], [], {})
        catalogue.finish(
            [told(keys[2], last_activity="2026-09-15T00:00:00.000Z"), told(keys[0], state="failed", mark="m2")],
            [keys[3]],
            [],
            {},
            forget=["/t/a"],
        )
        assert catalogue.marks()[keys[0]] == ("m2", True)
    quick = peek(str(tmp_path))
    assert quick is not None
    assert [(row[0], row[3]) for row in quick.told()] == [("c", "stopped"), ("b", "failed")]
    quick.close()


def test_a_name_that_is_no_text_is_kept_by_its_bytes_or_not_at_all(tmp_path: Path):
    odd = "/t/\udcff.jsonl"
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([(odd, (1, 2, 3, 4), "{}")])
        assert odd in catalogue.identities()
        for each, gone, notes, alone in (
            ([told(place="/\udcff")], [], {}, {}),
            ([*[told()] * 600, told(place="/\udcff")], [], {}, {}),
            ([], [("codex", "/\udcff", b"{}")], {}, {}),
            ([], [], {"mark": "\ud800"}, {}),
            ([], [], {}, {odd: Alone(("codex", "s", odd), "\udcff")}),
        ):
            assert not catalogue.finish(each, [], gone, {"fingerprint": "f", **notes}, alone=alone)
            assert not catalogue.is_damaged
            assert "fingerprint" not in catalogue.notes()
        assert not catalogue.keep_grown([], [], [], {}, {}, on=("\ud800", ""))
        assert not catalogue.keep_readings([(Reading(("codex", "\udcff", odd), "[]", "", b"{}"), b"", [])])
        assert not catalogue.keep_readings([(Reading(("codex", "s", odd), "[]", "", b"{}"), b"", ["\udcff"])])
        assert not catalogue.keep_copies([(odd, (1, 2, 3, 4), "\udcff", True)])
        assert catalogue.finish([], [], [], {"fingerprint": "f"})


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
        ("UPDATE files SET identity = CAST(replace(CAST(identity AS TEXT), 's1', 's2') AS BLOB)", "identity"),
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


def shown_by(directory: Path) -> object:
    """Everything that a list, the app's first rows and a search tell; None where one of them met damage."""
    quick = peek(str(directory))
    try:
        if quick is None or "fingerprint" not in (notes := quick.notes()):
            return None
        del notes["schema"]
        finished = quick.told_finished()
        names = [(row[1], row[0]) for row in finished]
        return notes, quick.told(), finished, quick.placed(), quick.gone(), quick.finished(names)
    except DAMAGED:
        return None
    finally:
        if quick is not None:
            quick.close()


def fill(directory: Path) -> None:
    rows = [
        told(
            ("codex", f"s{n:02d}", f"/t/{n}"),
            title=f"Title {n}",
            finished=f'{{"n":{n},"x":"{n * 97:0300d}"}}',
            last_activity=f"2026-09-14T09:00:{n:02d}.000Z",
        )
        for n in range(40)
    ]
    gone = [("codex", f"/w/{n}", b"{%d}" % n) for n in range(3)]
    with Catalogue.open(directory) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([(row.key[2], (1, 2, 3, 4), "{}" * 20) for row in rows])
        assert catalogue.keep_readings(
            [(Reading(row.key, "{}" * 9, "r", b"s" * 60), b"f" * 90, [f"/w/{row.title}", "/w/a"]) for row in rows]
        )
        assert catalogue.keep_copies([(row.key[2], (1, 2, 3, 4), "r", True) for row in rows])
        assert catalogue.finish(
            rows[:30], [rows[3].key], [], {}, alone={row.key[2]: Alone(row.key, "") for row in rows}
        )
        assert catalogue.finish(rows[28:], [rows[5].key], gone, {"fingerprint": "f" * 90, "places": "p" * 90})
        grown = [told(rows[7].key, title="Grown", finished="{}")]
        on = ("", "")
        assert not catalogue.keep_grown([], grown, [], {}, {"mark": "m"}, on=on), "of another look"
        assert catalogue.finish([], [], gone, {"fingerprint": "f" * 90, "mark": "m", "since": "s"})
        assert catalogue.keep_grown([], grown, [], {}, {"since": "t"}, on=("m", "s"))


def ask_everything(directory: Path) -> bool:
    """Whether a look met damage; it ends in no other way."""
    with Catalogue.open(directory) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        key = ("codex", "s07", "/t/7")
        for ask in (
            catalogue.identities,
            catalogue.readings,
            catalogue.files,
            catalogue.count,
            catalogue.marks,
            catalogue.told,
            catalogue.titles,
            catalogue.alone,
            catalogue.notes,
            catalogue.edited,
            lambda: catalogue.identity("/t/7"),
            lambda: catalogue.reading(key),
            lambda: catalogue.kin("codex", "r"),
            lambda: catalogue.frozen(key, "{}" * 9),
            lambda: catalogue.told_of(key),
            lambda: catalogue.editors(["/w/a"]),
            lambda: catalogue.copy("/t/7", (1, 2, 3, 4), "r"),
            lambda: catalogue.keep_readings([(Reading(key, "", "r", b""), b"", ["/w/b"])]),
            lambda: catalogue.finish([told(key)], [], [], {}, forget=["/t/9"]),
        ):
            ask()
        with suppress(*FAULTS):
            list(catalogue.scope())
        return catalogue.is_damaged


@pytest.mark.parametrize("kind", ["bit", "page", "count"])
def test_what_is_shown_is_as_it_was_written_or_not_shown_at_all(tmp_path: Path, kind: str):
    fill(tmp_path)
    path = tmp_path / FILE
    whole, right = path.read_bytes(), shown_by(tmp_path)
    assert right is not None
    pages = [whole[at : at + 4096] for at in range(0, len(whole), 4096)]
    chance, wrong = random.Random(kind), 0  # noqa: S311 - no secret
    for _ in range(300):
        damaged = bytearray(whole)
        if kind == "bit":
            damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        elif kind == "page":
            at = chance.randrange(1, len(pages))
            damaged[at * 4096 : at * 4096 + 4096] = chance.choice(pages[1:])
        else:
            damaged[chance.randrange(1, len(pages)) * 4096 + chance.choice((3, 4, 8, 9, 10, 11))] ^= (
                1 << chance.randrange(8)
            )
        for side in tmp_path.glob(f"{FILE}-*"):
            side.unlink()
        path.write_bytes(damaged)
        shown = shown_by(tmp_path)
        assert shown is None or shown == right
        met = ask_everything(tmp_path)
        wrong += shown is None or met
    assert wrong > 20, "some of it was met"


@pytest.mark.parametrize(
    "question",
    [
        "UPDATE sessions SET title = 'Other' WHERE session_id = 's02'",
        "UPDATE sessions SET folder = 7 WHERE session_id = 's02'",
        "UPDATE sessions SET told = x'7b' WHERE session_id = 's02'",
        "UPDATE sessions SET listed = 0 WHERE session_id = 's02'",
        "UPDATE sessions SET listed = 1",
        "DELETE FROM sessions WHERE session_id = 's02'",
        "DELETE FROM gone WHERE n = 1",
        "UPDATE meta SET value = x'00' WHERE name = 'since'",
        "DELETE FROM seals",
    ],
)
def test_whoever_meets_a_row_that_is_not_as_it_was_throws_the_catalogue_away(tmp_path: Path, question: str):
    fill(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as raw:
        raw.execute(question)
    raw.close()
    assert shown_by(tmp_path) is None
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        told = catalogue.told() and catalogue.titles() and catalogue.notes()
        assert bool(told) is ("gone" in question)
    assert (tmp_path / FILE).exists() is ("gone" in question)


def test_what_is_kept_of_one_is_not_told_of_another(tmp_path: Path):
    other = ("codex", "s2", "/t/s2.jsonl")
    stat_of = (1, 2, 3, 4)
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        both = [(Reading(KEY, "{}", "r", b"one"), b"1", []), (Reading(other, "{}", "r", b"two"), b"2", [])]
        assert catalogue.keep_readings(both)
        assert catalogue.keep_copies([("/a", stat_of, "r", True), ("/b", stat_of, "r", False)])
        assert catalogue.finish([], [], [], {}, alone={"/a": Alone(KEY, "{1}"), "/b": Alone(other, "{2}")})
        assert (catalogue.copy("/a", stat_of, "r"), catalogue.copy("/b", stat_of, "r")) == (True, False)
        assert catalogue.alone("/b") == {"/b": Alone(other, "{2}")}
    with sqlite3.connect(tmp_path / FILE) as raw:
        for table, column, key in (
            ("readings", "summary", "session_id = 's2'"),
            ("resumes", "frozen", "session_id = 's2'"),
            ("copies", "holds", "path = CAST('/b' AS BLOB)"),
            ("alone", "found", "path = CAST('/b' AS BLOB)"),
        ):
            given = f"(SELECT {column} FROM {table} WHERE NOT {key})"  # noqa: S608 - names of our own
            raw.execute(f"UPDATE {table} SET {column} = {given} WHERE {key}")  # noqa: S608 - as above
    raw.close()
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.readings()[other].summary == b""
        assert catalogue.readings()[KEY].summary == b"one"
        assert (catalogue.frozen(KEY, "{}"), catalogue.frozen(other, "{}")) == (b"1", None)
        assert (catalogue.copy("/a", stat_of, "r"), catalogue.copy("/b", stat_of, "r")) == (True, None)
        assert catalogue.alone() == {"/a": Alone(KEY, "{1}")}


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


def test_a_check_finds_a_letter_that_changed_in_the_path_of_an_edit(tmp_path: Path):
    path = tmp_path / FILE
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        edited = [f"/w/{n:04d}.py" for n in range(500)]
        assert catalogue.keep_readings([(Reading(KEY, "{}", "r", b""), b"", edited)])
    whole = path.read_bytes()
    name = b"/w/0250.py"
    assert whole.count(name) == 2, "in the table, and in its index"
    for at in (whole.index(name), whole.rindex(name)):
        path.write_bytes(whole[:at] + b"/w/0250.pz" + whole[at + len(name) :])
        check(path)
        assert not path.exists()
    path.write_bytes(whole)
    check(path)
    assert path.exists()


def test_many_sessions_told_at_once_are_kept_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [("codex", f"s{n}", f"/t/s{n}.jsonl") for n in range(9)]
    kept: list[Sequence[tuple[str | bytes, ...]]] = []
    for many in (1, 5, 9, 100):
        monkeypatch.setattr("refloat.catalogue.store._MANY", many)
        with Catalogue.open(tmp_path / str(many)) as catalogue:  # pyright: ignore[reportOptionalContextManager]
            assert catalogue.finish([told(keys[0], title="old")], [], [], {})
            assert catalogue.finish((told(key, title=key[1]) for key in keys), [], [], {"fingerprint": "f"})
            assert catalogue.finish((told(key, title=key[1] + "'") for key in keys[:7]), [], [], {})
            assert set(catalogue.marks()) == set(keys)
        found = peek(str(tmp_path / str(many)))
        assert found is not None
        with closing(found):
            kept.append(found.told())
    assert sorted(row[0] for row in kept[0]) == sorted(key[1] for key in keys)
    assert all(rows == kept[0] for rows in kept)


def test_files_are_known_by_their_paths(tmp_path: Path) -> None:
    odd = os.fsdecode(b"/t/\xff.jsonl")
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        catalogue.keep_identities([("/t/a.jsonl", (1, 2, 3, 4), "{}"), (odd, (1, 2, 3, 5), "{}")])
        assert set(catalogue.known_files()) == {"/t/a.jsonl", odd}
