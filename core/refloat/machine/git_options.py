"""What git is told before every question, so that nothing of a repository's configuration runs or bends the answer.

Decides from git-config(1), git(1) and git's sources which settings start programs. Refuses every subcommand that is
not a question (and with it every alias).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

# Settings that start programs or write for a mere question, each with the value that does neither.
_STARTS_NOTHING: Final = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.askPass", "false"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "none"),
    ("core.alternateRefsCommand", "true"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("diff.autoRefreshIndex", "false"),  # else `git diff` rewrites the index, whatever optional locks are said to be
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("status.submoduleSummary", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("submodule.recurse", "false"),
    ("safe.directory", "*"),
)
# Settings that would change the form of an answer.
_PLAIN: Final = (
    ("color.ui", "false"),
    ("color.diff", "false"),
    ("color.status", "false"),
    ("color.branch", "false"),
    ("color.grep", "false"),
    ("column.ui", "never"),
    ("column.status", "never"),
    ("column.branch", "never"),
    ("column.tag", "never"),
    ("diff.noprefix", "false"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.srcPrefix", "a/"),
    ("diff.dstPrefix", "b/"),
    ("diff.relative", "false"),
    ("diff.context", "3"),
    ("diff.interHunkContext", "0"),
    ("diff.suppressBlankEmpty", "false"),
    ("diff.colorMoved", "no"),
    ("diff.orderFile", "/dev/null"),
    ("diff.statGraphWidth", "20"),
    ("diff.renames", "true"),
    ("diff.algorithm", "myers"),
    ("core.bigFileThreshold", "16m"),
    ("log.diffMerges", "separate"),
    ("log.showRoot", "true"),
    ("log.follow", "false"),
    ("log.decorate", "false"),
    ("log.mailmap", "false"),
    ("log.date", "default"),
    ("format.pretty", "medium"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("status.relativePaths", "false"),
    ("status.showUntrackedFiles", "normal"),
    ("status.short", "false"),
    ("status.branch", "false"),
    ("status.showStash", "false"),
)
FIXED: Final = tuple(word for key, value in _STARTS_NOTHING + _PLAIN for word in ("-c", f"{key}={value}"))

ENVIRONMENT: Final[Mapping[str, str]] = {
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "LANGUAGE": "C",
    "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_FLUSH": "0",
}
"""All that git finds in its environment beside PATH; everything of the caller's own is left out."""

# The person's own settings that only say how text is stored and what is ignored. They start nothing.
PERSONAL: Final = ("core.excludesfile", "core.autocrlf", "core.eol", "core.precomposeunicode", "core.filemode")


def personal_settings(kept: Mapping[str, str], home: str, xdg: str) -> Mapping[str, str]:
    """Those of them that stand in a person's configuration, `~` written out, with git's default for what is ignored."""
    ignored = kept.get("core.excludesfile") or f"{xdg or home + '/.config'}/git/ignore"
    return {**kept, "core.excludesfile": home + ignored[1:] if ignored.startswith("~/") else ignored}


# Questions. What is not here is not asked: it writes, or it may be an alias of the repository's own.
_QUESTION_WORDS: Final = (
    "annotate blame cat-file check-attr check-ignore check-mailmap check-ref-format count-objects diff "
    "diff-files diff-index diff-tree for-each-ref fsck grep hash-object log ls-files ls-tree merge-base name-rev "
    "patch-id rev-list rev-parse shortlog show show-ref status stripspace var verify-pack version"
)
_QUESTIONS: Final = frozenset(_QUESTION_WORDS.split())
_QUESTIONS_WITH: Final[Mapping[str, AbstractSet[str]]] = {
    "stash": {"list", "show"},
    "worktree": {"list"},
    "reflog": {"show", "exists", "list"},
    "bisect": {"log"},
    "config": {"--list", "-l", "--get", "--get-all", "--get-regexp", "get", "list"},
    "branch": {"--list", "-l", "--show-current"},
    "tag": {"--list", "-l"},
    "remote": {"-v", "get-url"},
    "symbolic-ref": {"-q", "--quiet", "--short"},
    "apply": {"--check", "--stat", "--numstat", "--summary"},
}
"""Questions only with one of these as their first word."""
_NEVER: Final = frozenset(("--lost-found", "--textconv", "--ext-diff", "--filters", "--apply"))
_NEVER_WITH: Final[Mapping[str, AbstractSet[str]]] = {
    "hash-object": {"-w"},
    "grep": {"-O"},
    "branch": {"-d", "-D"},
    "tag": {"-d"},
    "symbolic-ref": {"-d", "-m"},
}
_DIFFS: Final = frozenset(("diff", "diff-files", "diff-index", "diff-tree", "log", "show"))
_SUBMODULES: Final = _DIFFS | {"status"}


