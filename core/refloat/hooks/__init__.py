"""Hooks of the agents: what their events say, and where and how their settings name a hook."""
