"""Lines too long to be held: no secret is parted where something was left out, no edit in them is taken for whole."""

import io
import json
import random
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from refloat.brief.masks import PIECE, Masker
from refloat.model.left_out import inside_json, is_left_out, say_left_out, whole_size
from refloat.model.problem import Place, Problem
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Result
from refloat.readers import cutting
from refloat.readers.codex.calls import changed_files
from refloat.readers.contract import Found, Line, Segment, SourceFile
from refloat.readers.cutting import MARK, shorten
from refloat.readers.lines import decode
from refloat.readers.registry import load
from refloat.search.digest import Doc
from refloat.usecases.parting import part, soften
from refloat.usecases.read_session import read_story
from refloat.usecases.reading import read_summary
from refloat.usecases.searchable import read_items

READER = load("claude-code")


def sample(length: int, seed: str) -> str:
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=length))  # noqa: S311 - the same each time


BODY = [sample(64, seed) for seed in "abcdef"] + [sample(30, "g") + "=="]
PEM = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *BODY, "-----END RSA " + "PRIVATE KEY-----"])
TOKEN, PASSWORD, BEARER = "gh" + "p_" + sample(36, "t"), sample(24, "p"), sample(40, "b")
SECRETS = {
    "token": (TOKEN, [TOKEN]),
    "assignment": (f"DB_PASSWORD={PASSWORD}", [PASSWORD]),
    "key": (PEM, BODY),
    "bearer": (f"Authorization: Bearer {BEARER}", [BEARER]),
    "named ahead": (f'"password": "{PASSWORD}"', [PASSWORD]),
    "known by what follows": (f"postgres://app:{PASSWORD}@db.example/app", [PASSWORD]),
}
"""Each as it stands, and what of it is secret."""
WORDS = "these are plain words of an output, one line of many\n" * 200


def parted(text: str) -> str:
    cut = shorten(io.BytesIO(json.dumps({"text": text}).encode()), 0)
    assert cut.data is not None
    assert not cut.whole
    line = part(Line("p", 1, 0, decode(cut.data), cut.size, whole=False))
    return cast("dict[str, str]", line.value)["text"]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("end", ["head", "tail"])
