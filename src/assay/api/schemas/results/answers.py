"""The answers of several models side by side, and how far they agree."""

import difflib
from typing import Annotated, Self

from pydantic import BaseModel, Field

from assay.api.schemas.evaluations import Estimate, usd
from assay.api.schemas.fields import Body, FreeText, Schema
from assay.api.schemas.items import latency_ms
from assay.api.schemas.results.comparisons import Side
from assay.api.schemas.run_request import JudgeConfig, Name
from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Label
from assay.engine.results import agreement
from assay.engine.results.agreement import Choice, Likeness

# Longer texts are compared slowly, and their differences are hard to read.
_MAX_DIFF_CHARACTERS = 20_000
MAX_JUDGED = 500


class AnswerQuery(BaseModel):
    """Two or more evaluations of one benchmark, or those of runs; the others are compared with the first."""

    evaluation: list[str] = Field(
        default=[], max_length=20, description="Id of an evaluation, two or more times"
    )
    run: list[str] = Field(default=[], max_length=20, description="Id of a run")
    by: Likeness = Field(
        default=Likeness.NORMALISED,
        description="Whether letter case, white space and punctuation at either end count",
    )
    show: Choice = Field(default=Choice.ALL, description="Items on which the answers differ, or are the same")
    limit: int = Field(default=50, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=10**9)


class PairAgreement(Schema):
    """Over the items that both have answered; first samples only."""

    evaluation_id_a: str
    evaluation_id_b: str
    model_a: FreeText
    model_b: FreeText
    total_compared: int
    identical: int
    different: int
    agreement_rate: Estimate | None

    @classmethod
    def of(cls, found: agreement.PairAgreement) -> Self:
        return cls(
            evaluation_id_a=found.ours.id,
            evaluation_id_b=found.theirs.id,
            model_a=found.ours.model,
            model_b=found.theirs.model,
            total_compared=found.compared,
            identical=found.identical,
            different=found.compared - found.identical,
            agreement_rate=Estimate.of(found.rate) if found.rate else None,
        )


class AnswerCell(Schema):
    """One model's answer; `diff` is a unified diff to the first model's answer, null if they are equal."""

    evaluation_id: str
    answer: FreeText
    outcome: Outcome
    score: float | None
    latency_ms: float
    output_tokens: int | None
    cost_usd: float | None
    error: FreeText | None
    label: Label | None = Field(description="The label of the newest annotation")
    note: FreeText | None
    diff: FreeText | None

    @classmethod
    def of(cls, attempt: Attempt, first: Attempt | None, annotation: Annotation | None) -> Self:
        return cls(
            evaluation_id=attempt.evaluation_id,
            answer=attempt.answer,
            outcome=attempt.outcome,
            score=attempt.score,
            latency_ms=latency_ms(attempt),
            output_tokens=attempt.usage.output_tokens,
            cost_usd=usd(attempt.cost_usd),
            error=attempt.error_message,
            label=annotation.label if annotation else None,
            note=annotation.note if annotation else None,
            diff=_diff(first.answer, attempt.answer) if first else None,
        )


class AnswerRow(Schema):
    """One item; the cells are in the order of `evaluations`, null if it was not attempted."""

    item_id: FreeText
    prompt: FreeText
    expected: FreeText | None
    is_same: bool | None = Field(description="Null if fewer than two models answered")
    cells: tuple[AnswerCell | None, ...]


class AnswerComparison(Schema):
    """Items in the order of the data; `total` counts those on all pages."""

    evaluations: tuple[Side, ...]
    by: Likeness
    agreement: tuple[PairAgreement, ...]
    items: tuple[AnswerRow, ...]
    total: int


class JudgedAgreementRequest(Body):
    """Two evaluations and the judge; only answers that differ are judged."""

    evaluation_a: Name
    evaluation_b: Name
    judge: JudgeConfig | Name
    limit: Annotated[int, Field(ge=1, le=MAX_JUDGED)] = 100


class JudgedItem(Schema):
    item_id: FreeText
    is_same: bool | None
    explanation: FreeText


class JudgedAgreement(Schema):
    """`agreement_rate` counts identical answers and those that judges consider the same."""

    total_compared: int
    identical: int
    judged: int
    same: int
    different: int
    undecided: int
    not_judged: int
    agreement_rate: float | None = Field(description="Null if some differing answers were not judged")
    cost_usd: float | None
    items: tuple[JudgedItem, ...]

    @classmethod
    def of(cls, found: agreement.JudgedAgreement, pair: agreement.PairAgreement) -> Self:
        not_judged = pair.compared - pair.identical - len(found.judged)
        decided = found.same + found.different + pair.identical
        return cls(
            total_compared=pair.compared,
            identical=pair.identical,
            judged=len(found.judged),
            same=found.same,
            different=found.different,
            undecided=len(found.judged) - found.same - found.different,
            not_judged=not_judged,
            agreement_rate=(found.same + pair.identical) / decided if decided and not not_judged else None,
            cost_usd=usd(found.cost_usd),
            items=tuple(
                JudgedItem(item_id=one.item_id, is_same=one.is_same, explanation=one.explanation)
                for one in found.judged
            ),
        )


def _diff(ours: str, theirs: str) -> str | None:
    if ours == theirs:
        return None
    if len(ours) + len(theirs) > _MAX_DIFF_CHARACTERS:
        return None
    lines = difflib.unified_diff(ours.splitlines(), theirs.splitlines(), "first", "this", lineterm="")
    return "\n".join(lines)
