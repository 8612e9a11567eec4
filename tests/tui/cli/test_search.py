"""`refloat search`: one answer as text and as JSON, its words, its limits, and what it says when it finds nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from refloat.testing.claude_talk import ClaudeTalk
from refloat_tui.cli.parser import run

ID = "5f0c1d2e-0000-4000-8000-00000000000"


def write(home: Path, number: int, prompt: str, cwd: Path) -> None:
    talk = ClaudeTalk(f"{ID}{number}", cwd=str(cwd))
    talk.clock = number * 3600
    talk._made = number * 1000
    talk.prompt(prompt)
    talk.ran("pytest -q tests/test_importer.py", "1 failed: gave up \x1b[31mred")
    talk.say("The importer retries now.")
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True, exist_ok=True)
    talk.write(folder, talk.session)


def nobody(_: object) -> tuple[()]:
    return ()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    from refloat_tui.cli.commands import bench

    place, work = tmp_path / "home", tmp_path / "work"
    (work / "other").mkdir(parents=True)
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(work)
    # What runs on this machine is not a part of the story.
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", nobody)
    write(place, 1, "Make the importer retry", work)
    write(place, 2, "Round the prices", tmp_path / "elsewhere")
    bench.bench.cache_clear()
    yield place
    bench.bench.cache_clear()


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert run(["search", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_tells_each_place_as_history_numbers_it(home: Path, capsys: pytest.CaptureFixture[str]):
    told = answer(capsys, "gave", "up")
    assert list(told) == ["schema", "query", "hits", "complete", "unread", "more"]
    assert (told["schema"], told["query"], told["complete"]) == ("refloat/1", "gave up", True)
    hits = told["hits"]
    assert isinstance(hits, list)
    assert {hit["session"]["session_id"] for hit in hits} == {f"{ID}1", f"{ID}2"}
    for hit in hits:
        assert [hit["excerpt"][start:end] for start, end in hit["marks"]] == ["gave", "up"]
        assert run(["history", hit["session"]["session_id"], "--json", "--from", str(hit["item"]), "--to",
                    str(hit["item"])]) == 0  # fmt: skip
        item = json.loads(capsys.readouterr().out)
        assert item["n"] == hit["item"]
        assert "gave up" in item["step"]["output"]
        assert item["step"]["line"] == hit["line"]


def test_text_groups_by_session_marks_the_words_and_says_how_to_go_there(
    home: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["search", "gave", "up"]) == 0
    shown = capsys.readouterr().out
    assert "Make the importer retry" in shown
    assert "[gave] [up] \\x1b[31mred" in shown
    assert f"refloat history claude-code:{ID}1 --from 2" in shown
    assert "\x1b" not in shown
    assert all(len(line) <= 90 for line in shown.splitlines())


def test_words_of_the_shell_with_a_blank_are_a_phrase(home: Path, capsys: pytest.CaptureFixture[str]):
    assert answer(capsys, "importer retry")["hits"]
    assert not answer(capsys, "retry importer")["hits"]
    assert answer(capsys, "retry", "importer")["hits"]
    assert not answer(capsys, "--", "importer", "-retry", "-retries", "-pytest")["hits"]


def test_a_word_with_a_dash_before_it_needs_no_sign_of_its_own(home: Path, capsys: pytest.CaptureFixture[str]):
    assert answer(capsys, "importer", "--limit", "5")["hits"]
    assert not answer(capsys, "importer", "-retry", "--limit", "5", "-retries", "-pytest")["hits"]
    assert not answer(capsys, "-hretries", "-retry", "-retries", "importer", "-pytest")["hits"]
    for words, said in ((["-h"], "Usage"), (["x", "--limt", "3"], "No such option"), (["x", "--limit"], "requires")):
        capsys.readouterr()
        run(["search", *words])
        assert said in "".join(capsys.readouterr())


def test_places_and_agents_narrow_it(home: Path, capsys: pytest.CaptureFixture[str]):
    def names(*words: str) -> set[str]:
        hits = answer(capsys, "pytest", *words)["hits"]
        assert isinstance(hits, list)
        return {hit["session"]["session_id"][-1] for hit in hits}

    assert names() == {"1", "2"}
    assert names("--here") == {"1"}
    assert names("--workspace", "../elsewhere") == {"2"}
    assert names("--agent", "codex") == set()
    assert names("--since", "2026-08-20", "--until", "2026-08-20T10:30:00Z") == {"1"}
    assert names("--file", "nowhere.py") == set()
    assert names("--command", "pytest -q") == {"1", "2"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["..."], "name at least one word"),
        (["x", "--agent", "nobody"], "no agent is called 'nobody'"),
        (["x", "--since", "tomorrow"], "no day"),
        (["x", "--here", "--workspace", "."], "contradict"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence_and_2(
    home: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
):
    assert run(["search", *words]) == 2
    assert said in capsys.readouterr().err


def test_nothing_found_says_what_to_try(home: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["search", "qqqq"]) == 0
    shown = capsys.readouterr().out
    assert "Nothing holds all of these words." in shown
    assert "Fewer words" in shown


def test_a_second_search_answers_from_what_the_last_look_told(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from refloat.usecases import find_sessions
    from refloat_tui.cli import quick

    def looked(*_: object) -> object:
        raise AssertionError("it looked at everything")

    first = answer(capsys, "gave up")
    monkeypatch.setattr(quick, "is_unchanged", lambda: True)
    monkeypatch.setattr(find_sessions, "list_sessions", looked)
    second = answer(capsys, "gave up")
    for told in (first, second):
        for hit in told["hits"]:  # type: ignore[attr-defined]
            for fact in hit["session"]["liveness"]["evidence"]:
                fact["at"] = ""  # of the look, or of now
            hit["session"]["failure"] = None
            hit["score"] = 0
    assert first == second


def test_a_refresh_that_is_stopped_says_how_far_it_came(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    from refloat.model.refreshed import Refreshed
    from refloat_tui.cli.commands import care

    def stopped(_: object) -> Iterator[Refreshed]:
        yield Refreshed(1, 2, 1_000_000, 3_000_000)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(care, "read_all", stopped)
        assert run(["refresh"]) == 130
        assert capsys.readouterr().out.strip() == "1 session read, 1.0 MB; stopped before the end"
        assert run(["refresh", "--json"]) == 130
        assert json.loads(capsys.readouterr().out)["complete"] is False
    assert run(["refresh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True


def test_a_refresh_that_can_keep_nothing_says_so(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "cache").write_text("a file where the cache should be")
    assert run(["refresh", "--json"]) == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["complete"] is False
    assert "nothing could be kept" in said.err
