"""AIME 2025 against the official answers and the answers that public harnesses extract."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.aime_2025.extraction import aa_answer, gpt_oss_answer, matharena_answer
from assay.benchmarks.aime_2025.task import benchmark
from assay.domain.benchmark import Item, ItemId, Services
from assay.domain.calls.messages import Completion

pytestmark = pytest.mark.official
HARNESSES: dict[str, Callable[[str], str | None]] = {
    "gpt_oss_extract": lambda text: gpt_oss_answer(text) or "",
    "aa_boxed_regex": aa_answer,
    "matharena_last_boxed": matharena_answer,
}


@pytest.fixture(scope="module")
def folder(official: Path) -> Path:
    return official / "aime2025"


@pytest.fixture(scope="module")
def vectors(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "extractor_vectors.json").read_text())["vectors"]
    assert len(found) >= 18
    return found


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_vector_gives_the_answer_of_its_harness(vectors: list[dict[str, Any]], harness: str) -> None:
    for vector in vectors:
        assert HARNESSES[harness](vector["response"]) == vector[harness], vector["response"]


async def test_the_default_verdict_is_equality_of_integers(vectors: list[dict[str, Any]]) -> None:
    for vector in vectors:
        extracted = vector["gpt_oss_extract"]
        value = int(extracted) if extracted.lstrip("-").isdigit() else None
        for expected in (0, 16, value or 1):
            item = Item(ItemId("1"), {}, expected=str(expected))
            grade = await benchmark.grade(item, Completion(vector["response"]), Services())
            assert grade.score == float(value == expected), vector["response"]
            assert (grade.extracted or "") == extracted


@pytest.mark.parametrize("name", ["", "matharena", "aa", "robust"])
async def test_every_official_answer_is_right_and_its_neighbour_wrong(
    folder: Path, tmp_path: Path, name: str
) -> None:
    answers = {
        row["nemo_id"]: row["answer"]
        for row in map(json.loads, (folder / "answers.jsonl").read_text().splitlines())
    }
    variant = benchmark.variants[name] if name else benchmark
    data = FileDataLibrary(tmp_path, offline=True).open(variant, str(folder))
    items = {item.id: item for item in variant.load(data.tables).items}
    assert len(items) == len(answers) == benchmark.card.size == 30
    for nemo_id, answer in answers.items():
        item = items[ItemId(nemo_id)]
        assert item.expected == answer
        for shown, score in ((answer, 1.0), (answer.zfill(3), 1.0), (str(int(answer) + 1), 0.0)):
            completion = Completion(f"So the answer is $\\boxed{{{shown}}}$.")
            assert (await variant.grade(item, completion, Services())).score == score, (nemo_id, shown)
