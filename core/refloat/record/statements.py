"""The record's SQL: kept in `sql/*.sql`, found by name, the same words for every engine.

Decides how a file of statements is read: `-- name: WORD` begins one, `:word` is a parameter,
`{table}` stands for all columns of a table. Refuses to build SQL from
values. A library for it (aiosql) was measured: 4.6 interpreter starts, more than all else that `refloat run` loads.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COLUMNS: Final = re.compile(r"\{(\w+)\}")
_PARAMETER: Final = re.compile(r"(?<![:\w]):([a-z_0-9]+)")


@cache
def statements(file: str) -> dict[str, str]:
    """Name to SQL of one file, with `:word` parameters as SQLite takes them."""
    text = Path(__file__).with_name("sql").joinpath(f"{file}.sql").read_text(encoding="utf-8")
    if file != "columns":
        text = _COLUMNS.sub(lambda found: statements("columns")[found[1]], text)
    parts = _NAME.split(text)
    return {name: sql.strip().removesuffix(";") for name, sql in zip(parts[1::2], parts[2::2], strict=True)}


def statement(name: str) -> str:
    """The SQL of `file.name`."""
    file, _, rest = name.partition(".")
    return statements(file)[rest]


@cache
def for_psycopg(name: str) -> str:
    """The same with parameters as psycopg takes them."""
    return _PARAMETER.sub(r"%(\1)s", statement(name).replace("%", "%%"))
