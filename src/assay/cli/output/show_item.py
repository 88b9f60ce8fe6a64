"""One item of a run in full: what was sent, what came back, why it was graded so."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal

import typer

from assay.cli.output.sandbox_notes import print_confinement
from assay.cli.output.write import write_json
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import UnknownNameError
from assay.domain.messages import Usage
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import is_masked, masked_attempt
from assay.engine.stores import Stores


async def show_item(
    stores: Stores, evaluations: Sequence[Evaluation], item: str, *, reveal: bool, as_json: bool
) -> None:
    """The texts of gated benchmarks are masked unless they are asked for: a terminal gets shown around."""
    catalogue = Catalogue.installed()
    found = [
        (one, await stores.attempts.get(one.id, AttemptKey(ItemId(item), sample)))
        for one in evaluations
        if item in one.item_ids
        for sample in range(one.samples)
        if AttemptKey(ItemId(item), sample) in await stores.attempts.keys(one.id)
    ]
    if not found:
        raise UnknownNameError(
            "stored attempt of item", item, remedy="see the items with: assay show RUN --json"
        )
    if not reveal:
        found = [(one, masked_attempt(made) if is_masked(one, catalogue) else made) for one, made in found]
    if as_json:
        write_json({"attempts": [_document(*one) for one in found]})
        return
    for evaluation, attempt in found:
        _print(evaluation, attempt)


def _document(evaluation: Evaluation, attempt: Attempt) -> dict[str, object]:
    calls = [asdict(call) | {"usage": _usage(call.usage)} for call in attempt.calls]
    document: dict[str, object] = asdict(attempt)
    return document | {
        "model": evaluation.model,
        "benchmark": evaluation.benchmark,
        "prompt": json.loads(attempt.prompt),
        "usage": _usage(attempt.usage),
        "cost_usd": _exact(attempt.cost_usd),
        "judge_cost_usd": _exact(attempt.judge_cost_usd),
        "calls": calls,
    }


def _usage(usage: Usage) -> dict[str, object]:
    document: dict[str, object] = asdict(usage)
    return document | {"reported_cost_usd": _exact(usage.reported_cost_usd)}


def _exact(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


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
    print_confinement(attempt.details)
    if attempt.timing:
        timing = {name: value for name, value in asdict(attempt.timing).items() if value is not None}
        typer.echo("  ".join(f"{name}={value:.1f}" for name, value in timing.items()))
    judges = sum(call.role == "judge" for call in attempt.calls)
    typer.echo(f"calls: {len(attempt.calls)}{f', {judges} of them to judges' if judges else ''}\n")
