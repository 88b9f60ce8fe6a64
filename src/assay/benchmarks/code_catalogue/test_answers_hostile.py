"""Paths, kinds of files and sizes that are refused, and replies made to be slow."""

import contextlib
import time

import pytest

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, AnswerOptions
from assay.benchmarks.code_catalogue.answers.apply import apply_answer

FALLBACKS = AnswerOptions(allow_incomplete_diffs=True, allow_rewrite_fallback=True)
MIB = 1024 * 1024


def error(reply: str, workspace: dict[str, bytes] | None = None) -> str:
    with pytest.raises(AnswerError) as raised:
        apply_answer(reply, workspace or {"src/x.py": b"a\n"})
    return raised.value.message


UNSAFE = [
    ("/etc/passwd.txt", "it is absolute"),
    ("a//etc/passwd.txt", "it is absolute"),
    ("/workspace//etc/passwd.txt", "it is absolute"),
    ("../x.py", "it has the part '..'"),
    ("src/../../x.py", "it has the part '..'"),
    ("workspace/../x.py", "it has the part '..'"),
    (".git/config.py", "it is inside '.git'"),
    ("src/.GIT/hook.py", "it is inside '.git'"),
    ("/".join("d" * 32) + "/x.py", "it is too long"),
    ("ü" * 128 + ".py", "it is too long"),
]


@pytest.mark.parametrize(("path", "fault"), UNSAFE)
def test_unsafe_paths_are_refused(path: str, fault: str) -> None:
    for reply in (
        f"```{path}\nx\n```\n",
        f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n",
        f"```\n{path}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    ):
        assert error(reply).endswith(f"' is refused: {fault}")


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("src\\\\..\\\\x.py", "it has a backslash"),
        ("src/\\000x.py", "it has a control character"),
        ("src/\\n", "it has a control character"),
        ("src/", "it names no file"),
        ("b/.", "it names no file"),
        ("", "it names no file"),
        ("x/" * 3000 + "x", "it is too long"),
    ],
)
def test_unsafe_names_in_diffs_are_refused(path: str, fault: str) -> None:
    assert error(f'--- /dev/null\n+++ "b/{path}"\n@@ -0,0 +1 @@\n+x\n').endswith(f"is refused: {fault}")
    assert error(f'diff --git a/src/x.py b/y\nrename from src/x.py\nrename to "{path}"\n').endswith(fault)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("new file mode 120000", "the diff of src/x.py is of a symbolic link or a submodule"),
        ("new file mode 160000", "the diff of src/x.py is of a symbolic link or a submodule"),
        ("old mode 100644\nnew mode 120000", "the diff of src/x.py is of a symbolic link or a submodule"),
        ("index 83db48f..bf2a7c1 120000", "the diff of src/x.py is of a symbolic link or a submodule"),
        ("deleted file mode 120000", "the diff of src/x.py is of a symbolic link or a submodule"),
        ("index 1..2\nGIT binary patch\nliteral 1", "the diff changes a binary file, which is not supported"),
        (
            "Binary files a/src/x.py and b/src/x.py differ",
            "the diff changes a binary file, which is not supported",
        ),
        (
            "copy from src/x.py\ncopy to y.py",
            "the diff copies src/x.py, which is not supported: give the new file in full",
        ),
    ],
)
def test_links_and_binary_files_are_refused(lines: str, message: str) -> None:
    assert error(f"```diff\ndiff --git a/src/x.py b/src/x.py\n{lines}\n```\n") == message


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("```src/x.py/y.py\nx\n```\n", "'src/x.py' would be a file and the folder of 'src/x.py/y.py'"),
        ("--- /dev/null\n+++ src\n@@ -0,0 +1 @@\n+x\n", "'src' would be a file and the folder of 'src/x.py'"),
        (
            "```n.py\nx\n```\n```n.py/o.py/p.py\nx\n```\n",
            "'n.py' would be a file and the folder of 'n.py/o.py/p.py'",
        ),
    ],
)
def test_a_file_is_no_folder(reply: str, message: str) -> None:
    assert error(reply) == message


def test_a_file_may_become_a_folder() -> None:
    reply = (
        "--- src/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- /dev/null\n+++ src/x.py/y\n@@ -0,0 +1 @@\n+a\n"
    )
    assert apply_answer(reply, {"src/x.py": b"a\n"}).changed == {"src/x.py": None, "src/x.py/y": b"a\n"}


