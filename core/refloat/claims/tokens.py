"""Code, files, links, quotations and numbers with dots, replaced by tokens, so that prose can be read as prose.

Decides what such a piece is: a check's command, a file, a link to a pull request, a commit id, a version. Refuses to
read anything inside it: a log line in a code span or a sentence in quotation marks is not the agent's own word.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from refloat.commands.checks import verifies
from refloat.commands.sorts import is_tool, mainly

MARK: Final = "ʘ"
"""Begins and ends a token. A letter to regular expressions, and in no text that people write."""

_CODE: Final = re.compile(r"(?P<ticks>`+)(?P<code>[^\n]+?)(?P=ticks)(?!`)")
_IMAGE: Final = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\)")
_LINK: Final = re.compile(r"\[(?P<text>[^\[\]\n]{1,300})\]\((?P<url>[^()\s]{1,2000})(?:\s[^()\n]{0,300})?\)")
_URL: Final = re.compile(r"<?\bhttps?://[^\s<>)\]]*[^\s<>)\].,;:!?'\"*]>?")
_PULL: Final = re.compile(r"/(?:pull|pulls|merge_requests|pull-requests)/\d+")
_QUOTED: Final = re.compile(
    r"“[^”\n]{1,400}”|«[^»\n]{1,400}»|(?<![\w\"])\"[^\"\n]{1,400}\"(?![\w\"])|(?<!\w)'[^'\n]{12,400}'(?!\w)"
)
_EXTENSIONS: Final = (
    "py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|vue|svelte|astro|css|scss|sass|less|html|htm|xml|svg|json|jsonc|json5|yaml|yml"
    "|toml|ini|cfg|conf|env|lock|md|mdx|rst|txt|adoc|rs|go|mod|sum|java|kt|kts|scala|sbt|gradle|groovy|clj|cs|csproj|fs"
    "|fsproj|sln|vb|rb|erb|gemspec|php|c|h|cc|cpp|cxx|hpp|hh|m|mm|swift|zig|hs|cabal|ex|exs|erl|lua|pl|pm|r|jl|dart|sh"
    "|bash|zsh|fish|ps1|bat|sql|prisma|graphql|gql|proto|tf|tfvars|hcl|nix|cmake|mk|tcss|csv|tsv|log|diff|patch|png|jpg"
    "|gif|pdf|wasm|snap|feature|tmpl|tpl|j2|jinja|ejs|hbs|properties|plist|pbxproj|xcconfig|service|dockerfile"
)
_BARE_NAMES: Final = (
    r"(?:Dockerfile|Containerfile|Makefile|GNUmakefile|Justfile|justfile|Rakefile|Gemfile|Procfile|Vagrantfile|Jenkinsfile"
    r"|CODEOWNERS|README|CHANGELOG|LICENSE|CONTRIBUTING|\.[a-z]+(?:rc|ignore|attributes)|\.env(?:\.\w+)?)"
)
_FILE: Final = re.compile(
    rf"(?<![\w/@.:#-])(?:~?\.{{0,2}}/)?(?:[\w@+.\[\]()-]+/)*(?:[\w@+\[\]()-][\w@+.\[\]()-]*\.(?:{_EXTENSIONS})|{_BARE_NAMES})"
    rf"(?::\d+(?:-\d+)?)?(?![\w/(])(?!\.\w)"
)
_CODE_FILE: Final = re.compile(
    r"(?:[A-Za-z]:)?(?:[^\s`:*?\"<>|;=]+/)+[^\s`:*?\"<>|;=/]+\.\w{1,10}(?::\d+(?:-\d+)?)?|[\w.@-]+(?:/[\w.@-]+)*/"
)
_SHA: Final = re.compile(r"(?<![\w./-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-])")
_VERSION: Final = re.compile(
    r"(?<![\w./-])v?\d+\.\d+(?:\.\d+)*(?:-?(?:alpha|beta|rc|dev|a|b)[.\d]*)?(?![\w/%])|(?<![\w./-])v\d+(?![\w/.])"
)


_TEST: Final = re.compile(
    r"(?:[\w./\\-]+::)+[\w\[\]-]+|test_\w+(?:\(\))?|\w+_(?:test|spec)|Test[A-Z]\w*|[A-Z]\w*(?:Tests?|Spec)"
)
"""The name of a test, as test runners take it."""

_ACTS: Final = {
    "ran_commit": re.compile(r"git commit\b"),
    "ran_push": re.compile(r"git push\b"),
    "ran_pr": re.compile(r"gh pr create\b|glab mr create\b"),
    "ran_publish": re.compile(
        r"(?:npm|pnpm|yarn|bun|cargo|poetry|uv|flit|hatch|gem|mix hex\.|dotnet nuget) ?(?:publish|push)\b"
        r"|twine upload\b|gh release create\b|docker push\b|mvn deploy\b"
    ),
    "ran_deploy": re.compile(
        r"(?:fly|flyctl|vercel|netlify|firebase|serverless|sls|sam|cdk|wrangler|cap \w+|gcloud [\w ]*) ?deploy\b"
        r"|(?:npm|pnpm|yarn) run deploy\b|make deploy\b|kubectl (?:apply|rollout)\b|helm (?:upgrade|install)\b"
        r"|git push heroku\b"
    ),
}
"""Commands that do by themselves what is claimed."""


@dataclass(slots=True)
class Tokens:
    """The pieces of one message that were taken out of its prose."""

    pieces: list[str] = field(default_factory=list[str])
    bare: list[str] = field(default_factory=list[str])
    """The same without ticks, quotation marks and line numbers."""

    def put(self, kind: str, piece: str, bare: str | None = None) -> str:
        """A token of a kind, in place of a piece."""
        self.pieces.append(piece)
        self.bare.append(piece if bare is None else bare)
        return f"{MARK}{kind}{len(self.pieces) - 1}{MARK}"

    def restore(self, text: str) -> str:
        """The words as they stood."""
        return _TOKEN.sub(lambda match: self.pieces[int(match["n"])], text)

    def named(self, text: str, *kinds: str) -> tuple[str, ...]:
        """The pieces of some kinds in a text, in order, each once."""
        found = (self.bare[int(match["n"])] for match in _TOKEN.finditer(text) if match["kind"] in kinds)
        return tuple(dict.fromkeys(found))


_TOKEN: Final = re.compile(rf"{MARK}(?P<kind>[a-z_]+)(?P<n>\d+){MARK}")


def _code(tokens: Tokens, match: re.Match[str]) -> str:
    code = match["code"].strip()
    if _SHA.fullmatch(code):
        return tokens.put("sha", match.group(), code)
    if _VERSION.fullmatch(code):
        return tokens.put("version", match.group(), code)
    if _FILE.fullmatch(code) or _CODE_FILE.fullmatch(code):
        return tokens.put("file", match.group(), _without_line(code))
    if _TEST.fullmatch(code):
        return tokens.put("test", match.group(), code)
    act = next((kind for kind, pattern in _ACTS.items() if pattern.match(code)), None)
    if act is not None:
        return tokens.put(act, match.group(), code)
    sorts = mainly(code) or (verifies(code) if is_tool(code) else ())
    if sorts:
        return tokens.put("run_" + "_".join(sorted(sorts)), match.group(), code)
    return tokens.put("code", match.group(), code)


def _without_line(path: str) -> str:
    return re.sub(r":\d+(?:-\d+)?\Z", "", path)


def _url(tokens: Tokens, piece: str) -> str:
    return tokens.put("pr" if _PULL.search(piece) else "url", piece, piece.strip("<>"))


def tokenize(text: str, tokens: Tokens) -> str:
    """Prose with tokens in place of everything that is none; `tokens` keeps what was taken out."""
    text = text.replace(MARK, " ").replace("’", "'").replace("…", "...")
    text = _CODE.sub(lambda match: _code(tokens, match), text)
    text = _IMAGE.sub(" ", text)
    text = _LINK.sub(lambda match: f"{match['text']} {_url(tokens, match['url'])}", text)
    text = _URL.sub(lambda match: _url(tokens, match.group()), text)
    text = _QUOTED.sub(lambda match: tokens.put("quote", match.group()), text)
    text = _FILE.sub(lambda match: tokens.put("file", match.group(), _without_line(match.group())), text)
    text = _VERSION.sub(lambda match: tokens.put("version", match.group()), text)
    return _SHA.sub(lambda match: tokens.put("sha", match.group()), text)
