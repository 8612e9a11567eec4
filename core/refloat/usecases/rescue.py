"""One recovery at work: evidence, draft and brief joined, with everything that the wizard may do to the outside.

Decides nothing of its own: pages and answers are `recover`, keeping is `keep_draft`, lines are `write_recovery`. Every
method may be slow and is made to be called from a thread. What comes back is masked; what goes out is exact.
"""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from refloat.brief.fingerprint import session_of_brief
from refloat.brief.masks import Masker
from refloat.errors import NotDone, UsageError
from refloat.model.brief import Answers, BriefPreview, WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.recovery import Probed, Said, WroteTo
from refloat.model.session import Session, SessionName
from refloat.model.story import Story
from refloat.model.triage import DoNotRepeat, Triage
from refloat.person import user
from refloat.ports import Machine
from refloat.there import is_directory
from refloat.usecases.decided import standing
from refloat.usecases.hold_session import Holding
from refloat.usecases.keep_draft import Drafts, Kept
from refloat.usecases.preview_brief import preview_brief
from refloat.usecases.probe import Look, plan_look, run_look
from refloat.usecases.put_brief import brief_of_another, put_brief, usual_path
from refloat.usecases.recover import Recovery, Uncertain, answer, begin
from refloat.usecases.recovered import what_stands
from refloat.usecases.situations import place_of
from refloat.usecases.targets import refuse_target
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_brief
from refloat.usecases.write_recovery import brief_of, said_in

Masked = TypeVar("Masked")


class Mask(Protocol):
    """A copy of a value, or of text, in which every secret is masked."""

    def __call__(self, value: Masked, /) -> Masked:
        """The masked copy."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of one session, as it was read: neither masked nor shortened."""

    session: Session
    story: Story
    checkout: Checkout
    triage: Triage


