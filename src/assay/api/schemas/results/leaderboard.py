"""Leaderboards as responses."""

from typing import Self

from pydantic import Field

from assay.api.schemas.evaluations import Estimate, ResultWarning, usd
from assay.api.schemas.fields import FreeText, Moment, Schema
from assay.api.schemas.results.comparisons import PairedStatistics
from assay.domain.run import State
from assay.engine.results import leaderboard


class LeaderboardRow(Schema):
    """The best run of a model; the rows are in the order of their scores."""

    rank: int = Field(description="1 plus the number of models that are shown to be better")
    is_tied: bool = Field(description="Whether another model has the same rank")
    model: FreeText
    run_id: str
    evaluation_id: str
    score: Estimate
    warnings: tuple[ResultWarning, ...]
    scored: int
    total: int
    cost_usd: float | None = Field(description="Null if any part of it is unknown")
    duration_s: float | None
    finished_at: Moment | None
    runs: int = Field(description="Runs of this model that count in this table")
    above: PairedStatistics | None = Field(
        description="The model above compared with this one; null at the top and without shared items"
    )
    sentence: FreeText | None = Field(description="The comparison in words")
    is_within_noise: bool = Field(
        description="Whether asking both models again may change as much as they differ by"
    )

    @classmethod
    def of(cls, row: leaderboard.Row) -> Self:
        evaluation, above = row.entry.evaluation, row.above
        return cls(
            rank=row.rank,
            is_tied=row.is_tied,
            model=evaluation.model,
            run_id=evaluation.run_id,
            evaluation_id=evaluation.id,
            score=Estimate.of(row.score),
            warnings=ResultWarning.all_of(row.summary),
            scored=row.summary.scored,
            total=row.summary.total,
            cost_usd=usd(row.summary.cost_usd),
            duration_s=row.summary.duration_s,
            finished_at=evaluation.finished_at,
            runs=row.runs,
            above=PairedStatistics.of(above.result) if above and above.result else None,
            sentence=above.sentence if above else None,
            is_within_noise=above is not None and above.is_within_noise,
        )


class LeaderboardTable(Schema):
    """Scores that can be compared: their fingerprints are equal.

    `differing` names the parts of the fingerprint that differ from the first table.
    """

    fingerprint: str
    data: FreeText
    benchmark_version: str
    mode: str
    samples: int
    differing: tuple[str, ...]
    rows: tuple[LeaderboardRow, ...]

    @classmethod
    def of(cls, table: leaderboard.Table) -> Self:
        fingerprint = table.fingerprint
        return cls(
            fingerprint=fingerprint.value,
            data=table.data,
            benchmark_version=fingerprint.benchmark_version,
            mode=fingerprint.mode,
            samples=fingerprint.samples,
            differing=table.differing,
            rows=tuple(LeaderboardRow.of(row) for row in table.rows),
        )


class UnrankedEvaluation(Schema):
    model: FreeText
    run_id: str
    evaluation_id: str
    status: State
    reason: FreeText

    @classmethod
    def of(cls, one: leaderboard.Unranked) -> Self:
        evaluation = one.entry.evaluation
        return cls(
            model=evaluation.model,
            run_id=evaluation.run_id,
            evaluation_id=evaluation.id,
            status=evaluation.state,
            reason=one.reason,
        )


class Leaderboard(Schema):
    """One table per fingerprint: official data first, then the largest. Newest unranked runs first."""

    benchmark: str
    tables: tuple[LeaderboardTable, ...]
    unranked: tuple[UnrankedEvaluation, ...]
    unranked_total: int
