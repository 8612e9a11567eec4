"""What becomes of an agent's event: a step, a greeting, an automatic wrap, or nothing.

Decides by the tie of the event's workspace; without one nothing happens, and nothing is opened where there is no
record. The same call told twice is one step. Refuses to wait: who holds the record for longer than two seconds costs
this event its place, which the caller logs.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from refloat.errors import UsageError
from refloat.hooks.events import AGENTS as _AGENTS
from refloat.hooks.events import Agent as _Agent
from refloat.hooks.events import Event, exact, read_event
from refloat.hooks.own import is_own
from refloat.hooks.results import judge, summarise
from refloat.model.saving import SAVED_AFTER, Ending, Opening, Runner, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step, add_step_once
from refloat.record.contents import keep
from refloat.record.store import FILE_NAME, NotWritten, Record, find_url, open_record
from refloat.record.ties import Tie, find_tie
from refloat.there import may_be_there

Agent = _Agent
AGENTS: Final[tuple[Agent, ...]] = _AGENTS
PATIENCE: Final = 2.0
"""Seconds that a hook waits for the record."""


class HookDesk(NamedTuple):
    """What taking an event needs of the machine."""

    data: Path
    config: Path
    environment: Mapping[str, str]
    directory: str
    """Where the hook was started."""
    host: str
    now: Callable[[], Stamp]
    look: Callable[[str], Tree]


def take_event(desk: HookDesk, agent: Agent, read: Callable[[int], bytes]) -> str:
    """Do what the event that `read` gives asks for; what the agent shall hear, mostly nothing.

    Raises:
        NoEvent: it is damaged.
        RefloatError: the record cannot be opened, or did not take it in time.

    """
    event = read_event(agent, read)
    if event is None or (event.kind == "result" and is_own(event)):
        return ""
    url = find_url(desk.environment, desk.config)
    if url is None and not may_be_there(desk.data / FILE_NAME):
        return ""
    with open_record(desk.data, desk.now(), url, patience=PATIENCE) as record:
        tie = find_tie(record, desk.host, _places(desk, event))
        if tie is None:
            return ""
        if event.kind == "result":
            _save(desk, record, tie, event)
        elif event.kind == "handover":
            from refloat.usecases.hooks_wrap import wrap_automatically

            wrap_automatically(record, tie.job, event, desk.now())
        else:
            from refloat.usecases.hooks_greet import greet

            return greet(record, tie, event)
    return ""


def _places(desk: HookDesk, event: Event) -> Sequence[str]:
    """Where the session works: the project it was started in, before wherever it has gone since."""
    project = desk.environment.get("CLAUDE_PROJECT_DIR") if event.agent == "claude-code" else None
    return [os.path.realpath(place) for place in (project, event.cwd or desk.directory) if place and _is_path(place)]


def _is_path(text: str) -> bool:
    """Whether the system can have a file of that name, whatever somebody else wrote."""
    try:
        return b"\0" not in os.fsencode(text) and os.path.isabs(text)  # noqa: PTH117
    except UnicodeEncodeError:
        return False


def _save(desk: HookDesk, record: Record, tie: Tie, event: Event) -> None:
    place = _places(desk, event)[-1]
    now, result = desk.now(), judge(event)
    opening = Opening(
        job=tie.job,
        producer=event.producer,
        tool=event.tool,
        summary=summarise(event, _masked),
        origin="hook",
        started_at=now,
        workspace=place,
        tree=SAVED_AFTER,
        runner=Runner(desk.host),
        automatic=True,
    )
    ending = Ending(result.outcome, now, result.exit_code, desk.look(place), "; ".join(result.notes) or None)
    told = (exact(event.given), exact(event.output))
    try:
        given, output = (None if data is None else keep(record, data) for data in told)
    except OSError as error:
        raise NotWritten(f"the record cannot be written: {error}") from error
    if event.call is None:
        add_step(record, opening, ending, given, output)
        return
    name = sha256(f"{event.producer}\0{event.call}".encode("utf-8", "replace")).hexdigest()[:32]
    try:
        add_step_once(record, name, opening, ending, given, output)
    except UsageError as error:  # a tie that was written by hand
        raise UsageError(f"the workspace {tie.workspace} is tied to what is no job: {error}") from error


def _masked(text: str) -> str:
    from refloat.brief.masks import Masker  # dear, and only a long command needs it

    return Masker().text(text)
