"""The quick road of `refloat list`: cheap, the same words as the full one, and silent whenever anything changed."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from refloat.catalogue.peek import FILE
from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.record.store import Record, open_record
from refloat.usecases import finder, glimpse
from refloat.usecases.batch import Listing, Scope
from refloat.usecases.hold_session import Holder, Holding
from refloat_tui.cli import asking, listing, quick, rows
from refloat_tui.cli.parser import run

NEVER_SHOWN = "ghp_0123456789abcdefghijABCDEFGHIJ0123"
ALLOWED = {"_sqlite3", "binascii", "gc", "time", "refloat", "refloat_tui"}
"""What the quick road may load beyond a bare interpreter."""


def write(home: Path, session: str, workspace: Path, prompt: str, moment: str = "2026-06-14T09:00") -> Path:
    path = home / ".claude" / "projects" / "p" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rest = {"isSidechain": False, "userType": "external", "entrypoint": "cli", "cwd": str(workspace)}
    rest |= {"sessionId": session, "version": "2.1.270", "gitBranch": "main"}
    said = {"role": "assistant", "id": "msg_1", "model": "m", "type": "message", "stop_reason": "end_turn"}
    lines = [
        {"parentUuid": None, "type": "user", "message": {"role": "user", "content": prompt}, "promptSource": "typed"}
        | {"uuid": f"{session}-1", "timestamp": f"{moment}:00.000Z"}
        | rest,
        {"parentUuid": f"{session}-1", "type": "assistant", "uuid": f"{session}-2", "timestamp": f"{moment}:05.000Z"}
        | {"message": said | {"content": [{"type": "text", "text": "Done."}]}}
        | rest,
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def nobody(_: object) -> tuple[()]:
    return ()


def long_ago(_: float) -> str:
    return "2026-06-16T09:00:00.000Z"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with three sessions in two workspaces, looked at once; no agent runs."""
    from refloat_tui.cli.commands import bench

    place, work = tmp_path / "home", tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(work)
    monkeypatch.setattr(quick, "running_programs", list)
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", nobody)
    bench.bench.cache_clear()
    write(place, "11111111-0000-4000-8000-000000000001", work, "Make it retry")
    write(place, "22222222-0000-4000-8000-000000000002", work / "sub", "測試 é \x1b[31mred\u202e", "2026-06-15T09:00")
    write(place, "33333333-0000-4000-8000-000000000003", tmp_path / "other", "x" * 300, "2026-06-16T09:00")
    assert run(["list", "--all"]) == 0
    yield place
    bench.bench.cache_clear()