def harden(words: Sequence[str]) -> list[str]:
    """A question with the options that keep it one.

    Raises:
        ValueError: it is no question, or it asks for a program of the repository's to be run. A mistake of the caller.

    """
    verb, rest = words[0], list(words[1:])
    _refuse(verb, rest)
    options: list[str] = []
    if verb in _DIFFS:
        options += ["--no-ext-diff", "--no-textconv"]
    if verb in {"blame", "annotate"}:
        options += ["--no-textconv"]
    if verb in _SUBMODULES and not any(word.startswith("--ignore-submodules") for word in rest):
        options += ["--ignore-submodules=dirty"]
    if verb in {"stash", "reflog"} and rest[:1] == ["show"]:
        return [verb, "show", "--no-ext-diff", "--no-textconv", *rest[1:]]
    return [verb, *options, *rest]


def _refuse(verb: str, rest: Sequence[str]) -> None:
    first = _QUESTIONS_WITH.get(verb)
    if verb not in _QUESTIONS and (first is None or not first & set(rest[:1])):
        raise ValueError(f"git {verb} {' '.join(rest[:1])} is no question that Refloat asks")
    never = _NEVER | _NEVER_WITH.get(verb, frozenset[str]())
    for word in rest[: rest.index("--")] if "--" in rest else rest:
        if word in never or word.startswith(("--out", "--open-files")):
            raise ValueError(f"git {verb} {word} would write or run something")
    if verb == "status" and any(re.fullmatch(r"-[a-z]*v[a-z]*|--verb.*", word) for word in rest):
        raise ValueError("git status -v would run an external diff")
    if verb == "symbolic-ref" and sum(not word.startswith("-") for word in rest) != 1:
        raise ValueError("git symbolic-ref with two names would write")


def programs_of(keys: Collection[str]) -> tuple[str, ...]:
    """Those settings of a repository that name programs git would start, or places it would fetch from, for questions.

    `keys` as `git config --list` writes them: section and variable in lower case, the part between as it is.
    """
    return tuple(dict.fromkeys(key for key in keys if _is_program(key)))


_KEY_WORDS: Final = (
    "core.fsmonitor core.hookspath core.pager core.sshcommand core.askpass core.gitproxy core.alternaterefscommand "
    "core.editor credential.helper diff.external extensions.partialclone gpg.program gpg.openpgp.program "
    "gpg.x509.program gpg.ssh.program gpg.ssh.defaultkeycommand interactive.difffilter log.showsignature "
    "sequence.editor uploadpack.packobjectshook"
)
_PLAIN_KEYS: Final = frozenset(_KEY_WORDS.split())
_DEEP_KEYS: Final = frozenset(
    (
        *(("filter", name) for name in ("clean", "smudge", "process")),
        *(("diff", name) for name in ("command", "textconv")),
        *(("remote", name) for name in ("promisor", "uploadpack", "receivepack", "vcs", "url", "pushurl")),
        *(("url", name) for name in ("insteadof", "pushinsteadof")),
        *((tool, name) for tool in ("difftool", "mergetool", "man", "browser", "guitool") for name in ("cmd", "path")),
        ("merge", "driver"),
        ("submodule", "update"),
        ("credential", "helper"),
        ("trailer", "command"),
        ("trailer", "cmd"),
        ("hook", "command"),
        ("gpg", "program"),
    )
)
_ADDRESSES: Final = frozenset(("url", "pushurl", "insteadof", "pushinsteadof"))
_NO: Final = frozenset(("false", "no", "off", "0", ""))


def is_harmless(key: str, value: str) -> bool:
    """Whether a setting's value makes it start nothing: an address without a helper program, a switch that is off."""
    section, _, rest = key.partition(".")
    name = rest.rpartition(".")[2]
    if section in {"remote", "url"} and name in _ADDRESSES:
        return not any("::" in word for word in (value, rest))
    if section == "submodule" and name == "update":
        return not value.startswith("!")
    return key in {"core.fsmonitor", "log.showsignature"} and value.lower() in _NO


def _is_program(key: str) -> bool:
    section, _, rest = key.partition(".")
    if key in _PLAIN_KEYS or section in {"pager", "alias"}:
        return True
    return "." in rest and (section, rest.rpartition(".")[2]) in _DEEP_KEYS


def includes_of(keys: Collection[str]) -> tuple[str, ...]:
    """Those settings that bring in more settings from another file."""
    return tuple(dict.fromkeys(key for key in keys if re.fullmatch(r"include(?:if\..*)?\.path", key, re.DOTALL)))


def neutralised(keys: Collection[str]) -> list[tuple[str, str]]:
    """Settings that switch off every filter that `keys` configure (drivers of diffs are switched off by option)."""
    settings: dict[str, str] = {}
    for key in keys:
        section, _, rest = key.partition(".")
        name, dot, _ = rest.rpartition(".")
        if section == "filter" and dot:
            settings |= {f"filter.{name}.{what}": "" for what in ("clean", "smudge", "process")}
            settings[f"filter.{name}.required"] = "false"
    return list(settings.items())
