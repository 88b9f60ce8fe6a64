"""Where a reply says which file a block is."""

import re

from assay.benchmarks.code_catalogue.answers.workspace import EditedWorkspace

_MOST_CHARACTERS = 300
_PATH = re.compile(r"(?:[\w.@+()\[\]-]*/)*[\w.@+()\[\]-]*\.[A-Za-z]\w{0,9}")
_LINE = re.compile(
    r"(?:\d{1,3}[.)]\s+|[-+]\s+)?"
    r"(?:(?:new |updated |modified )?(?:file|filename|file name|path)(?::\s*|\s+))?"
    r"(?P<path>\S.*?)\s*(?:\([^()]*\))?\s*:?",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|<!--)(?P<text>.*?)(?:\*/|-->)?\s*")


def path_in_info(info: str, workspace: EditedWorkspace) -> str | None:
    """The path after the marks of a code block, as in `python src/main.py` or `python:src/main.py`."""
    words = re.split(r"[\s:=]+", info[:_MOST_CHARACTERS])
    return next((path for word in words if (path := _path(word, workspace))), None)


def path_on_line(line: str, workspace: EditedWorkspace) -> str | None:
    """The path that is all the line says, apart from Markdown and words like "File"."""
    text = line.replace("*", "").replace("`", "").strip().lstrip("#> ")
    match = _LINE.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
    return _path(match["path"], workspace) if match else None


def path_in_comment(line: str, workspace: EditedWorkspace) -> str | None:
    match = _COMMENT.fullmatch(line) if len(line) <= _MOST_CHARACTERS else None
    return path_on_line(match["text"], workspace) if match else None


def _path(text: str, workspace: EditedWorkspace) -> str | None:
    path = text.strip("\"'{}")
    return path if workspace.holds(path) or _PATH.fullmatch(path) else None
