"""`assay fidelity`: the same model at several providers."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import completion, options

_BENCHMARKS = "mmlu_pro,ifeval,janus_tool_use"
_COUNT = 500


def fidelity(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REFERENCE [CANDIDATE…]",
            help="Models, as provider/name: the one that is believed, then those that should be the same."
            " Alone, the reference tells how many items are needed.",
            autocompletion=completion.models,
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Judge a stored run instead; REFERENCE is one of its models, by default the first.",
            autocompletion=completion.run_ids,
        ),
    ] = None,
    benchmarks: Annotated[
        str,
        typer.Option(
            metavar="BENCHMARK[,…]",
            help="What to ask, or dataset:NAME.",
            autocompletion=completion.benchmarks,
        ),
    ] = _BENCHMARKS,
    count: Annotated[int, typer.Option(help="Most items of each benchmark.")] = _COUNT,
    seed: Annotated[str | None, typer.Option(help="Which items are asked; fixed by default.")] = None,
    samples: Annotated[int, typer.Option(help="Attempts per item, at least 2 for a noise floor.")] = 2,
    margin: Annotated[float, typer.Option(help="Difference that does not matter: 0.03 is 3 points.")] = 0.03,
    alpha: Annotated[float, typer.Option(help="Chance of a wrong claim about any candidate.")] = 0.05,
    temperature: Annotated[float, typer.Option(help="Divergence is only given at 0.")] = 0.0,
    max_tokens: options.MaxTokens = None,
    max_connections: options.MaxConnections = None,
    budget_usd: options.BudgetUsd = None,
    budget_tokens: options.BudgetTokens = None,
    data: options.Data = "official",
    name: options.Name = "",
    tag: options.Tag = None,
    note: options.Note = "",
    markdown: Annotated[Path | None, typer.Option(help="Write the report in Markdown here.")] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Tell whether providers serve the same model; exit code 0 equivalent, 1 not, 2 not enough items."""
    from assay.cli.actions.fidelity_run import Wanted, judge_stored, run_and_judge
    from assay.cli.actions.run_once import dry
    from assay.domain.errors import InvalidValueError
    from assay.domain.run import Budget, Description, RunSpec, Subset
    from assay.domain.stats import EquivalenceRule

    wanted = Wanted(EquivalenceRule(margin, alpha), markdown, as_json=json)
    named = models or []
    if run is not None:
        if len(named) > 1 or dry_run:
            raise InvalidValueError(
                "--run judges a stored run: name no model but the reference, and leave out --dry-run"
            )
        raise typer.Exit(judge_stored(run, next(iter(named), None), wanted))
    if not named:
        raise InvalidValueError("nothing to compare: name the reference and the candidates, or give --run")
    if len(set(named)) < len(named):
        raise InvalidValueError("a model is named twice: the reference is compared with itself anyway")
    if samples < 2:  # noqa: PLR2004 # one says nothing about noise
        raise InvalidValueError(f"samples must be at least 2 for a noise floor, not {samples}")
    spec = RunSpec(
        models=tuple(named),
        benchmarks=options.benchmark_names(benchmarks),
        subset=Subset(count=count) if seed is None else Subset(count=count, seed=seed),
        samples=samples,
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
    description = Description.of(name, note, ("fidelity", *(tag or ())))
    raise typer.Exit(run_and_judge(spec, description, wanted))
