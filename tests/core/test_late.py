"""What is made late is made once, by whichever thread asks first."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import refloat
from refloat.late import LateSequence, Once, stand_in


def test_it_is_made_at_the_first_question_and_once_for_all_threads() -> None:
    made: list[str] = []
    barrier = Barrier(8, timeout=60)

    def make() -> str:
        made.append("made")
        return "a word"

    words, count = stand_in(make), LateSequence(lambda: [make()])
    assert made == []

    def ask() -> tuple[bool, int]:
        barrier.wait()
        return words.startswith("a"), len(count)

    with ThreadPoolExecutor(8) as pool:
        answers = [each.result() for each in [pool.submit(ask) for _ in range(8)]]
    assert answers == [(True, 1)] * 8
    assert made == ["made"] * 2
    assert (count[0], list(count), count[:1]) == ("a word", ["a word"], ["a word"])


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not now")
        return "now"

    once = Once(make)
    with pytest.raises(OSError, match="not now"):
        once()
    assert (once(), once(), len(tries)) == ("now", "now", 2)


_LATER = """
import sys
from refloat.late import load_less
load_less()
import pathlib, orjson
names = ("inspect", "platform", "ipaddress", "urllib.parse")
assert [type(sys.modules[name]).__name__ for name in names] == ["_LateModule"] * 4, "something asked already"
assert pathlib.PurePosixPath("/a b/ö%").as_uri() == "file:///a%20b/%C3%B6%25"
import inspect, platform, ipaddress, urllib.parse
assert urllib.parse.urlsplit("http://[::1]:80/x").hostname == "::1"
assert platform.system() == "Linux" and platform.python_version().startswith("3.")
assert inspect.isfunction(inspect.signature) and str(inspect.signature(lambda one, two=2: one)) == "(one, two=2)"
assert str(ipaddress.ip_address("127.0.0.1")) == "127.0.0.1"
assert [type(sys.modules[name]).__name__ for name in names] == ["module"] * 4
assert urllib.parse is sys.modules["urllib.parse"]
"""


@pytest.mark.skipif(sys.platform != "linux" or sys.version_info >= (3, 13), reason="others load other modules")
def test_what_is_loaded_later_is_the_very_same_when_it_is_asked() -> None:
    sources = str(Path(refloat.__file__).parent.parent)
    subprocess.run(
        [sys.executable, "-S", "-c", _LATER], env={"PYTHONPATH": os.pathsep.join([sources, *sys.path])}, check=True
    )
