"""AA-LCR: documents, prompts and judgements."""

import json
from dataclasses import dataclass, field

import pytest

from assay.benchmarks.aa_lcr.task import benchmark
from assay.domain.benchmark import Cue, ItemSet, Panel, Row, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import BadRowError, DataMissingError, GraderError
from assay.domain.outcome import Outcome
from tests.builders import ListTables

ROW: Row = {
    "document_category": "Legal",
    "document_set_id": "set_a",
    "question_id": "7",
    "question": "Who owes what? ",
    "answer": "Ada owes 5",
    "data_source_filenames": "b.txt;a.txt",
}
DOCUMENTS: list[Row] = [
    {"path": "lcr/Legal/set_a/a.txt", "text": "first\n"},
    {"path": "lcr/Legal/set_a/b.txt", "text": "second"},
    {"path": "lcr/Legal/set_b/a.txt", "text": "another set"},
    {"path": "README.txt", "text": "not a document"},
]


def loaded(*rows: Row, documents: list[Row] = DOCUMENTS) -> ItemSet:
    return benchmark.load(ListTables({"test": rows, "documents": documents}))


@dataclass
class OneJudge:
    reply: str
    model: str = "judge"
    prompts: list[Prompt] = field(default_factory=list[Prompt])

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        _ = generation, cue, vote
        self.prompts.append(prompt)
        return Completion(self.reply)


def test_the_prompt_is_put_together_as_published() -> None:
    item_set = loaded(ROW)
    [item] = item_set.items
    assert item_set.prompt(item).text == (
        "BEGIN INPUT DOCUMENTS\n\n"
        "BEGIN DOCUMENT 1:\nsecond\nEND DOCUMENT 1\n\n"
        "BEGIN DOCUMENT 2:\nfirst\n\nEND DOCUMENT 2\n\n"
        "END INPUT DOCUMENTS\n\n"
        "Answer the following question using the input documents provided above.\n\n"
        "START QUESTION\n\nWho owes what? \n\nEND QUESTION\n"
    )


def test_items_share_the_cluster_of_their_documents() -> None:
    [item] = loaded(ROW).items
    assert (item.id, item.category, item.cluster, item.expected) == ("7", "Legal", "set_a", "Ada owes 5")


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("No cheat-codes needed \u2013 Guide.txt", "No cheat-codes needed ?\x80\x93 Guide.txt"),
        ("EU\u2019s Journal.txt", "EU_s Journal.txt"),
        ("Sinem Ba\u015fev.txt", "Sinem Bas\u0327ev.txt"),
    ],
)
def test_a_name_with_damaged_characters_is_found(asked: str, kept: str) -> None:
    item_set = loaded(
        {**ROW, "data_source_filenames": asked},
        documents=[{"path": f"lcr/Legal/set_a/{kept}", "text": "found"}],
    )
    assert "found" in item_set.prompt(item_set.items[0]).text


def test_a_missing_document_is_an_error_and_not_left_out() -> None:
    item_set = loaded({**ROW, "data_source_filenames": "a.txt;c.txt"})
    with pytest.raises(DataMissingError, match=r"question '7' needs the document 'c.txt' of Legal/set_a"):
        item_set.prompt(item_set.items[0])


def test_names_that_fit_two_documents_fit_none() -> None:
    two: list[Row] = [{"path": f"lcr/Legal/set_a/x{mark}.txt", "text": mark} for mark in "\u2013\u2014"]
    item_set = loaded({**ROW, "data_source_filenames": "x-.txt"}, documents=two)
    with pytest.raises(DataMissingError):
        item_set.prompt(item_set.items[0])


@pytest.mark.parametrize(
    "field_", ["question", "answer", "document_category", "question_id", "data_source_filenames"]
)
def test_a_row_that_cannot_be_used_is_named(field_: str) -> None:
    with pytest.raises(BadRowError, match=f"line 1: field '{field_}'"):
        loaded({**ROW, field_: ""})
    with pytest.raises(BadRowError, match="'7' is repeated"):
        loaded(ROW, ROW)


async def test_the_judge_is_asked_in_the_published_words() -> None:
    [item] = loaded(ROW).items
    judge = OneJudge("INCORRECT")
    grade = await benchmark.grade(item, Completion("{question}"), Services(panel=Panel((judge,))))
    assert grade.outcome is Outcome.INCORRECT
    assert grade.details == {"judge_result": "INCORRECT"}
    assert judge.prompts[0].text == (
        "Assess whether the following CANDIDATE ANSWER is CORRECT or INCORRECT.\n"
        "For the CANDIDATE ANSWER to be correct, it must be consistent with the OFFICIAL ANSWER.\n\n"
        "The question, for reference only: Who owes what? \n"
        "The OFFICIAL ANSWER: Ada owes 5\n"
        "CANDIDATE ANSWER TO ASSESS: {question}\n\n"
        "Reply only with CORRECT or INCORRECT."
    )


async def test_prose_is_no_verdict_and_an_empty_answer_needs_none() -> None:
    [item] = loaded(ROW).items
    judge = OneJudge("The answer is not CORRECT.")
    with pytest.raises(GraderError, match="no verdict"):
        await benchmark.grade(item, Completion("five"), Services(panel=Panel((judge,))))
    assert (await benchmark.grade(item, Completion(""), Services())).outcome is Outcome.INCORRECT


def test_every_demo_item_names_documents_that_ship_with_it() -> None:
    item_set = benchmark.load(benchmark.demo_tables())
    for item in item_set.items:
        names = item.fields["data_source_filenames"]
        assert item_set.prompt(item).text.count("BEGIN DOCUMENT") == len(json.loads(json.dumps(names)))
