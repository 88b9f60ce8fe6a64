"""GPQA Diamond: 198 questions of experts in biology, physics and chemistry, with four options each."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from assay.benchmarks.gpqa_diamond.extraction import (
    labelled_letter,
    nine_pattern_letter,
    simple_evals_letter,
)
from assay.benchmarks.gpqa_diamond.rows import LETTERS, SPLIT, Asked, asked, questions
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Result, Services, Tables
from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.stats import Estimate
from assay.engine.graders.choice import grade_choice
from assay.engine.graders.robust import disagreement_metrics, robust_choice, with_robust
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.gpqa_diamond")
_OPENINGS: dict[str, str] = tomllib.loads(_FOLDER.joinpath("prompts.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """How a variant differs: how it asks, how often, and how it reads the answer (None: robustly)."""

    extract: Callable[[str], str | None] | None = simple_evals_letter
    opening: str = _OPENINGS["simple_evals"]
    repeats: int = 1


class GpqaDiamond:
    def __init__(
        self, card: Card, settings: VariantSettings, *, variants: Mapping[str, "GpqaDiamond"] | None = None
    ) -> None:
        self.card = card
        self.variants = variants or {}
        self._settings = settings

    @property
    def reads_whole_replies(self) -> bool:
        return self._settings.extract is not None

    def load(self, tables: Tables) -> ItemSet:
        found = tuple(questions(tables))
        by_id = {
            _id(one.question.id, repeat): one for one, repeat in asked(found, repeats=self._settings.repeats)
        }

        def prompt(item: Item) -> Prompt:
            return Prompt.of_user(self._settings.opening + _shown(by_id[item.id]))

        def cue(item: Item) -> Cue:
            return _cue(by_id[item.id])

        return ItemSet(tuple(_item(item_id, one) for item_id, one in by_id.items()), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del services  # letters are compared: there is nothing to ask
        expected = item.expected or ""
        robust = robust_choice(completion.answer, letters=LETTERS, options=_choices(item))
        if self._settings.extract is None:
            return grade_choice(completion.answer, expected, extract=lambda _answer: robust)
        grade = grade_choice(completion.answer, expected, extract=self._settings.extract)
        return with_robust(grade, robust, official=grade.extracted, is_right=robust == expected)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return disagreement_metrics(results) if self._settings.extract else {}

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, {SPLIT: "demo.jsonl"})


def _id(record: str, repeat: int) -> ItemId:
    return ItemId(f"{record}#{repeat + 1}" if repeat else record)


def _item(item_id: ItemId, one: Asked) -> Item:
    return Item(
        item_id,
        {"question": one.question.text, "choices": one.choices},
        expected=one.letter,
        category=one.question.domain,
        cluster=one.question.id,
    )


def _shown(one: Asked) -> str:
    listed = "\n".join(f"{letter}) {choice}" for letter, choice in zip(LETTERS, one.choices, strict=True))
    return f"{one.question.text}\n\n{listed}"


def _choices(item: Item) -> list[str]:
    choices: Json = item.fields["choices"]
    return [str(choice) for choice in choices] if isinstance(choices, Sequence) else []


def _cue(one: Asked) -> Cue:
    right, wrong = one.letter, next(letter for letter in LETTERS if letter != one.letter)
    reason = f"{one.question.reason}\n\n" if one.question.reason else ""
    return Cue(right=f"{reason}Answer: {right}", wrong=f"Answer: {wrong}", choices=tuple(LETTERS))


_VARIANTS = {
    "four_orders": VariantSettings(repeats=4),
    "nine_patterns": VariantSettings(extract=nine_pattern_letter, opening=_OPENINGS["nine_patterns"]),
    "one_pattern": VariantSettings(extract=labelled_letter, opening=_OPENINGS["nine_patterns"]),
    "robust": VariantSettings(extract=None),
}

benchmark = GpqaDiamond(
    load_card(_FOLDER),
    VariantSettings(),
    variants={
        name: GpqaDiamond(load_card(_FOLDER, variant=name), settings) for name, settings in _VARIANTS.items()
    },
)
