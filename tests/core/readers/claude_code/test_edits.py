"""What edits record: path, before, after, hunks."""

from refloat.model.transcript import FileEdit, Hunk, Outcome, Step, Touched
from refloat.testing.claude_talk import CWD, REFUSED, ClaudeTalk, events_of, story_of

BEFORE = "def run():\n    fetch()\n"
AFTER = "def run():\n    retry(fetch)\n"
PATCH = [
    {
        "oldStart": 1,
        "oldLines": 2,
        "newStart": 1,
        "newLines": 2,
        "lines": [" def run():", "-    fetch()", "+    retry(fetch)"],
    }
]
HUNK = Hunk(1, 2, 1, 2, (" def run():", "-    fetch()", "+    retry(fetch)"))
WANTED = Hunk(None, 1, None, 1, ("-fetch()", "+retry(fetch)"))
PATH = f"{CWD}/importer.py"
BASH = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}


def only(talk: ClaudeTalk) -> Step:
    (step,) = story_of(talk).steps
    return step


def edited(told: object, tool: str = "Edit", said: str = "has been updated", /, **given: object) -> Step:
    talk = ClaudeTalk()
    talk.call(tool, "t1", **given)
    talk.result("t1", said, told)
    return only(talk)


def result(**fields: object) -> dict[str, object]:
    return {
        "filePath": PATH,
        "oldString": "fetch()",
        "newString": "retry(fetch)",
        "originalFile": BEFORE,
        "structuredPatch": PATCH,
        "userModified": False,
        "replaceAll": False,
        **fields,
    }


def test_what_a_call_asks_for_stands_until_it_is_answered():
    talk = ClaudeTalk()
    talk.call("Edit", "t1", file_path=PATH, old_string="fetch()", new_string="retry(fetch)", replace_all=True)
    talk.call("Write", "t2", file_path="retry.py", content="x\n")
    talk.call(
        "MultiEdit",
        "t3",
        file_path=PATH,
        edits=[{"old_string": "a", "new_string": "b"}, {"old_string": "c\n", "new_string": ""}],
    )
    talk.call("NotebookEdit", "t4", notebook_path="/n.ipynb", new_source="x")
    talk.call("Edit", "t5", file_path="/new", old_string="", new_string="x")
    assert [step.edits for step in story_of(talk).steps] == [
        (FileEdit(PATH, "update", hunks=(WANTED,), replace_all=True),),
        (FileEdit(f"{CWD}/retry.py", "create", after="x\n"),),
        (FileEdit(PATH, "update", hunks=(Hunk(None, 1, None, 1, ("-a", "+b")), Hunk(None, 1, None, 0, ("-c",)))),),
        (FileEdit("/n.ipynb", "update"),),
        (FileEdit("/new", "create", after="x"),),
    ]


def test_an_edit():
    assert edited(result(), file_path=PATH).edits == (
        FileEdit(PATH, "update", before=BEFORE, after=AFTER, hunks=(HUNK,), existed=True),
    )


def test_an_edit_of_a_long_file_has_its_hunks():
    assert edited(result(originalFile=None), file_path=PATH).edits == (
        FileEdit(PATH, "update", hunks=(HUNK,), existed=True),
    )


def test_an_edit_that_a_person_changed():
    patch = [{**PATCH[0], "lines": [" def run():", "-    fetch()", "+    retry(fetch, 3)"]}]
    (edit,) = edited(result(structuredPatch=patch, userModified=True), file_path=PATH).edits
    assert edit.after == "def run():\n    retry(fetch, 3)\n"


def test_every_occurrence():
    told = result(originalFile="a a\na\n", oldString="a", newString="b", replaceAll=True, structuredPatch=[])
    (edit,) = edited(told, file_path=PATH).edits
    assert (edit.after, edit.replace_all) == ("b b\nb\n", True)


def test_an_edit_that_makes_a_file():
    told = result(originalFile=None, oldString="", newString="x\n", structuredPatch=[])
    (edit,) = edited(told, file_path=PATH).edits
    assert (edit.op, edit.after, edit.existed) == ("create", "x\n", False)


