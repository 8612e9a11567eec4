"""What Refloat wrote into a checkout is nobody's dirty work, ages no check and stands in no fingerprint."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo

from refloat.brief.fingerprint import is_own, take_fingerprint
from refloat.model.checkout import Freshness
from refloat.model.own_files import BACKUP, held_by, listings_of, mark_of
from refloat.model.salvage import Salvage, SalvagedFile
from refloat.model.session import SessionName
from refloat.readers.registry import load_all
from refloat.testing.fakes import fake_machine
from refloat.usecases.put_salvage import put_salvage
from refloat.usecases.workbench import Workbench

NAME = SessionName("claude-code:5f0c1d2e-0000-4000-8000-000000000001")
OWN = {
    "HANDOFF.md": '# Go on\n\n<!-- refloat/1 {"session":"codex:1"} -->\n',
    "answer.json": '{"schema":"refloat/1","saved":[]}\n',
    "pretty.json": '{\n  "schema": "refloat/1",\n  "job": "nightly"\n}\n',
    "job.md": f"# Job nightly\n\n{mark_of('export')}\n",
    "copy.jsonl": '{"type":"user"}\n{"type":"system","refloatRepair":{"made":"note"}}\n',
    "rollout.jsonl": '{"type":"session_meta","refloat_repair":{"from":"1"}}\n{"type":"event_msg"}\n',
}
FOREIGN = {
    "code.py": 'MARK = "<!-- refloat/1 {"\n',
    "notes.md": f"{mark_of('export')[:12]}\n",
    "about.md": f"before\n{mark_of('export')}\nbehind\n",
    "data.json": '{"schema":"other/1"}\n',
    "log.jsonl": '{"type":"user","text":"refloatRepair"}\n',
}


def put(repo: Repo, content: bytes = b"kept\n") -> None:
    readers, _ = load_all()
    bench = Workbench(fake_machine(repo.root.parent), readers)
    rest = SalvagedFile("src/b.py", in_patch=False, why="it diverged", beside=content)
    patched = SalvagedFile("a.py", in_patch=True, why="restores it")
    put_salvage(
        bench, Salvage(NAME, str(repo.root), "diff --git a/a.py b/a.py\n", (patched, rest), 0), repo.root / "l.p"
    )


def dirty(repo: Repo) -> list[str]:
    return [change.path for change in repo.compare(repo.story()).other_changes]


def test_what_refloat_wrote_is_in_no_list_of_dirty_files(repo: Repo) -> None:
    for name, text in {**OWN, **FOREIGN}.items():
        (repo.root / name).write_text(text)
    put(repo)
    assert dirty(repo) == sorted(FOREIGN)


def test_what_took_the_place_of_a_tracked_file_is_told(repo: Repo) -> None:
    for name, text in (("README.md", "# Mine\n"), ("HANDOFF.md", OWN["HANDOFF.md"])):
        (repo.root / name).write_text(text)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "both")
    for name in ("README.md", "HANDOFF.md"):
        (repo.root / name).write_text(OWN["HANDOFF.md"].replace("Go on", "Go on now"))
    (repo.root / "new.md").write_text(OWN["HANDOFF.md"])
    repo.git("add", "new.md")
    changes = repo.compare(repo.story()).other_changes
    assert [(one.path, one.why) for one in changes] == [("README.md", "Refloat wrote it, over what HEAD holds there")]


@pytest.mark.parametrize("content", [b"kept\n", b"\x00\x01binary"])
def test_a_content_beside_a_patch_is_own_until_somebody_changes_it(repo: Repo, content: bytes) -> None:
    put(repo, content)
    beside = repo.root / "l.p.files" / "src" / "b.py"
    assert beside.read_bytes() == content
    assert dirty(repo) == []
    assert is_own(beside)
    beside.write_bytes(b"now mine\n")
    assert dirty(repo) == ["l.p.files/src/b.py"]
    assert not is_own(beside)


def test_the_list_answers_for_its_own_directory_alone(repo: Repo) -> None:
    put(repo)
    (repo.root / "b.py").write_text("kept\n")
    (repo.root / "other.files").mkdir()
    (repo.root / "other.files" / "b.py").write_text("kept\n")
    assert dirty(repo) == ["b.py", "other.files/b.py"]


@pytest.mark.parametrize("rows", [1, 400_000])
def test_a_backup_of_the_record_is_own_and_another_database_is_not(repo: Repo, rows: int) -> None:
    for name, mark in (("ours.db", BACKUP), ("theirs.db", "MINE")):
        with closing(sqlite3.connect(repo.root / name)) as made:
            made.execute(f"PRAGMA application_id = {int.from_bytes(mark.encode())}")
            made.execute("CREATE TABLE jobs (job)")
            made.execute("INSERT INTO jobs VALUES (zeroblob(?))", (rows * 50,))
            made.commit()
    assert dirty(repo) == ["theirs.db"]
    names = ["ours.db", "theirs.db"]
    assert [path for path, _ in take_fingerprint(NAME, None, str(repo.root), names, ()).files] == ["theirs.db"]


def test_a_fingerprint_holds_nothing_of_it(repo: Repo) -> None:
    for name, text in {**OWN, **FOREIGN}.items():
        (repo.root / name).write_text(text)
    put(repo)
    names = [*OWN, *FOREIGN, "l.p", "l.p.files.txt", "l.p.files/src/b.py"]
    taken = take_fingerprint(NAME, None, str(repo.root), names, ())
    assert [path for path, _ in taken.files] == list(FOREIGN)


def test_a_check_is_not_aged_by_it(repo: Repo) -> None:
    made = repo.story()
    made.run("pytest -q")
    put(repo)
    for name, text in OWN.items():
        (repo.root / name).write_text(text)
    (run,) = repo.compare(made).checks
    assert run.freshness is Freshness.CURRENT, run.stale_because
    (repo.root / "code.py").write_text("x = 1\n")
    (run,) = repo.compare(made).checks
    assert run.freshness is Freshness.STALE


def test_a_list_that_is_none_answers_for_nothing() -> None:
    assert (
        held_by("") == held_by("<!-- refloat/1 {broken -->") == held_by('<!-- refloat/1 {"holds":3} -->') == frozenset()
    )
    assert list(listings_of("/w/a.files/b.files/c.py")) == ["/w/a.files.txt", "/w/a.files/b.files.txt"]
    assert not is_own(Path("/nowhere/a\0b.files/c"))
