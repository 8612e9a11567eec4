"""The MCP server as a client sees it: the SDK's own client, over stdio, to a real process."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from anyio import from_thread, to_thread
from mcp import types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat_tui.mcp import asked, server

PATIENCE = 100
SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
Connect = Callable[..., AbstractAsyncContextManager["Caller"]]
WRITING = {"step_begin", "step_end", "step", "wrap", "pickup", "decide", "export"}
READING = {"jobs", "trail", "verify", "list", "status", "recap", "triage", "brief"}


class Caller:
    """A client that reads answers."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, /, **arguments: object) -> Any:
        """The answer of a call that must succeed."""
        found = await self.client.call_tool(tool, arguments)
        assert not found.is_error, text_of(found)
        return json.loads(text_of(found))

    async def fault(self, tool: str, /, **arguments: object) -> str:
        """The sentence of a call that must not."""
        found = await self.client.call_tool(tool, arguments)
        assert found.is_error, text_of(found)
        return text_of(found)


def text_of(found: types.CallToolResult) -> str:
    (content,) = found.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def connect(environment: Mapping[str, str], tmp_path: Path) -> Connect:
    @asynccontextmanager
    async def opened(**more: str) -> AsyncGenerator[Caller]:
        words = ["-m", "refloat_tui", "mcp"]
        server = StdioServerParameters(
            command=sys.executable, args=words, env={**environment, **more}, cwd=tmp_path / "work"
        )
        info = types.Implementation(name="editor", version="1")
        with (tmp_path / "stderr").open("a") as log, anyio.fail_after(PATIENCE):
            async with Client(stdio_client(server, log), client_info=info) as client:
                yield Caller(client)

    return opened


def refloat(environment: Mapping[str, str], cwd: Path, *words: str) -> Any:
    argv = [sys.executable, "-m", "refloat_tui", *words, "--json"]
    done = subprocess.run(argv, env=environment, cwd=cwd, capture_output=True, text=True, check=False, timeout=PATIENCE)
    return json.loads(done.stdout)


async def test_every_tool_says_what_it_takes(connect: Connect) -> None:
    async with connect() as caller:
        tools = {tool.name: tool for tool in (await caller.client.list_tools()).tools}
    assert set(tools) == WRITING | READING
    for name, tool in tools.items():
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False, name
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name in READING)
    step = tools["step"].input_schema
    assert set(step["required"]) == {"job", "tool"}
    assert step["properties"]["outcome"]["anyOf"][0]["enum"] == ["ok", "error", "denied", "interrupted", "dangling"]
    assert "description" in step["properties"]["output"]


