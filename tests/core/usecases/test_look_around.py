"""The line at the top of the desk counts what the checkout counts: what Refloat wrote itself is no dirty file."""

from pathlib import Path

from refloat.model.own_files import mark_of
from refloat.testing.fakes import ScriptedGit, fake_machine
from refloat.usecases.look_around import look_around
from refloat.usecases.workbench import Workbench


def test_a_brief_of_refloats_is_not_counted_and_anybody_elses_file_is(tmp_path: Path):
    repo = tmp_path / "shop"
    repo.mkdir()
    (repo / "HANDOFF.md").write_text(f"# Go on\n\n{mark_of('brief')}\n")
    (repo / "NOTES.md").write_text("# Mine\n")
    (repo / "link.md").symlink_to(repo / "HANDOFF.md")
    rows = b" M src/a.py\0?? HANDOFF.md\0?? NOTES.md\0?? link.md\0?? gone.md\0?? new/\0"
    git = ScriptedGit({("rev-parse",): f"{repo}\n", ("status",): rows, ("symbolic-ref",): "main\n"})
    seen = look_around(Workbench(fake_machine(tmp_path, git=git), ()), repo)
    assert (seen.repo, seen.branch, seen.dirty) == (str(repo), "main", 5)
