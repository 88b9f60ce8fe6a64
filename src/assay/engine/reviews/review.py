"""What changed between two gradings of the same answers, and how far a grading agrees with people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.domain.attempt import AttemptKey
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Judgement
from assay.domain.run import Evaluation
from assay.domain.stats import Agreement, cohen_kappa
from assay.engine.execution.runs import Engine
from assay.engine.reviews.regrade import both_gradings


@dataclass(frozen=True, slots=True)
class Change:
    """An attempt that the two gradings end differently."""

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


async def changes_of(engine: Engine, judgement: Judgement) -> Changes:
    """Of a judgement against the grading of the run."""
    changed: list[Change] = []
    right: list[tuple[bool, bool]] = []
    attempts = 0
    async for attempt, judged in both_gradings(engine, judgement):
        attempts += 1
        if attempt.score is not None and judged.score is not None:
            right.append((judged.outcome is Outcome.CORRECT, attempt.outcome is Outcome.CORRECT))
        if (attempt.outcome, attempt.score) != (judged.outcome, judged.score):
            changed.append(Change(attempt.key, attempt.outcome, judged.outcome, attempt.score, judged.score))
    both = [one for one in changed if one.score_before is not None and one.score_after is not None]
    return Changes(
        attempts=attempts,
        raised=sum((one.score_after or 0.0) > (one.score_before or 0.0) for one in both),
        lowered=sum((one.score_after or 0.0) < (one.score_before or 0.0) for one in both),
        gained=sum(one.score_before is None and one.score_after is not None for one in changed),
        lost=sum(one.score_before is not None and one.score_after is None for one in changed),
        changed=tuple(changed),
        agreement=_kappa(right),
    )


async def human_agreement(
    engine: Engine, evaluation: Evaluation, judgement: Judgement | None = None
) -> Agreement | None:
    """How far a grading, the run's own or a later one, agrees with people's labels; None without any."""
    labels = newest_labels(await engine.stores.reviews.annotations(evaluation.id))
    if not labels:
        return None
    outcomes: dict[AttemptKey, Outcome] = {}
    if judgement is None:
        async for attempt in engine.stores.attempts.results(evaluation.id):
            if attempt.key in labels:
                outcomes[attempt.key] = attempt.outcome
    else:
        async for judged in engine.stores.reviews.judged(judgement.id):
            if judged.key in labels:
                outcomes[judged.key] = judged.outcome
    return _kappa(
        (outcome is Outcome.CORRECT, labels[key].label.is_right)
        for key, outcome in outcomes.items()
        if outcome.is_verdict
    )


def newest_labels(annotations: Iterable[Annotation]) -> Mapping[AttemptKey, Annotation]:
    """The label that counts for each attempt; they are given oldest first."""
    return {one.key: one for one in annotations}


def _kappa(pairs: Iterable[tuple[bool, bool]]) -> Agreement | None:
    listed = list(pairs)
    if not listed:
        return None
    ours, theirs = zip(*listed, strict=True)
    return cohen_kappa(ours, theirs)
