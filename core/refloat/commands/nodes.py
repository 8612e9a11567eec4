"""Small questions to the syntax tree of a shell line: its words, its statements, what becomes of an exit code.

Each looks at a node and what lies below it, and keeps nothing. Refuses to expand anything.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from refloat.commands.wrappers import core_of
from refloat.patterns import late

if TYPE_CHECKING:
    from tree_sitter import Node

STATEMENTS: Final = frozenset(
    {
        "command", "list", "pipeline", "redirected_statement", "subshell", "compound_statement", "if_statement",
        "while_statement", "for_statement", "c_style_for_statement", "case_statement", "function_definition",
        "negated_command", "test_command", "declaration_command", "unset_command", "variable_assignment",
        "variable_assignments", "ERROR", "do_group",
    }
)  # fmt: skip
WORDS: Final = frozenset(
    {
        "word", "string", "raw_string", "ansi_c_string", "translated_string", "concatenation", "number",
        "simple_expansion", "expansion", "command_substitution", "process_substitution", "arithmetic_expansion",
        "brace_expression", "array", "command_name",
    }
)  # fmt: skip
_LAST_CODE: Final = late(r"\$\?|\$\{\?\}|\$\{?PIPESTATUS(?:\[0\]\})?|\$\{?pipestatus(?:\[1\]\})?")


def statements(nodes: Iterable["Node"]) -> list[tuple["Node", str]]:
    """(statement, what stands behind it) of a sequence."""
    rows: list[tuple[Node, str]] = []
    for node in nodes:
        if node.type in STATEMENTS:
            rows.append((node, ""))
        elif rows and node.type in {"&", ";", ";;", "\n"}:
            rows[-1] = (rows[-1][0], node.type)
    return rows


def halves(node: "Node", *, opened: bool) -> tuple[list["Node"], list["Node"]]:
    """The condition of an `if` or `while`, and what comes after `then` or `do`."""
    condition: list[Node] = []
    body: list[Node] = []
    for child in node.children:
        if child.type in {"then", "do_group"}:
            opened = True
        (body if opened else condition).append(child)
    return condition, body


def source(node: "Node") -> str:
    """A node as it stands in the line."""
    return (node.text or b"").decode("utf-8", "replace")


_ESCAPED: Final = late(r"\\(\n|.)", re.DOTALL)
_ESCAPED_INSIDE: Final = late(r'\\(["\\$`\n])')


def word(node: "Node") -> str:
    """A word as the program would see it, expansions left as they stand."""
    match node.type:
        case "word" | "number":
            text = source(node)
            return _ESCAPED.sub(lambda m: "" if m[1] == "\n" else m[1], text) if "\\" in text else text
        case "raw_string":
            return source(node)[1:].removesuffix("'")
        case "ansi_c_string":
            return source(node)[2:].removesuffix("'").replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'")
        case "string" | "translated_string":
            text = source(node)[1 if node.type == "string" else 2 :].removesuffix('"')
            return _ESCAPED_INSIDE.sub(lambda m: m[1].strip("\n"), text) if "\\" in text else text
        case "concatenation" | "command_name":
            return "".join(map(word, node.children)) if node.children else source(node)
        case _:
            return source(node)


def first_word(node: "Node") -> str:
    """The word that a node begins with: a keyword, a builtin."""
    text = source(node)
    return re.split(r"\s", text, maxsplit=1)[0] if text else node.type


def shown(node: "Node") -> str:
    """What stands behind a command, in a few whole words: that of it which gives the code."""
    while node.type in {"redirected_statement", "list", "pipeline"} and node.named_children:
        body = node.child_by_field_name("body")
        node = body if body is not None else node.named_children[-1]
    if node.type == "command":
        words = core_of([word(child) for child in node.named_children if child.type in WORDS]).words
    else:
        words = source(node).split()
    return " ".join(words[:6]) + (" …" if len(words) > 6 else "") or first_word(node)


class Given(NamedTuple):
    """What a statement is given to read: a literal text, or something whose content the line does not hold."""

    text: str = ""
    named: str = ""


def passed_on(stage: "Node", given: Given) -> Given:
    """What a stage of a pipeline, which was given something itself, gives to the next one."""
    words = core_of([word(child) for child in stage.named_children if child.type in WORDS]).words
    if stage.type != "command" or not words:
        return Given("", shown(stage))
    objects = [one for one in words[1:] if not one.startswith("-")]
    said = " ".join(objects)
    if words[0] in {"echo", "printf"} and "$" not in said and "`" not in said:
        return Given(said.replace("\\n", "\n"))
    return given if words[0] == "tee" or (words[0] == "cat" and not objects) else Given("", shown(stage))


def gives_up(node: "Node") -> str | None:
    """How a statement ends with a failing code whatever happened (`exit 1`, `(echo no; false)`); None: it does not."""
    while node.type in {"subshell", "compound_statement", "list", "redirected_statement"}:
        rows = [child for child in node.named_children if child.type in STATEMENTS]
        if not rows:
            return None
        node = rows[-1]
    words = source(node).split()
    fails = words[:1] == ["false"] or (words[:1] in (["exit"], ["return"]) and words[1:] not in ([], ["0"]))
    return words[0] if fails else None


def keeps_code(behind: Sequence["Node"]) -> bool | None:
    """Whether the line exits with the code of the statement before these; True for the first stage of a pipeline."""
    first, last = source(behind[0]), source(behind[-1])
    if re.match(r"(?:exit|return)\s", first) and (code := _LAST_CODE.search(first)):
        return "?" not in code.group()
    kept = re.match(r"(?:local\s+)?(\w+)=\"?(\$\S+?)\"?$", first)
    if kept and _LAST_CODE.fullmatch(kept[2]) and re.fullmatch(rf"(?:exit|return)\s+\"?\$\{{?{kept[1]}\}}?\"?", last):
        return "?" not in kept[2]
    return None


def echo_of(behind: Sequence["Node"]) -> tuple[str, bool] | None:
    """A pattern for the code of the statement before these, where the next one prints it.

    With it, whether the code is that of a pipeline's first stage.
    """
    first = source(behind[0])
    kept = re.match(r"(?:local\s+)?(\w+)=\"?(\$\S+?)\"?$", first)
    code, stage = _LAST_CODE, _LAST_CODE.search(first)
    if kept and _LAST_CODE.fullmatch(kept[2]) and behind[1:]:
        first, code = source(behind[1]), re.compile(rf"\$\{{?{kept[1]}\b\}}?")
    said = re.match(r"(?:echo|printf)\s+(?:-\w\s+)?(.*)", first, re.DOTALL)
    if said is None:
        return None
    text = re.sub(r"[\"']|\\n", "", said[1].split("|")[0].split(">")[0].split("&&")[0]).strip()
    found = code.search(text)
    if found is None or "$" in text[: found.start()]:
        return None
    after = text[found.end() :]
    tail = re.escape(after) + r"\s*$" if "$" not in after else r"\b"
    by_stage = stage is not None and "?" not in stage.group()
    return rf"^{re.escape(text[: found.start()])}(\d{{1,3}}){tail}", by_stage


def joined(cwd: str | None, target: str | None) -> str | None:
    """A directory seen from another; None where either is not known."""
    if target is None or target.startswith(("-", "~", "$", "`")) or "$" in target or "*" in target:
        return None
    if target.startswith("/"):
        return posixpath.normpath(target)
    if cwd is None or not target:
        return None
    made = posixpath.normpath(posixpath.join(cwd, target))
    return "" if made == "." else made
