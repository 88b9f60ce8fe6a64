"""Applies the diffs of files to a workspace."""

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, Repair
from assay.benchmarks.code_catalogue.answers.fuzzy import RoughFinder
from assay.benchmarks.code_catalogue.answers.hunks import ExactFinder, FinderFactory, HunkError, apply_hunks
from assay.benchmarks.code_catalogue.answers.line_endings import adapted
from assay.benchmarks.code_catalogue.answers.unified_diff import FileDiff
from assay.benchmarks.code_catalogue.answers.workspace import EditedWorkspace


def apply_file_diff(diff: FileDiff, workspace: EditedWorkspace, *, may_rewrite: bool) -> None:
    """Raises AnswerError if the diff does not match the file.

    If it `may_rewrite`, a diff that does not match is taken as the whole file if it removes nothing; else its
    lines are looked for roughly.
    """
    old, new = _paths(diff, workspace)
    if workspace.ignores(*{path for path in (old, new) if path is not None}):
        return
    try:
        after = _patched(diff, old, new, workspace, ExactFinder)
    except AnswerError:
        if not may_rewrite:
            raise
        if diff.hunks and new is not None and diff.removes_nothing():
            after = _whole_file(diff, like=workspace.read(new) or "")
        else:
            after = _patched(diff, old, new, workspace, RoughFinder)
    if old is not None and old != new:
        workspace.delete(old)
    if new is not None:
        workspace.write(new, after)
    if diff.has_wrong_counts:
        workspace.repairs.add(Repair.HUNK_COUNTS)


def _paths(diff: FileDiff, workspace: EditedWorkspace) -> tuple[str | None, str | None]:
    """The file that is read and the one that is written."""
    old, new = (
        None if name is None else workspace.path_of(name, may_name_side=not diff.paths.is_git)
        for name in (diff.paths.old, diff.paths.new)
    )
    if old is None or new is None or diff.paths.is_rename:
        return old, new
    path = old if workspace.has(old) and not workspace.has(new) else new
    if not workspace.has(path) and all(hunk.only_adds() for hunk in diff.hunks):
        return None, path
    return path, path


def _patched(
    diff: FileDiff, old: str | None, new: str | None, workspace: EditedWorkspace, finder: FinderFactory
) -> str:
    before = "" if old is None else workspace.read(old)
    if before is None:
        raise AnswerError(f"the diff changes {old}, which is not in the workspace")
    if new is not None and new != old and workspace.has(new):
        raise AnswerError(f"the diff creates {new}, which exists in the workspace")
    try:
        after, repairs = apply_hunks(before, diff.hunks, workspace.work, finder)
    except HunkError as error:
        raise AnswerError(f"hunk {error.number} of {new or old} {error.reason}") from error
    if new is None and diff.hunks and after:
        raise AnswerError(f"the diff deletes {old}, but does not remove all of its lines")
    workspace.repairs.update(repairs)
    return after


def _whole_file(diff: FileDiff, like: str) -> str:
    return adapted("".join(line for hunk in diff.hunks for line in hunk.new), like)
