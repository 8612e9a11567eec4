"""What a damaged catalogue tells of a session is no session, and no end of the command."""

import pytest

from refloat.model.stamp import Stamp
from refloat.usecases.retold import read_told


@pytest.mark.parametrize("told", [b"x", b"null", b"[]", b'{"agent":"codex"}', b'{"agent":"codex","state":"no state"}'])
def test_what_is_of_another_form_is_none(told: bytes) -> None:
    assert read_told(told, Stamp("2026-06-01T08:00:00.000Z")) is None
