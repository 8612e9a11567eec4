"""A shell line taken apart by the grammar: its simple commands, what is really run, and whose exit code the line has.

Follows wrappers, inner shells (`bash -c`, `eval`, a heredoc for `sh`), substitutions, functions that are called, `find
-exec`. Refuses to expand anything; a broken line is read as far as it goes, nesting to a bound. What a shell says about
exit codes is POSIX 1003.1, 2.9, and bash(1) for `pipefail` and `PIPESTATUS`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from refloat.commands import nodes
from refloat.commands.inner import script_in
from refloat.commands.wrappers import Core, core_of
from refloat.model.light import light, slotted
from refloat.patterns import late

if TYPE_CHECKING:
    from tree_sitter import Node


@light
class Simple:
    """A simple command of a line."""

    words: tuple[str, ...]
    """What is really run: quotes, assignments, wrappers and the program's directory taken away. Never empty."""
    flags: tuple[str, ...] = ()
    """Flags that stood before the program's verb, which `words` leaves out: `-n prod` of `kubectl -n prod get`."""
    writes: bool = False
    """Its output goes to a file."""
    hidden: str | None = None
    """What gives the line's exit code in its place (`tail -5`); None where the code can be its own."""
    skipped: str | None = None
    """What can have kept it from running in a line that succeeded (`[ -d tests ] || pytest`, `if …`)."""
    shared: str | None = None
    """What runs behind it once it succeeded (`&&`): a failing code can be that one's."""
    echoed: str | None = None
    """A pattern that finds its exit code in the output, where the line prints it (`echo "exit $?"`)."""
    cwd: str | None = ""
    """Where it runs, seen from where the line starts ("" for there); None where that cannot be told."""
    stdin: str = ""
    """The literal text that it is given (a heredoc, a here-string)."""
    limited: bool = False
    """It stands behind `timeout`, whose code 124 says that the time was up."""
    reads: str = ""
    """What else it is given to read, by name: a file (`< dump.sql`), a command whose output is piped into it."""
    elsewhere: bool = False
    """It runs in a container, another terminal or a wrapper's directory: its paths are none of this place's."""


_DEEPEST: Final = 40
"""Levels of the syntax tree below a statement that are looked at, inner shells included."""
_MOST: Final = 2_000
"""Simple commands of one line, and statements of one sequence."""
SHORT: Final = 2_000
"""Characters of a line that is kept among many."""
_QUIET_TARGET: Final = late(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)|&?\d+|-")


def read_line(command: str) -> tuple[Simple, ...]:
    """The simple commands of a shell line, in the order in which they stand; () for an empty or unreadable one."""
    return _short_line(command) if len(command) <= SHORT else _long_line(command)


@lru_cache(maxsize=16_384)
def _short_line(command: str) -> tuple[Simple, ...]:
    return tuple(_read(command, _State(), None, 0))


@lru_cache(maxsize=64)
def _long_line(command: str) -> tuple[Simple, ...]:
    """Apart, and few of them: each keeps the whole line, which may hold a file."""
    return tuple(_read(command, _State(), None, 0))


@slotted
class _State:
    """What a shell remembers from one statement to the next."""

    pipefail: bool = False
    errexit: bool = False
    cwd: str | None = ""
    elsewhere: bool = False


class _Fate(NamedTuple):
    """What becomes of the exit code of a statement, and of its output."""

    hidden: str | None = None
    skipped: str | None = None
    shared: str | None = None
    echoed: str | None = None
    echo_first: bool = False
    """The code that is printed is that of a pipeline's first stage (`PIPESTATUS`), not of its last (`$?`)."""
    first: bool = False
    """Of a pipeline the first stage's code is the one that is kept (`PIPESTATUS`)."""
    writes: bool = False
    stdin: str = ""
    reads: str = ""


