"""The working tree, held against what a session recorded."""
