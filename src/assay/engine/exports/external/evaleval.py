"""The "Every Eval Ever" format of the EvalEval coalition, 0.3.0: an aggregate and samples per evaluation."""

from collections.abc import Sequence
from hashlib import sha256
from typing import IO
from zipfile import ZipFile

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Generation, Json
from assay.domain.json_value import canonical_json
from assay.domain.stats import Estimate
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import data_source, settled_at
from assay.engine.exports.external.evaleval_sample import MAIN, SCHEMA_VERSION, Names, sample_document, texts
from assay.engine.exports.figures import Object
from assay.engine.exports.members import entry, opened_zip
from assay.engine.exports.writing import ExportTools, readable, write_run

_LOCAL = frozenset({"vllm", "sglang", "ollama", "lmstudio"})


async def export_evaleval(content: RunContent, target: IO[bytes], _tools: ExportTools) -> None:
    await write_run(content, EvalEvalWriter(content, target))


class EvalEvalWriter:
    """Attempts without a verdict are left out and counted, because the schema requires a score."""

    def __init__(self, content: RunContent, target: IO[bytes]) -> None:
        self._content = content
        self._archive = opened_zip(target)
        self._samples: _Samples | None = None

    def begin(self, one: EvaluationContent) -> None:
        self._samples = _Samples(self._archive, one, Names(self._content, one))

    def add(self, attempts: Sequence[Attempt]) -> None:
        if self._samples is not None:
            self._samples.add(attempts)

    def end(self) -> None:
        if self._samples is not None:
            self._samples.close()
            aggregate = _aggregate(self._content, self._samples)
            self._archive.writestr(entry(self._samples.names.aggregate_path), readable(aggregate))

    def close(self) -> None:
        self._archive.close()


class _Samples:
    def __init__(self, archive: ZipFile, one: EvaluationContent, names: Names) -> None:
        self.one = one
        self.names = names
        self._member = archive.open(entry(names.samples_path), "w", force_zip64=True)
        self.hash = sha256()
        self.rows = 0

    def add(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            if attempt.score is not None:
                line = readable(sample_document(attempt, attempt.score, self.one, self.names)) + b"\n"
                self._member.write(line)
                self.hash.update(line)
                self.rows += 1

    def close(self) -> None:
        self._member.close()


def _aggregate(content: RunContent, samples: _Samples) -> Object:
    run, one, names = content.run, samples.one, samples.names
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": names.evaluation_id,
        "evaluation_timestamp": settled_at(run),
        "retrieved_timestamp": names.timestamp,
        "source_metadata": {
            "source_name": "Assay",
            "source_type": "evaluation_run",
            "source_organization_name": run.owner or "unknown",
            "evaluator_relationship": "other",
            "additional_details": {"run_id": run.id, "run_status": run.state.value},
        },
        "eval_library": {
            "name": "assay",
            "version": run.code_version or "unknown",
            "additional_details": texts({"git_sha": run.git_sha}),
        },
        "model_info": {
            "name": one.evaluation.model,
            "id": names.model_id,
            "developer": names.developer,
            "inference_platform": names.provider,
            "additional_details": {
                "deployment_type": _deployment(names.provider),
                "model_availability": "unknown",
                **texts({"endpoint": one.evaluation.endpoint}),
            },
        },
        "evaluation_results": _results(content, one),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": names.samples_path,
            "hash_algorithm": "sha256",
            "checksum": samples.hash.hexdigest(),
            "total_rows": samples.rows,
        },
    }


def _deployment(provider: str) -> str:
    if provider == "sim":
        return "unknown"
    return "self_deployed" if provider in _LOCAL else "externally_managed"


def _results(content: RunContent, one: EvaluationContent) -> list[Json]:
    found: dict[str, Estimate | None] = {MAIN: one.summary.score, **one.summary.metrics}
    return [_result(content, one, name, estimate) for name, estimate in found.items() if estimate]


def _result(content: RunContent, one: EvaluationContent, name: str, estimate: Estimate) -> Object:
    evaluation, card, summary = one.evaluation, one.card, one.summary
    metric = (card.metric if card else "score") if name == MAIN else name
    return {
        "evaluation_result_id": name,
        "evaluation_name": evaluation.benchmark,
        "source_data": _source(content, one),
        "metric_config": {
            "evaluation_description": card.description if card else evaluation.benchmark,
            "metric_id": f"{evaluation.benchmark}.{name}",
            "metric_name": metric,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
            "additional_details": texts(
                {
                    "grader": evaluation.fingerprint.grader,
                    "judge": evaluation.fingerprint.judge,
                    "mode": evaluation.fingerprint.mode,
                    "fingerprint": evaluation.fingerprint.value,
                }
            ),
        },
        "score_details": {
            "score": estimate.value,
            "details": {
                "scored": str(summary.scored),
                "total": str(summary.total),
                **{outcome.value: str(count) for outcome, count in summary.outcomes.items() if count},
            },
            "uncertainty": _uncertainty(estimate),
        },
        "generation_config": _generation(evaluation.generation),
    }


def _source(content: RunContent, one: EvaluationContent) -> Object:
    evaluation, card = one.evaluation, one.card
    source = data_source(content.run.spec.data)
    details = texts(
        {
            "data": source,
            "revision": evaluation.fingerprint.data_revision,
            "checksum": evaluation.fingerprint.data_checksum,
            "subset_seed": content.run.spec.subset.seed,
        }
    )
    if card is None or source != "official":
        return {"dataset_name": evaluation.benchmark, "source_type": "other", "additional_details": details}
    return {
        "dataset_name": card.title,
        "source_type": "hf_dataset",
        "hf_repo": card.source.repository,
        "samples_number": evaluation.benchmark_size,
        "sample_ids": evaluation.item_ids,
        "additional_details": details,
    }


def _uncertainty(estimate: Estimate) -> Object:
    found: Object = {"num_samples": estimate.n}
    if estimate.standard_error is not None:
        method = "clustered" if estimate.clusters is not None else "analytic"
        found["standard_error"] = {"value": estimate.standard_error, "method": method}
    if estimate.interval is not None:
        found["confidence_interval"] = {
            "lower": estimate.interval.low,
            "upper": estimate.interval.high,
            "confidence_level": estimate.interval.level,
            "method": estimate.interval.method.value,
        }
    return found


def _generation(generation: Generation) -> Object:
    arguments: Object = {"temperature": generation.temperature, "top_p": generation.top_p}
    if generation.max_tokens is not None:
        arguments["max_tokens"] = generation.max_tokens
    details = texts(
        {
            "reasoning_effort": generation.reasoning_effort,
            "seed": None if generation.seed is None else str(generation.seed),
            "stop": ", ".join(map(repr, generation.stop)) or None,
            "system": generation.system,
            "options": canonical_json(generation.options).decode() if generation.options else None,
            "timeout_s": None if generation.timeout_s is None else f"{generation.timeout_s:g}",
            "retries": None if generation.retries is None else str(generation.retries),
            "logprobs": "true" if generation.logprobs else None,
        }
    )
    return {"generation_args": arguments, "additional_details": details}
