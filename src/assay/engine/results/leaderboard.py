"""Ranks models on a benchmark: only comparable scores are ranked, and ties share a rank."""

import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assay.domain.fingerprint import Fingerprint, differences
from assay.domain.run import Evaluation, EvaluationId, Run, State
from assay.domain.stats import Estimate, PairedResult, Verdict, holm
from assay.domain.summary import Summary
from assay.engine.results.compare import Comparison, compare
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.runs import RunFilter, RunStore

_PAGE = 200
_KEPT_PAIRS = 4_096


@dataclass(frozen=True, slots=True)
class Entry:
    """An evaluation with the run it belongs to."""

    run: Run
    evaluation: Evaluation


@dataclass(frozen=True, slots=True)
class Row:
    """The best run of a model; `above` compares the model one place higher with this one."""

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

    async def comparison(self, ours: Evaluation, theirs: Evaluation) -> Comparison:
        key = (*_identity(ours), *_identity(theirs))
        if key not in self._known:
            [self._known[key]] = await compare(self._attempts, [(ours, theirs)])
            if len(self._known) > _KEPT_PAIRS:
                self._known.popitem(last=False)
        return self._known[key]


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
    tables = [await _table(members, pairs) for members in groups.values()]
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


async def _table(members: Sequence[_Scored], pairs: PairMemory) -> Table:
    by_model: dict[str, list[_Scored]] = defaultdict(list)
    for one in members:
        by_model[one.entry.evaluation.model].append(one)
    best = [max(own, key=lambda one: one.certain) for own in by_model.values()]
    best.sort(key=lambda one: (-one.score.value, one.entry.evaluation.model))
    above = await _neighbours([one.entry.evaluation for one in best], pairs)
    ranks = _ranks([comparison.result for comparison in above])
    rows = [
        Row(
            rank=rank,
            entry=one.entry,
            score=one.score,
            summary=one.summary,
            runs=len(by_model[one.entry.evaluation.model]),
            is_tied=ranks.count(rank) > 1,
            above=comparison,
        )
        for rank, one, comparison in zip(ranks, best, (None, *above), strict=True)
    ]
    first = best[0].entry
    return Table(first.evaluation.fingerprint, first.run.spec.data, tuple(rows), ())


async def _neighbours(best: Sequence[Evaluation], pairs: PairMemory) -> tuple[Comparison, ...]:
    """Each model with the one below it; p-values are adjusted over the table."""
    found = [await pairs.comparison(upper, lower) for upper, lower in itertools.pairwise(best)]
    p_values = [one.result.p_value for one in found if one.result is not None]
    if len(p_values) <= 1:
        return tuple(found)
    adjusted = iter(holm(p_values))
    return tuple(
        replace(one, result=one.result.adjusted(next(adjusted))) if one.result else one for one in found
    )


def _ranks(above: Sequence[PairedResult | None]) -> list[int]:
    """A model shares the rank of the one above unless that one is shown to be better."""
    ranks = [1]
    for place, result in enumerate(above, start=2):
        is_below = result is not None and result.verdict is Verdict.BETTER
        ranks.append(place if is_below else ranks[-1])
    return ranks
