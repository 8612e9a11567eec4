"""What stands beside the rollouts: names, typed prompts, locks, and the index database (formats/codex, 1, 7, 9).

The database is never opened where it lies: a read-only open of a WAL database may still touch its side files. It is
copied to a private directory with its `-wal`, and the copy is read.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from refloat.damage import FAULTS
from refloat.model.light import field, light
from refloat.model.liveness import Holder
from refloat.model.problem import Problem, unread
from refloat.model.session import RecordGone
from refloat.readers.codex.files import AGENT
from refloat.readers.codex.shape import UUID, Json, as_dict, as_id, as_int, as_text, parse_object
from refloat.readers.contract import Line
from refloat.readers.lines import LONG, Cursor, Tail, read_lines, read_one
from refloat.readers.naming import make_id
from refloat.there import from_here

LOCKS: Final = "thread-writer-locks"
DATABASES: Final = (".sqlite", ".sqlite-wal")
"""How the names of databases and of what was written to them last end."""
_LARGEST: Final = 512 * 1024 * 1024
"""Bytes of a database that is still copied."""
_COLUMNS: Final = ("id", "rollout_path", "cwd", "title", "name", "first_user_message")


@light
class ThreadRow:
    """What the index database says of one thread."""

    rollout_path: str = ""
    cwd: str = ""
    title: str = ""
    name: str = ""
    first_prompt: str = ""


@light
class Index:
    """The rows of `threads`, and what could not be read."""

    threads: Mapping[str, ThreadRow] = field(default_factory=dict[str, ThreadRow])
    problems: tuple[Problem, ...] = ()


def home_of(path: str) -> Path | None:
    """The Codex home that a rollout lies in, from its path."""
    for parent in Path(path).parents:
        if parent.name in {"sessions", "archived_sessions"}:
            return parent.parent
    return None


def read_names(path: Path) -> dict[str, str]:
    """Thread names in `session_index.jsonl`: append-only, the last one wins."""
    names: dict[str, str] = {}
    for row in _rows(path):
        if thread := make_id(as_id(row.get("id"))):
            names[thread] = as_text(row.get("thread_name")).strip()
    return names


def read_history(path: Path) -> dict[str, int]:
    """Typed prompts for each thread in `history.jsonl`."""
    prompts: dict[str, int] = {}
    for row in _rows(path):
        if thread := make_id(as_id(row.get("session_id"))):
            prompts[thread] = prompts.get(thread, 0) + 1
    return prompts


def _rows(path: Path) -> Iterator[Json]:
    try:
        for got in read_lines(str(path), Cursor(), (), longest=LONG):
            records = read_one(str(path), 0, 0, got.data, ()) if isinstance(got, Tail) else (got[0],)
            for record in records:
                if isinstance(record, Line):
                    yield as_dict(record.value)
    except OSError:
        return


# ── the index database ───────────────────────────────────────────────────────────────────────────────────────────────


def find_database(home: Path, environment: Mapping[str, str]) -> Path | None:
    """The newest `state_<n>.sqlite`, in `$CODEX_SQLITE_HOME` or the Codex home."""
    places = [Path(from_here(told))] if (told := environment.get("CODEX_SQLITE_HOME")) else []
    for place in (*places, home):
        try:
            names = [
                path.name for path in place.iterdir() if path.name.startswith("state") and path.suffix == ".sqlite"
            ]
        except OSError:
            continue
        if names:
            return place / max(names, key=lambda name: (as_int(name[6:-7]) or 0, name))
    return None


def read_index(database: Path | None) -> Index:
    """The `threads` table; empty where there is none. Reads anew only when the files changed."""
    if database is None:
        return Index()
    return _read_copy(str(database), _stamp(database), _stamp(Path(f"{database}-wal")))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_size, told.st_mtime_ns


@lru_cache(maxsize=4)
def _read_copy(path: str, main: tuple[int, int] | None, wal: tuple[int, int] | None) -> Index:
    if main is None:
        return Index()
    if main[0] + (wal[0] if wal else 0) > _LARGEST:
        return Index(
            {}, (Problem(path, None, None, "the index is too large to be copied; names and heads come from files"),)
        )
    from shutil import copyfile
    from tempfile import TemporaryDirectory

    fault = "unreadable"
    for _ in range(2):  # a writer may checkpoint between the two copies
        try:
            with TemporaryDirectory(prefix="refloat-") as private:
                copy = Path(private) / "state.sqlite"
                copyfile(path, copy)
                if wal:
                    copyfile(f"{path}-wal", f"{copy}-wal")
                return Index(_threads(copy))
        except (OSError, *FAULTS) as broken:
            fault = str(broken)
    return Index({}, (Problem(path, None, None, f"the index cannot be read: {fault}"),))


def _threads(copy: Path) -> dict[str, ThreadRow]:
    connection = sqlite3.connect(copy)
    try:
        there = {str(row[1]) for row in connection.execute("PRAGMA table_info(threads)")}
        if "id" not in there:
            return {}
        wanted = ", ".join(name if name in there else f"NULL AS {name}" for name in _COLUMNS)
        rows = connection.execute(f"SELECT {wanted} FROM threads").fetchall()  # noqa: S608 - names of our own
    finally:
        connection.close()
    threads = {make_id(as_id(row[0])): ThreadRow(*(as_text(value) for value in row[1:])) for row in rows}
    threads.pop("", None)
    return threads


def title_of(row: ThreadRow) -> str:
    """The name that the index has for a thread; a title that merely repeats the first prompt is none."""
    if row.name.strip():
        return row.name.strip()
    title = row.title.strip()
    return "" if title and row.first_prompt.strip().startswith(title) else title


# ── locks and what is gone ───────────────────────────────────────────────────────────────────────────────────────────


def find_locks(home: Path) -> Iterator[Holder | Problem]:
    """Each thread's writer lock, and the daemon that may hold them. Whether one is held is asked elsewhere."""
    place = home / LOCKS
    daemon = _daemon(home)
    try:
        names = sorted(path.name for path in place.iterdir())
    except FileNotFoundError:
        return
    except OSError as fault:
        yield unread(str(place), fault.strerror or str(fault))
        return
    for name in names:
        thread = name.removesuffix(".lock")
        if name.endswith(".lock") and UUID.fullmatch(thread):
            yield Holder(AGENT, thread, "lock", str(place / name), daemon_pid=daemon)


