"""What a run is executed with, and how one is created."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from assay.domain.errors import EndpointError, InvalidValueError
from assay.domain.event import Event, EventType
from assay.domain.pricing import Price
from assay.domain.run import Evaluation, Run, RunId, RunSpec
from assay.domain.shard import Shard, shards_of
from assay.engine.catalogue import Catalogue
from assay.engine.fleet import FleetStore, NewRun
from assay.engine.offload import GradingPool
from assay.engine.plan import new_evaluations, plan_benchmarks
from assay.engine.plan_cache import PlanCache
from assay.engine.ports import Clock, DataLibrary, ModelDirectory
from assay.engine.queue import ShardQueue, Ticket
from assay.engine.retry import RetryPolicy

DEFAULT_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Engine:
    """The ports a run needs, wired once per process."""

    store: FleetStore
    queue: ShardQueue
    catalogue: Catalogue
    library: DataLibrary
    models: ModelDirectory
    clock: Clock
    pool: GradingPool
    policy: RetryPolicy = RetryPolicy()
    plans: PlanCache = field(default_factory=PlanCache)
    code_version: str = ""
    git_sha: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for a run; the same idempotency key with the same request asks for the same run."""

    owner: str | None = None
    idempotency_key: str | None = None
    request_hash: str | None = None


async def create_run(engine: Engine, spec: RunSpec, caller: Caller | None = None) -> Run:
    """Store a run and queue its shards; raises UsageError where it cannot be run as asked."""
    caller = caller or Caller()
    planned = await asyncio.to_thread(
        plan_benchmarks, spec, catalogue=engine.catalogue, library=engine.library
    )
    for one in planned:
        engine.plans.put(one)
    prices = await price_snapshot(engine, spec)
    run = Run(
        id=RunId(str(uuid4())),
        spec=spec,
        created_at=engine.clock.now(),
        code_version=engine.code_version,
        git_sha=engine.git_sha,
        owner=caller.owner,
    )
    evaluations = new_evaluations(run.id, spec, planned, prices)
    shards = tuple(shard for evaluation in evaluations for shard in shards_of(evaluation))
    message = f"{len(evaluations)} evaluations in {len(shards)} shards"
    new = NewRun(
        run=run,
        evaluations=evaluations,
        shards=shards,
        events=(Event(run.id, EventType.RUN_CREATED, run.created_at, message),),
        idempotency_key=caller.idempotency_key,
        request_hash=caller.request_hash,
    )
    tickets = tickets_of(run, evaluations, shards)
    return await engine.store.create(
        new, within=lambda transaction: engine.queue.submit_within(transaction, tickets)
    )


def tickets_of(run: Run, evaluations: Sequence[Evaluation], shards: Sequence[Shard]) -> list[Ticket]:
    models = {evaluation.id: evaluation.model for evaluation in evaluations}
    return [Ticket(shard.id, shard.epoch, models[shard.evaluation_id], run.spec.priority) for shard in shards]


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
