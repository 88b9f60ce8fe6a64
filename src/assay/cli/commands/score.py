"""`assay score`, `assay annotate` and `assay annotations`: gradings after the run, and what people say."""

from typing import Annotated

import typer

from assay.cli import options

Benchmark = Annotated[
    str | None, typer.Option(help="Only this benchmark of the run.", callback=options.one_benchmark)
]
Model = Annotated[str | None, typer.Option(help="Only this model of the run.")]


def score(
    run_id: options.Run,
    *,
    benchmark: Benchmark = None,
    model: Model = None,
    judge: options.Judge = None,
    judge_votes: options.JudgeVotes = 1,
    judge_base_url: options.JudgeBaseUrl = None,
    judge_temperature: options.JudgeTemperature = None,
    judge_max_tokens: options.JudgeMaxTokens = None,
    judge_timeout: options.JudgeTimeout = 120.0,
    json: options.Json = False,
) -> None:
    """Grade the stored answers of a run again, without asking the model; both gradings are kept."""
    from assay.cli.actions.score_run import Chosen, score_run

    judging = options.judging(
        judge,
        votes=judge_votes,
        base_url=judge_base_url,
        temperature=judge_temperature,
        max_tokens=judge_max_tokens,
        timeout_s=judge_timeout,
    )
    score_run(Chosen(run_id, benchmark, model), judging=judging, as_json=json)


def annotate(
    run_id: options.Run,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item's id.")],
    label: Annotated[str, typer.Argument(metavar="LABEL", help="golden, fix or wrong.")],
    *,
    note: Annotated[str, typer.Option(help="Why; of a fix, what it should have been.")] = "",
    author: Annotated[str, typer.Option(help="Who says so.")] = "",
    sample: Annotated[int, typer.Option(help="Which sample of the item, from 0.")] = 0,
    benchmark: Benchmark = None,
    model: Model = None,
    json: options.Json = False,
) -> None:
    """Put a person's label on an attempt."""
    from assay.cli.actions.label_attempts import Given, add_label
    from assay.cli.actions.score_run import Chosen

    given = Given(item, sample, label, note, author)
    add_label(Chosen(run_id, benchmark, model), given, as_json=json)


def annotations(
    run_id: options.Run,
    *,
    benchmark: Benchmark = None,
    model: Model = None,
    remove: Annotated[int | None, typer.Option(help="Remove the label with this number.")] = None,
    json: options.Json = False,
) -> None:
    """List the labels on a run's attempts, and how far its gradings agree with them."""
    from assay.cli.actions.label_attempts import list_labels, remove_label
    from assay.cli.actions.score_run import Chosen

    chosen = Chosen(run_id, benchmark, model)
    if remove is not None:
        remove_label(chosen, remove)
    list_labels(chosen, as_json=json)
