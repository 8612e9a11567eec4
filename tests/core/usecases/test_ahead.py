"""A look that was begun ahead is used for its own worktree only, once, and never told of another."""

from pathlib import Path

from refloat.testing.fakes import ScriptedGit
from refloat.usecases.ahead import Ahead


def git_of(root: Path) -> ScriptedGit:
    found = f"{root}\n{root}/.git\n{root}/.git\nsha1\n"
    status = "# branch.oid 1111111111111111111111111111111111111111\0# branch.head main\0"
    return ScriptedGit({("rev-parse", "--path-format=absolute"): found, ("status",): status})


def looks(git: ScriptedGit) -> int:
    return sum(words[0] == "status" for _, words in git.asked)


def checkout(directory: Path, name: str) -> Path:
    place = directory.resolve() / name
    (place / ".git").mkdir(parents=True)
    (place / "deep" / "er").mkdir(parents=True)
    return place


def test_a_look_serves_every_directory_of_its_worktree(tmp_path: Path) -> None:
    place = checkout(tmp_path, "one")
    git = git_of(place)
    ahead = Ahead(git)
    ahead.begin(str(place / "deep"))
    ahead.begin(str(place))
    found = ahead.repository(place / "deep" / "er")
    assert found is not None
    assert (found.root, found.head) == (place, "1" * 40)
    assert looks(git) == 1


def test_it_is_used_once(tmp_path: Path) -> None:
    place = checkout(tmp_path, "one")
    git = git_of(place)
    ahead = Ahead(git)
    ahead.begin(str(place))
    assert ahead.repository(place) is not ahead.repository(place)
    assert looks(git) == 2


def test_another_worktree_is_looked_at_for_itself(tmp_path: Path) -> None:
    one, other = checkout(tmp_path, "one"), checkout(tmp_path, "other")
    inner = checkout(one, "inner")
    for place in (other, inner):
        git = git_of(place)
        ahead = Ahead(git)
        ahead.begin(str(one))
        found = ahead.repository(place)
        assert found is not None
        assert found.root == place
        assert git.asked[-1][0] == place


def test_where_git_says_another_top_it_is_asked_again(tmp_path: Path) -> None:
    place = checkout(tmp_path, "one")
    git = git_of(tmp_path / "elsewhere")
    ahead = Ahead(git)
    ahead.begin(str(place))
    ahead.repository(place)
    assert looks(git) == 2


def test_outside_of_any_worktree_nothing_is_begun(tmp_path: Path) -> None:
    git = ScriptedGit()
    ahead = Ahead(git)
    for place in (str(tmp_path), "relative", "with\0zero", str(tmp_path / "gone")):
        ahead.begin(place)
    assert git.asked == []
    assert ahead.repository(tmp_path) is None
