"""The two front ends: the command line and the terminal app."""
