"""What a command that was left running is."""

import pytest

from refloat.readers.running import kind_of_running

COMMANDS = {
    "dev_server": """npm run dev|pnpm start|cd web && PORT=3 yarn dev|bun run serve|npx vite --port 3|make dev
        |python -m http.server 8|uvicorn app:app --reload|rails s|php artisan serve|docker compose up|next dev
        |node dist/server.mjs|streamlit run app.py|./manage.py runserver""",
    "watcher": """pytest --watch|tail -f app.log|tail -n 5 -F app.log|docker compose logs -f web|journalctl -u x -f
        |tsc -w|npx nodemon server.js|cargo watch -x test|watch ls|ls *.c > l; entr make < l|npm run dev --watch""",
    "background_shell": """make all|sleep 99|npm run build|vite build|npm run started|tail -n 5 app.log|cargo build
        |node script.js|git log --format=x|rm -f server.js|docker compose down|rails spec""",
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_kind_of_a_command(kind: str) -> None:
    told = {command.strip(): kind_of_running(command.strip()) for command in COMMANDS[kind].split("|")}
    assert told == dict.fromkeys(told, kind)
