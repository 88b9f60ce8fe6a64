"""AA-LCR: questions over sets of long documents, judged by a second model."""

from dataclasses import dataclass, replace
from importlib.resources import files

from assay.benchmarks.aa_lcr import documents, rows
from assay.benchmarks.aa_lcr.documents import DocumentSets
from assay.benchmarks.aa_lcr.rows import Question, questions
from assay.domain.benchmark import Card, Cue, Grade, Item, ItemId, ItemSet, Services, Tables
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.outcome import Outcome
from assay.engine.graders.judge import JudgeQuestion, Verdict, grade_by_judge, judge_prompt, word_verdict
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.aa_lcr")
_JUDGE_PROMPT = """Assess whether the following CANDIDATE ANSWER is CORRECT or INCORRECT.
For the CANDIDATE ANSWER to be correct, it must be consistent with the OFFICIAL ANSWER.

The question, for reference only: {question}
The OFFICIAL ANSWER: {official_answer}
CANDIDATE ANSWER TO ASSESS: {candidate_answer}

Reply only with CORRECT or INCORRECT."""
_JUDGE_GENERATION = Generation(temperature=0.0, max_tokens=4096)


@dataclass(frozen=True, slots=True)
class AaLcr:
    card: Card

    def load(self, tables: Tables) -> ItemSet:
        by_id = {question.id: question for question in questions(tables)}
        library = DocumentSets(tables)

        def prompt(item: Item) -> Prompt:
            question = by_id[item.id]
            return Prompt.of_user(_prompt(question, library.texts(question)))

        return ItemSet(
            tuple(_item(question) for question in by_id.values()),
            prompt,
            lambda item: Cue(right=item.expected, wrong=by_id[item.id].wrong or "It cannot be determined."),
        )

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        if not completion.answer.strip():
            return Grade(Outcome.INCORRECT, 0.0, explanation="there is no answer to judge")
        return await grade_by_judge(services.required_panel(), _judge_question(item, completion.answer))

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, {rows.SPLIT: "demo.jsonl", documents.SPLIT: "demo_documents.jsonl"})


def _item(question: Question) -> Item:
    return Item(
        ItemId(question.id),
        {
            "question": question.text,
            "document_category": question.category,
            "document_set_id": question.document_set,
            "data_source_filenames": question.documents,
        },
        expected=question.answer,
        category=question.category,
        cluster=question.document_set,
    )


def _prompt(question: Question, texts: list[str]) -> str:
    joined = "\n\n".join(
        f"BEGIN DOCUMENT {number}:\n{text}\nEND DOCUMENT {number}"
        for number, text in enumerate(texts, start=1)
    )
    return (
        f"BEGIN INPUT DOCUMENTS\n\n{joined}\n\nEND INPUT DOCUMENTS\n\n"
        "Answer the following question using the input documents provided above.\n\n"
        f"START QUESTION\n\n{question.text}\n\nEND QUESTION\n"
    )


def _judge_question(item: Item, answer: str) -> JudgeQuestion:
    expected = item.expected or ""
    fields = {
        "question": str(item.fields["question"]),
        "official_answer": expected,
        "candidate_answer": answer,
    }
    cue = Cue(right="CORRECT", wrong="INCORRECT", choices=("CORRECT", "INCORRECT"), judged=(answer, expected))
    return JudgeQuestion(judge_prompt(_JUDGE_PROMPT, fields), _JUDGE_GENERATION, cue, _read_verdict)


def _read_verdict(reply: str) -> Verdict:
    verdict = word_verdict(reply)
    return replace(verdict, details={"judge_result": "CORRECT" if verdict.is_correct else "INCORRECT"})


benchmark = AaLcr(load_card(_FOLDER))
