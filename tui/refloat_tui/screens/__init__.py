"""One screen a file, with its style beside it."""
