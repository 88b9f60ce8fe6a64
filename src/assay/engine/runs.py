"""What a run is executed with, and how one is created."""

from dataclasses import dataclass, field
from uuid import uuid4

from assay.domain.errors import EndpointError, InvalidValueError
from assay.domain.event import Event, EventType
from assay.domain.pricing import Price
from assay.domain.run import Run, RunId, RunSpec
from assay.engine.catalogue import Catalogue
from assay.engine.limiter import AdaptiveLimiter
from assay.engine.offload import GradingPool
from assay.engine.plan import PlannedBenchmark, new_evaluations, plan_benchmarks
from assay.engine.ports import Clock, DataLibrary, ModelClient, ModelDirectory, RunStore
from assay.engine.retry import RetryPolicy

DEFAULT_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Engine:
    """The ports a run needs, wired once per process."""

    store: RunStore
    catalogue: Catalogue
    library: DataLibrary
    models: ModelDirectory
    clock: Clock
    pool: GradingPool
    policy: RetryPolicy = RetryPolicy()
    code_version: str = ""
    git_sha: str | None = None
    limiters: dict[str, AdaptiveLimiter] = field(default_factory=dict[str, AdaptiveLimiter])

    def limiter(self, client: ModelClient, connections: int) -> AdaptiveLimiter:
        """One per endpoint, shared by every evaluation that talks to it."""
        if client.endpoint not in self.limiters:
            self.limiters[client.endpoint] = AdaptiveLimiter(self.clock, maximum=connections)
        return self.limiters[client.endpoint]


async def create_run(
    engine: Engine, spec: RunSpec, planned: tuple[PlannedBenchmark, ...] | None = None
) -> Run:
    """Store a run with its evaluations; raises UsageError where it cannot be run as asked."""
    if planned is None:
        planned = plan_benchmarks(spec, catalogue=engine.catalogue, library=engine.library)
    prices = await price_snapshot(engine, spec)
    run = Run(
        id=RunId(str(uuid4())),
        spec=spec,
        created_at=engine.clock.now(),
        code_version=engine.code_version,
        git_sha=engine.git_sha,
    )
    evaluations = new_evaluations(run.id, spec, planned, prices)
    created = Event(run.id, EventType.RUN_CREATED, run.created_at, f"{len(evaluations)} evaluations planned")
    await engine.store.add_run(run, evaluations, [created])
    return run


async def price_snapshot(engine: Engine, spec: RunSpec) -> dict[str, Price | None]:
    """Each model's price as of now; a budget in USD needs all of them."""
    prices: dict[str, Price | None] = {}
    for model in spec.models:
        client = engine.models.open(model, base_url=spec.base_url)
        try:
            prices[model] = await client.price()
        except EndpointError:
            # Executing the run will meet the same error and record it as the reason.
            prices[model] = None
        finally:
            await client.close()
        if spec.budget.usd is not None and prices[model] is None:
            raise InvalidValueError(
                f"the price of {model!r} is unknown, so a budget in USD cannot be kept;"
                " give one in tokens instead"
            )
    return prices
