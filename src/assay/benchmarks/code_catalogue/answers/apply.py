"""Turns a reply into changed files."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from assay.benchmarks.code_catalogue.answers.answer import (
    AnswerError,
    AnswerFormat,
    AnswerOptions,
    AppliedAnswer,
    Fallback,
    Repair,
)
from assay.benchmarks.code_catalogue.answers.fences import Blocks, Fence, blocks_of
from assay.benchmarks.code_catalogue.answers.file_diffs import apply_file_diff
from assay.benchmarks.code_catalogue.answers.limits import MOST_REPLY_BYTES, MOST_REPLY_LINES
from assay.benchmarks.code_catalogue.answers.line_endings import is_crlf
from assay.benchmarks.code_catalogue.answers.naming import path_in_info
from assay.benchmarks.code_catalogue.answers.rendering import rendered
from assay.benchmarks.code_catalogue.answers.search_replace import apply_search_replace, has_search_block
from assay.benchmarks.code_catalogue.answers.unified_diff import FileDiff, readings, starts_diff
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
    """The changes that a reply makes to files; raises AnswerError if it holds none that can be applied.

    Changes of protected files are left out and reported.
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
    content = reply.encode("utf-8", "replace")
    if len(content) > MOST_REPLY_BYTES or content.count(b"\n") > MOST_REPLY_LINES:
        raise AnswerError(
            f"the reply is longer than {MOST_REPLY_BYTES:,} bytes or {MOST_REPLY_LINES:,} lines"
        )
    text, codes = _ANSI_CODE.subn("", content.decode())
    if codes:
        edited.repairs.add(Repair.ANSI_CODES)
    return text.replace("\r\n", "\n") if is_crlf(text) else text


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
    fallbacks: list[Fallback | None] = ["incomplete" if diff.is_incomplete else None]
    if options.allow_rewrite_fallback:
        fallbacks.append("rewrite")
    failures: list[AnswerError] = []
    for fallback, file_diffs in product(fallbacks, readings(diff.lines, is_fenced=diff.is_fenced)):
        try:
            return _with_file_diffs(file_diffs, edited.restarted(), fallback)
        except AnswerError as error:
            failures.append(error)
    raise failures[-1]


def _with_file_diffs(
    file_diffs: Sequence[FileDiff], edited: EditedWorkspace, fallback: Fallback | None
) -> AppliedAnswer:
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