async def test_a_job_goes_from_its_first_step_to_its_decision(
    connect: Connect, environment: Mapping[str, str], tmp_path: Path
) -> None:
    async with connect() as caller:
        assert (await caller.ask("jobs"))["jobs"] == []
        begun = await caller.ask("step_begin", job="j", tool="edit", summary="edit a.py", input='{"path": "a.py"}')
        assert (begun["step"]["seq"], begun["step"]["state"]) == (1, "in_flight")
        (flying,) = (await caller.ask("trail", job="j"))["steps"]
        assert (flying["state"], flying["producer"], flying["origin"]) == ("in_flight", "mcp:editor", "mcp")
        assert flying["running"] is (True if sys.platform == "linux" else None)
        ended = await caller.ask("step_end", step=begun["step"]["id"], output="[1, 2]", exit_code=1)
        assert (ended["step"]["outcome"], ended["step"]["output_bytes"]) == ("error", 6)
        await caller.ask("step", job="j", tool="tests", output="2 passed\n", exit_code=0, producer="human:ada")
        wrap = await caller.ask("wrap", job="j", summary="edited", goal="green", to="bob", next_steps=["look"])
        picked = await caller.ask("pickup", wrap=wrap["wrap"]["id"][:12], producer="bob")
        assert (picked["pickup"]["continue_at"], picked["wrap"]["goal"]) == (1, "green")
        assert picked["why"] == "it failed, and was not repeated with success since"
        await caller.ask("decide", job="j", status="accepted", by="ada", release="ok")
        found = await caller.ask("verify", what="j")
        assert (found["ok"], found["checked"], found["signature"]) == (True, 5, "unsigned")
        out = tmp_path / "work" / "j.json"
        wrote = (await caller.ask("export", job="j", out=str(out)))["export"]
        assert (wrote["bytes"], wrote["secrets"]) == (out.stat().st_size, 0)
        assert out.stat().st_mode & 0o777 == 0o600
        assert (await caller.ask("verify", what=str(out)))["ok"]
        assert "replaces nothing" in await caller.fault("export", job="j", out=str(out))
        (tmp_path / ".hidden").mkdir()
        (tmp_path / "link").symlink_to(".hidden")
        for name in (".hidden/j.md", "link/j.md", ".j.md"):
            assert "is hidden" in await caller.fault("export", job="j", out=str(tmp_path / name))
        assert not list((tmp_path / ".hidden").iterdir())
        (job,) = (await caller.ask("jobs"))["jobs"]
        assert (job["steps"], job["in_flight"], job["status"]) == (2, 0, "accepted")
    # The same record as the command line's.
    steps = refloat(environment, tmp_path, "trail", "j")["steps"]
    assert {step["producer"] for step in steps} == {"mcp:editor", "human:ada"}
    assert refloat(environment, tmp_path, "verify", "j")["ok"]


async def test_text_that_looks_like_json_is_kept_as_it_is(connect: Connect, tmp_path: Path) -> None:
    """An SDK that parses strings for Claude's sake must not change what a receipt is over."""
    async with connect() as caller:
        for output in ('{"a": 1}', "[]", "null", "1", ' "x" ', "", "true\n", "\u0000\u202e\U0001f4a9"):
            saved = await caller.ask("step", job="j", tool="t", output=output)
            assert saved["step"]["output_bytes"] == len(output.encode())
        out = tmp_path / "j.json"
        await caller.ask("export", job="j", out=str(out))
    contents = json.loads(out.read_text())["contents"].values()
    assert '{"a": 1}' in {b64decode(each["base64"]).decode() for each in contents}


async def test_the_agent_that_started_it_is_the_producer(connect: Connect) -> None:
    async with connect(CODEX_THREAD_ID="0199-abc") as caller:
        saved = await caller.ask("step", job="j", tool="t")
    assert saved["step"]["producer"] == "codex:0199-abc"


async def test_what_is_wrong_is_a_tool_error_with_a_sentence(connect: Connect) -> None:
    async with connect() as caller:
        assert "nothing is saved here yet" in await caller.fault("trail", job="x")
        await caller.ask("step", job="retry", tool="t")
        assert "did you mean retry" in await caller.fault("trail", job="rety")
        assert "1 to 200 printable characters" in await caller.fault("step", job="a\nb", tool="t")
        assert await caller.fault("step", job="j") == "the arguments of step do not fit: tool: Field required"
        assert "outcom: Extra inputs" in await caller.fault("step", job="j", tool="t", outcom="ok")
        assert "outcome: Input should be" in await caller.fault("step", job="j", tool="t", outcome="fine")
        assert "workspace" in await caller.fault("step", job="j", tool="t", workspace="relative")
        assert "workspace" in await caller.fault("step", job="j", tool="t", workspace="/x\0y")
        assert "no step has the id" in await caller.fault("step_end", step="0" * 32)
        assert "no job is called '0123'" in await caller.fault("pickup", wrap="0123")
        assert "no agent is called" in await caller.fault("list", agent="nobody")
        assert "contradict" in await caller.fault("list", everywhere=True, cwd="/tmp")
        assert "no session is called 'none'" in await caller.fault("status", session="none")
        for directory in ("/", "."):
            for tool in ("status", "recap", "triage", "brief"):
                assert "is a directory with no transcript" in await caller.fault(tool, session=directory)
        assert "there is no tool 'rm'" in await caller.fault("rm")
        said = await caller.fault("trail", job=f"token {SECRET}")
        assert SECRET[:12] not in said
        said = await caller.fault("trail", job=SECRET * 9, limit=SECRET)
        assert SECRET[:12] not in said
        assert len((await caller.ask("jobs"))["jobs"]) == 1


