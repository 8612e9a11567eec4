"""Saved, claimed, gone: what a session left, sorted."""
