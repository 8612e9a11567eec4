"""What is taken back, and what only looks as if it were."""

import json

from hypothesis import given
from hypothesis import strategies as st

from refloat.model.transcript import Item, TakenBack
from refloat.readers.claude_code.tree import Tree, key_of, keys_of
from refloat.testing.claude_talk import ClaudeTalk, events_of, story_of


def taken(talk: ClaudeTalk) -> list[int]:
    return [event.turns for event in events_of(talk) if isinstance(event, TakenBack)]


def superseded(talk: ClaudeTalk) -> list[str]:
    def name(item: Item) -> str:
        return item.step.id if item.step else item.text or ""

    return [name(item) for item in story_of(talk).items if item.superseded]


def test_a_rewind_to_before_the_first_prompt():
    talk = ClaudeTalk()
    talk.prompt("one")
    talk.say("did one")
    talk.metadata("last-prompt", lastPrompt="", leafUuid=None, rewound=True)
    talk.prompt("instead", parentUuid=None)
    talk.metadata("last-prompt", lastPrompt="", leafUuid=None, rewound=True)
    talk.say("did that")
    assert taken(talk) == [1]
    assert superseded(talk) == ["one", "did one"]
    assert story_of(talk).summary.prompts == 1


def test_a_prompt_on_an_earlier_row_leaves_the_later_ones_behind():
    talk = ClaudeTalk()
    talk.prompt("one")
    first = talk.say("did one")
    talk.prompt("two")
    talk.call("Edit", "t2", file_path="/a", old_string="x", new_string="y")
    talk.result("t2", "ok")
    talk.say("did two")
    talk.prompt("three")
    talk.say("did three")
    talk.prompt("instead", parentUuid=first)
    talk.say("did that")
    assert taken(talk) == [2]
    assert superseded(talk) == ["two", "t2", "did two", "three", "did three"]
    summary = story_of(talk).summary
    assert (summary.prompts, summary.ending.turn) == (2, "completed")


def test_an_unanswered_prompt_that_was_edited():
    talk = ClaudeTalk()
    talk.prompt("one")
    first = talk.say("did one")
    talk.prompt("twwo")
    talk.prompt("two", parentUuid=first)
    assert superseded(talk) == ["twwo"]


def test_the_very_first_prompt_put_anew():
    talk = ClaudeTalk()
    talk.prompt("onne")
    talk.prompt("one", parentUuid=None)
    talk.say("did one")
    talk.prompt("another root", parentUuid=None)
    assert superseded(talk) == ["onne"]


def test_the_first_prompt_edited_hangs_on_what_stands_before_it():
    talk = ClaudeTalk()
    root = talk.attach("environment", snapshot={})
    talk.prompt("one")
    talk.say("did one")
    talk.user("meta", isMeta=True, parentUuid=root)
    talk.prompt("uno")
    assert superseded(talk) == ["one", "did one"]


def test_a_prompt_queued_in_an_abandoned_turn_goes_with_it():
    talk = ClaudeTalk()
    talk.prompt("one")
    first = talk.say("did one")
    talk.prompt("two")
    talk.attach("queued_command", prompt="also", commandMode="prompt")
    talk.say("did both")
    talk.prompt("three", parentUuid=first)
    assert superseded(talk) == ["two", "also", "did both"]
    assert story_of(talk).summary.prompts == 2


def test_parallel_results_branch_the_tree_all_the_time():
    talk = ClaudeTalk()
    talk.prompt("one")
    a = talk.call("Bash", "t1", "m", command="a")
    b = talk.call("Bash", "t2", "m", command="b")
    talk.result("t2", "b", parentUuid=b)
    last = talk.result("t1", "a", parentUuid=a)
    talk.say("done", parentUuid=last)
    talk.prompt("two")
    assert taken(talk) == []


def test_a_queued_prompt_that_nothing_hangs_on():
    talk = ClaudeTalk()
    talk.prompt("one")
    last = talk.ran("ls") and talk.parent
    talk.attach("queued_command", prompt="also", commandMode="prompt")
    talk.say("done", parentUuid=last)
    talk.prompt("two")
    assert taken(talk) == []


def test_missing_parents_cycles_and_several_roots_are_no_rewind():
    talk = ClaudeTalk()
    talk.prompt("one")
    talk.say("did one")
    talk.prompt("two", parentUuid="00000000-0000-4000-8000-00000000dead")
    talk.prompt("three", parentUuid=None)
    talk.prompt("four", parentUuid=17)
    talk.prompt("five", parentUuid="00000000-0000-4000-8000-000000000006")
    talk.prompt("six")
    assert taken(talk) == []


