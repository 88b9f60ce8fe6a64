"""What a run would send and use, for `--dry-run`."""

from collections.abc import Sequence
from decimal import Decimal

import typer

from assay.cli.write import write_json, write_table
from assay.engine.estimate import Estimate, Range
from assay.engine.plan import PlannedBenchmark

_SHOWN_PROMPTS = 2


def print_estimate(
    planned: Sequence[PlannedBenchmark], estimates: Sequence[Estimate], *, as_json: bool
) -> None:
    if as_json:
        write_json({"estimates": [_document(one) for one in estimates], "prompts": _prompts(planned)})
        return
    for one in planned:
        for item in one.items[:_SHOWN_PROMPTS]:
            typer.echo(f"── {one.benchmark.card.name}, item {item.id} " + "─" * 20)
            for message in one.item_set.prompt(item).messages:
                typer.echo(f"[{message.role}]\n{message.text}\n")
        if len(one.items) > _SHOWN_PROMPTS:
            typer.echo(f"… and {len(one.items) - _SHOWN_PROMPTS:,} more items of {one.benchmark.card.name}\n")
    write_table(
        ("MODEL", "BENCHMARK", "ATTEMPTS", "INPUT TOKENS", "OUTPUT TOKENS", "COST"),
        [
            (
                one.model,
                one.benchmark,
                f"{one.attempts:,}",
                _range(one.input_tokens),
                _range(one.output_tokens),
                _cost(one.cost_usd),
            )
            for one in estimates
        ],
        title="Estimate (tokens from characters, replies from what is typical of the benchmark)",
    )
    if len(estimates) > 1 and all(one.cost_usd for one in estimates):
        costs = [one.cost_usd for one in estimates if one.cost_usd]
        typer.echo(f"\nall together: {_cost((sum(c[0] for c in costs), sum(c[1] for c in costs)))}")


def _range(tokens: Range) -> str:
    return f"{tokens.low:,} to {tokens.high:,}"


def _cost(cost_usd: tuple[Decimal | int, Decimal | int] | None) -> str:
    return "unknown (no price)" if cost_usd is None else f"${cost_usd[0]:.2f} to ${cost_usd[1]:.2f}"


def _document(one: Estimate) -> dict[str, object]:
    return {
        "model": one.model,
        "benchmark": one.benchmark,
        "attempts": one.attempts,
        "input_tokens": {"low": one.input_tokens.low, "high": one.input_tokens.high},
        "output_tokens": {"low": one.output_tokens.low, "high": one.output_tokens.high},
        "cost_usd": one.cost_usd and {"low": float(one.cost_usd[0]), "high": float(one.cost_usd[1])},
    }


def _prompts(planned: Sequence[PlannedBenchmark]) -> list[dict[str, object]]:
    return [
        {
            "benchmark": one.benchmark.card.name,
            "item": item.id,
            "messages": [message.to_json() for message in one.item_set.prompt(item).messages],
        }
        for one in planned
        for item in one.items
    ]
