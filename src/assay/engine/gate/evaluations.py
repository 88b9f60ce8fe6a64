"""The evaluations that a gate compares, from the store or from a verified export."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.fingerprint import Fingerprint
from assay.domain.run import State
from assay.engine.exports.archive import opened_archive
from assay.engine.exports.content import RunContent
from assay.engine.exports.figures import summary_document
from assay.engine.exports.json_stream import JsonStream
from assay.engine.exports.reading import Document, inner, integer, number, optional_text, text
from assay.engine.exports.verification.race_audit import asked_first
from assay.engine.results.asked_first import known_first


@dataclass(frozen=True, slots=True)
class GateEvaluation:
    """The fields of an evaluation that a gate reads; scores are means over the samples of an item."""

    model: str
    benchmark: str
    fingerprint: Fingerprint
    state: str
    scores: Mapping[ItemId, float]
    # In the form of an export: score, interval, counts, latency.
    summary: Document
    # Items some sample of which has no verdict.
    partial: frozenset[ItemId] = frozenset()
    # The items up to the decision of a run that stopped, in the order asked; none for any other.
    first: Sequence[ItemId] = ()

    @property
    def is_complete(self) -> bool:
        return self.state == State.SUCCEEDED.value


async def stored_evaluations(content: RunContent) -> list[GateEvaluation]:
    evaluations: list[GateEvaluation] = []
    for one in content.evaluations:
        evaluation = one.evaluation
        results = content.stores.attempts.results(evaluation.id)
        found = [(attempt.item_id, attempt.score) async for attempt in results]
        first = known_first(evaluation, content.run.spec, evaluation.item_ids)
        evaluations.append(
            GateEvaluation(
                model=evaluation.model,
                benchmark=evaluation.benchmark,
                fingerprint=evaluation.fingerprint,
                state=evaluation.state.value,
                scores=_means(found),
                summary=summary_document(one.summary),
                partial=_partial(found),
                first=() if first is None else first.items,
            )
        )
    return evaluations


_Scores = Sequence[tuple[ItemId, float | None]]


def _means(scores: _Scores) -> dict[ItemId, float]:
    found: dict[ItemId, list[float]] = defaultdict(list)
    for item_id, score in scores:
        if score is not None:
            found[item_id].append(score)
    return {item_id: sum(values) / len(values) for item_id, values in found.items()}


def _partial(scores: _Scores) -> frozenset[ItemId]:
    return frozenset(item_id for item_id, score in scores if score is None)


def exported_evaluations(file: BinaryIO) -> list[GateEvaluation]:
    """The evaluations in a verified bundle."""
    evaluations: list[GateEvaluation] = []
    with opened_archive(file) as archive, archive.results() as results:
        stream = JsonStream(results.read)
        for key in stream.members():
            if key != "benchmarks":
                stream.value()
                continue
            evaluations += [_exported(stream) for _ in stream.elements()]
    return evaluations


def _exported(stream: JsonStream) -> GateEvaluation:
    parts: dict[str, Json] = {}
    found: list[tuple[ItemId, float | None]] = []
    for key in stream.members():
        if key != "items":
            parts[key] = stream.value()
            continue
        for _ in stream.elements():
            attempt = stream.value()
            if isinstance(attempt, dict):
                found.append((ItemId(text(attempt, "item_id")), number(attempt, "score")))
    first = asked_first(parts)
    return GateEvaluation(
        model=text(parts, "model"),
        benchmark=text(parts, "benchmark_name"),
        fingerprint=fingerprint_in(inner(parts, "fingerprint_fields")),
        state=text(parts, "state"),
        scores=_means(found),
        summary=inner(parts, "summary"),
        partial=_partial(found),
        first=() if first is None else first.items,
    )


def fingerprint_in(fields: Document) -> Fingerprint:
    """Raises MalformedError if a field is missing."""
    return Fingerprint(
        benchmark=text(fields, "benchmark"),
        benchmark_version=text(fields, "benchmark_version"),
        mode=text(fields, "mode"),
        data_revision=text(fields, "data_revision"),
        data_checksum=text(fields, "data_checksum"),
        items_checksum=text(fields, "items_checksum"),
        prompts_checksum=text(fields, "prompts_checksum"),
        grader=text(fields, "grader"),
        generation=text(fields, "generation"),
        limits=text(fields, "limits"),
        samples=integer(fields, "samples"),
        judge=optional_text(fields, "judge"),
        user=optional_text(fields, "user") if "user" in fields else None,
        agent=optional_text(fields, "agent") if "agent" in fields else None,
        headers=optional_text(fields, "headers") if "headers" in fields else None,
        stop=optional_text(fields, "stop") if "stop" in fields else None,
    )


def paired(
    current: list[GateEvaluation], baseline: list[GateEvaluation]
) -> list[tuple[GateEvaluation, GateEvaluation]]:
    """Pairs of evaluations of the same benchmark and model, or of the only model on each side.

    Beside the only model of the baseline, whose answers a race has too, each other model is compared with it.
    """
    pairs: list[tuple[GateEvaluation, GateEvaluation]] = []
    for benchmark in dict.fromkeys(one.benchmark for one in current):
        candidates = [one for one in current if one.benchmark == benchmark]
        others = {one.model: one for one in baseline if one.benchmark == benchmark}
        if len(candidates) == 1 and len(others) == 1:
            pairs += zip(candidates, others.values(), strict=True)
            continue
        if len(others) == 1 and any(one.model in others for one in candidates):
            pairs += [
                (one, base) for base in others.values() for one in candidates if one.model != base.model
            ]
            continue
        matched = [(one, others[one.model]) for one in candidates if one.model in others]
        if others and len(matched) < len(candidates):
            names = ", ".join(one.model for one in candidates if one.model not in others)
            raise InvalidValueError(
                f"the baseline has several models on {benchmark!r}, but not {names}:"
                " compare runs of one model each, or of the same models"
            )
        pairs += matched
    return pairs
