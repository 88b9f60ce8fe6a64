"""The composite of each model of a run, from its stored evaluations and attempts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.domain.composite import Composite, CompositeRule, Part, PartScore, composite, mean_of, no_data
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.measures import Measures, MeasureTally
from assay.engine.results.part_values import GENERIC_SCALE, JANUS_SCALE, Mean, PartTally, pooled
from assay.engine.stores.attempts import AttemptStore

RESEARCH, TOOL_USE = "janus_research", "janus_tool_use"
MULTIMODAL, STREAMING, COST = "janus_multimodal", "janus_streaming", "janus_cost"
JANUS_BENCHMARKS: tuple[str, ...] = (RESEARCH, TOOL_USE, MULTIMODAL, STREAMING, COST)


@dataclass(frozen=True, slots=True)
class ModelComposite:
    """`is_janus` tells by which formulas; `measures` are those of each benchmark."""

    model: str
    is_janus: bool
    composite: Composite
    measures: Mapping[str, Measures]


@dataclass(slots=True)
class _Read:
    """An evaluation with what was read of its attempts."""

    evaluation: Evaluation
    tally: PartTally
    measures: MeasureTally


async def composites(
    evaluations: Sequence[Evaluation],
    *,
    rule: CompositeRule,
    attempts: AttemptStore,
    catalogue: Catalogue,
) -> tuple[ModelComposite, ...]:
    """One for each model, in the order of the run; every attempt is read once."""
    return tuple(
        [
            await _model_composite(
                [one for one in evaluations if one.model == model], rule, attempts, catalogue
            )
            for model in dict.fromkeys(one.model for one in evaluations)
        ]
    )


async def _model_composite(
    evaluations: Sequence[Evaluation], rule: CompositeRule, attempts: AttemptStore, catalogue: Catalogue
) -> ModelComposite:
    is_janus = all(one.benchmark in JANUS_BENCHMARKS for one in evaluations)
    scale = JANUS_SCALE if is_janus else GENERIC_SCALE
    found: dict[str, _Read] = {}
    for one in evaluations:
        read = found[one.benchmark] = _Read(one, PartTally(scale), MeasureTally(repeats=one.samples > 1))
        async for attempt in attempts.results(one.id):
            read.tally.add(attempt)
            read.measures.add(attempt)
    of = _janus if is_janus else _generic
    parts, gates = of(found, catalogue)
    return ModelComposite(
        evaluations[0].model,
        is_janus,
        composite(parts, rule=rule, gates=gates),
        {name: read.measures.measures() for name, read in found.items()},
    )


_Parts = Mapping[Part, PartScore]


def _janus(found: Mapping[str, _Read], catalogue: Catalogue) -> tuple[_Parts, _Parts]:
    """By the formulas of the Janus suite; a benchmark that the run does not have is missing data."""
    cost = _score(found, COST)
    streams = [found[STREAMING]] if STREAMING in found else []
    parts = {
        Part.QUALITY: mean_of([_score(found, RESEARCH), _score(found, TOOL_USE)]),
        Part.SPEED: _speed(list(found.values())),
        Part.COST: cost,
        Part.STREAMING: _streaming(streams),
        Part.MULTIMODAL: _score(found, MULTIMODAL),
    }
    quality = mean_of([_guarded(found, name, catalogue) for name in (RESEARCH, TOOL_USE)])
    gates = {
        Part.SPEED: quality,
        Part.COST: quality,
        # A steady stream of something else than what was asked for is worth nothing either.
        Part.STREAMING: _lower(quality, _guarded(found, STREAMING, catalogue)),
    }
    return parts, gates


def _generic(found: Mapping[str, _Read], catalogue: Catalogue) -> tuple[_Parts, _Parts]:
    """By the formulas for any other benchmarks: all but the one for several media make the quality."""
    names = [name for name in found if name != MULTIMODAL]
    reads = list(found.values())
    quality = mean_of([_guarded(found, name, catalogue) for name in names])
    parts = {
        Part.QUALITY: mean_of([_score(found, name) for name in names]),
        Part.SPEED: _speed(reads),
        Part.COST: _cost(reads),
        Part.STREAMING: _streaming(reads),
        Part.MULTIMODAL: _score(found, MULTIMODAL),
    }
    return parts, dict.fromkeys((Part.SPEED, Part.COST, Part.STREAMING), quality)


def _score(found: Mapping[str, _Read], benchmark: str) -> PartScore:
    """The score of an evaluation, with what it would be if all that is missing were wrong or right."""
    if benchmark not in found:
        return no_data(f"{benchmark} is not in the run")
    evaluation = found[benchmark].evaluation
    summary, total = evaluation.summary, evaluation.total_attempts
    if summary is None or summary.score is None or summary.bounds is None:
        return PartScore(None, 0.0, 1.0, 0, total, f"{benchmark} has no score")
    value, bounds = summary.score.value, summary.bounds
    return PartScore(value, min(value, bounds.low), max(value, bounds.high), summary.scored, total)


def _guarded(found: Mapping[str, _Read], benchmark: str, catalogue: Catalogue) -> PartScore:
    """The score corrected for guessing: 0 at the chance level, 1 where everything is right."""
    score = _score(found, benchmark)
    try:
        chance = catalogue.get(benchmark).card.chance
    except UnknownNameError:
        chance = 0.0

    def corrected(value: float) -> float:
        return max(0.0, (value - chance) / (1 - chance)) if chance < 1 else 0.0

    value = None if score.value is None else corrected(score.value)
    return replace(score, value=value, low=corrected(score.low), high=corrected(score.high))


def _lower(one: PartScore, other: PartScore) -> PartScore:
    values = (one.value, other.value)
    return PartScore(
        None if None in values else min(value for value in values if value is not None),
        min(one.low, other.low),
        min(one.high, other.high),
        one.n + other.n,
        one.total + other.total,
    )


def _speed(reads: Sequence[_Read]) -> PartScore:
    ttft = _pooled(reads, lambda tally: tally.ttft, without="no reply was timed")
    rate = _pooled(reads, lambda tally: tally.rate, without="no reply has a rate of tokens")
    return mean_of([ttft, rate])


def _cost(reads: Sequence[_Read]) -> PartScore:
    found = _pooled(reads, lambda tally: tally.cost, without="the endpoint reported no tokens")
    known = set[str]().union(*(read.tally.cost_measures for read in reads))
    return replace(found, note=f"from {', '.join(sorted(known))}") if known else found


def _streaming(reads: Sequence[_Read]) -> PartScore:
    if not reads:
        return no_data(f"{STREAMING} is not in the run")
    return _pooled(reads, lambda tally: tally.continuity, without="no reply is long enough")


def _pooled(reads: Sequence[_Read], of: Callable[[PartTally], Mean], *, without: str) -> PartScore:
    is_answered = any(read.tally.answered for read in reads)
    means = [of(read.tally) for read in reads]
    return pooled(means).score(
        _attempts(reads), without=without if is_answered else "no attempt was answered"
    )


def _attempts(reads: Sequence[_Read]) -> int:
    return sum(read.evaluation.total_attempts for read in reads)
