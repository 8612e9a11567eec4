"""Values nested too deep for a decoder are refused, the process lives, and what is around them is read."""

import subprocess
import sys

import pytest

from refloat.readers.load import loads

DEEP = {
    "b'[' * N + b']' * N": ["Problem", "Line"],
    "b'[' * N": ["Problem"],
    "b'{\"a\":' * N + b'1' + b'}' * N": ["Problem", "Line"],
    "b'[{\"a\":' * N": ["Problem"],
    'b\'{"x":"[","y":\' + b\'[\' * N': ["Problem"],
}
"""What comes of each."""


@pytest.mark.parametrize("made", DEEP)
@pytest.mark.parametrize("levels", [10_000, 300_000])
def test_what_is_too_deep_is_refused_and_ends_no_process(made: str, levels: int) -> None:
    code = f"""
import threading
from refloat.readers.load import loads
from refloat.readers.lines import read_one
N = {levels}
def look():
    for raw in ({made}, b'{{"type":"user","x":"\\\\ud800","y":' + {made} + b'}}'):
        try:
            loads(raw)
        except ValueError:
            print("refused")
        print(*(type(told).__name__ for told in read_one("x", 1, 0, raw, ())))
look()
other = threading.Thread(target=look)
other.start()
other.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["refused", *DEEP[made]] * 4), done.stderr


def test_what_is_wide_is_read() -> None:
    assert loads(b"[" + b"[1]," * 5000 + b"2]") == [[1]] * 5000 + [2]


def test_brackets_in_texts_are_no_levels() -> None:
    assert loads(b'["' + b"[" * 5000 + b'"]') == ["[" * 5000]


def test_a_few_hundred_levels_are_read() -> None:
    assert loads(b"[" * 400 + b"]" * 400) is not None


@pytest.mark.parametrize("number", ["1e999", "-1E+400", "9" * 400, "9" * 5000])
def test_a_number_that_no_double_holds_is_infinite_and_costs_no_row(number: str) -> None:
    value = loads(f'{{"type":"user","n":[{number},7,{2**70},0.5],"x":"\\u00e9"}}'.encode())
    infinite = float("-inf" if number.startswith("-") else "inf")
    assert value == {"type": "user", "n": [infinite, 7, float(2**70), 0.5], "x": "é"}


@pytest.mark.parametrize(
    "raw", [b"[1e999,NaN]", b"[1e999,Infinity]", b"[1e999,\xff]", b"[1e999,01]", b"[1e999,", b'[1e999,"\\ud800"]']
)
def test_beside_such_a_number_the_rest_must_be_json(raw: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the decoder's own words
        loads(raw)


@pytest.mark.parametrize("levels", [5_000, 300_000])
def test_depth_behind_such_a_number_ends_no_process_either(levels: int) -> None:
    code = f"""
from refloat.readers.load import loads
try:
    loads(b'[1e999,' + b'[' * {levels} + b']' * {levels} + b']')
    print("read")
except ValueError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr
