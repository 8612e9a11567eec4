"""`refloat repair` on the command line: what it says, what it writes, and that the original is only ever read."""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.testing.fakes import process
from refloat_tui.cli.commands import bench
from refloat_tui.cli.parser import run

NOBODY = 65534
WRITES = re.compile(
    r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|"
    r"^\d*\s*(?:rename|unlink|link|symlink|chmod|fchmodat|chown|fchownat|truncate|utime|mknod|mkdir|rmdir|setxattr)\w*\("
)


def damaged(home: Path, work: Path) -> Path:
    talk = ClaudeTalk(cwd=str(work))
    talk.prompt("Publish it")
    talk.call("Bash", "toolu_push", command="git push")
    path = talk.write(home / ".claude" / "projects" / "p")
    path.write_bytes(path.read_bytes() + b'{"parentUuid":"torn')
    os.utime(path, (1_780_000_000, 1_780_000_000))
    return path


@pytest.fixture
def original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"REFLOAT_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(work)
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: ())  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    bench.bench.cache_clear()
    return damaged(home, work)


def test_without_an_option_it_only_says_what_it_would_do(original: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", SESSION]) == 0
    out, _ = capfd.readouterr()
    assert "dangling call [blocks], Bash has no result: its outcome is unknown: closed as interrupted" in out
    assert "torn last line [loses]" in out
    assert "is never written to" in out
    assert list(original.parent.iterdir()) == [original]


def test_the_json_of_a_plan(original: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", SESSION, "--dry-run", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert list(told) == ["schema", "session", "issues", "actions", "written", "copy", "then", "refused"]
    assert told["session"] == f"claude-code:{SESSION}"
    assert told["issues"][0] == {
        "code": "dangling_call",
        "severity": "blocks",
        "line": 2,
        "detail": "Bash has no result: its outcome is unknown",
    }
    assert told["actions"][0] == {
        "code": "dangling_call",
        "line": 2,
        "id": "toolu_push",
        "detail": "closed as interrupted, outcome unknown",
    }
    assert (told["actions"][1]["id"], told["written"], told["copy"]) == (None, None, None)


def test_a_copy_goes_where_it_was_asked_for(original: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "copy.jsonl"
    before = original.read_bytes()
    assert run(["repair", SESSION, "--out", str(target), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["written"] == str(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert original.read_bytes() == before
    assert run(["repair", SESSION, "--out", str(target)]) == 1
    assert "is there already" in capfd.readouterr().err
    assert run(["repair", SESSION, "--out", "-"]) == 2
    assert "such as copy.jsonl" in capfd.readouterr().err
    assert run(["repair", str(target)]) == 0
    assert "nothing to repair, nothing written" in capfd.readouterr().out


def test_installing_says_first_what_it_will_write(original: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["repair", SESSION, "--install"]) == 2
    out, err = capfd.readouterr()
    assert "will write " + str(original.parent) in err
    assert "`--yes` answers for a script" in err
    assert list(original.parent.iterdir()) == [original]
    assert run(["repair", SESSION, "--install", "--yes", "--json"]) == 0
    out, err = capfd.readouterr()
    told = json.loads(out)
    assert Path(told["written"]).parent == original.parent
    assert f"will write {told['written']}" in err
    assert run(["status", told["copy"], "--json"]) == 0
    session = json.loads(capfd.readouterr().out)["session"]
    assert (session["parent"], session["dangling"], session["state"]) == (f"claude-code:{SESSION}", 1, "failed")
    assert run(["status", told["copy"]]) == 0
    assert "git push → no result, interrupted and closed by a repair" in capfd.readouterr().out


def test_installing_beside_a_running_owner_wants_a_reason(
    original: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = process(7, argv=["claude", "--resume", SESSION], cwd=str(original.parent))
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: (owner,))  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    assert run(["repair", SESSION, "--install", "--yes"]) == 1
    assert "process 7 owns" in capfd.readouterr().err
    assert run(["repair", SESSION, "--install", "--yes", "--force", " "]) == 2
    assert list(original.parent.iterdir()) == [original]
    assert run(["repair", SESSION, "--dry-run"]) == 0
    assert "may still run" in capfd.readouterr().err
    assert run(["repair", SESSION, "--install", "--yes", "--force", "it hangs"]) == 0
    assert len(list(original.parent.iterdir())) == 2


def test_a_dry_run_of_an_install_says_where_and_whether(
    original: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["repair", SESSION, "--install", "--dry-run"]) == 0
    out, err = capfd.readouterr()
    assert "dangling call [blocks]" in out
    assert "refuses it, or goes on without knowing what took effect" in " ".join(out.split())
    assert f"would write {original.parent}/" in err
    owner = process(7, argv=["claude", "--resume", SESSION], cwd=str(original.parent))
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: (owner,))  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    bench.bench.cache_clear()  # another process would have a machine of its own
    assert run(["repair", SESSION, "--install", "--dry-run"]) == 1
    err = capfd.readouterr().err
    assert "REFUSED: process 7 owns" in err
    assert f"refused: {original.parent}/" in err
    assert "would write" not in err
    for words in (["--dry-run"], ["--yes"]):
        assert run(["repair", SESSION, "--install", *words, "--json"]) == 1
        out, err = capfd.readouterr()
        told = json.loads(out)
        assert (told["written"], told["refused"]["why"].partition(" owns")[0]) == (None, "process 7")
        assert " write " not in err
    assert run(["repair", SESSION, "--install", "--dry-run", "--force", "it hangs"]) == 0
    assert "`--force` would overrule: process 7 owns" in capfd.readouterr().err
    assert list(original.parent.iterdir()) == [original]


@pytest.mark.parametrize(
    "words",
    [
        ["--dry-run", "--out", "x"],
        ["--out", "x", "--install"],
        ["--yes"],
        ["--force", "because"],
    ],
)
def test_options_that_do_not_go_together(original: Path, words: list[str]) -> None:
    assert run(["repair", SESSION, *words]) == 2
    assert list(original.parent.iterdir()) == [original]


def test_an_agent_that_cannot_be_repaired_says_so(
    original: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refloat.repair.registry.BUILTIN", ())
    assert run(["repair", SESSION]) == 1
    assert "transcripts of claude-code cannot be repaired" in capfd.readouterr().err


# ── the original is only ever read ───────────────────────────────────────────────────────────────────────────────────


def _environment(home: Path) -> dict[str, str]:
    own = {f"REFLOAT_{name}_DIR": str(home.parent / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    path = os.pathsep.join(str(Path(part).resolve()) for part in sys.path if part)
    return {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": path, **own}


def _words(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "refloat_tui", *words]


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("install", [False, True])
def test_no_system_call_writes_to_the_original_or_its_directory(original: Path, tmp_path: Path, install: bool) -> None:
    trace = tmp_path / "trace"
    words = _words("repair", SESSION, *(["--install", "--yes"] if install else ["--out", str(tmp_path / "x.jsonl")]))
    strace = ["strace", "-f", "-y", "-e", "trace=%file,%desc", "-o", str(trace)]
    done = subprocess.run(
        [*strace, *words],
        env=_environment(tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    if "ptrace" in done.stderr:
        pytest.skip("this machine does not let strace trace")
    assert done.returncode == 0, done.stderr
    calls = [line for line in trace.read_text(errors="replace").splitlines() if str(original.parent) in line]
    assert any(original.name in line for line in calls)
    suspicious = [line for line in calls if WRITES.search(line) or "write(" in line]
    if not install:
        assert suspicious == []
        return
    assert suspicious
    assert not [line for line in suspicious if original.name in line]
    copies = [path.stem for path in original.parent.iterdir() if path != original]
    assert len(copies) == 1
    # a copy has no name until it is whole: an unnamed file is shown by its number
    assert all(copies[0] in line or "O_TMPFILE" in line or "(deleted)" in line for line in suspicious)


@pytest.mark.parametrize(("typed", "written"), [(b"y\n", 2), (b"n\n", 1), (b"\n", 1)])
def test_at_a_terminal_a_person_is_asked(original: Path, tmp_path: Path, typed: bytes, written: int) -> None:
    ours, theirs = os.openpty()
    with open(ours, "r+b", buffering=0) as keyboard:  # noqa: PTH123 - a descriptor
        os.write(ours, typed)
        done = subprocess.run(
            _words("repair", SESSION, "--install"),
            env=_environment(tmp_path / "home"),
            cwd=tmp_path,
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=False,
        )
        os.close(theirs)
        said = os.read(keyboard.fileno(), 65536).decode()
    assert done.returncode == 0
    assert "will write" in said
    assert "Write it? [y/N]" in said
    assert len(list(original.parent.iterdir())) == written


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that another user may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_somebody_who_may_only_read_the_original_gets_a_copy(public: Path) -> None:
    home, work, out = public / "home", public / "work", public / "out"
    for directory in (work, out):
        directory.mkdir()
        directory.chmod(0o777)
    path = damaged(home, work)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    script = (
        "import os, sys\n"
        "from refloat_tui.cli.parser import run\n"
        "one, other = sys.argv[1:]\n"
        f"assert run(['repair', '{SESSION}', '--out', one]) == 0\n"  # loads all that the other user may not read
        f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        f"sys.exit(run(['repair', '{SESSION}', '--out', other]))\n"
    )
    words = [sys.executable, "-c", script, str(public / "first.jsonl"), str(out / "x.jsonl")]
    done = subprocess.run(words, env=_environment(home), cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (out / "x.jsonl").stat().st_uid == NOBODY
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]
