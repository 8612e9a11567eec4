"""What is asked before something is done, and that nothing is done before a yes."""

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.conftest import UTF8, FakeLibrary, make_app, some_sessions
from tests.tui.operated import FakeOperations, refused
from tests.tui.test_desk import settle, words_of
from tests.tui.waiting import until
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from refloat.errors import NotDone
from refloat.model.attempts import InChain
from refloat.model.repair import REPAIRED_AGENTS
from refloat.model.session import FailureKind, SessionName, State
from refloat.repair.registry import BUILTIN
from refloat.usecases.find_sessions import Batch
from refloat_tui.actions import find_actions, load_action
from refloat_tui.app import RefloatApp
from refloat_tui.library import Stop
from refloat_tui.operations import Offer
from refloat_tui.present.next_keys import _BY_OPERATION, next_actions
from refloat_tui.screens.desk import DeskScreen, Doors
from refloat_tui.screens.operation import MOVED, NO_SUSPEND, OperationScreen
from refloat_tui.screens.peek import PeekScreen
from refloat_tui.widgets.head import Head

WIDE, SMALL = (120, 40), (80, 24)
CHILD = SessionName("codex:next")


class Suspendable(RefloatApp):
    """A test has no terminal to hand over; what would be run in it is noted by the operations."""

    @contextmanager
    def suspend(self) -> Generator[None]:
        yield


def app_with(operations: FakeOperations, library: FakeLibrary | None = None) -> RefloatApp:
    made = make_app(library or FakeLibrary(some_sessions()), Doors(operations=operations), UTF8)
    made.__class__ = Suspendable
    return made


async def ask(pilot: Pilot[str], key: str) -> OperationScreen:
    """Open a question and wait until it stands there."""
    await settle(pilot)
    await pilot.press(key)
    screen = pilot.app.screen
    assert isinstance(screen, OperationScreen)
    await until(pilot, lambda: screen.phase == "asking")
    return screen


def told(pilot: Pilot[str]) -> str:
    return " ".join(note.message for note in pilot.app._notifications)  # pyright: ignore[reportPrivateUsage] - what is shown


async def test_a_new_session_is_asked_for_with_the_brief_that_next_names():
    operations = FakeOperations()
    async with app_with(operations).run_test(size=SMALL) as pilot:
        await settle(pilot)
        head = pilot.app.screen.query_one(Head)
        status = head._status  # pyright: ignore[reportPrivateUsage] - as it was read
        assert status is not None
        command = ("refloat", "new", "--parent", status.session.name, "--brief", "/src/HANDOFF.md")
        head.learn(replace(status, next=replace(status.next, operation="new_linked", command=command)))
        await pilot.press("plus")
        await until(pilot, lambda: operations.asked)
        assert operations.asked[-1].brief == Path("/src/HANDOFF.md"), "not another one that is written beside it"


@pytest.mark.parametrize(
    ("key", "operation", "how"),
    [
        ("c", "continue", "terminal"),
        ("plus", "new", "terminal"),
        ("a", "attach", "terminal"),
        ("s", "stop", "stop"),
        ("M", "repair", "repair"),
    ],
)
async def test_every_key_asks_first_and_only_a_yes_does_it(key: str, operation: str, how: str):
    operations = FakeOperations()
    async with app_with(operations).run_test(size=SMALL) as pilot:
        screen = await ask(pilot, key)
        offer = screen.offer
        assert offer is not None
        words = words_of(pilot.app)
        assert offer.commands[0] in words
        assert "nobody else holds it" in words
        assert "WILL NOT" in words
        await pilot.press("y")
        assert pilot.app.clipboard == offer.copied
        assert operations.done == []
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, DeskScreen))
        assert operations.done == []
        screen = await ask(pilot, key)
        looks = len(operations.asked)
        await pilot.press("enter")
        await until(pilot, lambda: operations.done)
        assert operations.done[0][0] == how
        assert operations.done[0][1].operation == operation
        assert len(operations.asked) == looks + 1


