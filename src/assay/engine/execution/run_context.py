"""What the shards of one run share in this process: clients, judges, limiters and the budget."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.domain.access.secret import Secret
from assay.domain.benchmark import Need
from assay.domain.errors import EndpointUnreachableError
from assay.domain.judging import Judging
from assay.domain.run import Budget, Evaluation, EvaluationId, Run, RunId
from assay.engine.execution.attempt import Halt
from assay.engine.execution.budget import BudgetTracker
from assay.engine.execution.stopping import Stopping
from assay.engine.execution.warm_up import WarmUps
from assay.engine.identity.credentials import Credentials
from assay.engine.judging.judges import Judges, open_judges
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.limits import CallLimits
from assay.engine.models.traffic import Traffic
from assay.engine.ports import Clock, ModelClient, ModelDirectory, open_model
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.events import EventStore
from assay.engine.stores.runs import RunStore


@dataclass(frozen=True, slots=True)
class RunParts:
    """The parts of the engine that a run context uses.

    `first_connections` limits a run's calls to an endpoint until somebody sets its limiter's maximum.
    """

    runs: RunStore
    attempts: AttemptStore
    events: EventStore
    models: ModelDirectory
    credentials: Credentials
    limits: CallLimits
    clock: Clock
    first_connections: Callable[[RunId], int] | None = None


@dataclass(slots=True)
class RunContext:
    """Created with the first shard of a run that is executed here, closed with the last.

    A key of the caller's own leaves the process when its context is closed.
    """

    run_id: RunId
    parts: RunParts
    stopping: Stopping
    budget: BudgetTracker = field(default_factory=lambda: BudgetTracker(Budget()))
    limiters: dict[str, AdaptiveLimiter] = field(default_factory=dict[str, AdaptiveLimiter])
    traffics: dict[EvaluationId, Traffic] = field(default_factory=dict[EvaluationId, Traffic])
    halts: dict[EvaluationId, Halt] = field(default_factory=dict[EvaluationId, Halt])
    _clients: dict[tuple[str, Secret | None], ModelClient] = field(
        default_factory=dict[tuple[str, Secret | None], ModelClient]
    )
    _checked: set[EvaluationId] = field(default_factory=set[EvaluationId])
    # Judges, and the model that plays the user, by label and address.
    _others: dict[tuple[str, str | None], Judges] = field(
        default_factory=dict[tuple[str, str | None], Judges]
    )
    _checked_others: set[tuple[str, str | None, frozenset[Need]]] = field(
        default_factory=set[tuple[str, str | None, frozenset[Need]]]
    )
    warm_ups: WarmUps = field(init=False)

    def __post_init__(self) -> None:
        self.warm_ups = WarmUps(self.run_id, self.parts.events)

    async def client(self, run: Run, evaluation: Evaluation, needs: frozenset[Need]) -> ModelClient:
        """The client of the evaluation's model; raises EndpointError if no call to it could succeed."""
        # The token of a login is renewed now and then, and a renewed one needs another client.
        key = (evaluation.model, await self.parts.credentials.own_key(run))
        if key not in self._clients:
            self._clients[key] = open_model(self.parts.models, run.spec, evaluation.model, api_key=key[1])
        client = self._clients[key]
        # The model of a baseline may be gone: its answers are there.
        if evaluation.id not in self._checked and not run.spec.is_baseline(evaluation.model):
            await self._check(client, evaluation, needs)
            self._checked.add(evaluation.id)
        return client

    async def judges(
        self, judging: Judging | None, connections: int, needs: frozenset[Need] = frozenset()
    ) -> Judges | None:
        """The judges, or the model that plays the user; raises EndpointError if one cannot be asked."""
        if judging is None:
            return None
        key = judging.label, judging.base_url
        if key not in self._others:
            self._others[key] = open_judges(
                judging,
                self.parts.models,
                clock=self.parts.clock,
                limiter_of=lambda client: self.limiter(client.endpoint, connections),
                retries=self.parts.limits.retries,
            )
        if (*key, needs) not in self._checked_others:
            await self._others[key].check(needs)
            self._checked_others.add((*key, needs))
        return self._others[key]

    def limiter(self, endpoint: str, connections: int) -> AdaptiveLimiter:
        if endpoint not in self.limiters:
            first = self.parts.first_connections
            maximum = connections if first is None else min(connections, first(self.run_id))
            self.limiters[endpoint] = self.parts.limits.limiter(
                endpoint, clock=self.parts.clock, maximum=maximum
            )
        return self.limiters[endpoint]

    def traffic(self, evaluation_id: EvaluationId, endpoint: str, connections: int) -> Traffic:
        limiter = self.limiter(endpoint, connections)
        return self.traffics.setdefault(evaluation_id, Traffic(limiter, endpoint))

    def halt(self, evaluation_id: EvaluationId) -> Halt:
        return self.halts.setdefault(evaluation_id, Halt())

    async def set_budget(self, budget: Budget) -> None:
        self.budget.budget = budget
        await self.refresh_budget()

    async def refresh_budget(self) -> None:
        """Count what other workers have spent of the run's budget."""
        if self.budget.is_limited:
            self.budget.include(await self.parts.attempts.spent(self.run_id))

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        for others in self._others.values():
            await others.close()

    async def _check(self, client: ModelClient, evaluation: Evaluation, needs: frozenset[Need]) -> None:
        """An endpoint that has answered before may be away for a while: the calls wait for it."""
        try:
            await client.check(needs)
        except EndpointUnreachableError:
            if not await self._has_answered(evaluation):
                raise

    async def _has_answered(self, evaluation: Evaluation) -> bool:
        """Whether any attempt of the run that asked the same endpoint has an answer."""
        run_id = self.run_id
        counts = await self.parts.attempts.outcome_counts([run_id])
        return any(
            outcome.is_final
            for one in (await self.parts.runs.evaluations_of([run_id]))[run_id]
            if one.endpoint == evaluation.endpoint
            for outcome in counts.get(one.id, {})
        )
