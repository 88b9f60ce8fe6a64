"""One item of a run in full: what was sent, what came back, why it was graded so."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import typer

from assay.cli.write import write_json
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.ports import RunStore


async def show_item(store: RunStore, evaluations: Sequence[Evaluation], item: str, *, as_json: bool) -> None:
    found = [
        (one, await store.attempt(one.id, AttemptKey(ItemId(item), sample)))
        for one in evaluations
        if item in one.item_ids
        for sample in range(one.samples)
        if AttemptKey(ItemId(item), sample) in await store.stored_keys(one.id)
    ]
    if not found:
        raise UnknownNameError(
            "stored attempt of item", item, remedy="see the items with: assay show RUN --json"
        )
    if as_json:
        write_json({"attempts": [_document(*one) for one in found]})
        return
    for evaluation, attempt in found:
        _print(evaluation, attempt)


def _document(evaluation: Evaluation, attempt: Attempt) -> dict[str, object]:
    document = asdict(attempt) | {"model": evaluation.model, "benchmark": evaluation.benchmark}
    document["prompt"] = json.loads(attempt.prompt)
    document["cost_usd"] = None if attempt.cost_usd is None else str(attempt.cost_usd)
    document["judge_cost_usd"] = None if attempt.judge_cost_usd is None else str(attempt.judge_cost_usd)
    for call in document["calls"]:
        cost = call["usage"].pop("reported_cost_usd")
        call["usage"]["reported_cost_usd"] = None if cost is None else str(cost)
    usage = document["usage"]
    usage["reported_cost_usd"] = (
        None if usage["reported_cost_usd"] is None else str(usage["reported_cost_usd"])
    )
    return document


def _print(evaluation: Evaluation, attempt: Attempt) -> None:
    names = (evaluation.model, evaluation.benchmark, f"item {attempt.item_id}", f"sample {attempt.sample}")
    typer.echo(f"── {' · '.join(names)} ──")
    for message in json.loads(attempt.prompt):
        typer.echo(f"[{message['role']}]\n{message['content']}\n")
    if attempt.reasoning:
        typer.echo(f"[reasoning]\n{attempt.reasoning}\n")
    typer.echo(f"[answer]\n{attempt.answer}\n")
    score = "missing" if attempt.score is None else f"{attempt.score:g}"
    typer.echo(
        f"outcome {attempt.outcome.value}, score {score},"
        f" extracted {attempt.extracted!r}, expected {attempt.expected!r}"
    )
    for line in filter(None, (attempt.explanation, attempt.error_message)):
        typer.echo(line)
    if attempt.timing:
        timing = {name: value for name, value in asdict(attempt.timing).items() if value is not None}
        typer.echo("  ".join(f"{name}={value:.1f}" for name, value in timing.items()))
    typer.echo(f"calls: {len(attempt.calls)}\n")