def test_no_secret_is_parted_where_something_is_left_out(kind: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LEVELS", ((6000, 2400, 2400),))
    monkeypatch.setattr(cutting, "ROOM", 6000)
    secret, values = SECRETS[kind]
    # Beside the gap at each place: what a secret is one by, and the secret, may stand on either side of it.
    for at in (*range(100, 2500, 41), *range(1100, 1240, 2)):
        place = at if end == "head" else len(WORDS) - at
        shown = Masker().text(parted(f"{WORDS[:place]} {secret} {WORDS[place:]}"))
        pieces = [value[start : start + PIECE] for value in values for start in range(len(value) - PIECE + 1)]
        assert not [piece for piece in pieces if piece in shown], (at, shown)
        assert shown.startswith(WORDS[:100])
        assert shown.endswith(WORDS[-100:])


LONG_KEY = [sample(64, f"k{at}") for at in range(50)]
LONG_WEB_TOKEN, LONG_PASSWORD, LONG_BEARER = sample(2500, "w"), sample(1800, "q"), sample(1700, "r")
PHRASE = " ".join(sample(7, f"s{at}") for at in range(150))
LONG_SECRETS = {
    "web token": (f"eyJhbGciOiJIUzI1NiJ9.eyJ{LONG_WEB_TOKEN}.{sample(43, 'x')}", [LONG_WEB_TOKEN]),
    "key": (
        "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *LONG_KEY, "-----END RSA " + "PRIVATE KEY-----"]),
        LONG_KEY,
    ),
    "key without end": ("\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *LONG_KEY]), LONG_KEY),
    "named": (f'"password": "{LONG_PASSWORD}"', [LONG_PASSWORD]),
    "phrase": (f'"db_password": "{PHRASE}"', [PHRASE]),
    "bearer": (f"Authorization: Bearer {LONG_BEARER}", [LONG_BEARER]),
    "two lines": (f"run --api-token\n{sample(40, 'y')}", [sample(40, "y")]),
}
"""Longer than what is looked through beside a gap in a short side."""


@pytest.mark.parametrize("escapes", [0, 1, 2])
@pytest.mark.parametrize("kind", LONG_SECRETS)
@pytest.mark.parametrize("level", [*cutting.LEVELS[2:], cutting.LAST])
def test_the_rest_of_a_secret_that_began_in_what_was_left_out_is_not_shown(
    level: tuple[int, int, int], kind: str, escapes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "LEVELS", (level,))
    monkeypatch.setattr(cutting, "ROOM", level[0])
    secret, values = LONG_SECRETS[kind]
    pieces = {value[at : at + PIECE] for value in values for at in range(len(value) - PIECE + 1)}
    for behind in range(0, len(secret) + level[2], 1 + (len(secret) + level[2]) // 12):
        text = f"{WORDS}{WORDS}{secret}\n{WORDS[: max(0, level[2] - behind)]}"
        for _ in range(escapes):
            text = json.dumps(text)
        whole, shown = Masker().text(text), Masker().text(parted(text))
        assert not [piece for piece in pieces if piece in shown and piece not in whole], (behind, shown[-level[2] :])


def test_what_is_left_out_is_counted_to_the_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LEVELS", ((6000, 2400, 2400),))
    monkeypatch.setattr(cutting, "ROOM", 6000)
    text = "näive wörds – 漢字 and 😀\n" * 1000
    shown = parted(text)
    assert is_left_out(shown)
    assert whole_size(shown) == len(text.encode())
    head, _, tail = shown.partition("\n[… ")
    assert text.startswith(head)
    assert text.endswith(tail.partition("…]\n")[2])


def test_a_text_that_is_json_itself_is_json_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LEVELS", ((6000, 2400, 2400),))
    monkeypatch.setattr(cutting, "ROOM", 6000)
    for more in range(40):
        inner = {"output": "x" * more + 'a "word"\nand \\ é\n' * 1000, "exit_code": 3}
        found = json.loads(inside_json(parted(json.dumps(inner))))
        assert found["exit_code"] == 3
        assert is_left_out(found["output"])


def test_words_that_only_look_alike_say_nothing() -> None:
    assert not is_left_out("[… 12 bytes …]")
    assert whole_size("a\n[… 12 bytes …]\nb") == len("a\n[… 12 bytes …]\nb".encode())
    assert whole_size(f"ab{say_left_out(1_234_567)}c") == 1_234_570


# ── a session ────────────────────────────────────────────────────────────────────────────────────────────────────────


def read(home: Any, rows: Sequence[Any]) -> Story:
    return read_file(home.write("s", *rows))


def read_file(path: Path) -> Story:
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
    found = Found("claude-code", "s", (Segment(file, identity=READER.identify(file)),))
    story = read_story(READER, found)
    assert read_summary(READER, found)[0] == story.summary
    return story


def call(home: Any, n: int, tool: str, **given: str) -> dict[str, Any]:
    return home.row("s", n, "assistant", [{"type": "tool_use", "id": f"toolu_{n}", "name": tool, "input": given}])


def answer(home: Any, n: int, output: str, **told: object) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{n - 1}", "content": output}
    return home.row("s", n, "user", [block], toolUseResult=told)


def test_an_output_too_long_to_be_held_is_told_by_its_ends(home: Any) -> None:
    output = "first line\n" + "more words of it\n" * 1_200_000 + "3 passed in 0.1s"
    rows = [*home.talk("s")[:1], call(home, 2, "Bash", command="pytest"), answer(home, 3, output, stdout="")]
    story = read(home, rows)
    step = next(item.step for item in story.items if item.step is not None)
    assert step.output.startswith("first line\nmore words")
    assert step.output.endswith("more words of it\n3 passed in 0.1s")
    assert step.output_bytes == len(output)
    assert story.summary.problems == ()


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_row_of_the_index_that_is_too_long_to_be_held_is_shown_by_its_ends(
    home: Any, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    monkeypatch.setattr(cutting, "LEVELS", ((6000, 2400, 2400),))
    monkeypatch.setattr(cutting, "ROOM", 6000)
    prompt = f"first words {TOKEN} " + "more words of it\n" * 300_000 + "last words"
    path: Path = home.write("s", home.row("s", 1, "user", prompt))
    if is_packed:
        zstd = pytest.importorskip("backports.zstd", reason="the standard library has it here")
        packed = path.with_name(f"{path.name}.zst")
        packed.write_bytes(zstd.compress(path.read_bytes()))
        path = packed
    (item,) = read_items(READER, "claude-code", "s", Doc(1, 1, (Place(str(path), 1, 0),)))
    assert item.text is not None
    assert item.text.startswith(f"first words {TOKEN} more words")
    assert item.text.endswith("\nlast words")
    assert cutting.MARK not in item.text
    assert is_left_out(item.text)


def test_a_file_too_long_to_be_held_is_not_judged_by_what_is_left_of_it(home: Any) -> None:
    content = "a line of the file\n" * 1_000_000
    rows = [
        *home.talk("s")[:1],
        call(home, 2, "Write", file_path="/w/big.txt", content=content),
        answer(home, 3, "File created", type="create", filePath="/w/big.txt", content=content, structuredPatch=[]),
    ]
    story = read(home, rows)
    step = next(item.step for item in story.items if item.step is not None)
    (edit,) = step.edits
    assert (edit.path, edit.before, edit.after, edit.hunks) == ("/w/big.txt", None, None, ())
    assert [problem.line for problem in story.summary.problems] == [2, 3]
    assert all("too long to be compared" in problem.what for problem in story.summary.problems)


def test_a_short_edit_of_a_file_too_long_to_be_held_keeps_its_content(home: Any) -> None:
    patch = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]}
    big = "one\n" + "a line of the file\n" * 1_000_000
    told = {"filePath": "/w/a.txt", "oldString": "one", "newString": "two", "originalFile": big}
    rows = [
        *home.talk("s")[:1],
        call(home, 2, "Edit", file_path="/w/a.txt", old_string="one", new_string="two"),
        answer(home, 3, "updated", structuredPatch=[patch], **told),
    ]
    story = read(home, rows)
    (edit,) = next(item.step for item in story.items if item.step is not None).edits
    assert (edit.before, edit.after) == (None, None)
    assert [hunk.lines for hunk in edit.hunks] == [("-one", "+two")]
    assert story.summary.problems == ()


def test_an_edit_whose_own_text_is_not_whole_has_no_content(home: Any) -> None:
    long = "one of many words\n" * 600_000
    told = {
        "filePath": "/w/a.txt",
        "oldString": "one",
        "newString": long,
        "originalFile": "one\n",
        "structuredPatch": [],
    }
    rows = [
        *home.talk("s")[:1],
        call(home, 2, "Edit", file_path="/w/a.txt", old_string="one", new_string="two"),
        answer(home, 3, "updated", **told),
    ]
    story = read(home, rows)
    (edit,) = next(item.step for item in story.items if item.step is not None).edits
    assert (edit.before, edit.after, edit.hunks) == (None, None, ())
    assert [problem.line for problem in story.summary.problems] == [3]


def test_a_call_answered_by_a_line_of_a_million_values_has_its_result(home: Any) -> None:
    rows = [
        *home.talk("s")[:1],
        call(home, 2, "Bash", command="pytest"),
        answer(home, 3, "3 passed in 0.1s", stdout="3 passed in 0.1s", more=[[at] for at in range(1_000_000)]),
    ]
    story = read(home, rows)
    step = next(item.step for item in story.items if item.step is not None)
    assert (step.output, step.exit_code) == ("3 passed in 0.1s", 0)
    assert story.summary.problems == ()


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_a_call_answered_by_a_line_that_is_nested_too_deep_has_its_result(home: Any, size: int) -> None:
    edit = {"file_path": "/w/a.py", "old_string": "1", "new_string": "2"}
    told = {"filePath": "/w/a.py", "oldString": "1", "newString": "2", "originalFile": "1\n", "structuredPatch": []}
    rows = [*home.talk("s")[:1], call(home, 2, "Edit", **edit), answer(home, 3, "done", more="@", **told)]
    path: Path = home.write("s", *rows, home.row("s", 4, "user", "x" * size))
    path.write_bytes(path.read_bytes().replace(b'"@"', b'{"a":[' * 2000 + b"]}" * 2000))
    story = read_file(path)
    step = next(item.step for item in story.items if item.step is not None)
    assert step.output == "done"
    assert story.summary.ending.dangling == 0
    assert (step.edits[0].before, step.edits[0].path) == ("1\n", "/w/a.py")
    assert [(problem.line, problem.what[-30:]) for problem in story.summary.problems] == [
        (3, "are nested too deep to be read")
    ]


def test_of_a_patch_of_several_files_only_the_one_that_is_not_whole_loses_its_content() -> None:
    diff = "@@ -1,1 +1,1 @@\n-one\n+two\n"
    changes = {
        "/w/a.txt": {"type": "update", "unified_diff": diff},
        "/w/big.txt": {"type": "update", "unified_diff": f"{diff}{MARK}12{MARK}+more\n"},
    }
    event = Result("call_1", Outcome.OK, None, Place("p", 1, 0), edits=changed_files(changes, "/w"))
    line = Line("p", 1, 0, {"payload": {"changes": changes}}, 9_000_000, whole=False)
    softened, told = soften(line, [event])
    assert isinstance(softened, Result)
    assert [bool(edit.hunks) for edit in softened.edits or ()] == [True, False]
    assert isinstance(told, Problem)
