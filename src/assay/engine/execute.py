"""Runs the attempts of an evaluation side by side and stores each as it ends."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import Item
from assay.domain.errors import BudgetReachedError
from assay.domain.run import Budget, Evaluation
from assay.engine.perform import Bench, perform
from assay.engine.ports import RunStore
from assay.engine.sink import AttemptSink
from assay.engine.tasks import task_group

Observer = Callable[[Evaluation, Attempt], None]
"""Called with each finished attempt, on the event loop: it must be quick and must not raise."""


@dataclass(slots=True)
class Purse:
    """What a run has used of its budget, over all its evaluations."""

    budget: Budget
    usd: Decimal = Decimal(0)
    tokens: int = 0

    @property
    def is_limited(self) -> bool:
        return self.budget.usd is not None or self.budget.tokens is not None

    def spend(self, attempt: Attempt) -> None:
        self.usd += attempt.cost_usd or 0
        self.tokens += (attempt.usage.input_tokens or 0) + (attempt.usage.output_tokens or 0)

    def must_last(self) -> None:
        if self.budget.usd is not None and self.usd >= self.budget.usd:
            raise BudgetReachedError(
                f"the budget of {self.budget.usd} USD is used up; raise it and resume the run"
            )
        if self.budget.tokens is not None and self.tokens >= self.budget.tokens:
            raise BudgetReachedError(
                f"the budget of {self.budget.tokens:,} tokens is used up; raise it and resume the run"
            )


async def execute(
    bench: Bench,
    pending: Iterator[tuple[Item, int]],
    *,
    connections: int,
    store: RunStore,
    purse: Purse,
    observe: Observer,
) -> None:
    """Work off `pending` with up to `connections` attempts at once.

    Raises EndpointError, BudgetReachedError or StoreError as soon as one attempt meets it; what has been
    answered by then is stored, also when the caller cancels.
    """
    async with AttemptSink(store) as sink:

        async def work() -> None:
            for item, sample in pending:
                purse.must_last()
                attempt = await perform(bench, item, sample)
                await sink.put(attempt)
                purse.spend(attempt)
                observe(bench.evaluation, attempt)

        async with task_group() as group:
            for _ in range(connections):
                group.create_task(work())


def pending_attempts(
    items: tuple[Item, ...], *, samples: int, stored: set[AttemptKey]
) -> Iterator[tuple[Item, int]]:
    """Every attempt not yet stored, sample by sample, so that a stopped run has whole rounds."""
    return (
        (item, sample)
        for sample in range(samples)
        for item in items
        if AttemptKey(item.id, sample) not in stored
    )
