"""`checkout`, `triage`, `brief`, `check`."""

from pathlib import Path

import click

from refloat import wire
from refloat.brief.markdown import BYTES_PER_TOKEN
from refloat.brief.masks import Masker, mask_tree
from refloat.model.brief import BriefPreview, WrittenBrief
from refloat.model.session import State, place_here
from refloat.text import inert_line
from refloat.usecases.brief_session import brief_writer
from refloat.usecases.check_brief import check_brief
from refloat.usecases.examine import examine
from refloat.usecases.preview_brief import look_at
from refloat.usecases.put_brief import renew_brief
from refloat_tui.cli import err, out
from refloat_tui.cli.commands.bench import (
    answer,
    as_json,
    bench,
    here,
    located_whole,
    out_option,
    session_argument,
    show_secrets,
)
from refloat_tui.cli.commands.probe import ask_and_look, need_someone_to_ask
from refloat_tui.cli.show.work import check_lines, preview_lines
from refloat_tui.cli.work import show_checkout, show_triage


@click.command(short_help="Each recorded edit compared with the working tree.")
@session_argument
@click.option("--patch", is_flag=True, help="Show the dirty hunks of each file, with their owners.")
@show_secrets
@as_json
def checkout(session: str, patch: bool, show_secrets: bool, json_: bool) -> None:
    """Each recorded edit compared with the working tree, and the owner of each dirty file."""
    show_checkout(session, patch=patch, show_secrets=show_secrets, as_json=json_)


@click.command(short_help="What is saved, claimed and gone; what not to repeat.")
@session_argument
@click.option("--probe", is_flag=True, help="Ask before each read-only look at what may have happened outside.")
@show_secrets
@as_json
def triage(session: str, probe: bool, show_secrets: bool, json_: bool) -> None:
    """The work sorted into saved, claimed and gone, and what must not be repeated blindly."""
    if probe:
        need_someone_to_ask(json_=json_)
    chosen, shown = show_triage(session, show_secrets=show_secrets, as_json=json_)
    if probe:
        workspace = place_here(chosen.session.worktree) or place_here(chosen.session.workspace)
        ask_and_look(bench().machine, shown, Path(workspace) if workspace else here(), Masker(enabled=not show_secrets))


@click.command()
@session_argument
@out_option("Write it here, private (0600); - for standard output.")
@click.option(
    "--force", is_flag=True, help="Replace a file that is no brief, or another session's brief that still holds."
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=200),
    default=4000,
    show_default=True,
    help="At most this long; a token is four bytes.",
)
@click.option(
    "--template",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Markdown of your own with {title}, {next_step} and the like.",
)
@click.option("--preview", is_flag=True, help="Instead: what is masked in it, and what of it will age.")
@show_secrets
@as_json
def brief(
    session: str,
    target: Path | None,
    force: bool,
    max_tokens: int,
    template: Path | None,
    preview: bool,
    show_secrets: bool,
    json_: bool,
) -> None:
    """The handoff for the next attempt: every line has evidence."""
    if preview and (target is not None or show_secrets):
        other = "--out" if target is not None else "--show-secrets"
        raise click.UsageError(f"--preview writes nothing and shows no secret; leave {other} away")
    if force and target is None:
        raise click.UsageError("--force replaces a file; name it with --out")
    seen = examine(bench(), *located_whole(session))
    words = template.read_text(encoding="utf-8", errors="replace") if template else None
    parts = (seen.session, seen.story, seen.checkout, seen.triage)
    write = brief_writer(bench(), *parts, max_tokens=max_tokens, template=words, show_secrets=show_secrets)
    written = write(Masker(enabled=not show_secrets))
    size = len(written.markdown.encode("utf-8", "replace"))
    if size > max_tokens * BYTES_PER_TOKEN:
        err.say(f"the least that this brief says is {size:,} bytes, more than --max-tokens {max_tokens} allows")
    if preview:
        _show_preview(written, look_at(written, write), json_=json_)
        return
    if target is not None:
        whose = renew_brief(bench(), target.absolute(), written, force=force)
        err.say(f"wrote {target}{_remarks(written)}")
        if whose is not None:
            err.say(f"it replaced the brief of another session, {inert_line(whose)}")
        if seen.session.state is State.LIVE:
            err.say("the session is live: the brief is of this moment, and a second writer must not start from it")
    if json_:
        out.write(wire.dump(wire.brief(written), masker=Masker(enabled=not show_secrets)))
    elif target is None:
        out.write(written.markdown)
        out.tell_masked(written.markdown)


def _show_preview(written: WrittenBrief, found: BriefPreview, *, json_: bool) -> None:
    masker = Masker()
    if json_:
        out.write(wire.dump(wire.brief(written) | {"preview": wire.preview(found)}, masker=masker))
    else:
        out.lines(preview_lines(mask_tree(found, masker), out.width()), masker)


def _remarks(written: WrittenBrief) -> str:
    """What was masked and cut, where anything was."""
    facts = [
        f"{count} {what}{'' if count == 1 else 's'} {done}"
        for count, what, done in ((written.masked, "secret", "masked"), (written.omitted, "line", "left out for size"))
        if count
    ]
    return f" ({', '.join(facts)})" if facts else ""


@click.command(short_help="Does this brief still hold? If not: what moved.")
@click.argument("brief", metavar="FILE.md", type=click.Path(path_type=Path))
@as_json
def check(brief: Path, json_: bool) -> int:
    """Does this brief still hold? Exit 1, and what moved, when it does not."""
    found = check_brief(bench(), brief.absolute())
    answer(found, check_lines, wire.check if json_ else None, masked=True)
    return 0 if found.holds else 1