async def test_what_moved_between_the_look_and_the_yes_is_told_and_nothing_done():
    operations = FakeOperations()
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "c")
        operations.changes = refused("process 77 owns it and runs", instead="attach", rests_on=("owner_is_running",))
        await pilot.press("enter")
        await until(pilot, lambda: screen.phase == "asking" and MOVED in words_of(pilot.app))
        assert "process 77 owns it and runs" in words_of(pilot.app)
        assert operations.done == []
        await pilot.press("enter")
        await pilot.pause()
        assert operations.done == []
        assert "It is refused: process 77 owns it and runs." in told(pilot)
        footer = words_of(pilot.app).splitlines()[-1]
        assert "yes" not in footer
        assert "esc close" in footer
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, DeskScreen))
        assert told(pilot) == ""


async def test_next_says_of_a_live_one_that_nothing_leads_there():
    operations = FakeOperations(refused("it lives without a terminal, a child of process 8"))
    library = FakeLibrary(some_sessions())
    live = next(name for name, session in library.all.items() if session.state is State.LIVE)
    async with app_with(operations, library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        desk.show_session(live)
        await until(pilot, lambda: "nothing leads there from here" in words_of(pilot.app))
        said = "".join(text for text, _ in desk.query_one(Head)._shown["next"])
        assert "it lives without a terminal, a child of process 8" in said
        assert said.endswith("Do not start a second one on it.")
        assert "Go to where it runs" not in words_of(pilot.app)
        assert "e evidence  s stop" in words_of(pilot.app)
        operations.changes = lambda offer: offer
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Go to where it runs" in words_of(pilot.app))


async def test_a_refusal_leads_to_what_is_possible_instead():
    operations = FakeOperations(refused("process 4711 owns it", instead="attach"))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "c")
        assert "o go to where it runs" in words_of(pilot.app)
        operations.changes = lambda offer: offer
        await pilot.press("o")
        await until(
            pilot, lambda: screen.phase == "asking" and screen.offer and screen.offer.asked.operation == "attach"
        )
        await pilot.press("enter")
        await until(pilot, lambda: operations.done)
        assert operations.done[0][1].operation == "attach"


async def test_force_wants_a_reason_which_is_handed_on():
    def judge(offer: Offer) -> Offer:
        return offer if offer.asked.force else replace(offer, refused=True, guard="eve@lab holds it", force_helps=True)

    operations = FakeOperations(judge)
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "plus")
        await pilot.press("f", "enter")
        assert screen.offer is not None
        assert screen.offer.refused
        await pilot.press("f", *"Eve left", "enter")
        await until(pilot, lambda: screen.phase == "asking" and screen.offer and not screen.offer.refused)
        assert "Eve left" in words_of(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: operations.done)
        assert operations.done[0][1].force == "Eve left"


async def test_no_force_where_the_guard_allows_none():
    operations = FakeOperations(refused("the workspace is not there any more"))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        await ask(pilot, "c")
        await pilot.press("f")
        assert not pilot.app.screen.query_one(TextArea).has_focus
        assert "overrule" not in words_of(pilot.app)


async def test_another_agent_and_a_prompt():
    operations = FakeOperations()
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "plus")
        await pilot.press("a")
        await until(pilot, lambda: screen.phase == "asking" and operations.asked[-1].agent == "codex")
        await pilot.press("e", *"Quit q", "enter")
        await until(pilot, lambda: screen.phase == "asking" and operations.asked[-1].prompt == "Quit q")
        assert "(•) codex" in words_of(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: operations.done)
        assert (operations.done[0][1].agent, operations.done[0][1].prompt) == ("codex", "Quit q")


async def test_in_tmux_a_window_is_the_default_and_this_terminal_a_key_away():
    operations = FakeOperations(lambda offer: replace(offer, window=True))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        await ask(pilot, "c")
        assert "(•) a new tmux window" in words_of(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: "tmux window work:3" in told(pilot))
        await ask(pilot, "c")
        await pilot.press("w", "enter")
        await until(pilot, lambda: len(operations.done) == 2)
        assert [how for how, _ in operations.done] == ["window", "terminal"]
        await until(pilot, lambda: "claude ended after" in told(pilot))


