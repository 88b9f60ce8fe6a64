"""`assay race`."""

from typing import Annotated

import typer

from assay.cli import completion, options

# With a baseline they are what its run asked.
_OF_BASELINE = (
    *("subset", "count", "seed", "samples", "temperature", "max_tokens", "reasoning_effort"),
    *("data", "judge"),
)


def race(
    context: typer.Context,
    entrants: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL… BENCHMARK…",
            help="Models, as provider/name, and benchmarks, in any order; also separated by commas.",
            autocompletion=completion.models,
        ),
    ],
    *,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="A stored run whose answers stand for its model; the others are asked what it was asked.",
            autocompletion=completion.run_ids,
        ),
    ] = None,
    margin: Annotated[float, typer.Option(help="Points; a smaller difference does not matter.")] = 1.0,
    alpha: Annotated[
        float, typer.Option(help="Chance that anything claimed is wrong, whenever it stops.")
    ] = 0.05,
    until: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="decided: better, worse or equivalent; equivalent: whether they are; better: which one is.",
        ),
    ] = "decided",
    subset: Annotated[int, typer.Option(help="Percent of the items, 1 to 100.")] = 100,
    count: Annotated[int | None, typer.Option(help="Most items, instead of a percentage.")] = None,
    seed: Annotated[
        str | None, typer.Option(help="In which order items are asked; fixed by default.")
    ] = None,
    samples: Annotated[int, typer.Option(help="Attempts per item, all made together.")] = 1,
    temperature: Annotated[float | None, typer.Option(help="Default: what the benchmark asks for.")] = None,
    max_tokens: options.MaxTokens = None,
    reasoning_effort: Annotated[str | None, typer.Option(help="Passed on to the models.")] = None,
    max_connections: options.MaxConnections = None,
    base_url: options.BaseUrl = None,
    budget_usd: options.BudgetUsd = None,
    budget_tokens: options.BudgetTokens = None,
    price_in: options.PriceIn = None,
    price_out: options.PriceOut = None,
    data: options.Data = "official",
    judge: options.Judge = None,
    name: options.Name = "",
    tag: options.Tag = None,
    note: options.Note = "",
    dry_run: options.DryRun = False,
    detach: options.Detach = False,
    json: options.Json = False,
) -> None:
    """Ask models the same items until it is certain which one is better, or that they are equivalent."""
    from dataclasses import replace

    from assay.cli.actions.run_once import dry, execute, submit
    from assay.domain.run import Budget, Description, ModelEndpoint, RunSpec
    from assay.domain.stopping import StopRule, until_of

    rule = StopRule(margin=margin / 100, alpha=alpha, until=until_of(until))
    models, benchmarks = _told_apart(entrants)
    limits = Budget(usd=options.usd(budget_usd), tokens=budget_tokens)
    price = options.price(price_in, price_out)
    if baseline is not None:
        from assay.cli.actions.baselines import against_baseline

        _require_nothing_of_the_baseline(context)
        own = ModelEndpoint(base_url=base_url, price=price)
        spec = against_baseline(baseline, models, benchmarks, rule, own)
        spec = replace(spec, max_connections=max_connections, budget=limits)
    else:
        _require_two(models, benchmarks)
        spec = RunSpec(
            models=models,
            benchmarks=options.benchmark_names(",".join(benchmarks)),
            subset=options.subset(subset, count, seed),
            samples=samples,
            generation=options.generation(
                temperature=temperature, top_p=None, max_tokens=max_tokens, reasoning_effort=reasoning_effort
            ),
            data=options.absolute(data),
            max_connections=max_connections,
            budget=limits,
            base_url=base_url,
            price=price,
            judge=options.judging(
                judge, votes=1, base_url=None, temperature=None, max_tokens=None, timeout_s=120.0
            ),
            stop=rule,
        )
    description = Description.of(name, note, tag or ())
    if dry_run:
        dry(spec, as_json=json)
    elif detach:
        submit(spec, description, as_json=json)
    else:
        execute(spec, description, fail_on_error=None, as_json=json)


def _told_apart(entrants: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A model's name has a slash, that of a benchmark has none."""
    from assay.domain.datasets.dataset import is_dataset

    given = dict.fromkeys(one for text in entrants for one in options.names(text))
    benchmarks = tuple(one for one in given if is_dataset(one) or "/" not in one)
    return tuple(one for one in given if one not in benchmarks), benchmarks


def _require_two(models: tuple[str, ...], benchmarks: tuple[str, ...]) -> None:
    from assay.domain.errors import InvalidValueError

    if not benchmarks or len(models) < 2:  # noqa: PLR2004  nothing to compare
        raise InvalidValueError(
            "a race takes two models or more, as provider/name, and a benchmark:"
            f" there are {', '.join(models) or 'no models'} and {', '.join(benchmarks) or 'no benchmark'}"
        )


def _require_nothing_of_the_baseline(context: typer.Context) -> None:
    from assay.domain.errors import InvalidValueError

    for name in _OF_BASELINE:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = f"--{name.replace('_', '-')}"
            raise InvalidValueError(f"{option} is that of the run named by --baseline: leave it out")
