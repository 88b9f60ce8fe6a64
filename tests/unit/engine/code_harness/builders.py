"""Stored runs of the code catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from assay.domain.attempt import Attempt
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Summary, Tokens
from tests.builders import FINGERPRINT, NOON, Seeded, attempt

TASKS = tuple(ItemId(name) for name in ("a_task", "b_task", "c_task"))


def code_run_of(
    number: int = 1, models: Sequence[str] = ("test/one",), *, benchmarks: Sequence[str] = ("code_catalogue",)
) -> Run:
    spec = RunSpec(tuple(models), tuple(benchmarks))
    created_at = NOON + timedelta(hours=number)
    return Run(RunId(f"{number:08}-run"), spec, created_at, State.SUCCEEDED, started_at=created_at)


def evaluation_of(
    run: Run, outcomes: Mapping[Outcome, int] | None = None, *, cost: str | None = None, **changes: Any
) -> Evaluation:
    """One that has ended with these outcomes; other changes are those of the evaluation."""
    benchmark = changes.get("benchmark", "code_catalogue")
    effort = benchmark.partition("thinking=")[2].partition("+")[0]
    counted = outcomes or {}
    scored = sum(count for outcome, count in counted.items() if outcome.is_verdict)
    right = counted.get(Outcome.CORRECT, 0)
    summary = Summary(
        score=score_estimate([float(number < right) for number in range(scored)], None),
        scored=scored,
        total=sum(counted.values()),
        outcomes=counted,
        bounds=None,
        cut=0,
        tokens=Tokens(),
        cost_usd=None if cost is None else Decimal(cost),
        duration_s=changes.pop("duration_s", 10.0),
    )
    made = replace(
        Seeded(run, f"{run.id}-{changes.get('model')}-{benchmark}").evaluation(),
        model=run.spec.models[0],
        benchmark="code_catalogue",
        fingerprint=replace(FINGERPRINT, benchmark=benchmark, prompts_checksum=benchmark, generation=effort),
        item_ids=TASKS,
        benchmark_size=3,
        generation=Generation(temperature=0.0, reasoning_effort=effort or None),
        state=State.SUCCEEDED,
        summary=summary,
    )
    return replace(made, **changes)


def attempt_of(
    evaluation: Evaluation, task: str, outcome: Outcome, *, sample: int = 0, **changes: Any
) -> Attempt:
    score = (1.0 if outcome is Outcome.CORRECT else 0.0) if outcome.is_verdict else None
    made = attempt(task, outcome=outcome, score=score, sample=sample)
    return replace(made, evaluation_id=EvaluationId(evaluation.id), **changes)
