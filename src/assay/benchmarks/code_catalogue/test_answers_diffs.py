"""Diffs as models write them."""

import pytest

from assay.benchmarks.code_catalogue.answers.answer import (
    AnswerError,
    AnswerFormat,
    AnswerOptions,
    AppliedAnswer,
    Repair,
)
from assay.benchmarks.code_catalogue.answers.apply import apply_answer

BEFORE = """\
def first():
    return 1


def second():
    return 2


def third():
    return 3
"""
AFTER = BEFORE.replace("return 2", "return 20")
WORKSPACE = {"src/x.py": BEFORE.encode(), "README.md": b"# Title\n", "tests/test_x.py": b"assert True\n"}
HUNK = """\
@@ -3,6 +3,6 @@


 def second():
-    return 2
+    return 20


"""
GIT = (
    f"diff --git a/src/x.py b/src/x.py\nindex 83db48f..bf2a7c1 100644\n--- a/src/x.py\n+++ b/src/x.py\n{HUNK}"
)
PLAIN = f"--- src/x.py\t2026-01-02 03:04:05.000000000 +0000\n+++ src/x.py\t2026-01-02 03:04:06\n{HUNK}"


def fenced(diff: str, label: str = "diff") -> str:
    return f"I change one line.\n\n```{label}\n{diff}```\n\nThis makes the tests pass.\n"


def applied(reply: str, options: AnswerOptions | None = None, before: str | None = BEFORE) -> AppliedAnswer:
    workspace = WORKSPACE if before is None else {**WORKSPACE, "src/x.py": before.encode()}
    return apply_answer(reply, workspace, options or AnswerOptions())


def error(reply: str, options: AnswerOptions | None = None, before: str = BEFORE) -> str:
    with pytest.raises(AnswerError) as raised:
        applied(reply, options, before)
    return raised.value.message


@pytest.mark.parametrize(
    ("reply", "form", "repairs"),
    [
        (fenced(GIT), AnswerFormat.GIT_DIFF, []),
        (fenced(GIT.replace("diff --git a/src/x.py b/src/x.py\n", "")), AnswerFormat.GIT_DIFF, []),
        (fenced(PLAIN), AnswerFormat.UNIFIED_DIFF, []),
        (fenced(PLAIN.replace("\t", " ")), AnswerFormat.UNIFIED_DIFF, []),
        (fenced(GIT, "Diff"), AnswerFormat.GIT_DIFF, []),
        (fenced(GIT, "patch"), AnswerFormat.GIT_DIFF, [Repair.FENCE_LABEL]),
        (fenced(GIT, "udiff"), AnswerFormat.GIT_DIFF, [Repair.FENCE_LABEL]),
        (fenced(GIT, ""), AnswerFormat.GIT_DIFF, [Repair.FENCE_LABEL]),
        (fenced("\n" + PLAIN, "text"), AnswerFormat.UNIFIED_DIFF, [Repair.FENCE_LABEL]),
        (fenced(GIT).replace("```", "~~~~"), AnswerFormat.GIT_DIFF, []),
        (GIT, AnswerFormat.GIT_DIFF, [Repair.NO_FENCE]),
        (f"Here it is.\n\n{PLAIN}\n- It returns 20.\n", AnswerFormat.UNIFIED_DIFF, [Repair.NO_FENCE]),
        (f"Before:\n```python\n    return 2\n```\n{GIT}```\nDone.", AnswerFormat.GIT_DIFF, [Repair.NO_FENCE]),
        (fenced(GIT.replace("3,6 +3,6", "3,9 +3,2")), AnswerFormat.GIT_DIFF, [Repair.HUNK_COUNTS]),
        (fenced(GIT.replace("-3,6 +3,6", "-3 +3")), AnswerFormat.GIT_DIFF, [Repair.HUNK_COUNTS]),
        (fenced(GIT.replace("-3,6 +3,6 @@", "... @@")), AnswerFormat.GIT_DIFF, [Repair.HUNK_COUNTS]),
        (fenced(GIT.replace("-3,6 +3,6", "-90,6 +90,6")), AnswerFormat.GIT_DIFF, [Repair.HUNK_POSITION]),
        (fenced(PLAIN.replace("src/", "./src/")), AnswerFormat.UNIFIED_DIFF, [Repair.PATH_PREFIX]),
        (fenced(PLAIN.replace("src/", "/workspace/src/")), AnswerFormat.UNIFIED_DIFF, [Repair.PATH_PREFIX]),
        (fenced(GIT.replace("src/", "workspace/src/")), AnswerFormat.GIT_DIFF, [Repair.PATH_PREFIX]),
        (fenced(PLAIN.replace("--- src", "--- b/src")), AnswerFormat.UNIFIED_DIFF, [Repair.PATH_PREFIX]),
        (
            fenced(GIT.replace("-    return 2", "\x1b[31m-    return 2\x1b[m")),
            AnswerFormat.GIT_DIFF,
            [Repair.ANSI_CODES],
        ),
        (fenced(GIT).replace("\n", "\r\n"), AnswerFormat.GIT_DIFF, []),
        (fenced(GIT.replace("\n", "\r\n")), AnswerFormat.GIT_DIFF, [Repair.LINE_ENDINGS]),
        (fenced(GIT).replace("\n", "\n   "), AnswerFormat.GIT_DIFF, []),
        (fenced(GIT + "-- \n2.39.5\n"), AnswerFormat.GIT_DIFF, []),
        (fenced(f"Index: src/x.py\n{'=' * 67}\n{PLAIN}"), AnswerFormat.UNIFIED_DIFF, []),
        (
            fenced(GIT.replace("index 83", "old mode 100644\nnew mode 100755\nindex 83")),
            AnswerFormat.GIT_DIFF,
            [],
        ),
    ],
)
def test_forms_of_the_same_diff(reply: str, form: AnswerFormat, repairs: list[Repair]) -> None:
    answer = applied(reply)
    assert answer.changed == {"src/x.py": AFTER.encode()}
    assert (answer.format, list(answer.repairs), answer.fallback) == (form, repairs, None)


