"""Which clipboard is worth trying."""

import sys
from types import SimpleNamespace

import pytest

from refloat_tui.clipboard import copy_locally, has_desktop


@pytest.mark.parametrize(
    ("environment", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, "darwin", False),
    ],
)
def test_where_there_is_a_desktop(environment: dict[str, str], platform: str, *, there: bool) -> None:
    assert has_desktop(environment, platform) is there


class KittenError(Exception):
    pass


def test_a_desktop_that_does_not_answer_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise KittenError(text)

    monkeypatch.setitem(sys.modules, "copykitten", SimpleNamespace(copy=refuse, CopykittenError=KittenError))
    assert not copy_locally("x", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"})


def test_a_desktop_takes_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setitem(sys.modules, "copykitten", SimpleNamespace(copy=taken.append, CopykittenError=KittenError))
    monkeypatch.setattr(sys, "platform", "linux")
    assert copy_locally("brief", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"})
    assert taken == ["brief"]


def test_without_the_library_there_is_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "copykitten", None)
    assert not copy_locally("x", {"DISPLAY": ":0"})


def test_no_desktop_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "copykitten", raising=False)
    assert not copy_locally("x", {})
    assert "copykitten" not in sys.modules
