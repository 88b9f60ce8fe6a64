"""Results and samples as lm-evaluation-harness writes them: a folder per model, a task per benchmark."""

import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from typing import IO
from zipfile import ZipFile

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import data_source, settled_at
from assay.engine.exports.figures import Object
from assay.engine.exports.members import entry, file_part, opened_zip
from assay.engine.exports.writing import ExportTools, readable, write_run

_FILTER = "none"


async def export_lm_eval(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, LmEvalWriter(content, target))


class LmEvalWriter:
    """Attempts without a verdict are left out of the samples: a zero would count against the model."""

    def __init__(self, content: RunContent, target: IO[bytes]) -> None:
        self._content = content
        self._archive = opened_zip(target)
        self._stamp = (settled_at(content.run) or "").rstrip("Z").replace(":", "-")
        self._by_model: dict[str, list[EvaluationContent]] = defaultdict(list)
        self._samples: _Samples | None = None

    def begin(self, one: EvaluationContent) -> None:
        evaluation = one.evaluation
        self._by_model[evaluation.model].append(one)
        folder, task = _sanitized(evaluation.model), file_part(evaluation.benchmark)
        name = f"{folder}/samples_{task}_{self._stamp}.jsonl"
        self._samples = _Samples(self._archive, name, one)

    def add(self, attempts: Sequence[Attempt]) -> None:
        if self._samples is not None:
            self._samples.add(attempts)

    def end(self) -> None:
        if self._samples is not None:
            self._samples.close()

    def close(self) -> None:
        for model, evaluations in self._by_model.items():
            name = f"{_sanitized(model)}/results_{self._stamp}.json"
            document = _results(self._content, model, evaluations)
            self._archive.writestr(entry(name), readable(document))
        self._archive.close()


def metric_of(one: EvaluationContent) -> str:
    """The card's name for the score, without spaces, as these files require."""
    return re.sub(r"\W+", "_", one.card.metric.lower()) if one.card else "score"


class _Samples:
    def __init__(self, archive: ZipFile, name: str, one: EvaluationContent) -> None:
        self._one = one
        self._metric = metric_of(one)
        self._positions = {item_id: position for position, item_id in enumerate(one.evaluation.item_ids)}
        self._settings: Object = one.evaluation.generation.to_json()
        self._member = archive.open(entry(name), "w", force_zip64=True)

    def add(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            if attempt.score is not None:
                self._member.write(readable(self._line(attempt)) + b"\n")

    def close(self) -> None:
        self._member.close()

    def _line(self, attempt: Attempt) -> Object:
        facts = self._one.facts.get(attempt.item_id)
        doc: Object = {
            "id": attempt.item_id,
            "sample": attempt.sample,
            "category": facts.category if facts else None,
        }
        target = attempt.expected or ""
        return {
            "doc_id": self._positions.get(attempt.item_id),
            "doc": doc,
            "target": target,
            "arguments": {"gen_args_0": {"arg_0": attempt.prompt, "arg_1": self._settings}},
            "resps": [[attempt.answer]],
            "filtered_resps": [attempt.answer if attempt.extracted is None else attempt.extracted],
            "filter": _FILTER,
            "metrics": [self._metric],
            "doc_hash": facts.item_hash if facts else None,
            "prompt_hash": facts.prompt_sha256 if facts else None,
            "target_hash": sha256(target.encode("utf-8", "surrogatepass")).hexdigest(),
            self._metric: attempt.score,
            "outcome": attempt.outcome.value,
        }


def _results(content: RunContent, model: str, evaluations: Sequence[EvaluationContent]) -> Object:
    run, spec = content.run, content.run.spec
    by_task = {one.evaluation.benchmark: one for one in evaluations}
    started, ended = run.started_at or run.created_at, run.finished_at
    return {
        "results": {task: _scores(task, one) for task, one in by_task.items()},
        "group_subtasks": {task: [] for task in by_task},
        "configs": {task: _config(content, one) for task, one in by_task.items()},
        "versions": {task: one.evaluation.benchmark_version for task, one in by_task.items()},
        "n-shot": {},
        "higher_is_better": {task: {metric_of(one): True} for task, one in by_task.items()},
        "n-samples": {
            task: {"original": one.evaluation.benchmark_size, "effective": one.summary.scored}
            for task, one in by_task.items()
        },
        "config": {
            "model": "assay",
            "model_args": f"model={model}",
            "limit": spec.subset.count or (None if spec.subset.percent == 100 else spec.subset.percent / 100),  # noqa: PLR2004 # percent
            "random_seed": spec.subset.seed,
        },
        "git_hash": run.git_sha,
        "date": started.timestamp(),
        "task_hashes": {task: one.evaluation.fingerprint.value for task, one in by_task.items()},
        "model_source": "assay",
        "model_name": model,
        "model_name_sanitized": _sanitized(model),
        "total_evaluation_time_seconds": None if ended is None else str((ended - started).total_seconds()),
        "assay": {"run_id": run.id, "status": run.state.value, "version": run.code_version},
    }


def _scores(task: str, one: EvaluationContent) -> Object:
    scores: Object = {"alias": task}
    estimates = {metric_of(one): one.summary.score, **one.summary.metrics}
    for name, estimate in estimates.items():
        if estimate is not None:
            scores[f"{name},{_FILTER}"] = estimate.value
            error = estimate.standard_error
            scores[f"{name}_stderr,{_FILTER}"] = "N/A" if error is None else error
    return scores


def _config(content: RunContent, one: EvaluationContent) -> Object:
    evaluation, card = one.evaluation, one.card
    metadata: dict[str, Json] = {
        "version": evaluation.benchmark_version,
        "data": data_source(content.run.spec.data),
        "revision": evaluation.fingerprint.data_revision,
        "checksum": evaluation.fingerprint.data_checksum,
        "grader": evaluation.fingerprint.grader,
    }
    return {
        "task": evaluation.benchmark,
        "dataset_path": card.source.repository if card else None,
        "output_type": "generate_until",
        "generation_kwargs": evaluation.generation.to_json(),
        "repeats": evaluation.samples,
        "metric_list": [{"metric": metric_of(one), "aggregation": "mean", "higher_is_better": True}],
        "metadata": metadata,
    }


def _sanitized(model: str) -> str:
    return file_part(model.replace("/", "__"))
