"""What is left of a session once it was examined and let go."""

import gc
from pathlib import Path

from refloat.model.story import Story
from refloat.readers.registry import load
from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.testing.fakes import fake_machine
from refloat.usecases.examine import examine
from refloat.usecases.find_sessions import resolve
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_brief


def test_a_session_is_gone_as_soon_as_nobody_wants_it(tmp_path: Path) -> None:
    """And not when somebody looks for cycles: an app examines one after the other, each of some megabytes."""
    talk = ClaudeTalk(cwd=str(tmp_path / "work"))
    talk.prompt("Change it")
    talk.call("Edit", "toolu_1", file_path=str(tmp_path / "work/a.py"), old_string="one", new_string="two")
    talk.result("toolu_1", "The file has been updated.")
    talk.write(tmp_path / "home" / ".claude" / "projects" / "-work")
    bench = Workbench(fake_machine(tmp_path), [load("claude-code")])
    located = resolve(bench, SESSION, tmp_path)
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(each, Story) for each in gc.get_objects())
        seen = examine(bench, located)
        assert seen.checkout.files
        assert write_brief(bench, seen.session, seen.story, seen.checkout, seen.triage).markdown
        assert sum(isinstance(each, Story) for each in gc.get_objects()) == before + 1
        del seen
        assert sum(isinstance(each, Story) for each in gc.get_objects()) == before
    finally:
        gc.enable()