async def test_a_terminal_that_cannot_be_handed_over_shows_the_command():
    operations = FakeOperations()
    app = make_app(FakeLibrary(some_sessions()), Doors(operations=operations), UTF8)
    async with app.run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "c")
        await pilot.press("enter")
        await until(pilot, lambda: NO_SUSPEND in words_of(app))
        assert screen.phase == "asking"
        assert operations.done == []


async def test_what_fails_is_told_on_the_desk():
    operations = FakeOperations(fault=NotDone("eve@lab took it a moment ago"))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        await ask(pilot, "c")
        await pilot.press("enter")
        await until(pilot, lambda: "eve@lab took it a moment ago" in told(pilot))
        assert isinstance(pilot.app.screen, DeskScreen)


async def test_a_stop_shows_its_steps_and_stays_to_be_read():
    operations = FakeOperations()
    library = FakeLibrary(some_sessions())
    async with app_with(operations, library).run_test(size=SMALL) as pilot:
        screen = await ask(pilot, "s")
        assert "npm run dev" in words_of(pilot.app)
        await pilot.press("enter")
        await until(pilot, lambda: screen.phase == "done")
        words = words_of(pilot.app)
        for seen in ("SIGINT to 4711", "STOPPED", "process 4800 (vite)", "its register was left behind"):
            assert seen in words, seen
        footer = words.splitlines()[-1]
        assert "yes" not in footer
        assert "esc close" in footer
        looks = library.looks
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, DeskScreen) and library.looks > looks)


async def test_a_stop_can_be_ended_between_its_signals():
    gate = threading.Event()
    operations = FakeOperations(between=lambda: gate.wait(60))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "s")
        await pilot.press("enter")
        await until(pilot, lambda: screen.phase == "running" and operations.done)  # the question says SIGINT too
        await pilot.press("escape")
        assert "Stopping before the next signal." in words_of(pilot.app)
        gate.set()
        await until(pilot, lambda: screen.phase == "done")
        assert "NOT VERIFIED" in words_of(pilot.app)
        assert "process 4711 (claude): it owns the session" in words_of(pilot.app)


async def test_an_unproved_process_is_named_by_a_key():
    operations = FakeOperations(lambda offer: replace(offer, pids=(41, 42)))
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "s")
        for pid in (41, 42, None):
            await pilot.press("p")
            await until(pilot, lambda pid=pid: screen.phase == "asking" and operations.asked[-1].pid == pid)


async def test_an_installed_copy_is_stood_on_afterwards():
    library = FakeLibrary(some_sessions())
    other = list(library.all)[5]  # of another place: the list shows it then
    operations = FakeOperations(copy=other)
    async with app_with(operations, library).run_test(size=WIDE) as pilot:
        await ask(pilot, "M")
        await pilot.press("enter")
        desk = pilot.app.screen_stack[1]
        assert isinstance(desk, DeskScreen)
        await until(pilot, lambda: desk._chosen == other)


async def test_a_copy_can_go_to_a_file():
    operations = FakeOperations()
    async with app_with(operations).run_test(size=WIDE) as pilot:
        screen = await ask(pilot, "M")
        await pilot.press("w")
        await until(pilot, lambda: screen.phase == "asking" and operations.asked[-1].out)
        await pilot.press("e", "end", *["backspace"] * 80, *"c.jsonl", "enter")
        await until(pilot, lambda: screen.phase == "asking" and operations.asked[-1].out == "c.jsonl")


async def test_a_peek_is_inert_text_and_looks_again():
    operations = FakeOperations()
    async with app_with(operations).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "Rebuild" in words_of(pilot.app) and isinstance(pilot.app.screen, PeekScreen))
        assert r"\x1b[31mRebuild\x07 the invoices" in words_of(pilot.app)
        assert "process 4711" in words_of(pilot.app)
        operations.screen = None
        await pilot.press("r")
        await until(pilot, lambda: "its terminal is gone" in words_of(pilot.app))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, OperationScreen))


