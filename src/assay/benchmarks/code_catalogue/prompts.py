"""What the model is asked: the instructions, how to answer, and every file of the workspace."""

from collections.abc import Mapping

from assay.benchmarks.code_catalogue.task_folder import Task
from assay.domain.calls.messages import Json, Message, Prompt

_SYSTEM = "You are an experienced software engineer. You make small, correct changes and answer with a patch."
_RULES = """\
Answer with one unified diff in a fenced block that begins with ```diff and ends with ```. Paths are \
relative to the workspace, with the prefixes a/ and b/; a new file is compared with /dev/null. Context lines \
must be exactly those of the file. Change only what the task needs, and write every line in full.

An example of the form, for a file that the task does not have:

```diff
--- a/src/greeting.txt
+++ b/src/greeting.txt
@@ -1,2 +1,2 @@
-Helo, world.
+Hello, world.
 Good-bye.
```"""
_LABELS = {
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".h": "cpp",
    ".go": "go",
    ".rs": "rust",
    ".py": "python",
    ".html": "html",
    ".js": "javascript",
    ".mjs": "javascript",
    ".json": "json",
    ".toml": "toml",
    ".md": "markdown",
}


def task_prompt(task: Task, *, include_tests: bool, extra: Mapping[str, Json]) -> Prompt:
    parts = [task.instructions.strip(), f"## How to answer\n\n{_RULES}", "## The files of the workspace"]
    parts += _blocks(task.workspace)
    if include_tests:
        parts.append("## The tests\n\nThey are put back before they run; a change to them has no effect.")
        parts += _blocks({f"tests/{path}": text for path, text in task.tests.items()})
    return Prompt((Message("system", _SYSTEM), Message("user", "\n\n".join(parts) + "\n")), extra=extra)


def _blocks(files: Mapping[str, str]) -> list[str]:
    return [_block(path, files[path]) for path in sorted(files)]


def _block(path: str, text: str) -> str:
    fence = "```"
    # A longer fence than any in the file: otherwise the file would end at its own first fence.
    while fence in text:
        fence += "`"
    ending = "" if text.endswith("\n") or not text else "\n"
    label = _LABELS.get(path[path.rfind(".") :], "")
    return f"### {path}\n\n{fence}{label}\n{text}{ending}{fence}"
