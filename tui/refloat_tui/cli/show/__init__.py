"""Answers as plain text for a person at a command line: values in, lines out. Values come masked already."""
