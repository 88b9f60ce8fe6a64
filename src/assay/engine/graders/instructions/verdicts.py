"""The grade of one answer, and the four official figures over many."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from assay.domain.benchmark import Grade, Item, Result
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, score_estimate
from assay.engine.graders.instructions.following import Rulebook
from assay.engine.graders.instructions.items import count_category, instructions_of

Mode: TypeAlias = Literal["strict", "loose"]
MODES: tuple[Mode, ...] = ("strict", "loose")


def graded(item: Item, answer: str, rulebook: Rulebook, *, decided_by: Mode) -> Grade:
    """An answer counts when it follows every instruction in the mode that decides."""
    instructions = instructions_of(item.fields, rulebook)
    ids = [instruction.id for instruction in instructions]
    strictly, loosely = rulebook.verdicts(instructions, answer)
    is_right = all(strictly if decided_by == "strict" else loosely)
    return Grade(
        Outcome.CORRECT if is_right else Outcome.INCORRECT,
        float(is_right),
        explanation=_explanation(ids, strictly, loosely),
        details={"instructions": ids, "strict": list(strictly), "loose": list(loosely)},
    )


def four_figures(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """Prompts and instructions, strict and loose; the instructions of one prompt are not independent."""
    estimates: dict[str, Estimate | None] = {}
    for mode in MODES:
        verdicts = [(result.item_id, _verdicts(result, mode)) for result in results]
        estimates[f"prompt_{mode}"] = score_estimate(
            [float(all(followed)) for _, followed in verdicts], [item_id for item_id, _ in verdicts]
        )
        estimates[f"instruction_{mode}"] = score_estimate(
            [float(one) for _, followed in verdicts for one in followed],
            [item_id for item_id, followed in verdicts for _ in followed],
        )
    return {name: estimate for name, estimate in estimates.items() if estimate is not None}


def _explanation(ids: Sequence[str], strictly: Sequence[bool], loosely: Sequence[bool]) -> str:
    if all(strictly):
        return f"followed {'the instruction' if len(ids) == 1 else f'all {len(ids)} instructions'}"
    broken = [
        f"{name} (only loosely followed)" if is_loose else name
        for name, is_strict, is_loose in zip(ids, strictly, loosely, strict=True)
        if not is_strict
    ]
    return f"followed {sum(strictly)} of {count_category(len(ids))}; not followed: {', '.join(broken)}"


def _verdicts(result: Result, mode: Mode) -> Sequence[bool]:
    verdicts = result.details.get(mode)
    if isinstance(verdicts, Sequence) and verdicts:
        return [verdict is True for verdict in verdicts]
    # Refused and cut replies are not graded: none was followed, and only the category tells of how many.
    count = int(result.category.split()[0]) if result.category else 1
    return [False] * count
