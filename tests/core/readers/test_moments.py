"""What is no moment is no time of a session, on either road."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.readers.test_quick import HEADS, event, read, reply, stamp

from refloat.model.stamp import read_stamp, stamp_of
from refloat.readers.plain import is_plain_stamp

IMPOSSIBLE = (
    "2026-13-20T09:10:00.000Z", "2026-00-20T09:10:00.000Z", "2026-10-32T09:10:00.000Z", "2026-02-30T10:00:00.000Z",
    "2026-10-20T24:01:00.000Z", "2026-10-20T23:59:60.000Z", "2026-10-20T09:61:00.000Z", "2026-10-20T29:10:00.000Z",
    "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "\u0662026-10-20T09:10:00.000Z",
)  # fmt: skip


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize("at", IMPOSSIBLE)
def test_what_is_no_moment_is_no_time_of_a_session(at: str, agent: str, quick: bool, tmp_path: Path) -> None:
    said = (
        reply(3, {"type": "text", "text": "Said."})
        if agent == "claude-code"
        else event(3, type="agent_message", message="x")
    )
    rows = [*HEADS[agent], said, said | {"timestamp": at}]
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    summary, _, _ = read(agent, path, quick=quick)
    assert (summary.started_at, summary.last_activity_at) == (stamp(0), stamp(3))


@given(st.datetimes(), st.sampled_from(["", *IMPOSSIBLE]))
def test_a_plain_stamp_is_one_as_it_stands(moment: datetime, other: str) -> None:
    for text in (moment.isoformat(timespec="milliseconds") + "Z", other):
        if is_plain_stamp(text):
            assert read_stamp(text) == text == stamp_of(datetime.fromisoformat(text))
        else:
            assert read_stamp(text) is None or text[5:10] == "02-29"
