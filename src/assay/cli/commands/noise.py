"""`assay noise`."""

from typing import Annotated

import typer

from assay.cli import completion, options


def noise(
    model: Annotated[
        str | None, typer.Argument(help="A model, as provider/name.", autocompletion=completion.models)
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Argument(
            metavar="BENCHMARK[,…]",
            help="Benchmarks, as `assay benchmarks` lists, or dataset:NAME.",
            autocompletion=completion.benchmarks,
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Report on a stored run with several samples instead.",
            autocompletion=completion.run_ids,
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often each item is asked, at least twice.")] = 5,
    count: Annotated[int | None, typer.Option(help="Most items of each benchmark.")] = None,
    seed: Annotated[str | None, typer.Option(help="Which items are asked; fixed by default.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    max_tokens: options.MaxTokens = None,
    max_connections: options.MaxConnections = None,
    budget_usd: options.BudgetUsd = None,
    budget_tokens: options.BudgetTokens = None,
    data: options.Data = "official",
    name: options.Name = "",
    tag: options.Tag = None,
    note: options.Note = "",
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Ask a model the same several times, and show how far its scores lie from its own."""
    from assay.cli.actions.noise_run import report_stored, run_and_report
    from assay.cli.actions.run_once import dry
    from assay.domain.errors import InvalidValueError
    from assay.domain.run import Budget, Description, RunSpec, Subset

    if run is not None:
        if model is not None or dry_run:
            raise InvalidValueError("--run reports on a stored run: name no model, and leave out --dry-run")
        raise typer.Exit(report_stored(run, as_json=json))
    if model is None or benchmark is None:
        raise InvalidValueError("nothing to ask: name a model and a benchmark, or give --run")
    if repeats < 2:  # noqa: PLR2004  one says nothing about noise
        raise InvalidValueError(f"repeats must be at least 2, not {repeats}")
    subset = Subset(count=count)
    spec = RunSpec(
        models=(model,),
        benchmarks=options.benchmark_names(benchmark),
        subset=subset if seed is None else Subset(count=count, seed=seed),
        samples=repeats,
        generation=options.generation(
            temperature=temperature, top_p=None, max_tokens=max_tokens, reasoning_effort=None
        ),
        data=options.absolute(data),
        max_connections=max_connections,
        budget=Budget(usd=options.usd(budget_usd), tokens=budget_tokens),
    )
    if dry_run:
        dry(spec, as_json=json)
        return
    description = Description.of(name, note, ("noise", *(tag or ())))
    raise typer.Exit(run_and_report(spec, description, as_json=json))
