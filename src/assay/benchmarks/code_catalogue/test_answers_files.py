"""Whole files, search/replace blocks, and replies that hold several formats or none."""

import pytest

from assay.benchmarks.code_catalogue.answers.answer import (
    AnswerError,
    AnswerFormat,
    AnswerOptions,
    AppliedAnswer,
    Repair,
)
from assay.benchmarks.code_catalogue.answers.apply import apply_answer

WORKSPACE = {
    "src/x.py": b"a = 1\nb = 1\nc = 1\n",
    "Makefile": b"all:\n",
    "lib/crlf.c": b"int a;\r\nint b;\r\n",
}


def error(reply: str, options: AnswerOptions | None = None) -> str:
    with pytest.raises(AnswerError) as raised:
        apply_answer(reply, WORKSPACE, options or AnswerOptions())
    return raised.value.message


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("```python src/x.py", "src/x.py"),
        ("```python:src/x.py", "src/x.py"),
        ("```src/x.py", "src/x.py"),
        ('```python title="src/x.py"', "src/x.py"),
        ("```python {src/x.py}", "src/x.py"),
        ("```Makefile", "Makefile"),
        ("**src/x.py**\n```python", "src/x.py"),
        ("**`src/x.py`**:\n\n```python", "src/x.py"),
        ("### src/x.py\n```python", "src/x.py"),
        ("### 2. `src/x.py` (changed)\n```python", "src/x.py"),
        ("File: src/x.py\n```python", "src/x.py"),
        ("**File:** `src/x.py`\n```", "src/x.py"),
        ("- New file: src/new/__init__.py\n```python", "src/new/__init__.py"),
        ("Filename: Makefile\n```", "Makefile"),
        ("src/x.py:\n~~~python", "src/x.py"),
        ("```python ./src/x.py", "src/x.py"),
        ("```python /workspace/src/x.py", "src/x.py"),
        ("```python a/src/x.py", "src/x.py"),
        ("```python workspace/new.py", "new.py"),
    ],
)
def test_whole_files_are_named_before_their_content(head: str, path: str) -> None:
    fence = "~~~" if "~~~" in head else "```"
    answer = apply_answer(f"Here is the file.\n\n{head}\nnew = 1\n\n{fence}\nIt works.", WORKSPACE)
    assert answer.changed == {path: b"new = 1\n\n"}
    assert (answer.format, answer.fallback) == (AnswerFormat.WHOLE_FILES, None)
    assert answer.repairs == ((Repair.PATH_PREFIX,) if f"/{path}" in head else ())


@pytest.mark.parametrize(
    "comment", ["# src/x.py", "// src/x.py", "# File: src/x.py", "<!-- src/x.py -->", "/* src/x.py */"]
)
def test_whole_files_are_named_in_their_first_line(comment: str) -> None:
    answer = apply_answer(f"The file:\n\n```\n{comment}\nnew\n```\n", WORKSPACE)
    assert answer.changed == {"src/x.py": f"{comment}\nnew\n".encode()}


def test_code_blocks_without_a_path_are_examples_beside_others() -> None:
    reply = "Run it:\n```sh\nmake\n```\n\n```python src/x.py\nx\n```\n```Makefile\ny\n```\n"
    assert apply_answer(reply, WORKSPACE).changed == {"src/x.py": b"x\n", "Makefile": b"y\n"}


@pytest.mark.parametrize(
    "reply",
    [
        "```python\na = 2\n```",
        "Here is the corrected src/x.py file:\n```python\na = 2\n```",
        "Run `src/x.py` as follows:\n```sh\npython src/x.py\n```",
        "# Uses 1.5 times e.g. the memory\n```python\n# computes 1.5\na = 2\n```",
    ],
)
def test_a_path_is_not_guessed(reply: str) -> None:
    assert error(reply).startswith("the reply holds code, but does not say of which file")


def test_a_code_block_may_hold_shorter_fences() -> None:
    reply = "````markdown docs/x.md\n```sh\nmake\n```\n````\n"
    assert apply_answer(reply, WORKSPACE).changed == {"docs/x.md": b"```sh\nmake\n```\n"}


def test_whole_files_that_may_be_cut_off_are_refused() -> None:
    reply = "```python src/x.py\na = 2\n```\n\n```Makefile\nall:\n"
    allowed = AnswerOptions(allow_incomplete_diffs=True)
    assert error(reply, allowed) == "the code block in line 5 of the reply is not closed"
    nested = "```markdown docs/x.md\n```sh\nmake\n```\n```\n"
    assert error(nested) == "the code block in line 5 of the reply is not closed"


def test_whole_files_keep_the_line_endings() -> None:
    answer = apply_answer("```c lib/crlf.c\nint c;\n```\n", WORKSPACE)
    assert (answer.changed, answer.repairs) == ({"lib/crlf.c": b"int c;\r\n"}, (Repair.LINE_ENDINGS,))
    answer = apply_answer("```src/x.py\nd\r\n```\n", WORKSPACE)
    assert (answer.changed, answer.repairs) == ({"src/x.py": b"d\n"}, (Repair.LINE_ENDINGS,))
    answer = apply_answer("```src/new.py\r\nd\r\n```\r\n", WORKSPACE)
    assert (answer.changed, answer.repairs) == ({"src/new.py": b"d\n"}, ())


def test_a_file_may_be_repeated_but_not_contradicted() -> None:
    block = "```src/x.py\nx\n```\n"
    assert apply_answer(block * 2, WORKSPACE).changed == {"src/x.py": b"x\n"}
    contradiction = block + block.replace("\nx", "\ny")
    assert error(contradiction) == "the reply gives src/x.py twice, with different contents"


