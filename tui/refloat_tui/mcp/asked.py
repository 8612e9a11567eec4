"""What each tool may be asked: the types that its schema is made from, and that refuse what does not fit.

A word that no tool knows is refused, not passed over: an agent that mistypes `outcome` must not save an `ok`.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from refloat.model.saving import Release, SavedOutcome, Status
from refloat.model.session import State
from refloat.model.status import RECAP_LIMIT
from refloat.usecases.export_job import Format
from refloat.usecases.show_trail import SHOWN
from refloat.usecases.write_brief import MAX_TOKENS

Job = Annotated[str, Field(description="The job: a plain name that its person keeps.", max_length=200)]
Producer = Annotated[str | None, Field(description="Who did it (default: the agent's session, else this client).")]
Session = Annotated[
    str, Field(description="A session id, a unique prefix of one, agent:id, `last`, or a transcript's path.")
]
Workspace = Annotated[
    str | None,
    Field(
        description="The directory that it works in, absolute (default: where this server runs).",
        pattern=r"^/[^\x00]*$",
    ),
]
Note = Annotated[str | None, Field(description="Anything else that the next one must know.")]
Outcome = Annotated[
    SavedOutcome | None, Field(description="How it ended (default: ok, or error where exit_code is not 0).")
]
ExitCode = Annotated[int | None, Field(description="The command's exit code.", ge=0, le=2**31 - 1)]
Output = Annotated[str | None, Field(description="What came of it, exact; kept as its UTF-8 bytes.")]


class Asked(BaseModel):
    """The arguments of one tool."""

    model_config = ConfigDict(extra="forbid")


class StepBegin(Asked):
    """Arguments of `step_begin`."""

    job: Job
    tool: Annotated[str, Field(description="What does it.", min_length=1)]
    summary: Annotated[str, Field(description="One line that says what is done (default: the tool).")] = ""
    input: Annotated[str | None, Field(description="What it is given, exact.")] = None
    producer: Producer = None
    workspace: Workspace = None


class StepEnd(Asked):
    """Arguments of `step_end`."""

    step: Annotated[str, Field(description="The id that `step_begin` gave.")]
    output: Output = None
    outcome: Outcome = None
    exit_code: ExitCode = None
    note: Note = None


class Step(StepBegin):
    """Arguments of `step`."""

    output: Output = None
    outcome: Outcome = None
    exit_code: ExitCode = None
    note: Note = None


class Jobs(Asked):
    """Arguments of `jobs`."""

    limit: Annotated[int, Field(description="So many, the newest activity first.", ge=1, le=500)] = 50


class Trail(Asked):
    """Arguments of `trail`."""

    job: Job
    limit: Annotated[int, Field(description="So many steps.", ge=1, le=500)] = SHOWN


class Wrap(Asked):
    """Arguments of `wrap`."""

    job: Job
    summary: Annotated[str, Field(description="What was done.", min_length=1)]
    goal: Annotated[str, Field(description="What for (default: the goal of the last wrap).")] = ""
    to: Annotated[str | None, Field(description="Who shall go on.")] = None
    next_steps: Annotated[list[str], Field(description="What comes next.", max_length=100)] = []
    not_checked: Annotated[list[str], Field(description="What nobody checked.", max_length=100)] = []
    producer: Producer = None
    note: Note = None


class Pickup(Asked):
    """Arguments of `pickup`."""

    wrap: Annotated[str, Field(description="A wrap's id, or a job's name for its newest wrap.")]
    producer: Producer = None


class Verify(Asked):
    """Arguments of `verify`."""

    what: Annotated[str, Field(description="A job, a receipt or the beginning of one, or the path of an export.")]


class Decide(Asked):
    """Arguments of `decide`."""

    job: Job
    status: Status
    by: Annotated[str | None, Field(description="Who decided (default: the agent's session, else this client).")] = None
    release: Annotated[Release | None, Field(description="May it be released?")] = None
    about: Annotated[str | None, Field(description="The receipt that it is about (default: the job).")] = None
    note: Note = None


class Export(Asked):
    """Arguments of `export`."""

    job: Job
    out: Annotated[
        str, Field(description="The file to write, absolute; there must be none of that name.", pattern=r"^/[^\x00]*$")
    ]
    format: Format = "json"


class ListSessions(Asked):
    """Arguments of `list`."""

    everywhere: Annotated[bool, Field(description="Sessions of every workspace.")] = False
    cwd: Annotated[
        str | None,
        Field(description="Sessions of this directory (default: where this server runs).", pattern=r"^/[^\x00]*$"),
    ] = None
    agent: Annotated[str | None, Field(description="Only this agent's.")] = None
    state: Annotated[State | None, Field(description="Only those in this state.")] = None
    limit: Annotated[int, Field(description="At most so many.", ge=1, le=200)] = 30


class OfSession(Asked):
    """Arguments of `status` and `triage`."""

    session: Session


class Recap(OfSession):
    """Arguments of `recap`."""

    limit: Annotated[int, Field(description="So many items.", ge=1, le=500)] = RECAP_LIMIT


class Brief(OfSession):
    """Arguments of `brief`."""

    max_tokens: Annotated[int, Field(description="At most this long; a token is four bytes.", ge=200, le=16_000)] = (
        MAX_TOKENS
    )
