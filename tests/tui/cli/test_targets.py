"""Where no command writes, whatever is forced: among agents' records, in git's and our own, over no plain file."""

import os
import shlex
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal, cast

import pytest

from refloat.errors import RefloatError
from refloat.model.session import SessionName
from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.testing.rescues import rescue_of
from refloat.testing.samples import SAMPLES
from refloat_tui.bench_library import BenchLibrary
from refloat_tui.bench_operations import BenchOperations
from refloat_tui.cli.commands import bench
from refloat_tui.cli.parser import run as run_here
from refloat_tui.cli.saving import real_desk
from refloat_tui.mcp.asked import Export
from refloat_tui.mcp.door import Door
from refloat_tui.mcp.recording import export
from refloat_tui.operations import Asked

if TYPE_CHECKING:
    from refloat.model.brief import WrittenBrief
    from refloat.usecases.keep_draft import Drafts
    from refloat.usecases.recover import Recovery

COMMANDS = {
    "brief": ("brief", SESSION, "--out", "FILE", "FORCE"),
    "salvage": ("salvage", SESSION, "--out", "FILE", "FORCE"),
    "export": ("export", "j", "--out", "FILE", "FORCE"),
    "run": ("run", "--job", "j", "--receipt", "FILE", "FORCE", "--", "touch", "ran"),
    "repair": ("repair", SESSION, "--out", "FILE"),
    "backup": ("record", "backup", "FILE"),
}
FORCED = [
    (name, force) for name, words in COMMANDS.items() for force in (("", "--force") if "FORCE" in words else ("",))
]


