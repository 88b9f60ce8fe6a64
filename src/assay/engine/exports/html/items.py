"""Attempts as a list that opens on a click: those without a right answer first, and a limited number."""

from collections.abc import Sequence

from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.external.prompts import prompt_text
from assay.engine.exports.html.markup import block, paragraph, text
from assay.engine.results.masking import masked_attempt
from assay.engine.stores.attempts import AttemptFilter

MAX_SHOWN = 100
# Of all evaluations of a run, or all pairs of a comparison, together.
_MAX_TOTAL = 1_000
_LEAST_SHOWN = 5
_NOT_RIGHT = frozenset(Outcome) - {Outcome.CORRECT}


def shown_per_part(parts: int, *, most: int = MAX_SHOWN) -> int:
    """How many items each part of a page shows, so that the whole page can be opened."""
    return max(_LEAST_SHOWN, min(most, _MAX_TOTAL // max(parts, 1)))


async def items_html(content: RunContent, one: EvaluationContent) -> str:
    """A limited number, whatever the size of the run."""
    attempts, most = content.stores.attempts, shown_per_part(len(content.evaluations))
    found = await attempts.page(one.evaluation.id, AttemptFilter(_NOT_RIGHT, limit=most))
    if len(found) < most:
        right = AttemptFilter(frozenset({Outcome.CORRECT}), limit=most - len(found))
        found = (*found, *await attempts.page(one.evaluation.id, right))
    shown = [masked_attempt(attempt) if one.is_masked else attempt for attempt in found]
    return (
        "<h3>Items</h3>\n"
        + paragraph(_said(content.run.id, one, len(shown)), "soft")
        + "".join(attempt_html(attempt, one.evaluation) for attempt in shown)
    )


def _said(run_id: str, one: EvaluationContent, shown: int) -> str:
    masked = " Texts are masked, as the authors of the benchmark ask." if one.is_masked else ""
    left_out = one.completed - shown
    if left_out <= 0:
        return f"All {shown:,} attempts, those without a right answer first.{masked}"
    return (
        f"{shown:,} of {one.completed:,} attempts, those without a right answer first; {left_out:,} are left"
        f" out. All of them: `assay export {run_id[:8]} --format jsonl`.{masked}"
    )


def attempt_html(attempt: Attempt, evaluation: Evaluation) -> str:
    sample = f" (sample {attempt.sample + 1})" if evaluation.samples > 1 else ""
    score = "" if attempt.score is None or attempt.score in (0.0, 1.0) else f", {attempt.score:.2f}"
    kind = "" if attempt.outcome is Outcome.CORRECT else ' class="bad"'
    return (
        f"<details><summary><code>{text(attempt.item_id)}</code>{sample}"
        f" <span{kind}>{text(attempt.outcome.value)}{score}</span></summary>\n"
        f"{block('Prompt', prompt_text(attempt.prompt))}{answer_html(attempt)}"
        f"{block('Expected', attempt.expected or '')}</details>\n"
    )


def answer_html(attempt: Attempt) -> str:
    """What the model said, what was read from it, and why it was graded so."""
    parts = (
        ("Reasoning", attempt.reasoning),
        ("Answer", attempt.answer),
        ("Read as", attempt.extracted or ""),
        ("Explanation", attempt.explanation),
        ("Error", attempt.error_message or attempt.error_code or ""),
    )
    return "".join(block(title, value) for title, value in parts)


def side_html(model: str, attempts: Sequence[Attempt]) -> str:
    """The attempts of one model at an item, beside those of another."""
    return "".join(
        f'<p><strong>{text(model)}</strong> <span class="soft">{text(one.outcome.value)}</span></p>\n'
        f"{answer_html(one)}"
        for one in attempts
    )
