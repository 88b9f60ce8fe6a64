"""The data of the PDF report; a template turns it into pages."""

import asyncio
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import IO

from assay.domain.calls.messages import Json
from assay.domain.outcome import Outcome
from assay.domain.run import Run, State
from assay.domain.stats import Estimate, percentiles, plural
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import data_source, iso_seconds, provenance_document
from assay.engine.exports.figures import Object, amount, race_document
from assay.engine.exports.writing import ExportTools
from assay.engine.results.compare import compare, model_pairs
from assay.engine.results.race_report import RaceReport

_BINS = 36
_SENTENCES = 6
_TIMINGS = ("ttft_ms", "duration_ms")
# The slowest few replies would otherwise leave one bar for all others.
_SHOWN_PERCENTILE = 99.0


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width from zero to a high percentile; `beyond` counts the larger values."""

    counts: Sequence[int]
    top_ms: float
    beyond: int
    n: int


async def export_report(content: RunContent, target: IO[bytes], tools: ExportTools) -> None:
    document = await report_document(content)
    document["paper"] = tools.paper
    target.write(await asyncio.to_thread(tools.render_pdf, document))


async def report_document(content: RunContent) -> Object:
    run = content.run
    return {
        "run": {
            "id": run.id,
            "status": run.state.value,
            "is_whole": run.state is State.SUCCEEDED,
            "error": run.error,
            "models": run.spec.models,
            "benchmarks": [title_of(one) for one in _distinct(content.evaluations)],
            "created_at": iso_seconds(run.created_at),
            "started_at": iso_seconds(run.started_at),
            "finished_at": iso_seconds(run.finished_at),
            "owner": run.owner,
        },
        "sentences": await sentences(content),
        "notes": [*run_notes(run), *_warnings(content.evaluations)],
        "evaluations": [await _evaluation(content, one) for one in content.evaluations],
        "race": _race(content.race),
        "provenance": provenance_document(run),
    }


def _race(race: RaceReport | None) -> Object | None:
    """The sequences as pictures; of many, as many as there are sentences."""
    if race is None:
        return None
    return {
        "rule": race.rule.label,
        "margin": None if race.rule.bar is not None else race.rule.margin,
        "bar": race.rule.bar,
        "saving": race.saving.sentence,
        "contests": race_document(race.contests[:_SENTENCES]),
    }


def _distinct(evaluations: Sequence[EvaluationContent]) -> list[EvaluationContent]:
    return list({one.evaluation.benchmark: one for one in evaluations}.values())


def title_of(one: EvaluationContent) -> str:
    return one.card.title if one.card else one.evaluation.benchmark


async def sentences(content: RunContent) -> list[str]:
    """How the models compare; for a single model, what it scored."""
    if content.race is not None:
        return [one.sentence for one in content.race.contests[:_SENTENCES]]
    pairs = model_pairs([one.evaluation for one in content.evaluations])
    if pairs:
        compared = await compare(content.stores.attempts, pairs)
        return [one.sentence for one in compared[:_SENTENCES]]
    return [_score_sentence(one) for one in content.evaluations[:_SENTENCES]]


def _score_sentence(one: EvaluationContent) -> str:
    model, score = one.evaluation.model, one.summary.score
    if score is None:
        return f"{model} has no score on {title_of(one)}: no attempt has a verdict."
    interval = score.interval
    spread = f" (95 % interval {100 * interval.low:.1f} to {100 * interval.high:.1f})" if interval else ""
    return f"{model} scored {100 * score.value:.1f} %{spread} on {title_of(one)}."


def run_notes(run: Run) -> list[str]:
    """Which items were asked, where they are not all of the official data."""
    spec = run.spec
    notes: list[str] = []
    if not spec.subset.is_whole:
        part = (
            plural(spec.subset.count, "item")
            if spec.subset.count
            else f"{spec.subset.percent} % of the items"
        )
        notes.append(
            f"The run covers a subset: {part} of each benchmark, drawn with seed {spec.subset.seed!r}."
            " A score on a subset estimates the score on the whole; its interval says how well."
        )
    if spec.items:
        notes.append(
            f"The run covers {plural(len(spec.items), 'named item')} alone: a score on items that somebody"
            " chose does not estimate the score on the whole."
        )
    source = data_source(spec.data)
    if source == "demo":
        notes.append(
            "The items are Assay's own demo items, not the official data: no published score compares."
        )
    elif source != "official":
        notes.append(f"The items come from {source}, not from the official data.")
    return notes


def _warnings(evaluations: Sequence[EvaluationContent]) -> list[Json]:
    """For the first page, which has the scores that they are about."""
    return [
        f"{one.evaluation.model} on {title_of(one)}: {warning.message}."
        for one in evaluations
        for warning in one.summary.warnings
    ]


async def _evaluation(content: RunContent, one: EvaluationContent) -> Object:
    evaluation, summary, card = one.evaluation, one.summary, one.card
    fingerprint = evaluation.fingerprint
    return {
        "model": evaluation.model,
        "benchmark": evaluation.benchmark,
        "title": title_of(one),
        "version": evaluation.benchmark_version,
        "status": evaluation.state.value,
        "error": evaluation.error,
        "stopped": summary.stopped.sentence if summary.stopped else None,
        "metric": card.metric if card else "score",
        "mode": fingerprint.mode,
        "chance": card.chance if card else None,
        "score": _estimate(summary.score),
        "scored": summary.scored,
        "total": summary.total,
        "asked": len(evaluation.item_ids),
        "size": evaluation.benchmark_size,
        "samples": evaluation.samples,
        "bounds": asdict(summary.bounds) if summary.bounds else None,
        "outcomes": _outcomes(summary.outcomes, undone=summary.total - sum(summary.outcomes.values())),
        "warnings": [one.message for one in summary.warnings],
        "cut_share": summary.cut / summary.scored if summary.scored else None,
        "tokens": asdict(summary.tokens),
        "cost_usd": _money(summary.cost_usd),
        "judge_cost_usd": _money(summary.judge_cost_usd),
        "duration_s": summary.duration_s,
        "retried": summary.retried,
        "reused": summary.reused,
        "metrics": {name: _estimate(metric) for name, metric in summary.metrics.items()},
        "categories": {name: _estimate(category) for name, category in summary.categories.items()},
        "latency": {name: dict(found) for name, found in summary.latency.items()},
        "histograms": {name: asdict(found) for name, found in (await histograms(content, one)).items()},
        "deviations": card.deviations if card else (),
        "is_masked": one.is_masked,
        "facts": facts(one),
    }


def facts(one: EvaluationContent) -> Object:
    """What must be equal for two scores to be comparable."""
    evaluation, fingerprint = one.evaluation, one.evaluation.fingerprint
    settings = evaluation.generation.given
    price = evaluation.price
    prices = None
    if price is not None:
        sent, received = amount(price.input_usd_per_million), amount(price.output_usd_per_million)
        prices = f"${sent} in, ${received} out per million tokens ({price.source})"
    return {
        "Fingerprint": fingerprint.value,
        "Benchmark": f"{evaluation.benchmark} version {evaluation.benchmark_version}",
        "Grader": fingerprint.grader,
        "Judge": fingerprint.judge,
        "Agent": fingerprint.agent,
        "Data revision": fingerprint.data_revision,
        "Data checksum": fingerprint.data_checksum,
        "Items checksum": fingerprint.items_checksum,
        "Prompts checksum": fingerprint.prompts_checksum,
        "Generation": ", ".join(f"{name} {value}" for name, value in settings.items()) or "defaults",
        "Endpoint": evaluation.endpoint,
        "Price": prices,
    }


def _estimate(estimate: Estimate | None) -> Object | None:
    if estimate is None:
        return None
    interval = estimate.interval
    return {
        "value": estimate.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "method": interval.method.value if interval else None,
        "n": estimate.n,
    }


def _outcomes(counts: Mapping[Outcome, int], *, undone: int) -> list[Json]:
    found: list[Json] = [
        {"name": outcome.value, "count": counts[outcome], "is_verdict": outcome.is_verdict}
        for outcome in Outcome
        if counts.get(outcome)
    ]
    if undone:
        found.append({"name": "not done", "count": undone, "is_verdict": False})
    return found


def _money(value: Decimal | None) -> str | None:
    return None if value is None else f"${value:.4f}"


async def histograms(content: RunContent, one: EvaluationContent) -> dict[str, Histogram]:
    """Of the times that attempts took, by name."""
    values = {name: array("d") for name in _TIMINGS}
    async for attempt in content.stores.attempts.results(one.evaluation.id):
        for name in _TIMINGS:
            value: float | None = getattr(attempt.timing, name) if attempt.timing else None
            if value is not None:
                values[name].append(value)
    return {name: histogram(found) for name, found in values.items() if found}


def histogram(values: Sequence[float]) -> Histogram:
    top = percentiles(values, (_SHOWN_PERCENTILE,))[_SHOWN_PERCENTILE] or max(values) or 1.0
    counts = [0] * _BINS
    beyond = 0
    for value in values:
        # A value equal to the top belongs to the last bin.
        if value > top:
            beyond += 1
        else:
            counts[min(int(value / top * _BINS), _BINS - 1)] += 1
    return Histogram(counts, top, beyond, len(values))
