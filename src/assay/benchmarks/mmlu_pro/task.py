"""MMLU-Pro: multiple choice with up to ten options, from fourteen subjects."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from assay.benchmarks.mmlu_pro import prompts
from assay.benchmarks.mmlu_pro.extraction import chain_letter, official_letter
from assay.benchmarks.mmlu_pro.rows import LETTERS, Question, questions
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Result, Services, Tables
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.errors import BadRowError, DataMissingError, GraderError, InvalidValueError
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate
from assay.engine.graders.choice import Extractor, grade_choice
from assay.engine.graders.robust import disagreement_metrics, robust_choice, with_robust
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.mmlu_pro")
_DEMO_FILES = {"test": "demo.jsonl", "validation": "demo_validation.jsonl"}
# The official scripts seed before each guess, so that it depends on the number of options alone.
_GUESS_SEED = 12345
# In the split `validation`, for each subject.
_MOST_EXAMPLES = 5
_NO_EXAMPLES = "the questions of 'mmlu_pro:zero_shot' need no examples"


def _without_bold(text: str) -> str:
    return text.replace("**", "")


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """How a variant differs: how it asks, how many examples it shows, how it reads the answer.

    If `extract` is None, the robust extraction is used.
    """

    opening: Callable[[str, Sequence[Question]], str] = prompts.few_shot_opening
    question: Callable[[Question], str] = prompts.few_shot_question
    examples: int | None = None
    kept: Callable[[str], str] = _without_bold
    extract: Extractor | None = official_letter
    answer: str = "The answer is ({})."
    guesses: bool = False


class MmluPro:
    def __init__(
        self, card: Card, settings: VariantSettings, *, variants: Mapping[str, "MmluPro"] | None = None
    ) -> None:
        self.card = card
        self.variants = variants or {}
        self._settings = settings

    def load(self, tables: Tables) -> ItemSet:
        by_id: dict[str, Question] = {}
        for number, question in enumerate(questions(tables, "test"), start=1):
            if question.id in by_id:
                raise BadRowError(
                    "split 'test' of mmlu_pro", number, f"question_id {question.id!r} is repeated"
                )
            by_id[question.id] = question
        openings = _Openings(self._settings, tables)

        def prompt(item: Item) -> Prompt:
            question = by_id[item.id]
            return Prompt.of_user(openings.of(question.category) + self._settings.question(question))

        def cue(item: Item) -> Cue:
            return _cue(by_id[item.id], self._settings.answer)

        return ItemSet(tuple(map(_item, by_id.values())), prompt, cue, self._settings.kept)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del services  # only letters are compared
        expected, options = item.expected or "", _options(item)
        robust = robust_choice(completion.answer, letters=LETTERS[: len(options)], options=options)
        if self._settings.extract is None:
            return grade_choice(completion.answer, expected, extract=lambda _answer: robust)
        grade = grade_choice(completion.answer, expected, extract=self._settings.extract)
        official = grade.extracted
        if grade.outcome is Outcome.UNPARSED and self._settings.guesses:
            grade = _guess(item, options)
        return with_robust(grade, robust, official=official, is_right=robust == expected)

    def with_examples(self, count: int) -> "MmluPro":
        asked = self._settings.examples
        if asked == 0:
            raise InvalidValueError(f"{self.card.name!r} shows no examples: leave --few-shot out")
        if not 0 <= count <= _MOST_EXAMPLES:
            raise InvalidValueError(
                f"{self.card.name!r} has {_MOST_EXAMPLES} examples a subject: --few-shot must be 0 to"
                f" {_MOST_EXAMPLES}, not {count}"
            )
        return MmluPro(self.card, replace(self._settings, examples=count), variants=self.variants)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return disagreement_metrics(results) if self._settings.extract else {}

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, _DEMO_FILES)


class _Openings:
    """The text before the question, by subject; examples are read when first needed."""

    def __init__(self, settings: VariantSettings, tables: Tables) -> None:
        self._settings = settings
        self._tables = tables
        self._made: dict[str, str] = {}
        self._examples: dict[str, list[Question]] | None = None

    def of(self, category: str) -> str:
        if category not in self._made:
            self._made[category] = self._settings.opening(category, self._shown(category))
        return self._made[category]

    def _shown(self, category: str) -> Sequence[Question]:
        if self._settings.examples == 0:
            return ()
        if self._examples is None:
            self._examples = _examples(self._tables)
        if category not in self._examples:
            raise DataMissingError(f"the split 'validation' has no example for {category!r}; {_NO_EXAMPLES}")
        return self._examples[category][: self._settings.examples]


def _examples(tables: Tables) -> dict[str, list[Question]]:
    by_category: dict[str, list[Question]] = {}
    try:
        for example in questions(tables, "validation"):
            by_category.setdefault(example.category, []).append(example)
    except DataMissingError as error:
        raise DataMissingError(f"{error.message}; {_NO_EXAMPLES}") from error
    return by_category


def _item(question: Question) -> Item:
    return Item(
        ItemId(question.id),
        {"question": question.text, "options": question.options, "answer_index": question.answer_index},
        expected=question.answer,
        category=question.category,
    )


def _cue(question: Question, answer: str) -> Cue:
    wrong = next(letter for letter in question.letters if letter != question.answer)
    return Cue(
        right=question.right or answer.format(question.answer),
        wrong=question.wrong or answer.format(wrong),
        choices=tuple(question.letters),
    )


def _options(item: Item) -> Sequence[str]:
    options = item.fields["options"]
    if not isinstance(options, tuple | list):
        raise GraderError(f"item {item.id!r} has no options to choose among")
    return [option for option in options if isinstance(option, str)]


def _guess(item: Item, options: Sequence[str]) -> Grade:
    right = item.fields["answer_index"]
    index = random.Random(_GUESS_SEED).randint(0, len(options) - 1)  # noqa: S311 # a guess, not a secret
    explanation = (
        f"no letter was found in the answer; the guess among {len(options)} options is {LETTERS[index]}"
    )
    details = {"guess": LETTERS[index]}
    if index == right:
        return Grade(Outcome.CORRECT, 1.0, explanation=explanation, details=details)
    return Grade(Outcome.UNPARSED, 0.0, explanation=explanation, details=details)


_VARIANTS = {
    "zero_shot": VariantSettings(
        opening=prompts.zero_shot_opening,
        question=prompts.zero_shot_question,
        examples=0,
        kept=str,
        extract=chain_letter,
        answer="Answer: {}",
    ),
    "local": VariantSettings(
        opening=prompts.local_opening,
        question=prompts.local_question,
        examples=5,
        kept=str,
        answer="the answer is ({}).",
    ),
    "random_guess": VariantSettings(guesses=True),
    "robust": VariantSettings(extract=None),
}

benchmark = MmluPro(
    load_card(_FOLDER),
    VariantSettings(),
    variants={
        name: MmluPro(load_card(_FOLDER, variant=name), settings) for name, settings in _VARIANTS.items()
    },
)
