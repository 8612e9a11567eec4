"""Words of the command line that a newcomer reads first: what is refused, what to type instead, what contradicts."""

import re
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refloat.model.status import NextOperation
from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.usecases.show_status import show_status
from refloat_tui.cli.commands import bench
from refloat_tui.cli.parser import run


@pytest.fixture
def failed(home: Path) -> None:
    """A session that said what its own check contradicts, and whose last call has no result."""
    work = home.parent / "work"
    talk = ClaudeTalk(cwd=str(work))
    talk.prompt("Make it pass")
    talk.call("Write", "toolu_1", file_path=str(work / "a.py"), content="x\n")
    told = {"type": "create", "filePath": str(work / "a.py"), "content": "x\n", "structuredPatch": []}
    talk.result("toolu_1", "File created", {**told, "originalFile": None})
    talk.ran("pytest -q", "1 failed, 3 passed\n", 1)
    talk.say("All tests pass now.")
    talk.call("Bash", "toolu_9", command="git push")
    talk.write(home / ".claude" / "projects" / "p")
    bench.bench.cache_clear()


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize(
    "command",
    [
        "status",
        "recap",
        "history",
        "checkout",
        "triage",
        "brief",
        "salvage",
        "keep",
        "attach",
        "stop",
        "continue",
        "new",
        "repair",
        "recover",
        "reconstruct",
    ],
)
@pytest.mark.parametrize("directory", ["/", "."])
def test_no_command_looks_through_a_directory_that_is_no_agents(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, directory: str
) -> None:
    monkeypatch.setattr(Path, "rglob", None)
    more = {
        "new": ["--parent", directory],
        "reconstruct": [directory, "--job", "j"],
        "repair": [directory, "--dry-run"],
    }
    code, out, err = said(capfd, command, *more.get(command, [directory]))
    assert (code, out) == (2, "")
    assert f"refloat: {Path(directory).resolve()} is a directory with no transcript of an agent that can be read" in err
    assert "`refloat list --cwd /" in err


