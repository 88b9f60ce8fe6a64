"""Diffs of random edits, read back; the same edits applied by git and by GNU patch."""

import difflib
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, AnswerFormat, AnswerOptions, Repair
from assay.benchmarks.code_catalogue.answers.apply import apply_answer

UNTIMED = settings(deadline=None)
FALLBACKS = AnswerOptions(allow_incomplete_diffs=True, allow_rewrite_fallback=True)
# Lines that mean something in diffs, in Markdown or to Python's splitlines().
ODD_LINES = (
    "",
    " ",
    "-",
    "+",
    "--- x",
    "-- x",
    "+++ y",
    "++ y",
    "@@ -1 +1 @@",
    "diff --git a/x b/x",
    "\\ No newline at end of file",
    "```",
    "```diff",
    "<<<<<<< SEARCH",
    "=======",
    "\tüñí",
    "form\x0cfeed",
    "line\u2028separator",
    "next\x85line",
    "carriage\rreturn",
)
LINES = st.sampled_from(["a", "b", "c", *ODD_LINES]) | st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\n\r\x1b"), max_size=9
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines = draw(st.lists(LINES, max_size=25))
    return ending.join(lines) + draw(st.sampled_from(["", ending] if lines else [""]))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and what an editor makes of it: some pieces are replaced."""
    before = draw(texts())
    lines = before.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(lines)))
        end = draw(st.integers(start, min(start + 3, len(lines))))
        lines[start:end] = draw(texts()).splitlines(keepends=True)[:4]
    return before, "".join(lines)


def lines_of(text: str) -> list[str]:
    """Split at line feeds only; what diffs write after a last line without one is part of it."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([f"{last}\n\\ No newline at end of file\n"] if last else [])


def plain_diff(old: str, new: str, path: str, context: int = 3) -> str:
    return "".join(difflib.unified_diff(lines_of(old), lines_of(new), path, path, n=context))


def git_diff(before: Mapping[str, str], after: Mapping[str, str], context: int = 3) -> str:
    """The files are told apart by whether they exist and what they hold; `moved` is renamed from `from`."""
    parts: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        parts.append(f"diff --git a/{path} b/{path}\n")
        parts += ["new file mode 100644\n"] if old is None else []
        parts += ["deleted file mode 100644\n"] if new is None else []
        parts.append("index 1111111..2222222 100644\n")
        names = ("/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}")
        parts += difflib.unified_diff(lines_of(old or ""), lines_of(new or ""), *names, n=context)
    return "".join(parts)


def fenced(diff: str) -> str:
    return f"The change:\n\n```diff\n{diff}```\nThat is all.\n"


@UNTIMED
@given(edits(), st.integers(1, 5))
def test_a_plain_diff_applies_back(edit: tuple[str, str], context: int) -> None:
    old, new = edit
    if old == new:
        return
    reply = fenced(plain_diff(old, new, "src/x.py", context))
    applied = apply_answer(reply, {"src/x.py": old.encode(), "y.py": b""})
    assert applied.changed == {"src/x.py": new.encode()}
    assert (applied.format, applied.repairs, applied.fallback) == (AnswerFormat.UNIFIED_DIFF, (), None)


PATHS = st.sampled_from(["x.py", "src/x.py", "src/b/y z.txt", "a/x.py", "deep/er/ü.rs", "no_extension"])
FILES = st.dictionaries(PATHS, texts(), max_size=4)


def encoded(files: Mapping[str, str | None]) -> dict[str, bytes | None]:
    return {path: None if text is None else text.encode() for path, text in files.items()}


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, bytes | None]:
    paths = sorted(before.keys() | after.keys())
    return encoded({path: after.get(path) for path in paths if before.get(path) != after.get(path)})


@UNTIMED
@given(FILES, FILES)
def test_a_git_diff_of_several_files_applies_back(before: dict[str, str], after: dict[str, str]) -> None:
    if before == after:
        return
    workspace = {path: text.encode() for path, text in before.items()}
    applied = apply_answer(fenced(git_diff(before, after)), workspace)
    assert applied.changed == difference(before, after)
    assert (applied.format, applied.repairs, applied.fallback) == (AnswerFormat.GIT_DIFF, (), None)


@UNTIMED
@given(edits())
def test_a_renamed_file_is_found_under_its_path(edit: tuple[str, str]) -> None:
    old, new = edit
    hunks = "".join(difflib.unified_diff(lines_of(old), lines_of(new), "a/x.py", "b/src/y.py"))
    head = "diff --git a/x.py b/src/y.py\nsimilarity index 60%\nrename from x.py\nrename to src/y.py\n"
    applied = apply_answer(fenced(head + hunks), {"x.py": old.encode()})
    assert applied.changed == {"x.py": None, "src/y.py": new.encode()}


@UNTIMED
@given(FILES, FILES)
def test_the_shown_patch_is_the_same_change(before: dict[str, str], after: dict[str, str]) -> None:
    if before == after:
        return
    workspace = {path: text.encode() for path, text in before.items()}
    shown = apply_answer(fenced(git_diff(before, after)), workspace).patch
    assert apply_answer(fenced(shown), workspace).changed == difference(before, after)


