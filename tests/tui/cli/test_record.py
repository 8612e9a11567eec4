"""The record on the command line: what a person types, what comes back, with which code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.tui.cli.conftest import PATIENCE, Run

from refloat.brief.fingerprint import is_own


def data(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".local" / "share" / "refloat"


def answer(done: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "refloat/1"
    return found


def test_a_name_goes_whole_into_a_pipe_and_its_beginning_is_enough(refloat: Run) -> None:
    name = f"recovery:claude-code:{'30f0dbef-db62-56a5-9f22-e292dfd10f49-' * 4}end"
    refloat("step", "--job", name, "--tool", "t")
    assert refloat("jobs").stdout.splitlines()[1].endswith(name)
    assert len(refloat("jobs", COLUMNS="80").stdout.splitlines()[1]) <= 80
    assert f"refloat verify {name}`" in refloat("trail", "recovery:").stdout


def test_a_command_is_run_and_saved(refloat: Run, tmp_path: Path) -> None:
    done = refloat("run", "--job", "j", "--receipt", "r.json", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 3)
    (step,) = answer(refloat("trail", "j", "--json"))["steps"]
    assert (step["seq"], step["state"], step["outcome"], step["exit_code"]) == (1, "sealed", "error", 3)
    assert (step["output_bytes"], step["verdict"]) == (8, "unchanged")
    assert step["producer"].startswith("human:")
    receipt = json.loads((tmp_path / "r.json").read_text())
    assert receipt["job"] == "j"
    assert receipt["step"]["receipt"] == step["receipt"]
    assert (tmp_path / "r.json").stat().st_mode & 0o777 == 0o600


def test_a_command_runs_though_nothing_can_be_saved(refloat: Run, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no directory")
    done = refloat("run", "--job", "j", "--", "sh", "-c", "echo out; exit 3")
    assert (done.stdout, done.returncode) == ("out\n", 3)
    assert "this step is not saved: the record" in done.stderr


def test_a_command_runs_though_the_record_is_a_newer_one_s(refloat: Run, tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    refloat("run", "--job", "j", "--", "true")
    with closing(sqlite3.connect(data(tmp_path) / "record.db")) as connection, connection:
        connection.execute("INSERT INTO schema_version VALUES (9000, 'x')")
    done = refloat("run", "--job", "j", "--", "sh", "-c", "exit 5")
    assert done.returncode == 5
    assert "newer Refloat" in done.stderr


def test_an_output_that_the_disk_does_not_take_leaves_the_step_in_flight(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "true")
    limited = 'ulimit -f 200; exec "$@"'  # blocks of 512 bytes: a little more than the record has
    code = "print('x' * 3_000_000)"
    words = [sys.executable, "-m", "refloat_tui", "run", "--job", "j", "--", sys.executable, "-c", code]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["sh", "-c", limited, "sh", *words], env=env, capture_output=True, check=False, cwd=tmp_path)
    assert (len(done.stdout), done.returncode) == (3_000_001, 0)
    assert b"step 2 of j stays in flight" in done.stderr
    assert answer(refloat("verify", "j", "--json"))["in_flight"] == [2]
    assert not list((data(tmp_path) / "incoming").iterdir())


def test_who_runs_it_is_the_agent_s_session_where_one_started_it(refloat: Run) -> None:
    refloat("run", "--job", "j", "--", "true", CLAUDE_CODE_SESSION_ID="abc")
    refloat("run", "--job", "j", "--", "true", CODEX_THREAD_ID="0199")
    refloat("run", "--job", "j", "--producer", "me", "--", "true", CODEX_THREAD_ID="0199")
    steps = answer(refloat("trail", "j", "--json"))["steps"]
    assert [step["producer"] for step in steps] == ["me", "codex:0199", "claude-code:abc"]


def test_a_step_from_elsewhere(refloat: Run, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\0in\xff")
    words = ("step", "--job", "j", "--tool", "deploy", "--input", "in", "--output", "-", "--exit-code", "2")
    saved = answer(refloat(*words, "--summary", "to staging", "--note", "by hand", "--json", given="done\n"))
    assert saved["step"]["outcome"] == "error"
    assert refloat("step", "--job=j", "--tool=t", "--outcome=denied").stdout.startswith(
        "step 2 of j is saved, receipt "
    )
    second, first = answer(refloat("trail", "j", "--json"))["steps"]
    assert (first["output_bytes"], first["note"], second["outcome"]) == (5, "by hand", "denied")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--job", "j"), "Missing argument"),
        (("run", "true"), "--job"),
        (("run", "--job", "", "true"), "job's name"),
        (("run", "--jb", "j", "true"), "--job"),
        (("step", "--job", "j"), "--tool"),
        (("step", "--job", "j", "--tool", "t", "--outcome", "fine"), "fine"),
        (("step", "--job", "j", "--tool", "t", "--input", "none"), "none cannot be read"),
        (("step", "--job", "j", "--tool", "t", "--input", "-", "--output", "-"), "not both"),
        (("step", "--job", "j", "--tool", "t", "--exit-code", "-1"), "-1"),
        (("step", "--job", "j", "--tool", "t", "--exit-code", "9007199254740993"), "9007199254740993"),
        (("step", "--job", "j", "--tool", "t", "--exit-code", "2147483648"), "2147483648"),
        (("step", "--job", "j", "--tool", "t", "--exit-code", "3", "--outcome", "ok"), "exit code 3"),
        (("step", "--job", "j", "--tool", ""), "the name of its tool"),
        (("trail", "j"), "nothing is saved here yet"),
        (("trail",), "JOB"),
        (("trail", "j", "--limit", "0"), "0"),
        (("verify", "j"), "nothing is saved here yet"),
        (("wrap", "j"), "--summary"),
        (("decide", "j", "maybe", "--by", "ada"), "maybe"),
    ],
)
def test_what_is_said_wrong_is_a_sentence_and_code_2(refloat: Run, words: tuple[str, ...], said: str) -> None:
    done = refloat(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_every_command_has_its_page(refloat: Run) -> None:
    saving, handing = ("run", "step", "trail", "jobs", "verify"), ("wrap", "pickup", "decide", "export", "reconstruct")
    for name in (*saving, *handing, "record"):
        done = refloat(name, "--help")
        assert done.returncode == 0
        assert f"refloat {name}" in done.stdout


def test_from_the_first_step_to_the_next_person(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "retry", "--", "echo", "one")
    refloat("run", "--job", "retry", "--", "sh", "-c", "kill -9 $$")
    words = ("--goal", "stop after 3", "--to", "bob", "--next", "look", "--next", "deploy", "--not-checked", "docs")
    wrap = answer(refloat("wrap", "retry", "--summary", "tests pass", *words, "--json"))["wrap"]
    assert (wrap["next_steps"], wrap["not_checked"], wrap["recipient"]) == (["look", "deploy"], ["docs"], "bob")
    picked = answer(refloat("pickup", wrap["id"][:8], "--as", "bob", "--json"))
    assert (picked["pickup"]["wrap"], picked["pickup"]["continue_at"]) == (wrap["id"], 2)
    assert [each["verdict"] for each in picked["pickup"]["checked"]] == ["unchanged"]
    assert [step["seq"] for step in picked["unsettled"]] == [2]
    decided = answer(refloat("decide", "retry", "accepted", "--by", "ada", "--release", "hold", "--json"))["decision"]
    assert (decided["status"], decided["decided_by"], decided["release"]) == ("accepted", "ada", "hold")
    trail = answer(refloat("trail", "retry", "--json"))
    assert trail["goal"] == "stop after 3"
    assert [len(trail[kind]) for kind in ("steps", "wraps", "pickups", "decisions")] == [2, 1, 1, 1]
    verified = answer(refloat("verify", "retry", "--json"))
    assert (verified["ok"], verified["checked"], verified["signature"]) == (True, 5, "unsigned")
    (job,) = answer(refloat("jobs", "--json"))["jobs"]
    assert (job["job"], job["steps"], job["status"]) == ("retry", 2, "accepted")
    text = refloat("trail", "retry").stdout
    assert "unchanged since saved" in text
    assert "correct" not in text


def test_an_export_is_verified_where_there_is_no_record(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "echo", "one")
    done = refloat("export", "j", "--out", "e.json")
    assert done.returncode == 0
    assert (tmp_path / "e.json").stat().st_mode & 0o777 == 0o600
    elsewhere = {"HOME": str(tmp_path / "other")}
    assert answer(refloat("verify", "e.json", "--json", **elsewhere))["ok"]
    assert not (tmp_path / "other").exists()
    text = (tmp_path / "e.json").read_text()
    (tmp_path / "e.json").write_text(text.replace('"exit_code":0', '"exit_code":1'))
    found = answer(refloat("verify", "e.json", "--json", **elsewhere), 1)
    assert [(problem["seq"], problem["field"]) for problem in found["problems"]] == [(1, "exit_code")]
    assert "NOT what was saved" in refloat("verify", "e.json", **elsewhere).stdout


def test_secrets_are_masked_on_screens_and_exact_in_exports_which_say_so(refloat: Run, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    refloat("run", "--job", "j", "--receipt", "r.json", "--", "echo", token)
    for words in (("trail", "j"), ("trail", "j", "--json"), ("pickup", "j", "--as", "bob"), ("jobs",)):
        assert token not in refloat(*words).stdout
    assert token not in (tmp_path / "r.json").read_text()
    assert "1 value that looks like a secret was masked" in refloat("trail", "j").stderr
    shown = refloat("trail", "j", "--show-secrets", COLUMNS="60")
    assert f"echo {token}" in shown.stdout
    assert shown.stderr == ""
    for form in ("json", "markdown", "aer1"):
        done = refloat("export", "j", "--format", form, "--out", f"e.{form}")
        assert "look like secrets" in done.stderr, form
    assert token in (tmp_path / "e.markdown").read_text()


def test_a_hostile_text_is_shown_as_text(refloat: Run) -> None:
    refloat("run", "--job", "j", "--producer", "x\u202ey", "--", "true", "\x1b[31mred")
    for words in (("trail", "j"), ("trail", "j", "--json"), ("export", "j", "--format", "markdown")):
        out = refloat(*words).stdout
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_a_backup_is_the_whole_record_in_one_private_file(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", sys.executable, "-c", "print('line\\n' * 100_000)")
    assert answer(refloat("record", "backup", "b.db", "--json"))["missing"] == []
    assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o600
    assert is_own(tmp_path / "b.db")
    assert refloat("record", "backup", "b.db").returncode == 1
    place = tmp_path / "other"
    place.mkdir()
    (tmp_path / "b.db").rename(place / "record.db")
    assert answer(refloat("verify", "j", "--json", REFLOAT_DATA_DIR=str(place)))["ok"]


def test_short_commands_load_no_parser(tmp_path: Path) -> None:
    code = "import sys\nfrom refloat_tui.cli import main\nmain()\nprint(*sys.modules, file=sys.stderr)"
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    for words in (("run", "--job", "j", "--", "true"), ("step", "--job", "j", "--tool", "t"), ("trail", "j")):
        done = subprocess.run([sys.executable, "-c", code, *words], env=env, capture_output=True, text=True, check=True)
        loaded = set(done.stderr.split())
        assert not loaded & {"click", "git", "psutil", "orjson", "psycopg", "textual", "refloat.wire", "subprocess"}
        assert not loaded & {"cryptography", "refloat.record.signing", "mcp", "pydantic"}
        if words[0] != "trail":
            assert not loaded & {"dataclasses", "inspect", "refloat.brief.masks", "refloat.ports"}


def test_a_command_that_is_interrupted_is_sealed_as_such(refloat: Run, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "refloat_tui", "run", "--job", "j", "--", "sh", "-c", "echo ready; exec sleep 60"]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (flying,) = answer(refloat("trail", "j", "--json"))["steps"]
        assert (flying["state"], flying["outcome"], flying["receipt"]) == ("in_flight", None, None)
        assert flying["running"] is (True if sys.platform == "linux" else None)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 143
    (step,) = answer(refloat("trail", "j", "--json"))["steps"]
    assert (step["state"], step["outcome"], step["exit_code"]) == ("sealed", "interrupted", 143)


def test_doctor_tells_of_a_damaged_record_and_of_what_was_left_behind(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "true")
    assert "the record is damaged" not in refloat("doctor").stdout
    (data(tmp_path) / "incoming").mkdir(exist_ok=True)
    (data(tmp_path) / "incoming" / "abc").write_text("half an output")
    assert "was killed" in refloat("doctor").stdout
    whole = bytearray((data(tmp_path) / "record.db").read_bytes())
    whole[4096 * 3 : 4096 * 4] = bytes(4096)
    (data(tmp_path) / "record.db").write_bytes(whole)
    assert "the record" in refloat("doctor").stdout
    warned = answer(refloat("doctor", "--json"))["warnings"]
    assert any("damaged" in each["what"] or "cannot be" in each["what"] for each in warned)


def test_a_killed_run_is_told_as_the_place_of_the_crash(refloat: Run, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "refloat_tui", "run", "--job", "j", "--", "sh", "-c", "echo ready; exec sleep 60"]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, cwd=tmp_path, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGKILL)
    (flying,) = answer(refloat("trail", "j", "--json"))["steps"]
    assert (flying["state"], flying["running"]) == ("in_flight", False if sys.platform == "linux" else None)
    if sys.platform == "linux":
        assert "a crash sits here" in refloat("trail", "j").stdout
    assert answer(refloat("verify", "j", "--json"))["in_flight"] == [1]
    assert answer(refloat("pickup", "j", "--as", "bob", "--json"))["pickup"]["continue_at"] == 1


def test_what_is_decided_and_what_waits(refloat: Run) -> None:
    refloat("run", "--job", "j", "--", "true")
    refloat("run", "--job", "j", "--", "true")
    second, first = [step["receipt"] for step in answer(refloat("trail", "j", "--json"))["steps"]]
    for about, status in ((first, "pending"), (second[:8], "pending"), (first, "accepted")):
        assert refloat("decide", "j", status, "--by", "ada", "--about", about).returncode == 0
    waits, accepted = refloat("trail", "j").stdout.split("WAITS FOR A DECISION")[1].split("ACCEPTED")
    assert (accepted.count("accepted"), "pending" in accepted, waits.count("pending")) == (1, False, 1)
    assert waits.index("pending") < waits.index("NEWEST FIRST")  # what nobody decided stands on top
    assert second[:12] in waits


def test_a_receipt_loads_nothing_that_only_the_decoder_wants(refloat: Run, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom refloat_tui.cli import saving\n"
        "print(saving.answer(['run', '--job', 'j', '--receipt', 'r.json', '--', 'true']), *sys.modules)"
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    returned, *loaded = done.stdout.split()
    assert (returned, done.stderr) == ("0", "")
    assert (tmp_path / "r.json").is_file()
    assert not {"ast", "dis", "uuid"}.intersection(loaded)


def test_nothing_is_decided_about_a_receipt_that_is_not_there(refloat: Run) -> None:
    refloat("run", "--job", "j", "--", "true")
    refloat("run", "--job", "k", "--", "true")
    (other,) = [step["receipt"] for step in answer(refloat("trail", "k", "--json"))["steps"]]
    for about in ("first", "f" * 64, other, "%"):
        done = refloat("decide", "j", "accepted", "--by", "ada", "--about", about)
        assert (done.returncode, "Traceback" in done.stderr, bool(done.stderr)) == (2, False, True)
    assert answer(refloat("trail", "j", "--json"))["decisions"] == []


def test_a_decision_covers_what_was_there(refloat: Run) -> None:
    refloat("run", "--job", "j", "--", "true")
    assert "1 step since" not in refloat("jobs").stdout
    refloat("decide", "j", "declined", "--by", "ada", "--note", "no tests")
    refloat("run", "--job", "j", "--", "echo", "more")
    heading, row = refloat("jobs").stdout.splitlines()
    assert heading.split() == ["LAST", "ACTIVITY", "STEPS", "IN", "FLIGHT", "DECIDED", "JOB"]
    assert "declined at step 1, 1 step since is not covered" in row
    for words in (("trail", "j"), ("pickup", "j", "--as", "bob")):
        text = " ".join(refloat(*words).stdout.split())
        assert text.index("DECLINED") < text.index("NEWEST FIRST")
        assert "at step 1, 1 step since is not covered; no tests" in text
    (job,) = answer(refloat("jobs", "--json"))["jobs"]
    assert (job["status"], job["status_at"], job["status_since"]) == ("declined", 1, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")
def test_a_command_that_outlives_its_run_is_not_told_as_gone(refloat: Run, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-m", "refloat_tui", "run", "--job", "j", "--", "sh", "-c", "echo $$; exec sleep 600"]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        command = int(process.stdout.readline())
        try:
            process.kill()
            process.wait()
            (flying,) = answer(refloat("trail", "j", "--json"))["steps"]
            assert flying["running"] is True
            (unsettled,) = answer(refloat("pickup", "j", "--as", "bob", "--json"))["unsettled"]
            assert unsettled["running"] is True
            for verb in (("trail", "j"), ("pickup", "j", "--as", "bob")):
                text = refloat(*verb).stdout
                assert "still runs" in text
                assert "crash sits here" not in text
        finally:
            os.kill(command, signal.SIGKILL)
    assert "crash sits here" in refloat("trail", "j").stdout


def test_a_receipt_of_one_step_is_verified_with_the_record_and_without(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--receipt", "rc.json", "--", "echo", "one")
    found = answer(refloat("verify", "rc.json", "--json"))
    assert (found["ok"], found["checked"], found["by_itself"]) == (True, 1, False)
    alone = answer(refloat("verify", "rc.json", "--json", REFLOAT_DATA_DIR=str(tmp_path / "none")), 1)
    assert (alone["ok"], alone["checked"], alone["by_itself"]) == (False, 0, True)
    assert [(fault["field"], fault["verdict"]) for fault in alone["problems"]] == [("receipt", "not_checked")]
    assert (
        "nothing of it could be checked" in refloat("verify", "rc.json", REFLOAT_DATA_DIR=str(tmp_path / "none")).stdout
    )
    assert "only the record holds" in alone["remarks"][0]
    document = json.loads((tmp_path / "rc.json").read_text())
    document["step"]["exit_code"] = 1
    (tmp_path / "rc.json").write_text(json.dumps(document))
    (fault,) = answer(refloat("verify", "rc.json", "--json"), 1)["problems"]
    assert (fault["seq"], fault["field"]) == (1, "exit_code")


@pytest.mark.parametrize("name", ["receipt", "id", "seq", "summary", "previous", "job"])
def test_every_field_of_a_receipt_s_file_is_held_against_the_record(refloat: Run, tmp_path: Path, name: str) -> None:
    refloat("run", "--job", "j", "--receipt", "rc.json", "--", "echo", "one")
    document = json.loads((tmp_path / "rc.json").read_text())
    part = document if name == "job" else document["step"]
    before = part[name]
    part[name] = before + 1 if isinstance(before, int) else "0" * 64 if name == "receipt" else f"{before}x"
    (tmp_path / "rc.json").write_text(json.dumps(document))
    found = answer(refloat("verify", "rc.json", "--json"), 1)
    assert [fault["field"] for fault in found["problems"]] == [name]
    assert (found["ok"], found["checked"]) == (False, 1)


def test_a_file_is_never_said_to_be_as_it_was_saved(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "echo", "one")
    refloat("export", "j", "--out", "j.json")
    text = refloat("verify", "j.json").stdout
    assert "consistent with itself" in text
    assert "unchanged since saved" not in text
    assert "not signed" in text
    assert "the end of a chain" in text
    assert "unchanged since saved" in refloat("verify", "j").stdout


def test_a_backup_and_a_bare_group_are_answered_in_a_sentence(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "true")
    refloat("record", "backup", "copy.db")
    done = refloat("verify", "./copy.db")
    assert (done.returncode, "record.db" in done.stderr) == (3, True)
    bare = refloat("record")
    assert (bare.returncode, bare.stdout.split(" [")[0]) == (0, "Usage: refloat record")
