"""One file per family of commands: parse, call one use case, print."""
