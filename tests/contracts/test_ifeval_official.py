"""Our verdicts against those of the official scorer on stored GPT-4 responses."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest

from assay.benchmarks.ifeval.following import RULEBOOK
from assay.engine.graders.instructions.following import Instruction

pytestmark = pytest.mark.official

Mode = Literal["strict", "loose"]
MODES: tuple[Mode, ...] = ("strict", "loose")


class ItemRow(TypedDict):
    instruction_id_list: list[str]
    kwargs: list[dict[str, object]]


class ResponseRow(TypedDict):
    response: str


class VerdictRow(TypedDict):
    strict: list[bool | None]
    loose: list[bool | None]


@dataclass(frozen=True, slots=True)
class Judged:
    """One response in one mode; None marks a verdict that varies between runs of the official scorer."""

    instructions: tuple[Instruction, ...]
    ours: tuple[bool, ...]
    official: tuple[bool | None, ...]


def rows(path: Path) -> dict[int, Any]:
    with path.open(encoding="utf-8") as lines:
        return {row["key"]: row for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def items(official: Path) -> dict[int, ItemRow]:
    return rows(official / "ifeval" / "input_data.jsonl")


@pytest.fixture(scope="module")
def judged(official: Path, items: dict[int, ItemRow]) -> dict[Mode, list[Judged]]:
    responses: dict[int, ResponseRow] = rows(official / "ifeval" / "responses_gpt4.jsonl")
    verdicts: dict[int, VerdictRow] = rows(official / "ifeval" / "official_verdicts_gpt4.jsonl")
    joined: dict[Mode, list[Judged]] = {"strict": [], "loose": []}
    for key in sorted(responses.keys() & verdicts.keys()):
        pairs = zip(items[key]["instruction_id_list"], items[key]["kwargs"], strict=True)
        instructions, response = tuple(Instruction(*pair) for pair in pairs), responses[key]["response"]
        ours = {
            "strict": RULEBOOK.strict(instructions, response),
            "loose": RULEBOOK.loose(instructions, response),
        }
        for mode in MODES:
            joined[mode].append(Judged(instructions, ours[mode], tuple(verdicts[key][mode])))
    return joined


def test_the_official_prompts_use_exactly_the_known_instructions(items: dict[int, ItemRow]) -> None:
    used = [instruction_id for row in items.values() for instruction_id in row["instruction_id_list"]]
    assert (len(items), len(used)) == (541, 834)
    assert set(used) == RULEBOOK.ids


@pytest.mark.parametrize("mode", MODES)
def test_every_stable_verdict_is_the_official_one(judged: dict[Mode, list[Judged]], mode: Mode) -> None:
    differing = [
        (instruction, ours, official)
        for response in judged[mode]
        for instruction, ours, official in zip(
            response.instructions, response.ours, response.official, strict=True
        )
        if official is not None and ours is not official
    ]
    assert judged[mode]
    assert not differing


@pytest.mark.parametrize("mode", MODES)
def test_prompt_and_instruction_accuracy_are_the_official_ones(
    judged: dict[Mode, list[Judged]], mode: Mode
) -> None:
    stable = [response for response in judged[mode] if None not in response.official]
    assert sum(all(response.ours) for response in stable) == sum(all(r.official) for r in stable)
    assert sum(sum(response.ours) for response in stable) == sum(r.official.count(True) for r in stable)
