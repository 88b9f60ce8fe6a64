"""How many items it takes to tell two models apart on a benchmark."""

import asyncio
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.domain.benchmark import ItemId
from assay.domain.datasets.dataset import DatasetRef, is_dataset
from assay.domain.errors import InvalidValueError
from assay.domain.run import Evaluation, State
from assay.domain.stats import clustered_standard_error, pairs_needed, pairs_to_find
from assay.engine.datasets.benchmark import dataset_card
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.compare import ItemScores
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

_RUNS = 50
_MOST_MODELS = 6
_FEWEST_ITEMS = 30
_LARGEST_DIFFERENCE = 0.5


@dataclass(frozen=True, slots=True)
class SampleSizeRequest:
    """A model with this score, and another that lies `difference` above or below it."""

    score: float
    difference: float
    alpha: float = 0.05
    power: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.score <= 1:
            raise InvalidValueError(f"score must be 0 to 1, such as 0.72 for 72 %, not {self.score:g}")
        if not 0 < self.difference <= _LARGEST_DIFFERENCE:
            raise InvalidValueError(
                f"difference must be above 0 and at most {_LARGEST_DIFFERENCE:g}, such as 0.02 for 2 points,"
                f" not {self.difference:g}"
            )
        if not 0 < self.alpha < 0.5 or not 0.5 <= self.power < 1:  # noqa: PLR2004  more, or less, is no evidence
            raise InvalidValueError(
                f"alpha must lie between 0 and 0.5, and power from 0.5 to below 1, not {self.alpha:g} and"
                f" {self.power:g}"
            )


@dataclass(frozen=True, slots=True)
class StoredSpread:
    """Variances in stored runs, as medians of shares of what independent yes/no answers would have.

    `single` is of the scores of a model, `paired` of the differences of two; None where too little is stored.
    `score` is the median of the models' scores.
    """

    single: float | None
    paired: float | None
    models: tuple[str, ...]
    pairs: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """Items to find the difference: the same for both models, or for each of them its own.

    `equivalent` shows that the models lie within the difference, if they score the same.
    """

    paired: int
    unpaired: int
    equivalent: int


def sample_sizes(wanted: SampleSizeRequest, spread: StoredSpread) -> SampleSizes:
    """Where nothing is stored, the variances are those of independent yes/no answers, an upper bound.

    No score from 0 to 1 varies more than a yes/no answer with the same mean, and models that are asked the
    same find the same items hard.
    """
    own = wanted.score * (1 - wanted.score)
    others = (wanted.score - wanted.difference, wanted.score + wanted.difference)
    both = own + max(score * (1 - score) for score in others if 0 <= score <= 1)
    paired = 1.0 if spread.paired is None else spread.paired
    single = 1.0 if spread.single is None else spread.single
    return SampleSizes(
        paired=_to_find(paired * both, wanted),
        unpaired=_to_find(single * both, wanted),
        equivalent=_to_show(paired * 2 * own, wanted),
    )


def _to_find(variance: float, wanted: SampleSizeRequest) -> int:
    square = variance + wanted.difference**2
    return pairs_to_find(square, wanted.difference, level=1 - wanted.alpha, power=wanted.power)


def _to_show(variance: float, wanted: SampleSizeRequest) -> int:
    needed = pairs_needed(min(1.0, variance), wanted.difference, level=1 - wanted.alpha, power=wanted.power)
    # Items that share a passage may vary more than single ones can, and take as many more.
    return math.ceil(needed * max(1.0, variance))


class ComparedBenchmark(NamedTuple):
    """What is asked of the models; `size` counts the items that can be scored."""

    name: str
    version: str
    size: int


async def compared_benchmark(stores: Stores, catalogue: Catalogue, name: str) -> ComparedBenchmark:
    """An installed benchmark, or a data set; raises UnknownNameError."""
    if is_dataset(name):
        dataset = await stores.datasets.named(DatasetRef.parse(name))
        if not dataset.graded:
            raise InvalidValueError(
                f"{dataset.benchmark!r} has no line that can be graded: nothing to compare"
            )
        return ComparedBenchmark(dataset.benchmark, dataset_card(dataset).version, dataset.graded)
    card = catalogue.get(name).card
    return ComparedBenchmark(card.name, card.version, card.size)


class _Scores(NamedTuple):
    values: Mapping[ItemId, float]
    clusters: Mapping[ItemId, str]


async def stored_spread(stores: Stores, benchmark: str, *, version: str, data: str) -> StoredSpread:
    """From the latest evaluation of each of up to six models that ended, on the same version and data."""
    scores = ItemScores(stores.attempts)
    read: dict[str, _Scores] = {}
    for one in await _latest(stores, benchmark, version=version, data=data):
        facts = await stores.runs.item_facts(one.id)
        clusters = {item: fact.cluster or item for item, fact in zip(one.item_ids, facts, strict=False)}
        read[one.model] = _Scores(await scores.of(one), clusters)
    # Half a second for each pair of twelve thousand items: too long for an event loop that others wait on.
    return await asyncio.to_thread(_spread, read)


async def _latest(stores: Stores, benchmark: str, *, version: str, data: str) -> list[Evaluation]:
    page = await stores.runs.page(RunFilter(state=State.SUCCEEDED, benchmark=benchmark, limit=_RUNS))
    found: dict[str, Evaluation] = {}
    for run in page.runs:
        if run.spec.data != data or len(found) >= _MOST_MODELS:
            continue
        for one in await stores.runs.evaluations(run.id):
            has_score = one.summary is not None and one.summary.score is not None
            if one.benchmark == benchmark and one.benchmark_version == version and has_score:
                found.setdefault(one.model, one)
    return list(found.values())[:_MOST_MODELS]


def _spread(read: Mapping[str, _Scores]) -> StoredSpread:
    singles = {model: _ratio([one.values], one) for model, one in read.items()}
    pairs = [
        _ratio([ours.values, theirs.values], ours)
        for ours, theirs in itertools.combinations(read.values(), 2)
    ]
    known = [ratio for ratio in singles.values() if ratio is not None]
    means = [
        statistics.fmean(read[model].values.values()) for model, ratio in singles.items() if ratio is not None
    ]
    differing = [ratio for ratio in pairs if ratio is not None]
    return StoredSpread(
        single=statistics.median(known) if known else None,
        paired=statistics.median(differing) if differing else None,
        models=tuple(model for model, ratio in singles.items() if ratio is not None),
        pairs=len(differing),
        score=statistics.median(means) if means else None,
    )


def _ratio(scores: Sequence[Mapping[ItemId, float]], clustered: _Scores) -> float | None:
    """Variance of an item's score, or of the difference of two, over that of independent yes/no answers."""
    shared = sorted(scores[0].keys() & scores[-1].keys())
    if len(shared) < _FEWEST_ITEMS:
        return None
    means = [math.fsum(one[item] for item in shared) / len(shared) for one in scores]
    independent = math.fsum(mean * (1 - mean) for mean in means)
    values = [scores[0][item] - sum(other[item] for other in scores[1:]) for item in shared]
    error = clustered_standard_error(values, [clustered.clusters.get(item, item) for item in shared])
    if not independent or error is None:
        return None
    # With half an item more that differs: none among few does not promise none among many.
    return (error**2 * len(shared) + 0.5 / len(shared)) / independent
