import json
from pathlib import Path

import pytest
import typst

from assay.benchmarks.expert_qa.questions import Question, read_questions
from assay.benchmarks.expert_qa.task import benchmark, read_decision
from assay.domain.errors import AssayError, GraderError


def written(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in rows))
    return path


def test_own_questions_are_asked_with_a_rule_for_the_answer(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "How many?", "answer": 1200}, {"question": "Who?", "answer": "Ada"})
    data = benchmark.own_data(str(path))
    assert data.revision == "file:questions.jsonl"
    item_set = benchmark.load(data.tables)
    assert [item.id for item in item_set.items] == ["1", "2"]
    assert [item.expected for item in item_set.items] == ["1200", "Ada"]
    texts = [item_set.prompt(item).text for item in item_set.items]
    assert texts[0].endswith("How many?")
    assert "number alone" in texts[0]
    assert "answer alone" in texts[1]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 2: not valid JSON"),
        ("[1]", "line 2: a JSON object was expected"),
        ({"question": "Q"}, 'line 2: field "answer" must be a text'),
        ({"question": " ", "answer": "a"}, 'line 2: field "question" must be a text'),
        ({"question": "Q", "answer": "a", "hint": "x"}, "line 2: unknown field 'hint'"),
        ({"question": "Q", "answer": "a", "number": 1}, "line 2: question 1 is there twice"),
        ({"question": "Q", "answer": "a", "number": True}, 'line 2: field "number" must be a whole number'),
        ("[" * 100_000, "line 2: not valid JSON"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: object, said: str) -> None:
    path = written(tmp_path, {"question": "First?", "answer": "yes"}, row)
    with pytest.raises(AssayError) as raised:
        read_questions(path)
    assert said in raised.value.message


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="holds no questions"):
        read_questions(written(tmp_path, ""))
    with pytest.raises(AssayError, match="no file"):
        read_questions(tmp_path / "absent.jsonl")
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(AssayError, match="not UTF-8"):
        read_questions(tmp_path / "bad.jsonl")


def pdf(tmp_path: Path, text: str) -> Path:
    source, path = tmp_path / "questions.typ", tmp_path / "questions.pdf"
    source.write_text(text)
    typst.compile(source, output=path)
    return path


def test_questions_are_read_from_the_text_of_a_pdf(tmp_path: Path) -> None:
    lines = (
        r"1\. Which gas do plants take in? \ Answer: carbon dioxide",
        r"2\. How many sides has a hexagon, a figure that bees build, "
        + "over and over, " * 20
        + "and like?",
        "Answer: 6",
    )
    found = read_questions(pdf(tmp_path, "\n\n".join(lines)))
    assert [(one.number, one.answer) for one in found] == [(1, "carbon dioxide"), (2, "6")]
    assert found[0].text == "Which gas do plants take in?"
    assert found[1].text.startswith("How many sides has a hexagon, a figure that bees")


def test_a_pdf_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"question 1 of 'questions.pdf' must have one line"):
        read_questions(pdf(tmp_path, r"1\. Which gas?"))
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7\n" + b"\x00" * 1000)
    with pytest.raises(AssayError, match="cannot be read"):
        read_questions(path)


@pytest.mark.parametrize(
    ("answer", "is_number"), [("3", True), ("+1,200.5", True), ("+7 or so", False), ("", False)]
)
def test_answers_that_are_numbers(answer: str, *, is_number: bool) -> None:
    assert Question(1, "Q", answer).asks_for_a_number is is_number


@pytest.mark.parametrize(
    ("reply", "is_correct"),
    [
        ('{"decision": "PASS", "reason": "same"}', True),
        ('```json\n{"decision": "fail", "reason": "other"}\n```', False),
    ],
)
def test_the_decision_of_a_judge(reply: str, *, is_correct: bool) -> None:
    verdict = read_decision(reply)
    assert verdict.is_correct is is_correct
    assert verdict.details["reason"] in ("same", "other")


@pytest.mark.parametrize(
    "reply", ["PASS", "{}", '{"decision": "MAYBE"}', '{"decision": true}', "[" * 100_000, ""]
)
def test_a_reply_without_a_decision_is_missing_data(reply: str) -> None:
    with pytest.raises(GraderError, match="no verdict"):
        read_decision(reply)
