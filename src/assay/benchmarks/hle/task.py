"""Humanity's Last Exam: expert questions, answered in three lines and judged by a second model."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

from assay.benchmarks.hle.calibration import calibration_error, official_calibration_error
from assay.benchmarks.hle.exact import bare
from assay.benchmarks.hle.judging import judge_question
from assay.benchmarks.hle.rows import SPLIT, Question, questions
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Result, Services, Tables
from assay.domain.calls.messages import Completion, Image, Message, Prompt
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate
from assay.engine.graders.exact import grade_exact
from assay.engine.graders.judge import grade_by_judge
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.hle")
_FORMAT = (
    "Your response should be in the following format:\n"
    "Explanation: {your explanation for your answer choice}\n"
    "Answer: {your chosen answer}\n"
    "Confidence: {your confidence score between 0% and 100% for your answer}"
)
_LETTERS = "ABCDE"
_MULTIPLE_CHOICE = "multipleChoice"


class Hle:
    """With `has_images=False`, questions with an image are left out."""

    def __init__(
        self, card: Card, *, has_images: bool = True, variants: "Mapping[str, Hle | HleExact] | None" = None
    ) -> None:
        self.card = card
        self.variants = variants or {}
        self._has_images = has_images

    def load(self, tables: Tables) -> ItemSet:
        by_id = {one.id: one for one in questions(tables) if self._has_images or not one.image}
        items = tuple(_item(question) for question in by_id.values())
        return ItemSet(items, lambda item: _prompt(by_id[item.id]), lambda item: _cue(by_id[item.id]))

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        if not completion.answer.strip():
            return Grade(Outcome.INCORRECT, 0.0, explanation="there is no answer to judge")
        asked = judge_question(str(item.fields["question"]), completion.answer, item.expected or "")
        return await grade_by_judge(services.required_panel(), asked)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        confidence: list[float] = []
        correct: list[bool] = []
        for result in results:
            stated = result.details.get("confidence")
            if isinstance(stated, int | float):
                confidence.append(stated / 100)
                correct.append(result.outcome is Outcome.CORRECT)
        figures = {
            "calibration_error": calibration_error(confidence, correct),
            "calibration_error_official": official_calibration_error(confidence, correct),
        }
        return {
            name: Estimate(value, None, None, len(confidence))
            for name, value in figures.items()
            if value is not None
        }

    def demo_tables(self) -> Tables:
        return _demo_tables()


class HleExact:
    """Asks the bare question, and compares the whole reply with the answer."""

    def __init__(self, card: Card) -> None:
        self.card = card

    def load(self, tables: Tables) -> ItemSet:
        by_id = {one.id: one for one in questions(tables)}
        items = tuple(_item(question) for question in by_id.values())
        return ItemSet(items, lambda item: Prompt.of_user(by_id[item.id].text), self._cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del services  # only texts are compared
        return grade_exact(completion.answer, item.expected or "", normalise=bare)

    def demo_tables(self) -> Tables:
        return _demo_tables()

    @staticmethod
    def _cue(item: Item) -> Cue:
        return Cue(right=f"{item.expected}.", wrong="I do not know.")


def _demo_tables() -> Tables:
    return DemoTables(_FOLDER, {SPLIT: "demo.jsonl"})


def _item(question: Question) -> Item:
    fields = {"question": question.text, "answer_type": question.answer_type, "image": question.image}
    return Item(ItemId(question.id), fields, expected=question.answer, category=question.category)


def _prompt(question: Question) -> Prompt:
    picture = (Image(question.image),) if question.image else ()
    return Prompt((Message("system", _FORMAT), Message("user", (question.text, *picture))))


def _cue(question: Question) -> Cue:
    is_choice = question.answer_type == _MULTIPLE_CHOICE
    return Cue(
        right=question.right or f"Explanation: as asked.\nAnswer: {question.answer}\nConfidence: 90%",
        wrong=question.wrong or "Explanation: a guess.\nAnswer: I do not know\nConfidence: 10%",
        choices=tuple(_LETTERS) if is_choice else (),
    )


benchmark = Hle(
    load_card(_FOLDER),
    variants={
        "text_only": Hle(load_card(_FOLDER, variant="text_only"), has_images=False),
        "exact_match": HleExact(load_card(_FOLDER, variant="exact_match")),
    },
)
