"""A run as one page: scores with their intervals, a picture, what is missing, and items."""

from collections.abc import Sequence
from typing import IO

from assay.domain.run import Evaluation, Run, State
from assay.domain.summary import Summary
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import iso_seconds
from assay.engine.exports.html.charts import Mark, bars, interval_chart
from assay.engine.exports.html.items import items_html
from assay.engine.exports.html.markup import foot, head, paragraph, table, text
from assay.engine.exports.report import Histogram, facts, histograms, run_notes, sentences
from assay.engine.exports.wording import (
    NUMBERS,
    SCORE_COLUMNS,
    answered_by,
    evaluation_notes,
    interval_text,
    outcomes_text,
    percent,
    score_row,
)
from assay.engine.exports.writing import ExportTools

Line = tuple[Evaluation, Summary | None]

_HISTOGRAMS = {"ttft_ms": "Time to first token", "duration_ms": "Time of an answer"}


async def export_html(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    """Written piece by piece: a page holds at most a hundred attempts of each evaluation."""
    run = content.run
    target.write(encoded(head(run.description.name or f"Run {run.id[:8]}")))
    lines = [(one.evaluation, one.summary) for one in content.evaluations]
    said = await sentences(content)
    target.write(encoded(_state(run) + "".join(map(paragraph, [*said, *run_notes(run)]))))
    target.write(encoded(scores_html(lines)))
    for one in content.evaluations:
        target.write(encoded(await _evaluation(content, one)))
        target.write(encoded(await items_html(content, one)))
    target.write(encoded(foot()))


def encoded(piece: str) -> bytes:
    return piece.encode("utf-8", "replace")


def _state(run: Run) -> str:
    created, version = iso_seconds(run.created_at), run.code_version or "of an unknown version"
    said = paragraph(f"Run {run.id}, {run.state.value}, created {created}, by Assay {version}", "soft")
    if run.state is not State.SUCCEEDED:
        said += paragraph(f"The run has not succeeded: {run.error or run.state.value}", "bad")
    return said


def scores_html(lines: Sequence[Line]) -> str:
    """A picture of the scores and a table of them."""
    marks = [
        Mark(
            f"{evaluation.model} · {evaluation.benchmark}",
            score.value,
            score.interval.low if score.interval else None,
            score.interval.high if score.interval else None,
        )
        for evaluation, summary in lines
        if summary and (score := summary.score)
    ]
    return interval_chart(marks, title="Scores in percent, with their 95 % intervals") + table(
        SCORE_COLUMNS, [score_row(*line) for line in lines], numbers=NUMBERS
    )


async def _evaluation(content: RunContent, one: EvaluationContent) -> str:
    evaluation, summary = one.evaluation, one.summary
    title = one.card.title if one.card else evaluation.benchmark
    counts = outcomes_text(summary.outcomes, total=summary.total)
    parts = [f"<h2>{text(evaluation.model)} on {text(title)}</h2>\n", paragraph(f"Outcomes: {counts}.")]
    parts += map(paragraph, answered_by(evaluation))
    parts += [paragraph(note, "bad") for note in evaluation_notes(evaluation, summary)]
    parts += [_estimates(summary), _times(await histograms(content, one))]
    rows = [(name, str(value)) for name, value in facts(one).items() if value is not None]
    parts.append(
        "<details><summary>What the score depends on</summary>"
        f"{table(('', ''), rows, numbers=frozenset())}</details>\n"
    )
    return "".join(parts)


def _estimates(summary: Summary) -> str:
    """Metrics beside the score, and the categories of the items where there are several."""
    found = dict(summary.metrics)
    if len(summary.categories) > 1:
        found |= summary.categories
    rows = [(name, percent(one.value), interval_text(one), f"{one.n:,}") for name, one in found.items()]
    if not rows:
        return ""
    return table(("part", "score", "95 % interval", "scored"), rows, numbers=NUMBERS)


def _times(found: dict[str, Histogram]) -> str:
    parts: list[str] = []
    for name, one in found.items():
        title = _HISTOGRAMS[name]
        beyond = f", {one.beyond:,} take longer" if one.beyond else ""
        parts.append(
            paragraph(f"{title}, of {one.n:,}: from 0 to {one.top_ms:,.0f} ms{beyond}", "soft")
            + bars(one.counts, title=title)
        )
    return "".join(parts)
