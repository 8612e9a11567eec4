"""How turns end: the error words of Codex as kinds of failure, and usage that has reached its limit."""

from __future__ import annotations

from typing import Final

from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.readers.codex.shape import Json, as_dict, as_float, as_text

_KINDS: Final = {
    "usage_limit_exceeded": FailureKind.RATE_LIMIT,
    "unauthorized": FailureKind.AUTH,
    "context_window_exceeded": FailureKind.CONTEXT_LIMIT,
    "http_connection_failed": FailureKind.API_ERROR,
    "response_stream_connection_failed": FailureKind.API_ERROR,
    "response_stream_disconnected": FailureKind.API_ERROR,
    "response_too_many_failed_attempts": FailureKind.API_ERROR,
    "server_overloaded": FailureKind.API_ERROR,
    "internal_server_error": FailureKind.API_ERROR,
    "bad_request": FailureKind.API_ERROR,
    "cyber_policy": FailureKind.API_ERROR,
}
_FULL: Final = 100.0
_HARMLESS: Final = frozenset({"thread_rollback_failed", "active_turn_not_steerable"})
"""Errors about a request of the person's, which end no turn."""


def error_name(info: object) -> str:
    """`codex_error_info`: a word, or an object whose only key is the word."""
    told = as_dict(info)
    return next(iter(told), "") if told else as_text(info)


def ends_turn(info: object) -> bool:
    """Whether an error of this kind ends a turn."""
    return error_name(info) not in _HARMLESS


def failure_of(error: Json, limit: str, at: Stamp | None) -> Failure:
    """A recorded error as a failure; `limit` is what `limit_reached` last said."""
    name = error_name(error.get("codex_error_info"))
    kind = _KINDS.get(name, FailureKind.UNKNOWN)
    message = as_text(error.get("message")) or name or "an error without words"
    if kind is FailureKind.UNKNOWN and not name:
        kind = _from_words(message)
    if kind is FailureKind.RATE_LIMIT and limit == "credits":
        kind = FailureKind.OUT_OF_CREDIT
    return Failure(kind, message, at)


def _from_words(message: str) -> FailureKind:
    low = message[:400].lower()
    if "usage limit" in low or "rate limit" in low:
        return FailureKind.RATE_LIMIT
    return FailureKind.API_ERROR if "stream disconnected" in low or "unexpected status" in low else FailureKind.UNKNOWN


def silent_failure(limit: str, at: Stamp | None) -> Failure:
    """A turn ended without a last word and without an error: the usage beside it may tell why."""
    if limit == "credits":
        return Failure(FailureKind.OUT_OF_CREDIT, "the turn ended without an answer, and the credits were used up", at)
    if limit:
        return Failure(FailureKind.RATE_LIMIT, "the turn ended without an answer, and the usage limit was reached", at)
    return Failure(FailureKind.UNKNOWN, "the turn ended without an answer, and no reason is recorded", at)


def limit_reached(limits: Json) -> str:
    """`credits`, `usage` or "" from the `rate_limits` of a `token_count`."""
    told = as_text(limits.get("rate_limit_reached_type"))
    if "credits_depleted" in told:
        return "credits"
    if told:
        return "usage"
    used = (
        as_dict(limits.get("primary")).get("used_percent"),
        as_dict(limits.get("secondary")).get("used_percent"),
        limits.get("primary_used_percent"),
        limits.get("secondary_used_percent"),
    )
    for told in used:
        if told is not None and (percent := as_float(told)) is not None and percent >= _FULL:
            return "usage"
    return ""
