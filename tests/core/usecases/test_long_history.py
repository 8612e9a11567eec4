"""A long transcript in windows says what the whole says, from anywhere, and follows what becomes of its file."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from refloat.model.long import Ask, Spot, Stretch, Window
from refloat.model.transcript import Item, Outcome
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.readers.registry import load
from refloat.readers.tape import Tape
from refloat.testing.claude_talk import ClaudeTalk
from refloat.usecases import long_history, windows
from refloat.usecases.long_history import LongHistory
from refloat.usecases.read_session import read_story

READER = load("claude-code")
TURNS = 60


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - used by pytest
    """Windows of a few lines."""
    for name, value in (("_WINDOW", 3_000), ("_LEAST", 6), ("_MOST", 30_000)):
        monkeypatch.setattr(long_history, name, value)
    for name, value in (("LEAD", 2_000), ("AHEAD", 4_000), ("LONGEST", 200_000)):
        monkeypatch.setattr(windows, name, value)


def never() -> bool:
    return False


def quiet(done: int, of: int) -> None:
    del done, of


def talk(turns: int = TURNS) -> ClaudeTalk:
    made = ClaudeTalk()
    for turn in range(turns):
        made.prompt(f"Do part {turn}")
        made.ran(f"pytest -q part{turn}", f"{turn} passed", 1 if turn % 10 == 9 else 0)
        made.say(f"Part {turn} is done.")
        made.metadata("ai-title", aiTitle="Parts")
    return made


def found(path: Path, start: int = 0, end: int | None = None) -> Found:
    return Found("claude-code", path.stem, (segment(path, start, end),))


def segment(path: Path, start: int = 0, end: int | None = None) -> Segment:
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, inode=stat.st_ino, device=stat.st_dev)
    return Segment(file, start, end, identity=READER.identify(file))


def items_of(path: Path) -> list[Item]:
    return list(read_story(READER, found(path)).items)


def told(item: Item) -> tuple[object, ...]:
    """All that an item says, numbers apart."""
    step = item.step
    said = (step.summary, step.outcome, step.exit_code, step.output) if step else item.text
    return item.type, item.at, said, item.marker.kind if item.marker else None


def walk(long: LongHistory, first: str, following: str, show: Callable[[Stretch], object]) -> list[Spot]:
    """Every spot, in the order in which they come by from one end to the other."""
    shown = long.ask(Ask("begin" if first == "begin" else "end"), never)
    seen = {spot.key: spot for spot in shown.spots}
    for _ in range(1000):
        show(shown)
        if (shown.begin == 0) if following == "older" else (shown.end >= long.size):
            break
        shown = long.ask(Ask("older" if following == "older" else "newer", shown=shown), never)
        seen |= {spot.key: spot for spot in shown.spots}
    return sorted(seen.values(), key=lambda spot: (spot.position, spot.at))


@pytest.mark.parametrize(("first", "following"), [("begin", "newer"), ("end", "older")])
def test_windows_one_after_the_other_say_what_the_whole_says(tmp_path: Path, first: str, following: str):
    path = talk().write(tmp_path)
    long = LongHistory(READER, found(path))
    held: list[int] = []
    spots = walk(long, first, following, lambda shown: held.append(len(shown.spots)))
    assert [told(spot.item) for spot in spots] == [told(item) for item in items_of(path)]
    assert all(spot.settled for spot in spots)
    assert max(held) < len(spots) / 2


def test_numbers_come_with_the_whole_reading(tmp_path: Path):
    path = talk().write(tmp_path)
    long = LongHistory(READER, found(path))
    before = long.ask(Ask("end"), never)
    assert not before.numbered
    assert {spot.item.n for spot in before.spots} == {0}
    asked = long.ask(Ask("item", 3, before), never)
    assert asked.why
    assert asked.spots == before.spots
    long.number(never, quiet)
    items = items_of(path)
    spots = walk(long, "begin", "newer", lambda shown: None)
    assert [(spot.item.n, spot.item.step.n if spot.item.step else 0) for spot in spots] == [
        (item.n, item.step.n if item.step else 0) for item in items
    ]
    for number in (1, 100, len(items)):
        shown = long.ask(Ask("item", number), never)
        assert shown.cursor in {spot.key for spot in shown.spots}
        assert next(spot.item.n for spot in shown.spots if spot.key == shown.cursor) == number
    shown = long.ask(Ask("step", 40), never)
    step = next(spot.item.step for spot in shown.spots if spot.key == shown.cursor)
    assert step is not None
    assert (step.n, step.summary) == (40, "pytest -q part39")
    assert long.ask(Ask("item", 10_000), never).why


def test_a_stopped_numbering_leaves_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(long_history, "_STEP", 1_000)
    long = LongHistory(READER, found(talk().write(tmp_path)))
    heard: list[tuple[int, int]] = []
    long.number(lambda: len(heard) >= 2, lambda done, of: heard.append((done, of)))
    assert len(heard) == 2
    assert 0 < heard[0][0] < heard[1][0] < heard[1][1] == long.size
    assert not long.is_numbered


def test_lines_have_their_numbers_once_they_were_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("refloat.readers.tape.BLOCK", 1_000)
    path = talk().write(tmp_path)
    long = LongHistory(READER, found(path))
    assert {spot.line for spot in long.ask(Ask("end"), never).spots} == {None}
    long.count(never, quiet)
    lines = path.read_bytes().splitlines(keepends=True)
    for spot in walk(long, "begin", "newer", lambda shown: None):
        assert spot.line is not None
        assert spot.position == sum(map(len, lines[: spot.line - 1]))
    shown = long.ask(Ask("line", 101), never)
    at = next(spot for spot in shown.spots if spot.key == shown.cursor)
    assert at.line is not None
    assert at.line >= 101
    assert at.position - sum(map(len, lines[:100])) < 1_000


def test_a_tape_finds_each_line_by_its_number_over_the_ends_of_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("refloat.readers.tape.BLOCK", 7)
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(b"skipped\na\n\nbcd\nleft out")
    two.write_bytes(b"efghijklmnopqrstuvw\nx\nyz")
    tape = Tape((segment(one, 8, 15), segment(two)))
    assert list(tape.count(never)) == [7, 14, 21, 28]
    whole = b"a\n\nbcd\nefghijklmnopqrstuvw\nx\nyz"
    assert tape.size == len(whole)
    starts = [0, 2, 3, 7, 27, 29]
    assert [tape.find_line(number) for number in range(1, 7)] == starts
    assert [tape.line_at(position) for position in starts] == [1, 2, 3, 4, 5, 6]
    assert [tape.line_start(position) for position in (0, 1, 2, 4, 20, 27, 30)] == [0, 0, 2, 3, 7, 27, 29]
    assert tape.find_line(99) == 29


def test_an_enormous_line_is_told_and_not_decoded(tmp_path: Path):
    made = talk(4)
    path = made.write(tmp_path)
    image = {"type": "user", "message": {"content": "x" * 2_500_000}}
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*rows[:8], json.dumps(image).encode() + b"\n", *rows[8:]]))
    spots = walk(LongHistory(READER, found(path)), "begin", "newer", lambda shown: None)
    [marker] = [spot.item.marker for spot in spots if spot.item.marker]
    assert marker.kind == windows.NOT_SHOWN
    assert "2,500,0" in marker.text
    assert [spot.item.text for spot in spots if spot.item.type == "prompt"] == [f"Do part {n}" for n in range(4)]


def test_an_enormous_last_line_that_never_ended_is_told(tmp_path: Path):
    path = talk(4).write(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"' + b"x" * 2_500_000)
    shown = LongHistory(READER, found(path)).ask(Ask("end"), never)
    assert shown.end == shown.size
    assert shown.spots[-1].item.type == "marker"


def test_a_result_that_is_far_behind_leaves_its_step_unsettled_not_dangling_for_sure(tmp_path: Path):
    made = ClaudeTalk()
    made.prompt("Look")
    made.call("Bash", "far", command="make all")
    for n in range(200):
        made.say(f"Still at it, {n} " + "and on " * 20, None)
    made.result("far", "built")
    path = made.write(tmp_path)
    long = LongHistory(READER, found(path))
    step = next(spot for spot in long.ask(Ask("begin"), never).spots if spot.item.step)
    assert step.item.step is not None
    assert (step.item.step.outcome, step.settled) == (Outcome.DANGLING, False)


def test_the_crash_is_found_from_the_end_and_after_numbering(tmp_path: Path):
    made = talk()
    made.prompt("Push it")
    made.call("Bash", "push", command="git push origin main")
    made.say("x" * 9_000, None)
    long = LongHistory(READER, found(made.write(tmp_path)))
    for _ in range(2):
        shown = long.ask(Ask("crash"), never)
        spot = next(spot for spot in shown.spots if spot.item.step and spot.item.step.summary == "git push origin main")
        assert shown.cursor == spot.key
        assert spot.settled
        long.number(never, quiet)


def test_the_next_one_that_is_wanted_and_the_one_before(tmp_path: Path):
    long = LongHistory(READER, found(talk().write(tmp_path)))

    def failed(item: Item) -> bool:
        return item.step is not None and item.step.outcome is Outcome.ERROR

    shown = long.ask(Ask("begin"), never)
    seen: list[str] = []
    position = shown.begin
    for _ in range(7):
        shown = long.ask(Ask("next", position, shown, wanted=failed), never)
        if shown.why:
            break
        spot = next(spot for spot in shown.spots if spot.key == shown.cursor)
        assert spot.item.step is not None
        seen.append(spot.item.step.summary)
        position = spot.position
    assert seen == [f"pytest -q part{n}" for n in range(9, TURNS, 10)]
    back = long.ask(Ask("before", position, shown, wanted=failed), never)
    spot = next(spot for spot in back.spots if spot.key == back.cursor)
    assert spot.item.step is not None
    assert spot.item.step.summary == "pytest -q part49"


def test_a_filter_goes_on_until_enough_fits(tmp_path: Path):
    long = LongHistory(READER, found(talk().write(tmp_path)))
    shown = long.ask(Ask("end", fits=lambda item: item.type == "prompt"), never)
    assert len(shown.spots) >= 6
    assert {spot.item.type for spot in shown.spots} == {"prompt"}
    older = long.ask(Ask("older", shown=shown, fits=lambda item: item.type == "prompt"), never)
    assert len(older.spots) >= 2 * len(shown.spots) - 1


def test_what_grows_is_followed(tmp_path: Path):
    made = talk(20)
    path = made.write(tmp_path)
    long = LongHistory(READER, found(path))
    shown = long.ask(Ask("end"), never)
    last = shown.spots[-1]
    for turn in range(30):
        made.prompt(f"And {turn}")
    whole = made.write(tmp_path).read_bytes()
    path.write_bytes(whole[:-10])
    shown = long.ask(Ask("again", shown=shown), never)
    assert shown.end == shown.size == len(whole) - 10
    assert shown.spots[-1].item.text == "And 28"
    with path.open("ab") as file:
        file.write(whole[-10:])
    shown = long.ask(Ask("newer", shown=shown), never)
    assert shown.spots[-1].item.text == "And 29"
    assert len({spot.key for spot in shown.spots}) == len(shown.spots)
    assert last.position < shown.spots[-1].position


@pytest.mark.parametrize("replaced", [False, True])
def test_what_is_cut_or_replaced_is_begun_anew(tmp_path: Path, replaced: bool):
    path = talk(20).write(tmp_path)
    long = LongHistory(READER, found(path))
    long.count(never, quiet)
    long.number(never, quiet)
    shown = long.ask(Ask("end"), never)
    small = talk(2).write(tmp_path, "other")
    if replaced:
        small.replace(path)
    else:
        path.write_bytes(small.read_bytes())
    after = long.ask(Ask("older", shown=shown), never)
    assert (after.numbered, after.begin) == (False, 0)
    assert [spot.item.text for spot in after.spots if spot.item.type == "prompt"] == ["Do part 0", "Do part 1"]
    path.unlink()
    assert long.ask(Ask("again", shown=after), never).spots == ()


def test_every_window_that_leaves_is_masked_and_no_other(tmp_path: Path):
    masked: list[Window] = []

    def mask(window: Window) -> Window:
        masked.append(window)
        spots = (replace(spot, item=replace(spot.item, text="masked")) for spot in window.spots)
        return replace(window, spots=tuple(spots))

    long = LongHistory(READER, found(talk().write(tmp_path)), mask)
    shown = long.ask(Ask("end"), never)
    middle = shown.size // 2
    asks = [Ask("begin"), Ask("position", middle), Ask("crash"), Ask("line", 40), Ask("item", 2)]
    asks += [Ask("next", 0, wanted=lambda item: item.text == "Do part 30"), Ask("before", shown.size)]
    for ask in asks:
        for following in ("again", "older", "newer"):
            stretch = long.ask(replace(ask, shown=shown), never)
            shown = long.ask(Ask(following, shown=stretch), never)
            texts = {spot.item.text for each in (stretch, shown) for spot in each.spots}
            assert texts == {"masked"}
    masked.clear()
    long.ask(Ask("next", 0, wanted=lambda item: False), never)
    assert len(masked) <= 2  # what is searched through is not shown