def both(words: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> tuple[str, str]:
    capfdbinary.readouterr()
    assert quick.answer(words) == 0
    fast = capfdbinary.readouterr().out.decode()
    assert run(words) == 0
    return fast, capfdbinary.readouterr().out.decode()


def test_how_much_is_masked_is_told_and_secrets_are_shown_whatever_is_kept(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    session = "44444444-0000-4000-8000-000000000004"
    write(home, session, home.parent / "work", f"Use {NEVER_SHOWN} here", "2026-06-15T10:00")
    looks = "refloat: 1 value that looks like a secret was masked\n"
    told: list[tuple[int | None, bool, str]] = []
    for road in (run, quick.answer, run):  # cold, then by what is kept
        capfd.readouterr()
        code = road(["list", "--all"])
        out, err = capfd.readouterr()
        told.append((code, NEVER_SHOWN in out, err))
    assert told == [(0, False, looks)] * 3
    assert quick.answer(["list", "--all", "--json"]) == 0
    assert capfd.readouterr().err == ""
    for words in (["list", "--all"], ["list", "--json"], ["status", session], ["brief", session], ["recap", session]):
        assert run([*words, "--show-secrets"]) == 0
        out, err = capfd.readouterr()
        assert (NEVER_SHOWN in out, "[masked" in out, "masked" in err) == (True, False, False), words
        assert run(words) == 0, "and no later one"
        out, err = capfd.readouterr()
        assert (NEVER_SHOWN in out, "[masked" in out, "masked" in err) == (False, True, "--json" not in words), words


def test_what_a_history_and_a_search_mask_is_told(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    session = "44444444-0000-4000-8000-000000000004"
    write(home, session, home.parent / "work", f"Rotate {NEVER_SHOWN}, then {NEVER_SHOWN} again")
    for words in (["history", session], ["search", "rotate"]):
        capfd.readouterr()
        assert run(words) == 0
        out, err = capfd.readouterr()
        many = out.count("[masked: ")
        assert many
        assert f"{many} value" in err


def test_without_utf_8_everything_printed_is_ascii(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("COLUMNS", "60")
    for words in (["status"], ["history"], ["recap"], ["triage"], ["checkout"]):
        capfd.readouterr()
        assert run([*words, "33333333"]) == 0
        out = capfd.readouterr().out
        assert out.isascii(), words
        assert max(map(len, out.splitlines())) <= 60 or words in (["status"], ["checkout"]), words
    for words in (["doctor"], ["search", "xxx"], ["jobs"]):
        run(words)
        assert capfd.readouterr().out.isascii(), words


@pytest.mark.usefixtures("home")
def test_who_is_at_a_session_stands_in_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    machine = asking.bench().machine
    (name, *_) = [one.name for one in finder.Finder(asking.bench()).find(Scope()).sessions]
    ann = Holder("ann@elsewhere", "human:ann", Runner("elsewhere", 5, "a"), lambda _: None)

    def open_it() -> Record:
        return open_record(machine.places.data, machine.clock.now())

    claim = Holding(open_it, machine.clock.now, ann, name, "is recovering this")
    claim.take()
    capfd.readouterr()
    assert quick.answer(["list", "--all"]) is None, "the quick road knows no names"
    assert run(["list", "--all"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.partition(name.partition(":")[2][:8])[1] != "" for line in lines if "@ann " in line] == [True]
    assert quick.answer(["list", "--all", "--json"]) is None
    assert run(["list", "--all", "--json"]) == 0
    rows = {f"{row['agent']}:{row['session_id']}": row for row in json.loads(capfd.readouterr().out)["sessions"]}
    (held,) = [row for row in rows if "held" in rows[row]]
    assert held == name
    assert list(rows[name]["held"]) == ["holder", "doing", "pid", "since", "until"]
    assert {**rows[name]["held"], "since": "", "until": ""} == {
        "holder": "ann@elsewhere",
        "doing": "is recovering this",
        "pid": 5,
        "since": "",
        "until": "",
    }
    claim.release()
    assert quick.answer(["list", "--all"]) == 0
    assert quick.answer(["list", "--all", "--json"]) == 0
    assert "ann@elsewhere" not in capfd.readouterr().out


def without_moments(text: str) -> str:
    return re.sub(r'"pid":null,"at":"[^"]+"', '"pid":null,"at":"…"', text)


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--all"],
        ["list", "--cwd", "sub"],
        ["list", "--cwd=."],
        ["list", "--all", "--limit", "2"],
        ["list", "--all", "--agent", "claude-code", "--state=stopped"],
        ["list", "--all", "--all-copies"],
        ["list", "--all", "--state", "failed"],
    ],
)
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_both_roads_say_the_same(
    home: Path, words: list[str], more: list[str], capfdbinary: pytest.CaptureFixture[bytes]
):
    fast, full = both([*words, *more], capfdbinary)
    assert without_moments(fast) == without_moments(full)
    if more:
        assert json.loads(fast)["schema"] == "refloat/1"
    assert "\x1b" not in fast
    assert "\u202e" not in fast


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(
    home: Path, columns: int, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", str(columns))
    fast, full = both(["list", "--all"], capfdbinary)
    assert fast == full
    assert all(sum(rows._cells(c) for c in line) <= columns for line in fast.splitlines())


def test_ascii_where_nothing_else_is_sure(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LC_ALL", "C")
    fast, full = both(["list"], capfdbinary)
    assert fast == full
    assert fast.startswith("# stopped")


def silent(words: tuple[str, ...] = ("list", "--all")) -> bool:
    return quick.answer(list(words)) is None


def test_it_says_nothing_when_a_file_changed_came_or_went(home: Path):
    first = home / ".claude/projects/p/11111111-0000-4000-8000-000000000001.jsonl"
    assert not silent()
    first.write_text(first.read_text()[:-9])
    assert silent()
    run(["list", "--all"])
    assert not silent()
    new = write(home, "44444444-0000-4000-8000-000000000004", home, "New")
    assert silent()
    run(["list", "--all"])
    assert not silent()
    new.unlink()
    assert silent()


def test_it_says_nothing_when_a_register_appears(home: Path):
    (home / ".claude" / "sessions").mkdir()
    (home / ".claude" / "sessions" / "42.json").write_text("{}")
    assert silent()


@pytest.mark.parametrize(
    ("program", "quiet"),
    [
        ((42, "claude", ("claude",)), False),
        ((42, "node", ("node", "/usr/lib/node_modules/@openai/codex/bin/codex.js")), False),
        ((42, "node", ()), False),
        ((42, "node", ("node", "server.js")), True),
    ],
)
def test_it_says_nothing_while_an_agent_runs(
    home: Path, program: tuple[int, str, tuple[str, ...]], quiet: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(quick, "running_programs", lambda: [program])
    assert silent() is not quiet


def test_it_says_nothing_under_other_conditions(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in (("CLAUDE_CONFIG_DIR", str(tmp_path)), ("HOME", str(tmp_path))):
        with monkeypatch.context() as other:
            other.setenv(name, value)
            other.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
            assert silent()
    with monkeypatch.context() as other:
        other.setattr(quick, "boot_seconds", lambda: 1.0)
        assert silent()
    with monkeypatch.context() as other:
        other.setattr(quick, "ago", long_ago)
        assert silent()
    assert not silent()
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert silent(), "a repository appeared around a workspace"


@pytest.mark.parametrize("damage", [b"", b"no database" * 50, None])
def test_it_says_nothing_without_a_whole_catalogue(home: Path, tmp_path: Path, damage: bytes | None):
    kept = tmp_path / "cache" / "refloat" / FILE
    for side in kept.parent.glob("*-*"):
        side.unlink()
    if damage is None:
        kept.unlink()
    else:
        kept.write_bytes(damage)
    assert silent()


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--resumable"),
        ("list", "--show-secrets"),
        ("list", "--limit", "0"),
        ("list", "--limit"),
        ("list", "--all", "--cwd", "."),
        ("list", "--state", "dead"),
        ("list", "--agent", "nobody"),
        ("list", "--help"),
        ("list", "extra"),
    ],
)
def test_words_that_it_does_not_know_are_left_to_the_parser(home: Path, words: tuple[str, ...]):
    assert silent(words)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("words", "damage"),
    [
        (["list", "--all"], "title = replace(title, 'e', 'o')"),
        (["list", "--all", "--json"], "told = CAST(replace(CAST(told AS TEXT), 'retry', 'rotry') AS BLOB)"),
    ],
)
def test_a_row_that_is_not_as_it_was_written_is_looked_at_anew(
    tmp_path: Path, words: list[str], damage: str, capfdbinary: pytest.CaptureFixture[bytes]
):
    right, _ = both(words, capfdbinary)
    path = tmp_path / "cache" / "refloat" / FILE
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE sessions SET {damage}")  # noqa: S608 - names of our own
    assert silent(tuple(words))
    assert not path.exists()
    fast, full = both(words, capfdbinary) if run(words) == 0 else ("", "")
    assert without_moments(fast) == without_moments(full) == without_moments(right)


@pytest.mark.usefixtures("home")
def test_it_says_nothing_of_what_another_version_kept(monkeypatch: pytest.MonkeyPatch):
    assert quick.is_unchanged()
    monkeypatch.setattr(quick, "SCHEMA", "another")
    assert silent()
    assert not quick.is_unchanged()


def test_it_loads_nothing_that_costs(home: Path):
    program = (
        "import sys; before = set(sys.modules)\n"
        "from refloat_tui.cli import quick; quick.running_programs = list\n"
        "code = quick.answer(['list', '--all', '--json'])\n"
        "print(code, *sorted({name.partition('.')[0] for name in set(sys.modules) - before}), file=sys.stderr)"
    )
    tops = os.pathsep.join(str(Path(module.__file__ or "").parents[up]) for module, up in ((quick, 2), (rows, 2)))
    core = str(Path(sys.modules["refloat"].__file__ or "").parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((core, tops))},
        capture_output=True,
        text=True,
        check=True,
    )
    code, *loaded = done.stderr.split()
    assert code == "0"
    heavy = {
        "json",
        "re",
        "dataclasses",
        "typing",
        "pathlib",
        "argparse",
        "click",
        "orjson",
        "psutil",
        "asyncio",
        "inspect",
    }
    assert not set(loaded) & heavy
    assert {name for name in loaded if name.startswith(("refloat", "sqlite"))} <= ALLOWED


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize(
    "words",
    [
        ["--all"],
        [],
        ["--cwd", ".."],
        ["--all", "--agent=claude-code", "--limit", "1"],
        ["--all", "--state", "live"],
        ["--all", "--all-copies"],
    ],
)
def test_plain_words_that_it_leaves_come_to_the_same_without_a_parser(
    home: Path, words: list[str], more: list[str], capfdbinary: pytest.CaptureFixture[bytes]
):
    words = ["list", *words, *more]
    asked = quick.read(words)
    assert asked is not None
    capfdbinary.readouterr()
    assert listing.answer_plain(asked) == 0
    plain = capfdbinary.readouterr()
    assert run(words) == 0
    parsed = capfdbinary.readouterr()
    assert without_moments(plain.out.decode()) == without_moments(parsed.out.decode())
    assert plain.err == parsed.err


def not_joined(told: Listing, held: Mapping[str, Lease]) -> None:
    del told, held


@pytest.mark.parametrize("prompts", [("Make it retry", "測試 é \x1b[31mred\u202e"), ("Ask", f"Use {NEVER_SHOWN}"), ()])
@pytest.mark.parametrize("limit", [[], ["--limit", "1"]])
def test_what_is_written_where_sessions_are_told_is_what_is_written_of_all(
    tmp_path: Path,
    prompts: tuple[str, ...],
    limit: list[str],
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
):
    """A secret that stands in one session is masked in the other, too, which holds a piece of it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", nobody)
    monkeypatch.setattr(finder, "BY_ENDS", 1)
    monkeypatch.setattr(glimpse, "SMALL", 100)
    for n, prompt in enumerate(prompts):
        name = f"{n}1111111-0000-4000-8000-000000000001"
        write(home, name, tmp_path / NEVER_SHOWN[:16] / "work", prompt, f"2026-06-1{n}T09:00")
    scope = Scope(limit=int(limit[1]) if limit else None)
    asking.bench.cache_clear()
    capfdbinary.readouterr()
    answers: list[str | None] = []
    join = listing._joined

    def noted(told: Listing, held: Mapping[str, Lease]) -> str | None:
        answers.append(join(told, held))
        return answers[-1]

    monkeypatch.setattr(listing, "_joined", noted)
    listing.show_list(scope, as_json=True)
    joined = capfdbinary.readouterr().out.decode()
    with monkeypatch.context() as patch:
        patch.setattr(listing, "_joined", not_joined)
        listing.show_list(scope, as_json=True)
    asking.bench.cache_clear()
    assert without_moments(joined) == without_moments(capfdbinary.readouterr().out.decode())
    assert len(json.loads(joined)["sessions"]) == min(len(prompts), scope.limit or 9)
    assert NEVER_SHOWN not in joined
    assert answers == [joined if prompts and NEVER_SHOWN not in prompts[-1] else None]


def test_the_first_list_loads_no_parser(home: Path, tmp_path: Path):
    words = (
        "import sys; from refloat_tui.cli import quick, straight; words = ['list', '--all', '--json'];"
        " assert quick.answer(words) is None; straight.hasten(); from refloat_tui.cli import listing;"
        " assert listing.answer_plain(quick.read(words)) == 0; print(*sorted(sys.modules), file=sys.stderr)"
    )
    environment = dict(os.environ) | {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        "XDG_CACHE_HOME": str(tmp_path / "nothing kept"),
    }
    done = subprocess.run([sys.executable, "-c", words], env=environment, capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)["sessions"]) == 3
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {"click", "difflib", "asyncio", "multiprocessing", "concurrent", "textual", "rich"}


def test_ages():
    now = "2026-03-01T00:00:00.000Z"
    told = {
        "2026-02-28T23:59:30.000Z": "now",
        "2026-02-28T23:22:00.000Z": "38m",
        "2026-02-28T20:30:00.000Z": "3h",
        "2026-02-27T00:00:00.000Z": "2d",
        "2026-01-20T00:00:00.000Z": "5w",
        "2024-02-29T00:00:00.000Z": "2y",
        "2026-03-05T00:00:00.000Z": "now",
        "": "",
    }
    assert {then: rows.show_age(then, now) for then in told} == told


def test_a_kept_session_is_answered_and_its_copy_watched(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("REFLOAT_DATA_DIR", str(data))
    from refloat_tui.cli.commands import bench

    bench.bench.cache_clear()
    assert run(["keep", "1111", "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    (home / ".claude" / "projects" / "p" / "11111111-0000-4000-8000-000000000001.jsonl").unlink()
    assert run(["list", "--all"]) == 0
    capsys.readouterr()
    assert quick.answer(["list", "--all", "--json"]) == 0
    (told,) = [row for row in json.loads(capsys.readouterr().out)["sessions"] if row["kept"]]
    assert told["session_id"].startswith("1111")
    assert told["kept"]["original_gone"] is True
    monkeypatch.setenv("REFLOAT_DATA_DIR", str(tmp_path / "another"))
    assert quick.answer(["list", "--all"]) is None
    monkeypatch.setenv("REFLOAT_DATA_DIR", str(data))
    assert quick.answer(["list", "--all"]) == 0
    (Path(kept["kept"]) / "manifest.json").unlink()
    assert quick.answer(["list", "--all"]) is None
