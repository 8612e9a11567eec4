"""The program's own lists: running processes, background jobs, typed prompts.

Decides which entries name a session. Refuses to judge whether a process still runs, and never opens peer keys,
credentials, or anything of `.claude.json` but `projects`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.model.liveness import Holder
from refloat.model.problem import Problem, unread
from refloat.model.session import RecordGone
from refloat.patterns import late
from refloat.readers.claude_code.layout import config_directory, settings_file
from refloat.readers.claude_code.values import Row, get_object, mapping, number, text
from refloat.readers.load import loads
from refloat.readers.naming import make_id

AGENT: Final = "claude-code"
_REGISTER: Final = late(r"\d+\.json")
_OVER: Final = frozenset({"done", "failed", "stopped", "completed", "cancelled", "archived"})
_WAITS: Final = frozenset({"blocked", "waiting"})


def find_holders(home: Path, environment: Mapping[str, str]) -> Sequence[Holder | Problem]:
    """Registers of processes, and background jobs that a daemon would resume."""
    config = config_directory(home, environment)
    found: list[Holder | Problem] = []
    for path in _files(config / "sessions", found):
        if not _REGISTER.fullmatch(path.name):
            continue  # old formats, and keys that are nobody's business
        row = _object(path, found)
        if row is not None and (holder := _register(path, row)):
            found.append(holder)
    found += _jobs(config, found)
    return found


def _register(path: Path, row: Row) -> Holder | None:
    session = make_id(text(row.get("sessionId")))
    if not session or row.get("kind") == "daemon":
        return None
    token = row.get("procStart")
    pid = number(row.get("pid"))
    return Holder(
        AGENT,
        session,
        "register",
        str(path),
        pid=int(path.stem) if pid is None else pid,
        start_token=str(token) if isinstance(token, (str, int)) and not isinstance(token, bool) else None,
        started_ms=number(row.get("startedAt")),
        status=text(row.get("status")),
        waiting_for=text(row.get("waitingFor")),
        workspace=text(row.get("cwd")) or None,
        version=text(row.get("version")),
        domain=text(row.get("pidDomain")),
        terminal=text(row.get("tmux")),
        background=text(row.get("kind")) in {"bg", "daemon-worker"},
        job=text(row.get("jobId")),
    )


def _jobs(config: Path, problems: list[Holder | Problem]) -> Iterator[Holder]:
    roster_path = config / "daemon" / "roster.json"
    roster = _object(roster_path, problems) or {}
    daemon = number(roster.get("supervisorPid"))
    workers = {short: mapping(worker) for short, worker in mapping(roster.get("workers")).items()}
    told: set[str] = set()
    for directory in _files(config / "jobs", problems):
        path = directory / "state.json"
        row = _object(path, problems)
        session = make_id(text((row or {}).get("sessionId")))
        if row is None or not session:
            continue
        told.add(session)
        status = text(row.get("state"))
        if status in _OVER:
            continue
        yield Holder(
            AGENT,
            session,
            "register",
            str(path),
            pid=number(workers.get(directory.name, {}).get("pid")),
            status=status,
            waiting_for=(text(row.get("needs")) or text(row.get("detail"))) if status in _WAITS else "",
            workspace=text(row.get("worktreePath")) or text(row.get("cwd")) or None,
            background=True,
            daemon_pid=daemon,
            job=directory.name,
        )
    for worker in workers.values():
        session = make_id(text(worker.get("sessionId")))
        if session and session not in told:
            pid = number(worker.get("pid"))
            yield Holder(AGENT, session, "register", str(roster_path), pid=pid, background=True, daemon_pid=daemon)


def _files(directory: Path, problems: list[Holder | Problem]) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as fault:
        problems.append(unread(str(directory), fault.strerror or str(fault)))
        return []


def _object(path: Path, problems: list[Holder | Problem]) -> Row | None:
    try:
        row = get_object(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None  # its process has just ended, or there never was one
    except OSError as fault:
        problems.append(unread(str(path), fault.strerror or str(fault)))
        return None
    if row is None:
        problems.append(Problem(str(path), None, None, "no JSON object"))
        return None
    return dict(row)


# ── sessions without a transcript ────────────────────────────────────────────────────────────────────────────────────


def find_gone(home: Path, environment: Mapping[str, str], known: Collection[str]) -> Sequence[RecordGone | Problem]:
    """Sessions that the history of prompts, a register or the settings name and that have no transcript."""
    config = config_directory(home, environment)
    found: list[RecordGone | Problem] = []
    gone: dict[str, RecordGone] = {}
    for session, (project, prompts) in _typed(config / "history.jsonl", found).items():
        if session not in known:
            why = "the history of typed prompts names it, its transcript no longer exists"
            gone[session] = RecordGone(AGENT, session, project or None, prompts, why)
    problems: list[Holder | Problem] = []
    for path in _files(config / "sessions", problems):
        row = _object(path, problems) if _REGISTER.fullmatch(path.name) else None
        session = make_id(text((row or {}).get("sessionId")))
        if row is not None and session and session not in known and session not in gone and row.get("kind") != "daemon":
            why = "registered, no transcript: it may have ended before anything was written"
            gone[session] = RecordGone(AGENT, session, text(row.get("cwd")) or None, 0, why)
    for project, session in _last(settings_file(home, environment)):
        if session not in known and session not in gone:
            why = "the settings name it as the last session of its directory, there is no transcript"
            gone[session] = RecordGone(AGENT, session, project, 0, why)
    return (*gone.values(), *found)


def _typed(path: Path, problems: list[RecordGone | Problem]) -> dict[str, tuple[str, int]]:
    """Directory and number of prompts of each session in the history."""
    found: dict[str, tuple[str, int]] = {}
    try:
        with path.open("rb") as file:
            for number_, line in enumerate(file, start=1):
                try:
                    row = mapping(loads(line.strip(b"\x00 \t\r\n") or b"null"))
                except ValueError:
                    problems.append(Problem(str(path), number_, None, "no whole JSON record"))
                    continue
                if session := make_id(text(row.get("sessionId"))):
                    project, prompts = found.get(session, ("", 0))
                    said = text(row.get("display")).lstrip()
                    found[session] = (project or text(row.get("project")), prompts + (said[:1] not in {"/", "!", ""}))
    except FileNotFoundError:
        pass
    except OSError as fault:
        problems.append(unread(str(path), fault.strerror or str(fault)))
    return found


def _last(path: Path) -> Iterator[tuple[str, str]]:
    """The last session of each directory. What cannot be read here is no loss: other places tell the same."""
    try:
        row = get_object(path.read_bytes())
    except OSError:
        return
    for project, known in mapping((row or {}).get("projects")).items():
        if session := make_id(text(mapping(known).get("lastSessionId"))):
            yield project, session
