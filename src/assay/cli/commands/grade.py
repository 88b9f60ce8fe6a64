"""`assay grade`: answers made elsewhere, graded as in a run."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options


def grade(
    benchmark: options.Benchmark,
    *,
    answers: Annotated[
        Path, typer.Option(help='JSON lines {"item": id, "response": text}, plain or gzipped.')
    ],
    data: options.Data = "official",
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the verdicts here instead of to standard output."),
    ] = None,
    judge: options.Judge = None,
    judge_votes: options.JudgeVotes = 1,
    judge_base_url: options.JudgeBaseUrl = None,
    judge_temperature: options.JudgeTemperature = None,
    judge_max_tokens: options.JudgeMaxTokens = None,
    judge_timeout: options.JudgeTimeout = 120.0,
    json: options.Json = False,
) -> None:
    """Grade answers made elsewhere; no model is called but the judges."""
    from assay.cli.actions.grade_answers import grade_file

    judging = options.judging(
        judge,
        votes=judge_votes,
        base_url=judge_base_url,
        temperature=judge_temperature,
        max_tokens=judge_max_tokens,
        timeout_s=judge_timeout,
    )
    grade_file(benchmark, answers, where=data, judging=judging, out=out, as_json=json)
