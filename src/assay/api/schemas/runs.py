"""Runs as responses, in the contract of the bench runner extended to several models."""

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import BaseModel, Field

from assay.api.schemas.evaluations import Evaluation, EvaluationDetail, Progress, usd
from assay.api.schemas.fields import BenchmarkName, FreeText, Moment, Schema, Seconds, StoredMessage
from assay.api.schemas.run_settings import RunSettings, StopSettings
from assay.domain import run
from assay.domain.access.visibility import Visibility
from assay.domain.run import AuthMode, OverallScore, State, Subset, overall_score
from assay.engine.fleet.queue_estimate import UNKNOWN, Outlook
from assay.engine.results.contract_metrics import contract_metrics
from assay.engine.stores.runs import RunOrder, StoredRun

ContractStatus = Literal["pending", "running", "succeeded", "failed", "skipped", "needs_setup"]

_CONTRACT_STATUS: Mapping[State, ContractStatus] = {
    State.QUEUED: "pending",
    State.PAUSED: "pending",
    State.RUNNING: "running",
    State.SUCCEEDED: "succeeded",
    State.FAILED: "failed",
    State.CANCELED: "skipped",
}


class RunBenchmark(Schema):
    """An evaluation with the names of the contract; items are counted once per sample."""

    id: str
    benchmark_name: str
    model: FreeText
    status: ContractStatus = Field(
        description="`skipped` means canceled; `needs_setup`, that data, a package or a sandbox is missing"
    )
    total_items: int
    completed_items: int
    sampled_items: int
    score: float | None
    metrics: Mapping[str, int | float | FreeText | None] = Field(
        description="`accuracy`, `correct`, `score`, `total_items`, `sampled_items`, `sampled_pct`,"
        " `subset_count`, `subset_seed` and the benchmark's own; empty until there is a summary"
    )
    error_message: StoredMessage | None
    started_at: Moment | None
    completed_at: Moment | None

    @classmethod
    def of(cls, evaluation: run.Evaluation, subset: Subset, *, completed: int) -> Self:
        found = evaluation.summary
        return cls(
            id=evaluation.id,
            benchmark_name=evaluation.benchmark,
            model=evaluation.model,
            status="needs_setup" if evaluation.needs_setup else _CONTRACT_STATUS[evaluation.state],
            total_items=evaluation.benchmark_size,
            completed_items=completed,
            sampled_items=evaluation.total_attempts,
            score=found.score.value if found and found.score else None,
            metrics=contract_metrics(evaluation, found, subset) if found else {},
            error_message=evaluation.error,
            started_at=evaluation.started_at,
            completed_at=evaluation.finished_at,
        )


class RunFields(Schema):
    """A run without its evaluations."""

    id: str
    model_id: FreeText = Field(description="Several models are separated by commas; see `models`")
    model_slug: FreeText
    provider: FreeText
    subset_pct: int
    subset_count: int | None
    subset_seed: FreeText
    status: State
    is_interrupted: bool = Field(
        description="Whether the process that executed it is gone; resuming goes on with it"
    )
    selected_benchmarks: tuple[str, ...]
    overall_score: float | None = Field(
        description="Mean over the benchmarks that succeeded; null for several models, for a run that has"
        " not ended, and for one that was canceled"
    )
    scored_evaluations: int = Field(description="Evaluations that succeeded with a score")
    total_evaluations: int
    error_message: StoredMessage | None
    provider_metadata: Mapping[str, str] | None
    started_at: Moment | None
    completed_at: Moment | None
    stopped_at: Moment | None = Field(
        description="When a paused or interrupted run was last at work; null for any other"
    )
    created_at: Moment
    benchmarks: tuple[RunBenchmark, ...]
    models: tuple[FreeText, ...]
    samples: int
    stop: StopSettings | None = Field(description="When it ends early; null if all items are asked")
    data: FreeText
    priority: int
    name: FreeText = Field(description="What its users call it; empty if nobody named it")
    tags: tuple[FreeText, ...]
    note: FreeText
    is_archived: bool
    offloaded_at: Moment | None = Field(
        description="Since when its items are kept outside of the database; null if they can be shown"
    )
    visibility: Visibility = Field(
        description="Who sees it: its owner and admins, everybody who is let in, or whoever asks"
    )
    progress: Progress
    cost_usd: float | None = Field(description="Null if any part of it is unknown")

    @classmethod
    def of(cls, found: StoredRun) -> Self:
        run, spec, overall = found.run, found.run.spec, overall_score_of(found)
        return cls(
            id=run.id,
            model_id=",".join(spec.models),
            model_slug=",".join(spec.models),
            provider=",".join(dict.fromkeys(model.partition("/")[0] for model in spec.models)),
            subset_pct=spec.subset.percent,
            subset_count=spec.subset.count,
            subset_seed=spec.subset.seed,
            status=run.state,
            is_interrupted=found.is_interrupted,
            selected_benchmarks=spec.benchmarks,
            overall_score=overall.value,
            scored_evaluations=overall.counted,
            total_evaluations=overall.evaluations,
            error_message=run.error,
            provider_metadata=None,
            started_at=run.started_at,
            completed_at=run.finished_at,
            stopped_at=found.stopped_at,
            created_at=run.created_at,
            benchmarks=tuple(
                RunBenchmark.of(one, spec.subset, completed=found.completed(one)) for one in found.evaluations
            ),
            models=spec.models,
            samples=spec.samples,
            stop=None if spec.stop is None else StopSettings.of(spec.stop),
            data=spec.data,
            priority=spec.priority,
            name=run.description.name,
            tags=run.description.tags,
            note=run.description.note,
            is_archived=run.description.is_archived,
            offloaded_at=run.offloaded_at,
            visibility=run.description.visibility,
            progress=run_progress(found),
            cost_usd=_cost_usd(found),
        )