def test_nothing_reaches_back_over_a_compaction():
    talk = ClaudeTalk()
    first = talk.prompt("one")
    talk.prompt("two")
    talk.system("compact_boundary", parentUuid=None, logicalParentUuid=first)
    talk.user("summary", isCompactSummary=True)
    talk.prompt("three")
    talk.prompt("four", parentUuid=first)
    assert taken(talk) == []


def test_the_newest_builds_name_a_rewind():
    talk = ClaudeTalk()
    talk.prompt("one")
    first = talk.say("did one")
    second = talk.prompt("two")
    talk.say("did two")
    for _ in range(2):
        talk.metadata("last-prompt", lastPrompt="one", leafUuid=first, rewound=True, cutUuid=second)
    assert taken(talk) == [1]
    assert story_of(talk).summary.ending.turn == "completed"
    talk.prompt("instead", parentUuid=first)
    talk.metadata("last-prompt", lastPrompt="instead", leafUuid=first, rewound=True, cutUuid=second)
    assert taken(talk) == [1]
    assert superseded(talk) == ["two", "did two"]


def test_retracted_rows():
    talk = ClaudeTalk()
    talk.prompt("one")
    said = talk.say("no", None, "m")
    called = talk.call("Bash", "t1", "m", command="ls")
    kept = talk.call("Bash", "t2", "n", command="ls")
    talk.system(
        "model_refusal_fallback", originalModel="a", fallbackModel="b", retractedMessageUuids=[said, called, 17]
    )
    assert kept
    assert superseded(talk) == ["no", "t1"]
    assert story_of(talk).summary.ending.dangling == 1


@given(st.text())
def test_keys_fit_64_bits(row: str):
    assert 0 <= key_of(row) < 1 << 64


def thawed(tree: Tree) -> Tree:
    return Tree(*json.loads(json.dumps([tree.freeze(), tree.freeze_rows()])))


@given(
    st.lists(st.tuples(st.sampled_from(["add", "prompt", "queued", "compact"]), st.integers(0, 30), st.integers(0, 30)))
)
def test_frozen_trees_go_on_the_same(moves: list[tuple[str, int, int]]):
    whole, parts = Tree(), Tree()
    for kind, row, parent in moves:
        parts = thawed(parts)
        got: list[object] = []
        for tree in (whole, parts):
            name, above = f"r{row}", f"r{parent}"
            match kind:
                case "prompt":
                    got.append(tree.add_prompt(name, above, row))
                case "queued":
                    got.append(tree.add_queued(name, above, row))
                case "compact":
                    got.append(tree.compacted(name, row))
                case _:
                    got.append(tree.add(name, above, row))
            got[-1] = (got[-1], tree.prompt, tree.seen(name, row), tree.knows(above))
        assert got[0] == got[1]


def test_memory_is_bounded():
    tree = Tree()
    for n in range(40_000):
        tree.add(f"{n:032x}", None, 1)
    assert len(json.dumps(tree.freeze_rows())) < 400_000
    assert not tree.knows(f"{1:032x}")
    assert tree.knows(f"{39_000:032x}")


@given(st.lists(st.one_of(st.uuids().map(str), st.text(max_size=40), st.just("0 " * 18)), max_size=12))
def test_many_keys_at_once_are_those_of_each(rows: list[str]):
    assert list(keys_of(rows)) == [key_of(row) for row in rows]


@given(st.lists(st.uuids().map(str), min_size=1, max_size=40, unique=True))
def test_keys_of_ids_as_they_are_written(rows: list[str]):
    assert list(keys_of(rows)) == [key_of(row) for row in rows]


def test_rows_of_an_earlier_process_are_known_by_their_keys():
    tree = Tree()
    for at in range(3):
        tree.add_prompt(ids(at), ids(at - 1) if at else None, 100 + at)
    again = thawed(tree)
    assert again.seen(ids(1), 101)
    assert not again.seen(ids(1), 102)
    assert not again.take(ids(2), ids(1), 102)
    assert again.take(ids(7), ids(2), 5)
    assert (again.freeze(), again.freeze_rows()) == (thawed(again).freeze(), thawed(again).freeze_rows())
    assert again.add_prompt(ids(8), ids(0), 9) == 2


def ids(at: int) -> str:
    return f"00000000-0000-4000-8000-{at:012x}"