@st.composite
def drifted(draw: st.DrawFn) -> tuple[str, str]:
    """A diff, and a text that differs from the one it was made from, mostly elsewhere.

    The first and the last line are unique: other programs take a hunk without context on one side for the
    beginning or the end of the file, whatever its header says.
    """
    before, after = (f"first line\n{text}\nlast line\n" for text in draw(edits()))
    lines = before.splitlines(keepends=True)
    at = draw(st.integers(1, len(lines) - 1))
    end = min(at + draw(st.integers(0, 1)), len(lines) - 1)
    lines[at:end] = [f"{line}\n" for line in draw(st.lists(LINES, max_size=6))]
    return git_diff({"x.py": before}, {"x.py": after}, draw(st.integers(1, 3))), "".join(lines)


def result_of(command: list[str], folder: Path, text: str, diff: str) -> bytes | None:
    """What the program makes of the file; None if it refuses."""
    file = folder / "x.py"
    file.write_bytes(text.encode())
    done = subprocess.run(command, cwd=folder, input=diff.encode(), capture_output=True, check=False)  # noqa: S603
    return file.read_bytes() if done.returncode == 0 else None


GIT = ["git", "apply", "--whitespace=nowarn"]
PATCH = ["patch", "-p1", "--fuzz=0", "--force", "--binary", "--no-backup-if-mismatch", "--quiet"]


@pytest.mark.parametrize("command", [GIT, PATCH], ids=["git", "patch"])
@settings(UNTIMED, max_examples=60)
@given(drifted())
def test_other_programs_make_the_same_of_a_diff(command: list[str], drift: tuple[str, str]) -> None:
    diff, text = drift
    if not diff or shutil.which(command[0]) is None:
        return
    with TemporaryDirectory() as folder:
        theirs = result_of(command, Path(folder), text, diff)
    try:
        ours = apply_answer(fenced(diff), {"x.py": text.encode()})
    except AnswerError:
        assert theirs is None
        return
    # Other repairs are ours only.
    if theirs is not None and set(ours.repairs) <= {Repair.HUNK_POSITION}:
        assert ours.changed["x.py"] == theirs


@settings(UNTIMED, max_examples=40)
@given(FILES, FILES)
def test_git_accepts_the_shown_patch(before: dict[str, str], after: dict[str, str]) -> None:
    if before == after or shutil.which("git") is None:
        return
    workspace = {path: text.encode() for path, text in before.items()}
    shown = apply_answer(fenced(git_diff(before, after)), workspace).patch
    with TemporaryDirectory() as folder:
        for path, content in workspace.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        subprocess.run(GIT, cwd=folder, input=shown.encode(), check=True)  # noqa: S603
        written = {
            str(file.relative_to(folder)): file.read_bytes()
            for file in Path(folder).rglob("*")
            if file.is_file()
        }
    assert written == {path: text.encode() for path, text in after.items()}


@UNTIMED
@given(
    st.lists(st.sampled_from("abc"), max_size=20), st.lists(st.sampled_from("abc"), max_size=20), st.data()
)
def test_counts_in_headers_may_be_wrong(old: list[str], new: list[str], data: st.DataObject) -> None:
    if old == new:
        return
    texts = ["".join(f"{line}\n" for line in lines) for lines in (old, new)]
    counts = data.draw(st.sampled_from(["1,1 +1,1", "1,99 +1,99", "1 +1"]))
    diff = git_diff({"x.py": texts[0], "y.py": "a\n"}, {"x.py": texts[1], "y.py": "b\n"}, context=30)
    wrong = re.sub(r"^@@ -\S+ \+\S+ @@$", f"@@ -{counts} @@", diff, flags=re.MULTILINE)
    answer = apply_answer(fenced(wrong), {"x.py": texts[0].encode(), "y.py": b"a\n"})
    assert answer.changed == {"x.py": texts[1].encode(), "y.py": b"b\n"}


PIECES = st.sampled_from(
    [
        "```",
        "```diff",
        "````",
        "```python src/x.py",
        "```../x.py",
        "**b/y.py**",
        "# z.py",
        "diff --git a/src/x.py b/src/x.py",
        "diff --git a/../x b/../x",
        "new file mode 100644",
        "deleted file mode 100644",
        "rename from src/x.py",
        "rename to /etc/x",
        "rename to .git/x",
        "rename to src/x.py/y",
        "--- a/src/x.py",
        "+++ b/src/x.py",
        "--- /dev/null",
        "+++ /dev/null",
        "+++ b/src",
        "+++ new/z.py",
        '+++ "b/\\056\\056/x"',
        "@@ -1,2 +1,2 @@",
        "@@ -0,0 +1 @@",
        "@@",
        " a",
        "-a",
        "-b",
        "+c",
        "\\ No newline at end of file",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "",
        "a",
    ]
)


def is_safe(path: str) -> bool:
    parts = path.split("/")
    return not {"", ".", "..", ".git"} & set(parts) and not re.search(r"[\x00-\x1f\\]", path)


@settings(UNTIMED, max_examples=400)
@given(
    st.lists(PIECES, max_size=25).map("\n".join)
    | st.text()
    | st.binary().map(lambda data: data.decode("latin-1"))
)
def test_any_reply_is_refused_or_safe(reply: str) -> None:
    for options in (AnswerOptions(), FALLBACKS):
        workspace = {"src/x.py": b"a\nb\n\xff\r\n", "y.py": b"a"}
        try:
            answer = apply_answer(reply, workspace, options)
        except AnswerError:
            continue
        assert all(map(is_safe, answer.changed))
        assert answer.changed == {
            path: content for path, content in answer.changed.items() if content != workspace.get(path)
        }
        assert answer.patch.encode()
