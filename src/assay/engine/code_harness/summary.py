"""A stored run as the document `summary.json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal

from assay.domain.attempt import AttemptKey
from assay.domain.errors import UnknownNameError
from assay.domain.json_value import Json
from assay.domain.run import Evaluation, Run
from assay.engine.code_harness.attempts import CodeAttempt, attempt_document
from assay.engine.code_harness.metrics import metrics_by_level, metrics_document
from assay.engine.code_harness.names import (
    BASE_LEVEL,
    BENCHMARK,
    attempt_folder,
    is_variant_of,
    level_of,
    model_names,
    options_of,
    run_folder,
)
from assay.engine.code_harness.statuses import Status, best_status, status_counts
from assay.engine.stores import Stores

_SWEPT = frozenset({BASE_LEVEL, "low", "medium", "high"})


@dataclass(frozen=True, slots=True)
class CodeRun:
    """A run, its evaluations of the code catalogue, and their attempts without prompts and replies."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    attempts: tuple[CodeAttempt, ...]

    @property
    def folder(self) -> str:
        return run_folder(self.run)

    @property
    def task_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(task) for one in self.evaluations for task in one.item_ids))

    @property
    def levels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(level_of(one) for one in self.evaluations))

    def folder_of(self, evaluation: Evaluation, key: AttemptKey) -> str:
        names = model_names(self.run.spec.models)
        return attempt_folder(key, model_name=names[evaluation.model], level=level_of(evaluation))


async def code_run(stores: Stores, run_id: str, *, family: str = BENCHMARK) -> CodeRun:
    """Raises UnknownNameError where there is no such run, or one that has nothing of this benchmark."""
    run = await stores.runs.get(run_id)
    evaluations = tuple(
        one for one in await stores.runs.evaluations(run.id) if is_variant_of(one.benchmark, family)
    )
    if not evaluations:
        raise UnknownNameError(f"run of {family}", run_id)
    empty = CodeRun(run, evaluations, ())
    attempts = [
        CodeAttempt(one, attempt, empty.folder_of(one, attempt.key))
        for one in evaluations
        async for attempt in stores.attempts.results(one.id)
    ]
    return CodeRun(run, evaluations, tuple(attempts))


def summary_document(found: CodeRun) -> dict[str, Json]:
    """All keys of `summary.json`, with the objects of `attempts.json` among them."""
    run, results = found.run, [one.result for one in found.attempts]
    samples = run.spec.samples
    return {
        "timestamp_utc": run.created_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "run_id": run.id,
        "run_dir": found.folder,
        "status": run.state.value,
        **_request(found),
        "attempts": attempts_document(found),
        "patch_fallbacks_used": sum(one.used_rewrite_fallback for one in found.attempts),
        "status_counts": dict(status_counts(one.status for one in results)),
        "model_status_counts": {
            model: dict(status_counts(one.status for one in results if one.model == model))
            for model in run.spec.models
        },
        "task_status": _task_status(found),
        "attempt_manifest": attempt_manifest(found),
        "metrics": metrics_document(results, samples=samples),
        "metrics_by_thinking_level": metrics_by_level(results, samples=samples),
        "timing": {
            "total_duration_seconds": _duration_s(found),
            "total_api_latency_seconds": sum(one.api_latency_s or 0.0 for one in found.attempts),
        },
        "token_usage": _token_usage(found.attempts),
        "pricing": _pricing(found.evaluations),
    }


def attempts_document(found: CodeRun) -> list[Json]:
    return [attempt_document(one) for one in found.attempts]


def attempt_manifest(found: CodeRun) -> list[Json]:
    """Every attempt that the run is to make; the status of those that it has not made is null."""
    statuses = {one.folder: one.status for one in found.attempts}
    return [
        {
            "task_id": task,
            "model": one.model,
            "sample_index": sample,
            "thinking_level": level_of(one),
            "attempt_dir": (folder := found.folder_of(one, AttemptKey(task, sample))),
            "status": statuses.get(folder),
        }
        for one in found.evaluations
        for task in one.item_ids
        for sample in range(one.samples)
    ]


def _request(found: CodeRun) -> dict[str, Json]:
    """What was asked for, read from the names of the benchmarks."""
    spec, levels = found.run.spec, found.levels
    options = options_of(found.evaluations[0].benchmark)
    generation = found.evaluations[0].generation
    thinking = [level for level in levels if level != BASE_LEVEL]
    is_sweep = set(levels) >= _SWEPT
    return {
        "tasks": list(found.task_ids),
        "models": list(spec.models),
        "requested_models": list(spec.models),
        "provider": options.get("provider"),
        "samples": spec.samples,
        "temperature": generation.temperature,
        "max_tokens": generation.max_tokens,
        "include_tests": "include-tests" in options,
        # The tasks have no dependencies, and a sandbox has no network.
        "install_deps": False,
        "allow_incomplete_diffs": "incomplete-diffs" in options,
        "allow_diff_rewrite_fallback": "rewrite-fallback" in options,
        "thinking_level": thinking[0] if len(thinking) == 1 else None,
        "thinking_levels": list(levels),
        "include_thinking_variants": BASE_LEVEL in levels and len(levels) > 1 and not is_sweep,
        "sweep_thinking_levels": is_sweep,
    }


def _task_status(found: CodeRun) -> dict[str, Json]:
    """The best status of each task, by model; null where nothing is stored."""
    statuses: dict[tuple[str, str], list[Status]] = {}
    for one in found.attempts:
        statuses.setdefault((one.attempt.item_id, one.evaluation.model), []).append(one.status)
    return {
        task: {
            model: best_status(own) if (own := statuses.get((task, model))) else None
            for model in found.run.spec.models
        }
        for task in found.task_ids
    }


def _duration_s(found: CodeRun) -> float | None:
    run = found.run
    ended = run.finished_at or max((one.attempt.finished_at for one in found.attempts), default=None)
    if run.started_at is None or ended is None:
        return None
    return (ended - run.started_at).total_seconds()


def _token_usage(attempts: Sequence[CodeAttempt]) -> dict[str, Json]:
    """Tokens are sums over what is known; the cost is null where a part of it is unknown."""
    usages = [one.attempt.usage for one in attempts]
    costs = [one.attempt.cost_usd for one in attempts if one.status != "api_error"]
    known = [cost for cost in costs if cost is not None]
    return {
        "prompt_tokens": sum(one.input_tokens or 0 for one in usages),
        "completion_tokens": sum(one.output_tokens or 0 for one in usages),
        "total_cost_usd": float(sum(known, Decimal(0))) if known and len(known) == len(costs) else None,
    }


def _pricing(evaluations: Sequence[Evaluation]) -> dict[str, Json]:
    """USD per token, as of the start of the run; null where it is unknown."""
    return {
        one.model: None
        if (price := one.price) is None
        else {
            "prompt": float(price.input_usd_per_million / 1_000_000),
            "completion": float(price.output_usd_per_million / 1_000_000),
            "source": price.source,
        }
        for one in evaluations
    }
