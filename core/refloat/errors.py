"""Every error that Refloat raises on purpose.

    RefloatError            a sentence for a person, and the exit code that goes with it
    ├── NotDone             the answer is "no"                                    exit 1
    │   └── NoThreads       no further thread or process can be had
    ├── UsageError          wrong words, or nothing of that name                  exit 2
    │   └── NoSuchSession   no session fits; carries the nearest ones
    ├── Unreadable          nothing of the thing asked for could be read          exit 3
    └── Unwritable          the answer could not be written where it should go    exit 3

Bad input inside a transcript is no error: it is a `Problem` value, and the reading goes on.
"""

from __future__ import annotations

from collections.abc import Sequence


class RefloatError(Exception):
    """Something that a person can act on; `str()` of it is a sentence that says what to do."""

    exit_code = 1


class NotDone(RefloatError):  # noqa: N818 - reads as the answer that it is
    """The answer is "no": a check failed, a lease was refused."""

    exit_code = 1


class NoThreads(NotDone):
    """This user, or this container, may have no further thread or process."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs a further process or thread, and none can be started here: the limit on them is reached"
            " (`ulimit -u`, or that of a container)"
        )


class UsageError(RefloatError):
    """The words of the call are wrong, or name nothing."""

    exit_code = 2


class NoSuchSession(UsageError):  # noqa: N818 - reads as the answer that it is
    """No session, or more than one, fits what was asked for."""

    def __init__(
        self, asked: str, nearest: Sequence[str] = (), *, ambiguous: bool = False, some: bool = True, unread: str = ""
    ) -> None:
        """`unread`: what could not be read, where the session may lie: then nobody can say that there is none."""
        self.asked = asked
        self.nearest = tuple(nearest)
        """Up to three names (`agent:id`) that the person may have meant."""
        self.ambiguous = ambiguous
        what = f"no session is called {asked!r}"
        if ambiguous:
            what = f"{asked!r} fits more than one session"
        elif asked == "last":
            what = "no session worked in this workspace"
        hint = "; `refloat list --all` shows every one"
        if self.nearest:
            hint = "; did you mean " + ", ".join(self.nearest) + "?"
        elif not some:
            hint = ", and no session of any agent was found: `refloat doctor` says where they were looked for"
        if unread:
            self.exit_code = Unreadable.exit_code
            hint += f"; it may lie in what could not be read: {unread}"
        super().__init__(what + hint)


class Unreadable(RefloatError):  # noqa: N818 - reads as the answer that it is
    """Nothing of the thing asked for could be read."""

    exit_code = 3


class Unwritable(RefloatError):  # noqa: N818 - reads as the answer that it is
    """The answer was found, and what it should be written to takes no more: no fault of the words."""

    exit_code = 3
