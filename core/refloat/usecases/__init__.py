"""One verb a file: what a command and the app both need."""
