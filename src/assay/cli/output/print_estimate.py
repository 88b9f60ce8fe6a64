"""What a run would send and use, for `--dry-run`."""

import json
from collections.abc import Sequence
from decimal import Decimal

import typer

from assay.cli.output.write import printable, write_json, write_table
from assay.domain.stats import plural
from assay.engine.planning.estimate import Estimate, JudgeEstimate, Range
from assay.engine.planning.plan import PlannedBenchmark

_SHOWN_PROMPTS = 2


def print_estimate(
    planned: Sequence[PlannedBenchmark],
    estimates: Sequence[Estimate],
    *,
    as_json: bool,
    all_prompts: bool = False,
) -> None:
    if as_json:
        write_json({"estimates": [_document(one) for one in estimates], "prompts": _prompts(planned)})
        return
    for one in planned:
        shown = len(one.items) if all_prompts else _SHOWN_PROMPTS
        for item in one.items[:shown]:
            typer.echo(f"── {one.benchmark.card.name}, item {item.id} " + "─" * 20)
            prompt = one.prompt(item)
            for message in prompt.messages:
                typer.echo(printable(f"[{message.role}]\n{message.text}\n"))
            if prompt.body is not None:
                typer.echo(printable(f"{json.dumps(prompt.body, indent=2, ensure_ascii=False)}\n"))
        if len(one.items) > shown:
            left = plural(len(one.items) - shown, "item")
            typer.echo(f"… and {left} more of {one.benchmark.card.name}\n")
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
        title="Estimate (tokens from characters, replies from what is typical)",
        folded=("MODEL", "BENCHMARK", "INPUT TOKENS", "OUTPUT TOKENS", "COST"),
    )
    _print_judging(estimates)
    costs = [cost for one in estimates for cost in _costs(one)]
    if len(costs) > 1 and all(costs):
        known = [cost for cost in costs if cost]
        typer.echo(f"\nall together: {_cost((sum(c[0] for c in known), sum(c[1] for c in known)))}")


def _costs(one: Estimate) -> list[tuple[Decimal, Decimal] | None]:
    return [one.cost_usd, one.judging.cost_usd] if one.judging else [one.cost_usd]


def _print_judging(estimates: Sequence[Estimate]) -> None:
    rows = [
        (
            one.model,
            one.benchmark,
            f"{one.judging.calls:,}",
            _range(one.judging.input_tokens),
            _range(one.judging.output_tokens),
            _cost(one.judging.cost_usd),
        )
        for one in estimates
        if one.judging
    ]
    if rows:
        columns = ("ANSWERS OF", "BENCHMARK", "CALLS", "INPUT TOKENS", "OUTPUT TOKENS", "COST")
        write_table(columns, rows, title="\nJudging, apart from the above")


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
        "judging": one.judging and _judging_document(one.judging),
    }


def _judging_document(one: JudgeEstimate) -> dict[str, object]:
    return {
        "calls": one.calls,
        "input_tokens": {"low": one.input_tokens.low, "high": one.input_tokens.high},
        "output_tokens": {"low": one.output_tokens.low, "high": one.output_tokens.high},
        "cost_usd": one.cost_usd and {"low": float(one.cost_usd[0]), "high": float(one.cost_usd[1])},
    }


def _prompts(planned: Sequence[PlannedBenchmark]) -> list[dict[str, object]]:
    return [
        {
            "benchmark": one.benchmark.card.name,
            "item": item.id,
            "messages": json.loads(one.prompt(item).to_json()),
        }
        for one in planned
        for item in one.items
    ]
