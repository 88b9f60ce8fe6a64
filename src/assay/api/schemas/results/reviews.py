"""Annotations by people, and later gradings, as requests and responses."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Protocol, Self

from pydantic import AfterValidator, Field

from assay.api.schemas.evaluations import Estimate, Tokens, VoteAgreement, usd
from assay.api.schemas.fields import Body, FreeText, Moment, Schema
from assay.api.schemas.run_request import JudgeConfig, Name
from assay.domain import review, stats
from assay.domain.benchmark_names import own_name
from assay.domain.outcome import Outcome
from assay.domain.review import MAX_AUTHOR_CHARACTERS, MAX_NOTE_CHARACTERS, Label
from assay.domain.run import Evaluation
from assay.domain.summary import Summary
from assay.engine.reviews.review import Change, Changes

_SHOWN_CHANGES = 500


class AnnotationRequest(Body):
    """A person's annotation of one attempt."""

    evaluation_id: Name
    item_id: Annotated[str, Field(min_length=1, max_length=2_000)]
    sample: int = Field(default=0, ge=0, le=10**6)
    label: Label = Field(strict=False)
    note: Annotated[str, Field(max_length=MAX_NOTE_CHARACTERS)] = ""
    author: Annotated[str, Field(max_length=MAX_AUTHOR_CHARACTERS)] = ""


class Annotation(Schema):
    id: int
    evaluation_id: str
    item_id: FreeText
    sample: int
    label: Label
    note: FreeText
    author: FreeText
    owner: FreeText | None
    created_at: Moment

    @classmethod
    def of(cls, annotation: review.Annotation) -> Self:
        return cls(**asdict(annotation))


class Agreement(Schema):
    """How well a grading agrees with other labels; `base_rate` is that of always giving the commonest."""

    kappa: float | None
    observed: float
    by_chance: float
    base_rate: float
    n: int

    @classmethod
    def of(cls, agreement: stats.Agreement) -> Self:
        return cls(**asdict(agreement))


class EvaluationAnnotations(Schema):
    """The annotations of one evaluation; `agreement` is that of its own grading with them."""

    evaluation_id: str
    model: FreeText
    benchmark: str
    annotations: tuple[Annotation, ...]
    agreement: Agreement | None


class RunAnnotations(Schema):
    evaluations: tuple[EvaluationAnnotations, ...]


class JudgementRequest(Body):
    """By default the judge of the run grades every evaluation again."""

    judge: JudgeConfig | Name | None = None
    benchmark: Annotated[Name, AfterValidator(own_name)] | None = None
    model: Name | None = None


class GradingSummary(Schema):
    """The result of an evaluation under one grading."""

    grader: str
    judge: FreeText | None
    score: Estimate | None
    scored: int
    total: int
    outcomes: dict[Outcome, int]
    judge_tokens: Tokens | None
    judge_cost_usd: float | None
    agreement: VoteAgreement | None
    labels: Agreement | None = Field(description="Agreement with annotations")


class MadeBy(Protocol):
    """The fingerprint of an evaluation, or a judgement."""

    @property
    def grader(self) -> str: ...

    @property
    def judge(self) -> str | None: ...


class ChangedAttempt(Schema):
    item_id: FreeText
    sample: int
    before: Outcome
    after: Outcome
    score_before: float | None
    score_after: float | None

    @classmethod
    def of(cls, change: Change) -> Self:
        return cls(
            item_id=change.key.item_id,
            sample=change.key.sample,
            before=change.before,
            after=change.after,
            score_before=change.score_before,
            score_after=change.score_after,
        )


class JudgementChanges(Schema):
    """Compared with the grading of the run; `changed` shows the first 500."""

    attempts: int
    raised: int
    lowered: int
    gained: int
    lost: int
    total_changed: int
    changed: tuple[ChangedAttempt, ...]
    agreement: Agreement | None

    @classmethod
    def of(cls, changes: Changes) -> Self:
        return cls(
            attempts=changes.attempts,
            raised=changes.raised,
            lowered=changes.lowered,
            gained=changes.gained,
            lost=changes.lost,
            total_changed=len(changes.changed),
            changed=tuple(ChangedAttempt.of(one) for one in changes.changed[:_SHOWN_CHANGES]),
            agreement=Agreement.of(changes.agreement) if changes.agreement else None,
        )


class Judgement(Schema):
    """A later grading compared with that of the run; `after` is null until it is finished."""

    id: str
    evaluation_id: str
    model: FreeText
    benchmark: str
    created_at: Moment
    before: GradingSummary | None
    after: GradingSummary | None
    changes: JudgementChanges


class RunJudgements(Schema):
    judgements: tuple[Judgement, ...]


def grading(made: MadeBy, found: Summary | None, labels: stats.Agreement | None) -> GradingSummary | None:
    """None until the grading is finished."""
    if found is None:
        return None
    return GradingSummary(
        grader=made.grader,
        judge=made.judge,
        score=Estimate.of(found.score) if found.score else None,
        scored=found.scored,
        total=found.total,
        outcomes=dict(found.outcomes),
        judge_tokens=Tokens.of(found.judge_tokens) if found.judge_tokens else None,
        judge_cost_usd=usd(found.judge_cost_usd),
        agreement=VoteAgreement.of(found.agreement) if found.agreement else None,
        labels=Agreement.of(labels) if labels else None,
    )


def annotations_of(
    evaluation: Evaluation, annotations: Sequence[review.Annotation], agreement: stats.Agreement | None
) -> EvaluationAnnotations:
    return EvaluationAnnotations(
        evaluation_id=evaluation.id,
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        annotations=tuple(Annotation.of(one) for one in annotations),
        agreement=Agreement.of(agreement) if agreement else None,
    )
