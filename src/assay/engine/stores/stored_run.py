"""How runs stand: what lists and overviews show of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, State
from assay.domain.shard import Shard
from assay.engine.ports import RunFilter

_SUMMARISED = frozenset({State.SUCCEEDED, State.FAILED})


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its evaluations, and how the attempts of each that have ended did so."""

    run: Run
    evaluations: tuple[Evaluation, ...]
    outcomes: Mapping[EvaluationId, Mapping[Outcome, int]]

    def completed(self, evaluation: Evaluation) -> int:
        return sum(self.outcomes[evaluation.id].values())


@dataclass(frozen=True, slots=True)
class StoredPage:
    """`total` counts every run the filter matches, not just this page."""

    runs: tuple[StoredRun, ...]
    total: int


class StoredRuns(Protocol):
    """Each method is one transaction: all that it tells is of one moment."""

    async def stored_page(self, wanted: RunFilter) -> StoredPage:
        """Newest first; evaluations with the number of items in place of their ids."""
        ...

    async def stored_run(self, run_id: str) -> StoredRun:
        """The run with this id, or the only one whose id starts so; raises UnknownNameError."""
        ...

    async def state_counts(self) -> Mapping[State, int]:
        """How many runs there are in each state."""
        ...

    async def open_shards(self, run_ids: Sequence[RunId]) -> tuple[Shard, ...]: ...


def uncounted(evaluations: Mapping[RunId, Sequence[Evaluation]]) -> list[RunId]:
    """The runs with attempts that no summary has counted."""
    return [run_id for run_id, own in evaluations.items() if not all(map(_is_counted, own))]


def stored_run(
    run: Run, evaluations: tuple[Evaluation, ...], counts: Mapping[EvaluationId, Mapping[Outcome, int]]
) -> StoredRun:
    """Put together, given the counts of what is `uncounted`."""
    return StoredRun(run, evaluations, {one.id: _outcomes(one, counts) for one in evaluations})


def _outcomes(
    evaluation: Evaluation, counts: Mapping[EvaluationId, Mapping[Outcome, int]]
) -> Mapping[Outcome, int]:
    if _is_counted(evaluation) and evaluation.summary is not None:
        return evaluation.summary.outcomes
    return counts.get(evaluation.id, {})


def _is_counted(evaluation: Evaluation) -> bool:
    """Whether its attempts need not be counted: it has none yet, or all that it will have are summarised."""
    is_summarised = evaluation.state in _SUMMARISED and evaluation.summary is not None
    return evaluation.started_at is None or is_summarised