def test_several_code_blocks_are_applied_in_order() -> None:
    second = "--- a/src/x.py\n+++ b/src/x.py\n@@ -6 +6 @@\n-    return 20\n+    return 200\n"
    hunk_only = "@@ -10 +10 @@\n-    return 3\n+    return 30\n"
    answer = applied(fenced(GIT) + fenced(second) + fenced(hunk_only))
    assert answer.changed == {
        "src/x.py": AFTER.replace("20", "200").replace("return 3", "return 30").encode()
    }


def test_hunks_are_found_near_the_place_that_they_name() -> None:
    before = "a\nb\n" * 20
    hunk = "@@ -{0} +{0} @@\n-a\n+c\n"
    diff = "--- src/x.py\n+++ src/x.py\n" + hunk.format(8) + hunk.format(12)
    lines = before.splitlines()
    # Both are as near; then the one after, and the second hunk is as far off as the first.
    lines[8] = lines[12] = "c"
    answer = applied(fenced(diff), before=before)
    assert answer.changed == {"src/x.py": ("\n".join(lines) + "\n").encode()}
    assert answer.repairs == (Repair.HUNK_POSITION,)


def test_hunks_may_share_context() -> None:
    diff = "--- src/x.py\n+++ src/x.py\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n"
    assert applied(fenced(diff), before="a\nb\nc\n").changed == {"src/x.py": b"A\nb\nC\n"}


@pytest.mark.parametrize("kind", ["new file mode 100644\nindex 0000000..2e65efe\n", ""])
def test_files_are_created(kind: str) -> None:
    head = f"diff --git a/src/new.py b/src/new.py\n{kind}" if kind else ""
    diff = f"{head}--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    assert applied(fenced(diff)).changed == {"src/new.py": b"a\nb\n"}


