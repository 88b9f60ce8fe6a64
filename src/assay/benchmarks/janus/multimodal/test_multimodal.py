"""Pictures and sound are sent as message parts, and requests are answered in the form that suits them."""

import base64
import json
import struct
import wave
from io import BytesIO

import pytest

from assay.benchmarks.janus.multimodal.task import benchmark
from assay.domain.benchmark import Cue, Grade, Item, Need, Services
from assay.domain.calls.messages import Audio, Completion, Image, Prompt, ToolCall
from assay.domain.outcome import Outcome

AUDIO = benchmark.variants["audio"]
ITEM_SET = benchmark.load(benchmark.demo_tables())
ITEMS = {item.id.removeprefix("janus_multimodal_"): item for item in ITEM_SET.items}
NO_CUE = Cue()
PRINT = ToolCall(
    "a", "print_file", json.dumps({"path": "notes/ideas.txt", "printer": "reception", "copies": 2})
)


async def graded(name: str, *replies: Completion) -> Grade:
    left = list(replies)

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        del prompt, cue
        return left.pop(0) if left else Completion("")

    item = ITEMS[name]
    assert ITEM_SET.converse is not None
    return await benchmark.grade(item, await ITEM_SET.converse(item, ask, Services()), Services())


def pictures(item: Item) -> list[bytes]:
    parts = [part for part in ITEM_SET.prompt(item).messages[-1].content if isinstance(part, Image)]
    return [
        base64.b64decode(part.url.removeprefix("data:image/png;base64,"), validate=True) for part in parts
    ]


def test_the_counts_are_those_of_the_suite() -> None:
    counts: dict[str | None, int] = {}
    for item in ITEM_SET.items:
        counts[item.category] = counts.get(item.category, 0) + 1
    assert counts == {
        "image_generation": 20,
        "image_understanding": 20,
        "mixed_media": 10,
        "modality_routing": 10,
    }
    assert len(AUDIO.load(AUDIO.demo_tables()).items) == AUDIO.card.size == 10


def test_needs_say_what_the_tasks_send() -> None:
    assert benchmark.card.needs == {Need.IMAGES, Need.TOOLS}
    assert AUDIO.card.needs == {Need.IMAGES, Need.AUDIO}


def test_pictures_are_small_png_files_with_a_size() -> None:
    with_pictures = [item for item in ITEM_SET.items if pictures(item)]
    assert {item.category for item in with_pictures} >= {"image_understanding", "mixed_media"}
    for item in with_pictures:
        for data in pictures(item):
            assert data.startswith(b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", data[16:24])
            assert 100 <= width <= 400
            assert 60 <= height <= 300
            assert len(data) < 4_000


def test_sound_is_sent_as_a_part_before_the_question() -> None:
    item_set = AUDIO.load(AUDIO.demo_tables())
    for item in item_set.items:
        *parts, text = item_set.prompt(item).messages[-1].content
        assert isinstance(text, str)
        (sound,) = [part for part in parts if isinstance(part, Audio)]
        assert sound.format == "wav"
        with wave.open(BytesIO(base64.b64decode(sound.data))) as file:
            assert (file.getnchannels(), file.getframerate()) == (1, 8000)
            assert 0.4 < file.getnframes() / 8000 < 4


def test_the_answer_to_a_picture_is_not_in_its_text() -> None:
    for name, item in ITEMS.items():
        prompt = ITEM_SET.prompt(item).text
        if name.startswith("image_understanding"):
            assert f"Answer: {item.expected}" not in prompt, name


async def test_a_request_for_an_action_takes_the_call_and_nothing_else() -> None:
    done = Completion("Done.")
    assert (await graded("modality_routing_01", Completion("", tool_calls=(PRINT,)), done)).score == 1.0
    twice = await graded("modality_routing_01", Completion("", tool_calls=(PRINT, PRINT)), done)
    assert (twice.score, twice.outcome) == (0.5, Outcome.PARTIAL)
    said = await graded("modality_routing_01", Completion("I have sent two copies to the printer."))
    assert (said.score, said.outcome) == (0.0, Outcome.INCORRECT)
    written = await graded("modality_routing_01", Completion(json.dumps({"tool_calls": [PRINT.to_json()]})))
    assert written.score == 0.0


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"item": "H-38", "quantity": 30, "express": false}', 1.0),
        ('```json\n{"express": false, "item": "H-38", "quantity": 30.0}\n```', 1.0),
        ('{"item": "H-38", "quantity": 30, "express": 0}', 0.0),
        ('{"item": "H-38", "quantity": "30", "express": false}', 0.0),
        ('Here you are: {"item": "H-38", "quantity": 30, "express": false}', 0.0),
        ('{"item": "H-38", "quantity": 30, "express": false, "more": 1}', 0.0),
        ("[" * 20_000, 0.0),
        ("[" * 10_000 + "]" * 10_000, 0.0),
        ("", 0.0),
    ],
    ids=range(9),
)
async def test_a_request_for_data_takes_one_json_value_and_nothing_else(reply: str, score: float) -> None:
    assert (await graded("modality_routing_04", Completion(reply))).score == score


async def test_the_right_content_in_the_wrong_form_scores_0() -> None:
    drawing = str(ITEMS["modality_routing_07"].fields["expected_answer"])
    assert (await graded("modality_routing_07", Completion(drawing))).score == 1.0
    assert (await graded("modality_routing_07", Completion("Answer: a red circle"))).score == 0.0
    assert (
        await graded("modality_routing_10", Completion("Three hours are more.\nAnswer: 205"))
    ).score == 1.0
    assert (await graded("modality_routing_10", Completion("```json\n205\n```\nAnswer: 205"))).score == 0.0
    convert = ToolCall("a", "convert_units", json.dumps({"value": 3, "from_unit": "h", "to_unit": "min"}))
    grade = await graded(
        "modality_routing_10", Completion("", tool_calls=(convert,)), Completion("Answer: 205")
    )
    assert grade.score == 0.5