def test_files_that_stay_as_they_are_are_no_answer() -> None:
    assert (
        error("```src/x.py\na = 1\nb = 1\nc = 1\n```")
        == "the answer changes nothing: it gives files as they are"
    )


def replaced(search: str, replacement: str, path: str = "src/x.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replacement}>>>>>>> REPLACE\n"


def applied(reply: str) -> AppliedAnswer:
    return apply_answer(reply, WORKSPACE)


@pytest.mark.parametrize(
    "reply",
    [
        replaced("b = 1\n", "b = 2\n"),
        replaced("b = 1\n", "b = 2\n", "**`src/x.py`**:\n\n```python"),
        "```python src/x.py\n" + replaced("b = 1\n", "b = 2\n", ""),
        "```diff\n" + replaced("b = 1\n", "b = 2\n") + "```\n",
        replaced("b = 1\n", "b = 2\n").replace("\n", "\r\n"),
        "### src/x.py\n```\n"
        + replaced("b = 1\n", "b = 3\n", "")
        + "\nThen:\n"
        + replaced("b = 3\n", "b = 2\n", ""),
    ],
)
def test_pieces_are_replaced(reply: str) -> None:
    answer = applied(reply)
    assert answer.changed == {"src/x.py": b"a = 1\nb = 2\nc = 1\n"}
    assert (answer.format, answer.repairs, answer.fallback) == (AnswerFormat.SEARCH_REPLACE, (), None)


def test_pieces_of_several_files_are_replaced() -> None:
    reply = (
        replaced("all:\n", "", "Makefile")
        + replaced("", "new\n", "new.py")
        + replaced("int b;\n", "", "lib/crlf.c")
    )
    assert applied(reply).changed == {"Makefile": b"", "new.py": b"new\n", "lib/crlf.c": b"int a;\r\n"}


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            replaced("d = 1\n", ""),
            "the search text of block 1 occurs 0 times in src/x.py; it has to occur once",
        ),
        (
            "```src/x.py\na\n```\n" + replaced("a = 1\n", "d\nd\n") + replaced("d\n", ""),
            "the search text of block 2 occurs 2 times in src/x.py; it has to occur once",
        ),
        (
            replaced("a", "b\n").replace("a=", "a\n="),
            "the search text of block 1 occurs 0 times in src/x.py; it has to occur once",
        ),
        (
            replaced("a\n", "b\n", "y.py"),
            "search/replace block 1 searches in y.py, which is not in the workspace",
        ),
        (replaced("", "b\n"), "search/replace block 1 searches for nothing, but src/x.py exists"),
        (
            replaced("a = 1\n", "b\n", "Some text:"),
            "search/replace block 1 names no file: write its path on the line before",
        ),
        (
            replaced("a\n", "b\n").split(">>>")[0],
            "the search/replace block in line 2 of the reply is not complete",
        ),
        (
            replaced("a\n", "b\n").split("===")[0],
            "the search/replace block in line 2 of the reply is not complete",
        ),
    ],
)
def test_what_is_wrong_with_a_search_block(reply: str, message: str) -> None:
    assert error(reply) == message


DIFF = "```diff\n--- Makefile\n+++ Makefile\n@@ -1 +1 @@\n-all:\n+some:\n```\n"


def test_diffs_come_before_blocks_and_blocks_before_files() -> None:
    whole = "```python src/x.py\na = 2\n```\n"
    block = replaced("c = 1\n", "c = 2\n")
    assert applied(whole + block + DIFF).format == AnswerFormat.UNIFIED_DIFF
    assert applied(whole + block).changed == {"src/x.py": b"a = 1\nb = 1\nc = 2\n"}
    assert applied(whole).changed == {"src/x.py": b"a = 2\n"}


def test_a_file_that_holds_a_diff_is_a_file() -> None:
    diff = DIFF.removeprefix("```diff\n").removesuffix("```\n")
    assert applied(f"```fixes/x.patch\n{diff}```\n").changed == {"fixes/x.patch": diff.encode()}


@pytest.mark.parametrize("reply", ["", "I cannot do this.", "--- \n+++", "Set a to 2 in src/x.py."])
def test_a_reply_without_an_answer(reply: str) -> None:
    message = error(reply)
    assert message.startswith("the reply holds no answer: it has to give a unified diff in a ```diff block")


def is_test(path: str) -> bool:
    return path.startswith("tests/")


@pytest.mark.parametrize(
    "reply",
    [
        "--- a/tests/x.py\n+++ b/tests/x.py\n@@ -1 +1 @@\n-unknown\n+known\n",
        "diff --git a/src/x.py b/tests/x.py\nrename from src/x.py\nrename to tests/x.py\n",
        "```tests/x.py\nassert True\n```\n",
        replaced("unknown\n", "known\n", "tests/x.py"),
    ],
)
def test_protected_files_are_left_out(reply: str) -> None:
    with pytest.raises(AnswerError) as raised:
        apply_answer(reply, WORKSPACE, protected=is_test)
    assert raised.value.message == "the answer changes only protected files, such as tests/x.py"


def test_protected_files_are_reported_beside_others() -> None:
    reply = "```./tests/x.py\nassert True\n```\n```src/x.py\nx\n```\n"
    answer = apply_answer(reply, WORKSPACE, protected=is_test)
    assert (answer.changed, answer.ignored) == ({"src/x.py": b"x\n"}, ("tests/x.py",))
    assert "tests" not in answer.patch