def test_prefixes_of_new_files_are_left_out_if_there_is_no_such_folder() -> None:
    diff = "--- /dev/null\n+++ workspace/src/new.py\n@@ -0,0 +1 @@\n+a\n"
    assert applied(fenced(diff)).changed == {"src/new.py": b"a\n"}
    workspace = {"workspace/y.py": b""}
    assert apply_answer(fenced(diff), workspace).changed == {"workspace/src/new.py": b"a\n"}
    git = diff.replace("+++ workspace/", "+++ b/b/")
    assert apply_answer(fenced(git), workspace).changed == {"b/src/new.py": b"a\n"}


def test_an_empty_file_is_created_and_deleted() -> None:
    create = "diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n"
    assert applied(fenced(create)).changed == {"e.py": b""}
    delete = create.replace("new file", "deleted file")
    answer = apply_answer(fenced(delete), {"e.py": b"", "x.py": b""})
    assert answer.changed == {"e.py": None}


def test_files_are_deleted() -> None:
    diff = "--- a/README.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Title\n"
    assert applied(fenced(diff)).changed == {"README.md": None}
    assert error(fenced(diff.replace("Title", "Other"))).startswith("hunk 1 of README.md does not match")
    partly = "--- a/src/x.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def first():\n-    return 1\n"
    assert error(fenced(partly)) == "the diff deletes src/x.py, but does not remove all of its lines"


def test_files_are_renamed() -> None:
    head = (
        "diff --git a/src/x.py b/src/y.py\nsimilarity index 90%\nrename from src/x.py\nrename to src/y.py\n"
    )
    assert applied(fenced(head)).changed == {"src/x.py": None, "src/y.py": BEFORE.encode()}
    changed = applied(fenced(f"{head}--- a/src/x.py\n+++ b/src/y.py\n{HUNK}")).changed
    assert changed == {"src/x.py": None, "src/y.py": AFTER.encode()}
    into = head.replace("src/y.py", "b/y.py")
    assert applied(fenced(into)).changed == {"src/x.py": None, "b/y.py": BEFORE.encode()}
    onto = head.replace("src/y.py", "README.md")
    assert error(fenced(onto)) == "the diff creates README.md, which exists in the workspace"


def test_names_that_git_quotes() -> None:
    diff = (
        'diff --git "a/\\303\\244 \\"q\\".py" "b/\\303\\244 \\"q\\".py"\nindex 1..2\n'
        '--- "a/\\303\\244 \\"q\\".py"\n+++ "b/\\303\\244 \\"q\\".py"\n@@ -1 +1 @@\n-a\n+b\n'
    )
    assert apply_answer(fenced(diff), {'ä "q".py': b"a\n"}).changed == {'ä "q".py': b"b\n"}
    delete = 'diff --git "a/\\303\\244 \\"q\\".py" "b/\\303\\244 \\"q\\".py"\ndeleted file mode 100644\n'
    assert apply_answer(fenced(delete), {'ä "q".py': b"a\n"}).changed == {'ä "q".py': None}


def test_a_diff_between_two_names_changes_the_file_that_exists() -> None:
    diff = PLAIN.replace("--- src/x.py", "--- src/x.py.orig")
    assert applied(fenced(diff)).changed == {"src/x.py": AFTER.encode()}
    diff = PLAIN.replace("+++ src/x.py", "+++ src/x.py.new")
    assert applied(fenced(diff)).changed == {"src/x.py": AFTER.encode()}


def test_the_line_endings_of_the_file_are_kept() -> None:
    crlf = BEFORE.replace("\n", "\r\n")
    answer = applied(fenced(GIT), before=crlf)
    assert answer.changed == {"src/x.py": AFTER.replace("\n", "\r\n").encode()}
    assert answer.repairs == (Repair.LINE_ENDINGS,)


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc\n"),
        ("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", "a\nb\nc\n"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", "a\nc\n"),
        (
            "a\nb\n",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
            "c\nb\n",
        ),
    ],
)
def test_hunks_that_are_wrong_about_the_end_of_the_file(before: str, hunk: str, after: str) -> None:
    answer = applied(fenced(f"--- a/src/x.py\n+++ b/src/x.py\n{hunk}"), before=before)
    assert answer.changed == {"src/x.py": after.encode()}
    assert answer.repairs == (Repair.FINAL_NEWLINE,)


