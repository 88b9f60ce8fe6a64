"""`assay run` and `assay resume`."""

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import options

if TYPE_CHECKING:
    from assay.domain.pricing import Price


def run(
    models: options.Models,
    benchmarks: options.Benchmarks,
    *,
    subset: Annotated[int, typer.Option(help="Percent of the items, 1 to 100.")] = 100,
    count: Annotated[int | None, typer.Option(help="Number of items, instead of a percentage.")] = None,
    seed: Annotated[str | None, typer.Option(help="Which items a subset takes; fixed by default.")] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID[,ID…]", help="Ask only this item, instead of a subset; may be given several times."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(help="Attempts per item.")] = 1,
    temperature: Annotated[float | None, typer.Option(help="Default: what the benchmark asks for.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Default: what the benchmark asks for.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Cap on a reply's tokens.")] = None,
    reasoning_effort: Annotated[str | None, typer.Option(help="Passed on to the model.")] = None,
    max_connections: Annotated[int | None, typer.Option(help="Most calls to an endpoint at once.")] = None,
    base_url: options.BaseUrl = None,
    budget_usd: Annotated[str | None, typer.Option(help="Pause the run when it has cost this much.")] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="Pause the run after this many tokens.")] = None,
    price_in: Annotated[
        str | None, typer.Option(help="USD per million tokens sent, where the endpoint lists no price.")
    ] = None,
    price_out: Annotated[
        str | None, typer.Option(help="USD per million tokens received, where the endpoint lists no price.")
    ] = None,
    data: options.Data = "official",
    judge: options.Judge = None,
    judge_votes: options.JudgeVotes = 1,
    judge_base_url: options.JudgeBaseUrl = None,
    judge_temperature: options.JudgeTemperature = None,
    judge_max_tokens: options.JudgeMaxTokens = None,
    judge_timeout: options.JudgeTimeout = 120.0,
    user_model: options.UserModel = None,
    name: options.Name = "",
    tag: options.Tag = None,
    note: options.Note = "",
    dry_run: options.DryRun = False,
    detach: options.Detach = False,
    fail_on_error: options.FailOnError = None,
    json: options.Json = False,
) -> None:
    """Run benchmarks against models and store an honest score."""
    from assay.cli.actions.run_once import dry, execute, submit
    from assay.domain.errors import InvalidValueError
    from assay.domain.run import Budget, Description, RunSpec

    spec = RunSpec(
        models=options.names(models),
        benchmarks=options.benchmark_names(benchmarks),
        subset=options.subset(subset, count, seed),
        items=options.item_ids(item),
        samples=samples,
        generation=options.generation(
            temperature=temperature, top_p=top_p, max_tokens=max_tokens, reasoning_effort=reasoning_effort
        ),
        data=options.absolute(data),
        max_connections=max_connections,
        budget=Budget(usd=_usd(budget_usd), tokens=budget_tokens),
        base_url=base_url,
        price=_price(price_in, price_out),
        judge=options.judging(
            judge,
            votes=judge_votes,
            base_url=judge_base_url,
            temperature=judge_temperature,
            max_tokens=judge_max_tokens,
            timeout_s=judge_timeout,
        ),
        user_model=options.user_model(user_model),
    )
    description = Description.of(name, note, tag or ())
    if fail_on_error is not None and (dry_run or detach):
        raise InvalidValueError("--fail-on-error needs the result: leave out --detach and --dry-run")
    if dry_run:
        dry(spec, as_json=json)
    elif detach:
        submit(spec, description, as_json=json)
    else:
        execute(spec, description, fail_on_error=fail_on_error, as_json=json)


def resume(
    run_id: options.Run,
    *,
    budget_usd: Annotated[str | None, typer.Option(help="A new budget, in place of the one reached.")] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(help="A new budget, in place of the one reached.")
    ] = None,
    fail_on_error: options.FailOnError = None,
    json: options.Json = False,
) -> None:
    """Go on with a run that was stopped; attempts already stored are not repeated."""
    from assay.cli.actions.run_once import resume as resume_run
    from assay.domain.run import Budget

    is_given = budget_usd is not None or budget_tokens is not None
    budget = Budget(usd=_usd(budget_usd), tokens=budget_tokens) if is_given else None
    resume_run(run_id, budget=budget, fail_on_error=fail_on_error, as_json=json)


def _price(sent: str | None, received: str | None) -> "Price | None":
    from assay.domain.errors import InvalidValueError
    from assay.domain.pricing import Price

    per_sent, per_received = _usd(sent, "price"), _usd(received, "price")
    if per_sent is None and per_received is None:
        return None
    if per_sent is None or per_received is None:
        raise InvalidValueError("a price has two parts: give --price-in and --price-out")
    if min(per_sent, per_received) < 0:
        raise InvalidValueError("price must be at least 0 USD per million tokens")
    return Price(per_sent, per_received, source="given with the run")


def _usd(text: str | None, what: str = "budget") -> Decimal | None:
    from decimal import InvalidOperation

    from assay.domain.errors import InvalidValueError

    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("nan")
    if not amount.is_finite():
        raise InvalidValueError(f"{what} must be an amount in USD such as 2.50, not {text!r}")
    return amount