def test_sizes_are_limited() -> None:
    assert error("ü" * (4 * MIB + 1)) == "the reply is longer than 8,388,608 bytes or 250,000 lines"
    assert error("\n" * 250_001) == "the reply is longer than 8,388,608 bytes or 250,000 lines"
    files = "".join(f"```f{number}.py\n```\n" for number in range(2001))
    assert error(files) == "the answer changes more than 2,000 files"
    assert len(apply_answer(files.replace("```f2000.py\n```\n", ""), {}).changed) == 2000
    large = {"x.py": b"x" * (8 * MIB - 1) + b"\n"}
    grown = "--- x.py\n+++ x.py\n@@ -1,0 +2 @@\n+a\n"
    assert error(grown, large) == "x.py would have 8,388,610 bytes; the limit is 8,388,608"


def test_what_is_wrong_is_said_in_few_words() -> None:
    name = "y/" * MIB
    for reply in (
        f"--- a/x\n+++ b/{name}z\n",
        f"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/{name}z\n@@ -0,0 +1 @@\n+x\n",
        f"--- /dev/null\n+++ b/{name}z\n@@ -0,0 +1 @@\n+x\n",
    ):
        assert len(error(reply)) < 500


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    assert apply_answer("```x.py\n\ud800\n```\n", {}).changed == {"x.py": b"?\n"}


def hunks(count: int, body: str) -> str:
    return "--- x.py\n+++ x.py\n" + "".join(f"@@ -{at},2 +{at},2 @@\n{body}" for at in range(1, count))


NUMBERED = "".join(f"line {number % 97}\n" for number in range(100_000))
SLOW = {
    "hunks without a place": (hunks(20_000, " line 3\n-line 5\n+q\n"), NUMBERED),
    "hunks with many places": (hunks(20_000, " a\n-a\n-b\n+q\n"), "a\n" * 100_000),
    "hunks that match": (hunks(60_000, "-a\n+b\n"), "a\n" * 100_000),
    "a long hunk that is similar everywhere": (hunks(2, "-line zz\n" * 100_000), NUMBERED),
    "long lines that are similar": (
        hunks(4000, f"-{'ab' * 100}x\n"),
        "".join(f"{'ba' * 100}{number}\n" for number in range(5000)),
    ),
    "one very long line": (hunks(2, f"-{'a' * MIB}b\n+c\n"), f"{'a' * MIB}c\n"),
    "many diffs of a large file": ("--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+a\n" * 30_000, "a\n" * 100_000),
    "many new files": ("".join(f"--- /dev/null\n+++ {n}.py\n@@ -0,0 +1 @@\n+a\n" for n in range(30_000)), ""),
    "headers": ("--- x.py\n+++ x.py\n" * 50_000, ""),
    "headers of git": ("diff --git a/x.py b/x.py\n" * 40_000, ""),
    "blank lines": (hunks(2, "\n" * 240_000 + "-a\n"), "a\n"),
    "blocks in blocks": ("".join(f"{'`' * (3 + number % 50)}diff\n" for number in range(40_000)), ""),
    "code blocks": ("```\n" * 240_000, ""),
    "backticks": ("`" * MIB + "x`", ""),
    "search markers": ("<<<<<<< SEARCH\n" * 70_000, ""),
    "search blocks": ("x.py\n" + "<<<<<<< SEARCH\nq\n=======\nq\na\n>>>>>>> REPLACE\n" * 20_000, "q\n"),
    "a path of prefixes": (f"--- /dev/null\n+++ {'./' * MIB}x\n@@ -0,0 +1 @@\n+a\n", ""),
    "quotation marks": (f'diff --git "{chr(92) * MIB}\nnew file mode 100644\n', ""),
    "words that look like paths": (("x(" * 140 + "\n```\nx\n```\n") * 3000, ""),
    "terminal codes": ("\x1b[1;" + "1;" * MIB, ""),
    "a rewritten file": (
        "```x.py\n" + "".join(f"line {number}\nx{number}\n" for number in range(40_000)) + "```",
        "".join(f"line {number}\ny{number}\n" for number in range(40_000)),
    ),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_reply_takes_longer_than_seconds(name: str) -> None:
    reply, content = SLOW[name]
    started = time.process_time()
    for options in (AnswerOptions(), FALLBACKS):
        with contextlib.suppress(AnswerError):
            apply_answer(reply, {"x.py": content.encode()}, options)
    # Measured: at most 5 s. What takes quadratic time here takes minutes.
    assert time.process_time() - started < 30