def test_lines_that_look_like_headers_are_read_by_the_counts() -> None:
    before = "-- old\nselect 1\n"
    diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n select 1\n"
    assert apply_answer(fenced(diff), {"x.sql": before.encode()}).changed == {"x.sql": b"++ new\nselect 1\n"}


def test_wrong_counts_do_not_swallow_the_next_file() -> None:
    hunk = "@@ -1,9 +1,9 @@\n-{}\n+{}\n"
    diff = "--- x.py\n+++ x.py\n" + hunk.format("a", "b") + "--- y.py\n+++ y.py\n" + hunk.format("c", "d")
    answer = apply_answer(fenced(diff), {"x.py": b"a\n", "y.py": b"c\n"})
    assert answer.changed == {"x.py": b"b\n", "y.py": b"d\n"}
    assert answer.repairs == (Repair.HUNK_COUNTS,)


def test_bytes_that_are_not_text_are_kept() -> None:
    answer = apply_answer(
        fenced("--- a/x.c\n+++ b/x.c\n@@ -2,2 +2,2 @@\n-a\n+b\n c\n"), {"x.c": b"\xff\xfe\na\nc\n"}
    )
    assert answer.changed == {"x.c": b"\xff\xfe\nb\nc\n"}
    assert answer.patch.encode()


def test_the_patch_shows_what_changed() -> None:
    diff = "--- README.md\n+++ README.md\n@@ -9,9 +9,9 @@\n-# Title\n+# Name\n"
    created = "--- /dev/null\n+++ a b.md\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
    deleted = "diff --git a/tests/test_x.py b/tests/test_x.py\ndeleted file mode 100644\n"
    assert applied(fenced(diff + created + deleted)).patch == (
        "diff --git a/README.md b/README.md\n"
        "--- a/README.md\n"
        "+++ b/README.md\n"
        "@@ -1 +1 @@\n"
        "-# Title\n"
        "+# Name\n"
        "diff --git a/a b.md b/a b.md\n"
        "new file mode 100644\n"
        "--- /dev/null\n"
        "+++ b/a b.md\t\n"
        "@@ -0,0 +1 @@\n"
        "+a\n"
        "\\ No newline at end of file\n"
        "diff --git a/tests/test_x.py b/tests/test_x.py\n"
        "deleted file mode 100644\n"
        "--- a/tests/test_x.py\n"
        "+++ /dev/null\n"
        "@@ -1 +0,0 @@\n"
        "-assert True\n"
    )


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        (
            GIT.replace("return 2\n", "return 4\n"),
            (
                "hunk 1 of src/x.py does not match the file at line 6: it expects '    return 4',"
                " the file has '    return 2'"
            ),
        ),
        (
            GIT + "@@ -90 +90 @@\n-x\n+y\n",
            (
                "hunk 2 of src/x.py does not match the file at line 90: it expects 'x',"
                " the file has only 10 lines"
            ),
        ),
        (
            GIT + "@@ -6 +6 @@\n-    return 2\n+    return 5\n",
            "hunk 2 of src/x.py has no place at line 6, after the hunk before it",
        ),
        (
            "--- src/x.py\n+++ src/x.py\n@@\n-\n",
            "hunk 1 of src/x.py matches 4 places and names no line",
        ),
        ("--- src/x.py\n+++ src/x.py\n", "the diff of src/x.py has no hunk that begins with '@@'"),
        (HUNK, "the diff has a hunk before the lines '--- path' and '+++ path'"),
        ("+a\n", "the diff changes no file: it needs lines such as '--- path' and '+++ path'"),
        (
            PLAIN.replace("src/", "lib/"),
            "the diff changes lib/x.py, which is not in the workspace",
        ),
        (
            "--- /dev/null\n+++ b/src/x.py\n@@ -0,0 +1 @@\n+a\n",
            "the diff creates src/x.py, which exists in the workspace",
        ),
        ("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "the diff names no file"),
        (
            PLAIN.replace(" def second", "def second"),
            "the diff has a line outside of its hunks: '-    return 2'",
        ),
        (
            "diff --git a/src/x.py b/src/y.py\nnew file mode 100644\n",
            "the line 'diff --git a/src/x.py b/src/y.py' does not name one file twice",
        ),
        (
            "diff --git a/src/x.py b/src/x.py\nold mode 100644\nnew mode 100755\n",
            "the diff changes no file: it needs lines such as '--- path' and '+++ path'",
        ),
        (
            "--- a/src/x.py\n+++ b/src/x.py\n@@ -1 +1 @@\n def first():\n",
            "the answer changes nothing: it gives files as they are",
        ),
    ],
)
def test_what_is_wrong_with_a_diff(diff: str, message: str) -> None:
    assert error(fenced(diff)) == message


