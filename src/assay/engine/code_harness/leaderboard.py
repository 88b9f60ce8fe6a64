"""The best run of each model and thinking level, ranked among runs of the same tasks and options alone."""

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from assay.domain.errors import ConflictError
from assay.domain.json_value import Json, digest
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, State
from assay.domain.stats import Estimate
from assay.domain.summary import Summary, result_warnings
from assay.engine.code_harness.names import (
    BENCHMARK,
    REPLAYED,
    is_variant_of,
    level_of,
    options_of,
    without_level,
)
from assay.engine.stores.runs import RunFilter, RunStore

_PAGE = 200
_ACCURACY = "accuracy"
_SHOWN_METRICS = ("pass@", "type:", "difficulty:")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One model at one level in one run; `missing` attempts ended without a verdict."""

    run_id: RunId
    model: str
    level: str
    created_at: datetime
    passed: int
    graded: int
    missing: int
    cost_usd: Decimal | None
    duration_s: float | None
    # pass@k, and accuracy by language, type and difficulty.
    figures: Mapping[str, Estimate] = field(default_factory=dict[str, Estimate])

    @property
    def accuracy(self) -> float:
        return self.passed / self.graded

    @property
    def certain_accuracy(self) -> float:
        """As if every missing attempt had failed."""
        return self.passed / (self.graded + self.missing)


@dataclass(frozen=True, slots=True)
class Row:
    """A model at a level with its best run; cost and duration are those of that run."""

    best: Candidate
    runs: int


@dataclass(frozen=True, slots=True)
class Unranked:
    run_id: RunId
    model: str
    level: str
    reason: str


@dataclass(frozen=True, slots=True)
class Board:
    """Runs that differ in nothing but the model and the thinking level.

    `key` identifies the board; `benchmark` is the name with its other options. A whole board is one of every
    task that comes with Assay.
    """

    key: str
    benchmark: str
    data: str
    tasks: int
    samples: int
    temperature: float | None
    is_whole: bool
    runs: int
    rows: tuple[Row, ...]
    unranked: tuple[Unranked, ...]


async def code_boards(runs: RunStore, *, family: str = BENCHMARK) -> tuple[Board, ...]:
    """All boards of the stored runs, the default one first if there is one."""
    return boards(await _evaluations(runs, family))


async def runs_behind(
    runs: RunStore, board: str, *, model: str, level: str, family: str = BENCHMARK
) -> tuple[RunId, ...]:
    """The runs of a row of the board with this key, ranked or not.

    Raises ConflictError if one of them has results of another row, as only whole runs can be removed.
    """
    found = await _evaluations(runs, family)
    is_behind = {one.id: (_key(one), one.model, level_of(one)) == (board, model, level) for _, one in found}
    behind = tuple(dict.fromkeys(run.id for run, one in found if is_behind[one.id]))
    evaluations = await runs.evaluations_of(behind)
    for run_id in behind:
        for one in evaluations[run_id]:
            if not is_behind.get(one.id, False):
                raise ConflictError(
                    f"run {run_id[:8]!r} also has results of {one.model!r} on {one.benchmark!r},"
                    " which would be removed with it: remove the run itself if that is meant"
                )
    return behind


def default_board(found: Sequence[Board]) -> Board | None:
    """Of the whole boards, the one with the most runs: a run of a few tasks must not rank beside it."""
    return next((one for one in found if one.is_whole), None)


def boards(found: Sequence[tuple[Run, Evaluation]]) -> tuple[Board, ...]:
    groups: dict[str, list[tuple[Run, Evaluation]]] = defaultdict(list)
    for run, evaluation in found:
        groups[_key(evaluation)].append((run, evaluation))
    all_of_them = [_board(key, members) for key, members in groups.items()]
    return tuple(sorted(all_of_them, key=lambda one: (not one.is_whole, -one.runs, one.key)))


def row_document(row: Row) -> dict[str, Json]:
    best = row.best
    return {
        "model_id": best.model,
        "thinking_level": best.level,
        "best_accuracy": best.accuracy,
        "cost_at_best": None if best.cost_usd is None else float(best.cost_usd),
        "duration_at_best": best.duration_s,
        "best_run_id": best.run_id,
        "runs": row.runs,
        "attempts": best.graded,
        "api_errors": best.missing,
        "figures": {name: _figure(one) for name, one in best.figures.items()},
    }


def _figure(one: Estimate) -> dict[str, Json]:
    interval = one.interval
    return {
        "value": one.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "n": one.n,
    }


def board_document(board: Board) -> dict[str, Json]:
    options = options_of(board.benchmark)
    return {
        "key": board.key,
        "tasks": board.tasks,
        "is_whole": board.is_whole,
        "data": board.data,
        "samples": board.samples,
        "temperature": board.temperature,
        "options": [f"{name}={value}" if value else name for name, value in options.items()],
        "runs": board.runs,
        "models": [row_document(row) for row in board.rows],
        "unranked": [asdict(one) for one in board.unranked],
    }


async def _evaluations(runs: RunStore, family: str) -> list[tuple[Run, Evaluation]]:
    found: list[tuple[Run, Evaluation]] = []
    for offset in itertools.count(step=_PAGE):
        page = await runs.page(RunFilter(benchmark_prefix=family, limit=_PAGE, offset=offset))
        evaluations = await runs.evaluations_of([run.id for run in page.runs])
        found += [
            (run, one)
            for run in page.runs
            for one in evaluations[run.id]
            if is_variant_of(one.benchmark, family)
        ]
        if offset + _PAGE >= page.total:
            break
    return found


def _key(evaluation: Evaluation) -> str:
    """The fingerprint without what the thinking level changes in it."""
    generation = replace(evaluation.generation, reasoning_effort=None)
    equal = replace(
        evaluation.fingerprint,
        benchmark=without_level(evaluation.benchmark),
        mode="",
        # A budget is a field of the request, and so in this checksum; items and version say the same.
        prompts_checksum="",
        generation=digest(generation.to_json()),
    )
    return equal.value


def _board(key: str, members: Sequence[tuple[Run, Evaluation]]) -> Board:
    run, evaluation = members[0]
    ranked: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    unranked: list[Unranked] = []
    for own_run, own in members:
        candidate = _candidate(own_run, own)
        if isinstance(candidate, Unranked):
            unranked.append(candidate)
        else:
            ranked[candidate.model, candidate.level].append(candidate)
    rows = [Row(min(own, key=_better_first), len({one.run_id for one in own})) for own in ranked.values()]
    return Board(
        key=key,
        benchmark=without_level(evaluation.benchmark),
        data=run.spec.data,
        tasks=evaluation.asked_items,
        samples=evaluation.samples,
        temperature=evaluation.generation.temperature,
        is_whole=run.spec.data == "official" and evaluation.asked_items == evaluation.benchmark_size,
        runs=len({own_run.id for own_run, _ in members}),
        rows=tuple(sorted(rows, key=_rank)),
        unranked=tuple(unranked),
    )


def _candidate(run: Run, evaluation: Evaluation) -> Candidate | Unranked:
    summary = evaluation.summary
    reason = _reason_not_to_rank(evaluation)
    if reason is not None or summary is None:
        return Unranked(run.id, evaluation.model, level_of(evaluation), reason or "it has no result yet")
    return Candidate(
        run_id=run.id,
        model=evaluation.model,
        level=level_of(evaluation),
        created_at=run.created_at,
        passed=summary.outcomes.get(Outcome.CORRECT, 0),
        graded=summary.scored,
        missing=evaluation.total_attempts - summary.scored,
        cost_usd=summary.cost_usd,
        duration_s=summary.duration_s,
        figures=_figures(summary),
    )


def _figures(summary: Summary) -> dict[str, Estimate]:
    """Categories are languages in the code catalogue, and subjects in Expert QA."""
    accuracy = {} if summary.score is None else {_ACCURACY: summary.score}
    shown = {name: one for name, one in summary.metrics.items() if name.startswith(_SHOWN_METRICS)}
    return {**accuracy, **shown, **{f"category:{name}": one for name, one in summary.categories.items()}}


def _reason_not_to_rank(evaluation: Evaluation) -> str | None:
    summary = evaluation.summary
    if evaluation.model.startswith(f"{REPLAYED}/"):
        return "its replies were read from a file"
    if evaluation.state is not State.SUCCEEDED:
        return f"it is {evaluation.state.value}"
    if summary is None or not summary.scored:
        return "no attempt was graded"
    warnings = [one for one in result_warnings(summary.outcomes) if one.code == "many_errors"]
    return warnings[0].message if warnings else None


def _better_first(one: Candidate) -> tuple[float, bool, Decimal, float, float]:
    # Missing attempts count as failed here: a run that lost half of its tasks must not be the best by luck.
    return -one.certain_accuracy, *_costs_first(one), -one.created_at.timestamp()


def _rank(row: Row) -> tuple[float, bool, Decimal, float, str, str]:
    best = row.best
    return -best.accuracy, *_costs_first(best), best.model, best.level


def _costs_first(one: Candidate) -> tuple[bool, Decimal, float]:
    """A known cost before an unknown one."""
    duration_s = float("inf") if one.duration_s is None else one.duration_s
    return one.cost_usd is None, one.cost_usd or Decimal(0), duration_s
