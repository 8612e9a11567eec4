"""Where a terminal is shown, and the way there: whose is whose, what multiplexers say and take. Pure."""
