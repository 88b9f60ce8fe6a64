"""GPQA Diamond against the orders and the letters of the public harnesses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.gpqa_diamond.extraction import (
    labelled_letter,
    nine_pattern_letter,
    simple_evals_letter,
)
from assay.benchmarks.gpqa_diamond.task import benchmark
from assay.cli.main import app
from assay.domain.benchmark import Item, Services
from assay.domain.calls.messages import Completion

pytestmark = pytest.mark.official
HARNESSES: dict[str, tuple[str, Callable[[str], str | None]]] = {
    "simple_evals": ("", simple_evals_letter),
    "aa_v2": ("one_pattern", labelled_letter),
    "aa_v3": ("nine_patterns", nine_pattern_letter),
}


@pytest.fixture(scope="module")
def vectors(official: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((official / "gpqa" / "extractor_vectors.json").read_text())[
        "vectors"
    ]
    assert len(found) >= 18
    return found


@pytest.fixture(scope="module")
def orders(official: Path) -> list[list[int]]:
    file = official / "gpqa" / "simple_evals_permutations.json"
    found: list[list[int]] = json.loads(file.read_text())["permutations"]
    return found


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many rows as the official table has, in its layout, with answers that tell their places."""
    path = tmp_path_factory.mktemp("gpqa") / "gpqa_diamond.csv"
    columns = ("Record ID", "Question", "Correct Answer", *(f"Incorrect Answer {n}" for n in (1, 2, 3)))
    lines = [f'rec{number},"Row {number}, with a ""quote""\nand a line",0,1,2,3' for number in range(198)]
    path.write_text("\r\n".join([",".join(columns), *lines]) + "\r\n", encoding="utf-8")
    return path


def loaded(table: Path, name: str, tmp_path: Path) -> tuple[Item, ...]:
    variant = benchmark.variants[name] if name else benchmark
    return tuple(variant.load(FileDataLibrary(tmp_path, offline=True).open(variant, str(table)).tables).items)


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_vector_gives_the_letter_of_its_harness(vectors: list[dict[str, Any]], harness: str) -> None:
    _, extract = HARNESSES[harness]
    for vector in vectors:
        assert extract(vector["response"]) == vector[harness], vector["response"]


@pytest.mark.parametrize("harness", HARNESSES)
async def test_the_verdict_follows_from_the_letter(
    vectors: list[dict[str, Any]], harness: str, table: Path, tmp_path: Path
) -> None:
    name, _ = HARNESSES[harness]
    variant = benchmark.variants[name] if name else benchmark
    for item in loaded(table, name, tmp_path)[:4]:
        for vector in vectors:
            grade = await variant.grade(item, Completion(vector["response"]), Services())
            assert grade.extracted == vector[harness]
            assert grade.score == float(vector[harness] == item.expected)


@pytest.mark.parametrize("where", ["file", "folder"])
def test_the_options_stand_in_the_official_orders(
    orders: list[list[int]], table: Path, tmp_path: Path, where: str
) -> None:
    items = loaded(table if where == "file" else table.parent, "", tmp_path)
    assert len(items) == benchmark.card.size == len(orders)
    for item, order in zip(items, orders, strict=True):
        assert item.fields["choices"] == tuple(map(str, order))
        assert item.expected == "ABCD"[order.index(0)]
    assert items[7].id == "rec7"
    assert items[0].fields["question"] == 'Row 0, with a "quote"\nand a line'


def test_four_orders_go_on_with_the_same_draws(orders: list[list[int]], table: Path, tmp_path: Path) -> None:
    items = loaded(table, "four_orders", tmp_path)
    assert [item.fields["choices"] for item in items[:198]] == [tuple(map(str, order)) for order in orders]
    assert len({item.id for item in items}) == len(items) == 792


@pytest.mark.parametrize("harness", HARNESSES)
def test_answers_made_elsewhere_get_the_same_letters(
    vectors: list[dict[str, Any]], harness: str, table: Path, tmp_path: Path
) -> None:
    """Also one whose reasoning is still in it: the harnesses read replies as they stand."""
    name, _ = HARNESSES[harness]
    answers = tmp_path / "answers.jsonl"
    lines = [{"item": f"rec{n}", "response": vector["response"]} for n, vector in enumerate(vectors)]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = ["grade", f"gpqa_diamond:{name}".rstrip(":"), "--answers", str(answers), "--data", str(table)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    verdicts = [json.loads(line) for line in result.stdout.splitlines()[: len(vectors)]]
    assert [verdict["extracted"] for verdict in verdicts] == [vector[harness] for vector in vectors]