def test_writes():
    made = {"type": "create", "filePath": PATH, "content": "x\n", "structuredPatch": [], "originalFile": None}
    assert edited(made, "Write", file_path=PATH, content="x\n").edits == (
        FileEdit(PATH, "create", after="x\n", existed=False),
    )
    again = {"type": "update", "filePath": PATH, "content": AFTER, "structuredPatch": PATCH, "originalFile": BEFORE}
    assert edited(again, "Write", file_path=PATH, content="proposal").edits == (
        FileEdit(PATH, "update", before=BEFORE, after=AFTER, hunks=(HUNK,), existed=True),
    )


def test_several_edits_at_once():
    edits = [{"old_string": "def run", "new_string": "def go"}, {"old_string": "fetch()", "new_string": "retry()"}]
    told = {
        "filePath": PATH,
        "edits": edits,
        "originalFileContents": BEFORE,
        "structuredPatch": [],
        "userModified": False,
    }
    (edit,) = edited(told, "MultiEdit", file_path=PATH, edits=edits).edits
    assert (edit.before, edit.after, len(edit.hunks)) == (BEFORE, "def go():\n    retry()\n", 2)


def test_notebooks():
    told = {"notebook_path": "/n.ipynb", "new_source": "x", "original_file": "{}", "updated_file": "{x}"}
    assert edited(told, "NotebookEdit", notebook_path="/n.ipynb").edits == (
        FileEdit("/n.ipynb", "update", before="{}", after="{x}", existed=True),
    )
    assert edited(told | {"error": "no cell"}, "NotebookEdit", notebook_path="/n.ipynb").edits == ()


def test_without_a_structured_result_the_call_tells():
    step = edited(None, "Write", "File created successfully at: /x", file_path="/x", content="x\n")
    assert step.edits == (FileEdit("/x", "create", after="x\n"),)
    assert step.outcome is Outcome.OK


def test_what_failed_or_was_refused_changed_nothing():
    for content, told in (
        ("<tool_use_error>String to replace not found in file.", "Error: String to replace not found in file."),
        ("File has not been read yet", "Error: File has not been read yet"),
        (REFUSED, "User rejected tool use"),
    ):
        talk = ClaudeTalk()
        talk.call("Edit", "t1", file_path=PATH, old_string="a", new_string="b")
        talk.result("t1", content, told, failed=True)
        step = only(talk)
        assert (step.edits, step.files, step.effects_unknown) == ((), (PATH,), False)


def test_an_edit_that_the_end_of_the_program_cut_is_unconfirmed():
    talk = ClaudeTalk()
    talk.call("Edit", "t1", file_path=PATH, old_string="fetch()", new_string="retry(fetch)")
    talk.result("t1", REFUSED, "User rejected tool use", failed=True, interruptedByShutdown=True)
    step = only(talk)
    assert (step.outcome, step.effects_unknown, len(step.edits)) == (Outcome.INTERRUPTED, True, 1)


def test_heredocs_are_edits():
    talk = ClaudeTalk()
    talk.ran("cd src && cat > a.py <<'EOF'\nx = 1\nEOF")
    step = only(talk)
    assert (step.kind, step.files) == ("edit", (f"{CWD}/src/a.py",))
    assert step.edits == (FileEdit(f"{CWD}/src/a.py", "create", after="x = 1\n"),)
    assert story_of(talk).summary.edits == 1


def test_a_heredoc_before_a_failure_may_be_there():
    talk = ClaudeTalk()
    talk.ran("cat > a.py <<'EOF'\nx = 1\nEOF\npytest -q", "1 failed", 1)
    step = only(talk)
    assert (step.outcome, step.exit_code, step.effects_unknown, len(step.edits)) == (Outcome.ERROR, 1, True, 1)


def test_a_patch_through_the_shell():
    talk = ClaudeTalk()
    talk.ran("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.py\n+x\n*** End Patch\nEOF")
    assert [edit.path for edit in only(talk).edits] == [f"{CWD}/n.py"]


