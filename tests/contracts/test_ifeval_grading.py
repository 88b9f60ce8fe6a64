"""IFEval's own verdicts on published GPT-4 replies, reached through the benchmark's items."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict, cast

import pytest

from assay.adapters.datasets.files import tables_at
from assay.benchmarks.ifeval.task import benchmark
from assay.domain.benchmark import Grade, Item, ItemId, Result, Services
from assay.domain.calls.messages import Completion

pytestmark = pytest.mark.official

MODES: tuple[Literal["strict", "loose"], ...] = ("strict", "loose")


class Reply(TypedDict):
    key: int
    response: str


class Verdicts(TypedDict):
    """None where runs of the official scorer disagree."""

    key: int
    strict: list[bool | None]
    loose: list[bool | None]


@pytest.fixture(scope="module")
def items(official: Path) -> Mapping[ItemId, Item]:
    tables = tables_at(official / "ifeval", benchmark.card.source)
    return {item.id: item for item in benchmark.load(tables).items}


@pytest.fixture(scope="module")
def theirs(official: Path) -> Mapping[ItemId, Verdicts]:
    rows = cast("list[Verdicts]", json_lines(official / "ifeval" / "official_verdicts_gpt4.jsonl"))
    return {ItemId(str(row["key"])): row for row in rows}


@pytest.fixture(scope="module")
def ours(official: Path, items: Mapping[ItemId, Item]) -> Mapping[ItemId, Grade]:
    replies = cast("list[Reply]", json_lines(official / "ifeval" / "responses_gpt4.jsonl"))

    async def graded() -> dict[ItemId, Grade]:
        grades: dict[ItemId, Grade] = {}
        for reply in replies:
            item = items[ItemId(str(reply["key"]))]
            grades[item.id] = await benchmark.grade(item, Completion(reply["response"]), Services())
        return grades

    return asyncio.run(graded())


def json_lines(path: Path) -> list[object]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_all_official_prompts_become_items(items: Mapping[ItemId, Item]) -> None:
    assert len(items) == benchmark.card.size
    assert sum((item.expected or "").count(":") for item in items.values()) == 834


def test_every_stable_verdict_is_the_official_one(
    ours: Mapping[ItemId, Grade], theirs: Mapping[ItemId, Verdicts]
) -> None:
    assert ours.keys() == theirs.keys()
    assert len(ours) > 200
    for item_id, grade in ours.items():
        for mode in MODES:
            expected = theirs[item_id][mode]
            found = grade.details[mode]
            assert isinstance(found, Sequence)
            assert masked(found, expected) == expected, (item_id, mode)


def test_the_four_figures_follow_from_the_official_verdicts(
    items: Mapping[ItemId, Item], ours: Mapping[ItemId, Grade], theirs: Mapping[ItemId, Verdicts]
) -> None:
    stable = [item_id for item_id, row in theirs.items() if None not in row["strict"] + row["loose"]]
    results = [
        Result(item_id, 0, grade.outcome, grade.score, items[item_id].category, None, grade.details)
        for item_id in stable
        for grade in [ours[item_id]]
    ]
    figures = benchmark.metrics(results)
    for mode in MODES:
        verdicts = [theirs[item_id][mode] for item_id in stable]
        followed = [one for prompt in verdicts for one in prompt]
        assert figures[f"prompt_{mode}"].value == pytest.approx(sum(map(all, verdicts)) / len(verdicts))
        assert figures[f"instruction_{mode}"].value == pytest.approx(followed.count(True) / len(followed))


def masked(found: Sequence[object], expected: Sequence[bool | None]) -> list[object]:
    """What was found, without the verdicts on which the official scorer does not agree with itself."""
    return [None if known is None else one for one, known in zip(found, expected, strict=True)]
