"""Readers: one file per agent turns what that agent leaves on disk into events."""
