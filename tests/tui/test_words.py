"""Small words that screens and commands share."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from refloat.model.attempts import InChain, Standing
from refloat.model.brief import Brief
from refloat.model.recovery import Given, ProcessSaid
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.status import NextOperation, Operation, Status
from refloat.model.transcript import Item, StepKind
from refloat.model.triage import Finding, FindingVerdict
from refloat.testing.samples import Sample, crashed, live, stopped, unresolved
from refloat.usecases.recover import Recovery
from refloat_tui.cli.show.sessions import item_line, status_lines
from refloat_tui.present.age import absolute, clock_time, local_times, zone
from refloat_tui.present.next_keys import chain_words
from refloat_tui.present.path import homes_shortened
from refloat_tui.present.state import next_parts
from refloat_tui.screens.wizard.pages.process import ProcessPage
from refloat_tui.screens.wizard.pages.view import Look, statement_words
from refloat_tui.theme import ASCII, UNICODE


@pytest.mark.parametrize(
    ("text", "home", "shown"),
    [
        ("in `/home/ana/src/x`, not /mnt/home/ana/src", "/home/ana", "in `~/src/x`, not /mnt/home/ana/src"),
        ("/home/anabel/x and /home/ana", "/home/ana", "/home/anabel/x and /home/ana"),
        ("/home/ana/x", "", "/home/ana/x"),
        ("/etc/x", "/", "/etc/x"),
    ],
)
def test_a_home_is_shortened_where_a_path_begins_with_it(text: str, home: str, shown: str) -> None:
    assert homes_shortened(text, home) == shown


def test_a_quotation_below_a_statement_stands_between_quotation_marks() -> None:
    quoting = "It was asked:\n> Fix it.\n> Then push."
    assert statement_words(quoting, UNICODE) == "It was asked: “Fix it. Then push.”"
    assert statement_words(quoting, ASCII) == 'It was asked: "Fix it. Then push."'
    assert statement_words("Nothing quoted", UNICODE) == "Nothing quoted"


@pytest.mark.parametrize(("kind", "word"), [("external", "unknown"), ("dangling", "unknown"), ("edit", "lost")])
def test_only_what_was_made_can_be_lost(kind: str, word: str) -> None:
    finding = Finding("x", kind, (), (1,), None, FindingVerdict.LOST, None, (), None, "")
    assert finding.known_as == word


@pytest.fixture(params=["UTC", "IST-5:30", "EST5"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def test_the_app_and_the_commands_say_one_moment_so_that_it_is_the_same(where: str) -> None:
    at = Stamp("2026-09-14T23:03:11.000Z")
    shown = {
        "UTC": ("23:03:11", "", "2026-09-14 23:03:11"),
        "IST-5:30": ("04:33:11", " +05:30", "2026-09-15 04:33:11 +05:30"),
        "EST5": ("18:03:11", " -05:00", "2026-09-14 18:03:11 -05:00"),
    }
    assert (clock_time(at), zone(at), absolute(at)) == shown[where]
    assert (zone(None), absolute(None)) == ("", "")
    told = "last record at 2026-09-14T23:03:11.506Z, /p/2026-09-14T23:03:11Z/x, 2026-99-14T23:03:11Z"
    local = f"last record at {shown[where][2]}, /p/2026-09-14T23:03:11Z/x, 2026-99-14T23:03:11Z"
    assert local_times(told) == local, "a path stays what it is"
    assert "  23:03:11Z  " in item_line(Item(1, "prompt", at, "Go on"))


@pytest.mark.parametrize(
    ("sample", "said", "warns"),
    [
        (live(), "gone", "The guard goes by that"),
        (unresolved(), "gone", "The guard goes by that"),
        (unresolved(), None, "Find out before a second writer starts"),
        (stopped(), "gone", ""),
        (stopped(), None, ""),
    ],
)
def test_a_persons_word_on_a_process_promises_nothing_that_the_guard_refuses(
    sample: Sample, said: ProcessSaid | None, warns: str
) -> None:
    recovery = Recovery(
        sample.session,
        sample.checkout,
        sample.triage,
        "",
        "",
        Brief("", (), (), (), (), (), ()),
        "ana@x",
        Given(process=said),
    )
    words = "".join(text for text, _ in ProcessPage().reason(Look(recovery, UNICODE, 80)))
    assert warns in words
    assert warns or "writer" not in words


@pytest.mark.parametrize("left", [(), ("the edit of a.py is lost from the checkout",)])
@pytest.mark.parametrize(
    ("operation", "step"),
    [
        ("new_linked", "Look at what step 8 did, then start a linked session with the brief."),
        ("continue", "Look at what step 8 did before it is repeated, then continue it."),
    ],
)
def test_the_look_at_an_effect_outside_never_drops_out_of_next(
    operation: Operation, step: str, left: tuple[str, ...]
) -> None:
    sample = crashed()
    push = next(step for step in sample.story.steps if step.kind is StepKind.EXTERNAL and step.n == 8)
    then = NextOperation(operation, ("x",), None, "", left)
    told, words = next_parts(Status(sample.session, None, (push,), None, then))
    assert words == step
    assert told == ("First know: the edit of a.py is lost from the checkout." if left else "")


def test_a_repaired_copy_is_no_attempt() -> None:
    one, copy = SessionName("codex:1"), SessionName("codex:2")
    chain = InChain(2, 2, one, None, copy, one, None)
    assert chain_words(chain, "[", "]")[0][0] == "attempt 2 of 2"
    assert chain_words(chain, "[", "]", repaired=True)[0][0] == "repaired copy of the one before"
    for repaired in (False, True):
        session = replace(crashed().session, repaired=repaired)
        status = Status(
            session, None, (), None, NextOperation("continue", None, None, ""), Standing(chain, copy, session.state)
        )
        (row,) = [row for row in status_lines(status, 100) if row.startswith("attempt")]
        assert ("a repaired copy of codex:1" in row) == repaired
        assert ("2 of 2, started from codex:1" in row) != repaired