def test_what_a_command_changed_in_the_tree():
    diff = {
        "files": [
            {"filePath": PATH, "hunks": PATCH},
            {"filePath": f"{CWD}/a.py", "hunks": [], "created": True},
            {"filePath": f"{CWD}/old.py", "hunks": [], "deleted": True},
        ]
    }
    talk = ClaudeTalk()
    talk.call("Bash", "t1", command="cat > a.py <<'EOF'\nx\nEOF\nruff format .")
    talk.result("t1", "", BASH | {"bashEditDiff": diff})
    assert only(talk).edits == (
        FileEdit(PATH, "update", hunks=(HUNK,), existed=True),
        FileEdit(f"{CWD}/a.py", "create", after="x\n", existed=False),
        FileEdit(f"{CWD}/old.py", "delete", existed=True),
    )


def test_whole_reads_show_a_files_content():
    talk = ClaudeTalk()
    for name, start, total in (("t1", 1, 2), ("t2", 2, 2), ("t3", 1, 900)):
        talk.call("Read", name, file_path=PATH)
        file = {"filePath": PATH, "content": BEFORE, "numLines": 2, "startLine": start, "totalLines": total}
        talk.result(name, "     1→def run():", {"type": "text", "file": file})
    touched = [event for event in events_of(talk) if isinstance(event, Touched)]
    assert [(t.path, t.kind, t.content, t.call) for t in touched] == [(PATH, "read", BEFORE, "t1")]


def test_backups():
    talk = ClaudeTalk()
    backups = {
        "importer.py": {
            "backupFileName": "0123456789abcdef@v1",
            "version": 1,
            "backupTime": "2026-08-20T09:10:12.000Z",
        },
        "retry.py": {"backupFileName": None, "version": 1, "backupTime": "2026-08-20T09:10:13.000Z"},
        "/etc/hosts": {"backupFileName": "aa@v1", "version": 1, "backupTime": "2026-08-20T09:10:13.000Z"},
        "odd": {"version": 1},
    }
    snapshot = {"messageId": "m", "trackedFileBackups": backups, "timestamp": "2026-08-20T09:10:00.000Z"}
    talk.metadata("file-history-snapshot", messageId="m", snapshot=snapshot, isSnapshotUpdate=False)
    talk.prompt("go")
    talk.metadata("file-history-snapshot", messageId="m", snapshot=snapshot, isSnapshotUpdate=True)
    delta = {"backupFileName": "0123456789abcdef@v2", "version": 2, "backupTime": "2026-08-20T09:10:14.000Z"}
    talk.metadata("file-history-delta", messageId="m", trackingPath="importer.py", backup=delta)
    touched = [event for event in events_of(talk) if isinstance(event, Touched)]
    assert [(t.kind, t.path, t.source) for t in touched] == [
        ("backup", "/etc/hosts", "aa@v1"),
        ("backup", PATH, "0123456789abcdef@v1"),
        ("backup", f"{CWD}/retry.py", ""),
        ("backup", PATH, "0123456789abcdef@v2"),
    ]
    assert story_of(talk).summary.last_activity_at == "2026-08-20T09:10:00.000Z"


def test_a_file_changed_by_somebody_else():
    talk = ClaudeTalk()
    talk.attach("edited_text_file", filename=PATH, snippet="…")
    assert [(t.kind, t.path) for t in story_of(talk).touched] == [("changed_outside", PATH)]


def test_two_edits_under_one_id_are_two_steps():
    talk = ClaudeTalk()
    for name in ("one.py", "two.py"):
        talk.call("Edit", "t1", file_path=f"{CWD}/{name}", old_string="a", new_string="b")
        talk.result("t1", "has been updated", {**result(), "filePath": f"{CWD}/{name}"})
    steps = story_of(talk).steps
    assert [[edit.path for edit in step.edits] for step in steps] == [[f"{CWD}/one.py"], [f"{CWD}/two.py"]]


def test_a_call_copied_under_another_row_is_one_step():
    talk = ClaudeTalk()
    talk.call("Edit", "t1", file_path=PATH, old_string="a", new_string="b")
    talk.result("t1", "has been updated", result())
    talk.rows += [{**row, "uuid": f"{row['uuid']}-copy"} for row in list(talk.rows) if isinstance(row, dict)]
    assert len(list(story_of(talk).steps)) == 1
