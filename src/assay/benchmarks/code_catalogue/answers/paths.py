"""Paths that answers may name."""

import re
from collections.abc import Callable, Container, Iterator

from assay.benchmarks.code_catalogue.answers.answer import AnswerError

_MOST_DEPTH = 32
_MOST_BYTES_OF_A_NAME = 255
_MOST_CHARACTERS = 4096
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Where models think that the workspace is.
_FOLDERS = ("./", "workspace/", "/workspace/")
# The two sides of a diff.
_SIDES = ("a/", "b/")


def checked_path(path: str) -> str:
    """The path without empty parts; raises AnswerError if it is not a path of a file inside the workspace."""
    fault = _fault(path)
    if fault:
        raise AnswerError(f"the path {path[:200]!r} is refused: {fault}")
    return "/".join(part for part in path.split("/") if part not in {"", "."})


def _fault(path: str) -> str | None:
    parts = path.split("/")
    faults = {
        "it is too long": len(path) > _MOST_CHARACTERS
        or len(parts) > _MOST_DEPTH
        or any(len(part.encode()) > _MOST_BYTES_OF_A_NAME for part in parts),
        "it is absolute": path.startswith("/"),
        "it names no file": parts[-1] in {"", "."},
        "it has the part '..'": ".." in parts,
        "it is inside '.git'": ".git" in (part.casefold() for part in parts),
        "it has a backslash": "\\" in path,
        "it has a control character": _CONTROL.search(path) is not None,
    }
    return next((fault for fault, applies in faults.items() if applies), None)


def without_prefix(
    path: str, is_file: Callable[[str], bool], folders: Container[str], *, may_name_side: bool = True
) -> str:
    """The path, or what follows its prefixes if that is a file or if there is no folder of that name."""
    if len(path) > _MOST_CHARACTERS:
        return path
    forms = list(_forms(path, _FOLDERS + _SIDES if may_name_side else _FOLDERS))
    for form in forms:
        if is_file(form):
            return form
    return next((form for form in forms if form.split("/", 1)[0] in folders), forms[-1])


def _forms(path: str, prefixes: tuple[str, ...]) -> Iterator[str]:
    yield path
    while prefix := next((prefix for prefix in prefixes if path.startswith(prefix)), None):
        path = path.removeprefix(prefix)
        yield path