def test_a_diff_that_may_be_cut_off_needs_the_option() -> None:
    reply = fenced(GIT).split("```\n")[0]
    assert error(reply) == "the code block with the diff is not closed: the diff may be cut off"
    answer = applied(reply, AnswerOptions(allow_incomplete_diffs=True))
    assert answer.changed == {"src/x.py": AFTER.encode()}
    assert answer.fallback == "incomplete"
    assert error("```diff\nnothing", AnswerOptions(allow_incomplete_diffs=True)).startswith(
        "the diff changes no"
    )


REWRITE = AnswerOptions(allow_rewrite_fallback=True)


def test_a_diff_that_removes_nothing_may_be_taken_as_the_whole_file() -> None:
    diff = "--- /dev/null\n+++ b/src/x.py\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    assert "exists" in error(fenced(diff))
    answer = applied(fenced(diff), REWRITE)
    assert answer.changed == {"src/x.py": b"a\nb\n"}
    assert answer.fallback == "rewrite"
    # Files that the diff matches are not rewritten.
    insertion = "--- README.md\n+++ README.md\n@@ -1 +1,2 @@\n # Title\n+text\n"
    assert applied(fenced(diff + insertion), REWRITE).changed["README.md"] == b"# Title\ntext\n"


@pytest.mark.parametrize(
    ("old", "found"),
    [
        ("\tif x:\n\t\treturn 2", "    if x:\n        return 2"),
        ("if  x:\nreturn   2", "    if x:\n\treturn 2"),
        ("    if x == 1:  # compares\n        return 22", "    if x == 1:  # compare\n        return 22"),
    ],
)
def test_a_diff_may_be_matched_roughly(old: str, found: str) -> None:
    before = f"def f(x):\n    y = 1\n{found}\n    return y\n"
    removed = "".join(f"-{line}\n" for line in old.split("\n"))
    diff = f"--- src/x.py\n+++ src/x.py\n@@ -30,2 +30,1 @@\n{removed}+    pass\n"
    assert error(fenced(diff), before=before).startswith("hunk 1 of src/x.py does not match")
    answer = applied(fenced(diff), REWRITE, before)
    assert answer.changed == {"src/x.py": b"def f(x):\n    y = 1\n    pass\n    return y\n"}
    assert answer.fallback == "rewrite"


def test_lines_of_context_that_are_matched_roughly_stay_as_they_are() -> None:
    diff = "--- src/x.py\n+++ src/x.py\n@@ -1,3 +1,3 @@\n if x :\n-  a = 1\n+    a = 2\n     b = 1\n"
    answer = applied(fenced(diff), REWRITE, "if x:\n    a = 1\n    b = 1\n")
    assert answer.changed == {"src/x.py": b"if x:\n    a = 2\n    b = 1\n"}


def test_a_rough_match_has_to_be_similar() -> None:
    diff = "--- src/x.py\n+++ src/x.py\n@@ -1,2 +1,1 @@\n-something\n-different\n+x\n"
    assert error(fenced(diff), REWRITE).startswith("hunk 1 of src/x.py does not match the file at line 1")
