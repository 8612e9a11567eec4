"""The tables of what is known of programs, and a person's own beside them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from refloat.commands import classify, effects_of, how_it_ended, sort_of_check
from refloat.knowledge import tables
from refloat.model.transcript import Outcome, StepKind
from refloat.testing.fakes import fake_machine
from refloat.usecases.doctor import examine_machine
from refloat.usecases.open_bench import open_bench


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A directory for tables of one's own; forgotten afterwards."""
    tables.use_config(tmp_path)
    yield tmp_path
    tables.use_config(None)


def put(place: Path, name: str, text: str) -> None:
    (place / f"{name}.toml").write_text(text, encoding="utf-8")
    tables.forget()


@pytest.mark.parametrize("name", tables.NAMES)
def test_built_in_tables_are_sound(name: tables.Name) -> None:
    made = tables.table(name)
    assert made
    for section, rows in made.items():
        assert section, "a row stands below no section"
        for key, row in rows.items():
            assert isinstance(row, str) or (tables.texts(row) or row == {}), (section, key)
    if name == "outcomes":
        for rows in made.values():
            assert all(re.compile(str(text)) for text in rows.values())
    assert tables.own_rows(name) == {}


def test_a_table_of_ones_own_adds_and_replaces(own: Path) -> None:
    assert classify("gauntlet run") is StepKind.COMMAND
    put(own, "checks", '[test]\ngauntlet = "run"\npytest = "only-this"\n')
    put(
        own,
        "actions",
        '[beam]\n"up|down" = { name = "verb", probe = "beam status" }\n',
    )
    put(own, "outcomes", "[failed]\ngauntlet = '^LOST$'\n")
    assert sort_of_check("gauntlet run") == "test"
    assert sort_of_check("pytest") is None
    assert sort_of_check("vitest") == "test"
    (effect,) = effects_of("beam up --fast")
    assert (effect.name, effect.probe) == ("beam up", ("beam", "status"))
    assert how_it_ended("gauntlet run | tail", Outcome.OK, 0, "LOST").outcome is Outcome.ERROR
    assert tables.problems() == ()


@pytest.mark.parametrize(
    "text",
    ["[test\n", "\0", "test = 3\n", "[test]\na = 3\n", "[test]\na = ['x']\n", "[[test]]\na = 'x'\n", "x" * 300_000],
)
def test_a_damaged_table_costs_itself_only(own: Path, text: str) -> None:
    put(own, "checks", text)
    assert sort_of_check("pytest") == "test"
    (problem,) = tables.problems()
    assert problem.path == str(own / "checks.toml")


def test_sound_rows_beside_a_damaged_one_count(own: Path) -> None:
    put(own, "checks", '[test]\ngauntlet = ""\nbroken = 3\n[scripts]\nlint = "( gauntlet-lint"\n')
    assert sort_of_check("gauntlet") == "test"
    assert sort_of_check("npm run gauntlet-lint") == "lint"
    assert len(tables.problems()) == 1


def test_a_pattern_that_is_none_costs_itself_only(own: Path) -> None:
    put(own, "outcomes", "[failed]\na = '('\n")
    assert how_it_ended("pytest | tail", Outcome.OK, 0, "1 failed, 2 passed in 1s").outcome is Outcome.ERROR


def test_a_directory_or_nothing_in_the_place_of_a_table_is_none(own: Path) -> None:
    (own / "checks.toml").mkdir()
    tables.forget()
    assert sort_of_check("pytest") == "test"
    assert tables.problems() == ()


def test_the_configuration_directory_is_read_and_doctor_tells_damage(tmp_path: Path) -> None:
    machine = fake_machine(tmp_path)
    machine.places.config.mkdir(parents=True)
    (machine.places.config / "actions.toml").write_text("[[[", encoding="utf-8")
    try:
        found = examine_machine(open_bench(machine)).warnings
        assert any(str(machine.places.config / "actions.toml") == warned.path for warned in found)
        assert effects_of("git push")
    finally:
        tables.use_config(None)