class Rescue:
    """The recovery of one session. Its values are safe to show."""

    def __init__(
        self,
        machine: Machine,
        drafts: Drafts,
        case: Case,
        *,
        write: Callable[[Answers | None], WrittenBrief],
        preview: Callable[[Answers | None], BriefPreview],
        mask: Mask,
        refuse: Callable[[Path], None],
        cwd: Path,
        holding: Holding | None = None,
    ) -> None:
        self.holding = holding
        """The claim on the session; None where nobody else could see one."""
        self._machine = machine
        self._drafts = drafts
        self._case = case
        self._write = write
        self._preview = preview
        self._mask = mask
        self._refuse = refuse
        self._cwd = cwd
        self._turn = threading.Lock()
        self._kept: Kept | None = None

    @property
    def why_memory(self) -> str | None:
        """A sentence where answers do not outlive this process."""
        return self._drafts.why_memory

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of this process."""
        return self._machine.places.environment

    @property
    def home(self) -> Path:
        """The home directory."""
        return self._machine.places.home

    @property
    def session(self) -> Session:
        """The session."""
        return self._mask(self._case.session)

    def take_up(self) -> Kept:
        """Go on where the last answer left off, or begin.

        Raises:
            RefloatError: no brief can be written of it, or the record refuses.

        """
        case, mask = self._case, self._mask
        base = self._write(None)
        fresh = begin(
            mask(case.session), case.story, mask(case.checkout), mask(case.triage), base, by=who(self._machine)
        )
        fresh = replace(fresh, asked=mask(fresh.asked), said=mask(fresh.said))
        with self._turn:
            self._kept = self._drafts.take_up(fresh)
            return self._kept

    def save(self, recovery: Recovery, *, done: bool = False, typing: bool = False) -> Kept:
        """Keep what was said; with `typing`, words that are not at their end yet.

        Raises:
            Held: somebody took the session over.
            NotDone: another terminal answered meanwhile, or it could not be written.

        """
        with self._turn:
            if self._kept is None:
                raise NotDone("nothing was taken up yet")
            kept = replace(self._kept, recovery=recovery)
            holding = None if self.why_memory is not None else self.holding
            self._kept = self._drafts.save(kept, done=done, typing=typing, holding=holding)
            return self._kept

    def brief(self, recovery: Recovery) -> WrittenBrief:
        """The brief with everything that was said; what is saved names its receipt."""
        return brief_of(recovery, self._write, self._receipts(recovery))

    def _receipts(self, recovery: Recovery) -> Mapping[str, str]:
        with self._turn:
            draft = self._kept.draft if self._kept is not None else None
        return {} if draft is None else standing(recovery, draft.given, draft.receipts)

    def preview(self, recovery: Recovery) -> BriefPreview:
        """What of that brief is masked, and what of it will age."""
        return self._preview(said_in(recovery, self._write, self._receipts(recovery)))

    def may_probe(self, row: Uncertain) -> str | None:
        """Why its look cannot be run from here; None: it can."""
        known = self._known(row)
        if known is not None and known.no_look:
            return f"{known.no_look[0].upper()}{known.no_look[1:]}: the look would have nobody to ask."
        return self.look(row).why_not

    def _known(self, row: Uncertain) -> DoNotRepeat | None:
        rows = self._case.triage.do_not_repeat
        return next((one for one in rows if one.key == row.key), None)

    def look(self, row: Uncertain) -> Look:
        """The read-only look of a row: what is run, and where."""
        known, session = self._known(row), self._case.session
        workspace = Path(place_of(session) or self._cwd)
        return plan_look(
            self._machine,
            known.probe if known is not None else None,
            row.probe,
            known.place if known is not None else None,
            workspace if is_directory(workspace) else self._cwd,
        )

    def probe(self, row: Uncertain) -> Said:
        """Run the read-only look that a person has seen and confirmed; the answer is to be given to `answer`.

        Raises:
            NotDone: it may not be run; `may_probe` says why.

        """
        return Probed(row.key, run_look(self._machine, self.look(row), self._mask))

    def usual_path(self) -> Path:
        """Where the brief goes unless a person says otherwise."""
        return usual_path(self._case.session, self._cwd)

    def resolve(self, text: str) -> Path:
        """A path as typed, made absolute: `~` is the home, the rest counts from the usual place's directory."""
        home = self._machine.places.home
        path = home / text[2:] if text.startswith("~/") else Path(text)
        return path if path.is_absolute() else self.usual_path().parent / path

    def is_there(self, path: Path) -> bool:
        """Whether anything of that name is there, a dangling link included."""
        return os.path.lexists(path)

    def instead(self, path: Path) -> str | None:
        """What stands in a file in place of this session's brief, in words (empty: nothing); None: the brief does."""
        return None if session_of_brief(path) == self._case.session.name else what_stands(str(path))

    def whose(self, path: Path) -> SessionName | None:
        """The other session whose brief a file is; None where it is this one's, or none."""
        return brief_of_another(path, self._case.session.name)

    def may_be_written(self, path: Path) -> bool:
        """Whether anything may be written there, with or without agreement; `put` says why not."""
        try:
            self._refuse(path)
        except UsageError:
            return False
        return True

    def put(self, recovery: Recovery, path: Path, *, overwrite: bool) -> Recovery:
        """Write the brief to a file; the recovery that comes back knows it.

        Raises:
            NotDone: a file is there and `overwrite` is not given, or it cannot be written.
            UsageError: nothing may be written there.

        """
        self._refuse(path)
        put_brief(path, self.brief(recovery).markdown, overwrite=overwrite)
        return answer(recovery, WroteTo(str(path), self._machine.clock.now()))


def open_rescue(bench: Workbench, drafts: Drafts, case: Case, *, cwd: Path, holding: Holding | None = None) -> Rescue:
    """The recovery of a session that was read and compared. `drafts` must outlive it."""
    masker = Masker()
    masker.learn((case.session, case.story, case.checkout, case.triage))

    def write(answers: Answers | None) -> WrittenBrief:
        return write_brief(bench, case.session, case.story, case.checkout, case.triage, answers=answers)

    def preview(answers: Answers | None) -> BriefPreview:
        def with_masker(own: Masker) -> WrittenBrief:
            return write_brief(bench, case.session, case.story, case.checkout, case.triage, answers=answers, masker=own)

        return preview_brief(with_masker)

    return Rescue(
        bench.machine,
        drafts,
        case,
        write=write,
        preview=preview,
        mask=masker.tree,
        refuse=lambda path: refuse_target(path, bench.machine.places, bench.readers),
        cwd=cwd,
        holding=holding,
    )


def who(machine: Machine) -> str:
    """Who sits here: `user@host`."""
    name = user(machine.places.environment)
    host = machine.processes.host().split(".")[0]
    return f"{name}@{host}" if host else name
