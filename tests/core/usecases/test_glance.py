"""When a look is due though no file changed."""

from typing import Any

from refloat.testing.fakes import process
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.glance import Glance

ID = "11111111-0000-4000-8000-000000000001"


def rested(home: Any) -> Glance:
    glance = Glance(home.bench)
    running = glance.begin()
    glance.rest(running, list_sessions(home.bench, Scope()).sessions)
    return glance


def test_only_processes_of_agents_count(home: Any):
    home.write(ID, *home.talk(ID))
    glance = rested(home)
    assert not glance.is_due()
    home.processes.rows = (process(7, "vim"),)
    assert not glance.is_due()
    home.processes.rows = (process(7, "vim"), process(8))
    assert glance.is_due()


def test_a_process_that_becomes_an_agent_is_seen(home: Any):
    home.processes.rows = (process(8, "bash", ("bash",)),)
    glance = rested(home)
    home.processes.rows = (process(8),)
    assert glance.is_due()


def test_an_agent_that_went_is_seen_and_its_number_again_in_use_too(home: Any):
    home.write(ID, *home.talk(ID))
    home.processes.rows = (process(8, cwd=str(home.work)),)
    glance = rested(home)
    assert not glance.is_due()
    home.processes.rows = (process(8, cwd=str(home.work), start_token="900"),)  # noqa: S106 - a start time
    assert glance.is_due()
    home.processes.rows = ()
    assert glance.is_due()


def test_a_process_that_evidence_names_counts_whatever_it_is(home: Any):
    home.write(ID, *home.talk(ID))
    home.processes.rows = (process(9, "sleep", ("sleep", "9")),)
    home.processes.environments = {9: {"CLAUDE_CODE_SESSION_ID": ID}}
    glance = rested(home)
    home.processes.rows = ()
    assert glance.is_due()


def test_a_state_that_hangs_on_the_last_half_minute_passes(home: Any):
    home.write(ID, *home.talk(ID))
    home.clock.moment = "2026-09-14T09:00:12.000Z"
    glance = rested(home)
    assert not glance.is_due()
    home.clock.moment = "2026-09-14T09:00:37.000Z"
    assert glance.is_due()
