"""Replies as models write them: right ones to every question in a few words and every explanation."""

import json
from pathlib import Path

import pytest

from assay.benchmarks.janus.cost.task import benchmark
from assay.domain.benchmark import Services
from assay.domain.calls.messages import Completion

REPLIES: dict[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
ITEMS = {one.id.removeprefix("janus_cost_"): one for one in benchmark.load(benchmark.demo_tables()).items}


@pytest.mark.parametrize(
    ("name", "reply"), [(name, one) for name, several in REPLIES.items() for one in several]
)
async def test_a_right_reply_of_the_asked_length_is_right(name: str, reply: str) -> None:
    grade = await benchmark.grade(ITEMS[name], Completion(reply), Services())
    assert grade.score == 1, grade.explanation


def test_every_question_and_explanation_has_a_reply() -> None:
    kinds = ("concise_response", "efficient_explanation")
    assert list(REPLIES) == [name for name, item in ITEMS.items() if item.category in kinds]
