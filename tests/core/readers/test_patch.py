"""Patch texts as edits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.readers.patch import absolute, parse_patch, parse_unified, touched_by

WHOLE = """apply_patch <<'EOF'
*** Begin Patch
*** Environment ID: env-1
*** Update File: importer.py
*** Move to: importer_v2.py
@@ def run():
-    fetch()
+    retry(fetch)

     done()
@@ class Later:
+    pass
*** End of File

*** Add File: sub/retry.py
+def retry(f):
+
+    return f()
*** Delete File: /abs/x/../old.py
*** End Patch
EOF
"""


def test_every_section():
    update, add, delete = parse_patch(WHOLE, "/w")
    assert (update.path, update.moved_to, update.op) == ("/w/importer.py", "/w/importer_v2.py", "update")
    assert [(hunk.anchor, hunk.lines) for hunk in update.hunks] == [
        ("def run():", ("-    fetch()", "+    retry(fetch)", " ", "     done()")),
        ("class Later:", ("+    pass",)),
    ]
    assert [(hunk.old_lines, hunk.new_lines, hunk.old_start) for hunk in update.hunks] == [(3, 3, None), (0, 1, None)]
    assert (add.path, add.op, add.after) == ("/w/sub/retry.py", "create", "def retry(f):\n\n    return f()\n")
    assert (delete.path, delete.op) == ("/abs/old.py", "delete")


@pytest.mark.parametrize("text", ["", "no patch", "*** End Patch", "+*** Begin Patch\n+*** Add File: x"])
def test_what_is_no_patch_has_no_edits(text: str):
    assert parse_patch(text, "/w") == ()


def test_a_patch_that_was_cut_gives_what_stands_there():
    (edit,) = parse_patch("*** Begin Patch\n*** Add File: a\n+one\n+tw", "/w")
    assert edit.after == "one\ntw\n"


def test_added_lines_may_look_like_marks():
    (edit,) = parse_patch("*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n+@@\n*** End Patch", "/w")
    assert edit.after == "*** Delete File: b\n@@\n"


def test_a_mark_may_stand_between_blanks():
    text = "  *** Begin Patch \n*** Update File: a\n@@\n-1 *** 2\n+one\n\t*** End Patch \n+two"
    (edit,) = parse_patch(text, "/w")
    assert [(hunk.lines, hunk.old_lines, hunk.new_lines) for hunk in edit.hunks] == [(("-1 *** 2", "+one"), 1, 1)]


def test_two_patches_in_one_text():
    text = (
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\nnoise\n*** Begin Patch\n*** Delete File: b\n*** End Patch"
    )
    assert [edit.path for edit in parse_patch(text, "/w")] == ["/w/a", "/w/b"]


def test_unified_hunks_without_headers():
    diff = (
        "@@ -1,2 +1,2 @@\n def run():\n-    fetch()\n+    retry(fetch)\n"
        "@@ -9 +9,2 @@ def x\n y\n+z\n\\ No newline at end of file\n"
    )
    first, second = parse_unified(diff)
    assert (first.old_start, first.old_lines, first.new_start, first.new_lines) == (1, 2, 1, 2)
    assert first.lines == (" def run():", "-    fetch()", "+    retry(fetch)")
    assert (second.old_start, second.lines) == (9, (" y", "+z", "\\ No newline at end of file"))


def test_unified_lines_may_look_like_headers():
    (hunk,) = parse_unified("--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a\n same\n")
    assert hunk.lines == ("--- a", " same")


def test_a_new_file_in_a_unified_diff():
    (hunk,) = parse_unified("@@ -0,0 +1,2 @@\n+a\n+b\n")
    assert (hunk.old_start, hunk.old_lines, hunk.new_lines) == (0, 0, 2)


@pytest.mark.parametrize(
    ("path", "cwd", "made"),
    [
        ("a.py", "/w", "/w/a.py"),
        ("../a.py", "/w/sub", "/w/a.py"),
        ("/x//y/./z", "/w", "/x/y/z"),
        ("//x", "/w", "/x"),
        ("file:///home/ada/a%20b", "/w", "/home/ada/a b"),
        ("file://localhost/home/ada", "", "/home/ada"),
        ("file:///C:/x", "/w", "C:/x"),
        ("C:\\x\\y", "/w", "C:\\x\\y"),
        ("sub/a.py", "C:\\w", "C:\\w\\sub\\a.py"),
        ("a.py", "", "a.py"),
        ("", "/w", "/w"),
    ],
)
def test_paths_become_absolute(path: str, cwd: str, made: str):
    assert absolute(path, cwd) == made


LINES = st.sampled_from(
    [
        "*** Begin Patch", " *** Begin Patch ", "*** End Patch", "  *** End Patch", "*** Add File: a.py",
        "*** Delete File: b", "*** Update File: c d.py ", "*** Move to: e.py", "*** End of File", "@@", "@@ def f()",
        "+x", "-y", " z", "", "+*** a",
        " *** Move to: no", "x *** y", "***",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=24), st.booleans())
def test_the_paths_alone_are_those_of_the_whole(lines: list[str], begun: bool):
    text = "\n".join([*["*** Begin Patch"] * begun, *lines])
    whole = parse_patch(text, "/w")
    assert [(edit.path, edit.moved_to) for edit in touched_by(text, "/w")] == [(e.path, e.moved_to) for e in whole]
