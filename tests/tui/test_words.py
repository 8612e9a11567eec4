"""Small words that screens and commands share."""

import pytest

from refloat.model.triage import Finding, FindingVerdict
from refloat_tui.present.path import homes_shortened
from refloat_tui.screens.wizard.pages.view import statement_words
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
