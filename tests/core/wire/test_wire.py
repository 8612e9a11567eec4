"""Keys and their order are the contract; strings leave masked, then cut, then escaped; a SESSION comes back whole."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat import wire
from refloat.brief.masks import Masker
from refloat.model.brief import Brief, BriefCheck, Confidence, Line, Moved, WrittenBrief
from refloat.model.checkout import Owner, Warned
from refloat.model.problem import Problem
from refloat.model.recovered import Unfinished
from refloat.model.session import Activity, RecordGone, Session, SessionName, State, Subagent
from refloat.model.status import AgentFound, Doctor, MachineFacts, NextOperation, PendingRequest, Recap, Status
from refloat.model.transcript import StepKind
from refloat.testing.samples import SAMPLES, at, crashed, make_session, make_step
from refloat.wire.writing import _plain

TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


def keys(words: str) -> list[str]:
    return words.split()


def read(document: object, *, masker: Masker | None = None) -> dict[str, Any]:
    text = wire.dump(document, masker=masker or Masker())
    assert text.endswith("\n")
    assert text.count("\n") == 1
    made: dict[str, Any] = json.loads(text)
    return made


@dataclass(frozen=True)
class Listing:
    sessions: tuple[Session, ...]
    records_gone: tuple[RecordGone, ...]
    problems: tuple[Problem, ...]


SESSION_KEYS = keys(
    "agent session_id title workspace repo branch model started_at last_activity_at state activity failure liveness "
    "turns prompts steps dangling edits parent superseded_by subagents worktree transcript kept"
)
STEP_KEYS = keys("n id kind tool summary at ended_at outcome exit_code files message input output output_bytes line")


def test_a_listing_has_the_keys_of_the_design_in_their_order() -> None:
    gone = RecordGone("codex", "x", None, 3, "only the history names it")
    made = read(wire.listing(Listing((crashed().session,), (gone,), (Problem("/p", 1, 2, "cut"),))))
    assert list(made) == ["schema", "sessions", "records_gone", "problems"]
    assert made["schema"] == "refloat/1"
    (session,) = made["sessions"]
    assert list(session) == SESSION_KEYS
    assert list(session["failure"]) == ["kind", "detail", "at"]
    assert list(session["liveness"]) == ["verdict", "evidence"]
    assert list(session["liveness"]["evidence"][0]) == ["kind", "detail", "pid", "at"]
    assert session["subagents"] == [{"id": "a7c2", "state": "stopped", "dangling": 0}]
    assert list(session["transcript"]) == ["paths", "bytes", "problems"]
    assert made["records_gone"] == [
        {"agent": "codex", "session_id": "x", "workspace": None, "prompts": 3, "why": "only the history names it"}
    ]
    assert made["problems"] == [{"path": "/p", "line": 1, "offset": 2, "what": "cut"}]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_answer_of_every_sample_is_json(name: str) -> None:
    sample = SAMPLES[name]()
    checkout, triage = read(wire.checkout(sample.checkout)), read(wire.triage(sample.triage))
    assert list(checkout) == (
        keys("schema session repo head branch base operation warnings files other_changes checks")
    )
    assert list(triage) == (keys("schema session saved claimed gone still_open do_not_repeat inspect"))
    assert checkout["session"] == triage["session"] == sample.session.name
    for item in sample.story.items:
        read(wire.item(item))


def test_a_checkout_has_the_keys_of_the_design() -> None:
    made = read(wire.checkout(SAMPLES["rebasing"]().checkout))
    assert made["operation"] == {
        "kind": "rebase",
        "branch": "fix/rounding",
        "onto": "main",
        "conflicts": ["src/invoice.py"],
        "index_lock": True,
    }
    invoice = made["files"][-1]
    assert list(invoice) == keys("path state why recorded confirmed owner session found_in edits hunks")
    assert invoice["confirmed"] is False
    assert invoice["edits"] == [{"step": 9, "fate": "unconfirmed", "commit": None, "by": None}]
    assert invoice["found_in"] == [{"where": "worktree", "path": "src/invoice.py", "ref": None, "commit": None}]
    assert list(invoice["hunks"][0]) == keys("old_start old_lines new_start new_lines lines owner session")
    assert list(made["other_changes"][0]) == keys("path status owner session why hunks")
    assert list(made["checks"][0]) == keys("step outcome exit_code head freshness stale_because note proved")


def test_a_triage_has_the_keys_of_the_design() -> None:
    made = read(wire.triage(crashed().triage))
    finding = keys("what kind files steps message verdict where recoverable_from claim why")
    assert list(made["saved"][0]) == finding
    assert list(made["saved"][2]) == [*finding, "confirmed"]
    assert list(made["saved"][-1]) == [*finding, "subagent"]
    assert made["gone"][0]["recoverable_from"] == [{"from": "record", "ref": None, "commit": None}]
    assert list(made["saved"][0]["where"]) == ["place", "ref", "commit"]
    assert list(made["still_open"][0]) == keys("what kind step pid running why output")
    assert [row["step"] for row in made["inspect"]] == [8]
    assert made["inspect"][0]["probe"] == ["git", "ls-remote", "origin", "refs/heads/fix/rounding"]


def test_a_step_of_a_subagent_says_so() -> None:
    own, helped = make_step(1, StepKind.COMMAND, "ls"), make_step(1, StepKind.COMMAND, "ls", subagent="a7c2")
    assert list(read(wire.step(own))) == STEP_KEYS
    assert list(read(wire.step(helped))) == [*STEP_KEYS, "subagent"]


def test_status_recap_brief_check_and_doctor() -> None:
    sample = crashed()
    steps = list(sample.story.steps)
    status = Status(
        sample.session,
        steps[0],
        tuple(steps[7:]),
        PendingRequest("approval", 8, "push?", at(8)),
        NextOperation("new_linked", ("claude", "x"), "/w", "why"),
    )
    made = read(wire.status(status))
    assert list(made) == keys(
        "schema session last_completed_step open_steps pending_request next recovered unfinished_recovery"
    )
    assert list(made["next"]) == keys("operation command workspace why")
    assert list(made["pending_request"]) == keys("kind step text at")
    recap = Recap(sample.session.name, "t", "/w", 2, 2, 12, sample.story.items[:2], (), (), None)
    assert read(wire.recap(recap))["bounds"] == {"limit": 2, "shown": 2, "omitted": 12}
    line = Line("x", Confidence.VERIFIED, (1,), "ana", 9)
    written = WrittenBrief(sample.session.name, Brief("t", (line,), (), (), (), (line,), ()), "# t\n", 1, 2)
    made = read(wire.brief(written))
    assert list(made) == keys("schema session brief markdown masked omitted")
    assert list(made["brief"]) == (
        keys("title previous_attempt current_artifact established uncertain next_step done_when")
    )
    assert made["brief"]["next_step"] == [
        {"text": "x", "confidence": "verified", "steps": [1], "by": "ana", "receipt": None}
    ]
    check = read(wire.check(BriefCheck(holds=False, moved=(Moved("HEAD", "a", "b"),))))
    assert check == {"schema": "refloat/1", "holds": False, "moved": [{"what": "HEAD", "was": "a", "now": "b"}]}
    doctor = Doctor(
        (AgentFound("codex", ("/r",), 1, ()),),
        MachineFacts(
            None,
            "3.11",
            "0.1",
            "Linux",
            "polling",
            1,
            None,
            "/c",
            "/d",
            None,
            unfinished=((SessionName("codex:1"), Unfinished("ana@vm", at(1), 4, 7)),),
        ),
        (Warned("no git", None),),
    )
    made = read(wire.doctor(doctor))
    assert list(made) == ["schema", "agents", "machine", "warnings"]
    assert made["warnings"] == [{"what": "no git", "path": None}]
    open_ones = made["machine"]["unfinished_recoveries"]
    assert open_ones == [{"session": "codex:1", "by": "ana@vm", "at": at(1), "page": 4, "of": 7}]


def test_markers_and_messages_are_items() -> None:
    rows = [read(wire.item(item)) for item in crashed().story.items]
    assert list(rows[0]) == ["n", "type", "at", "text"]
    assert list(rows[1]) == ["n", "type", "at", "step"]
    (marker,) = [row["marker"] for row in rows if row["type"] == "marker"]
    assert list(marker) == ["kind", "text", "at", "path", "line"]


def test_inputs_and_outputs_are_cut_after_masking() -> None:
    output = "x" * (wire.CUT - 12) + " " + TOKEN
    step = make_step(1, StepKind.COMMAND, "cat", output=output)
    made = read(wire.step(step))
    assert len(made["output"]) == wire.CUT
    assert "ghp_" not in made["output"]
    assert made["output_bytes"] == len(output)
    whole = read(wire.step(step, full=True))
    assert whole["output"] == output.replace(TOKEN, "[masked: GitHub token]")
    shown = read(wire.step(step, full=True), masker=Masker(enabled=False))
    assert shown["output"] == output


def test_a_token_in_a_path_is_masked_and_the_path_stands() -> None:
    step = make_step(1, StepKind.READ, "x", tool="Read", files=(f"/w/{TOKEN}/a.py",))
    assert read(wire.step(step))["files"] == ["/w/[masked: GitHub token]/a.py"]


def test_a_secret_named_later_is_masked_earlier() -> None:
    value = "tr0ub4dor-9f3a27"
    made = read({"a": f"bare {value}", "b": f"DB_PASSWORD={value}"})
    assert value not in json.dumps(made)


def test_printing_it_is_safe() -> None:
    hostile = "\x1b[31m\x00\x7f\x9b\u202ehidden\u2066\ufeff\U000e0041\u2028"
    text = wire.dump({"a": hostile, "b": "h\u00e9 \U0001f980"}, masker=Masker())
    assert all(c == "\n" or c >= " " for c in text)
    assert not {"\x7f", "\x9b", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\u2028"} & set(text)
    assert json.loads(text) == {"a": hostile, "b": "h\u00e9 \U0001f980"}
    assert "h\u00e9 \U0001f980" in text


def test_lone_surrogates_never_crash() -> None:
    text = wire.dump({"a\ud800": "b\udcff"}, masker=Masker())
    assert json.loads(text.encode()) == {"a\ufffd": "b\ufffd"}


def test_a_session_comes_back_as_it_was() -> None:
    sessions = [SAMPLES[name]().session for name in SAMPLES]
    sessions.append(
        make_session(
            State.LIVE,
            activity=Activity.IDLE,
            parent=SessionName("codex:p"),
            superseded_by=SessionName("codex:s"),
            worktree="/wt",
            started_at=None,
            subagents=(Subagent("a", State.FAILED, 2),),
            title=f"keeps {TOKEN} for itself",
        )
    )
    for session in sessions:
        assert wire.read_session(json.loads(wire.dump_exact(wire.session(session)))) == session
        assert wire.read_session(wire.session(session)) == session


@pytest.mark.parametrize(
    ("key", "value"),
    [("agent", None), ("turns", "2"), ("turns", True), ("state", "asleep"), ("transcript", []), ("subagents", [1]),
     ("liveness", {"verdict": "gone"})],
)  # fmt: skip
def test_a_bad_document_is_refused_with_one_kind_of_error(key: str, value: object) -> None:
    document = {**wire.session(make_session()), key: value}
    with pytest.raises(ValueError, match=r"."):
        wire.read_session(document)
    del document[key]
    with pytest.raises(ValueError, match="missing"):
        wire.read_session(document)


def test_a_line_of_ndjson_is_one_line() -> None:
    item = replace(crashed().story.items[0], text="two\nlines")
    assert wire.dump_line(wire.item(item), masker=Masker()).count("\n") == 1


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.text()
    | st.sampled_from(["\udc80", "\x7f\u202e", Owner.MIXED]),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_both_ways_of_writing_give_the_same(value: object) -> None:
    """What the fast writer cannot take (a lone surrogate, a huge number) goes the long way, and nobody sees it."""
    exact = wire.dump_exact({"a": value, "b": wire.Long("text", 2)})
    assert exact == json.dumps(_plain({"a": value, "b": "te"}), ensure_ascii=False, separators=(",", ":"))