@pytest.fixture
def running(environment: Mapping[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`refloat run` of a command that waits for the end of its input."""
    words = [sys.executable, "-m", "refloat_tui", "run", "--job", "j", "--", "sh", "-c", "echo ready; cat"]
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process


async def test_a_step_of_run_is_not_ended_from_here(connect: Connect, running: subprocess.Popen[bytes]) -> None:
    async with connect() as caller:
        (flying,) = (await caller.ask("trail", job="j"))["steps"]
        assert "was begun by run" in await caller.fault("step_end", step=flying["id"])
        running.communicate()
        (ended,) = (await caller.ask("trail", job="j"))["steps"]
    assert (ended["state"], ended["outcome"]) == ("sealed", "ok")


async def test_answers_are_masked_and_bounded_and_the_record_stays_exact(connect: Connect, tmp_path: Path) -> None:
    async with connect() as caller:
        saved = await caller.ask("step", job="j", tool="t", summary=f"curl -H 'token: {SECRET}'", output=SECRET)
        assert saved["masked"] >= 1
        for n in range(60):
            await caller.ask("step", job="j", tool="t", summary=f"{n} {'long words ' * 800}")
        found = await caller.client.call_tool("trail", {"job": "j", "limit": 500})
        assert len(text_of(found)) <= 100_000
        trail = json.loads(text_of(found))
        assert trail["cut"]["steps"] + len(trail["steps"]) + trail["omitted"] == 61
        assert all(SECRET[:12] not in json.dumps(each) for each in (trail, saved))
        wrote = await caller.ask("export", job="j", out=str(tmp_path / "e.json"))
        assert wrote["export"]["secrets"] >= 2
        assert SECRET in (tmp_path / "e.json").read_text()
    log = (tmp_path / "stderr").read_text()
    assert SECRET[:12] not in log


async def test_sessions_are_read_and_their_secrets_masked(
    connect: Connect, environment: Mapping[str, str], tmp_path: Path
) -> None:
    session, talk = SESSION, ClaudeTalk(cwd=str(tmp_path / "work"))
    talk.prompt(f"deploy with token {SECRET}")
    talk.say(f"Deployed with {SECRET}; all tests pass.")
    talk.write(Path(environment["HOME"]) / ".claude" / "projects" / "p")
    async with connect() as caller:
        listed = await caller.ask("list")
        assert [each["session_id"] for each in listed["sessions"]] == [session]
        assert (await caller.ask("list", cwd="/nowhere"))["sessions"] == []
        status = await caller.ask("status", session="last")
        assert status["session"]["session_id"] == session
        recap = await caller.ask("recap", session=session[:8], limit=5)
        assert recap["items"]
        triage = await caller.ask("triage", session=session)
        brief = await caller.ask("brief", session=session, max_tokens=500)
        assert brief["markdown"].startswith("# ")
        assert len(brief["markdown"].encode()) <= 2000
        for answer in (listed, status, recap, triage, brief):
            assert SECRET[:12] not in json.dumps(answer)


async def test_eight_calls_at_once_are_all_answered_and_nothing_is_lost(connect: Connect) -> None:
    async with connect() as caller:
        await caller.ask("step", job="j", tool="first")
        done: list[int] = []

        async def save(n: int) -> None:
            for turn in range(5):
                saved = await caller.ask("step", job="j", tool=f"t{n}", output=f"{n} {turn}")
                done.append(saved["step"]["seq"])

        async def read(tool: str, **arguments: object) -> None:
            for _ in range(5):
                await caller.ask(tool, **arguments)

        async with anyio.create_task_group() as group:
            for n in range(4):
                group.start_soon(save, n)
            others: list[Callable[[], Coroutine[Any, Any, None]]] = [
                lambda: read("trail", job="j"),
                lambda: read("verify", what="j"),
                lambda: read("jobs"),
                lambda: read("list", everywhere=True),
            ]
            for other in others:
                group.start_soon(other)
        assert sorted(done) == list(range(2, 22))
        found = await caller.ask("verify", what="j")
        assert (found["ok"], found["checked"]) == (True, 21)


async def test_a_cancelled_write_is_finished_and_the_server_goes_on(connect: Connect, tmp_path: Path) -> None:
    """Another writer holds the record while the call is cancelled: nobody can say that the step was not saved."""
    async with connect(REFLOAT_DATA_DIR=str(tmp_path / "data")) as caller:
        await caller.ask("step", job="j", tool="t")
        with closing(sqlite3.connect(tmp_path / "data" / "record.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with anyio.move_on_after(1) as scope:
                await caller.ask("step", job="j", tool="cancelled")
            assert scope.cancelled_caught
            assert (await caller.ask("verify", what="j"))["checked"] == 1
            other.execute("ROLLBACK")
        while (await caller.ask("verify", what="j"))["checked"] == 1:
            pass  # each question takes its time; the fixture's limit ends it
        assert {step["tool"] for step in (await caller.ask("trail", job="j"))["steps"]} == {"t", "cancelled"}


@pytest.mark.parametrize("writes", [False, True])
async def test_a_cancelled_reading_is_let_go_and_a_writing_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, writes: bool
) -> None:
    go_on, began, ended = Event(), anyio.Event(), Event()

    def work(door: object, given: object, client: str) -> dict[str, object]:
        from_thread.run_sync(began.set)
        go_on.wait(PATIENCE)
        ended.set()
        return {}

    monkeypatch.setattr(server, "TOOLS", {"slow": server.Tool(asked.Asked, work, writes=writes)})
    door: Any = None
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as group:
            group.start_soon(server._call, door, anyio.CapacityLimiter(8), "slow", {}, "editor")
            await began.wait()
            group.cancel_scope.cancel()
            if writes:
                go_on.set()
        assert ended.is_set() is writes
        go_on.set()
        await to_thread.run_sync(ended.wait, PATIENCE)


def speak(environment: Mapping[str, str], cwd: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    """The raw protocol: lines in, lines out, then the end of input."""
    argv = [sys.executable, "-m", "refloat_tui", "mcp"]
    return subprocess.run(
        argv,
        env=environment,
        cwd=cwd,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
)


def test_nothing_but_the_protocol_is_on_standard_output_and_its_end_ends_it(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    assert (speak(environment, tmp_path).returncode, speak(environment, tmp_path).stdout) == (0, "")
    done = speak(environment, tmp_path, HELLO, "no json at all", '{"jsonrpc": "2.0", "id": 2}', "[1, 2]")
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    first = next(answer for answer in answers if answer.get("id") == 1)
    assert first["result"]["serverInfo"]["name"] == "refloat"
    assert "Do not repeat one without a reason" in first["result"]["instructions"]
    assert "Traceback" not in done.stderr


def test_a_request_that_the_sdk_cannot_read_is_answered_and_does_nothing(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    def call(known: str, summary: str) -> str:
        words = f'{{"name": "step", "arguments": {{"job": "j", "tool": "t", "summary": "{summary}"}}}}'
        return f'{{"jsonrpc": "2.0", "id": {known}, "method": "tools/call", "params": {words}}}'

    half = "\\ud800"
    lines = [call("2", half), call('"a"', f"x{half}y"), call(f'"{half}"', half), call("true", half), call("3", "whole")]
    no_request = f'{{"jsonrpc": "2.0", "id": 4, "result": "{half}"}}'
    ready = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    said = "".join(f"{line}\n" for line in (call("0", half), HELLO, ready, no_request, f'"{half}"', *lines))
    argv = [sys.executable, "-m", "refloat_tui", "mcp"]
    with subprocess.Popen(
        argv, env=environment, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(said)
        server.stdin.flush()
        answers = {answer["id"]: answer for answer in (json.loads(server.stdout.readline()) for _ in range(5))}
        server.stdin.close()
        assert server.stdout.read() == ""
    assert set(answers) == {0, 1, 2, "a", 3}
    for known in (0, 2, "a"):
        assert answers[known]["error"]["code"] == -32700
        assert answers[known]["error"]["message"].startswith("nothing was done")
    trail = refloat(environment, tmp_path, "trail", "j")
    assert [step["summary"] for step in trail["steps"]] == ["whole"]


def test_a_client_that_reads_no_answers_any_more_ends_it_without_a_word(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "refloat_tui", "mcp"],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as serving:
        assert serving.stdin is not None
        assert serving.stdout is not None
        serving.stdin.write(f"{HELLO}\n".encode())
        serving.stdin.flush()
        assert serving.stdout.readline()
        serving.stdout.close()
        serving.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
        serving.stdin.flush()
        _, said = serving.communicate(timeout=PATIENCE)
    assert (serving.returncode, said) == (0, b"")


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data[:0],
    lambda data: b"no database at all" * 600,
    lambda data: data[:4096] + data[8192:12288] + data[8192:],
    lambda data: data.replace(b"CREATE TABLE readings", b"CRE\xa4TE TABLE readings"),
)


async def test_sessions_and_caches_that_go_or_are_damaged_under_it_cost_no_other_answer(
    connect: Connect, environment: Mapping[str, str], tmp_path: Path
) -> None:
    place, cache = Path(environment["HOME"]) / ".claude" / "projects" / "p", tmp_path / "home" / ".cache" / "refloat"
    ids = [f"{SESSION[:-1]}{n}" for n in range(1, 4)]
    for each in ids:
        talk = ClaudeTalk(each, cwd=str(tmp_path / "work"))
        talk.prompt("go on", uuid=each.replace("5f", "6f"))
        talk.say("All tests pass.")
        talk.write(place)
    paths = sorted(place.glob("*.jsonl"))

    def known(listed: Any) -> list[str]:
        return sorted(each["session_id"] for each in listed["sessions"])

    async with connect() as caller:
        assert known(await caller.ask("list", everywhere=True)) == ids
        for damage in DAMAGES:
            for path in cache.glob("*.db"):
                data = path.read_bytes()
                path.unlink()
                path.write_bytes(damage(data))
            assert known(await caller.ask("list", everywhere=True)) == ids
            assert (await caller.ask("brief", session=ids[0]))["markdown"].startswith("# ")
        shutil.rmtree(cache)
        assert known(await caller.ask("list", everywhere=True)) == ids
        paths[1].unlink()
        assert "no session is called" in await caller.fault("triage", session=ids[1])
        paths[2].write_bytes(bytes(range(256)) * 40)
        await caller.ask("recap", session=str(paths[0]))
        assert known(await caller.ask("list", everywhere=True)) == [ids[0], ids[2]]
        assert (await caller.ask("status", session=ids[0]))["session"]["session_id"] == ids[0]
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_without_the_library_it_says_what_to_install(environment: Mapping[str, str], tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['mcp'] = None; from refloat_tui.cli.parser import run; sys.exit(run(['mcp']))"
    done = subprocess.run(
        [sys.executable, "-c", hidden],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "refloat: `refloat mcp` needs a library that is not installed: pip install 'refloat[mcp]'\n"


async def test_a_fault_of_ours_is_told_without_its_secrets_and_the_server_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(door: object, given: object, client: str) -> dict[str, object]:
        raise KeyError(f"token={SECRET}")

    monkeypatch.setattr(server, "TOOLS", {"broken": server.Tool(asked.Asked, work)})
    door: Any = None
    found = await server._call(door, anyio.CapacityLimiter(8), "broken", {}, "editor")
    assert found.is_error
    assert text_of(found) == "this is a fault in Refloat (KeyError); standard error tells where"
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" in err
    assert SECRET[:12] not in err
