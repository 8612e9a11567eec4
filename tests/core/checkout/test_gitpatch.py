"""What is written as a patch, git itself applies: to the very bytes."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refloat.checkout.gitpatch import EXECUTABLE, REGULAR, Side, patch_of, quoted
from refloat.checkout.merge import merge

LINES = st.sampled_from(
    [
        "alpha",
        "beta",
        "alpha",
        "",
        "}",
        "x = 1\r",
        "\t\ttab ",
        "a\x0cb",
        "a\u2028b",
        "é ☃",
        "\\ No newline",
        "--- a/x",
        "+x",
    ]
)


def joined(lines: list[str], end: str) -> bytes:
    return ("\n".join(lines) + end).encode()


TEXTS = st.builds(joined, st.lists(LINES, max_size=14), st.sampled_from(["", "\n"]))
CONTENTS = st.one_of(st.none(), TEXTS, st.binary(max_size=300))


def side(data: bytes | None, mode: str = REGULAR) -> Side | None:
    if data is None:
        return None
    return Side(data, mode, hashlib.new("sha1", b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest())


def apply(root: Path, patch: str) -> None:
    words = ["git", "apply", "--whitespace=nowarn", "-"]
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "HOME": str(root),
        "GIT_CEILING_DIRECTORIES": str(root.parent),
    }
    done = subprocess.run(words, cwd=root, input=patch.encode(), capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr.decode() + patch


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS, CONTENTS, st.booleans())
def test_git_makes_the_new_content_of_the_old_one(
    tmp_path: Path, old: bytes | None, new: bytes | None, whole: bool
) -> None:
    file = tmp_path / "a file.txt"
    if old is None:
        file.unlink(missing_ok=True)
    else:
        file.write_bytes(old)
    patch = patch_of("a file.txt", side(old), side(new), whole=whole)
    assert (patch == "") == (old == new)
    if patch:
        apply(tmp_path, patch)
    assert (file.read_bytes() if file.exists() else None) == new


@pytest.mark.parametrize(
    "name",
    [
        "plain.py",
        "with space.py",
        'quote".py',
        "back\\slash",
        "new\nline",
        "tab\there",
        "grün/☃.txt",
        "deep/er/file",
        "b/a/x y",
        " lead",
        "trail ",
        "caf\udce9",
    ],
)
def test_names_of_every_kind(tmp_path: Path, name: str) -> None:
    apply(tmp_path, patch_of(name, None, side(b"one\n")))
    assert (tmp_path / name).read_bytes() == b"one\n"
    apply(tmp_path, patch_of(name, side(b"one\n"), side(b"two\n", EXECUTABLE)))
    assert (tmp_path / name).read_bytes() == b"two\n"
    assert (tmp_path / name).stat().st_mode & 0o100
    apply(tmp_path, patch_of(name, side(b"two\n", EXECUTABLE), None))
    assert not (tmp_path / name).exists()


def test_a_name_is_quoted_as_git_quotes_it() -> None:
    assert quoted("a b") == "a b"
    assert quoted('a"b\n\u00e9') == '"a\\"b\\n\\303\\251"'


SHORT = st.lists(st.sampled_from("abcd"), max_size=8)


@given(SHORT, SHORT)
def test_a_merge_with_what_did_not_change_is_the_change(base: list[str], other: list[str]) -> None:
    one_sided = merge(base, base, other)
    assert one_sided is not None
    assert [other[at] if theirs else base[at] for theirs, at in one_sided] == other
    mine = merge(base, other, base)
    assert mine is not None
    assert [base[at] if theirs else other[at] for theirs, at in mine] == other
    same = merge(base, other, other)
    assert same is not None
    assert [other[at] for _, at in same] == other


def test_changes_that_touch_are_no_merge_and_others_are() -> None:
    base = list("abcdef")
    assert merge(base, list("aXcdef"), list("aYcdef")) is None
    assert merge(base, list("aXcdef"), list("abYdef")) is None
    taken = merge(base, list("aXcdef"), list("abcdeYf"))
    assert taken is not None
    assert "".join(("abcdeYf" if theirs else "aXcdef")[at] for theirs, at in taken) == "aXcdeYf"
