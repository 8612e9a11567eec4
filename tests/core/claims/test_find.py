"""Sentences that claim, and sentences that only look like it."""

import importlib.util
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.claims import find_claims, find_done
from refloat.claims.prose import units_of
from refloat.claims.rules import Language, load
from refloat.claims.sentences import clauses_of, sentences_of
from refloat.claims.tokens import Tokens, tokenize
from refloat.model.triage import ClaimKind

HERE = Path(__file__).parent


def benchmark() -> ModuleType:
    path = HERE.parents[2] / "benchmarks" / "claims.py"
    spec = importlib.util.spec_from_file_location("claims_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def kinds(message: str) -> list[str]:
    return [claim.kind.value for claim in find_claims(message)]


@pytest.mark.parametrize("half", ["held_out", "developed", "fresh", "rounds"])
def test_precision_and_recall_over_labelled_sentences(half: str) -> None:
    score = benchmark().score(HERE / f"{half}.txt")
    assert score.precision >= 0.97, score.told
    assert score.recall >= 0.85, score.told


def test_the_labelled_set_is_large_and_varied() -> None:
    rows = [
        row for half in ("held_out", "developed", "fresh", "rounds") for row in benchmark().read(HERE / f"{half}.txt")
    ]
    labelled = {kind for wanted, _ in rows for kind in wanted}
    assert labelled == {kind.value for kind in ClaimKind}
    assert len({message for _, message in rows}) >= 2000
    assert sum(not wanted for wanted, _ in rows) >= 1000


def test_an_edit_names_its_files_and_not_those_beside_it() -> None:
    (claim,) = find_claims("I moved the retry logic into `net/retry.py`, following the pattern of `net/pool.py`.")
    assert claim.files == ("net/retry.py",)
    (claim,) = find_claims("- `api/routes.py:12`: added the health endpoint")
    assert claim.files == ("api/routes.py",)
    (claim,) = find_claims("I updated Dockerfile, README.md and `src/app/`.")
    assert claim.files == ("Dockerfile", "README.md", "src/app/")


def test_a_claim_keeps_the_words_as_they_were_written() -> None:
    (claim,) = find_claims("Well. **I pushed** [the branch](https://example.org/x) to `origin/fix`. Next I rest.")
    assert claim.text == "I pushed the branch https://example.org/x to `origin/fix`."


def test_names_of_commits_requests_versions_and_tools() -> None:
    assert find_claims("Committed as `a1b2c3d`.")[0].names == ("a1b2c3d",)
    assert find_claims("Opened PR #12: https://example.org/o/r/pull/12")[0].names == ("12",)
    assert find_claims("Published 1.4.2 to npm.")[0].names == ("1.4.2",)
    assert find_claims("mypy and `ruff check .` are clean.")[0].names == ("mypy", "ruff")


@pytest.mark.parametrize(
    "message",
    [
        "```\nAll tests pass.\n```",
        "~~~text\nI pushed the branch.\n~~~\n",
        "- a list\n  ```\n  All tests pass.\n  ```",
        "> All tests pass.\n> I pushed the branch.",
        "<!-- All tests pass. -->",
        "~~All tests pass.~~",
        "`All tests pass.`",
        "The hook prints “All tests pass.” and stops.",
        "    All tests pass.",
        "## Next steps\n\n### Backend\n\n- All tests pass\n- I pushed the branch",
        "**To do**\n\n- Branch pushed",
        "Before merging, these must hold:\n- All tests pass\n  - Lint is clean",
        "7. Pending tasks:\n   - Branch pushed\n   - All tests pass",
        "| Check | State |\n|---|---|\n| Tests | ❌ |",
        "1. [ ] All tests pass",
    ],
)
def test_what_markdown_sets_apart_is_no_claim(message: str) -> None:
    assert kinds(message) == []


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("## Next steps\n\n- Push the branch\n\n## Result\n\nAll tests pass.", ["tests_pass"]),
        ("Next steps:\n- Push it\n\nI committed the change.", ["committed"]),
        ("- [x] All tests pass\n- [ ] Branch pushed", ["tests_pass"]),
        ("| Check | State |\n|:--|--:|\n| Tests | ✅ |\n| Lint | ✅ clean |", ["tests_pass", "lint_passes"]),
        (
            "All of it is done:\n\n1. Fixed the pager in `ui/pager.py` v1.2.3 style\n2. Pushed to origin",
            ["fixed", "pushed"],
        ),
        ("I fixed the parser, e.g. `a.b.c` no longer\nbreaks, and I pushed it.", ["fixed", "pushed"]),
        ("✅ All tests pass\n✅ Branch pushed\n❌ PR opened", ["tests_pass", "pushed"]),
        ("__Done__: *all* tests **pass**", ["tests_pass"]),
    ],
)
def test_what_markdown_sets_out_is_read(message: str, wanted: list[str]) -> None:
    assert kinds(message) == wanted


@pytest.mark.parametrize(
    "message",
    [
        "Alle Tests laufen durch, ich habe den Branch gepusht und den Bug gefixt.",
        "Tests: passed, und der Build ist auch grün.",
        "Tous les tests passent et j'ai corrigé le bug.",
        "He corregido el error y los tests pasan.",
        "すべてのテストが通りました。",
        "Все тесты проходят, ветка запушена.",
    ],
)
def test_other_languages_claim_nothing(message: str) -> None:
    assert kinds(message) == []


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        ("Fix the crash in parser.py", ["fixed"]),
        ("Add retries to `client.py` and update the docs", ["edited"]),
        ("Commit and push the branch", ["committed", "pushed"]),
        ("Make sure all tests pass", ["tests_pass"]),
        ("Open a PR", ["pr_opened"]),
        ("Deploy to staging", ["deployed"]),
        ("Read the code", []),
        ("Run the tests", []),
        ("Plan the migration", []),
    ],
)
def test_a_completed_item_of_a_plan_is_read_as_done(item: str, wanted: list[str]) -> None:
    assert [claim.kind.value for claim in find_done(item)] == wanted
    assert all(claim.text == item for claim in find_done(item))


