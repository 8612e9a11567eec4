"""What a wrap may say before anybody typed a word: taken from the brief.

Decides which parts of the brief become which field. Refuses to say anything that the brief does not.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from refloat.model.brief import Brief, Line
from refloat.model.session import Session

WrapField = Literal["job", "summary", "goal", "recipient", "next_steps", "not_checked"]
FIELDS: Final[tuple[WrapField, ...]] = ("job", "summary", "goal", "recipient", "next_steps", "not_checked")
_LINES: Final = 12
"""Lines of the brief that a field takes; a wrap is read whole."""
_NAME: Final = 40


def draft_wrap(session: Session, brief: Brief | None, goal: str, job: str | None) -> Mapping[WrapField, str]:
    """The fields of a wrap: `job`, else a name of the title's; several lines stand for several next steps."""
    return {
        "job": job or job_name(session),
        "summary": _lines(brief.established) if brief else "",
        "goal": goal or (brief.title if brief else session.title),
        "recipient": "",
        "next_steps": _lines(brief.next_step) if brief else "",
        "not_checked": _lines(brief.uncertain) if brief else "",
    }


def job_name(session: Session) -> str:
    """A name for the job of a session that is on none: of its branch, else of its title."""
    own = session.branch if session.branch not in {None, "main", "master", "HEAD"} else session.title
    words = re.findall(r"[\w.]+", (own or session.title or session.session_id).casefold())
    name = ""
    for word in words:
        if len(name) + len(word) >= _NAME:
            break
        name = f"{name}-{word}" if name else word
    return name or session.session_id[:_NAME]


def _lines(lines: tuple[Line, ...]) -> str:
    return "\n".join(line.text.split("\n")[0] for line in lines[:_LINES])
