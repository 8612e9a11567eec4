"""Both engines for every test of the record: a file, and a private PostgreSQL of this machine's own packages.

Where there is no PostgreSQL the tests fail: a record that was tried on one engine only is not tried.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from refloat.model.stamp import Stamp
from refloat.record.store import Record, open_record

NOW = Stamp("2026-09-14T14:00:00.000Z")
_schemas = count(1)


def _program(name: str) -> str:
    """A PostgreSQL program; Debian keeps them off the path."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for home in (*homes, Path("/usr/local/bin"), Path("/opt/homebrew/bin")):
        if (home / name).is_file():
            return str(home / name)
    found = shutil.which(name)
    assert found, f"{name} was not found: install PostgreSQL (apt-get install postgresql), the record is tested on both"
    return found


def _as_other(words: list[str]) -> list[str]:
    """PostgreSQL refuses root; its package makes the user `postgres`."""
    if os.geteuid() != 0:
        return words
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--", *words]


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a server that this run alone uses."""
    place = Path(tempfile.mkdtemp(prefix="refloat-pg-", dir="/tmp"))  # a socket's path may have 107 bytes
    if os.geteuid() == 0:
        shutil.chown(place, "postgres", "postgres")
    data = str(place / "data")
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C"}

    def run(*words: str) -> None:
        done = subprocess.run(_as_other(list(words)), cwd=place, env=plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    try:
        run(_program("initdb"), "-D", data, "-U", "refloat", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        options = f"-c listen_addresses='' -c unix_socket_directories={place} -c fsync=off -c max_connections=60"
        run(_program("pg_ctl"), "-D", data, "-o", options, "-l", str(place / "log"), "-w", "-t", "120", "start")
        try:
            yield f"postgresql://refloat@/postgres?host={quote(str(place))}"
        finally:
            run(_program("pg_ctl"), "-D", data, "-m", "immediate", "-w", "-t", "120", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """Where the record of this test lies: None for a file. Each test has a schema of its own on the server."""
    if request.param == "sqlite":
        return None
    address: str = request.getfixturevalue("server")
    schema = f"test_{next(_schemas)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")  # pyright: ignore[reportArgumentType, reportCallIssue] - a name of our own
    return f"{address}&options={quote(f'-csearch_path={schema}')}"


@pytest.fixture
def opened(url: str | None, tmp_path: Path) -> Iterator[Callable[[], Record]]:
    """A way to open this test's record once more; all are closed in the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_record(tmp_path / "data", NOW, url))


@pytest.fixture
def record(opened: Callable[[], Record]) -> Record:
    """This test's record."""
    return opened()


@pytest.fixture
def file_record(tmp_path: Path) -> Iterator[Record]:
    """A record in a file, for what only a file can suffer."""
    with open_record(tmp_path / "data", NOW) as record:
        yield record
