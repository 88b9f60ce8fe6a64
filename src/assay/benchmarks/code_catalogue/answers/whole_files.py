"""Answers that give files in full."""

from collections.abc import Sequence

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, Repair
from assay.benchmarks.code_catalogue.answers.fences import Fence
from assay.benchmarks.code_catalogue.answers.line_endings import adapted
from assay.benchmarks.code_catalogue.answers.naming import path_in_comment, path_in_info, path_on_line
from assay.benchmarks.code_catalogue.answers.workspace import EditedWorkspace


def apply_whole_files(fences: Sequence[Fence], workspace: EditedWorkspace) -> bool:
    """Whether a code block names its file. Those that do not are taken as examples."""
    texts: dict[str, str] = {}
    for fence in fences:
        named = _named(fence, workspace)
        if named is None:
            continue
        path = workspace.path_of(named)
        text = "".join(f"{line}\n" for line in fence.lines)
        if texts.setdefault(path, text) != text:
            raise AnswerError(f"the reply gives {path} twice, with different contents")
    if texts and not fences[-1].is_closed:
        # Where blocks are nested wrongly, one of them is not closed: the others may be cut off too.
        raise AnswerError(f"the code block in line {fences[-1].line_number} of the reply is not closed")
    for path, text in texts.items():
        if not workspace.ignores(path):
            _write(path, text, workspace)
    return bool(texts)


def _named(fence: Fence, workspace: EditedWorkspace) -> str | None:
    return (
        path_in_info(fence.info, workspace)
        or path_on_line(fence.before, workspace)
        or path_in_comment(fence.lines[0] if fence.lines else "", workspace)
    )


def _write(path: str, text: str, workspace: EditedWorkspace) -> None:
    converted = adapted(text, like=workspace.read(path) or "")
    if converted != text:
        workspace.repairs.add(Repair.LINE_ENDINGS)
    workspace.write(path, converted)
