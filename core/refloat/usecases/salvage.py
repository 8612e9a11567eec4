"""Lost work of a session brought together: a patch of what its record holds and the checkout lacks (design §4).

Joins the comparison, the content of what is lost and the proof that git takes it. Refuses to touch the checkout: what
is found is an answer, and `put_salvage` writes it where a person said.
"""

from collections.abc import Sequence

from refloat.brief.find_secrets import find_secrets
from refloat.checkout.edited import find_edited
from refloat.checkout.lost import find_lost
from refloat.checkout.recorded import name_of
from refloat.checkout.salvage import build_patch
from refloat.model.salvage import Salvage
from refloat.model.story import Story
from refloat.usecases.compare_checkout import Scene, look_at, see_scene
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
    repository = looked.scene.repository
    lost = find_lost(looked.survey, find_edited(looked.survey), looked.scene.missing)
    patch, files = build_patch(repository, lost)
    texts = [patch, *(file.beside.decode(errors="replace") for file in files if file.beside is not None)]
    return Salvage(
        name_of(story),
        str(repository.root) if repository is not None else None,
        patch,
        tuple(files),
        sum(len(find_secrets(text)) for text in texts),
    )
