"""What a regrade changed, and how far a grading agrees with people's annotations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.domain.attempt import AttemptKey
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Regrade
from assay.domain.run import Evaluation
from assay.domain.stats import Agreement, cohen_kappa
from assay.engine.reviews.regrade import both_gradings
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.reviews import ReviewStore


@dataclass(frozen=True, slots=True)
class Change:
    """An attempt on which the two gradings differ."""

    key: AttemptKey
    before: Outcome
    after: Outcome
    score_before: float | None
    score_after: float | None


@dataclass(frozen=True, slots=True)
class Changes:
    """`gained` and `lost` are verdicts that the other grading lacks; `agreement` is over those of both."""

    attempts: int
    raised: int
    lowered: int
    gained: int
    lost: int
    changed: tuple[Change, ...]
    agreement: Agreement | None


@dataclass(frozen=True, slots=True)
class GradingComparison:
    """Compares gradings of the same answers with each other and with people's annotations."""

    attempts: AttemptStore
    reviews: ReviewStore

    async def changes(self, regrade: Regrade) -> Changes:
        """How the regrade differs from the grading of the run."""
        changed: list[Change] = []
        right: list[tuple[bool, bool]] = []
        count = 0
        async for attempt, regraded in both_gradings(regrade, attempts=self.attempts, reviews=self.reviews):
            count += 1
            if attempt.score is not None and regraded.score is not None:
                right.append((regraded.outcome is Outcome.CORRECT, attempt.outcome is Outcome.CORRECT))
            if (attempt.outcome, attempt.score) != (regraded.outcome, regraded.score):
                changed.append(
                    Change(attempt.key, attempt.outcome, regraded.outcome, attempt.score, regraded.score)
                )
        both = [one for one in changed if one.score_before is not None and one.score_after is not None]
        return Changes(
            attempts=count,
            raised=sum((one.score_after or 0.0) > (one.score_before or 0.0) for one in both),
            lowered=sum((one.score_after or 0.0) < (one.score_before or 0.0) for one in both),
            gained=sum(one.score_before is None and one.score_after is not None for one in changed),
            lost=sum(one.score_before is not None and one.score_after is None for one in changed),
            changed=tuple(changed),
            agreement=_kappa(right),
        )

    async def human_agreement(
        self, evaluation: Evaluation, regrade: Regrade | None = None
    ) -> Agreement | None:
        """How far the run's grading, or a regrade, agrees with annotations; None if there are none."""
        labels = newest_labels(await self.reviews.annotations(evaluation.id))
        if not labels:
            return None
        outcomes: dict[AttemptKey, Outcome] = {}
        if regrade is None:
            async for attempt in self.attempts.results(evaluation.id):
                if attempt.key in labels:
                    outcomes[attempt.key] = attempt.outcome
        else:
            async for regraded in self.reviews.regraded(regrade.id):
                if regraded.key in labels:
                    outcomes[regraded.key] = regraded.outcome
        return _kappa(
            (outcome is Outcome.CORRECT, labels[key].label.is_right)
            for key, outcome in outcomes.items()
            if outcome.is_verdict
        )


def newest_labels(annotations: Iterable[Annotation]) -> Mapping[AttemptKey, Annotation]:
    """The newest annotation of each attempt, which is the one that counts; `annotations` are oldest first."""
    return {one.key: one for one in annotations}


def _kappa(pairs: Iterable[tuple[bool, bool]]) -> Agreement | None:
    listed = list(pairs)
    if not listed:
        return None
    ours, theirs = zip(*listed, strict=True)
    return cohen_kappa(ours, theirs)
