"""Files that commands of the record write: what may be replaced, and what is never written to."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.tui.cli.conftest import Run
from tests.tui.cli.test_record import answer


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_an_export_with_secrets_is_not_printed_to_a_terminal(refloat: Run, tmp_path: Path) -> None:
    import pty

    secret = "AKIA" + "IOSFODNN7ABCDEFG"
    refloat("run", "--job", "j", "--", "echo", secret)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def on_terminal(*more: str) -> tuple[str, str, int]:
        ours, theirs = pty.openpty()
        words = [sys.executable, "-m", "refloat_tui", "export", "j", "--format", "markdown", *more]
        with subprocess.Popen(words, env=env, stdout=theirs, stderr=subprocess.PIPE, cwd=tmp_path) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    read = os.read(ours, 65536)
                except OSError:  # Linux says so when nobody has the other end any more
                    break
                if not read:
                    break
                shown += read
            assert process.stderr is not None
            said = process.stderr.read().decode()
        os.close(ours)
        return shown.decode(), said, process.returncode

    shown, said, code = on_terminal()
    assert (secret in shown, code) == (False, 1)
    assert "--show-secrets" in said
    shown, said, code = on_terminal("--show-secrets")
    assert (secret in shown, code) == (True, 0)
    assert secret in refloat("export", "j", "--format", "markdown").stdout


def test_an_export_tells_as_json_where_it_went(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "true")
    told = answer(refloat("export", "j", "--format", "aer1", "--out", "e.jsonl", "--json"))
    assert (told["format"], told["secrets"]) == ("aer1", 0)
    assert Path(told["path"]) == tmp_path / "e.jsonl"
    assert refloat("export", "j", "--format", "aer1", "--json").returncode == 2
    assert answer(refloat("export", "j", "--json"))["kind"] == "job"


def test_what_was_reconstructed_is_never_told_as_done_work() -> None:
    from refloat.model.record import Link, SavedStep, Trail
    from refloat.model.saving import RULE_RECONSTRUCTED, Ending, Opening
    from refloat.model.stamp import Stamp
    from refloat_tui.cli.show.record import trail_lines

    moment = Stamp("2026-09-14T14:00:00.000Z")
    path = "/home/ada/a/very/long/way/down/to/the/source/of/refloat/retry_policy.py"
    opening = Opening("j", f"codex:{'a' * 36}", "Edit", path, "reconstruction", moment)
    link = Link(1, "", "ab")
    step = SavedStep("1", 1, opening, None, None, None, None, Ending("ok", moment), link, "unchanged")
    for width in (80, 120):
        lines = list(trail_lines(Trail("j", None, (step,), (), (), (), (), 0, (("ok", 1),), reconstructed=1), width))
        (line,) = [line for line in lines if line.startswith("  #1")]
        assert "reconstructed, its effect not looked at" in line
        assert "unchanged since saved" not in line
        assert "Edit" in line
        assert line.endswith("retry_policy.py")
        assert len(line) <= width
        assert RULE_RECONSTRUCTED in " ".join(" ".join(lines).split())


def test_nothing_is_written_over_the_record_or_what_is_no_plain_file(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "echo", "one")
    (record,) = tmp_path.rglob("record.db")
    os.mkfifo(tmp_path / "pipe")
    for target in (str(record), str(record.with_name("new.json")), "pipe", "/dev/null"):
        done = refloat("export", "j", "--out", target)
        assert done.returncode == 2
        assert "name another" in str(done.stderr)
        done = refloat("run", "--job", "j", "--receipt", target, "--", "echo", "ran")
        assert (done.returncode, done.stdout) == (2, "")
        assert "name another" in str(done.stderr)
    assert answer(refloat("verify", "j", "--json"))["ok"] is True
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_person_wrote_stays_unless_forced(refloat: Run, tmp_path: Path) -> None:
    notes, link = tmp_path / "NOTES.md", tmp_path / "link"
    notes.write_text("mine")
    link.symlink_to(notes)
    refloat("run", "--job", "j", "--", "true")
    for name, no_receipt, no_export, it in (
        (notes.name, ", and no receipt", "", "it"),
        (link.name, link_to := f", a link to {notes}", link_to, "the link itself"),
    ):
        done = refloat("run", "--job", "j", "--receipt", name, "--", "sh", "-c", "echo out; exit 3")
        assert (done.stdout, done.returncode, notes.read_text()) == ("", 2, "mine")
        told = f"name another place, or replace {it} with `--force`"
        assert f"{name} is there already{no_receipt}; {told}" in done.stderr
        done = refloat("export", "j", "--out", name)
        assert (done.returncode, notes.read_text()) == (1, "mine")
        assert f"{name} is there already{no_export}; {told}" in done.stderr
    assert refloat("export", "j", "--format", "markdown", "--out", notes.name, "--force").returncode == 0
    assert notes.read_text().startswith("# Job j")
    refloat("run", "--job", "j", "--receipt", notes.name, "--force", "--", "true")
    assert json.loads(notes.read_text())["step"]["seq"] == 2


def test_a_receipt_is_written_anew_over_an_older_one_and_an_empty_file(refloat: Run, tmp_path: Path) -> None:
    (tmp_path / "r.json").touch()
    for seq in (1, 2):
        assert refloat("run", "--job", "j", "--receipt", "r.json", "--", "true").stderr == ""
        assert json.loads((tmp_path / "r.json").read_text())["step"]["seq"] == seq
    (tmp_path / "e.json").touch()
    assert refloat("export", "j", "--out", "e.json").returncode == 0
    assert refloat("export", "j", "--out", "e.json").returncode == 1  # evidence, perhaps of another record


def test_a_dash_is_standard_output_or_says_what_to_type(refloat: Run, tmp_path: Path) -> None:
    done = refloat("run", "--job", "j", "--receipt", "-", "--", "echo", "ran")
    assert (done.stdout, done.returncode) == ("", 2)
    assert "name a file, such as receipt.json" in done.stderr
    assert refloat("run", "--job", "j", "--receipt", "./-", "--", "true").returncode == 0
    assert (tmp_path / "-").exists()
    (tmp_path / "-").unlink()
    assert answer(refloat("export", "j", "--out", "-"))["kind"] == "job"
    done = refloat("record", "backup", "-")
    assert (done.returncode, "record-backup.db" in done.stderr) == (2, True)
    assert not (tmp_path / "-").exists()
    for words in (("run", "--job", "j", "--force", "--", "true"), ("export", "j", "--force")):
        done = refloat(*words)
        assert (done.returncode, "--force replaces a file" in done.stderr) == (2, True)


def test_a_receipt_that_could_not_be_checked_is_not_called_unchanged(refloat: Run, tmp_path: Path) -> None:
    refloat("run", "--job", "j", "--", "echo", "one")
    refloat("export", "j", "--format", "aer1", "--out", "a.jsonl")
    receipt = json.loads((tmp_path / "a.jsonl").read_text())
    (tmp_path / "a.jsonl").write_text(json.dumps(receipt | {"receipt_schema_version": "9"}))
    said = refloat("verify", "a.jsonl").stdout
    assert "nothing of it could be checked" in said
    assert "unchanged" not in said
    assert "consistent" not in said
