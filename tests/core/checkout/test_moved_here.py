"""What is told of a dirty file that the session wrote under another name."""

import pytest
from tests.core.checkout.conftest import Repo, change_of

from refloat.model.checkout import Owner
from refloat.testing.stories import edited, written

TEXT = "def review(x):\n    return x\n"


@pytest.mark.parametrize(
    ("command", "why"),
    [("", "moved from m.py"), ("mv m.py pkg/m2.py", "moved from m.py by step 2: mv m.py pkg/m2.py")],
)
def test_a_moved_file_is_this_sessions_and_named_after_where_it_stood(repo: Repo, command: str, why: str) -> None:
    story = repo.story()
    story.edit(written(repo.path("m.py"), TEXT))
    if command:
        story.run(command)
    repo.write("pkg/m2.py", TEXT, 12)
    change = change_of(repo.compare(story), "pkg/m2.py")
    assert (change.owner, change.session, change.why) == (Owner.THIS_SESSION, "claude-code:" + story.session_id, why)


def test_a_moved_file_with_lines_of_somebody_else_is_named_after_where_it_stood(repo: Repo) -> None:
    before = "".join(f"line {n}\n" for n in range(30))
    path = repo.write("m.py", before)
    repo.commit("m")
    story = repo.story()
    after = before.replace("line 5\n", "line five\n")
    story.edit(edited(path, before, after))
    repo.git("mv", "m.py", "pkg.py")
    repo.write("pkg.py", after + "line 30\n", 50)
    assert change_of(repo.compare(story), "pkg.py").why == "moved from m.py"


def test_a_file_that_was_edited_by_a_link_is_told_so(repo: Repo) -> None:
    repo.write("real.py", "old = 1\n")
    (repo.root / "link.py").symlink_to("real.py")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(repo.path("link.py"), "old = 1\n", "new = 2\n"))
    repo.write("real.py", "new = 2\n", 12)
    why = "the session edited it by another name: a link leads to it"
    assert change_of(repo.compare(story), "real.py").why == why