def test_file_names_versions_and_abbreviations_end_no_sentence() -> None:
    tokens = Tokens()
    prose = tokenize(
        "I changed app.test.js, i.e. the old one, for v1.2.3. All tests pass. See README.md. Done!", tokens
    )
    assert [tokens.restore(sentence) for sentence in sentences_of(prose)] == [
        "I changed app.test.js, i.e. the old one, for v1.2.3.",
        "All tests pass.",
        "See README.md.",
        "Done!",
    ]


def test_clauses_are_judged_apart() -> None:
    assert clauses_of("I fixed it; the tests fail, but I pushed") == ["I fixed it", "the tests fail", "I pushed"]
    assert kinds("I fixed the pager, but the tests do not pass yet, so I'll push later.") == ["fixed"]


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("I ran `ruff check` and it came back clean.", ["lint_passes"]),
        ("I ran the server and it came back clean.", []),
        ("I managed to fix the leak.", ["fixed"]),
        ("I wasn't able to fix the leak.", []),
        ("The file I created is missing.", []),
        ("In the parser I created a `Token` class.", ["edited"]),
        ("I deployed it. Then I rolled it back.", []),
        ("I deployed it. Then I told the team.", ["deployed"]),
        ("I added a flag and later removed it.", []),
        ("`git push` went through.", ["pushed"]),
        ("`git push` went through a proxy.", []),
        ("The build passes, but not on Windows.", []),
        ("The crash is fixed and the suite is green.", ["tests_pass", "fixed"]),
        ("I hope the crash is fixed and the suite is green.", []),
        ("Everything except the lint passes.", []),
        ("Every check but the tests passes.", []),
        ("All but the build succeeds.", []),
        ("Every step other than the unit tests passed.", []),
        ("All tests pass but the lint fails.", ["tests_pass"]),
        ("Except for the docs, the tests pass and it builds.", ["tests_pass", "builds"]),
        ("test passes = 0", []),
        ("tests pass: 0", []),
        ("tests pass: 0 failures", ["tests_pass"]),
        ("tests pass? unclear", []),
        ("tests pass? yes", ["tests_pass"]),
    ],
)
def test_the_words_around_it_decide(message: str, wanted: list[str]) -> None:
    assert sorted(kinds(message)) == sorted(wanted)


def test_what_was_run_may_stand_in_the_paragraph_before() -> None:
    (claim,) = find_claims("See `a.py` and `b.py`. I ran `cargo clippy`.\n\nIt came back clean.")
    assert (claim.kind, claim.names, claim.text) == (ClaimKind.LINT_PASSES, ("cargo",), "It came back clean.")


def test_a_nested_list_stands_under_its_item() -> None:
    units = units_of("# A\n- b:\n  - c\n- d\n\ne")
    assert [(unit.text, unit.under) for unit in units] == [
        ("A", ()),
        ("b:", ("A",)),
        ("c", ("A", "b:")),
        ("d", ("A",)),
        ("e", ("A",)),
    ]


def test_the_rules_of_a_language_that_nobody_wrote_are_refused() -> None:
    with pytest.raises(FileNotFoundError):
        load("tlh")


@given(st.text(st.sampled_from("ab .!?`*_-|>#\n[]()\"'ʘ0é✅❌\u202e\x00tests pass I fixed"), max_size=200))
def test_any_text_is_read(text: str) -> None:
    for claim in find_claims(text):
        assert claim.text
    for claim in find_done(text):
        assert claim.text


NEARLY = [
    "`", "` `` ", "[", "[a](", "[a](b ", '"', '"a ', "*", "*a ", "_a_", "a/", "a.", "<a ", "<!--", "~~", "~~a", "ab12",
    "1.2", "|", "|-", "![", "- ", "> ", "#", "a=", "/", "-a", "! ", "\\", "'a ", "https://", "\t|", "   ",
    "tests and ", "tests now all ", "tests in a ", "lint, types, tests and ", "I just ", "I pushed and ", "the a ",
    "bug ", "and then ", "no longer ", "the tests I added ", "is it and ", "but it ", "ran the ", "managed to ",
    "a that ", "tests : - ", "is added and ", "released ",
]  # fmt: skip


@pytest.mark.parametrize("piece", NEARLY)
def test_no_rule_runs_away_on_what_nearly_matches(piece: str) -> None:
    """One that backtracks in the cube of the length would take minutes here, and end at the suite's time limit."""
    find_claims(piece * (12_000 // len(piece)) + "all pass, is fixed, pushed")


def test_every_expression_of_the_rules_can_be_compiled() -> None:
    language = load("en")
    patterns = [getattr(language, row.name) for row in fields(Language)]
    for rule in (rule for group in language.groups for rule in group.rules):
        patterns += [rule.pattern, rule.needs, rule.bare_not, rule.not_about, *(also for _, also in rule.kinds)]
    told = [pattern for pattern in patterns if hasattr(pattern, "finditer")]
    assert len(told) > 200
    assert all(pattern.groups >= 0 for pattern in told)
