"""What the person at this machine is called: one name, in a saved step, a lease, an answer and on every screen."""

import os
from collections.abc import Mapping


def user(environment: Mapping[str, str]) -> str:
    """Their name as the login set it, else as the system has it: a container or cron sets neither variable."""
    if name := environment.get("USER") or environment.get("LOGNAME"):
        return name
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without an entry
        return str(os.getuid())
