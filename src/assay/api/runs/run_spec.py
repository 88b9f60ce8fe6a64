"""From what a caller asks for to what will be run."""

from collections.abc import Iterable
from decimal import Decimal
from http import HTTPStatus

from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError, invalid, invalid_fields
from assay.api.runs.registered_names import with_registered_names
from assay.api.schemas.problem import FieldProblem
from assay.api.schemas.run_request import JudgeConfig, RunConfig, RunRequest, asked_judging
from assay.domain.benchmark import Need
from assay.domain.canonical import digest
from assay.domain.errors import UnknownNameError
from assay.domain.judging import Judging
from assay.domain.messages import Generation
from assay.domain.run import DEFAULT_SEED, Budget, RunSpec, Subset
from assay.engine.datasets.benchmark import is_dataset
from assay.engine.execution.engine import Engine
from assay.engine.planning.catalogue import Catalogue

_GENERIC = "openai-api"
_SIMULATED = "sim"
_IFBENCH = "ifbench"
_IFBENCH_SPELLINGS = frozenset({_IFBENCH, "if_bench", "if-bench"})


def request_hash(request: RunRequest) -> str:
    return digest(request.model_dump(mode="json"))


async def asked_run(request: RunRequest, services: ApiServices) -> RunSpec:
    """Raises UnknownNameError for a model, and a problem that names the field for all else."""
    config = request.config or RunConfig()
    models = models_of(await with_registered_names(request, services), services)
    await must_be_known(models, services.engine)
    if config.base_url is not None:
        for model in models:
            services.endpoints.must_allow(model, config.base_url)
    judging = await allowed_judging(config.judge, services)
    return RunSpec(
        models=tuple(models),
        benchmarks=tuple(_benchmarks(request, services.catalogue, has_judge=judging is not None)),
        subset=Subset(request.subset_pct, request.subset_count, request.subset_seed or DEFAULT_SEED),
        samples=request.samples,
        generation=Generation(
            temperature=config.temperature,
            top_p=config.top_p,
            max_tokens=config.max_tokens,
            reasoning_effort=config.reasoning_effort,
        ),
        data=config.data,
        max_connections=config.max_connections,
        budget=Budget(
            usd=None if config.budget_usd is None else Decimal(str(config.budget_usd)),
            tokens=config.budget_tokens,
        ),
        base_url=config.base_url,
        judge=judging,
        priority=request.priority,
    )


async def allowed_judging(judge: JudgeConfig | str | None, services: ApiServices) -> Judging | None:
    """The judges that a caller names; raises as for a model that is unknown or may not be sent elsewhere."""
    judging = asked_judging(judge)
    if judging is None:
        return None
    await must_be_known(judging.models, services.engine)
    if judging.base_url is not None:
        for model in judging.models:
            services.endpoints.must_allow(model, judging.base_url)
    return judging


def must_be_of_one_provider(request: RunRequest, services: ApiServices) -> None:
    """A caller's key is sent to whoever the models belong to, and must not reach anybody else."""
    providers = providers_of(request, services)
    if len(providers) > 1:
        raise invalid(
            "models",
            f"the key would be sent to {' and to '.join(map(repr, sorted(providers)))};"
            " start one run for each provider",
        )


def providers_of(request: RunRequest, services: ApiServices) -> set[str]:
    return {_provider(model) for model in models_of(request, services)} - {_SIMULATED}


def _provider(model: str) -> str:
    prefix, _, rest = model.partition("/")
    return f"{prefix}/{rest.partition('/')[0]}" if prefix == _GENERIC else prefix


def models_of(request: RunRequest, services: ApiServices) -> list[str]:
    """As runs name them; raises a problem for a provider that is unknown or contradicts a name."""
    known = {one.prefix.partition("/")[0] for one in services.directory.providers()} | {_GENERIC}
    names = [_model(name.strip(), request.provider, known) for name in request.asked_models]
    return list(dict.fromkeys(names))


def _model(name: str, provider: str | None, known: set[str]) -> str:
    if provider is None:
        return name
    wanted = provider.strip().lower()
    prefix = name.partition("/")[0]
    if prefix == wanted:
        return name
    if wanted.partition("/")[0] not in known:
        raise _wrong_provider(f"provider {wanted!r} is unknown; there are {', '.join(sorted(known))}")
    if prefix in known:
        raise _wrong_provider(
            f"{name!r} names the provider {prefix!r}; if {wanted!r} is meant, write {wanted}/{name!s}"
        )
    return f"{wanted}/{name}"


def _wrong_provider(detail: str) -> ProblemError:
    return ProblemError(HTTPStatus.BAD_REQUEST, detail, code="wrong-provider")


async def must_be_known(models: Iterable[str], engine: Engine) -> None:
    """Before any data is loaded: a name that means nothing is the first thing to say."""
    for model in models:
        client = engine.models.open(model)
        await client.close()


def _benchmarks(request: RunRequest, catalogue: Catalogue, *, has_judge: bool) -> list[str]:
    asked = request.asked_benchmarks
    if asked is None:
        every = [
            one.card.name
            for one in catalogue
            if ":" not in one.card.name and (has_judge or Need.JUDGE not in one.card.needs)
        ]
        if not every:
            raise invalid("selected_benchmarks", "no benchmark is installed")
        return every
    field = "selected_benchmarks" if request.selected_benchmarks else "benchmark_names"
    names: list[str] = []
    wrong: list[FieldProblem] = []
    for place, name in enumerate(asked):
        try:
            names.append(_benchmark(name.strip(), catalogue))
        except UnknownNameError as error:
            wrong.append(FieldProblem(field=f"{field}.{place}", message=error.message))
    if wrong:
        raise invalid_fields(wrong)
    return list(dict.fromkeys(names))


def _benchmark(name: str, catalogue: Catalogue) -> str:
    if name in catalogue.names or is_dataset(name):
        return name
    name = name.lower()
    if name in _IFBENCH_SPELLINGS:
        name = _IFBENCH
        if _IFBENCH not in catalogue.names:
            raise UnknownNameError(
                "benchmark",
                name,
                remedy="IFBench is not installed and is not the same as IFEval, which is 'ifeval'",
            )
    return catalogue.get(name).card.name
