"""Every registered reader keeps what the contract promises, and the suite notices one that does not."""

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import copytree

import pytest

from refloat.demo.build import build_demo
from refloat.machine.real import real_machine
from refloat.model.transcript import Event
from refloat.readers import registry
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.contract import Found, FoundSubagent, Identity, Line, Parser, Segment, SourceFile, Walk
from refloat.testing.conformance import check_reader


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's home: it shows every agent, in every state."""
    return build_demo(real_machine(), tmp_path_factory.mktemp("demo"), processes=False).home


@pytest.mark.parametrize("agent", registry.names())
def test_a_registered_reader_keeps_the_contract(agent: str, home: Path) -> None:
    check_reader(registry.load(agent), [home])


class Looks(ClaudeCode):
    def walks(self, home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
        with suppress(OSError):
            list(home.iterdir())
        return super().walks(home, environment)


class Writes(ClaudeCode):
    def identify(self, file: SourceFile) -> Identity:
        Path(file.path).with_suffix(".seen").touch()
        return super().identify(file)


class LoadsLate(ClaudeCode):
    def identify(self, file: SourceFile) -> Identity:
        importlib.import_module("loaded_late")
        return super().identify(file)


class Stumbles(ClaudeCode):
    def identify(self, file: SourceFile) -> Identity:
        Path(file.path).read_bytes().decode("utf-8")
        return super().identify(file)


class _Skipping:
    """A parser that leaves out the third line that it is fed, and counts anew after it was frozen."""

    def __init__(self, inner: Parser) -> None:
        self._inner, self._fed = inner, 0

    def open(self, segment: Segment) -> Iterable[Event]:
        return self._inner.open(segment)

    def feed(self, line: Line) -> Iterable[Event]:
        self._fed += 1
        return () if self._fed == 3 else self._inner.feed(line)

    def finish(self) -> Iterable[Event]:
        return self._inner.finish()

    def freeze(self) -> dict[str, object]:
        return self._inner.freeze()


class Forgets(ClaudeCode):
    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> Parser:
        return _Skipping(super().parser(found, subagent, frozen, skim=skim))


class Miscounts(ClaudeCode):
    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> Parser:
        parser = super().parser(found, subagent, frozen, skim=skim)
        return _Skipping(parser) if skim else parser


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (Looks, "looks at no file"),
        (Writes, "writes nothing"),
        (Forgets, "when reading stops"),
        (Miscounts, "skimming comes to another summary"),
    ],
)
def test_a_broken_promise_is_named(reader: type[ClaudeCode], said: str, home: Path, tmp_path: Path) -> None:
    own = tmp_path / "home"
    copytree(home, own)
    with pytest.raises(AssertionError, match=said):
        check_reader(reader(), [own])


def test_a_module_that_a_reader_loads_late_is_not_written_by_the_reader(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loaded_late.py").write_text("late = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    try:
        check_reader(LoadsLate(), [home])
    finally:
        assert sys.modules.pop("loaded_late").late
    assert not sys.dont_write_bytecode


def test_what_a_reader_raises_comes_out_with_what_it_was_given(home: Path) -> None:
    with pytest.raises(UnicodeDecodeError) as caught:
        check_reader(Stumbles(), [home])
    assert caught.value.__notes__ == ["claude-code: files that are no UTF-8"]
