"""What git would write to disk is foreseen: held against git itself, for every attribute and setting."""

from itertools import product

import pytest
from tests.core.checkout.conftest import Repo

from refloat.checkout.eol import ASKED, conversion_of, read_attributes, read_settings

CONTENTS = [b"a\nb\n", b"a\r\nb\r\n", b"a\r\nb\n", b"a\rb\n", b"a\x00\nb\n", b"\x01\x02\x03\nb\n", b"", b"a"]
RULES = [
    "",
    "text",
    "-text",
    "text=auto",
    "text=auto eol=crlf",
    "text=auto eol=lf",
    "eol=crlf",
    "eol=lf",
    "crlf",
    "-crlf",
]


@pytest.mark.parametrize(("autocrlf", "eol"), list(product(["true", "false", "input"], ["", "crlf"])))
def test_the_way_to_the_disk_and_back_is_gits(repo: Repo, autocrlf: str, eol: str) -> None:
    repo.git("config", "core.autocrlf", autocrlf)
    if eol and autocrlf == "false":
        repo.git("config", "core.eol", eol)
    repo.git("config", "core.safecrlf", "false")
    names = {
        f"f{number}-{size}": (rule, data) for number, rule in enumerate(RULES) for size, data in enumerate(CONTENTS)
    }
    repo.write(".gitattributes", "".join(f"f{number}-* {rule}\n" for number, rule in enumerate(RULES) if rule))
    asked = b"".join(name.encode() + b"\0" for name in names)
    answer = repo.bench.machine.git.run(repo.root, "check-attr", "-z", "--stdin", *ASKED, stdin=asked)
    attributes = read_attributes(answer.out)
    told = repo.bench.machine.git.run(repo.root, "config", "--get-regexp", "-z", r"^core\.(autocrlf|eol)$")
    settings = read_settings(told.out)
    for name, (_, data) in names.items():
        repo.write(name, data)
    cleaned = repo.git("hash-object", "--stdin-paths", stdin="".join(f"{name}\n" for name in names)).split("\n")
    # Blobs as they are, checked out: what git writes for them.
    for name, (_, data) in names.items():
        repo.write("raw", data)
        oid = repo.git("hash-object", "-w", "--no-filters", "raw")
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{name}")
        (repo.root / name).unlink()
    repo.git("checkout-index", "-q", *names)
    for (name, (_, data)), clean in zip(names.items(), cleaned, strict=True):
        made = conversion_of(attributes[name], settings)
        assert made.to_worktree(data) == (repo.root / name).read_bytes(), (name, made)
        repo.write("raw", made.to_git(data))
        assert repo.git("hash-object", "--no-filters", "raw") == clean, (name, made)


def test_what_a_program_makes_of_it_is_unsure() -> None:
    assert conversion_of({"filter": "lfs"}, {}).unsure is not None
    assert conversion_of({"ident": "set"}, {}).unsure is not None
    assert conversion_of({"filter": "unset", "ident": "unspecified"}, {}).unsure is None
