"""Tests see one time zone, wherever they run."""

import time
from datetime import UTC, datetime


def test_local_time_is_utc() -> None:
    assert time.localtime(0)[:6] == (1970, 1, 1, 0, 0, 0)
    assert datetime.fromtimestamp(1_789_387_200, UTC).astimezone().utcoffset() == datetime.now(UTC).utcoffset()
