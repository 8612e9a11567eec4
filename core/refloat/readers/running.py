"""What a command that was left running is: a server, a watcher, or just a shell. Decides from its words alone."""

from __future__ import annotations

import re
from typing import Final, Literal

from refloat.patterns import late

_SERVER: Final = late(
    r"""\b(?:
        (?:npm|pnpm|yarn|bun|deno)\s+(?:run\s+|task\s+)?(?:dev|start|serve|preview)\b
      | (?:make|just|task)\s+(?:dev|serve|start|run-?server)\b
      | (?:next|nuxt|astro|remix|wrangler|fastapi|expo|gatsby|svelte-kit|vercel|netlify)\s+(?:dev|start|develop)\b
      | vite(?!\s+build)\b | webpack(?:-dev-server|\s+serve)\b | ng\s+serve\b | http-server\b | http\.server\b
      | (?:hugo|jekyll|mkdocs|artisan|zola|trunk)\s+serve(?:r)?\b | runserver\b | flask\s+run\b | streamlit\s+run\b
      | (?:uvicorn|gunicorn|hypercorn|daphne|puma|json-server|storybook|ngrok)\b | rails\s+s(?:erver)?\b
      | phx\.server\b | php\s+-S\b | bootRun\b | spring-boot:run\b | caddy\s+run\b | jupyter[\s-](?:lab|notebook)\b
      | docker(?:-|\s+)compose\s+up\b | (?:node|deno|bun)\s+(?:run\s+)?(?:\S*/)?server\S*\.[cm]?[jt]s\b
    )""",
    re.VERBOSE,
)
_WATCHER: Final = late(
    r"""(?:^|\s)(?:
        --watch(?:All)?\b | (?:tail|logs|journalctl)\s(?:[^;&|]*\s)?-\w*[fF]\b | tsc\s(?:[^;&|]*\s)?-w\b
      | watchexec\b | nodemon\b | entr\b | inotifywait\b | fswatch\b | ptw\b | pytest-watch\b | watch\b
    )""",
    re.VERBOSE,
)


def kind_of_running(command: str) -> Literal["background_shell", "watcher", "dev_server"]:
    """The kind of background work that a shell command is."""
    if _WATCHER.search(command):
        return "watcher"
    return "dev_server" if _SERVER.search(command) else "background_shell"
