"""What a model is shown of a task, in which order."""

from assay.benchmarks.janus.benchmark import shown_answer, task_item, task_prompt
from assay.domain.calls.messages import Audio, Image, Message

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def test_documents_stand_before_the_claim_and_the_form_of_the_reply_after_it() -> None:
    task = {
        "claim": "It rained.",
        "documents": [{"title": "Diary", "text": "Dry."}, {"title": "Log", "text": "Wet."}],
    }
    (message,) = task_prompt(task, "So?").messages
    assert message == Message(
        "user",
        "Document 1: Diary\nDry.\n\nDocument 2: Log\nWet.\n\nIs this claim true?\nIt rained.\n\nSo?",
    )


def test_pictures_and_sound_stand_before_the_text() -> None:
    task = {"prompt": "What is it?", "images": [PIXEL], "audio": {"data": "UklGRg==", "format": "wav"}}
    (message,) = task_prompt(task, "").messages
    assert message.content == (Image(PIXEL), Audio("UklGRg==", "wav"), "What is it?")


def test_earlier_messages_come_first() -> None:
    task = {"query": "And then?", "messages": [{"role": "system", "content": "Be brief."}]}
    assert task_prompt(task, "").messages == (Message("system", "Be brief."), Message("user", "And then?"))


def test_the_expected_answer_is_shown_as_a_reply_writes_it() -> None:
    answers = {"Total": 1204, "Towns": ["Quenby", "Marrick"], "Verdict": False}
    assert shown_answer({"expected_answer": answers}) == "Total: 1204\nTowns: Quenby; Marrick\nVerdict: FALSE"
    assert shown_answer({"expected_facts": ["oxygen", ["CO2", "carbon dioxide"]]}) == "oxygen; CO2"
    assert shown_answer({"evaluation": {}}) is None


def test_the_type_of_a_task_is_its_category() -> None:
    item = task_item({"id": "a", "task_type": "short", "prompt": "Count.", "expected_answer": "1\n2"})
    assert (item.id, item.category, item.expected) == ("a", "short", "1\n2")
