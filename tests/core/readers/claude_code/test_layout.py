"""Where files lie, what each is, and how they make up sessions."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from refloat.model.story import Story
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.claude_code.layout import source_file
from refloat.readers.contract import Found, Identity, SourceFile
from refloat.testing.claude_talk import CWD, SESSION, ClaudeTalk
from refloat.usecases.read_session import read_story

READER = ClaudeCode()
OTHER = "5f0c1d2e-0000-4000-8000-000000000002"


def at(path: Path) -> SourceFile:
    found = source_file(path)
    assert found is not None
    return found


def below(root: Path) -> list[Found]:
    files = [at(path) for path in sorted(root.rglob("*.jsonl"))]
    side = [at(path) for path in sorted(root.rglob("*.json"))]
    return list(READER.group([(file, READER.identify(file)) for file in files], side))


def simple(session: str = SESSION, version: str = "2.1.270", **envelope: object) -> ClaudeTalk:
    talk = ClaudeTalk(session, CWD, version, **envelope)
    talk.prompt("go")
    talk.say("done")
    return talk


def subagent(version: str = "2.1.270") -> ClaudeTalk:
    talk = ClaudeTalk(version=version, isSidechain=True, agentId="a1")
    talk.user("List the callers")
    talk.ran("grep -rn fetch .", "a.py")
    return talk


def story(found: Found) -> Story:
    return read_story(READER, found)


def test_walks():
    home = Path("/home/ada")
    roots = {(walk.root, walk.holds) for walk in READER.walks(home, {})}
    assert roots == {
        ("/home/ada/.claude/projects", "transcripts"),
        ("/home/ada/.claude/projects", "side"),
        ("/home/ada/.claude/sessions", "registers"),
        ("/home/ada/.claude/jobs", "registers"),
        ("/home/ada/.claude/daemon", "registers"),
        ("/home/ada/.claude", "history"),
        ("/home/ada", "history"),
    }
    moved = {walk.root for walk in READER.walks(home, {"CLAUDE_CONFIG_DIR": "/srv/claude"})}
    assert moved == {f"/srv/claude{end}" for end in ("", "/projects", "/sessions", "/jobs", "/daemon")}


@pytest.mark.parametrize(
    ("path", "role", "session", "own"),
    [
        (f"projects/p/{SESSION}.jsonl", "main", SESSION, ""),
        (f"projects/p/{SESSION}/subagents/agent-a1.jsonl", "subagent", SESSION, "a1"),
        (f"projects/p/{SESSION}/subagents/workflows/wf_1/agent-a2.jsonl", "subagent", SESSION, "a2"),
        (f"projects/p/{SESSION}/subagents/workflows/wf_1/journal.jsonl", "none", "", ""),
        (f"projects/p/{SESSION}/subagents/agent-acompact-1.jsonl", "hidden", "agent-acompact-1", ""),
        (f"projects/p/{SESSION}/session-memory/resume-head.jsonl", "none", "", ""),
        ("projects/p/agent-0123abcd.jsonl", "subagent", SESSION, "0123abcd"),
        (f"projects/p/{SESSION}/tool-results/x.jsonl", "none", "", ""),
        ("projects/mine/deeper/down/copy.jsonl", "main", "copy", ""),
    ],
)
def test_what_a_file_is(tmp_path: Path, path: str, role: str, session: str, own: str):
    file = tmp_path / path
    simple().write(file.parent, file.stem)
    identity = READER.identify(at(file))
    assert (identity.role, identity.session_id, identity.own) == (role, session, own)
    if role in {"main", "subagent"}:
        assert identity.started == "2026-08-20T09:10:00.000Z"


def test_the_name_is_the_id(tmp_path: Path):
    path = simple().write(tmp_path / "projects/p", OTHER)
    assert READER.identify(at(path)).session_id == OTHER


def test_a_file_that_cannot_be_read_is_a_session_all_the_same(tmp_path: Path):
    gone = SourceFile(str(tmp_path / f"projects/p/{SESSION}.jsonl"), 1, 1, 1, 1)
    assert READER.identify(gone) == Identity("main", SESSION)
    (found,) = READER.group([(gone, READER.identify(gone))])
    assert found.session_id == SESSION


def test_a_fork_names_its_source(tmp_path: Path):
    simple(forkedFrom={"sessionId": OTHER, "messageUuid": "m"}).write(tmp_path / "projects/p")
    (found,) = below(tmp_path)
    assert found.parent == OTHER
    assert story(found).summary.parent == OTHER


def test_one_id_in_two_projects_is_one_session(tmp_path: Path):
    late = ClaudeTalk(cwd="/home/ada/src/worktree")
    late.clock = 100
    late.parent = "elsewhere"
    late.row("user", uuid="later-1", message={"content": "and then"})
    late.row(
        "assistant",
        uuid="later-2",
        message={"id": "m", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"},
    )
    late.write(tmp_path / "projects/a")
    simple().write(tmp_path / "projects/b")
    (found,) = below(tmp_path)
    assert [segment.file.path.split("/")[-2] for segment in found.segments] == ["b", "a"]
    summary = story(found).summary
    assert (summary.prompts, summary.workspace, summary.cwd) == (2, "/home/ada/src/ledgerly", "/home/ada/src/worktree")


def test_subagents_in_a_folder(tmp_path: Path):
    project = tmp_path / "projects/p"
    simple().write(project)
    folder = project / SESSION / "subagents"
    subagent().write(folder, "agent-a1")
    subagent().write(folder / "workflows/wf_1", "agent-a2")
    subagent().write(folder, "agent-acompact-1")
    (folder / "agent-a1.meta.json").write_text(json.dumps({"agentType": "general", "toolUseId": "toolu_01B"}))
    (folder / "agent-a2.meta.json").write_text("{")
    (found,) = below(tmp_path)
    assert [(sub.id, sub.call) for sub in found.subagents] == [("a1", "toolu_01B"), ("a2", "")]
    whole = story(found)
    assert whole.summary.steps == 0
    assert [(step.summary, step.subagent, step.exit_code) for step in whole.subagents["a1"].steps] == [
        ("grep -rn fetch .", "a1", 0)
    ]
    assert whole.subagents["a1"].summary.ending.turn == "open"


def test_subagents_beside_the_session(tmp_path: Path):
    project = tmp_path / "projects/p"
    simple(version="2.0.28").write(project)
    subagent(version="2.0.28").write(project, "agent-0123abcd")
    (found,) = below(tmp_path)
    assert [sub.id for sub in found.subagents] == ["0123abcd"]


def test_subagents_between_the_rows(tmp_path: Path):
    talk = ClaudeTalk(version="1.0.98")
    talk.prompt("go")
    call = talk.call("Task", "t1", description="find", prompt="List")
    roots: list[str] = []
    for said in ("List", "Count"):
        talk.parent = None
        roots.append(talk.user(said, isSidechain=True))
    side = roots[0]
    for n in range(2):
        block = {"type": "tool_use", "id": f"s{n}", "name": "Bash", "input": {"command": f"ls {n}"}}
        side = talk.assistant([block], "tool_use", isSidechain=True, parentUuid=side)
        side = talk.result(f"s{n}", "a", isSidechain=True, parentUuid=side)
    talk.result("t1", "4 callers", parentUuid=call)
    talk.say("4 callers")
    talk.write(tmp_path / "projects/p")
    (found,) = below(tmp_path)
    whole = story(found)
    assert (whole.summary.prompts, whole.summary.steps, whole.summary.dangling) == (1, 1, 0)
    assert [len(list(whole.subagents[root].steps)) for root in roots] == [2, 0]


def test_a_title_beside_the_session(tmp_path: Path):
    project = tmp_path / "projects/p"
    simple().write(project)
    (project / SESSION).mkdir()
    (project / SESSION / "custom-title.json").write_text(json.dumps({"customTitle": "importer retries"}))
    (found,) = below(tmp_path)
    assert story(found).summary.title == "importer retries"


def test_backups_are_named_where_the_program_keeps_them(tmp_path: Path):
    talk = simple()
    backup = {"backupFileName": "aa@v1", "version": 1}
    talk.metadata("file-history-snapshot", snapshot={"trackedFileBackups": {"importer.py": backup}})
    talk.write(tmp_path / "projects/p")
    (found,) = below(tmp_path)
    (touched,) = story(found).touched
    assert touched.source == str(tmp_path / "file-history" / SESSION / "aa@v1")


# ── from anywhere ────────────────────────────────────────────────────────────────────────────────────────────────────


def names(files: Sequence[SourceFile] | None) -> list[str] | None:
    return None if files is None else [Path(file.path).name for file in files]


def test_a_transcript_under_another_kind_of_name(tmp_path: Path):
    path = simple().write(tmp_path / "mail").rename(tmp_path / "mail" / "transcript.txt")
    (file,) = READER.recognise(path) or [pytest.fail("not recognised")]
    (found,) = READER.group([(file, READER.identify(file))])
    assert (found.session_id, story(found).summary.prompts) == ("transcript", 1)


def test_a_transcript_from_anywhere(tmp_path: Path):
    path = simple().write(tmp_path / "mail", "from-a-colleague")
    subagent().write(tmp_path / "mail/from-a-colleague/subagents", "agent-a1")
    assert names(READER.recognise(path)) == ["from-a-colleague.jsonl", "agent-a1.jsonl"]
    assert names(READER.recognise(tmp_path / "mail")) == ["from-a-colleague.jsonl", "agent-a1.jsonl"]
    assert names(READER.recognise(tmp_path / "mail/from-a-colleague")) == ["from-a-colleague.jsonl", "agent-a1.jsonl"]
    files = READER.recognise(path) or ()
    (found,) = READER.group([(file, READER.identify(file)) for file in files])
    assert (found.session_id, [sub.id for sub in found.subagents]) == ("from-a-colleague", ["a1"])


def test_a_copied_config_directory(tmp_path: Path):
    simple().write(tmp_path / "copy/projects/p")
    assert names(READER.recognise(tmp_path / "copy")) == [f"{SESSION}.jsonl"]
    assert names(READER.recognise(tmp_path / "copy/projects")) == [f"{SESSION}.jsonl"]


def test_a_directory_that_went_while_it_was_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def gone(*_: object) -> Iterator[Path]:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "glob", gone)
    assert READER.recognise(tmp_path) is None


def test_a_subagents_file_alone_is_read_as_a_session(tmp_path: Path):
    path = subagent().write(tmp_path, "agent-a1")
    for session in (SESSION, ""):
        path.write_text(path.read_text().replace(SESSION, session))
        (file,) = tuple(READER.recognise(path) or ())
        (found,) = READER.group([(file, READER.identify(file))])
        assert found.session_id == "agent-a1"
        assert story(found).summary.steps == 1


def test_metadata_and_torn_rows_at_the_head(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    whole = simple().write(tmp_path / "y").read_bytes()
    path.write_bytes(b'\x00\x00{"type":"ai-\n' + b'{"type":"ai-title","aiTitle":"x","sessionId":"s"}\n' + whole)
    assert names(READER.recognise(path)) == ["x.jsonl"]


def test_a_huge_first_row(tmp_path: Path):
    talk = ClaudeTalk()
    talk.attach("prompt_snapshot", text="x" * 300_000)
    path = talk.write(tmp_path)
    assert names(READER.recognise(path)) == [path.name]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello\n",
        b'{"type":"session_meta","payload":{"id":"x"}}\n',
        b'{"type":"user","text":"x"}\n',
        b"[1]\n17\nnull\n",
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_transcript(tmp_path: Path, content: bytes):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert READER.recognise(path) is None
    assert READER.recognise(tmp_path) is None
    assert READER.recognise(tmp_path / "nowhere") is None
