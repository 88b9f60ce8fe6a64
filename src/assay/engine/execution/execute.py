"""Runs the attempts of an evaluation side by side and stores each as it ends."""

from collections.abc import Awaitable, Callable

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item
from assay.domain.run import Evaluation
from assay.engine.execution.perform import Bench, perform
from assay.engine.execution.sink import AttemptWriter
from assay.engine.tasks import task_group

Pending = Callable[[], Awaitable[tuple[Item, int] | None]]
"""Gives the next attempt to make, or None when there is none left."""

Observer = Callable[[Evaluation, Attempt], None]
"""Called with each finished attempt, on the event loop: it must be quick and must not raise."""


async def execute(
    bench: Bench,
    pending: Pending,
    *,
    connections: int,
    writer: AttemptWriter,
    observe: Observer,
) -> None:
    """Work off `pending` with up to `connections` attempts at once.

    Raises EndpointError, BudgetReachedError or StoreError as soon as one attempt meets it; what has been
    answered by then is stored, also when the caller cancels.
    """
    async with writer.open() as sink:

        async def work() -> None:
            while (following := await pending()) is not None:
                item, sample = following
                attempt = await perform(bench, item, sample)
                await sink.put(attempt)
                bench.purse.spend(attempt)
                observe(bench.evaluation, attempt)

        async with task_group() as group:
            for _ in range(connections):
                group.create_task(work())
