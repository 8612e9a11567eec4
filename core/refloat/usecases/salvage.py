"""Lost work of a session brought together: a patch of what its record holds and the checkout lacks (design §4).

Joins the comparison, the content of what is lost and the proof that git takes it. Refuses to touch the checkout: what
is found is an answer, and `put_salvage` writes it where a person said.
"""

from collections.abc import Sequence
from pathlib import Path

from refloat.brief.find_secrets import find_secrets
from refloat.checkout.edited import find_edited
from refloat.checkout.lost import find_lost
from refloat.checkout.recorded import name_of
from refloat.checkout.salvage import Root, build_patch
from refloat.model.salvage import Salvage
from refloat.model.story import Story
from refloat.there import may_be_there
from refloat.usecases.compare_checkout import Looked, Scene, look_at, see_scene
from refloat.usecases.examine import see_with_others
from refloat.usecases.find_sessions import Located
from refloat.usecases.read_session import read_story
from refloat.usecases.workbench import Workbench


def salvage_session(bench: Workbench, located: Located) -> Salvage:
    """Find what of a session's recorded work stands in no saved place, and make it a patch.

    Raises:
        Unreadable: nothing of the transcript could be read.

    """
    story = read_story(located.reader, located.found)
    scene, others = see_with_others(bench, located, story)
    return salvage(bench, story, others=others, scene=scene)


def salvage(bench: Workbench, story: Story, *, others: Sequence[Story] = (), scene: Scene | None = None) -> Salvage:
    """Make the patch from a story that was read; `scene` is looked at where it was not yet."""
    looked = look_at(bench, story, others, scene or see_scene(bench, story))
    root = _root(bench, looked)
    lost = find_lost(looked.survey, find_edited(looked.survey), None if root is None else str(root.path))
    patch, files = build_patch(root, lost)
    texts = [patch, *(file.beside.decode(errors="replace") for file in files if file.beside is not None)]
    return Salvage(
        name_of(story),
        str(root.path) if root is not None and root.is_there else None,
        patch,
        tuple(files),
        sum(len(find_secrets(text)) for text in texts),
        str(root.path) if root is not None and not root.is_there else None,
        tuple(real for real in looked.survey.folded if _is_unread(looked, real)),
    )


def _root(bench: Workbench, looked: Looked) -> Root | None:
    """The session's repository, else the folder that it worked in, which may be gone."""
    repository, trees = looked.scene.repository, looked.survey.trees
    if repository is not None:
        return Root(bench.machine.git, repository.root, repository)
    if trees.workspace is None or not trees.workspace.startswith("/"):
        return None
    return Root(bench.machine.git, Path(trees.real(f"{trees.workspace}/any")).parent, None)


def _is_unread(looked: Looked, real: str) -> bool:
    """Whether a file stands there, or may, that nobody may read; a name that no disk holds has none."""
    return looked.survey.content(real).kind == "unreadable" and may_be_there(real)
