"""`assay run` and `assay resume`."""

from typing import Annotated

import typer

from assay.cli import agent_options, options


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
    max_tokens: options.MaxTokens = None,
    reasoning_effort: Annotated[str | None, typer.Option(help="Passed on to the model.")] = None,
    max_connections: options.MaxConnections = None,
    base_url: options.BaseUrl = None,
    budget_usd: options.BudgetUsd = None,
    budget_tokens: options.BudgetTokens = None,
    price_in: options.PriceIn = None,
    price_out: options.PriceOut = None,
    data: options.Data = "official",
    prompt_field: options.PromptField = None,
    answer_field: options.AnswerField = None,
    grader: options.Grader = "exact",
    config: options.HubConfig = None,
    split: options.HubSplit = "test",
    revision: options.HubRevision = None,
    judge: options.Judge = None,
    judge_votes: options.JudgeVotes = 1,
    judge_base_url: options.JudgeBaseUrl = None,
    judge_temperature: options.JudgeTemperature = None,
    judge_max_tokens: options.JudgeMaxTokens = None,
    judge_timeout: options.JudgeTimeout = 120.0,
    user_model: options.UserModel = None,
    agent_command: agent_options.Command = None,
    agent_folder: agent_options.Folder = None,
    agent_limit: agent_options.Limit = None,
    weights: options.Weights = None,
    minimum_quality: options.MinimumQuality = 0.25,
    warmup: options.Warmup = 0,
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

    columns = options.hub_columns(
        prompt_field, answer_field, grader=grader, config=config, split=split, revision=revision
    )
    spec = RunSpec(
        models=options.names(models),
        benchmarks=options.with_hub_rows(options.benchmark_names(benchmarks), columns),
        subset=options.subset(subset, count, seed),
        items=options.item_ids(item),
        samples=samples,
        generation=options.generation(
            temperature=temperature, top_p=top_p, max_tokens=max_tokens, reasoning_effort=reasoning_effort
        ),
        data=options.absolute(data),
        max_connections=max_connections,
        budget=Budget(usd=options.usd(budget_usd), tokens=budget_tokens),
        base_url=base_url,
        price=options.price(price_in, price_out),
        judge=options.judging(
            judge,
            votes=judge_votes,
            base_url=judge_base_url,
            temperature=judge_temperature,
            max_tokens=judge_max_tokens,
            timeout_s=judge_timeout,
        ),
        user_model=options.user_model(user_model),
        agent=agent_options.own_agent(agent_command, agent_folder, agent_limit),
        composite=options.composite_rule(weights, minimum_quality),
        warmup=warmup,
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
    budget = Budget(usd=options.usd(budget_usd), tokens=budget_tokens) if is_given else None
    resume_run(run_id, budget=budget, fail_on_error=fail_on_error, as_json=json)
