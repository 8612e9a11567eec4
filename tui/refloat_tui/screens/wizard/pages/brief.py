"""Page 7: the brief, line by line."""

from collections.abc import Sequence
from typing import Final

from refloat.model.brief import SECTIONS, Confidence, Line, Section, lines_of
from refloat.model.recovery import EditedLine, LineEdit, Page, Said, SaidTitle
from refloat.text import one_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import clock_time, local_times
from refloat_tui.present.path import from_home, homes_shortened
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    Field,
    Look,
    PageView,
    Row,
    gap,
    heading,
    several,
    statement_words,
    wrapped_rows,
)
from refloat_tui.theme import Glyphs

_STYLES: Final[dict[Confidence, str]] = {
    Confidence.VERIFIED: "$pile-saved",
    Confidence.RECORDED: "$state-stopped",
    Confidence.RECONSTRUCTED: "$pile-claimed",
    Confidence.UNKNOWN: "$state-unresolved",
}


_OUT: Final = "#out#"


def confidence_sign(line: Line, glyphs: Glyphs, section: Section) -> tuple[str, str]:
    """One sign for how a line is known, with its style; a person's line has their sign.

    What is uncertain gets no sign of approval, however surely it was seen that it is lost.
    """
    if line.by is not None:
        return glyphs.prompt, PERSON
    match line.confidence:
        case Confidence.VERIFIED if section == "uncertain":
            return glyphs.changed, _STYLES[Confidence.RECONSTRUCTED]
        case Confidence.VERIFIED:
            return glyphs.ok, _STYLES[line.confidence]
        case Confidence.RECORDED:
            return glyphs.reply, _STYLES[line.confidence]
        case Confidence.RECONSTRUCTED:
            return glyphs.partly, _STYLES[line.confidence]
        case Confidence.UNKNOWN:
            return glyphs.unknown, _STYLES[line.confidence]


def brief_rows(look: Look) -> list[Row]:
    """The whole brief as rows: its title, headings, and each line with the sign of its confidence."""
    if look.written is None:
        return [heading("writing", ((f"Writing the brief{look.glyphs.ellipsis}", QUIET),))]
    brief = look.written.brief
    title = PERSON if look.recovery.given.title is not None else ""
    rows = wrapped_rows("title", ((one_line(brief.title), f"{title} bold".strip()),), look.width)
    for section, words in SECTIONS:
        rows += [gap(f"{section} gap"), heading(f"{section} head", ((words, "$accent bold"),))]
        lines = lines_of(brief, section)
        for at, line in enumerate(lines):
            rows += _line_rows(f"{section}#{at}", line, look, section)
        rows += _taken_out_rows(section, look)
        if not lines:
            rows += wrapped_rows(f"{section}#", (("nothing recorded", QUIET),), look.width, indent=2)
    return rows


def _line_rows(key: str, line: Line, look: Look, section: Section) -> list[Row]:
    sign, style = confidence_sign(line, look.glyphs, section)
    rows = wrapped_rows(key, ((_shown(line.text, look), PERSON if line.by is not None else ""),), look.width, indent=2)
    first = rows[0].drawn
    assert first is not None  # noqa: S101 - wrapped rows are drawn
    head = first[:0].append_text(sign, style).append_text(" ")
    return [Row(key, drawn=head + first[2:]), *rows[1:]]


def _shown(text: str, look: Look) -> str:
    return local_times(homes_shortened(statement_words(text, look.glyphs), look.home))


def _taken_out_rows(section: Section, look: Look) -> list[Row]:
    """Lines that a person took out: still to be seen here, and to be brought back."""
    out = [edit.was for edit in look.recovery.given.edits.get(section, ()) if edit.was and not edit.now]
    rows: list[Row] = []
    for text in out:
        words = ((f"{look.glyphs.minus} ", PERSON), (_shown(text, look), f"{QUIET} strike"))
        rows += wrapped_rows(f"{section}{_OUT}{text}", words, look.width)
    return rows


