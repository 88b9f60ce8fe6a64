"""Shows changes as a git-style diff."""

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import islice

from assay.benchmarks.code_catalogue.answers.hunks import lines_of
from assay.benchmarks.code_catalogue.answers.limits import WorkLimit

_NO_FILE = "/dev/null"


def rendered(before: Mapping[str, bytes], changed: Mapping[str, bytes | None]) -> str:
    work = WorkLimit()
    return "".join(
        part for path, content in changed.items() for part in _file(path, before.get(path), content, work)
    )


def _file(path: str, old: bytes | None, new: bytes | None, work: WorkLimit) -> Iterator[str]:
    yield f"diff --git a/{path} b/{path}\n"
    if old is None:
        yield "new file mode 100644\n"
    if new is None:
        yield "deleted file mode 100644\n"
    old_lines, new_lines = _lines(old or b""), _lines(new or b"")
    if not old_lines and not new_lines:
        return
    # As git does: a tab shows where a path with spaces ends.
    name = f"{path}\t" if " " in path else path
    yield f"--- {_NO_FILE if old is None else f'a/{name}'}\n"
    yield f"+++ {_NO_FILE if new is None else f'b/{name}'}\n"
    yield from _hunks(old_lines, new_lines, work)


def _hunks(old: list[str], new: list[str], work: WorkLimit) -> Iterator[str]:
    # difflib takes this much time at worst.
    if work.allows(len(old) * len(new)):
        yield from islice(unified_diff(old, new), 2, None)
        return
    yield f"@@ -{int(bool(old))},{len(old)} +{int(bool(new))},{len(new)} @@\n"
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def _lines(content: bytes) -> list[str]:
    """The lines with their ends; the mark of a missing one is part of the last line."""
    lines = lines_of(content.decode("utf-8", "replace"))
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines
