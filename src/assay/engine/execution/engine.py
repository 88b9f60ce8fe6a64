"""The parts that create and execute runs, wired once per process."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.engine.datasets.uploads import DatasetUploads
from assay.engine.execution.lifecycle import RunLifecycle
from assay.engine.execution.queue import ShardQueue
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials
from assay.engine.judging.judges import JudgeDirectory
from assay.engine.models.limits import CallLimits
from assay.engine.planner import Planner
from assay.engine.ports import Clock, ModelDirectory
from assay.engine.reviews.regrade import Regrader
from assay.engine.reviews.review import GradingComparison
from assay.engine.stores import Stores


@dataclass(frozen=True, slots=True)
class Provenance:
    """The code that runs are created with, and the system it runs on."""

    code_version: str = ""
    git_sha: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Engine:
    """What the API, the command line and the workers share."""

    stores: Stores
    queue: ShardQueue
    models: ModelDirectory
    clock: Clock
    planner: Planner
    grading: GradingResources
    credentials: Credentials
    limits: CallLimits = CallLimits()
    provenance: Provenance = Provenance()
    # Models that are functions of this program.
    functions: frozenset[str] = frozenset()

    @property
    def lifecycle(self) -> RunLifecycle:
        stores = self.stores
        return RunLifecycle(
            runs=stores.runs,
            shards=stores.shards,
            attempts=stores.attempts,
            steps=stores.steps,
            events=stores.events,
            reviews=stores.reviews,
            queue=self.queue,
            clock=self.clock,
            functions=self.functions,
        )

    @property
    def judges(self) -> JudgeDirectory:
        return JudgeDirectory(self.models, self.stores.registry, self.clock, self.limits)

    @property
    def uploads(self) -> DatasetUploads:
        stores = self.stores
        files = self.planner.dataset_files
        # What a data set is used by is kept, whoever asks for its removal.
        runs = stores.runs.seen_by(None)
        return DatasetUploads(runs, stores.datasets, files, self.clock, self.grading.pool)

    @property
    def regrader(self) -> Regrader:
        return Regrader(
            planner=self.planner,
            grading=self.grading,
            judges=self.judges,
            attempts=self.stores.attempts,
            reviews=self.stores.reviews,
            clock=self.clock,
        )

    @property
    def grading_comparison(self) -> GradingComparison:
        return GradingComparison(self.stores.attempts, self.stores.reviews)
