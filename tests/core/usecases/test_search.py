"""What a search finds is what `history` shows: each hit holds the words, and each item that holds them is a hit."""

import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.readers.codex.conftest import T1, CodexHome

from refloat.errors import UsageError
from refloat.model.search import Asked, Found, Hit
from refloat.model.session import State
from refloat.model.stamp import Stamp, later
from refloat.readers.registry import load
from refloat.search.query import parse
from refloat.search.words import composed
from refloat.testing.claude_talk import ClaudeTalk
from refloat.testing.fakes import FakeClock, fake_machine
from refloat.usecases.answer_search import answer_at_once, answer_search
from refloat.usecases.find_sessions import Scope, list_sessions, resolve
from refloat.usecases.read_session import read_story
from refloat.usecases.searchable import searchable
from refloat.usecases.workbench import Workbench

ALL = 100_000
CLAUDE = "5f0c1d2e-0000-4000-8000-00000000000"


class Sessions:
    """A home of both agents, and what is asked of it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.bench = Workbench(fake_machine(directory), [load("claude-code"), load("codex")])
        (directory / "home").mkdir()

    @property
    def cache(self) -> Path:
        return self.bench.machine.places.cache

    def write(self, talk: ClaudeTalk) -> Path:
        folder = self.directory / "home/.claude/projects/-work"
        folder.mkdir(parents=True, exist_ok=True)
        return talk.write(folder, talk.session)

    def search(self, words: str, **more: object) -> Found:
        return answer_search(self.bench, Asked(words, **{"limit": ALL, **more}))  # type: ignore[arg-type]

    def found(self, words: str, **more: object) -> set[tuple[str, int | None]]:
        return {(hit.session.session_id, hit.item) for hit in self.search(words, **more).hits}

    def held(self, words: str, names: Iterable[str]) -> set[tuple[str, int]]:
        """The same by reading everything."""
        query = parse(words)
        found: set[tuple[str, int]] = set()
        for name in names:
            located = resolve(self.bench, name, self.directory)
            below = located.session.worktree or located.session.workspace
            for item in read_story(located.reader, located.found).items:
                if query.find(composed("\n".join(searchable(item, below)))) is not None:
                    found.add((located.session.session_id, item.n))
        return found


@pytest.fixture
def home(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


def talk(
    number: int = 1, prompt: str = "Make the importer retry three times", cwd: str = "/work/ledgerly"
) -> ClaudeTalk:
    made = ClaudeTalk(f"{CLAUDE}{number}", cwd=cwd)
    made.clock = number * 3600
    made._made = number * 1000  # rows of their own: it would be a copy
    made.prompt(prompt)
    return made


def rich(number: int = 1) -> ClaudeTalk:
    made = talk(number)
    made.say("I will look at the Importer first.", None, "msg_1")
    made.say("Then I retry it.", None, "msg_1")
    made.ran("pytest -q tests/test_importer.py", "1 failed: test_retry\nAssertionError: gave up")
    made.call("Read", "toolu_read", file_path="/work/ledgerly/src/importer.py")
    made.result("toolu_read", "def importer():\n    retry()\n")
    made.ran("git push origin main", "x" * 3000 + "\nmiddleword\n" + "y" * 3000 + "\nrejected at last")
    made.say("Déjà vu: 東京 fails, the importer retries.")
    made.ran("npm test", "\x1b[31mREDDISH\x1b[0m spec 🚀\n\x1b[1m\x1b[32mgreenish\x1b[39m")
    return made


def codex(home: Sessions) -> None:
    rollout = CodexHome(home.directory / "home").rollout(T1)
    rollout.meta(T1).prompt("Why does the importer not retry?").said("assistant", "Let me look at src/importer.py.")
    rollout.run("call_1", "rg retry src").exited("call_1", 0, "src/importer.py: retry()")
    rollout.patch("call_2", "*** Update File: src/importer.py\n@@\n-retry()\n+retry(3)")
    rollout.answer("call_2", "Success. Updated the following files:\nM src/importer.py")
    rollout.said("assistant", "The importer retries now.").end("The importer retries now.").save()


@pytest.mark.parametrize("call", ["call", "#call"])
def test_no_secret_of_an_open_call_of_codex_reaches_the_disk(home: Sessions, call: str):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    rollout = CodexHome(home.directory / "home").rollout(T1)
    rollout.meta(T1).prompt("Push it.").run(call, f"curl -H 'Authorization: token {secret}' https://x.example").save()
    assert [session.session_id for session in list_sessions(home.bench, Scope()).sessions] == [T1]
    home.found("push")
    assert not [path for path in home.cache.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


@pytest.mark.parametrize("at", ["2026-13-20T09:10:00.000Z", "2026-02-30T10:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_a_row_of_an_impossible_time_takes_no_session_away(home: Sessions, at: str):
    codex(home)
    home.write(rich())
    (path,) = (home.directory / "home").rglob("rollout-*.jsonl")
    *rows, last = path.read_text().splitlines()
    bad = json.dumps(json.loads(last) | {"timestamp": at})
    path.write_text("\n".join([*rows, bad, last, bad, ""]))
    listing = list_sessions(home.bench, Scope())
    assert {session.session_id for session in listing.sessions} == {T1, rich().session}
    assert at not in {session.last_activity_at for session in listing.sessions}
    assert {name for name, _ in home.found("retry")} == {T1, rich().session}


@pytest.mark.parametrize(
    "words",
    [
        "importer",
        "importer retry",
        "impor",
        '"importer retry"',
        '"the importer"',
        "pytest failed",
        "gave up",
        "src/importer.py",
        "rejected last",
        "git push -rejected",
        "importer -pytest -retry",
        "deja",
        "DÉJÀ",
        "東",
        "京",
        "東京",
        "retries now",
        "reddish",
        "reddish spec 🚀",
        "🚀",
        "greenish",
        "31mREDDISH",
        "nowhere",
    ],
)
def test_a_search_finds_the_items_that_hold_the_words_and_no_others(home: Sessions, words: str):
    home.write(rich(1))
    home.write(rich(2))
    codex(home)
    names = [f"claude-code:{CLAUDE}1", f"claude-code:{CLAUDE}2", f"codex:{T1}"]
    assert home.found(words) - {(name, None) for name in (f"{CLAUDE}1", f"{CLAUDE}2", T1)} == home.held(words, names)


WORDS = st.sampled_from(["alpha", "Beta", "gam_ma", "del-ta", "Épsilon", "東京", "zeta.py", "42", "alphabet"])
SAID = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
STEPS = st.lists(st.tuples(st.sampled_from(["prompt", "say", "more", "run", "read", "call", "late"]), SAID), max_size=9)
TYPED = st.lists(
    st.one_of(WORDS, SAID.map(lambda said: f'"{said}"'), WORDS.map(lambda word: f"-{word}"), st.just("alph")),
    min_size=1,
    max_size=3,
).map(" ".join)


def play(steps: list[tuple[str, str]]) -> ClaudeTalk:
    made = talk(1, "begin")
    for at, (kind, said) in enumerate(steps):
        match kind:
            case "prompt":
                made.prompt(said)
            case "say":
                made.say(said)
            case "more":  # parts of one message, others between them
                made.say(said, None, "msg_shared")
            case "run":
                made.ran(f"echo {said}", said)
            case "read":
                made.call("Read", f"toolu_r{at}", file_path=f"/work/ledgerly/{said.replace(' ', '/')}")
                made.result(f"toolu_r{at}", said)
            case "call":
                made.call("Bash", f"toolu_c{at}", command=said)
            case _:  # the answer of a call that was asked long before
                asked = [n for n, (before, _) in enumerate(steps[:at]) if before == "call"]
                if asked:
                    made.result(f"toolu_c{asked[0]}", said)
    return made


@given(STEPS, TYPED)
@settings(max_examples=60)
def test_whatever_a_session_says_each_hit_holds_the_words_and_each_item_that_does_is_one(
    steps: list[tuple[str, str]], typed: str
):
    if not parse(typed).terms:
        return
    with TemporaryDirectory() as place:
        home = Sessions(Path(place))
        home.write(play(steps))
        found = {hit for hit in home.found(typed) if hit[1] is not None}
        assert found == home.held(typed, [f"claude-code:{CLAUDE}1"])


def test_a_hit_tells_its_item_its_line_and_the_place_in_its_words(home: Sessions):
    path = home.write(rich())
    (hit,) = home.search("gave up").hits
    located = resolve(home.bench, hit.session.name, home.directory)
    item = read_story(located.reader, located.found).items[(hit.item or 0) - 1]
    assert item.n == hit.item
    assert item.step is not None
    assert item.step.line == hit.line
    assert hit.kind == "step"
    assert hit.at == item.at
    assert "pytest -q tests/test_importer.py" in path.read_text().splitlines()[(hit.line or 0) - 1]
    assert [text for text, sought in hit.excerpt if sought] == ["gave", "up"]


def test_the_middle_of_a_long_output_is_not_searched(home: Sessions):
    home.write(rich())
    assert home.found("middleword") == set()
    assert len(home.found("rejected")) == 1


def test_a_title_forgives_a_mistyped_word_and_has_no_item(home: Sessions):
    home.write(rich())
    (hit,) = home.search("improter").hits
    assert (hit.item, hit.kind) == (None, "title")
    assert [text for text, sought in hit.excerpt if sought] == ["importer"]


def test_what_grew_what_changed_and_what_went_is_told_as_it_is_now(home: Sessions):
    made = rich(1)
    path = home.write(made)
    home.write(rich(2))
    assert len({hit.session.session_id for hit in home.search("importer").hits}) == 2
    made.say("A later word: zebra.")
    home.write(made)
    assert {item for _, item in home.found("zebra")} == {item for _, item in home.held("zebra", [f"{CLAUDE}1"])}
    changed = talk(1, "Something else entirely")
    home.write(changed)
    assert home.found("zebra") == set()
    assert home.found("entirely") == {(f"{CLAUDE}1", 1)}
    path.unlink()
    assert home.found("entirely") == set()
    assert {name for name, _ in home.found("importer")} == {f"{CLAUDE}2"}


def test_filters_narrow_the_sessions(home: Sessions):
    home.write(rich(1))
    other = ClaudeTalk(f"{CLAUDE}2", cwd="/work/billing")
    other.clock = 30 * 86_400
    other._made = 9000
    other.prompt("The importer again")
    other.ran("cargo test", "importer ok")
    home.write(other)
    codex(home)

    def names(**more: object) -> set[str]:
        return {name for name, _ in home.found("importer", **more)}

    assert names() == {f"{CLAUDE}1", f"{CLAUDE}2", T1}
    assert names(agent="codex") == {T1}
    assert names(workspace="/work/billing") == {f"{CLAUDE}2"}
    assert names(state=State.STOPPED) | names(state=State.FAILED) == names()
    assert names(command="cargo test") == {f"{CLAUDE}2"}
    assert names(command="cargo tes") == set()
    assert names(file="src/importer.py") == {f"{CLAUDE}1", T1}
    assert names(file="/work/ledgerly/src/importer.py") == {f"{CLAUDE}1"}
    assert names(since=Stamp("2026-09-10T00:00:00.000Z")) == {f"{CLAUDE}2"}
    assert names(until=Stamp("2026-08-31T00:00:00.000Z")) == {f"{CLAUDE}1"}
    steps = home.search("", command="cargo test").hits
    assert [(hit.session.session_id, hit.kind) for hit in steps] == [(f"{CLAUDE}2", "step")]


def test_a_path_is_shown_once_and_from_where_its_session_works_or_from_home(home: Sessions):
    user = str(home.directory / "home")
    made = talk(1)
    for number, path in enumerate(
        ("/work/ledgerly/src/importer.py", f"{user}/notes/importer.md", "/etc/importer.conf")
    ):
        made.call("Read", f"toolu_r{number}", file_path=path)
        made.result(f"toolu_r{number}", f"text {number}")
    home.write(made)

    def told(words: str) -> list[str]:
        hits = sorted(home.search(words).hits, key=lambda hit: hit.item or 0)
        return ["".join(text for text, _ in hit.excerpt) for hit in hits if hit.kind == "step"]

    shown = ["src/importer.py text 0", "~/notes/importer.md text 1", "/etc/importer.conf text 2"]
    assert told("importer") == shown
    assert told("importer text") == shown
    assert told("ledgerly/src") == ["/work/ledgerly/src/importer.py ledgerly/src/importer.py text 0"], "what was sought"


@pytest.mark.parametrize("cache", [True, False], ids=["cache", "no cache"])
def test_what_a_sub_agent_edited_its_session_did_with_words_and_without(home: Sessions, cache: bool):
    made = talk(1)
    path = home.write(made)
    helper = ClaudeTalk(made.session, cwd="/work/ledgerly", isSidechain=True, agentId="a77")
    helper.clock, helper._made = made.clock, 90_000
    helper.prompt("Mend the loader.")
    helper.call("Edit", "toolu_s", file_path="/work/ledgerly/src/loader.py", old_string="a", new_string="b")
    helper.result("toolu_s", "The file has been updated.")
    beside = path.parent / made.session / "subagents"
    beside.mkdir(parents=True)
    helper.write(beside, "agent-a77")
    home.write(talk(2))
    if not cache:
        home.cache.parent.mkdir(parents=True, exist_ok=True)
        home.cache.write_text("no directory")
    for _ in range(2):
        assert {hit.session.session_id for hit in home.search("retry", file="loader.py").hits} == {made.session}
        (hit,) = home.search("", file="src/loader.py").hits
        assert (hit.session.session_id, hit.item, hit.kind, hit.line) == (made.session, None, "step", None)
        assert hit.excerpt == (("a sub-agent edited ", False), ("src/loader.py", True))
    assert home.search("", file="src/loader.py", since="2000-01-01T00:00:00.000Z").hits == (), "when is not known"


def test_a_file_alone_is_answered_by_what_each_step_did_the_newest_first(home: Sessions):
    made = talk(1)
    for number in range(3):
        name, path = f"toolu_e{number}", "/work/ledgerly/src/importer.py"
        made.call("Edit", name, file_path=path, old_string=f"tries = {number}", new_string=f"tries = {number + 1}")
        made.result(name, "The file has been updated.")
    made.ran("git status", "clean")
    home.write(made)
    hits = home.search("", file="src/importer.py").hits
    items = [hit.item or 0 for hit in hits]
    assert len(items) == 3
    assert items == sorted(items, reverse=True)
    told = ["".join(text for text, _ in hit.excerpt) for hit in hits]
    assert all(text.count("importer.py") == 1 for text in told), "its path stands there once"
    assert "Edit src/importer.py: ok" in told[0]
    assert "+tries = 3" in told[0]
    assert "+tries = 1" in told[2]
    assert any(sought and "importer" in text for text, sought in hits[0].excerpt)


def test_nothing_to_look_for_is_said(home: Sessions):
    for words in ("", "...", "-importer", '""'):
        with pytest.raises(UsageError, match="name at least one word"):
            home.search(words)
    for more in ({"file": ""}, {"command": '"'}, {"file": "..."}):
        with pytest.raises(UsageError, match="nothing is called so"):
            home.search("importer", **more)
    with pytest.raises(UsageError) as told:
        home.search("-" * 5000)
    assert len(str(told.value)) < 200


def test_the_best_come_first_and_hits_of_a_session_stand_together(home: Sessions):
    home.write(rich(1))
    home.write(rich(2))
    hits = home.search("importer").hits
    names = [hit.session.session_id for hit in hits]
    assert names == sorted(names, key=names.index)
    best: dict[str, Hit] = {}
    for hit in hits:
        first = best.setdefault(hit.session.session_id, hit)
        assert hit.score <= first.score
    assert [best[name].score for name in dict.fromkeys(names)] == sorted((h.score for h in best.values()), reverse=True)


def test_what_is_best_does_not_depend_on_how_many_are_wanted(home: Sessions):
    for number in range(1, 8):
        made = rich(number)
        for again in range(number * 3):
            made.say(f"The importer, once more, {'again ' * again}")
        home.write(made)
    home.write(talk(8, "A plan that names the importre"))
    every = [(hit.session.name, hit.item) for hit in home.search("importer", limit=60).hits]
    sessions = list(dict.fromkeys(name for name, _ in every))
    before: set[tuple[str, int | None]] = set()
    for limit in range(1, 60, 3):
        found = [(hit.session.name, hit.item) for hit in home.search("importer", limit=limit).hits]
        assert found[0] == every[0]
        assert before <= set(found) <= set(every)
        assert list(dict.fromkeys(name for name, _ in found)) == sessions[: len({name for name, _ in found})]
        before = set(found)


def test_all_that_is_found_is_shown_where_no_more_is_wanted_than_there_is(home: Sessions):
    home.write(rich(1))
    made = talk(2, "Something else")
    for number in range(9):
        made.say(f"retrying, {number}")
    home.write(made)
    every = home.search("retrying")
    assert len(every.hits) == 9
    for limit in (9, 10, 20):
        found = home.search("retrying", limit=limit)
        assert (found.hits, found.more) == (every.hits, False)
    found = home.search("retrying", limit=8)
    assert (len(found.hits), found.more) == (8, True)
    steps = home.search("", file="src/importer.py", limit=1)
    assert (len(steps.hits), steps.more) == (1, False)


@pytest.mark.parametrize("seconds", [1, 86_399, 900 * 86_400])
def test_equal_searches_of_the_same_sessions_are_answered_alike_whenever_they_are_made(home: Sessions, seconds: int):
    for number in range(1, 6):
        home.write(talk(number, f"Make the importer {'retry ' * number}"))
    assert isinstance(home.bench.machine.clock, FakeClock)
    answers: list[list[tuple[str, int | None, float]]] = []
    for wait in (0, seconds):
        home.bench.machine.clock.moment = later(home.bench.machine.clock.moment, wait)
        answers.append([(hit.session.session_id, hit.item, hit.score) for hit in home.search("retry").hits])
    assert len(answers[0]) == 5
    assert answers[0] == answers[1]


def test_a_session_of_a_clock_that_was_ahead_makes_no_other_old(home: Sessions):
    for number in (1, 2):
        made = talk(number, "Make the importer retry")
        made.clock += (2 - number) * 40 * 86_400
        home.write(made)
    before = [(hit.session.session_id, hit.score) for hit in home.search("retry").hits]
    ahead = talk(3, "Another thing")
    ahead.clock += 5000 * 86_400
    home.write(ahead)
    assert [(hit.session.session_id, hit.score) for hit in home.search("retry").hits] == before


@pytest.mark.parametrize("words", ["importer", "w7", "w250", "imprter", "w7 importer -w9"])
def test_what_the_last_look_told_answers_as_a_new_look_does(home: Sessions, words: str):
    home.write(rich(1))
    home.write(talk(2, " ".join(f"w{n}" for n in range(300))))  # a list shows the beginning of such a title
    home.write(talk(3, "(1/2) w7\nimporter"))
    looked = home.search(words, limit=7)
    at_once = answer_at_once(home.bench, Asked(words, limit=7))
    assert at_once is not None
    assert [(hit.session.name, hit.item, hit.excerpt, hit.score) for hit in at_once.hits] == [
        (hit.session.name, hit.item, hit.excerpt, hit.score) for hit in looked.hits
    ]
    assert looked.hits


@pytest.mark.parametrize("limit", [1, 20, 60])
def test_of_many_titles_that_are_alike_the_newest_come_first(home: Sessions, limit: int):
    for number in range(100, 190):
        made = ClaudeTalk(f"5f0c1d2e-0000-4000-8000-000000000{number}", cwd="/work/ledgerly")
        made.clock = number * 86_400
        made._made = number * 1000
        made.prompt("Mend the retry")
        home.write(made)
    found = home.search("retry", limit=limit)
    numbers = [int(hit.session.session_id[-3:]) for hit in found.hits]
    assert numbers == list(range(189, 189 - limit, -1))
    assert found.more
