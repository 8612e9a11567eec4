"""What of a brief is masked and what of it will age, before it leaves."""

from refloat.brief.fingerprint import ages_of, read_last_line
from refloat.brief.masks import Masker
from refloat.brief.preview import Ledger, find_masked
from refloat.model.brief import BriefPreview, WrittenBrief
from refloat.usecases.write_brief import WriteBrief


def preview_brief(write: WriteBrief) -> BriefPreview:
    """Look at the brief that `write` writes with a masker of ours: once as it leaves, once to see what is hidden.

    Raises:
        UsageError: it cannot be written.

    """
    return look_at(write(Masker()), write)


def look_at(written: WrittenBrief, write: WriteBrief) -> BriefPreview:
    """The same for a brief that is written already (masked, by the same `write`)."""
    ledger = Ledger()
    noted = write(ledger)
    fingerprint = read_last_line(written.markdown)
    masked = find_masked(written.markdown, noted.markdown, ledger)
    return BriefPreview(written.session, masked, ages_of(fingerprint) if fingerprint else ())
