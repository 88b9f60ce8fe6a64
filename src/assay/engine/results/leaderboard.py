"""Ranks models on a benchmark, among comparable scores, by how many models are shown to be better."""

import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assay.domain.fingerprint import Fingerprint, differences
from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.domain.stats import Estimate, Verdict
from assay.domain.summary import Summary
from assay.engine.results.compare import Comparison, ItemScores, adjusted, comparison
from assay.engine.results.noise_floor import variances_among, with_noise_floors
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.runs import RunFilter, RunStore

_PAGE = 200
# All pairs of a table of two hundred models.
_KEPT_PAIRS = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """An evaluation with the run it belongs to."""

    run: Run
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class Row:
    """The best run of a model; `rank` is 1 plus the number of models that are shown to be better.

    `above` compares the model of the row above with this one.
    """

    rank: int
    entry: Entry
    score: Estimate
    summary: Summary
    runs: int
    is_tied: bool
    above: Comparison | None


@dataclass(frozen=True, slots=True)
class Table:
    """Scores with one fingerprint; `differing` names what differs from the first table's."""

    fingerprint: Fingerprint
    data: str
    rows: tuple[Row, ...]
    differing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unranked:
    entry: Entry
    reason: str


@dataclass(frozen=True, slots=True)
class Leaderboard:
    tables: tuple[Table, ...]
    unranked: tuple[Unranked, ...]


class PairMemory:
    """Caches comparisons of finished evaluations."""

    def __init__(self, attempts: AttemptStore) -> None:
        self._attempts = attempts
        self._known: OrderedDict[tuple[object, ...], Comparison] = OrderedDict()

    async def comparisons(self, evaluations: Sequence[Evaluation]) -> tuple[Comparison, ...]:
        """Each evaluation with every later one; p-values are adjusted over all of these."""
        scores = ItemScores(self._attempts)
        found: list[Comparison] = []
        for ours, theirs in itertools.combinations(evaluations, 2):
            key = (*_identity(ours), *_identity(theirs))
            if key not in self._known:
                self._known[key] = await comparison(scores, ours, theirs)
                if len(self._known) > _KEPT_PAIRS:
                    self._known.popitem(last=False)
            found.append(self._known[key])
        return adjusted(found)


def _identity(evaluation: Evaluation) -> tuple[EvaluationId, datetime | None]:
    # An evaluation that was reopened ends at another time.
    return evaluation.id, evaluation.finished_at


async def entries(runs: RunStore, benchmark: str) -> list[Entry]:
    """Every evaluation of the benchmark, those of the newest run first."""
    found: list[Entry] = []
    for offset in itertools.count(step=_PAGE):
        page = await runs.page(RunFilter(benchmark=benchmark, limit=_PAGE, offset=offset))
        evaluations = await runs.evaluations_of([run.id for run in page.runs])
        found += [
            Entry(run, one) for run in page.runs for one in evaluations[run.id] if one.benchmark == benchmark
        ]
        if offset + _PAGE >= page.total:
            break
    return found


async def leaderboard(found: Sequence[Entry], pairs: PairMemory) -> Leaderboard:
    """Rank each fingerprint on its own: official data first, then the tables with the most models."""
    groups: dict[tuple[str, str], list[_Scored]] = defaultdict(list)
    unranked: list[Unranked] = []
    for entry in found:
        scored = _scored(entry)
        if isinstance(scored, Unranked):
            unranked.append(scored)
        else:
            groups[entry.evaluation.fingerprint.value, entry.run.spec.data].append(scored)
    stored = [one.evaluation for one in found]
    tables = [await _table(members, pairs, stored) for members in groups.values()]
    tables.sort(key=lambda table: (table.data != "official", -len(table.rows)))
    return Leaderboard(
        tuple(replace(one, differing=differences(tables[0].fingerprint, one.fingerprint)) for one in tables),
        tuple(unranked),
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    entry: Entry
    summary: Summary
    score: Estimate

    @property
    def certain(self) -> float:
        """Missing attempts count as wrong: a run that lost half its items must not be the best by luck."""
        return self.summary.bounds.low if self.summary.bounds else self.score.value


def _scored(entry: Entry) -> _Scored | Unranked:
    evaluation = entry.evaluation
    summary = evaluation.summary
    match evaluation.state:
        case State.SUCCEEDED if summary and summary.stopped:
            return Unranked(
                entry, "it stopped early, when its own scores had settled what it was started for"
            )
        case State.SUCCEEDED if summary and summary.score:
            return _Scored(entry, summary, summary.score)
        case State.SUCCEEDED:
            return Unranked(entry, "no attempt has a verdict")
        case State.FAILED:
            return Unranked(entry, f"it failed: {evaluation.error}")
        case State.CANCELED:
            return Unranked(entry, "it was canceled")
        case _:
            return Unranked(entry, f"it is {evaluation.state.value} and has no final score yet")


async def _table(members: Sequence[_Scored], pairs: PairMemory, stored: Sequence[Evaluation]) -> Table:
    by_model: dict[str, list[_Scored]] = defaultdict(list)
    for one in members:
        by_model[one.entry.evaluation.model].append(one)
    best = [max(own, key=lambda one: one.certain) for own in by_model.values()]
    best.sort(key=lambda one: (-one.score.value, one.entry.evaluation.model))
    ranks = _ranks(list(by_model), await pairs.comparisons([one.entry.evaluation for one in best]))
    # A model with few verdicts is not shown to be worse than others, however low its score.
    best.sort(key=lambda one: ranks[one.entry.evaluation.model])
    models = [one.entry.evaluation.model for one in best]
    compared = await pairs.comparisons([one.entry.evaluation for one in best])
    variances = variances_among((one.entry.evaluation for one in best), stored)
    noted = with_noise_floors(compared, variances)
    by_pair = {(one.ours.model, one.theirs.model): one for one in noted}
    above = [by_pair[neighbours] for neighbours in itertools.pairwise(models)]
    rows = [
        Row(
            rank=ranks[model],
            entry=one.entry,
            score=one.score,
            summary=one.summary,
            runs=len(by_model[model]),
            is_tied=list(ranks.values()).count(ranks[model]) > 1,
            above=neighbour,
        )
        for model, one, neighbour in zip(models, best, (None, *above), strict=True)
    ]
    first = best[0].entry
    return Table(first.evaluation.fingerprint, first.run.spec.data, tuple(rows), ())


def _ranks(models: Sequence[str], compared: Sequence[Comparison]) -> dict[str, int]:
    ranks = dict.fromkeys(models, 1)
    for one in compared:
        if one.result is None:
            continue
        if one.result.verdict is Verdict.BETTER:
            ranks[one.theirs.model] += 1
        elif one.result.verdict is Verdict.WORSE:
            ranks[one.ours.model] += 1
    return ranks
