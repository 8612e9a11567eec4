"""Kept copies: whole or not at all, exact, private, told when damaged; whatever the source and a kill do meanwhile."""

import os
import random
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.errors import NotDone
from refloat.model.kept import Source
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record import kept as store
from refloat.record.kept import KeptDamaged, directory_of, find_damage, keep, read_copy, read_kept
from refloat.record.packing import pack
from refloat.record.unpacked import unpack_copy

NOW = Stamp("2026-09-14T14:00:00.000Z")
LATER = Stamp("2026-09-15T14:00:00.000Z")
NAME = SessionName("claude-code:11111111-0000-4000-8000-000000000001")
ROOT = Path(__file__).parents[3]


def source(path: Path, role: Any = "transcript") -> Source:
    return Source(str(path), path.name, role, lines=role == "transcript")


def content(copy: Any, n: int = 0) -> bytes:
    return b"".join(read_kept(copy, copy.files[n]))


def files_below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def test_a_copy_is_exact_private_and_comes_back(tmp_path: Path):
    talk, side = tmp_path / "t.jsonl", tmp_path / "s.txt"
    talk.write_bytes(b'{"a":1}\n{"torn')
    side.write_bytes(os.urandom(3_000_000))
    copy, changed, _ = keep(tmp_path / "data", NAME, [source(talk), source(side, "side")], NOW, title="t")
    assert changed
    assert read_copy(copy.directory) == copy
    assert (content(copy), content(copy, 1)) == (talk.read_bytes(), side.read_bytes())
    assert copy.directory == directory_of(tmp_path / "data", NAME)
    for path in (tmp_path / "data").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_the_same_again_is_no_change_and_growth_is(tmp_path: Path):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\n")
    first, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    again, changed, _ = keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert (again, changed) == (first, False)
    with talk.open("ab") as file:
        file.write(b"two\n")
    grown, changed, _ = keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert changed
    assert (grown.at, content(grown)) == (LATER, b"one\ntwo\n")
    assert len(list(grown.directory.glob("*.zst"))) == 1


def test_what_the_agent_deleted_stays_in_the_copy(tmp_path: Path):
    talk, side = tmp_path / "t.jsonl", tmp_path / "s.txt"
    talk.write_bytes(b"one\n")
    side.write_bytes(b"tool result")
    keep(tmp_path / "data", NAME, [source(talk), source(side, "side")], NOW)
    side.unlink()
    talk.write_bytes(b"one\ntwo\n")
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert [content(copy, n) for n in range(2)] == [b"one\ntwo\n", b"tool result"]


@pytest.mark.parametrize(
    ("grows", "kept"),
    [
        pytest.param([b'{"a":1}\n{"ha', b'lf":2}\n'], b'{"a":1}\n', id="in the middle of a line"),
        pytest.param([b'{"a":1}\n', b'{"b":2}\n'], b'{"a":1}\n', id="at a line end"),
    ],
)
def test_a_transcript_that_grows_while_it_is_copied_is_kept_to_a_line_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grows: list[bytes], kept: bytes
):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(grows[0])
    real = pack

    def growing(parts: Any) -> Any:
        yield from real(parts)
        if talk.stat().st_size == len(grows[0]):
            with talk.open("ab") as file:
                file.write(grows[1])

    monkeypatch.setattr(store, "pack", growing)
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    assert content(copy) == kept


def test_one_that_is_rewritten_all_the_time_is_refused_and_the_copy_from_before_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\n")
    first, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    real = pack

    def rewriting(parts: Any) -> Any:
        yield from real(parts)
        fresh = tmp_path / "fresh"
        fresh.write_bytes(os.urandom(9))
        fresh.replace(talk)

    monkeypatch.setattr(store, "pack", rewriting)
    with pytest.raises(NotDone, match="changes while it is copied"):
        keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert read_copy(first.directory) == first
    assert content(first) == b"one\n"


def test_a_transcript_that_is_gone_is_refused_and_a_side_file_is_left_out(tmp_path: Path):
    talk, side = tmp_path / "t.jsonl", tmp_path / "s.txt"
    with pytest.raises(NotDone, match="is gone"):
        keep(tmp_path / "data", NAME, [source(talk)], NOW)
    with pytest.raises(FileNotFoundError):
        read_copy(directory_of(tmp_path / "data", NAME))
    talk.write_bytes(b"one\n")
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk), source(side, "side")], NOW)
    assert [file.path for file in copy.files] == [str(talk)]


def test_every_flipped_bit_is_found(tmp_path: Path):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"".join(b'{"n":%d}\n' % n for n in range(200)))
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    chance = random.Random(7)  # noqa: S311 - no secret
    for path in (copy.directory / "manifest.json", *copy.directory.glob("*.zst")):
        whole = path.read_bytes()
        for _ in range(60):
            bad = bytearray(whole)
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
            path.write_bytes(bad)
            try:
                found = list(find_damage(read_copy(copy.directory)))
            except KeptDamaged:
                found = ["manifest"]
            assert found, path.name
        path.write_bytes(whole)
    assert list(find_damage(read_copy(copy.directory))) == []


