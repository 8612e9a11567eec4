"""Rows that tell nothing, by name, so that only what nobody described counts as unknown."""

from typing import Final

SKIPPED_ROWS: Final = frozenset(
    {
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
        "dynamic_tools_updated",
        "retained_context",
        "security_risk_score",
        "realtime_item",
    }
)
SKIPPED_ITEMS: Final = frozenset({"other", "compaction", "compaction_summary", "context_compaction"})
SKIPPED_EVENTS: Final = frozenset(
    {
        "agent_reasoning_section_break", "agent_message_delta", "agent_reasoning_delta", "collab_agent_interaction_end",
        "collab_agent_spawn_end", "collab_waiting_end", "collab_close_end", "collab_resume_end", "collab_end",
        "exec_command_begin", "dynamic_tool_call_request", "exec_approval_request", "apply_patch_approval_request",
        "request_user_input", "request_permissions", "plan_update", "turn_diff", "patch_apply_begin", "item_started",
        "mcp_tool_call_begin", "warning", "stream_error", "shutdown_complete", "session_configured",
        "mcp_startup_update",
        "mcp_startup_complete", "background_event", "web_search_begin", "image_generation_begin",
    }
)  # fmt: skip
"""Events that tell nothing beside other rows, or that no build writes to a file."""
