"""What a shell command writes for certain, and what it is not credited with."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.model.transcript import FileEdit, Hunk
from refloat.readers.shell import read_shell, shell_edits, unwrap

CWD = "/home/ada/src/ledgerly"


def append(path: str, *lines: str) -> FileEdit:
    return FileEdit(path, "update", hunks=(Hunk(None, 0, None, len(lines), tuple("+" + line for line in lines)),))


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["bash", "-lc", "pytest -q"], "pytest -q"),
        (["/bin/zsh", "-l", "-c", "ls | wc"], "ls | wc"),
        (["env", "A=1", "sh", "-c", "true"], "true"),
        (["powershell.exe", "-NoProfile", "-Command", "Get-Item", "x"], "Get-Item x"),
        (["cmd", "/c", "dir"], "dir"),
        (["git", "commit", "-m", "two words"], "git commit -m 'two words'"),
        (["bash", "script.sh", "-c", "x"], "bash script.sh -c x"),
        (["pytest -q && true"], "pytest -q && true"),
        ([], ""),
    ],
)
def test_unwrap(argv: list[str], line: str):
    assert unwrap(argv) == line


@pytest.mark.parametrize(
    ("command", "edits"),
    [
        ("cat > a.py <<'EOF'\nx = $y\nEOF", (FileEdit(f"{CWD}/a.py", "create", after="x = $y\n"),)),
        ('cat <<"EOF" > a.py\nx\n\n\nEOF\n', (FileEdit(f"{CWD}/a.py", "create", after="x\n\n\n"),)),
        ("cat <<\\EOF >/srv/a.py\nx\nEOF\n", (FileEdit("/srv/a.py", "create", after="x\n"),)),
        ("cat >| a.py << EOF\nplain \\d\nEOF\n", (FileEdit(f"{CWD}/a.py", "create", after="plain \\d\n"),)),
        ("cat > a.py <<-'E'\n\tx\n\t\ty\n\tE\n", (FileEdit(f"{CWD}/a.py", "create", after="x\ny\n"),)),
        ("cat >> log.md <<'EOF'\none\ntwo\nEOF", (append(f"{CWD}/log.md", "one", "two"),)),
        (
            "tee a.py b.py <<'EOF' >/dev/null\nx\nEOF",
            tuple(FileEdit(f"{CWD}/{n}.py", "create", after="x\n") for n in "ab"),
        ),
        ("cat <<'EOF' | sudo tee -a /etc/hosts\nx\nEOF", (append("/etc/hosts", "x"),)),
        ("cd sub && cat > '../a b.py' <<'EOF'\nx\nEOF", (FileEdit(f"{CWD}/a b.py", "create", after="x\n"),)),
        ("cd /srv\nmkdir -p d; cat > d/a <<'EOF'\nx\nEOF\npytest", (FileEdit("/srv/d/a", "create", after="x\n"),)),
        (
            "cat > a <<'A' && cat > b <<'B'\n1\nA\n2\nB\n",
            (FileEdit(f"{CWD}/a", "create", after="1\n"), FileEdit(f"{CWD}/b", "create", after="2\n")),
        ),
        ("cat > a <<'EOF'\nEOF\n", (FileEdit(f"{CWD}/a", "create", after=""),)),
        ("rm -f old.py 'new one.py'", (FileEdit(f"{CWD}/old.py", "delete"), FileEdit(f"{CWD}/new one.py", "delete"))),
        ("git rm old.py && pytest", (FileEdit(f"{CWD}/old.py", "delete"),)),
        ("git mv a.py src/", (FileEdit(f"{CWD}/a.py", "update", moved_to=f"{CWD}/src/a.py"),)),
        ("mv a.py b.py", (FileEdit(f"{CWD}/a.py", "update", moved_to=f"{CWD}/b.py"),)),
    ],
)
def test_what_is_written(command: str, edits: tuple[FileEdit, ...]):
    assert shell_edits(command, CWD) == edits


@pytest.mark.parametrize(
    "command",
    [
        "cat > a.py <<EOF\n$HOME\nEOF",
        "cat > a.py <<EOF\n`date`\nEOF",
        "cat > a.py <<EOF\na\\\\b\nEOF",
        "cat > a.py <<'EOF'\nnever closed\n",
        "cat > $OUT <<'EOF'\nx\nEOF",
        "cat > \"$OUT/a\" <<'EOF'\nx\nEOF",
        "cat > ~/a <<'EOF'\nx\nEOF",
        "cat > *.py <<'EOF'\nx\nEOF",
        "cat header > a.py <<'EOF'\nx\nEOF",
        "python - <<'EOF'\nopen('a', 'w')\nEOF",
        "test -f a.py || cat > a.py <<'EOF'\nx\nEOF",
        "if true; then\ncat > a.py <<'EOF'\nx\nEOF\nfi",
        "for f in a b; do cat > a.py <<'EOF'\nx\nEOF\ndone",
        "(cat > a.py <<'EOF'\nx\nEOF\n)",
        "cat > a.py <<'EOF' &\nx\nEOF",
        "cat > /dev/null <<'EOF'\nx\nEOF",
        "cd $DIR && cat > a.py <<'EOF'\nx\nEOF",
        "cat <<'EOF'\ncat > a.py\nEOF",
        "git commit -m \"$(cat <<'EOF'\nIt's done\n\nrm x (and y\nEOF\n)\"",
        "cat > a.py <<< 'x'",
        "echo 'unbalanced <<EOF",
        "rm -rf build",
        "rm *.pyc",
        "git rm --cached a.py",
        "mv a.py src",
        "mv a b c/",
        "ls # rm a.py",
        "",
    ],
)
def test_what_is_not_credited(command: str):
    assert shell_edits(command, CWD) == ()


def test_a_relative_target_needs_a_directory():
    assert shell_edits("cat > a <<'EOF'\nx\nEOF\n", "") == ()
    assert shell_edits("cd /srv && cat > a <<'EOF'\nx\nEOF\n", "") == (FileEdit("/srv/a", "create", after="x\n"),)


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("cat > a <<'EOF'\nx\nEOF", True),
        ("mkdir -p d && cd d && cat > a <<'EOF'\nx\nEOF\n", True),
        ("cat > a <<'EOF'\nx\nEOF\npytest -q", False),
        ("cat <<'EOF' | tee a\nx\nEOF\n", True),
        ("cat > a <<'EOF'\nx\nEOF\nif true; then ls; fi", False),
        ("cd d", False),
    ],
)
def test_whether_it_does_nothing_else(command: str, *, only: bool):
    assert read_shell(command, CWD)[1] is only


PATCH = "*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** End Patch\n"


@pytest.mark.parametrize(
    "command",
    [
        f"apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"cd {CWD} && applypatch <<'PATCH'\n{PATCH}PATCH",
        f"apply_patch {shlex.quote(PATCH)}",
        f"apply_patch \"$(cat <<'EOF'\n{PATCH}EOF\n)\"",
        f"cat <<'EOF' | apply_patch\n{PATCH}EOF\n",
    ],
)
def test_patches(command: str):
    edits, only = read_shell(command, CWD)
    assert [(edit.path, edit.op, edit.after) for edit in edits] == [(f"{CWD}/new.py", "create", "x = 1\n")]
    assert only


@given(st.text(alphabet="ab <>&|;()'\"$`\\\n-E{}#", max_size=60))
def test_never_raises(text: str):
    shell_edits("cat <<E " + text, CWD)


@given(
    st.lists(
        st.text(alphabet=st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]), max_size=9), max_size=6
    )
)
def test_a_quoted_heredoc_gives_its_text_back(lines: list[str]):
    body = "".join(line + "\n" for line in lines if line != "EOF")
    assert shell_edits(f"cat > f <<'EOF'\n{body}EOF\n", CWD) == (FileEdit(f"{CWD}/f", "create", after=body),)