def _read(command: str, state: _State, fate: "_Fate | None", depth: int) -> list[Simple]:
    from refloat.commands.grammar import read_tree

    if not command.strip():
        return []
    root = read_tree(command)
    walk = _Walk(state, depth)
    walk.sequence(root.children, fate or _Fate())
    return walk.found


class _Walk:
    """Goes through a syntax tree once, in the order of the line."""

    def __init__(self, state: _State, depth: int) -> None:
        self.found: list[Simple] = []
        self._state = state
        self._depth = depth
        self._functions: dict[str, Node] = {}

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────

    def sequence(self, parts: Sequence["Node"], fate: _Fate) -> None:
        """Statements one after the other: the last one's code is that of all."""
        rows = nodes.statements(parts)
        for index, (node, joint) in enumerate(rows[:_MOST]):
            if joint == "&":
                self._apart(node, fate._replace(hidden="&", shared=None, echoed=None))
                continue
            behind = [row for row, _ in (*rows[index + 1 : index + 3], rows[-1])] if index + 1 < len(rows) else []
            self.statement(node, self._fate_before(behind, fate) if behind else fate)

    def _fate_before(self, behind: Sequence["Node"], fate: _Fate) -> _Fate:
        """What becomes of the code of a statement with others behind it."""
        if self._state.errexit:
            return fate._replace(shared=fate.shared or nodes.shown(behind[-1]))
        kept = nodes.keeps_code(behind)
        if kept is not None:
            return fate._replace(first=kept)
        hidden = fate.hidden or nodes.shown(behind[-1])
        echoed, first = nodes.echo_of(behind) or (None, False)
        return fate._replace(hidden=hidden, shared=None, echoed=echoed, echo_first=first)

    def statement(self, node: "Node", fate: _Fate) -> None:
        """One statement of any kind."""
        if self._depth >= _DEEPEST or len(self.found) >= _MOST:
            return
        self._depth += 1
        match node.type:
            case "command":
                self._command(node, fate)
            case "list":
                self._list(node, fate)
            case "pipeline":
                self._pipeline(node.named_children, fate)
            case "redirected_statement":
                self._redirected(node, fate)
            case "subshell" | "command_substitution" | "process_substitution":
                self._apart(node, fate)
            case "negated_command":
                for child in node.named_children:
                    self.statement(child, fate._replace(hidden=fate.hidden or "!", echoed=None))
            case "function_definition":
                self._define(node)
            case "variable_assignment" | "variable_assignments":
                self._substitutions(node, fate)  # its code is that of what it runs
            case "declaration_command" | "unset_command" | "test_command":
                self._substitutions(node, fate._replace(hidden=fate.hidden or nodes.first_word(node)))
                self._add([nodes.first_word(node)], fate)
            case "ERROR":
                self._broken(node, fate)
            case _:
                self._compound(node, fate)
        self._depth -= 1

    def _list(self, node: "Node", fate: _Fate) -> None:
        left, right = node.named_children[0], node.named_children[-1]
        joint = next((child.type for child in node.children if child.type in {"&&", "||"}), "&&")
        if left is right:
            self.statement(left, fate)
            return
        own = fate._replace(writes=False, stdin="", reads="")
        if joint == "&&":
            self.statement(left, own._replace(shared=nodes.shown(right)))
        elif (word := nodes.gives_up(right)) is not None:
            leaves = word == "exit" and right.type != "subshell"
            self.statement(left, own._replace(hidden=None, shared=fate.hidden or fate.shared) if leaves else own)
        else:
            self.statement(left, own._replace(hidden=fate.hidden or nodes.shown(right), shared=None, echoed=None))
        # Under `set -e` a line goes on past an `a && b` whose `a` failed (POSIX 1003.1, 2.14, set).
        optional = joint == "||" or (self._state.errexit and fate.shared is not None)
        self.statement(right, fate._replace(skipped=fate.skipped or nodes.shown(left)) if optional else fate)

    def _pipeline(self, stages: Sequence["Node"], fate: _Fate, *, heads: bool = False) -> None:
        """Each stage reads what the one before it writes; `heads`: a heredoc is the first one's, not the last one's."""
        given = nodes.Given(fate.stdin, fate.reads) if heads else nodes.Given()
        stages = [stage for stage in stages if stage.type in nodes.STATEMENTS]
        own = fate._replace(writes=False, stdin="", reads="")
        if stages[1:]:
            first, skipped = self._past_list(stages[0], own)
            stages, own = [first, *stages[1:]], own._replace(skipped=skipped)
        for index, stage in enumerate(stages):
            last = index == len(stages) - 1
            if fate.first and stages[1:]:
                kept = own if index == 0 else own._replace(hidden=fate.hidden or nodes.shown(stages[0]))
            elif last or self._state.pipefail:
                kept = own
            else:
                kept = own._replace(hidden=fate.hidden or nodes.shown(stages[-1]), shared=None)
            if stages[1:] and fate.echoed and not (index == 0 if fate.echo_first else last or self._state.pipefail):
                kept = kept._replace(echoed=None)
            if last:
                kept = kept._replace(writes=fate.writes)
            if last and not heads and (fate.stdin or fate.reads):
                given = nodes.Given(fate.stdin, fate.reads)
            kept = kept._replace(stdin=given.text, reads=given.named)
            if stages[1:]:
                self._apart(stage, kept)
            else:
                self.statement(stage, kept)
            if not last:
                given = nodes.passed_on(stage, given)

    def _past_list(self, stage: "Node", fate: _Fate) -> tuple["Node", str | None]:
        """The last part of `a && b 2>&1`, once the rest is gone through, and what can have kept it from running.

        A redirection makes the grammar put the whole list into the first stage of a pipeline; a shell does not.
        """
        body = stage.child_by_field_name("body") if stage.type == "redirected_statement" else None
        if body is None or body.type != "list":
            return stage, fate.skipped
        left, right = body.named_children[0], body.named_children[-1]
        if any(child.type == "||" for child in body.children):
            self.statement(left, fate._replace(hidden=fate.hidden or nodes.shown(right), shared=None))
            return right, fate.skipped or nodes.shown(left)
        self.statement(left, fate._replace(shared=nodes.shown(right)))
        return right, fate.skipped

    def _apart(self, node: "Node", fate: _Fate) -> None:
        """What runs in a shell of its own: its directory and options end with it."""
        before = replace(self._state)
        if node.type in {"subshell", "command_substitution", "process_substitution"}:
            self.sequence(node.children, fate)
        else:
            self.statement(node, fate)
        self._state = before

    def _redirected(self, node: "Node", fate: _Fate) -> None:
        body = node.child_by_field_name("body")
        behind: list[Node] = []
        for redirect in node.children_by_field_name("redirect"):
            fate = self._redirect(redirect, fate, behind)
        # What follows `<<EOF` on its line stands inside the redirect: ` | sh`, ` && pytest`.
        joint = next((child.type for child in behind if child.type in {"&&", "||"}), None)
        piped = next((child for child in behind if child.type == "pipeline"), None)
        rest = [child for child in behind if child.type in nodes.STATEMENTS]
        if body is None:
            pass
        elif piped is not None:
            self._pipeline([body, *piped.named_children], fate, heads=True)
        elif joint == "||" and rest and nodes.gives_up(rest[-1]) is None:
            self.statement(body, fate._replace(hidden=fate.hidden or nodes.shown(rest[-1]), shared=None))
        elif rest:
            self.statement(body, fate._replace(shared=nodes.shown(rest[-1])))
        else:
            self.statement(body, fate)
        if piped is None:
            for child in rest:
                kept_from = nodes.shown(body) if body is not None and joint == "||" else None
                self.statement(
                    child, fate._replace(stdin="", reads="", writes=False, skipped=fate.skipped or kept_from)
                )

    def _redirect(self, node: "Node", fate: _Fate, behind: list["Node"]) -> _Fate:
        match node.type:
            case "heredoc_redirect":
                body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
                behind += [
                    child for child in node.children if child.type in {"&&", "||"} or child.type in nodes.STATEMENTS
                ]
                for inner in node.named_children:
                    if inner.type == "file_redirect":
                        fate = self._redirect(inner, fate, behind)
                return fate if body is None else fate._replace(stdin=nodes.source(body))
            case "herestring_redirect":
                return fate._replace(stdin=" ".join(nodes.word(child) for child in node.named_children[-1:]))
            case "file_redirect":
                target = node.child_by_field_name("destination")
                operator = next((child.type for child in node.children if child.type[0] in "<>&"), ">")
                for child in node.named_children:
                    if child.type == "process_substitution":
                        self._apart(child, _Fate(hidden=">()"))
                if operator == "<" and target is not None and not _QUIET_TARGET.fullmatch(nodes.word(target)):
                    return fate._replace(reads=nodes.word(target))
                if ">" in operator and target is not None and not _QUIET_TARGET.fullmatch(nodes.word(target)):
                    return fate._replace(writes=True)
                return fate
            case _:
                return fate

    def _compound(self, node: "Node", fate: _Fate) -> None:
        """`if`, loops, `case`, braces: conditions give no code of their own, a loop only that of its last turn."""
        if node.type in {"compound_statement", "do_group", "case_item", "else_clause"}:
            self.sequence(node.children, fate)
            return
        before = self._state.cwd
        fate = fate._replace(skipped=fate.skipped or nodes.first_word(node))
        loop = node.type in {"while_statement", "for_statement", "c_style_for_statement"}
        inner = fate._replace(hidden=fate.hidden or nodes.first_word(node), shared=None) if loop else fate
        opened = node.type not in {"if_statement", "elif_clause", "while_statement"}
        condition, body = nodes.halves(node, opened=opened)
        self.sequence(condition, _Fate(hidden=fate.hidden or nodes.first_word(node)))
        clauses = {"elif_clause", "else_clause", "case_item", "do_group"}
        plain = [child for child in body if child.type not in clauses]
        self.sequence(plain, inner)
        for child in body:
            if child.type in clauses:
                self._state.cwd = before
                self._deeper(child, inner)
        if self._state.cwd != before:
            self._state.cwd = None

    def _deeper(self, node: "Node", fate: _Fate) -> None:
        if self._depth < _DEEPEST:
            self._depth += 1
            self._compound(node, fate)
            self._depth -= 1

    def _define(self, node: "Node") -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self._functions[nodes.word(name)] = body

    def _broken(self, node: "Node", fate: _Fate) -> None:
        """What the grammar could not place: whole statements in it, and the words between them."""
        words: list[str] = []
        for child in (*node.children, None):
            if child is not None and child.type in nodes.WORDS:
                words.append(nodes.word(child))
                self._substitutions(child, fate._replace(hidden=fate.hidden or "$()"))
                continue
            if words:
                self._run(words, fate)
                words = []
            if child is not None and child.type in nodes.STATEMENTS:
                self.statement(child, fate)

    # ── simple commands ──────────────────────────────────────────────────────────────────────────────────────────────

    def _substitutions(self, node: "Node", fate: _Fate) -> None:
        """Commands that run within words: `$(…)`, backquotes, `<(…)`."""
        todo = (
            list(node.named_children) if node.type not in {"command_substitution", "process_substitution"} else [node]
        )
        for child in todo:
            if child.type in {"command_substitution", "process_substitution"}:
                if self._depth < _DEEPEST:
                    self._depth += 1
                    self._apart(child, fate)
                    self._depth -= 1
            elif child.named_child_count and self._depth < _DEEPEST:
                self._depth += 1
                self._substitutions(child, fate)
                self._depth -= 1

    def _command(self, node: "Node", fate: _Fate) -> None:
        words: list[str] = []
        for child in node.named_children:
            if child.type in {"herestring_redirect", "file_redirect", "heredoc_redirect"}:
                fate = self._redirect(child, fate, [])
            elif child.type in nodes.WORDS or child.type not in nodes.STATEMENTS:
                words.append(nodes.word(child))
        name = next(iter(words), "")
        inside = fate._replace(hidden=fate.hidden or name or "$()", shared=None, stdin="", reads="", writes=False)
        for child in node.named_children:
            if child.named_child_count:
                self._substitutions(child, inside)
        self._run(words, fate)

    def _run(self, words: list[str], fate: _Fate) -> None:
        if not words:
            return
        if words[0] in self._functions and self._depth < _DEEPEST:
            body = self._functions.pop(words[0])  # a function that calls itself is entered once
            self.statement(body, fate)
            self._functions[words[0]] = body
            return
        core = core_of(words)
        around = self._state.elsewhere
        self._state.elsewhere |= core.elsewhere
        if core.words and not self._settings(core.words) and not self._inner_shell(core.words, fate):
            self._add(core.words, fate, core, limited=any(word in {"timeout", "gtimeout"} for word in words[:8]))
            self._executed(core.words, fate)
        self._state.elsewhere = around

    def _settings(self, words: Sequence[str]) -> bool:
        """`cd` and `set` change what comes after them; told whether the command is done with."""
        match words[0]:
            case "set":
                for flag, value in zip(words[1:], [*words[2:], ""], strict=True):
                    on, letters = flag[:1] == "-", flag[1:] if flag[:1] in "-+" else ""
                    if value == "pipefail" and letters.endswith("o"):
                        self._state.pipefail = on
                    if "e" in letters or (value == "errexit" and letters.endswith("o")):
                        self._state.errexit = on
            case "cd" | "pushd":
                self._add(words, _Fate())
                target = [word for word in words[1:] if word not in {"--", "-P", "-L"}]
                self._state.cwd = nodes.joined(self._state.cwd, target[0] if len(target) == 1 else None)
                return True
            case "popd":
                self._state.cwd = None
            case _:
                pass
        return False

    def _inner_shell(self, words: Sequence[str], fate: _Fate) -> bool:
        """A script within the line; told whether there was one."""
        script, flags, by = script_in(words, fate.stdin)
        if not script.strip() or self._depth >= _DEEPEST:
            return False
        state = replace(self._state)
        state.elsewhere |= by == "tmux"
        state.pipefail = (state.pipefail and words[0] == "eval") or "pipefail" in flags
        state.errexit = (state.errexit and words[0] == "eval") or bool(re.search(r"-\w*e\w*\b(?<!errexit)", flags))
        self.found += _read(script, state, fate._replace(stdin="", reads="", hidden=fate.hidden or by), self._depth + 8)
        return True

    def _executed(self, words: Sequence[str], fate: _Fate) -> None:
        """What `find` runs for each file: with `;` its code is lost."""
        if words[0] not in {"find", "fd", "fdfind"}:
            return
        start = next((i for i, w in enumerate(words) if w in {"-exec", "-execdir", "-x", "-X", "--exec", "-ok"}), None)
        if start is None:
            return
        end = next((i for i, w in enumerate(words) if i > start and w in {";", "\\;", "+"}), len(words))
        lost = words[0] == "find" and end < len(words) and words[end] != "+"
        inner = list(words[start + 1 : end])
        if inner and self._depth < _DEEPEST:
            self._run(inner, fate._replace(hidden=fate.hidden or (words[0] if lost else None)))

    def _add(self, words: Sequence[str], fate: _Fate, core: Core | None = None, *, limited: bool = False) -> None:
        cwd = nodes.joined(self._state.cwd, core.directory) if core and core.directory else self._state.cwd
        flags = core.flags if core else ()
        self.found.append(
            Simple(
                tuple(words),
                flags,
                fate.writes,
                fate.hidden,
                fate.skipped,
                fate.shared,
                fate.echoed,
                cwd,
                fate.stdin,
                limited,
                fate.reads,
                self._state.elsewhere,
            )
        )
