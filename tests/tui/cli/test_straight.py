"""The straight road of `checkout` and `triage`: the parser's words and its answers, whatever is cached."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from refloat.catalogue.peek import FILE
from refloat.testing.claude_talk import ClaudeTalk
from refloat_tui.cli import asking, straight
from refloat_tui.cli.parser import run

NEVER = {
    "click", "multiprocessing", "concurrent", "logging", "importlib.metadata", "asyncio", "textual", "rich", "git",
    "pickle", "refloat.model.guard", "refloat.model.record", "ast", "dis", "tokenize",
}  # fmt: skip
"""What the straight road must not load."""


def git(place: Path, *words: str) -> None:
    named = {f"GIT_{who}_{what}": "ada@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dated = {f"GIT_{who}_DATE": "2026-08-20T09:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_NOSYSTEM": "1"} | named | dated
    subprocess.run(["git", *words], cwd=place, env=environment, check=True, capture_output=True)


class World:
    """A home with one session, and the checkout that it edited."""

    def __init__(self, directory: Path) -> None:
        self.home, self.work = directory / "home", directory / "work"
        self.talk = ClaudeTalk(cwd=str(self.work))
        self.work.mkdir()
        git(self.work, "init", "-q", "-b", "main")
        for name in ("a.py", "b.py", "c.py"):
            (self.work / name).write_text("one\ntwo\nthree\n")
        git(self.work, "add", ".")
        git(self.work, "commit", "-q", "-m", "start")
        self.talk.prompt("Make it so")
        self.edit("a.py", "two", "zwei")
        self.edit("b.py", "three", "token = 'ghp_0123456789abcdefghijABCDEFGHIJ0123'")
        self.talk.ran("pytest -q", "1 failed, 3 passed\n", 1)
        (self.work / "b.py").write_text("one\ntwo\nthree\n")
        (self.work / "stray.py").write_text("token = 'ghp_0123456789abcdefghijABCDEFGHIJ0123'\n")
        self.save()

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.work / name
        call = f"toolu_{len(self.talk.rows)}"
        before = path.read_text()
        path.write_text(before.replace(old, new, 1))
        asked = {"file_path": str(path), "old_string": old, "new_string": new}
        self.talk.call("Edit", call, **asked)
        self.talk.result(call, "done", {"filePath": str(path), "originalFile": before, **asked})

    def save(self) -> None:
        self.talk.write(self.home / ".claude" / "projects" / "p")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("REFLOAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(made.work)
    yield made
    forget()


def forget() -> None:
    asking.bench.cache_clear()


Said = tuple[int | None, str, str]


def said(capfd: pytest.CaptureFixture[str], road: Callable[[list[str]], int | None], words: list[str]) -> Said:
    forget()
    capfd.readouterr()
    code = road(words)
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "words",
    [
        ["checkout", "last"],
        ["checkout", "--patch", "last"],
        ["checkout", "last", "--json"],
        ["checkout", "last", "--json", "--show-secrets"],
        ["triage", "last"],
        ["triage", "--json", "last"],
        ["checkout", "nobody"],
        ["triage", "./nothing.jsonl"],
    ],
)
def test_both_roads_say_the_same(world: World, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    fast = said(capfd, straight.answer, words)
    assert fast[0] is not None
    assert fast == said(capfd, run, words)
    assert ("ghp_0123" in fast[1]) == ("--show-secrets" in words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["list"],
        ["checkout"],
        ["checkout", "--help"],
        ["checkout", "-h", "last"],
        ["checkout", "last", "more"],
        ["checkout", "--jso", "last"],
        ["checkout", "--json=1", "last"],
        ["checkout", "--", "last"],
        ["checkout", "-"],
        ["checkout", ""],
        ["triage", "--patch", "last"],
        ["triage", "--probe", "last"],
        ["--version"],
    ],
)
def test_all_but_plain_words_are_the_parsers(words: list[str]) -> None:
    assert straight.read(words) is None


def test_a_completion_is_the_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert straight.read(["checkout", "last"]) == ("last", {})
    monkeypatch.setenv("_REFLOAT_COMPLETE", "bash_complete")
    assert straight.read(["checkout", "last"]) is None


def started(world: World, *words: str, redirect: str = "") -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    line = f'"$0" -m refloat_tui "$@" {redirect}'
    return subprocess.run(
        ["/bin/sh", "-c", line, sys.executable, *words],
        env=environment,
        cwd=world.work,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_process_ends_with_all_of_it_said(world: World) -> None:
    done = started(world, "checkout", "last", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert {file["path"]: file["state"] for file in json.loads(done.stdout)["files"]} == {
        "a.py": "present",
        "b.py": "reverted",
    }
    missing = started(world, "checkout", "nobody")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("refloat: no session is called 'nobody'")


@pytest.mark.parametrize(("redirect", "code"), [(">&-", 0), ("| true", 0)])
def test_nobody_who_listens_is_no_fault(world: World, redirect: str, code: int) -> None:
    done = started(world, "checkout", "last", "--json", redirect=redirect)
    assert (done.returncode, done.stderr) == (code, "")


def test_it_loads_no_parser_and_no_pools(world: World) -> None:
    words = (
        "import sys; from refloat_tui.cli import straight; straight.hasten();"
        " assert straight.answer(['checkout', 'last', '--json']) == 0;"
        " print(*sorted(sys.modules), file=sys.stderr)"
    )
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", words], env=environment, cwd=world.work, capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "refloat.usecases.examine" in loaded
    assert [name for name in loaded if any(name == never or name.startswith(f"{never}.") for never in NEVER)] == []


# ── what is cached changes no answer ─────────────────────────────────────────────────────────────────────────────────


def nothing(_: World) -> None:
    pass


def transcript_grew(world: World) -> None:
    world.edit("c.py", "one", "eins")
    world.save()


def transcript_rewritten(world: World) -> None:
    world.talk.rows[:] = world.talk.rows[:3]
    world.save()


def checkout_changed(world: World) -> None:
    (world.work / "a.py").write_text("one\ntwo\nthree\n")
    (world.work / "stray.py").unlink()


def committed(world: World) -> None:
    git(world.work, "commit", "-q", "-a", "-m", "more")


CHANGES = [nothing, transcript_grew, transcript_rewritten, checkout_changed, committed]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("words", [["checkout", "last", "--json"], ["triage", "last"]])
def test_a_second_look_says_what_a_first_one_says(
    world: World, change: Callable[[World], None], words: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    first = said(capfd, straight.answer, words)
    assert first[0] == 0
    change(world)
    second = said(capfd, straight.answer, words)
    monkeypatch.setenv("REFLOAT_CACHE_DIR", str(tmp_path / "fresh"))
    assert second == said(capfd, straight.answer, words)
    assert (second == first) == (change is nothing)
    for place in ("cache", "fresh"):
        kept = list((tmp_path / place).iterdir())
        assert kept
        assert all(path.stat().st_mode & 0o77 == 0 for path in kept)
        assert not any(b"ghp_0123456789" in path.read_bytes() for path in kept)


def test_a_damaged_cache_or_none_changes_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["checkout", "last", "--json"]
    first = said(capfd, straight.answer, words)
    file = tmp_path / "cache" / FILE
    file.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    assert said(capfd, straight.answer, words) == first
    (tmp_path / "no directory").write_text("")
    monkeypatch.setenv("REFLOAT_CACHE_DIR", str(tmp_path / "no directory"))
    code, out, _ = said(capfd, straight.answer, words)
    told, before = json.loads(out), json.loads(first[1])
    assert code == 0
    assert told.pop("warnings") != before.pop("warnings")
    assert told == before
