"""Who owns a session: facts collected, then judged."""
