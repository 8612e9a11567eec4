"""Whether background work of a session still runs, told by the process table alone."""

from dataclasses import replace

import pytest

from refloat.liveness.leftovers import Launched, Table, descendants, judge_leftover, runs, simple_commands
from refloat.model.liveness import ProcessInfo
from refloat.testing.fakes import process

START = 1_800_000_000.0
WORK = Launched("npm run dev", "/home/ana/shop", START, START + 1)
WRAPPED = ("/bin/zsh", "-c", "-l", "source /tmp/snapshot.sh && eval 'npm run dev' < /dev/null && pwd -P >| /tmp/cwd")


def row(pid: int, *argv: str, started: float = START, cwd: str = "/home/ana/shop", **facts: int) -> ProcessInfo:
    made = process(pid, name=argv[0].rpartition("/")[2], argv=argv, cwd=cwd, started=started)
    return replace(made, **facts)


def table(
    marked: tuple[ProcessInfo, ...] = (),
    plain: tuple[ProcessInfo, ...] = (),
    dark: tuple[ProcessInfo, ...] = (),
    *,
    always: bool = True,
) -> Table:
    return Table(marked, plain, dark, 1000, always)


@pytest.mark.parametrize(
    ("argv", "command", "expected"),
    [
        (WRAPPED, "npm run dev", True),
        (("bash", "-lc", "npm run dev"), "npm run dev", True),
        (("npm run dev",), "npm run dev", True),
        (("node", "/usr/bin/npm", "run", "dev"), "npm run dev", True),
        (
            ("/usr/bin/env", "node", "/opt/bin/vite", "--port", "3000"),
            "cd web && vite --port 3000 2>&1 | tee log",
            True,
        ),
        (("npm", "run", "dev"), "PORT=3000 npm run dev > dev.log 2>&1 &", True),
        (("npm", "run", "dev2"), "npm run dev", False),
        (("npm", "run", "dev", "--", "--port"), "npm run dev", False),
        (("bash", "-c", "echo npm run dev is not run"), "npm run dev", False),
        (("grep", "npm run dev"), "npm run dev; true", False),
        (("pgrep", "-f", "npm run dev"), "npm run dev", False),
        (("bash",), "bash", False),
        (("tail", "-f", "a b.log"), "tail -f 'a b.log'", True),
        ((), "npm run dev", False),
        (("bash", "-c", "eval 'echo '\"'\"'hi'\"'\"''"), "echo 'hi'", True),
    ],
)
def test_a_process_runs_a_command(argv: tuple[str, ...], command: str, expected: bool) -> None:
    assert runs(process(7, name="x", argv=argv), command) is expected


def test_a_line_is_taken_apart() -> None:
    assert simple_commands("A=1 make x >out 2>&1; (tail -f log &) || exit 1\nwatch ls") == [
        ("make", "x"),
        ("tail", "-f", "log"),
        ("exit", "1"),
        ("watch", "ls"),
    ]
    assert simple_commands("echo 'never closed") == [("echo",)]


def test_a_marked_process_that_runs_the_command_is_the_work() -> None:
    shell = row(50, *WRAPPED)
    child = row(51, "npm run dev", ppid=50, started=START + 2)
    found = judge_leftover(WORK, table(marked=(child, shell)))
    assert (found.running, found.pid) == (True, 50)


def test_a_marked_process_under_another_name_counts_only_where_its_call_stood_alone() -> None:
    server = row(60, "node", "server.js", started=START + 0.5)
    assert judge_leftover(replace(WORK, alone=True), table(marked=(server,))).pid == 60
    told = judge_leftover(WORK, table(marked=(server,)))
    assert (told.running, told.pid) == (None, None)
    assert "60" in told.why
    later = replace(server, started=START + 60)
    assert judge_leftover(replace(WORK, alone=True), table(marked=(later,))).running is None


def test_one_process_is_not_two_works() -> None:
    shell = row(50, *WRAPPED)
    assert judge_leftover(WORK, table(marked=(shell,)), taken={50}).running is False


@pytest.mark.parametrize(
    ("changed", "running"),
    [
        ({}, True),
        ({"cwd": "/elsewhere"}, None),
        ({"started": START + 3600}, None),
        ({"started": START - 3600}, None),
    ],
)
def test_an_unmarked_process_must_fit_in_command_place_and_time(
    changed: dict[str, object], running: bool | None
) -> None:
    lone = replace(row(70, "npm", "run", "dev"), **changed)  # pyright: ignore[reportArgumentType] - fields by name
    assert judge_leftover(WORK, table(plain=(lone,))).running is running


def test_without_a_start_no_unmarked_process_is_the_work() -> None:
    lone = row(70, "npm", "run", "dev")
    assert judge_leftover(replace(WORK, began=None, answered=None), table(plain=(lone,))).running is None


def test_the_end_is_proved_only_where_everything_could_be_looked_into() -> None:
    assert judge_leftover(WORK, table(plain=(row(1, "sshd"),))).running is False
    assert judge_leftover(WORK, table(always=False)).running is None
    own = row(80, "thing", started=START + 9)
    assert judge_leftover(WORK, table(dark=(own,))).running is None
    assert judge_leftover(WORK, table(dark=(replace(own, started=START - 900),))).running is False
    assert judge_leftover(WORK, table(dark=(replace(own, uid=0),))).running is False
    raised = replace(WORK, command="sudo npm run dev")
    assert judge_leftover(raised, table(dark=(replace(own, uid=0),))).running is None


def test_the_family_of_a_process() -> None:
    rows = [row(1, "init"), row(2, "a", ppid=1), row(3, "b", ppid=2), row(4, "c", ppid=3), row(5, "d", ppid=1)]
    assert descendants(2, rows) == {2, 3, 4}
