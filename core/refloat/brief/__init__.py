"""Evidence to a brief, and secrets masked on the way out."""
