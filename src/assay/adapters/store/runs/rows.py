"""Runs and evaluations as rows, and back."""

from functools import lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Row

from assay.adapters.store.database.codec import json_text
from assay.adapters.store.summaries import summary_from, summary_text
from assay.domain.access.visibility import Visibility
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.calls.pricing import Price, known_usd
from assay.domain.fingerprint import Fingerprint
from assay.domain.run import FINAL_STATES, Description, Evaluation, Run, RunSpec, State

_SPEC = TypeAdapter(RunSpec)
_FINGERPRINT = TypeAdapter(Fingerprint)
_GENERATION = TypeAdapter(Generation)
_PRICE = TypeAdapter(Price)
_TAGS = TypeAdapter(tuple[str, ...])
_ENVIRONMENT = TypeAdapter(dict[str, str])

Values = dict[str, object]
_T = TypeVar("_T")


def run_values(run: Run) -> Values:
    return {
        "id": run.id,
        "owner": run.owner,
        "code_version": run.code_version,
        "git_sha": run.git_sha,
        "created_at": run.created_at,
        "environment": json_text(run.environment) if run.environment else None,
        **run_description(run.description),
        **run_control(run),
        **run_progress(run),
    }


def run_description(description: Description) -> Values:
    return {
        "name": description.name or None,
        "note": description.note or None,
        "tags": json_text(description.tags) if description.tags else None,
        "is_archived": description.is_archived,
        "visibility": description.visibility.value,
    }


def run_control(run: Run) -> Values:
    """The part of a run that its users change."""
    return {"spec": _text(_SPEC, run.spec), "priority": run.spec.priority}


def run_progress(run: Run) -> Values:
    """The part of a run that changes as it is executed."""
    return {
        "state": run.state.value,
        "error": run.error,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
    }


def run_from(row: Row[Any]) -> Run:
    return Run(
        id=row.id,
        spec=_spec(row.spec),
        created_at=row.created_at,
        state=State(row.state),
        started_at=row.started_at,
        finished_at=row.finished_at,
        error=row.error,
        code_version=row.code_version,
        git_sha=row.git_sha,
        owner=row.owner,
        description=Description(
            name=row.name or "",
            note=row.note or "",
            tags=() if row.tags is None else _TAGS.validate_json(row.tags),
            is_archived=row.is_archived,
            visibility=Visibility(row.visibility),
        ),
        environment={} if row.environment is None else _ENVIRONMENT.validate_json(row.environment),
        offloaded_at=row.offloaded_at,
    )


def evaluation_values(
    evaluation: Evaluation, *, position: int, items_sha256: bytes, facts_sha256: bytes | None
) -> Values:
    return {
        "id": evaluation.id,
        "run_id": evaluation.run_id,
        "position": position,
        "model": evaluation.model,
        "benchmark": evaluation.benchmark,
        "benchmark_version": evaluation.benchmark_version,
        "benchmark_size": evaluation.benchmark_size,
        "fingerprint": evaluation.fingerprint.value,
        "fingerprint_fields": _text(_FINGERPRINT, evaluation.fingerprint),
        "items_sha256": items_sha256,
        "facts_sha256": facts_sha256,
        "endpoint": evaluation.endpoint,
        "generation": _text(_GENERATION, evaluation.generation),
        "samples": evaluation.samples,
        "price": None if evaluation.price is None else _text(_PRICE, evaluation.price),
        **evaluation_progress(evaluation),
    }


def evaluation_progress(evaluation: Evaluation) -> Values:
    """The part of an evaluation that changes; score and counts are for lists and rankings."""
    summary = evaluation.summary
    return {
        "state": evaluation.state.value,
        "error": evaluation.error,
        "started_at": evaluation.started_at,
        "finished_at": evaluation.finished_at,
        "summary": None if summary is None else summary_text(summary),
        "score": summary.score.value if summary and summary.score else None,
        "scored": summary.scored if summary else 0,
        "total": evaluation.total_attempts,
    }


def listed_evaluation(row: Row[Any]) -> Evaluation:
    """With the number of its items in place of their ids."""
    return _ended_evaluation(row) if row.state in FINAL_STATES else evaluation_from(row, None)


def listed_run(row: Row[Any]) -> Run:
    return _ended_run(row) if row.state in FINAL_STATES else run_from(row)


# Lists of runs are read again and again, and runs that have ended change no more: the same row gives the same
# immutable object. Other rows are not cached, or a worker would keep every state of every run it executed.
@lru_cache(maxsize=1024)
def _ended_run(row: Row[Any]) -> Run:
    return run_from(row)


@lru_cache(maxsize=1024)
def _ended_evaluation(row: Row[Any]) -> Evaluation:
    return evaluation_from(row, None)


def evaluation_from(row: Row[Any], item_ids: tuple[ItemId, ...] | None) -> Evaluation:
    """Where `item_ids` is None, the evaluation has the number of its items only."""
    return Evaluation(
        id=row.id,
        run_id=row.run_id,
        model=row.model,
        benchmark=row.benchmark,
        benchmark_version=row.benchmark_version,
        fingerprint=_fingerprint(row.fingerprint_fields),
        item_ids=item_ids or (),
        benchmark_size=row.benchmark_size,
        generation=_GENERATION.validate_json(row.generation),
        samples=row.samples,
        state=State(row.state),
        price=None if row.price is None else _price(row.price),
        summary=None if row.summary is None else summary_from(row.summary),
        error=row.error,
        started_at=row.started_at,
        finished_at=row.finished_at,
        item_count=row.total // row.samples if item_ids is None else None,
        endpoint=row.endpoint,
    )


@lru_cache(maxsize=1024)
def _spec(text: str) -> RunSpec:
    return _SPEC.validate_json(text)


def _price(text: str) -> Price | None:
    price = _PRICE.validate_json(text)
    sides = price.input_usd_per_million, price.output_usd_per_million
    return None if None in map(known_usd, sides) else price


@lru_cache(maxsize=1024)
def _fingerprint(text: str) -> Fingerprint:
    return _FINGERPRINT.validate_json(text)


def _text(adapter: TypeAdapter[_T], value: _T) -> str:
    return adapter.dump_json(value).decode()
