"""What a short command spares is the very same once somebody asks it."""

import os
import subprocess
import sys
from pathlib import Path

import refloat

SOURCES = Path(refloat.__file__).parent.parent

_LATER = """
import sys
from refloat.sparing import load_least
load_least()
late = [name for name, module in sys.modules.items() if type(module).__name__ == "_LateModule"]
assert {"inspect", "ipaddress", "urllib.parse", "dataclasses", "zlib"} <= set(late), late
import pathlib, orjson
assert pathlib.PurePosixPath("/a b/ö%").as_uri() == "file:///a%20b/%C3%B6%25"
import inspect, ipaddress, json, platform, urllib.parse, uuid, zlib
from datetime import UTC, datetime
assert urllib.parse.urlsplit("http://[::1]:80/x").hostname == "::1"
assert platform.python_version().startswith("3.") and platform.system() != ""
assert inspect.isfunction(inspect.signature) and str(inspect.signature(lambda one, two=2: one)) == "(one, two=2)"
assert str(ipaddress.ip_address("127.0.0.1")) == "127.0.0.1"
assert uuid.UUID(int=5).int == 5 and zlib.crc32(b"a") == 0xE8B7BE43
assert datetime(2026, 1, 2, tzinfo=UTC).isoformat() == "2026-01-02T00:00:00+00:00"
assert all(type(sys.modules[name]).__name__ == "module" for name in ("inspect", "urllib.parse"))
assert orjson.dumps({"a": datetime(2026, 1, 2, tzinfo=UTC)}) == b'{"a":"2026-01-02T00:00:00+00:00"}'
assert urllib.parse is sys.modules["urllib.parse"]
"""

_JSON = """
import sys
from refloat.sparing import load_least
load_least()
import orjson
import dataclasses, json

@dataclasses.dataclass
class Row:
    name: str
    parts: list[int] = dataclasses.field(default_factory=list)
    shared: dataclasses.InitVar[int] = 3

assert orjson.dumps(Row("a", [1])) == b'{"name":"a","parts":[1]}'
assert [field.name for field in dataclasses.fields(Row)] == ["name", "parts"]

def told(decode, text):
    try:
        decode(text)
    except ValueError as fault:
        return str(fault).partition(": ")[2], fault.pos, fault.lineno, fault.colno

assert told(orjson.loads, "[1,\\n2 3]") == told(json.loads, "[1,\\n2 3]") == ("line 2 column 3 (char 6)", 6, 2, 3)
from json import JSONDecodeError
try:
    json.loads("x")
except JSONDecodeError:
    pass
"""

_FIELDS = """
import sys
from refloat.sparing import load_less
load_less()
import dataclasses, inspect

@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    'Of a table.'
    name: str
    parts: "list[int]" = dataclasses.field(default_factory=list)

class Named(Row):
    size: int = 3

class Bare(Row):
    pass

given = inspect.get_annotations
assert given(Row) == {"name": str, "parts": "list[int]"} and given(Named) == {"size": int} and given(Bare) == {}
given(Row).clear()
assert repr(Row("a", [1])) == "Row(name='a', parts=[1])"
assert [each.name for each in dataclasses.fields(Row)] == ["name", "parts"]
assert type(sys.modules["inspect"]).__name__ == "_LateModule", "nobody needs it for that"
assert given(Row, eval_str=True) == {"name": str, "parts": list[int]} and given(sys) == {}
assert inspect.get_annotations is sys.modules["inspect"].get_annotations is not given
assert all(given(each) == inspect.get_annotations(each) for each in (Row, Named, Bare, given))
try:
    given(3)
except TypeError as fault:
    assert "is not a module, class, or callable" in str(fault)
else:
    raise AssertionError
"""

_ALL = """
import pkgutil, sys
from importlib import import_module
from refloat.sparing import load_least
load_least()
import refloat
names = [each.name for each in pkgutil.walk_packages(refloat.__path__, "refloat.")]
assert {"refloat.ports", "refloat.usecases.finder", "refloat.readers.codex.parser"} <= {*names}
for name in names:
    if name not in {NEEDS_MORE}:
        import_module(name)
"""


def run(code: str, *words: str) -> None:
    env = {"PYTHONPATH": os.pathsep.join([str(SOURCES), *sys.path])}
    subprocess.run([sys.executable, *words, "-c", code], env=env, check=True)


def test_what_is_loaded_later_is_the_very_same_when_it_is_asked() -> None:
    run(_LATER, "-S")


def test_json_is_written_and_refused_as_ever() -> None:
    run(_JSON, "-S")


def test_a_dataclass_needs_no_look_at_code() -> None:
    run(_FIELDS, "-S")


def test_every_module_of_the_library_can_do_without() -> None:
    run(_ALL.replace("{NEEDS_MORE}", '{"refloat.record.postgres", "refloat.testing.conformance"}'), "-S")