class Run(RunFields):
    evaluations: tuple[Evaluation, ...]

    @classmethod
    def of(cls, found: StoredRun) -> Self:
        return cls(
            **dict(RunFields.of(found)),
            evaluations=tuple(
                Evaluation.of(one, found.outcomes[one.id], source=found.run.spec.data)
                for one in found.evaluations
            ),
        )


class RunDetail(RunFields):
    items: tuple[FreeText, ...] = Field(description="Ids of the only items that it asks; empty for all")
    max_connections: int | None = Field(description="Null means the server's default")
    budget_usd: float | None
    budget_tokens: int | None
    judge: FreeText | None
    config: RunSettings
    code_version: str
    git_sha: str | None
    owner: FreeText | None
    auth_mode: AuthMode = Field(description="Whose key the models are called with")
    queue_position: int | None = Field(description="From 1, among the runs that have not started")
    start_in_s: Seconds | None = Field(description="Null once it has started, and if it cannot be estimated")
    finish_in_s: Seconds | None = Field(description="Null once it has ended, and if it cannot be estimated")
    evaluations: tuple[EvaluationDetail, ...]

    @classmethod
    def of(cls, found: StoredRun, outlook: Outlook = UNKNOWN) -> Self:
        run = found.run
        return cls(
            **dict(RunFields.of(found)),
            items=run.spec.items,
            max_connections=run.spec.max_connections,
            budget_usd=usd(run.spec.budget.usd),
            budget_tokens=run.spec.budget.tokens,
            judge=run.spec.judge.label if run.spec.judge else None,
            config=RunSettings.of(run.spec),
            code_version=run.code_version,
            git_sha=run.git_sha,
            owner=run.owner,
            auth_mode=run.spec.auth_mode,
            queue_position=outlook.position,
            start_in_s=Seconds.of(outlook.start),
            finish_in_s=Seconds.of(outlook.finish),
            evaluations=tuple(
                EvaluationDetail.of(one, found.outcomes[one.id], source=run.spec.data)
                for one in found.evaluations
            ),
        )


_ORDER: Final = "Order of all runs; `-` puts the highest first, and runs without a value come last"


class RunQuery(BaseModel):
    """Filter and order of a list of runs."""

    status: State | None = None
    model_id: str | None = Field(
        default=None, description="Whole name of a model, or the slug or chute id of a registered one"
    )
    model_slug: str | None = Field(default=None, description="Part of a model's name, in any case")
    benchmark: BenchmarkName | None = Field(default=None, description="Name of a benchmark")
    owner: str | None = Field(default=None, description="Who started the run")
    name: str | None = Field(default=None, description="Part of the run's own name, in any case")
    tag: str | None = Field(default=None, description="One of the run's tags, in any case")
    search: str | None = Field(
        default=None,
        max_length=200,
        description="Words; each begins its id, or is a part of its name, a tag, a model or a benchmark",
    )
    is_archived: bool = Field(default=False, description="Only archived runs, in place of the others")
    sort: RunOrder = Field(default="-created", description=_ORDER)
    limit: int = Field(default=50, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=10**12)


class RemovedRuns(Schema):
    """Runs that are deleted for good, with all that was stored for them."""

    runs: tuple[str, ...] = Field(description="Their whole ids")


class RunList(Schema):
    """One page of runs; `total` counts all runs that match the filter."""

    runs: tuple[Run, ...]
    total: int
    limit: int
    offset: int


def run_progress(found: StoredRun) -> Progress:
    return Progress(
        completed=sum(map(found.completed, found.evaluations)),
        total=sum(one.total_attempts for one in found.evaluations),
    )


def overall_score_of(found: StoredRun) -> OverallScore:
    scores = [
        (one.state, one.summary.score.value if one.summary and one.summary.score else None)
        for one in found.evaluations
    ]
    return overall_score(found.run.state, len(found.run.spec.models), scores)


def _cost_usd(found: StoredRun) -> float | None:
    costs = [one.summary.cost_usd if one.summary else None for one in found.evaluations]
    known = [cost for cost in costs if cost is not None]
    return float(sum(known)) if known and len(known) == len(costs) else None
