"""AIME 2025: the thirty problems of the two American Invitational Mathematics Examinations of 2025."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from assay.benchmarks.aime_2025.extraction import aa_answer, gpt_oss_answer, matharena_answer
from assay.benchmarks.aime_2025.rows import SPLIT, Problem, problems
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Result, Services, Tables
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate
from assay.engine.graders.robust import disagreement_metrics, robust_number, robust_value, with_robust
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.aime_2025")
_PROMPTS: dict[str, str] = tomllib.loads(_FOLDER.joinpath("prompts.toml").read_text(encoding="utf-8"))
_ANSWERS = 1000
# Longer texts are no number from 0 to 999, and int() limits the number of digits.
_LONGEST_INTEGER = 4000


def as_integer(text: str) -> str | None:
    """The text as int() reads it: 024 gives 24, and 24.0 gives None."""
    try:
        return str(int(text)) if len(text) <= _LONGEST_INTEGER else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """How a variant differs: prompt, extraction of the answer, and conversion to a number."""

    template: str = _PROMPTS["gpt_oss"]
    extract: Callable[[str], str | None] = gpt_oss_answer
    value: Callable[[str], str | None] = as_integer
    is_robust: bool = False


class Aime2025:
    def __init__(
        self, card: Card, settings: VariantSettings, *, variants: Mapping[str, "Aime2025"] | None = None
    ) -> None:
        self.card = card
        self.variants = variants or {}
        self._settings = settings

    @property
    def reads_whole_replies(self) -> bool:
        return not self._settings.is_robust

    def load(self, tables: Tables) -> ItemSet:
        by_id = {ItemId(problem.id): problem for problem in problems(tables)}

        def prompt(item: Item) -> Prompt:
            return Prompt.of_user(self._settings.template.replace("{problem}", by_id[item.id].text))

        def cue(item: Item) -> Cue:
            return _cue(by_id[item.id])

        return ItemSet(tuple(map(_item, by_id.values())), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del services  # only numbers are compared
        expected = as_integer(item.expected or "")
        if expected is None:
            raise GraderError(f"item {item.id!r} expects {item.expected!r}, which is no whole number")
        extracted = self._settings.extract(completion.answer) or None
        value = self._settings.value(extracted) if extracted is not None else None
        grade = _grade(extracted, value, expected)
        if self._settings.is_robust:
            return grade
        robust = robust_number(completion.answer)
        return with_robust(grade, robust, official=value, is_right=robust == expected)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return {} if self._settings.is_robust else disagreement_metrics(results)

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, {SPLIT: "demo.jsonl"})


def _grade(extracted: str | None, value: str | None, expected: str) -> Grade:
    if value is None:
        explanation = "no answer was found" if extracted is None else f"{extracted!r} is no whole number"
        return Grade(Outcome.UNPARSED, 0.0, extracted=extracted, explanation=explanation)
    if value == expected:
        return Grade(Outcome.CORRECT, 1.0, extracted=extracted, explanation=f"{value} is right")
    return Grade(
        Outcome.INCORRECT, 0.0, extracted=extracted, explanation=f"answered {value}, right is {expected}"
    )


def _item(problem: Problem) -> Item:
    return Item(ItemId(problem.id), {"problem": problem.text}, expected=str(problem.answer))


def _cue(problem: Problem) -> Cue:
    reason = f"{problem.reason}\n\n" if problem.reason else ""
    return Cue(
        right=f"{reason}The answer is $\\boxed{{{problem.answer}}}$.",
        wrong=f"The answer is $\\boxed{{{(problem.answer + 1) % _ANSWERS}}}$.",
    )


_VARIANTS = {
    "matharena": VariantSettings(_PROMPTS["matharena"], matharena_answer, robust_value),
    "aa": VariantSettings(_PROMPTS["aa"], aa_answer, robust_value),
    "robust": VariantSettings(extract=robust_number, value=str, is_robust=True),
}

benchmark = Aime2025(
    load_card(_FOLDER),
    VariantSettings(),
    variants={
        name: Aime2025(load_card(_FOLDER, variant=name), settings) for name, settings in _VARIANTS.items()
    },
)