@pytest.mark.usefixtures("failed")
def test_where_no_thread_can_be_had_the_server_says_so_and_what_needs_none_answers(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    brief = said(capfd, "brief", SESSION)
    monkeypatch.setattr(threading.Thread, "start", start)
    code, out, err = said(capfd, "mcp")
    assert (code, out, "ulimit -u" in err) == (1, "", True)
    assert said(capfd, "brief", SESSION) == brief


@pytest.mark.usefixtures("failed")
def test_a_refusal_comes_first_and_its_command_is_none_to_run(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capfd, "continue", SESSION, "--dry-run")
    rows = out.splitlines()
    assert (code, rows[0].split()[0]) == (1, "REFUSED")
    assert not [row for row in rows if row.startswith("$ ")]
    assert [row.split()[:2] for row in rows if "--resume" in row] == [["refused", "claude"]]


@pytest.mark.usefixtures("failed")
def test_a_brief_that_cannot_be_so_short_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    for tokens in (200, 300, 4000):
        code, out, err = said(capfd, "brief", SESSION, "--max-tokens", str(tokens))
        size = len(out.encode())
        told = f"the least that this brief says is {size:,} bytes, more than --max-tokens {tokens} allows" in err
        assert (code, told) == (0, size > tokens * 4)
    assert said(capfd, "brief", SESSION, "--max-tokens", "200")[2]


@pytest.mark.usefixtures("failed")
def test_status_names_no_file_that_nothing_wrote(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capfd, "status", SESSION)
    rows = [row.strip() for row in out.splitlines()]
    name = f"claude-code:{SESSION}"
    assert code == 0
    assert [row for row in rows if row.startswith("$ ")] == [f"$ refloat new --parent {name}"]
    assert "HANDOFF.md" not in out


@pytest.mark.usefixtures("failed")
def test_status_tells_times_to_the_second(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capfd, "status", SESSION)
    (row,) = [row for row in out.splitlines() if row.startswith("last seen")]
    assert re.search(r"T\d\d:\d\d:\d\dZ$", row)
    assert not re.search(r":\d\d\.\d+Z", out)


@pytest.mark.usefixtures("failed")
def test_a_recap_holds_the_words_against_the_record(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capfd, "recap", SESSION)
    rows = out.splitlines()
    at = next(n for n, row in enumerate(rows) if row.startswith("SAID"))
    assert code == 0
    assert rows[at + 1].strip() == "All tests pass now. → contradicted: step 2 (`pytest -q`) failed with exit code 1"
    assert f"what bears them out: refloat triage claude-code:{SESSION}" in out
    assert "no evidence" not in out
    assert f"what became of them since: refloat checkout claude-code:{SESSION}" in out
    assert said(capfd, "recap", SESSION)[1] == out


@pytest.mark.usefixtures("home")
def test_what_to_type_instead(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capfd, "new", "last")
    assert (code, "`refloat new --parent last`" in err) == (2, True)
    code, _, err = said(capfd, "foo")
    assert (code, "try `refloat --help`" in err, "hook" in err) == (2, True, False)
    assert "did you mean `refloat triage`" in said(capfd, "trage")[2]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("ref", ["last", "5f0c"])
def test_where_no_session_is_at_all_none_is_promised(capfd: pytest.CaptureFixture[str], ref: str) -> None:
    code, _, err = said(capfd, "triage", ref)
    assert (code, "no session of any agent was found" in err, "list --all" in err) == (2, True, False)


@pytest.mark.usefixtures("failed")
def test_a_recovery_under_way_elsewhere_is_what_comes_next(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    def held(*seen: Any) -> Any:
        why = "ana@devbox is recovering this"
        return replace(show_status(*seen), next=NextOperation("resolve_liveness", None, None, why))

    monkeypatch.setattr("refloat.usecases.tell_status.show_status", held)
    _, out, _ = said(capfd, "status", SESSION)
    (row,) = [row for row in out.splitlines() if row.startswith("next ")]
    assert row.split(maxsplit=1)[1] == "finish what is under way there, or take it over"


@pytest.mark.usefixtures("failed")
def test_a_brief_replaces_briefs_and_empty_files_and_nothing_else_unless_forced(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    work = home.parent / "work"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    own, notes, link, other = (work / name for name in ("HANDOFF.md", "NOTES.md", "link.md", "other.md"))
    notes.write_text("my notes")
    link.symlink_to(notes)
    own.touch()
    for _ in range(2):
        assert said(capfd, "brief", SESSION, "--out", "HANDOFF.md")[0] == 0
    other.write_text(own.read_text().replace(SESSION, f"{SESSION[:-1]}0"))
    assert said(capfd, "brief", SESSION, "--out", "other.md")[0] == 0
    assert f"{SESSION[:-1]}0" not in other.read_text()
    for path in (notes, link):
        code, _, err = said(capfd, "brief", SESSION, "--out", path.name)
        assert (code, path.read_text()) == (1, "my notes")
        said_of, it = ("and no brief", "it") if path == notes else (f"a link to {notes}", "the link itself")
        assert f"{path.name} is there already, {said_of}; name another place, or replace {it} with `--force`" in err
    for path in (notes, link):
        assert said(capfd, "brief", SESSION, "--out", path.name, "--force")[0] == 0
        assert path.read_text().startswith("# Handoff: claude-code:")
    assert said(capfd, "brief", SESSION, "--out", "-")[1].startswith("# Handoff: claude-code:")
    code, _, err = said(capfd, "brief", SESSION, "--force")
    assert code == 2
    assert "--out" in err


@pytest.mark.usefixtures("failed")
def test_the_brief_of_another_session_that_still_holds_is_not_replaced_unless_forced(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, other = home.parent / "work" / "HANDOFF.md", f"{SESSION[:-1]}0"
    path.parent.joinpath("a.py").write_text("x\n")
    talk = ClaudeTalk(cwd=str(path.parent), session=other)
    talk.prompt("Another thing")
    talk.write(home / ".claude" / "projects" / "p")
    bench.bench.cache_clear()
    assert said(capfd, "brief", other, "--out", path.name)[0] == 0
    written = path.read_text()
    code, _, err = said(capfd, "brief", SESSION, "--out", path.name)
    assert (code, path.read_text()) == (1, written)
    assert f"is the brief of another session, claude-code:{other}, and still holds" in err
    assert "name another file, or replace it with `--force`" in err
    code, _, err = said(capfd, "brief", SESSION, "--out", path.name, "--force")
    assert code == 0
    assert f"it replaced the brief of another session, claude-code:{other}" in err
    assert path.read_text().startswith(f"# Handoff: claude-code:{SESSION}")


def test_the_next_command_reads_this_sessions_own_brief_and_stands_on_one_line(
    home: Path, failed: None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del failed
    name = f"claude-code:{SESSION}"
    brief = home.parent / "work" / "HANDOFF.md"
    assert said(capfd, "brief", SESSION, "--out", str(brief))[0] == 0
    monkeypatch.setenv("COLUMNS", "60")
    rows = [row.strip() for row in said(capfd, "status", SESSION)[1].splitlines()]
    assert f"$ refloat new --parent {name} --brief {brief}" in rows
    brief.write_text(brief.read_text().replace(SESSION, "another-session"))
    rows = [row.strip() for row in said(capfd, "status", SESSION)[1].splitlines()]
    assert f"$ refloat new --parent {name}" in rows


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize(
    "ref",
    ["a" * 300, "a" * 90_000, "~nobody-of-this-name/x", "/" + "a" * 300, "/a" * 4000, "a\0b", "/\0"],
    ids=["long", "longer", "user", "path", "deep", "zero", "zero path"],
)
@pytest.mark.parametrize("command", ["status", "history"])
def test_a_word_that_names_nothing_is_answered_with_a_sentence(
    capfd: pytest.CaptureFixture[str], command: str, ref: str
) -> None:
    code, out, err = said(capfd, command, ref)
    assert (code in {2, 3}, out, err.startswith("refloat: ")) == (True, "", True)


@pytest.mark.parametrize("name", ["n" * 300, "d/" * 3000], ids=["long", "deep"])
@pytest.mark.parametrize("command", ["status", "checkout", "triage", "brief", "salvage", "continue", "doctor"])
def test_a_workspace_whose_name_no_disk_holds_is_one_that_is_gone(
    home: Path, capfd: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    talk = ClaudeTalk(cwd=f"{home}/{name}")
    talk.prompt("Do it")
    told = {"type": "create", "filePath": f"{home}/{name}/a", "content": "a\n", "structuredPatch": []}
    talk.call("Write", "toolu_a", file_path=f"{home}/{name}/a", content="a\n")
    talk.result("toolu_a", "ok", told)
    talk.call("Bash", "toolu_b", command="git push")
    talk.write(home / ".claude" / "projects" / "p")
    words = () if command == "doctor" else (SESSION, "--dry-run") if command == "continue" else (SESSION,)
    code, out, err = said(capfd, command, *words)
    assert code == (1 if command == "continue" else 0)
    assert out or err


@pytest.mark.usefixtures("home")
def test_a_newcomer_is_told_at_once_that_there_is_no_session_at_all(capfd: pytest.CaptureFixture[str]) -> None:
    none = said(capfd, "list", "--all")[1]
    assert "`refloat demo` shows what one looks like" in none
    for _ in range(2):  # on the full road, and on the quick one
        assert said(capfd, "list")[1] == none


@pytest.mark.usefixtures("failed")
def test_where_sessions_are_elsewhere_the_way_to_them_is_said(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for _ in range(2):
        assert "No session belongs to this directory. `refloat list --all`" in said(capfd, "list")[1]


@pytest.mark.usefixtures("home")
def test_a_tie_to_a_job_that_is_not_there_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capfd, "jobs", "tie", "importer-rtery")
    assert (code, "no job is called 'importer-rtery' so far" in out) == (0, True)
    assert said(capfd, "step", "--tool", "make", "--job", "importer-retry")[0] == 0
    assert "did you mean importer-retry?" in said(capfd, "jobs", "tie", "importer-rtery")[1]
    assert "so far" not in said(capfd, "jobs", "tie", "importer-retry")[1]


@pytest.mark.usefixtures("failed")
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_refused_stop_names_its_session_once(capfd: pytest.CaptureFixture[str], more: tuple[str, ...]) -> None:
    code, out, _ = said(capfd, "stop", SESSION, *more)
    told = " ".join(out.split())
    assert (code, told.partition(" ")[0], told.count(SESSION)) == (1, "REFUSED", 2), "and once in what to do instead"