class Chained(FakeLibrary):
    """A library whose first two sessions are attempts at one piece of work."""

    def _chain(self, batch: Batch) -> Batch:
        one, _, _, two, *_ = self.all
        chains = {
            one: InChain(1, 2, None, two, two, None, two),
            two: InChain(2, 2, one, None, two, one, None),
        }
        return replace(batch, chains=chains) if batch.complete else batch

    def find_sessions(self, stop: Stop) -> Iterator[Batch]:
        return (self._chain(batch) for batch in super().find_sessions(stop))

    def look_again(self, stop: Stop, changed: frozenset[str] | None = None) -> Iterator[Batch]:
        return (self._chain(batch) for batch in super().look_again(stop, changed))


async def test_attempts_are_numbered_and_a_key_apart():
    library = Chained(some_sessions())
    one, _, _, two, *_ = library.all
    app = app_with(FakeOperations(), library)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = app.screen
        assert isinstance(desk, DeskScreen)
        desk._list.go_to(one)
        await until(pilot, lambda: "attempt 1 of 2" in words_of(app))
        words = words_of(app)
        assert "1/2" in words
        assert "2/2" in words
        assert words.index("Split the CSV") < words.index("Round prices half to even", words.index("SHOP"))
        await pilot.press("]")
        await until(pilot, lambda: desk._chosen == two and "attempt 2 of 2" in words_of(app))
        await pilot.press("[")
        await until(pilot, lambda: desk._chosen == one)


def test_what_next_names_is_in_the_table_of_the_desk():
    named = {action for row in _BY_OPERATION.values() for action in row} | {"desk.repair", "desk.newer", "desk.copy"}
    assert named <= {action.id for action in find_actions("desk")}


async def test_next_names_the_keys_that_a_person_bound(tmp_path: Path):
    (tmp_path / "keys.toml").write_text('"desk.recover" = "f5"\n"desk.new" = "f6"\n"desk.evidence" = "f7"\n')
    library = FakeLibrary(some_sessions())
    own = {"desk.recover": "f5", "desk.new": "f6", "desk.evidence": "f7", "desk.stop": "s", "desk.copy": "y"}
    async with make_app(library, config=tmp_path).run_test(size=(120, 40)) as pilot:
        said = pilot.app.screen.query_one("#keys", Static)
        await until(pilot, lambda: " copy" in str(said.content))
        actions = (*next_actions(library.open(library.opened[0]).status), "desk.copy")
        assert {"desk.recover", "desk.evidence"} & {*actions}
        words = str(said.content)
        assert words.startswith("  ".join(f"{own[each]} {load_action(each).word}" for each in actions))


def test_agents_that_can_be_repaired_are_those_with_a_repairer():
    assert {repairer.agent for repairer in BUILTIN} == REPAIRED_AGENTS


def test_next_names_the_repair_of_a_damaged_transcript_and_the_attempt_that_runs():
    library = FakeLibrary(some_sessions())
    failed = next(name for name, session in library.all.items() if session.state is State.FAILED)
    status = library.open(failed).status
    session = status.session
    assert session.failure is not None
    damaged = replace(session, failure=replace(session.failure, kind=FailureKind.TRANSCRIPT_DAMAGED))
    assert next_actions(replace(status, session=damaged))[0] == "desk.repair"
    elsewhere = replace(status.next, operation="attach", command=("refloat", "attach", CHILD))
    assert next_actions(replace(status, next=elsewhere)) == ("desk.newer",)


async def test_on_a_small_screen_a_question_is_whole_a_refusal_stands_first_and_more_below_is_told():
    title = "Send mails through smtp, with the invoices of last month, for books."
    long = f"Write the lost work of \u201c{title}\u201d into a patch?"
    wide = ("refloat salvage claude-code:5d --out /home/ana/" + "long/" * 60,)
    operations = FakeOperations(lambda offer: replace(offer, question=long, commands=wide))
    async with app_with(operations).run_test(size=(60, 20)) as pilot:
        await ask(pilot, "Y")
        await until(pilot, lambda: "\u2191\u2193 move" in words_of(pilot.app))
        assert "into a patch?" in " ".join(words_of(pilot.app).split())
    refuses = refused("it stands there already", question=long, commands=wide)
    async with app_with(FakeOperations(refuses)).run_test(size=(60, 20)) as pilot:
        await ask(pilot, "Y")
        words = words_of(pilot.app)
        assert words.index("REFUSED") < words.index("COMMAND")
