"""Keys on the command line, and what a check says of signed receipts."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
PATIENCE = 100


@pytest.fixture
def refloat(tmp_path: Path) -> Run:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*words: str, data: str = "here", code: int = 0) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "refloat_tui", *words]
        places = {"REFLOAT_DATA_DIR": str(tmp_path / data)}
        done = subprocess.run(
            argv, env=env | places, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def answer(done: subprocess.CompletedProcess[str]) -> Any:
    found = json.loads(done.stdout)
    assert found["schema"] == "refloat/1"
    return found


def test_a_key_is_asked_for_made_and_used(refloat: Run, tmp_path: Path) -> None:
    assert "`refloat record key --new` makes one" in refloat("record", "key", code=1).stderr
    assert refloat("record", "keys").stdout == "no key is known here\n"
    made = answer(refloat("record", "key", "--new", "--name", "ada", "--json"))["key"]
    assert re.fullmatch("[0-9a-f]{64}", made["key"])
    assert (made["name"], made["own"]) == ("ada", True)
    assert "a key already" in refloat("record", "key", "--new", code=1).stderr
    assert refloat("record", "key").stdout == f"{made['key']}  ada  (own)\n"
    assert answer(refloat("record", "keys", "--json"))["keys"] == [made]
    assert (tmp_path / "here" / "signing.key").stat().st_mode & 0o777 == 0o600

    refloat("run", "--job", "j", "--receipt", "r.json", "--", "true")
    receipt = json.loads((tmp_path / "r.json").read_text())["step"]
    assert (receipt["signer"], len(receipt["signature"])) == (made["key"], 128)
    refloat("wrap", "j", "--summary", "did")
    found = answer(refloat("verify", "j", "--json"))
    assert (found["ok"], found["signature"]) == (True, "valid")
    assert found["signers"] == [{"key": made["key"], "name": "ada", "signature": "valid", "links": 2}]
    assert re.search(rf"valid +2 links +ada +{made['key']}", refloat("verify", "j").stdout)


def test_what_another_machine_signed_is_known_when_its_key_is(refloat: Run) -> None:
    key = answer(refloat("record", "key", "--new", "--json"))["key"]["key"]
    refloat("run", "--job", "j", "--", "true")
    refloat("export", "j", "--out", "e.json")
    assert answer(refloat("verify", "e.json", "--json", data="there"))["signature"] == "unknown_key"
    assert re.search("SIGNED +unknown_key", refloat("verify", "e.json", data="there").stdout)
    assert refloat("record", "trust", key, "--name", "ada", data="there").stdout == f"{key}  ada\n"
    assert answer(refloat("verify", "e.json", "--json", data="there"))["signature"] == "valid"
    assert refloat("record", "untrust", "ada", data="there").stdout == f"{key}  ada\n"
    assert refloat("record", "trust", key, data="there").stdout == f"{key}  {key[:12]}\n"
    assert "64 hex digits" in refloat("record", "trust", "nonsense", data="there", code=2).stderr
    assert "no known keys" in refloat("record", "untrust", "nonsense", data="there", code=2).stderr


def test_a_key_that_cannot_be_used_is_told_and_costs_no_step(refloat: Run, tmp_path: Path) -> None:
    refloat("record", "key", "--new")
    (tmp_path / "here" / "signing.key").chmod(0o640)
    for words in (
        ("run", "--job", "j", "--", "true"),
        ("step", "--job", "j", "--tool", "t"),
        ("wrap", "j", "--summary", "did"),
        ("pickup", "j", "--as", "bob"),
        ("decide", "j", "accepted", "--by", "ada"),
    ):
        assert "saved without a signature: the signing key" in refloat(*words).stderr, words
    found = answer(refloat("verify", "j", "--json"))
    assert (found["ok"], found["checked"], found["signature"]) == (True, 5, "unsigned")
    warned = answer(refloat("doctor", "--json"))["warnings"]
    assert any("can be read by others (mode 0640)" in each["what"] for each in warned)
    assert refloat("record", "key", code=3).stderr.startswith("refloat: the signing key")