def test_keeping_again_heals_a_damaged_copy(tmp_path: Path):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\n")
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    (packed,) = copy.directory.glob("*.zst")
    packed.write_bytes(b"rubbish")
    keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert list(find_damage(read_copy(copy.directory))) == []


@pytest.mark.parametrize("now", [b"one\n", b"", b"ONE\ntwo\nthree\n"], ids=["cut", "emptied", "another"])
def test_a_copy_is_not_replaced_by_what_does_not_begin_with_it(tmp_path: Path, now: bytes):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\ntwo\n")
    first, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    talk.write_bytes(now)
    again = keep(tmp_path / "data", NAME, [source(talk)], LATER)
    assert again == (first, False, (str(talk),))
    assert content(read_copy(first.directory)) == b"one\ntwo\n"
    assert len(list(first.directory.glob("*.zst"))) == 1


def test_a_link_in_a_transcripts_place_is_not_the_session(tmp_path: Path):
    talk, other = tmp_path / "t.jsonl", tmp_path / "other"
    other.write_bytes(b"one\ntwo\n")
    talk.symlink_to(other)
    with pytest.raises(NotDone, match="is a link"):
        keep(tmp_path / "data", NAME, [source(talk)], NOW)
    talk.unlink()
    talk.write_bytes(b"one\n")
    first, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    talk.unlink()
    talk.symlink_to(other)
    assert keep(tmp_path / "data", NAME, [source(talk)], LATER) == (first, False, (str(talk),))


@given(st.text(max_size=40))
def test_no_id_leads_out_of_the_folder(name: str):
    data = Path("/data")
    found = directory_of(data, SessionName(f"claude-code:{name}"))
    assert found.parent == data / "kept" / "claude-code"
    assert found.name not in {".", "..", ""}
    assert "/" not in found.name


def test_a_place_outside_is_never_laid_out(tmp_path: Path):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\n")
    bad = Source(str(talk), "../../../escaped", "transcript", lines=True)
    copy, *_ = keep(tmp_path / "data", NAME, [bad], NOW)
    with pytest.raises(KeptDamaged):
        read_copy(copy.directory)


def test_a_copy_is_laid_out_once_and_anew_when_it_changes(tmp_path: Path):
    talk = tmp_path / "t.jsonl"
    talk.write_bytes(b"one\n")
    copy, *_ = keep(tmp_path / "data", NAME, [source(talk)], NOW)
    first = unpack_copy(copy, tmp_path / "cache")
    laid = first.root / "t.jsonl"
    assert (laid.read_bytes(), laid.stat().st_mtime_ns) == (b"one\n", talk.stat().st_mtime_ns)
    inode = laid.stat().st_ino
    assert unpack_copy(copy, tmp_path / "cache") == first
    assert laid.stat().st_ino == inode
    (packed,) = copy.directory.glob("*.zst")
    packed.write_bytes(packed.read_bytes()[:-3])
    damaged = unpack_copy(copy, tmp_path / "cache")
    assert [(problem.path, "damaged" in problem.what) for problem in damaged.problems] == [(str(talk), True)]
    assert not first.root.exists()


KEEPER = """
    import sys
    from pathlib import Path
    from refloat.model.kept import Source
    from refloat.record.kept import keep
    home = Path(sys.argv[1])
    print("go", flush=True)
    while True:
        for n in range(6):
            with (home / f"s{n}").open("ab") as file:
                file.write(bytes([n]) * 60_000 + bytes([10]))
        sources = [Source(str(home / f"s{n}"), f"s{n}", "transcript", True) for n in range(6)]
        keep(home / "data", "claude-code:kill", sources, "2026-09-14T14:00:00.000Z")
        print("kept", flush=True)
"""


def test_killed_at_any_instant_a_whole_copy_stands_or_none(tmp_path: Path):
    chance = random.Random(3)  # noqa: S311 - no secret
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "core"), "HOME": str(tmp_path)}
    for round_ in range(12):
        words = [sys.executable, "-c", textwrap.dedent(KEEPER), str(tmp_path)]
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 4)):
            process.stdout.readline()
        # No clock: the kill falls wherever so many turns of an empty loop end.
        for _ in range(chance.randrange(400_000)):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        process.stdout.close()
        try:
            copy = read_copy(tmp_path / "data" / "kept" / "claude-code" / "kill")
        except FileNotFoundError:
            assert round_ == 0 or not files_below(tmp_path / "data" / "kept")
            continue
        assert list(find_damage(copy)) == []
        assert len(copy.files) == 6
