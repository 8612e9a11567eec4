"""What a damaged catalogue tells of a session is no session, and no end of the command."""

from typing import Any

import pytest

from refloat.model.stamp import Stamp
from refloat.usecases.retold import read_told


@pytest.mark.parametrize("live", [None, b"x", "no JSON", '"state":"no state","activity":null,"failure":null'])
def test_what_is_of_another_form_is_none(live: Any) -> None:
    assert read_told(('{"agent":"codex"', live, '"title":"x"}'), Stamp("2026-06-01T08:00:00.000Z")) is None
