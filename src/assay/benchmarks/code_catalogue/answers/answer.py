"""What an answer is turned into, and what may be wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class AnswerError(Exception):
    """The reply holds no answer that can be applied; the message says what is wrong, and where."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AnswerFormat(StrEnum):
    GIT_DIFF = "git_diff"
    UNIFIED_DIFF = "unified_diff"
    WHOLE_FILES = "whole_files"
    SEARCH_REPLACE = "search_replace"


Fallback = Literal["rewrite", "incomplete"]


class Repair(StrEnum):
    ANSI_CODES = "ansi_codes"
    """Terminal colours were removed."""
    FENCE_LABEL = "fence_label"
    """A diff stood in a code block that is not labelled `diff`."""
    FINAL_NEWLINE = "final_newline"
    """A diff was wrong about whether the last line of the file ends with a newline."""
    HUNK_COUNTS = "hunk_counts"
    """A hunk has more or fewer lines than its header says."""
    HUNK_POSITION = "hunk_position"
    """The lines of a hunk were found elsewhere than its header says."""
    LINE_ENDINGS = "line_endings"
    """The answer was converted to the line endings of the file."""
    NO_FENCE = "no_fence"
    """A diff stood in no code block."""
    PATH_PREFIX = "path_prefix"
    """A path began with a folder that the workspace does not have."""


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    allow_incomplete_diffs: bool = False
    """Accept a diff in a code block that is not closed."""
    allow_rewrite_fallback: bool = False
    """Take a diff that does not match as the whole file if it removes nothing, else match it roughly."""


@dataclass(frozen=True, slots=True)
class AppliedAnswer:
    changed: Mapping[str, bytes | None]
    """The content by path; `None` means deleted."""
    ignored: tuple[str, ...]
    """Protected paths that the answer wanted to change."""
    format: AnswerFormat
    repairs: tuple[Repair, ...]
    fallback: Fallback | None
    patch: str
    """The change as a git-style diff; bytes that are not UTF-8 are shown as U+FFFD."""
