"""Contracts of the tree itself: what is registered, what a start loads, what the README promises, what is public."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from refloat.readers import registry

ROOT = Path(__file__).parents[2]
CORE = ROOT / "core" / "refloat"
TUI = ROOT / "tui" / "refloat_tui"
ELSEWHERE = re.compile(r"python_version\s*<\s*['\"]3\.1?[01]['\"]|win32|Windows")
"""Requirements of other systems and older Pythons."""
COPYLEFT = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def loaded_by(code: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split("\n")[-2].split())


def test_every_reader_stands_in_the_table() -> None:
    shared = {"contract", "registry", "lines", "story", "history", "pairing", "running", "shell", "patch", "whole"}
    shared |= {"counters", "cutting", "load", "naming", "numbers", "plain", "places", "tape"}
    rooms = {path.stem for path in (CORE / "readers").iterdir() if path.name[0] != "_"} - shared
    named = {entry.partition(":")[0].rpartition(".")[2] for entry in registry.BUILTIN.values()}
    assert rooms == named


@pytest.mark.parametrize("agent", registry.names())
def test_a_registered_reader_bears_its_name(agent: str) -> None:
    assert registry.load(agent).agent == agent


def test_the_command_line_loads_no_terminal_library() -> None:
    heavy = {"textual", "rich", "click", "psutil", "git", "aiosqlite", "asyncio", "orjson", "detect_secrets"}
    assert not loaded_by("import refloat_tui.cli") & heavy
    assert not loaded_by("import refloat_tui.cli.parser") & (heavy - {"click"})
    assert "textual" not in loaded_by("import refloat_tui.cli.commands.sessions, refloat_tui.cli.commands.work")


def test_nothing_of_the_library_draws() -> None:
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"textual", "rich", "click"}, path


def test_a_message_of_the_app_is_made_by_the_one_decorator_for_them() -> None:
    """A plain dataclass compares and prints, which nobody asks of a message, and takes twice as long to make."""
    for path in TUI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any("Message" in ast.unparse(base) for base in node.bases):
                made_by = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
                assert not made_by & {"dataclass", "light"}, f"{path}:{node.lineno}"


def test_no_run_time_dependency_is_under_a_licence_that_binds_ours() -> None:
    todo, seen = ["refloat"], set[str]()
    while todo:
        name = todo.pop()
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        found = distribution(name)
        about = found.metadata
        told = [line for key in ("License-Expression", "License") for line in about.get_all(key) or []]
        licence = " ".join(told or [line for line in about.get_all("Classifier") or [] if "License" in line])
        assert not COPYLEFT.search(licence.replace("LGPL", "")), f"{name}: {licence[:80]}"
        todo += [
            re.split(r"[\s\[<>=!~;(]", need, maxsplit=1)[0]
            for need in found.requires or ()
            if "extra ==" not in need and not ELSEWHERE.search(need)
        ]
    assert {"textual", "click", "orjson"} <= seen


def test_the_readme_has_one_line_to_run_and_one_to_test() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for heading in ("Run it", "Test it"):
        section = readme.split(f"## {heading}\n", 1)[1]
        block = section.split("```", 2)[1].split("\n", 1)[1].strip()
        assert len(block.splitlines()) == 1
        assert block.startswith("python3 -m venv .venv && ")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert readme.split("## Test it\n", 1)[1].split("```", 2)[1].split("\n", 1)[1].strip() in ci


def test_every_picture_of_the_readme_is_in_the_tree() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\((screenshots/[^)]+)\)", readme)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_every_command_of_the_readme_exists() -> None:
    from refloat_tui.cli.parser import COMMANDS

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"refloat ([a-z]+)\b", "\n".join(re.findall(r"`([^`\n]+)`", readme))))
    assert named
    assert named <= set(COMMANDS)


def test_the_page_of_keys_is_what_the_table_prints() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import runpy, sys; sys.stdout.buffer.write(runpy.run_path('docs/print_keys.py')['print_keys']().encode())",
        ],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    page = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    assert page == done.stdout.decode(), "print it anew: python docs/print_keys.py"


def test_the_wheel_holds_both_packages_and_their_styles() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert wheel["packages"] == ["core/refloat", "tui/refloat_tui"]
    assert list(TUI.rglob("*.tcss"))
    assert list(CORE.rglob("*.sql"))


def test_no_expression_has_a_possessive_group() -> None:
    possessive = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")
    sources = [path for room in (CORE, TUI) for end in ("py", "toml") for path in room.rglob(f"*.{end}")]
    found = [str(path.relative_to(ROOT)) for path in sources if possessive.search(path.read_text("utf-8"))]
    assert found == [], "before Python 3.11.5 they match other text than they should (CPython gh-106052)"
