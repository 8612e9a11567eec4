"""A start of the app does without much, and has it all the same once it is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import refloat
import refloat_tui

_HASTENED = """
import gc, sys
from refloat_tui.cli import opening
opening.hasten()
import textual.app
assert not gc.isenabled()
assert "ssl" not in sys.modules, "asyncio loaded it"
late = [name for name in ("tokenize", "platformdirs") if type(sys.modules[name]).__name__ == "_LateModule"]
assert late == ["tokenize", "platformdirs"], late
import asyncio, ssl, tokenize, platformdirs
async def answer():
    task = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
    return (await task.communicate())[0]
assert asyncio.run(answer()).strip() == b"42"
assert ssl.create_default_context().verify_mode is ssl.CERT_REQUIRED
assert tokenize.NUMBER
assert textual.app.user_downloads_path() == platformdirs.user_downloads_path()
opening.hasten()
assert sys.modules["ssl"] is ssl, "a second time takes nothing away"
"""


def test_what_a_hastened_start_leaves_out_is_the_very_same_when_it_is_asked(tmp_path: Path) -> None:
    sources = [str(Path(package.__file__ or "").parent.parent) for package in (refloat, refloat_tui)]
    path = os.pathsep.join([*sources, *sys.path])
    subprocess.run([sys.executable, "-c", _HASTENED], env={"PYTHONPATH": path, "HOME": str(tmp_path)}, check=True)


def test_no_words_open_the_app_without_a_parser(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['refloat']\n"
        "from refloat_tui.cli import main\n"
        "code = main()\n"
        "print(code, 'click' in sys.modules, 'textual' in sys.modules)"
    )
    sources = [str(Path(package.__file__ or "").parent.parent) for package in (refloat, refloat_tui)]
    path = os.pathsep.join([*sources, *sys.path])
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path, "HOME": str(tmp_path)}, capture_output=True, check=True
    )
    assert ran.stdout.decode().split() == ["2", "False", "False"]
    assert b"the app needs a terminal" in ran.stderr
