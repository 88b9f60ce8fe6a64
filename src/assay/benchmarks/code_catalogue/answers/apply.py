"""Turns a reply into changed files."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.code_catalogue.answers.answer import (
    AnswerError,
    AnswerFormat,
    AnswerOptions,
    AppliedAnswer,
    Repair,
)
from assay.benchmarks.code_catalogue.answers.fences import Blocks, Fence, blocks_of
from assay.benchmarks.code_catalogue.answers.file_diffs import apply_file_diff
from assay.benchmarks.code_catalogue.answers.limits import MOST_REPLY_BYTES, MOST_REPLY_LINES
from assay.benchmarks.code_catalogue.answers.line_endings import is_crlf
from assay.benchmarks.code_catalogue.answers.naming import path_in_info
from assay.benchmarks.code_catalogue.answers.rendering import rendered
from assay.benchmarks.code_catalogue.answers.search_replace import apply_search_replace, has_search_block
from assay.benchmarks.code_catalogue.answers.unified_diff import read_diffs, starts_diff
from assay.benchmarks.code_catalogue.answers.whole_files import apply_whole_files
from assay.benchmarks.code_catalogue.answers.workspace import EditedWorkspace

_DIFF = "diff"
_DIFF_LABELS = frozenset({_DIFF, "patch", "udiff"})
_ANSI_CODE = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_STRICT = AnswerOptions()
_NO_ANSWER = (
    "the reply holds no answer: it has to give a unified diff in a ```diff block, search/replace blocks, or"
    " whole files in code blocks that name their path, as in ```python src/main.py"
)
_NO_PATH = (
    "the reply holds code, but does not say of which file: the path has to follow the language, as in"
    " ```python src/main.py"
)

Fallback = Literal["rewrite", "incomplete"]


@dataclass(frozen=True, slots=True)
class _Diff:
    lines: Sequence[str]
    is_fenced: bool
    is_incomplete: bool


def apply_answer(
    reply: str,
    workspace: Mapping[str, bytes],
    options: AnswerOptions = _STRICT,
    *,
    protected: Callable[[str], bool] = lambda _: False,
) -> AppliedAnswer:
    """Raises AnswerError if the reply holds no answer that can be applied to these files.

    Changes of protected paths are left out and reported.
    """
    edited = EditedWorkspace(workspace, protected)
    lines = _cleaned(reply, edited).split("\n")
    blocks = blocks_of(lines)
    diff = _diff_in(blocks, edited)
    if diff:
        return _with_diff(diff, edited, options)
    if has_search_block(lines):
        apply_search_replace(lines, edited)
        return _result(edited, AnswerFormat.SEARCH_REPLACE)
    if apply_whole_files(blocks.fences, edited):
        return _result(edited, AnswerFormat.WHOLE_FILES)
    raise AnswerError(_NO_PATH if blocks.fences else _NO_ANSWER)


def _cleaned(reply: str, edited: EditedWorkspace) -> str:
    # Half of a surrogate pair, which JSON can hold, has no UTF-8 form.
    text = reply.encode("utf-8", "replace").decode()
    if len(text.encode()) > MOST_REPLY_BYTES or text.count("\n") > MOST_REPLY_LINES:
        raise AnswerError(
            f"the reply is longer than {MOST_REPLY_BYTES:,} bytes or {MOST_REPLY_LINES:,} lines"
        )
    without_codes = _ANSI_CODE.sub("", text)
    if without_codes != text:
        edited.repairs.add(Repair.ANSI_CODES)
    return without_codes.replace("\r\n", "\n") if is_crlf(without_codes) else without_codes


def _diff_in(blocks: Blocks, edited: EditedWorkspace) -> _Diff | None:
    fences = [fence for fence in blocks.fences if _is_diff(fence, edited)]
    if not fences and not blocks.unfenced_diff:
        return None
    if any(fence.label != _DIFF for fence in fences):
        edited.repairs.add(Repair.FENCE_LABEL)
    if blocks.unfenced_diff:
        edited.repairs.add(Repair.NO_FENCE)
    lines = [line for fence in fences for line in fence.lines] + blocks.unfenced_diff
    is_incomplete = any(not fence.is_closed for fence in fences)
    return _Diff(lines, is_fenced=not blocks.unfenced_diff, is_incomplete=is_incomplete)


def _is_diff(fence: Fence, edited: EditedWorkspace) -> bool:
    if fence.label in _DIFF_LABELS:
        return not has_search_block(fence.lines)
    first = next((at for at, line in enumerate(fence.lines) if line.strip()), None)
    return first is not None and starts_diff(fence.lines, first) and not path_in_info(fence.info, edited)


def _with_diff(diff: _Diff, edited: EditedWorkspace, options: AnswerOptions) -> AppliedAnswer:
    if diff.is_incomplete and not options.allow_incomplete_diffs:
        raise AnswerError("the code block with the diff is not closed: the diff may be cut off")
    fallback: Fallback | None = "incomplete" if diff.is_incomplete else None
    try:
        return _with_either_reading(diff, edited, fallback)
    except AnswerError:
        if not options.allow_rewrite_fallback:
            raise
        return _with_either_reading(diff, edited, "rewrite")


def _with_either_reading(diff: _Diff, edited: EditedWorkspace, fallback: Fallback | None) -> AppliedAnswer:
    """Trust the counts first: with them, a removed line is not taken for the beginning of another file."""
    try:
        return _with_reading(diff, edited.restarted(), fallback, trusts_counts=True)
    except AnswerError:
        return _with_reading(diff, edited.restarted(), fallback, trusts_counts=False)


def _with_reading(
    diff: _Diff, edited: EditedWorkspace, fallback: Fallback | None, *, trusts_counts: bool
) -> AppliedAnswer:
    file_diffs = read_diffs(diff.lines, trusts_counts=trusts_counts, is_fenced=diff.is_fenced)
    if not file_diffs:
        raise AnswerError(
            "the diff names no file whose content it changes, as with '--- path' and '+++ path'"
        )
    for file_diff in file_diffs:
        apply_file_diff(file_diff, edited, may_rewrite=fallback == "rewrite")
    is_git = any(file_diff.is_git for file_diff in file_diffs)
    return _result(edited, AnswerFormat.GIT_DIFF if is_git else AnswerFormat.UNIFIED_DIFF, fallback)


def _result(edited: EditedWorkspace, form: AnswerFormat, fallback: Fallback | None = None) -> AppliedAnswer:
    changed = edited.changed()
    if not changed and edited.ignored:
        raise AnswerError(f"the answer changes only protected files, such as {min(edited.ignored)}")
    if not changed:
        raise AnswerError("the answer changes nothing: it gives files as they are")
    return AppliedAnswer(
        changed=changed,
        ignored=tuple(sorted(edited.ignored)),
        format=form,
        repairs=tuple(sorted(edited.repairs)),
        fallback=fallback,
        patch=rendered(edited.before, changed),
    )
