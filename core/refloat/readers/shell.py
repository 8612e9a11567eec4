"""Edits that hide in shell commands: heredocs written to files, patches piped to `apply_patch`, plain `rm` and `mv`.

Decides what a command line says for certain that it writes. Refuses to run, expand or guess: a heredoc counts only when
it is whole and its text is literal; a target counts only when it is a literal path; what stands in a loop, a condition,
a subshell, behind `||` or in the background counts not at all.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from refloat.model.light import field, slotted
from refloat.model.transcript import FileEdit, Hunk
from refloat.patterns import late

_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"})
_WINDOWS_SHELLS: Final = frozenset({"powershell", "powershell.exe", "pwsh", "pwsh.exe", "cmd", "cmd.exe"})
_WINDOWS_FLAGS: Final = frozenset({"-command", "-c", "/c", "/k"})
_WORTH_READING: Final = late(r"<<|apply_?patch|\b(?:rm|mv)\s")
_COMPOUND: Final = frozenset(
    {"if", "for", "while", "until", "case", "select", "function", "{", "}", "then", "do", "else", "elif", "fi", "done"}
)
_QUIET: Final = frozenset({"cd", "pushd", "mkdir", "set", "true", ":"})
"""What may stand beside a write without making the step more than an edit."""
_PATCHERS: Final = frozenset({"apply_patch", "applypatch"})
_BLANK: Final = " \t\r"
_PLAIN: Final = late(r"[A-Za-z0-9_./@%+:,=^-]+")
_EXPANDS: Final = late(r"[$`]|\\[\\\n]")
_INSTALLS: Final = late(
    r"^\"?\$\(\s*cat\s+<<-?\s*(['\"])(?P<end>\w+)\1\n(?P<body>.*?\n)[ \t]*(?P=end)\s*\)\"?$", re.DOTALL
)


@slotted
class _Word:
    text: str
    literal: bool
    """False when the shell would expand something in it."""
    quoted: bool = False


@slotted
class _Heredoc:
    end: str
    quoted: bool
    dedent: bool
    body: str | None = None

    @property
    def literal(self) -> str | None:
        """Its text, where nothing in it would be expanded."""
        return None if self.body is None or (not self.quoted and _EXPANDS.search(self.body)) else self.body


@slotted
class _Simple:
    """One simple command."""

    joint: str
    """What stands before it: `&&`, `||`, `|`, `;`, or nothing."""
    words: list[_Word] = field(default_factory=list["_Word"])
    writes: list[tuple[str, _Word]] = field(default_factory=list[tuple[str, "_Word"]])
    heredoc: _Heredoc | None = None
    after: str = ""
    opaque: bool = False


class _UnreadableError(Exception):
    """The command is not whole, or not shell."""


def unwrap(argv: Sequence[str]) -> str:
    """The command line in `["bash", "-lc", …]`, `["powershell.exe", "-Command", …]` …; else the words joined."""
    words = list(argv)
    if words and posixpath.basename(words[0]) == "env":
        words = words[1:]
        while words and re.match(r"[A-Za-z_]\w*=", words[0]):
            words = words[1:]
    if len(words) >= 3:
        program = re.split(r"[/\\]", words[0])[-1].lower()
        for at, flag in enumerate(words[1:-1], start=1):
            if program in _SHELLS and re.fullmatch(r"-[a-z]*c", flag):
                return words[at + 1]
            if program in _WINDOWS_SHELLS and flag.lower() in _WINDOWS_FLAGS:
                return words[at + 1] if len(words) == at + 2 else " ".join(words[at + 1 :])
            if not flag.startswith(("-", "/")):
                break
    if len(words) == 1:
        return words[0]
    import shlex  # hardly ever asked

    return shlex.join(words)


def shell_edits(command: str, cwd: str) -> tuple[FileEdit, ...]:
    """The edits that a shell command makes for certain when all of it runs, in their order; paths absolute.

    `cwd` is the directory that the command starts in; with an empty one, relative targets are passed over.
    """
    return read_shell(command, cwd)[0]


def may_edit(command: str) -> bool:
    """Whether a command is worth reading for edits; where it is not, it makes none."""
    # Where none of these stands, which is nearly everywhere, a plain search says so in a tenth of the time.
    worth = "<<" in command or "rm" in command or "mv" in command or "patch" in command
    return worth and _WORTH_READING.search(command) is not None


def read_shell(command: str, cwd: str) -> tuple[tuple[FileEdit, ...], bool]:
    """The edits of a command, and whether it does nothing else (`cd` and `mkdir` apart)."""
    if not may_edit(command):
        return (), False
    try:
        parts = _Scanner(command).parts()
    except _UnreadableError:
        return (), False
    return _Collector(cwd).collect(parts)


class _Scanner:
    """Splits a command line into simple commands with their redirections and heredocs."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._waiting: list[_Heredoc] = []
        self._parts: list[_Simple] = []
        self._now = _Simple("")

    def parts(self) -> list[_Simple]:
        while self._at < len(self._text):
            self._step()
        self._bodies()
        self._end("")
        return self._parts

    def _end(self, joint: str) -> None:
        now = self._now
        if now.words or now.writes or now.heredoc or now.opaque:
            now.after = joint
            self._parts.append(now)
            self._now = _Simple(joint)
        elif joint in {"&&", "||", "|"}:
            self._now.joint = joint

    def _step(self) -> None:
        text, at = self._text, self._at
        char = text[at]
        if char in _BLANK:
            self._at += 1
        elif char == "\n":
            self._at += 1
            self._bodies()
            if not (self._now.joint in {"&&", "||", "|"} and not self._now.words):
                self._end(";")
        elif char == "\\" and text.startswith("\\\n", at):
            self._at += 2
        elif char == "#":
            newline = text.find("\n", at)
            self._at = len(text) if newline < 0 else newline
        elif char in "&|;":
            self._joint()
        elif char in "<>" or (char.isdigit() and at + 1 < len(text) and text[at + 1] in "<>"):
            self._redirection()
        elif char in "()":
            self._now.opaque = True
            self._at += 1
        else:
            self._now.words.append(self._word())

    def _joint(self) -> None:
        text, at = self._text, self._at
        if text.startswith("&>", at):
            self._at += 3 if text.startswith("&>>", at) else 2
            self._target("2>")
            return
        two = text[at : at + 2]
        joint = two if two in {"&&", "||", ";;", "|&"} else text[at]
        self._at += len(joint)
        self._end("|" if joint == "|&" else joint)

    def _redirection(self) -> None:
        match = re.compile(r"(\d?)(<<<|<<-?|<>|>>|>\||>&|<&|>|<)").match(self._text, self._at)
        if not match:
            raise _UnreadableError
        self._at = match.end()
        number, operator = match.groups()
        if operator in {"<<", "<<-"}:
            word = self._target_word()
            self._now.heredoc = _Heredoc(word.text, word.quoted, operator == "<<-")
            self._waiting.append(self._now.heredoc)
        else:
            self._target(number.replace("1", "") + operator)

    def _target(self, operator: str) -> None:
        word = self._target_word()
        if operator in {">", ">>", ">|"}:
            self._now.writes.append((operator, word))
        elif operator.startswith("<"):
            self._now.opaque = self._now.opaque or operator == "<<<"

    def _target_word(self) -> _Word:
        while self._at < len(self._text) and self._text[self._at] in _BLANK:
            self._at += 1
        if self._at >= len(self._text) or self._text[self._at] in "\n;|&<>()":
            raise _UnreadableError
        return self._word()

    def _bodies(self) -> None:
        waiting, self._waiting = self._waiting, []
        for heredoc in waiting:
            lines: list[str] = []
            while True:
                if self._at >= len(self._text):
                    raise _UnreadableError
                newline = self._text.find("\n", self._at)
                end = len(self._text) if newline < 0 else newline
                line = self._text[self._at : end]
                self._at = end + 1
                if heredoc.dedent:
                    line = line.lstrip("\t")
                if line == heredoc.end:
                    break
                lines.append(line + "\n")
            heredoc.body = "".join(lines)

    def _word(self) -> _Word:
        text = self._text
        found: list[str] = []
        word = _Word("", literal=True)
        while self._at < len(text):
            char = text[self._at]
            if match := _PLAIN.match(text, self._at):
                found.append(match.group())
                self._at = match.end()
            elif char in " \t\r\n;|&<>()":
                break
            elif char in "'\"":
                found.append(self._quoted(char, word))
            elif char == "\\":
                if not text.startswith("\\\n", self._at):
                    found.append(text[self._at + 1 : self._at + 2])
                    word.quoted = True
                self._at += 2
            elif char == "$" and text.startswith("$(", self._at):
                found.append(self._substitution())
                word.literal = False
            else:
                word.literal = word.literal and char not in "$`*?[{" and not (char == "~" and not found)
                found.append(char)
                self._at += 1
        word.text = "".join(found)
        return word

    def _quoted(self, quote: str, word: _Word) -> str:
        text, start = self._text, self._at + 1
        word.quoted = True
        if quote == "'":
            end = text.find("'", start)
            if end < 0:
                raise _UnreadableError
            self._at = end + 1
            return text[start:end]
        found: list[str] = []
        self._at = start
        while self._at < len(text):
            char = text[self._at]
            if char == '"':
                self._at += 1
                return "".join(found)
            if char == "\\" and text[self._at + 1 : self._at + 2] in {'"', "\\", "$", "`", "\n"}:
                found.append(text[self._at + 1].replace("\n", ""))
                self._at += 2
            elif char == "$" and text.startswith("$(", self._at):
                found.append(self._substitution())
                word.literal = False
            else:
                word.literal = word.literal and char not in "$`"
                end = self._at + 1
                while end < len(text) and text[end] not in '"\\$`':
                    end += 1
                found.append(text[self._at : end])
                self._at = end
        raise _UnreadableError

    def _substitution(self) -> str:
        """`$(…)` as it stands, quotes, heredocs and nested ones inside it included."""
        start = self._at
        inner = _Scanner(self._text)
        inner._at = start + 2
        depth = 1
        while depth:
            if inner._at >= len(self._text):
                raise _UnreadableError
            char = self._text[inner._at]
            depth += (char == "(") - (char == ")")
            inner._step()
        self._at = inner._at
        return self._text[start : self._at]


