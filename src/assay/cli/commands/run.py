"""`assay run` and `assay resume`."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import agent_options, completion, options

# What may be given with a suite; everything else stands in the file.
_WITH_SUITES = {"models", "again", "dry_run", "detach", "fail_on_error", "json"}


def run(
    ctx: typer.Context,
    models: Annotated[
        str,
        typer.Argument(
            metavar="MODEL[,MODEL…]|SUITE",
            help="Models, as provider/name; or a suite, in TOML or YAML.",
            autocompletion=completion.models,
        ),
    ],
    benchmarks: Annotated[
        str | None,
        typer.Argument(
            metavar="BENCHMARK[,…]",
            help="Benchmarks, as `assay benchmarks` lists, or dataset:NAME; none with a suite.",
            autocompletion=completion.benchmarks,
        ),
    ] = None,
    *,
    subset: Annotated[int, typer.Option(help="Percent of the items, 1 to 100.")] = 100,
    count: Annotated[
        int | None, typer.Option("--count", "--limit", help="Number of items, instead of a percentage.")
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Which items a subset takes; fixed by default.")] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID[,ID…]", help="Ask only this item, instead of a subset; may be given several times."
        ),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", "--epochs", help="Attempts per item.")] = 1,
    temperature: Annotated[float | None, typer.Option(help="Default: what the benchmark asks for.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Default: what the benchmark asks for.")] = None,
    max_tokens: options.MaxTokens = None,
    reasoning_effort: Annotated[str | None, typer.Option(help="Passed on to the model.")] = None,
    system: options.System = None,
    stop: options.Stop = None,
    model_seed: options.ModelSeed = None,
    option: options.Option = None,
    header: options.Header = None,
    timeout: options.Timeout = None,
    retries: options.Retries = None,
    logprobs: options.Logprobs = False,
    few_shot: options.FewShot = None,
    max_connections: options.MaxConnections = None,
    base_url: options.BaseUrls = None,
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
    reuse: options.Reuse = False,
    stop_when: options.StopWhen = None,
    name: options.Name = "",
    tag: options.Tag = None,
    note: options.Note = "",
    dry_run: options.DryRun = False,
    detach: options.Detach = False,
    fail_on_error: options.FailOnError = None,
    again: Annotated[
        bool, typer.Option("--again", help="With a suite: ask what is stored already, too.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Run benchmarks against models and store an honest score."""
    from assay.cli.actions.datasets.hub_rows import HubColumns, added_from_hub
    from assay.cli.actions.run_once import dry, execute, submit
    from assay.domain.errors import InvalidValueError
    from assay.domain.run import Budget, Description, RunSpec

    if fail_on_error is not None and (dry_run or detach):
        raise InvalidValueError("--fail-on-error needs the result: leave out --detach and --dry-run")
    if benchmarks is None:
        _run_suite(
            ctx, models, again=again, dry_run=dry_run, detach=detach, fail_on_error=fail_on_error, json=json
        )
        return
    if again:
        raise InvalidValueError("--again is for suites: without one everything is asked")
    further = options.further_settings(
        system=system,
        stop=stop,
        model_seed=model_seed,
        option=option,
        timeout=timeout,
        retries=retries,
        logprobs=logprobs,
    )
    shared_url, endpoints = options.base_urls(base_url)
    grading = options.default_grader(grader)
    columns = HubColumns(prompt_field, answer_field, *grading, config, split, revision)
    spec = RunSpec(
        models=options.names(models),
        benchmarks=added_from_hub(options.benchmark_names(benchmarks), columns),
        subset=options.subset(subset, count, seed),
        items=options.item_ids(item),
        samples=samples,
        generation=options.generation(
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            reasoning_effort=reasoning_effort,
            further=further,
        ),
        headers=options.headers(header),
        few_shot=few_shot,
        endpoints=endpoints,
        data=options.absolute(data),
        max_connections=max_connections,
        budget=Budget(usd=options.usd(budget_usd), tokens=budget_tokens),
        base_url=shared_url,
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
        reuse=reuse,
        stop=options.stop_when(stop_when),
    )
    description = Description.of(name, note, tag or ())
    if dry_run:
        dry(spec, as_json=json)
    elif detach:
        submit(spec, description, as_json=json)
    else:
        execute(spec, description, fail_on_error=fail_on_error, as_json=json)


def _run_suite(
    ctx: typer.Context,
    file: str,
    *,
    again: bool,
    dry_run: bool,
    detach: bool,
    fail_on_error: float | None,
    json: bool,
) -> None:
    from assay.cli.actions.suites.execute import dry_suite, run_suite
    from assay.cli.actions.suites.layout import Wanted
    from assay.cli.actions.suites.submit import submit_suite
    from assay.domain.errors import InvalidValueError

    if not file.lower().endswith((".toml", ".yaml", ".yml")):
        raise InvalidValueError(
            f"no benchmark is named: write assay run {file} BENCHMARK, or give a suite in TOML or YAML"
        )
    # Typer brings the class of sources along under a private name.
    given = {name for name in ctx.params if str(ctx.get_parameter_source(name)).endswith(".COMMANDLINE")}
    if beside := sorted(given - _WITH_SUITES):
        option = "--" + beside[0].replace("_", "-")
        raise InvalidValueError(f"{option} cannot be given with a suite: write it into {file!r}")
    wanted = Wanted(Path(file), again=again, as_json=json, fail_on_error=fail_on_error)
    if dry_run:
        dry_suite(wanted)
    elif detach:
        submit_suite(wanted)
    else:
        run_suite(wanted)


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
