"""Moments as text: what is one, and what only looks like one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.model.stamp import later, read_stamp, seconds_of, stamp_of, stamp_of_seconds


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-45T10:00:00.000Z",
        "2026-02-30T10:00:00.000Z",
        "2026-00-10T10:00:00.000Z",
        "2026-01-10T24:10:00.000Z",
        "2026-01-10T23:60:00.000Z",
        "2026-01-10T23:10:61.000Z",
        "0000-01-10T23:10:00.000Z",
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59-05:00",
        "0001-01-01T00:00:00+05:00",
        "1969-12-31T23:59:59.999Z",
        "yesterday",
    ],
)
def test_what_no_clock_can_have_shown_is_no_moment(text: str):
    assert read_stamp(text) is None


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2024-02-29T10:00:00.000Z", "2024-02-29T10:00:00.000Z"),
        ("2026-01-31T23:59:59.999Z", "2026-01-31T23:59:59.999Z"),
        ("2026-09-14T11:02:00+02:00", "2026-09-14T09:02:00.000Z"),
        ("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
        ("9998-12-31T23:59:59.999Z", "9998-12-31T23:59:59.999Z"),
    ],
)
def test_any_precision_and_zone_is_read(text: str, stamp: str):
    assert read_stamp(text) == stamp


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)).map(lambda m: m.isoformat() + "Z"))  # noqa: DTZ001 - the zone is written behind
def test_whatever_is_a_moment_can_be_reckoned_with(text: str):
    stamp = read_stamp(text)
    if stamp is not None:
        assert later(later(stamp, 86_400), -86_400) == stamp
        assert seconds_of(later(stamp, 60)) == pytest.approx(seconds_of(stamp) + 60)


def test_seconds_that_no_calendar_holds_are_no_moment():
    assert stamp_of_seconds(1e18) is None
    assert stamp_of_seconds(253_402_300_000) is None
    assert stamp_of_seconds(0) == stamp_of(datetime(1970, 1, 1, tzinfo=UTC))
