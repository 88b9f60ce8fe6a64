"""What a run is executed with, and how one is created."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from assay.domain.benchmark import Prepared
from assay.domain.errors import EndpointError, InvalidValueError
from assay.domain.event import Event, EventType
from assay.domain.judging import Judging
from assay.domain.pricing import Price
from assay.domain.run import Evaluation, Run, RunId, RunSpec, session_credential
from assay.domain.secret import Secret
from assay.domain.shard import Shard, shards_of
from assay.engine.datasets.files import DatasetShelf, NoShelf
from assay.engine.datasets.lookup import pinned, stocked
from assay.engine.execution.queue import ShardQueue, Ticket
from assay.engine.grading.offload import GradingPool
from assay.engine.identity.vault import NoSessions, NoVault, SessionTokens, Vault
from assay.engine.judging.judges import unpriced, with_prices
from assay.engine.models.quota import Quotas
from assay.engine.models.registry import registered_price
from assay.engine.models.retry import RetryPolicy
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import PlannedBenchmark, new_evaluations, plan_benchmarks
from assay.engine.planning.plan_cache import PlanCache
from assay.engine.ports import Clock, DataLibrary, ModelDirectory
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.stores import Stores
from assay.engine.stores.runs import NewRun

DEFAULT_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Engine:
    """The ports a run needs, wired once per process."""

    stores: Stores
    queue: ShardQueue
    catalogue: Catalogue
    library: DataLibrary
    models: ModelDirectory
    clock: Clock
    pool: GradingPool
    policy: RetryPolicy = RetryPolicy()
    # Of a run that does not say how many.
    connections: int = DEFAULT_CONNECTIONS
    plans: PlanCache = field(default_factory=PlanCache)
    code_version: str = ""
    git_sha: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    shelf: DatasetShelf = field(default_factory=NoShelf)
    sandbox: SelectedSandbox | None = None
    prepared: Prepared | None = None
    vault: Vault = field(default_factory=NoVault)
    sessions: SessionTokens = field(default_factory=NoSessions)
    quotas: Quotas | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for a run; the same idempotency key with the same request asks for the same run.

    With a key of the caller's own, that one is sent to the models, and never the server's.
    """

    owner: str | None = None
    idempotency_key: str | None = None
    request_hash: str | None = None
    api_key: Secret | None = None
    # Where the key is the token of a login, which is renewed there and not stored with the run.
    session_id: str | None = None
    # None is no limit.
    most_active: int | None = None


async def create_run(engine: Engine, spec: RunSpec, caller: Caller | None = None) -> Run:
    """Store a run and queue its shards; raises UsageError where it cannot be run as asked."""
    caller = caller or Caller()
    spec = await pinned(spec, engine.stores.datasets)
    planned = await planned_benchmarks(engine, spec)
    for one in planned:
        engine.plans.put(one)
    prices = await price_snapshot(engine, spec, api_key=caller.api_key)
    credential = _credential(caller)
    spec = replace(spec, judge=await priced_judging(engine, spec), credential=credential)
    run = Run(
        id=RunId(str(uuid4())),
        spec=spec,
        created_at=engine.clock.now(),
        code_version=engine.code_version,
        git_sha=engine.git_sha,
        owner=caller.owner,
        environment=engine.environment,
    )
    endpoints = await _endpoints(engine, spec)
    evaluations = tuple(
        replace(one, endpoint=endpoints[one.model]) for one in new_evaluations(run.id, spec, planned, prices)
    )
    shards = tuple(shard for evaluation in evaluations for shard in shards_of(evaluation))
    message = f"{len(evaluations)} evaluations in {len(shards)} shards"
    new = NewRun(
        run=run,
        evaluations=evaluations,
        shards=shards,
        events=(Event(run.id, EventType.RUN_CREATED, run.created_at, message),),
        idempotency_key=caller.idempotency_key,
        request_hash=caller.request_hash,
        sealed_key=_sealed_key(engine, caller),
        most_active=caller.most_active,
    )
    tickets = tickets_of(run, evaluations, shards)
    return await engine.stores.runs.create(
        new, within=lambda transaction: engine.queue.submit_within(transaction, tickets)
    )


def _credential(caller: Caller) -> str | None:
    if caller.session_id is not None:
        return session_credential(caller.session_id)
    return None if caller.api_key is None else str(uuid4())


def _sealed_key(engine: Engine, caller: Caller) -> bytes | None:
    if caller.api_key is None or caller.session_id is not None:
        return None
    return engine.vault.seal(caller.api_key)


async def planned_benchmarks(engine: Engine, spec: RunSpec) -> tuple[PlannedBenchmark, ...]:
    """What the run will ask, users' data sets included, loaded off the event loop."""
    catalogue = await stocked(
        engine.catalogue, spec.benchmarks, store=engine.stores.datasets, shelf=engine.shelf
    )
    return await asyncio.to_thread(plan_benchmarks, spec, catalogue=catalogue, library=engine.library)


def tickets_of(run: Run, evaluations: Sequence[Evaluation], shards: Sequence[Shard]) -> list[Ticket]:
    models = {evaluation.id: evaluation.model for evaluation in evaluations}
    priority, owner = run.spec.priority, run.owner
    return [Ticket(one.id, one.epoch, models[one.evaluation_id], priority, owner) for one in shards]


async def _endpoints(engine: Engine, spec: RunSpec) -> dict[str, str]:
    """Where each model will answer, for the record."""
    found: dict[str, str] = {}
    for model in spec.models:
        client = engine.models.open(model, base_url=spec.base_url)
        found[model] = client.endpoint
        await client.close()
    return found


async def priced_judging(engine: Engine, spec: RunSpec) -> Judging | None:
    """The run's judges with their prices as of now; a budget in USD needs all of them."""
    if spec.judge is None:
        return None
    priced = await with_prices(spec.judge, engine.models, engine.stores.registry)
    unknown = unpriced(priced)
    if spec.budget.usd is not None and unknown:
        raise InvalidValueError(
            f"the price of the judge {unknown[0]!r} is unknown, so a budget in USD cannot be kept;"
            " give one in tokens instead"
        )
    return priced


async def price_snapshot(
    engine: Engine, spec: RunSpec, *, api_key: Secret | None = None
) -> dict[str, Price | None]:
    """Each model's price as of now; a budget in USD needs all of them."""
    prices: dict[str, Price | None] = {}
    for model in spec.models:
        client = engine.models.open(model, base_url=spec.base_url, api_key=api_key)
        try:
            prices[model] = await client.price()
        except EndpointError:
            # Executing the run will meet the same error and record it as the reason.
            prices[model] = None
        finally:
            await client.close()
        if prices[model] is None and spec.base_url is None:
            prices[model] = await registered_price(engine.stores.registry, model)
        if spec.budget.usd is not None and prices[model] is None:
            raise InvalidValueError(
                f"the price of {model!r} is unknown, so a budget in USD cannot be kept;"
                " give one in tokens instead"
            )
    return prices
