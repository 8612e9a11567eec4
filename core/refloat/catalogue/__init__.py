"""A cache of what the transcripts say. Deleting it loses nothing."""
