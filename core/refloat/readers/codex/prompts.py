"""Which user-role texts are a person's words, and what they are without what the program put around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from refloat.patterns import late
from refloat.readers.codex.shape import Json, as_dict, as_list, as_text, parse_object, texts

INJECTED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<apps_instructions>",
    "<skill>",
    "<hook_prompt",
    "<subagent_notification>",
    "<turn_aborted>",
    "<recommended_plugins>",
    "<codex_internal_context",
    "<user_shell_command>",
    "<realtime_delegation>",
    "<model_switch>",
    "<context_window",
    "The following is the Codex agent history",
)
"""How user-role texts begin that no person typed (formats/codex, section 4.1)."""

_REQUEST: Final = "## My request for Codex:"
_IDE: Final = ("# Files mentioned by the user", "# Selected text", "# Context from my IDE setup", _REQUEST)
_IMAGE_TAG: Final = late(r"</?image\b[^>]{0,300}>")
_REPLY: Final = "<send_user_message_question_reply>"
_SHELL: Final = late(r"<user_shell_command>\s*<command>\s*(.*?)\s*</command>\s*<result>\s*(.*?)\s*</result>", re.DOTALL)
_CWD: Final = late(r"<cwd>\s*(.*?)\s*</cwd>", re.DOTALL)
IMAGE: Final = "[image]"
"""Stands for a prompt that is nothing but pictures."""


def is_injected(text: str) -> bool:
    """Whether the program put this text in, and no person."""
    return text.lstrip().startswith(INJECTED)


def looks_like_a_tag(text: str) -> bool:
    """Whether it begins as injected texts do, although this one is not known."""
    return re.match(r"\s*<[a-z][a-z_]{2,60}[ >]", text) is not None


def person_text(text: str) -> str:
    """The person's own words: without an IDE's headers, and an answer without its wrapping."""
    bare = text.strip()
    if bare.startswith(_IDE) and _REQUEST in bare:
        return bare.partition(_REQUEST)[2].strip()
    if bare.startswith(_REPLY):
        return _answers(bare[len(_REPLY) :])
    return text


def _answers(text: str) -> str:
    inner = text.partition("</send_user_message_question_reply>")[0].strip()
    lines: list[str] = []
    for entry in as_list(parse_object('{"l":' + inner + "}").get("l")):
        row = as_dict(entry)
        question, answer = as_text(row.get("question")), as_text(row.get("answer"))
        lines.append(f"{question}\n{answer}" if question else answer)
    return "\n".join(lines) or inner


def words_among(parts: Sequence[str]) -> list[str]:
    """The parts that a person may have typed."""
    return [part for part in parts if part and not is_injected(part) and not _IMAGE_TAG.fullmatch(part.strip())]


def words_of_row(payload: Json) -> tuple[str, bool] | None:
    """The person's text in a user-role `message` row, and whether the row itself says so; None: it is injected."""
    parts = texts(payload.get("content"))
    kinds = _kinds(payload)
    if kinds is not None:
        mine = [k.startswith("user.") for k in kinds]
        if not any(mine):
            return None
        if len(mine) == len(parts):
            parts = [part for part, own in zip(parts, mine, strict=True) if own]
    pictures = any("image" in as_text(as_dict(item).get("type")) for item in as_list(payload.get("content")))
    kept = words_among(parts)
    if not kept:
        return (IMAGE, kinds is not None) if pictures else None
    return "\n".join(kept), kinds is not None


def _kinds(payload: Json) -> Sequence[str] | None:
    about = as_dict(payload.get("internal_chat_message_metadata_passthrough"))
    listed = about.get("content_item_kinds")
    return [as_text(kind) for kind in as_list(listed)] or None


def shell_command(text: str) -> tuple[str, str] | None:
    """Command and result of a `!` command that the person ran."""
    found = _SHELL.search(text)
    return (found[1], found[2]) if found else None


def cwd_of(text: str) -> str:
    """The directory in an `<environment_context>`."""
    found = _CWD.search(text) if "<environment_context>" in text else None
    return found[1] if found else ""