class BriefPage(PageView):
    """What the next attempt is handed."""

    page = Page.BRIEF
    title = "Brief"
    ask = "Is this what the next attempt should know?"
    section = "previous_attempt"
    offers = frozenset({"edit", "undo", "add", "drop", "write", "copy", "wrap", "preview", "command"})
    list_first = True

    def so_far(self, look: Look) -> str:
        """`written 12:41:07`."""
        written = look.recovery.given.written
        if written is None:
            return "not written yet"
        return "changed since written" if look.recovery.given.stale else f"written {clock_time(written[1])}"

    def reason(self, look: Look) -> Pieces:
        """How big it is, what is masked and cut, and where it goes."""
        if look.written is None:
            return (("", QUIET),)
        size = len(look.written.markdown.encode("utf-8", "replace"))
        facts = [f"about {max(1, size // 4):,} tokens"]
        if look.written.masked:
            facts.append(several(look.written.masked, "secret") + " masked")
        if look.written.ages:
            facts.append(several(look.written.ages, "thing") + " that will age")
        if look.written.masked or look.written.ages:
            facts[-1] += " (v shows)"
        if look.written.omitted:
            facts.append(several(look.written.omitted, "line") + " left out")
        goes = f"w writes it to {from_home(look.path, look.home)}"
        if (written := look.recovery.given.written) is not None:
            changed = ", and changed since: w writes it again" if look.recovery.given.stale else ""
            goes = f"written to {from_home(written[0], look.home)} at {clock_time(written[1])}{changed}"
        return ((f"{', '.join(facts)}; {goes}.", QUIET),)

    def rows(self, look: Look) -> Sequence[Row]:
        """The brief."""
        return brief_rows(look)

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """How the line is known."""
        line = _line(look, key)
        if line is None:
            return [(("The title. Anything here can be changed.", QUIET),)] if key == "title" else ()
        sign, style = confidence_sign(line, look.glyphs, "uncertain" if key.startswith("uncertain#") else "established")
        if line.by is not None:
            return [((f"{sign} ", style), (f"by {one_line(line.by)}", PERSON))]
        steps = ", ".join(str(step) for step in line.steps)
        known: Pieces = ((f"{sign} ", style), (line.confidence.value, STRONG))
        return [(*known, (f"  evidence: step {steps}" if steps else "", QUIET))]

    def field(self, look: Look, key: str) -> Field | None:
        """The line under the cursor."""
        if look.written is None:
            return None
        if key == "title":
            return Field("Title", look.written.brief.title, live=False)
        line = _line(look, key)
        return Field("This line", "" if line is None else statement_words(line.text, look.glyphs), live=False)

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep the line; an empty one is taken out."""
        if key == "title":
            return SaidTitle(text.strip() or None)
        line = _line(look, key)
        return EditedLine(section_key(key), LineEdit("" if line is None else line.text, one_line(text)))

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to the line that evidence made."""
        given = look.recovery.given
        if key == "title":
            return None if given.title is None else SaidTitle(None)
        _, out, text = key.partition(_OUT)
        if out:
            return EditedLine(section_key(key), LineEdit("", text))
        line = _line(look, key)
        if line is None:
            return None
        for edit in given.edits.get(section_key(key), ()):
            if edit.now == line.text:
                return EditedLine(section_key(key), LineEdit(line.text, edit.was))
        return None


def section_key(key: str) -> Section:
    """The section that a row belongs to; the title's is the first."""
    name = key.partition("#")[0]
    found: list[Section] = [section for section, _ in SECTIONS if section == name]
    return found[0] if found else SECTIONS[0][0]


def _line(look: Look, key: str) -> Line | None:
    name, _, at = key.partition("#")
    if look.written is None or not at.isdecimal() or all(section != name for section, _ in SECTIONS):
        return None
    lines = lines_of(look.written.brief, section_key(key))
    return lines[int(at)] if int(at) < len(lines) else None
