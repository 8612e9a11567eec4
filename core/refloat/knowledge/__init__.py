"""What is known of other people's programs, as data: tables in TOML, and where a person's own ones are read."""
