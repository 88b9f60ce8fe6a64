"""Expert QA: short questions of the user's own, answered in a few words and judged."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assay.benchmarks.expert_qa.questions import Question, read_questions
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Row, Services, Tables
from assay.domain.calls.messages import Completion, Generation, Message, Prompt
from assay.domain.errors import DataMissingError, GraderError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.outcome import Outcome
from assay.engine.code_harness.options import Options
from assay.engine.graders.judge import JudgeQuestion, Verdict, grade_by_judge, judge_prompt
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = Path(__file__).parent
_OWN = _FOLDER / "questions.jsonl"
_NUMBER_ONLY = "Answer with the number alone: no unit, no sentence, no explanation."
_ANSWER_ONLY = "Answer with the answer alone: no sentence, no explanation."
_JUDGE_PROMPT = """You compare a candidate's answer to a question with the answer that an expert gave.

Question: {question}
Expert's answer: {expected}
Candidate's answer: {answer}

The candidate passes if the answer means the same as the expert's: other wordings, units and roundings that \
an expert would accept pass, and so does further text that does not contradict it. Anything else fails.

Reply with one JSON object and nothing else: {"decision": "PASS" or "FAIL", "reason": "one sentence"}"""
_JUDGE_GENERATION = Generation(temperature=0.0, max_tokens=4096)
_MOST_SHOWN = 1000
_DECISIONS = {"PASS": True, "FAIL": False}


@dataclass(frozen=True, slots=True)
class QuestionTables:
    """Carries the questions from `own_data` to `load`."""

    questions: tuple[Question, ...]

    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"the questions have no split {split!r}")


@dataclass(frozen=True, slots=True)
class ExpertQa:
    card: Card
    options: Options = Options()

    def variant(self, name: str) -> "ExpertQa | None":
        """With a thinking level or a provider, such as `thinking=high`."""
        options = Options.parse(name)
        return None if options is None or options.is_of_code else ExpertQa(options.card(self.card), options)

    def own_data(self, where: str) -> BenchmarkData:
        """Our questions, as `official` and as `demo`; or those of a file of the user's."""
        if where in ("official", "demo"):
            return _data(_own_questions(), f"included:{self.card.version}")
        path = Path(where).expanduser()
        return _data(read_questions(path), f"file:{path.resolve().name}")

    def demo_tables(self) -> Tables:
        return QuestionTables(_own_questions())

    def load(self, tables: Tables) -> ItemSet:
        if not isinstance(tables, QuestionTables):
            raise InvalidValueError(f"{self.card.name!r} reads a file of questions, not tables")
        by_id = {item_id(question): question for question in tables.questions}

        def prompt(item: Item) -> Prompt:
            question = by_id[item.id]
            rule = _NUMBER_ONLY if question.asks_for_a_number else _ANSWER_ONLY
            messages = Message("system", rule), Message("user", question.text)
            return Prompt(messages, extra=self.options.request_fields)

        def cue(item: Item) -> Cue:
            return Cue(right=by_id[item.id].answer, wrong="It cannot be determined.")

        return ItemSet(tuple(_item(one) for one in tables.questions), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        if not completion.answer.strip():
            return Grade(Outcome.INCORRECT, 0.0, explanation="there is no answer to judge")
        grade = await grade_by_judge(services.required_panel(), _judge_question(item, completion.answer))
        return replace(grade, extracted=completion.answer.strip()[:_MOST_SHOWN])


@cache
def _own_questions() -> tuple[Question, ...]:
    return read_questions(_OWN)


def _data(questions: tuple[Question, ...], revision: str) -> BenchmarkData:
    return BenchmarkData(
        QuestionTables(questions), revision, digest([_item(one).content_hash for one in questions])
    )


def item_id(question: Question) -> ItemId:
    return ItemId(str(question.number))


def _item(question: Question) -> Item:
    fields = {"number": question.number, "question": question.text}
    return Item(item_id(question), fields, expected=question.answer, category=question.category)


def _judge_question(item: Item, answer: str) -> JudgeQuestion:
    expected = item.expected or ""
    fields = {"question": str(item.fields["question"]), "expected": expected, "answer": answer}
    right, wrong = (json.dumps({"decision": one, "reason": "compared with the answer"}) for one in _DECISIONS)
    cue = Cue(right=right, wrong=wrong, choices=tuple(_DECISIONS), judged=(answer, expected))
    return JudgeQuestion(judge_prompt(_JUDGE_PROMPT, fields), _JUDGE_GENERATION, cue, read_decision)


def read_decision(reply: str) -> Verdict:
    """The reply must be one JSON object, bare or in a code fence."""
    text = reply.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(reply) from error
    decision = content.get("decision") if isinstance(content, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(decision, str) or decision.strip().upper() not in _DECISIONS:
        raise _unreadable(reply)
    decision = decision.strip().upper()
    reason = str(content.get("reason") or "")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return Verdict(_DECISIONS[decision], details={"decision": decision, "reason": reason})


def _unreadable(reply: str) -> GraderError:
    return GraderError(f"the judge's reply is no verdict: expected PASS or FAIL as JSON, got {reply[:200]!r}")


benchmark = ExpertQa(load_card(_FOLDER))
