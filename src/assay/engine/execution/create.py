"""Creates a run: its evaluations and shards are stored and queued in one transaction."""

from dataclasses import dataclass, replace
from uuid import uuid4

from assay.domain.access.secret import Secret
from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointError, InvalidValueError
from assay.domain.event import Event, EventType
from assay.domain.judging import Judging
from assay.domain.run import Description, Run, RunId, RunSpec, session_credential
from assay.domain.shard import shards_of, waves_of
from assay.domain.stats import plural
from assay.engine.execution.engine import Engine
from assay.engine.execution.lifecycle import tickets_of
from assay.engine.execution.reuse import require_reusable, require_same_baseline
from assay.engine.identity.credentials import Vault
from assay.engine.judging.judges import unpriced, with_prices
from assay.engine.models.registry import registered_price
from assay.engine.planning.plan import new_evaluations
from assay.engine.ports import ModelDirectory, open_model
from assay.engine.stores.registry import ModelRegistry
from assay.engine.stores.runs import NewRun


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for a run; the same idempotency key with the same request returns the same run.

    A key of the caller's own is sent to the models in place of the server's.
    """

    owner: str | None = None
    idempotency_key: str | None = None
    request_hash: str | None = None
    api_key: Secret | None = None
    # Set if the key is the token of a login, which is renewed there and not stored with the run.
    session_id: str | None = None
    # None means no limit.
    most_active: int | None = None


async def create_run(
    engine: Engine, spec: RunSpec, caller: Caller | None = None, *, description: Description | None = None
) -> Run:
    """Store a run and queue its shards; raises UsageError if it cannot be run as specified."""
    caller = caller or Caller()
    models, registry = engine.models, engine.stores.registry
    # First: nobody should fetch data for a model whose name is misspelt.
    endpoints = await _endpoints(spec, models, api_key=caller.api_key)
    spec = await engine.planner.resolved(spec)
    planned = await engine.planner.plan(spec)
    require_reusable(spec, planned)
    for one in planned:
        engine.planner.cache.put(one)
    prices = await price_snapshot(spec, models, registry, api_key=caller.api_key)
    judging, user_model = [
        await priced_judging(spec, other, models, registry) for other in (spec.judge, spec.user_model)
    ]
    spec = replace(
        spec,
        judge=judging,
        user_model=user_model,
        credential=_credential(caller),
        item_order="draw" if spec.stop is None else "draw_together",
    )
    run = Run(
        id=RunId(str(uuid4())),
        spec=spec,
        created_at=engine.clock.now(),
        code_version=engine.provenance.code_version,
        git_sha=engine.provenance.git_sha,
        owner=caller.owner,
        environment=engine.provenance.environment,
        description=description or Description(),
    )
    evaluations = tuple(
        replace(one, endpoint=endpoints[one.model]) for one in new_evaluations(run.id, spec, planned, prices)
    )
    await require_same_baseline(spec, evaluations, engine.stores.runs)
    connections = spec.max_connections or engine.limits.connections
    shards = tuple(
        shard
        for evaluation in evaluations
        for shard in (
            shards_of(evaluation) if spec.stop is None else waves_of(evaluation, connections=connections)
        )
    )
    message = f"{plural(len(evaluations), 'evaluation')} in {plural(len(shards), 'shard')}"
    new = NewRun(
        run=run,
        evaluations=evaluations,
        shards=shards,
        events=(Event(run.id, EventType.RUN_CREATED, run.created_at, message),),
        idempotency_key=caller.idempotency_key,
        request_hash=caller.request_hash,
        sealed_key=_sealed_key(caller, engine.credentials.vault),
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


def _sealed_key(caller: Caller, vault: Vault) -> bytes | None:
    if caller.api_key is None or caller.session_id is not None:
        return None
    return vault.seal(caller.api_key)


async def _endpoints(
    spec: RunSpec, models: ModelDirectory, *, api_key: Secret | None = None
) -> dict[str, str]:
    """The endpoint of each model, for the record."""
    found: dict[str, str] = {}
    for model in spec.models:
        client = open_model(models, spec, model, api_key=api_key)
        found[model] = client.endpoint
        await client.close()
    return found


async def priced_judging(
    spec: RunSpec, judging: Judging | None, models: ModelDirectory, registry: ModelRegistry
) -> Judging | None:
    """The run's judges, or the model that plays the user, with current prices; a budget in USD needs all."""
    if judging is None:
        return None
    priced = await with_prices(judging, models, registry)
    unknown = unpriced(priced)
    if spec.budget.usd is not None and unknown:
        raise InvalidValueError(
            f"the price of {unknown[0]!r} is unknown, so a budget in USD cannot be kept;"
            " give one in tokens instead"
        )
    return priced


async def price_snapshot(
    spec: RunSpec, models: ModelDirectory, registry: ModelRegistry, *, api_key: Secret | None = None
) -> dict[str, Price | None]:
    """The current price of each model; a budget in USD needs all of them."""
    prices: dict[str, Price | None] = {}
    for model in spec.models:
        client = open_model(models, spec, model, api_key=api_key)
        try:
            prices[model] = await client.price()
        except EndpointError:
            # Executing the run will meet the same error and record it as the reason.
            prices[model] = None
        finally:
            await client.close()
        endpoint = spec.endpoint_of(model)
        if prices[model] is None and endpoint.base_url is None:
            prices[model] = await registered_price(registry, model)
        prices[model] = prices[model] or endpoint.price
        if _has_limit_in_usd(spec) and prices[model] is None:
            raise InvalidValueError(
                f"the price of {model!r} is unknown, so a budget in USD cannot be kept;"
                " give one in tokens instead, or the price"
            )
    return prices


def _has_limit_in_usd(spec: RunSpec) -> bool:
    return spec.budget.usd is not None or (spec.agent is not None and spec.agent.limits.usd is not None)
