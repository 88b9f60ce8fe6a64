"""The two sides of a gate: evaluations from the store, or from a signed export of somebody else's."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.fingerprint import Fingerprint
from assay.domain.messages import Json
from assay.domain.run import State
from assay.engine.exports.archive import opened_archive
from assay.engine.exports.content import RunContent
from assay.engine.exports.documents import ServedBy, evaluation_tail
from assay.engine.exports.json_stream import JsonStream
from assay.engine.exports.reading import Document, inner, number, text, text_or_none, whole


@dataclass(frozen=True, slots=True)
class Side:
    """One evaluation, as far as a gate looks at it; scores are means over an item's samples."""

    model: str
    benchmark: str
    fingerprint: Fingerprint
    state: str
    scores: Mapping[ItemId, float]
    # As in an export: value, interval, counts, latency.
    summary: Document

    @property
    def is_whole(self) -> bool:
        return self.state == State.SUCCEEDED.value


async def stored_sides(content: RunContent) -> list[Side]:
    sides: list[Side] = []
    for one in content.evaluations:
        evaluation = one.evaluation
        results = content.stores.attempts.results(evaluation.id)
        scores = ((attempt.item_id, attempt.score) async for attempt in results)
        sides.append(
            Side(
                model=evaluation.model,
                benchmark=evaluation.benchmark,
                fingerprint=evaluation.fingerprint,
                state=evaluation.state.value,
                scores=await _means(scores),
                summary=inner(evaluation_tail(one, ServedBy()), "summary"),
            )
        )
    return sides


async def _means(scores: AsyncIterator[tuple[ItemId, float | None]]) -> dict[ItemId, float]:
    found: dict[ItemId, list[float]] = defaultdict(list)
    async for item_id, score in scores:
        if score is not None:
            found[item_id].append(score)
    return {item_id: sum(values) / len(values) for item_id, values in found.items()}


def exported_sides(file: BinaryIO) -> list[Side]:
    """Of a bundle that was verified."""
    sides: list[Side] = []
    with opened_archive(file) as archive, archive.results() as results:
        stream = JsonStream(results.read)
        for key in stream.members():
            if key != "benchmarks":
                stream.value()
                continue
            sides += [_exported(stream) for _ in stream.elements()]
    return sides


def _exported(stream: JsonStream) -> Side:
    parts: dict[str, Json] = {}
    found: dict[ItemId, list[float]] = defaultdict(list)
    for key in stream.members():
        if key != "items":
            parts[key] = stream.value()
            continue
        for _ in stream.elements():
            attempt = stream.value()
            if isinstance(attempt, dict) and (score := number(attempt, "score")) is not None:
                found[ItemId(text(attempt, "item_id"))].append(score)
    return Side(
        model=text(parts, "model"),
        benchmark=text(parts, "benchmark_name"),
        fingerprint=_fingerprint(inner(parts, "fingerprint_fields")),
        state=text(parts, "state"),
        scores={item_id: sum(values) / len(values) for item_id, values in found.items()},
        summary=inner(parts, "summary"),
    )


def _fingerprint(fields: Document) -> Fingerprint:
    """Raises MalformedError where a field is missing."""
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
        samples=whole(fields, "samples"),
        judge=text_or_none(fields, "judge"),
    )


def paired(ours: list[Side], theirs: list[Side]) -> list[tuple[Side, Side]]:
    """Evaluations of the same benchmark: of the same model, or the only one on either side."""
    pairs: list[tuple[Side, Side]] = []
    for benchmark in dict.fromkeys(side.benchmark for side in ours):
        mine = [side for side in ours if side.benchmark == benchmark]
        others = {side.model: side for side in theirs if side.benchmark == benchmark}
        if len(mine) == 1 and len(others) == 1:
            pairs += zip(mine, others.values(), strict=True)
            continue
        matched = [(side, others[side.model]) for side in mine if side.model in others]
        if others and len(matched) < len(mine):
            names = ", ".join(side.model for side in mine if side.model not in others)
            raise InvalidValueError(
                f"the baseline has no evaluation of {names} on {benchmark!r}, and several others:"
                " gate runs of one model each, or of the same models"
            )
        pairs += matched
    return pairs
