"""From the request of a caller to the specification of a run."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from assay.api.dependencies import ApiServices
from assay.api.errors import invalid, invalid_fields
from assay.api.runs.model_names import (
    models_of,
    registered_name,
    require_known_models,
    with_registered_names,
)
from assay.api.schemas.fields import FieldProblem
from assay.api.schemas.run_request import (
    AgentConfig,
    JudgeConfig,
    RunConfig,
    RunRequest,
    parsed_judging,
)
from assay.api.schemas.stop_config import StopConfig
from assay.domain.agent import OwnAgent
from assay.domain.benchmark import ItemId, Need
from assay.domain.benchmark_names import own_name
from assay.domain.calls.messages import Generation
from assay.domain.datasets.dataset import is_dataset
from assay.domain.errors import InvalidValueError, NeedsSetupError, UnknownNameError
from assay.domain.json_value import digest
from assay.domain.judging import Judging
from assay.domain.run import DEFAULT_SEED, Budget, ModelEndpoint, RunSpec, Subset
from assay.domain.stopping import StopRule
from assay.engine.planning.catalogue import Catalogue

_IFBENCH = "ifbench"


def request_hash(request: RunRequest) -> str:
    return digest(request.model_dump(mode="json"))


async def run_spec(request: RunRequest, services: ApiServices) -> RunSpec:
    """Raises UnknownNameError for a model, and a problem that names the field for anything else."""
    config = request.config or RunConfig()
    models = models_of(await with_registered_names(request, services), services)
    await require_known_models(models, services.models)
    _require_allowed_addresses(config, models, services)
    judging = await checked_judging(config.judge, services)
    user_model = await checked_judging(config.user_model, services, field="user_model")
    agent = None if config.agent is None else _agent(config.agent, services)
    needed = {Need.JUDGE: judging, Need.USER_MODEL: user_model}
    missing = frozenset(need for need, given in needed.items() if given is None)
    return RunSpec(
        models=tuple(models),
        benchmarks=tuple(_benchmarks(request, services.catalogue, missing=missing)),
        subset=Subset(request.subset_pct, request.subset_count, request.subset_seed or DEFAULT_SEED),
        samples=request.samples,
        generation=_generation(config),
        few_shot=config.few_shot,
        endpoints={model: ModelEndpoint(base_url=url) for model, url in config.base_urls.items()},
        data=config.data,
        max_connections=config.max_connections,
        budget=Budget(
            usd=None if config.budget_usd is None else Decimal(str(config.budget_usd)),
            tokens=config.budget_tokens,
        ),
        base_url=config.base_url,
        judge=judging,
        user_model=user_model,
        agent=agent,
        priority=request.priority,
        items=tuple(map(ItemId, dict.fromkeys(request.items))),
        composite=config.composite(),
        warmup=config.warmup,
        reuse=config.reuse,
        stop=None if request.stop is None else _stop(request.stop, len(set(models))),
    )


def _require_allowed_addresses(config: RunConfig, models: Sequence[str], services: ApiServices) -> None:
    if stray := config.base_urls.keys() - set(models):
        raise invalid("config.base_urls", f"{min(stray)!r} is no model of this run")
    for model in models:
        base_url = config.base_urls.get(model, config.base_url)
        if base_url is not None:
            services.endpoints.require_allowed(model, base_url)


def _generation(config: RunConfig) -> Generation:
    try:
        return config.generation()
    except InvalidValueError as error:
        raise invalid("config.options", error.message) from error


def _stop(stop: StopConfig, models: int) -> StopRule:
    try:
        rule = stop.rule()
        rule.require_models(models)
    except InvalidValueError as error:
        raise invalid("stop", error.message) from error
    return rule


def _agent(config: AgentConfig, services: ApiServices) -> OwnAgent:
    try:
        return config.agent(services.agents)
    except InvalidValueError as error:
        raise invalid("config.agent", error.message) from error


async def checked_judging(
    judge: JudgeConfig | str | None, services: ApiServices, *, field: str = "judge"
) -> Judging | None:
    """The judges, or the user model, that a caller names; raises as `run_spec` does."""
    judging = parsed_judging(judge)
    if judging is None:
        return None
    if judging.base_url is None:
        names = [await registered_name(name, services, field=field) for name in judging.models]
        judging = replace(judging, models=tuple(names))
    await require_known_models(judging.models, services.models)
    if judging.base_url is not None:
        for model in judging.models:
            services.endpoints.require_allowed(model, judging.base_url)
    return judging


def _benchmarks(request: RunRequest, catalogue: Catalogue, *, missing: frozenset[Need]) -> list[str]:
    requested = request.requested_benchmarks
    if requested is None:
        every = [
            one.card.name for one in catalogue if ":" not in one.card.name and not missing & one.card.needs
        ]
        if not every:
            raise invalid("selected_benchmarks", "no benchmark is installed")
        return every
    field = "selected_benchmarks" if request.selected_benchmarks else "benchmark_names"
    names: list[str] = []
    wrong: list[FieldProblem] = []
    for position, name in enumerate(requested):
        try:
            names.append(_benchmark(name.strip(), catalogue))
        except (UnknownNameError, NeedsSetupError) as error:
            wrong.append(FieldProblem(field=f"{field}.{position}", message=error.message))
    if wrong:
        raise invalid_fields(wrong)
    return list(dict.fromkeys(names))


def _benchmark(name: str, catalogue: Catalogue) -> str:
    if name in catalogue.names or is_dataset(name):
        return name
    name = own_name(name.lower())
    if name == _IFBENCH and _IFBENCH not in catalogue.names:
        raise UnknownNameError(
            "benchmark",
            name,
            remedy="IFBench is not installed and is not the same as IFEval, which is 'ifeval'",
        )
    return catalogue.get(name).card.name