def run(words: Sequence[str]) -> int:
    """A command's exit code; `run`, which takes the signals of its process, gets a process."""
    if words[0] != "run":
        return run_here(words)
    command = [sys.executable, "-m", "refloat_tui", *words]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=here, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in `work`, a damaged session that lost a file, a job of one step, and links to where it is told no."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"REFLOAT_{name}_DIR", str(tmp_path / name.lower()))
        (tmp_path / name.lower()).mkdir(mode=0o700)
    monkeypatch.chdir(work)
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: ())  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    for words in (("init", "-q", "."), ("init", "-q", "--bare", "bare")):
        subprocess.run(["git", *words], check=True)
    talk = ClaudeTalk(cwd=str(work))
    talk.prompt("Keep notes, publish")
    talk.call("Write", "toolu_1", file_path=str(work / "notes.md"), content="n\n")
    told = {"type": "create", "filePath": str(work / "notes.md"), "content": "n\n", "structuredPatch": []}
    talk.result("toolu_1", "File created", told)
    talk.call("Bash", "toolu_push", command="git push")
    transcript = talk.write(home / ".claude/projects/p")
    os.utime(transcript, (1_780_000_000, 1_780_000_000))
    (home / ".codex").mkdir()
    (home / ".claude.json").write_text("{}")
    (tmp_path / "agents").symlink_to(home / ".claude/projects/p")
    (tmp_path / "transcript").symlink_to(transcript)
    (tmp_path / "datalink").symlink_to(tmp_path / "data")
    (tmp_path / "gits").symlink_to(work / ".git")
    (tmp_path / "nowhere").symlink_to(tmp_path / "data/not-yet")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "pipelink").symlink_to(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        monkeypatch.chdir(tmp_path)  # a socket's name is short
        made.bind("socket")
        monkeypatch.chdir(work)
    bench.bench.cache_clear()
    assert run(["run", "--job", "j", "--", "true"]) == 0
    return tmp_path


PLACES = {
    "home/.claude/new.jsonl": "among the records of Claude Code",
    f"home/.claude/projects/p/{SESSION}.jsonl": "among the records of Claude Code",
    "home/.codex/new.json": "among the records of Codex",
    "home/.claude.json": "is a record of Claude Code",
    "agents/new": "among the records of Claude Code",
    "agents/../new": "among the records of Claude Code",
    "folder/../home/.claude/x": "among the records of Claude Code",
    "transcript": "among the records of Claude Code",
    "work/.git/new": "in a git directory",
    "work/.git": "directory",
    "work/bare/hooks/post-commit": "in a git directory",
    "gits/config": "in a git directory",
    "data/record.db": "where the record is",
    "data/signing.key": "where the record is",
    "datalink/new": "where the record is",
    "nowhere": "where the record is",
    "config/config.toml": "Refloat's own directory",
    "cache/catalogue.db": "Refloat's own directory",
    "pipe": "is a named pipe, and no plain file",
    "pipelink": "is a link to a named pipe, and no plain file",
    "socket": "is a socket, and no plain file",
    "folder": "directory",
}


def _typed(name: str, target: str, force: str) -> list[str]:
    words = {"FILE": target, "FORCE": force}
    return [words.get(word, word) for word in COMMANDS[name] if words.get(word, word)]


def _held(root: Path) -> Mapping[str, tuple[int, bytes]]:
    """All but the cache, which a command that reads writes."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        if not path.is_relative_to(root / "cache") and not path.name.endswith(("-wal", "-shm", ".lock")):
            found[str(path)] = (stat.S_IFMT(mode), path.read_bytes() if stat.S_ISREG(mode) else b"")
    return found


@pytest.mark.parametrize(("name", "force"), FORCED)
def test_no_command_writes_where_evidence_lies_nor_over_no_plain_file(
    root: Path, capfd: pytest.CaptureFixture[str], name: str, force: str
) -> None:
    before = _held(root)
    for place, why in PLACES.items():
        if name == "repair" and place == "folder":
            continue  # the copy goes into it
        code = run(_typed(name, f"{root}/{place}", force))
        err = capfd.readouterr().err
        assert (code, why in " ".join(err.split())) == (2, True), (place, err)
        assert "--force" not in err, place
        assert _held(root) == before, place
    assert not (root / "work/ran").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_said_to_be_typed_instead_is_taken(root: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    assert run(_typed(name, f"{root}/agents/new one.txt", "")) == 2
    said = " ".join(capfd.readouterr().err.split())
    (instead,) = shlex.split(said.rpartition("such as ")[2])
    assert run(_typed(name, instead, "")) == 0
    assert Path(instead).is_file()


@pytest.mark.parametrize("name", [name for name, words in COMMANDS.items() if "FORCE" in words])
@pytest.mark.parametrize("target", ["mine.txt", "missing.txt"])
def test_a_link_is_named_as_one_and_replaced_itself_when_forced(
    root: Path, capfd: pytest.CaptureFixture[str], name: str, target: str
) -> None:
    (root / "mine.txt").write_text("mine")
    link = root / "link"
    link.symlink_to(target)
    assert run(_typed(name, str(link), "")) == (2 if name == "run" else 1)
    said = " ".join(capfd.readouterr().err.split())
    assert f"a link to {target}; name another place, or replace the link itself with `--force`" in said
    assert not (root / "work/ran").exists()
    assert run(_typed(name, str(link), "--force")) == 0
    assert not link.is_symlink()
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    assert ((root / "mine.txt").read_text(), (root / "missing.txt").exists()) == ("mine", False)


def test_among_its_own_data_a_brief_alone_is_put_among_the_briefs(root: Path) -> None:
    assert run(_typed("brief", f"{root}/data/briefs/own.md", "")) == 0
    assert (root / "data/briefs/own.md").is_file()
    for name in COMMANDS:
        assert run(_typed(name, f"{root}/data/briefs/../new", "")) == 2
        assert name == "brief" or run(_typed(name, f"{root}/data/briefs/new", "")) == 2


def test_a_receipt_is_put_in_place_of_a_second_name_of_a_file_never_into_it(root: Path) -> None:
    (root / "mine.txt").write_text("mine")
    (root / "second").hardlink_to(root / "mine.txt")
    assert run(_typed("run", f"{root}/second", "--force")) == 0
    assert (root / "mine.txt").read_text() == "mine"
    assert run(_typed("run", f"{root}/slash/", "")) == 0
    assert (root / "slash").is_file()


def test_a_receipt_is_not_put_over_what_the_command_itself_wrote(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--job", "j", "--receipt", f"{root}/out", "--", "sh", "-c", f"echo mine >{root}/out; exit 3"]
    assert run(words) == 3
    assert "the step itself is saved" in " ".join(capfd.readouterr().err.split())
    assert (root / "out").read_text() == "mine\n"


def test_a_backup_takes_no_file_of_a_like_name_away(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "b.db.partial").write_text("mine")
    assert run(_typed("backup", f"{root}/b.db", "")) == 0
    assert run(_typed("backup", f"{root}/b.db", "")) == 1
    assert "name another file" in " ".join(capfd.readouterr().err.split())
    assert (root / "b.db.partial").read_text() == "mine"
    assert not list(root.glob(".b.db*"))


def _asked_by_a_program(place: str) -> None:
    export(Door(real_desk(os.environ), bench.bench), Export(job="j", out=place, format="json"), "test")


def _shown_in_the_app(place: str) -> None:
    BenchLibrary(bench.bench(), Path.cwd()).write_brief(
        cast("WrittenBrief", SimpleNamespace(markdown="x")), Path(place)
    )


def _named_in_the_wizard(place: str) -> None:
    machine = bench.bench().machine
    rescue = rescue_of(next(iter(SAMPLES.values()))(), machine, drafts=cast("Drafts", None))
    assert not rescue.may_be_written(Path(place))
    rescue.put(cast("Recovery", None), Path(place), overwrite=True)


@pytest.mark.parametrize("write", [_asked_by_a_program, _shown_in_the_app, _named_in_the_wizard])
def test_neither_a_program_nor_the_app_writes_there(root: Path, write: Callable[[str], None]) -> None:
    before = _held(root)
    for place in PLACES:
        with pytest.raises(RefloatError):
            write(f"{root}/{place}")
        assert _held(root) == before, place


@pytest.mark.parametrize("operation", ["repair", "salvage"])
def test_a_field_of_the_app_says_so_before_it_is_agreed_to(root: Path, operation: Literal["repair", "salvage"]) -> None:
    operations = BenchOperations(bench.bench(), Path.cwd(), ())
    name = SessionName(f"claude-code:{SESSION}")
    for place, why in PLACES.items():
        if operation == "salvage" or place != "folder":
            offer = operations.plan(Asked(operation, name, out=f"{root}/{place}")).offer
            assert (offer.refused, why in offer.guard) == (True, True), (place, offer.guard)
    assert not operations.plan(Asked(operation, name, out=f"{root}/free")).offer.refused