def _daemon(home: Path) -> int | None:
    try:
        with (home / "app-server-daemon" / "app-server.pid").open("rb") as file:
            told = parse_object(file.read(4096).decode("utf-8", "replace"))
    except OSError:
        return None
    return as_int(told.get("pid"))


def find_gone(home: Path, index: Index, known: Collection[str]) -> Iterator[RecordGone]:
    """Threads that prompts, names, index rows or locks tell of, and that have no rollout."""
    prompts = read_history(home / "history.jsonl")
    names = read_names(home / "session_index.jsonl")
    told: dict[str, str] = dict.fromkeys(prompts, "its prompts stand in history.jsonl; its rollout is gone")
    for thread in names:
        told.setdefault(thread, "session_index.jsonl names it; its rollout is gone or was never written")
    for thread, row in index.threads.items():
        if row.rollout_path and not os.path.lexists(row.rollout_path):
            told.setdefault(thread, f"the index names {row.rollout_path}, which does not exist")
    for lock in find_locks(home):
        if isinstance(lock, Holder):
            told.setdefault(lock.session_id, "a writer lock names it; its rollout was never written")
    for thread in sorted(told):
        if thread not in known:
            row = index.threads.get(thread, ThreadRow())
            yield RecordGone(AGENT, thread, row.cwd or None, prompts.get(thread, 0), told[thread])
