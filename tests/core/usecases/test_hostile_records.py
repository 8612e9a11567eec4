"""Names of files and recorded directories are other people's text: no command line and no path is made of them."""

from typing import Any

import pytest

from refloat.errors import UsageError
from refloat.model.saving import Runner
from refloat.testing.fakes import process
from refloat.usecases.act import Refused, Wish, act, actor_of, look
from refloat.usecases.find_sessions import Scope, list_sessions, resolve
from refloat.usecases.put_brief import usual_path
from refloat.usecases.show_status import find_next
from refloat.usecases.start_agent import Order, plan_start

ID = "5f0c1d2e-0000-4000-8000-000000000001"
NAMES = ["--dangerously-skip-permissions", "-x", "a b", "$(id)", "`id`", "\x1b[31m", "not-a-uuid"]
PLACES = [".", "sub", "ws/../sub", "a\0b", "/a\0b", "~", "C:\\work"]


@pytest.fixture
def ada(home: Any) -> Any:
    return actor_of(home.bench.machine, Runner("testhost", 10, "a"), lambda one: True)


def only(home: Any) -> Any:
    (session,) = list_sessions(home.bench, Scope()).sessions
    return resolve(home.bench, session.name, home.work)


@pytest.mark.parametrize("name", NAMES)
def test_an_id_that_is_none_of_the_agents_stands_in_no_command(home: Any, ada: Any, name: str) -> None:
    home.write(name, *home.talk(name))
    found = only(home)
    with pytest.raises(Refused) as told, act(home.bench, ada, Wish("continue", "last", home.work)):
        raise AssertionError
    assert told.value.ruling.branch == "no_id_of_the_agent"
    assert not told.value.ruling.force_helps
    then = find_next(found.reader, found.session)
    assert then.operation == "new_linked"
    anew = plan_start(home.bench, ada, Order(Wish("new", "last", home.work))).command
    assert not any(name in word for word in anew[:2])
    ours = (found.session.name, *anew, *(then.command or ()))
    assert name == "not-a-uuid" or not any(name in word for word in ours), "that one is a plain word to Refloat"
    assert list_sessions(home.bench, Scope(resumable=True)).sessions == ()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("operation", ["continue", "new"])
def test_a_directory_that_is_no_absolute_path_is_never_entered(
    home: Any, ada: Any, place: str, operation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.work / "sub").mkdir()
    monkeypatch.chdir(home.work)
    home.write(ID, *home.talk(ID, cwd=place))
    wish = Wish(operation, ID, home.work)
    with pytest.raises(Refused) as told, act(home.bench, ada, wish):
        raise AssertionError
    assert told.value.ruling.branch == "no_workspace"
    assert "\0" not in told.value.ruling.why
    assert look(home.bench, ada, wish).place is None
    found = only(home)
    then = find_next(found.reader, found.session)
    assert then.operation == ("resolve_liveness" if place == "C:\\work" else "new_linked")
    assert then.workspace is None
    assert usual_path(found.session, home.directory) == home.directory / "HANDOFF.md"


@pytest.mark.parametrize("place", PLACES)
def test_a_live_one_is_stopped_and_attached_to_all_the_same(home: Any, ada: Any, place: str) -> None:
    home.write(ID, *home.talk(ID, cwd=place))
    home.processes.rows = [process(7, argv=["claude", "--resume", ID], cwd=str(home.work))]
    for operation in ("stop", "attach"):
        ruling = look(home.bench, ada, Wish(operation, ID, home.work)).ruling
        assert (ruling.allowed, ruling.pids) == (True, (7,))


def test_the_brief_of_another_session_starts_none(home: Any, ada: Any) -> None:
    home.write(ID, *home.talk(ID))
    mine, theirs, plain = (home.directory / name for name in ("mine.md", "theirs.md", "plain.md"))
    row = '{"session":"claude-code:%s","head":null,"workspace":null,"files":[],"transcript":[]}'
    mine.write_text(f"# Go on\n\n<!-- refloat/1 {row % ID} -->\n")
    theirs.write_text(f"# Go on\n\n<!-- refloat/1 {row % 'another'} -->\n")
    plain.write_text("# What I want\n")
    wish = Wish("new", ID, home.work)
    assert plan_start(home.bench, ada, Order(wish, brief=mine)).brief == mine
    assert plan_start(home.bench, ada, Order(wish, brief=plain)).brief == plain
    with pytest.raises(UsageError, match=r"theirs\.md is the brief of claude-code:another, not of claude-code:"):
        plan_start(home.bench, ada, Order(wish, brief=theirs))
