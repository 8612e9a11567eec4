"""The agents whose transcripts can be repaired: one line each."""

from typing import Final

from refloat.errors import NotDone
from refloat.repair.claude_code import ClaudeRepair
from refloat.repair.codex import CodexRepair
from refloat.repair.frame import Repairer

BUILTIN: Final[tuple[Repairer, ...]] = (ClaudeRepair(), CodexRepair())


def get_repairer(agent: str) -> Repairer:
    """The repairer of an agent.

    Raises:
        NotDone: there is none.

    """
    for repairer in BUILTIN:
        if repairer.agent == agent:
            return repairer
    known = ", ".join(repairer.agent for repairer in BUILTIN)
    raise NotDone(f"transcripts of {agent} cannot be repaired; of these agents they can: {known}")
