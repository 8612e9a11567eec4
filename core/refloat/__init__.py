"""Refloat: read what a dead coding agent's session left behind and hand the next attempt a brief with evidence.

This package decides; it draws nothing. The two front ends live in `refloat_tui`.
"""

__version__ = "0.1.0"
