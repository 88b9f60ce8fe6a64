"""A run as Markdown, to be pasted into a pull request: scores and what limits them, no text of an item."""

import re
from collections.abc import Iterable, Sequence
from typing import IO

from assay.domain.access.secret import printable
from assay.domain.run import State
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.report import facts, run_notes, sentences
from assay.engine.exports.wording import (
    NUMBERS,
    SCORE_COLUMNS,
    answered_by,
    evaluation_notes,
    outcomes_text,
    score_row,
)
from assay.engine.exports.writing import ExportTools

# What Markdown or HTML inside it would read as markup, a mention or a reference to an issue.
_MARKUP = re.compile(r"[\\`*\[\]<>#|~@&]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=\bwww)\.")


async def export_markdown(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    run = content.run
    title = run.description.name or f"Run {run.id[:8]}"
    parts = [f"## {plain(title)}\n"]
    if run.state is not State.SUCCEEDED:
        parts.append(f"**The run has not succeeded: {plain(run.error or run.state.value)}**\n")
    parts += [f"- {plain(said)}" for said in [*await sentences(content), *run_notes(run)]]
    rows = [score_row(one.evaluation, one.summary) for one in content.evaluations]
    parts += ["", markdown_table(SCORE_COLUMNS, rows, numbers=NUMBERS)]
    parts += [_details(one) for one in content.evaluations]
    parts.append(f"Run `{run.id}`, Assay {plain(run.code_version or 'of an unknown version')}.\n")
    target.write("\n".join(parts).encode("utf-8", "replace"))


def _details(one: EvaluationContent) -> str:
    evaluation, summary = one.evaluation, one.summary
    counts = outcomes_text(summary.outcomes, total=summary.total)
    lines = [f"Outcomes: {counts}", *answered_by(evaluation), *evaluation_notes(evaluation, summary)]
    lines += [f"{name}: {value}" for name, value in facts(one).items() if value is not None]
    summary_line = f"{plain(evaluation.model)} on {plain(evaluation.benchmark)}"
    listed = "\n".join(f"- {plain(line)}" for line in lines)
    return f"<details><summary>{summary_line}</summary>\n\n{listed}\n\n</details>\n"


def plain(value: str) -> str:
    """The text on one line, with every character escaped that could be read as markup."""
    line = " ".join(printable(value).split())
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", line)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: frozenset[str]) -> str:
    rule = "|".join("---:" if name in numbers else "---" for name in columns)
    lines = [f"| {' | '.join(map(plain, row))} |" for row in rows]
    return "\n".join([f"| {' | '.join(columns)} |", f"|{rule}|", *lines, ""])
