"""A brief is written, holds, and says what moved: on real files and a real repository."""

import json
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from refloat import wire
from refloat.brief.fingerprint import ages_of, read_last_line
from refloat.brief.masks import Masker
from refloat.errors import UsageError
from refloat.model.brief import SECTIONS, WrittenBrief
from refloat.model.session import TranscriptFiles
from refloat.model.transcript import Item
from refloat.ports import GitAnswer, Machine
from refloat.testing.samples import Sample, at, crashed, stopped
from refloat.usecases.check_brief import check_brief
from refloat.usecases.preview_brief import look_at, preview_brief
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_brief, write_private

TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


class RealGit:
    """git as it is, for a repository of the test's own."""

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        made = subprocess.run(
            ["git", "-C", str(directory), *words], input=stdin, capture_output=True, timeout=seconds, check=False
        )
        return GitAnswer(made.returncode, made.stdout, made.stderr.decode())

    def version(self) -> str | None:
        return "2"


@dataclass
class OnlyGit:
    git: RealGit


BENCH = Workbench(cast("Machine", OnlyGit(RealGit())), ())


def git(where: Path, *words: str) -> str:
    who = ["-c", "user.name=ana", "-c", "user.email=ana@example.invalid"]
    done = subprocess.run(["git", "-C", str(where), *who, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@dataclass
class Place:
    sample: Sample
    repo: Path
    transcript: Path

    def write(self, name: str = "HANDOFF.md") -> Path:
        brief = self.repo / name
        s = self.sample
        write_private(brief, write_brief(BENCH, s.session, s.story, s.checkout, s.triage).markdown)
        return brief


@pytest.fixture
def place(tmp_path: Path) -> Place:
    repo, transcript = tmp_path / "shop", tmp_path / "s.jsonl"
    (repo / "src").mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main")
    (repo / "src" / "rounding.py").write_text("half\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "start")
    transcript.write_bytes(b'{"a":1}\n' * 1000)
    sample = stopped()
    session = replace(
        sample.session, workspace=str(repo), repo=str(repo), transcript=TranscriptFiles((str(transcript),), 8000, ())
    )
    checkout = replace(sample.checkout, repo=str(repo), head=git(repo, "rev-parse", "HEAD"))
    return Place(replace(sample, session=session, checkout=checkout), repo, transcript)


def moved(path: Path) -> dict[str, tuple[str, str]]:
    answer = check_brief(BENCH, path)
    assert answer.holds == (not answer.moved)
    return {row.what: (row.was, row.now) for row in answer.moved}


def test_a_fresh_brief_holds_and_is_private(place: Place) -> None:
    brief = place.write()
    assert moved(brief) == {}
    assert stat.S_IMODE(brief.stat().st_mode) == 0o600
    assert sorted(path.name for path in place.repo.iterdir()) == [".git", "HANDOFF.md", "src"]


def test_what_moved_is_told(place: Place) -> None:
    brief = place.write()
    (place.repo / "src" / "rounding.py").write_text("changed\n")
    (place.repo / "tests").mkdir()
    (place.repo / "tests" / "test_rounding.py").write_text("new\n")
    place.transcript.write_bytes(place.transcript.read_bytes() + b"{}\n")
    git(place.repo, "commit", "-qam", "next")
    found = moved(brief)
    head = git(place.repo, "rev-parse", "HEAD")
    assert found["HEAD"] == (place.sample.checkout.head, head)
    assert found["src/rounding.py"][1].startswith("content ")
    assert found["tests/test_rounding.py"][0] == "no such file"
    assert found[str(place.transcript)] == ("8,000 bytes", "8,003 bytes: the session went on")


def test_what_is_gone_is_told(place: Place) -> None:
    brief = place.write()
    (place.repo / "src" / "rounding.py").unlink()
    place.transcript.unlink()
    found = moved(brief)
    assert found["src/rounding.py"][1] == "no such file"
    assert found[str(place.transcript)][1] == "gone"


def test_a_rewritten_transcript_is_told(place: Place) -> None:
    brief = place.write()
    place.transcript.write_bytes(b'{"b":1}\n' * 1000)
    assert "another content" in moved(brief)[str(place.transcript)][1]


def test_unrelated_changes_move_nothing(place: Place) -> None:
    brief = place.write()
    (place.repo / "other.txt").write_text("x")
    assert moved(brief) == {}


def test_a_brief_among_the_dirty_files_is_not_spoken_of(place: Place) -> None:
    full = crashed().checkout.other_changes[0]
    change = replace(full, path="HANDOFF.md")
    place.write()
    place.sample = replace(place.sample, checkout=replace(place.sample.checkout, other_changes=(change,)))
    again = place.write()
    fingerprint = read_last_line(again.read_text())
    assert fingerprint
    assert "HANDOFF.md" not in [path for path, _ in fingerprint.files]


def test_a_link_is_not_followed(place: Place) -> None:
    target = place.repo / "src" / "rounding.py"
    target.unlink()
    target.symlink_to("/etc/hostname")
    brief = place.write()
    assert moved(brief) == {}
    target.unlink()
    target.symlink_to("/etc/passwd")
    assert "src/rounding.py" in moved(brief)


@pytest.mark.parametrize("content", [None, "", "# only words\n", "<!-- refloat/1 {} -->\n", "<!-- refloat/1 [1] -->"])
def test_what_is_no_brief_is_wrong_usage(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "x.md"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError) as fault:
        check_brief(BENCH, path)
    assert fault.value.exit_code == 2


def test_a_directory_is_no_brief(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        check_brief(BENCH, tmp_path)


def test_a_brief_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--out"):
        write_private(tmp_path / "none" / "x.md", "x")
    (tmp_path / "taken").mkdir()
    with pytest.raises(UsageError):
        write_private(tmp_path / "taken", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_an_older_file_is_replaced_and_made_private(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new\n")
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def with_secrets(place: Place) -> Sample:
    sample = place.sample
    items: Sequence[Item] = (
        Item(1, "prompt", at(0), f"use {TOKEN}, and try tr0ub4dor-9f3a27"),
        *sample.story.items[1:],
    )
    steps = [
        replace(item, step=replace(item.step, output="DB_PASSWORD=tr0ub4dor-9f3a27")) if item.step else item
        for item in items
    ]
    return replace(sample, story=replace(sample.story, items=tuple(steps)))


def test_secrets_are_masked_counted_and_shown_when_asked(place: Place) -> None:
    s = with_secrets(place)
    written = write_brief(BENCH, s.session, s.story, s.checkout, s.triage)
    everything = written.markdown + wire.dump(wire.brief(written), masker=Masker())
    assert TOKEN not in everything
    assert "tr0ub4dor" not in everything
    assert "use [masked: GitHub token], and try [masked: password]" in written.markdown
    assert written.masked == written.markdown.count("[masked: ") > 0
    shown = write_brief(BENCH, s.session, s.story, s.checkout, s.triage, show_secrets=True)
    assert TOKEN in shown.markdown
    assert shown.masked == 0


def test_a_preview_tells_what_is_masked_and_what_will_age(place: Place) -> None:
    s = with_secrets(place)

    def write(masker: Masker) -> WrittenBrief:
        return write_brief(BENCH, s.session, s.story, s.checkout, s.triage, masker=masker)

    written = write(Masker())
    preview = look_at(written, write)
    lines = written.markdown.split("\n")
    assert len(preview.masked) == written.masked
    assert all(f"[masked: {row.kind}" in lines[row.line - 1] for row in preview.masked)
    lengths = {row.kind: row.length for row in preview.masked}
    assert lengths == {"GitHub token": len(TOKEN), "password": len("tr0ub4dor-9f3a27")}
    assert {row.section for row in preview.masked} <= {heading for _, heading in SECTIONS}
    assert (preview.values, len(preview.ages)) == (2, written.ages)
    told = {row.what: row.now for row in preview.ages}
    assert told["HEAD"] == f"commit {(s.checkout.head or '')[:12]}"
    assert told["src/rounding.py"].startswith("content ")
    assert told[str(place.transcript)] == "ends at 8,000 bytes"
    text = wire.dump(wire.preview(preview), masker=Masker(enabled=False))
    assert TOKEN not in text
    assert "tr0ub4dor" not in text
    assert list(json.loads(text)["masked"][0]) == ["kind", "length", "value", "section", "line"]
    assert list(json.loads(text)["ages"][0]) == ["kind", "what", "now"]
    assert preview_brief(write) == preview


def test_what_a_preview_says_will_age_is_what_a_check_looks_at(place: Place) -> None:
    path = place.write()
    fingerprint = read_last_line(path.read_text())
    assert fingerprint
    (place.repo / "src" / "rounding.py").write_text("changed\n")
    place.transcript.unlink()
    git(place.repo, "commit", "-qam", "next")
    assert set(moved(path)) <= {row.what for row in ages_of(fingerprint)}


def test_the_json_carries_the_markdown_as_it_is(place: Place) -> None:
    s = with_secrets(place)
    written = write_brief(BENCH, s.session, s.story, s.checkout, s.triage)
    assert json.loads(wire.dump(wire.brief(written), masker=Masker()))["markdown"] == written.markdown


def test_a_hostile_path_does_not_close_the_comment_and_a_token_in_one_stays_out(place: Place) -> None:
    names = ["a --> b.py", "x--><script>.py", f"{TOKEN}/k.py", "api_key", "src/\u202egnp.py"]
    files = tuple(replace(place.sample.checkout.files[0], path=name) for name in names)
    place.sample = replace(place.sample, checkout=replace(place.sample.checkout, files=files))
    brief = place.write()
    last = brief.read_text().rstrip("\n").split("\n")[-1]
    assert last.count("-->") == 1
    assert "--" not in last.removeprefix("<!--").removesuffix("-->")
    assert TOKEN not in last
    fingerprint = read_last_line(brief.read_text())
    assert fingerprint
    assert [path for path, _ in fingerprint.files] == [name for name in names if TOKEN not in name]
    assert Masker().text(brief.read_text()) == brief.read_text()
    assert moved(brief) == {}


def test_thousands_of_files_keep_the_size(place: Place) -> None:
    files = tuple(replace(place.sample.checkout.files[0], path=f"src/module_{n}.py") for n in range(3000))
    s = replace(place.sample, checkout=replace(place.sample.checkout, files=files))
    written = write_brief(BENCH, s.session, s.story, s.checkout, s.triage)
    assert len(written.markdown.encode()) <= 16_000
    assert written.omitted > 2000
    assert read_last_line(written.markdown)


def test_a_template_is_kept_and_ends_with_the_fingerprint(place: Place) -> None:
    s = place.sample
    written = write_brief(
        BENCH, s.session, s.story, s.checkout, s.triage, template="# Mine\n{established}\n{unknown_word}\n"
    )
    assert "{unknown_word}" in written.markdown
    assert read_last_line(written.markdown)
