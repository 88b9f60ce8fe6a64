"""What graders need beside the reply: other processes, a sandbox, prepared environments."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.domain.benchmark import Benchmark, Embedder, HasEnvironment, Item, Need, Prepared, Services
from assay.domain.datasets.benchmark_file import is_from_file
from assay.domain.datasets.dataset import is_dataset
from assay.domain.programs.containers import Containers
from assay.engine.grading.grade import DirectGrader, Grader
from assay.engine.grading.offload import GradingPool, LongAnswersPooled, PooledGrader
from assay.engine.judging.judges import Judges
from assay.engine.sandbox.selected import SelectedSandbox


@dataclass(frozen=True, slots=True)
class GradingResources:
    pool: GradingPool = field(default_factory=GradingPool)
    sandbox: SelectedSandbox | None = None
    prepared: Prepared | None = None
    containers: Containers | None = None
    embed: Embedder | None = None

    def grader(self, benchmark: Benchmark, *, judges: Judges | None = None) -> Grader:
        if benchmark.card.grading == "heavy":
            return PooledGrader(benchmark, self.pool)
        here = DirectGrader(benchmark, self.services(benchmark), judges=judges)
        # There is neither a judge nor a sandbox in the other process, and nothing that users wrote.
        name = benchmark.card.name
        if benchmark.card.needs or is_dataset(name) or is_from_file(name):
            return here
        return LongAnswersPooled(here, PooledGrader(benchmark, self.pool))

    def services(self, benchmark: Benchmark) -> Services:
        """What its conversations and its grader may use, judges and the user model aside."""
        return Services(
            sandbox=self._sandbox_for(benchmark),
            prepared=self.prepared,
            isolated=self.pool.one_at_a_time(),
            containers=self._containers_for(benchmark),
            embed=self.embed,
        )

    async def check(self, benchmark: Benchmark, items: Sequence[Item]) -> None:
        """Raise if the answers could not be graded here, before the first call is paid for."""
        if benchmark.card.grading == "heavy":
            return
        sandbox = self._sandbox_for(benchmark)
        if sandbox is not None:
            await sandbox.selected()
        containers = self._containers_for(benchmark)
        if containers is not None:
            await containers.check()
        if isinstance(benchmark, HasEnvironment) and self.prepared is not None:
            # In a thread: a machine may have to prepare first what another has.
            await asyncio.to_thread(benchmark.check_prepared, items, self.prepared)

    def _sandbox_for(self, benchmark: Benchmark) -> SelectedSandbox | None:
        return self.sandbox if Need.SANDBOX in benchmark.card.needs else None

    def _containers_for(self, benchmark: Benchmark) -> Containers | None:
        return self.containers if Need.CONTAINERS in benchmark.card.needs else None
