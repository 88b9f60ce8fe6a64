"""Grades one answer by all the rules of an item; the score is the weighted mean of theirs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Grade, Services
from assay.domain.calls.messages import Completion
from assay.domain.dataset_report import Grading
from assay.domain.datasets.grading_rule import Rule
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.rules.bounds import grade_cost, grade_latency
from assay.engine.graders.rules.expected import grade_expected
from assay.engine.graders.rules.programs import grade_by_function, grade_by_tests
from assay.engine.graders.rules.rubric import grade_by_rubric
from assay.engine.graders.rules.similarity import grade_similarity

_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """What the model was asked, and what the item expects of the answer."""

    question: str
    expected: Json


async def grade_by_rules(
    rules: Sequence[Rule], asked: Asked, completion: Completion, services: Services
) -> Grade:
    """Raises GraderError if one of several graders fails: the others are not the whole."""
    if len(rules) == 1:
        return await _graded(rules[0], asked, completion, services)
    grades = [await _graded(rule, asked, completion, services) for rule in rules]
    return _together(rules, grades)


async def _graded(rule: Rule, asked: Asked, completion: Completion, services: Services) -> Grade:
    expected = asked.expected if rule.expected is None else rule.expected
    match rule.grader:
        case Grading.JUDGE:
            return await grade_by_rubric(
                rule.options,
                question=asked.question,
                expected=shown(expected),
                answer=completion.answer,
                services=services,
            )
        case Grading.CODE_TESTS:
            return await grade_by_tests(rule.options, expected, completion.answer, services)
        case Grading.PYTHON:
            return await grade_by_function(rule.options, expected, completion.answer, services)
        case Grading.SIMILARITY:
            return await grade_similarity(rule.options, expected, completion.answer, services)
        case Grading.LATENCY | Grading.COST:
            bounded = grade_latency if rule.grader is Grading.LATENCY else grade_cost
            return bounded(rule.options, completion)
        case _:
            return await _compared(rule, expected, completion.answer, services)


async def _compared(rule: Rule, expected: Json, answer: str, services: Services) -> Grade:
    """What is expected comes from users: nothing of it is evaluated in this process."""
    isolated = services.required_isolated()
    return await isolated(grade_expected, rule.grader, expected, answer, rule.options)


def _together(rules: Sequence[Rule], grades: Sequence[Grade]) -> Grade:
    total = sum(rule.weight for rule in rules)
    score = sum(rule.weight * one.score for rule, one in zip(rules, grades, strict=True)) / total
    parts: list[Json] = [_part(rule, one) for rule, one in zip(rules, grades, strict=True)]
    judged = next(
        (one for rule, one in zip(rules, grades, strict=True) if rule.grader is Grading.JUDGE), None
    )
    details: Mapping[str, Json] = {**(judged.details if judged else {}), "graders": parts}
    return Grade(
        _outcome(score, grades),
        _rounded(score),
        extracted=next((one.extracted for one in grades if one.extracted), None),
        # The reply of a judge is read again when a score is verified.
        explanation=judged.explanation if judged else _said(rules, grades),
        details=details,
        test_code=next((one.test_code for one in grades if one.test_code), None),
    )


def _part(rule: Rule, grade: Grade) -> Json:
    return {
        "name": rule.grader.value,
        "weight": rule.weight,
        "outcome": grade.outcome.value,
        "score": grade.score,
        "explanation": grade.explanation,
    }


def _outcome(score: float, grades: Sequence[Grade]) -> Outcome:
    if all(one.outcome is Outcome.UNPARSED for one in grades):
        return Outcome.UNPARSED
    if score >= 1 - _CLOSE:
        return Outcome.CORRECT
    return Outcome.PARTIAL if score > 0 else Outcome.INCORRECT


def _rounded(score: float) -> float:
    """Weights such as 0.1 and 0.2 must not keep a whole from being 1."""
    return 1.0 if score >= 1 - _CLOSE else score


def _said(rules: Sequence[Rule], grades: Sequence[Grade]) -> str:
    return "; ".join(
        f"{rule.grader} {one.score:g}: {one.explanation}" for rule, one in zip(rules, grades, strict=True)
    )


def shown(expected: Json) -> str:
    if expected is None:
        return ""
    return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