class _Collector:
    """Goes through simple commands and keeps the directory that they run in."""

    def __init__(self, cwd: str) -> None:
        self._cwd: str | None = cwd or None
        self._edits: list[FileEdit] = []
        self._only = True

    def collect(self, parts: Sequence[_Simple]) -> tuple[tuple[FileEdit, ...], bool]:
        piped: str | None = None
        for part in parts:
            words = part.words
            name = words[0].text if words else ""
            if part.opaque or name in _COMPOUND or part.joint == ";;":
                self._only = False
                break
            if part.joint != "|":
                piped = None
            uncertain = part.joint == "||" or part.after == "&"
            literal = part.heredoc.literal if part.heredoc else piped
            piped = None
            if uncertain:
                self._only = False
            elif name == "cat" and part.after == "|" and part.heredoc and not part.writes and len(words) == 1:
                piped = literal
            else:
                self._simple(part, literal)
        return tuple(self._edits), self._only and bool(self._edits)

    def _simple(self, part: _Simple, text: str | None) -> None:
        words = part.words[1:] if part.words and part.words[0].text == "sudo" else part.words
        name = words[0].text if words else ""
        found = len(self._edits)
        match name:
            case "cd" | "pushd":
                self._change(words[1:], piped=part.joint == "|" or part.after == "|")
            case "cat" if text is not None and all(word.text == "-" for word in words[1:]):
                for operator, target in part.writes:
                    self._write(target, text, append=operator == ">>")
            case "tee" if text is not None:
                append = any(word.text in {"-a", "--append"} for word in words[1:])
                for target in words[1:]:
                    if not target.text.startswith("-"):
                        self._write(target, text, append=append)
            case "rm":
                self._remove(words[1:])
            case "mv":
                self._move(words[1:])
            case "git" if len(words) > 2 and words[1].text in {"rm", "mv"}:
                (self._remove if words[1].text == "rm" else self._move)(words[2:])
            case _ if name in _PATCHERS:
                self._patch(words[1:], text)
            case _:
                pass
        if len(self._edits) == found and name not in _QUIET:
            self._only = False

    def _change(self, words: Sequence[_Word], *, piped: bool) -> None:
        if piped:
            return
        target = [word for word in words if word.text not in {"--", "-P", "-L"}]
        if len(target) == 1 and target[0].literal and target[0].text != "-":
            self._cwd = self._absolute(target[0].text)
        else:
            self._cwd = None

    def _absolute(self, path: str) -> str | None:
        if path.startswith("/"):
            return posixpath.normpath(path)
        return None if self._cwd is None else posixpath.normpath(posixpath.join(self._cwd, path))

    def _path(self, word: _Word) -> str | None:
        path = self._absolute(word.text) if word.literal and word.text else None
        return None if path is None or path.startswith(("/dev/", "/proc/")) else path

    def _write(self, target: _Word, text: str, *, append: bool) -> None:
        path = self._path(target)
        if path is None:
            return
        if not append:
            self._edits.append(FileEdit(path, "create", after=text))
            return
        lines = tuple("+" + line for line in text.split("\n")[:-1])
        if lines:
            self._edits.append(FileEdit(path, "update", hunks=(Hunk(None, 0, None, len(lines), lines),)))

    def _remove(self, words: Sequence[_Word]) -> None:
        flags = [word.text for word in words if word.text.startswith("-")]
        if any(flag not in {"-f", "-v", "-fv", "-vf", "--", "--force", "-q"} for flag in flags):
            return
        paths = [self._path(word) for word in words if not word.text.startswith("-")]
        self._edits += [FileEdit(path, "delete") for path in paths if path is not None]

    def _move(self, words: Sequence[_Word]) -> None:
        plain = [word for word in words if not word.text.startswith("-")]
        if len(plain) != 2 or any(w.text not in {"-f", "-v", "--"} for w in words if w.text.startswith("-")):
            return
        source, target = self._path(plain[0]), self._path(plain[1])
        if source is None or target is None:
            return
        if plain[1].text.endswith("/"):
            target = posixpath.join(target, posixpath.basename(source))
        elif posixpath.splitext(target)[1] != posixpath.splitext(source)[1] or "." not in posixpath.basename(target):
            return  # it may be a directory
        self._edits.append(FileEdit(source, "update", moved_to=target))

    def _patch(self, words: Sequence[_Word], text: str | None) -> None:
        if words and len(words) == 1:
            if words[0].literal:
                text = words[0].text
            elif match := _INSTALLS.match(words[0].text):
                text = match["body"]
        if text is None or "*** Begin Patch" not in text:
            return
        from refloat.readers.patch import parse_patch

        self._edits += parse_patch(text, self._cwd or "")
