"""MMLU-Pro against the official rows and the letters that the official script extracted."""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.mmlu_pro.task import benchmark
from assay.domain.benchmark import Item, ItemId, Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import DataMissingError
from assay.domain.outcome import Outcome

pytestmark = pytest.mark.official
SIZE = 12_032


@pytest.fixture(scope="module")
def folder(official: Path) -> Path:
    return official / "mmlu_pro"


@pytest.fixture(scope="module")
def items(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Item]:
    library = FileDataLibrary(tmp_path_factory.mktemp("data"), offline=True)
    data = library.open(benchmark, str(folder / "test_rows.jsonl.gz"))
    return {item.id: item for item in benchmark.load(data.tables).items}


def outputs(folder: Path) -> Iterator[dict[str, Json]]:
    for path in sorted(folder.glob("official_outputs_*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


async def test_every_stored_answer_gives_the_official_letter_and_verdict(
    folder: Path, items: dict[str, Item]
) -> None:
    rows = list(outputs(folder))
    assert len(rows) >= 12_012
    for row in rows:
        item = items[str(row["question_id"])]
        grade = await benchmark.grade(item, Completion(str(row["model_outputs"])), Services())
        assert grade.extracted == row["pred"], row["question_id"]
        assert item.expected == row["answer"], row["question_id"]
        expected = Outcome.CORRECT if row["pred"] == row["answer"] else Outcome.INCORRECT
        assert grade.outcome is (expected if row["pred"] else Outcome.UNPARSED), row["question_id"]


async def test_guesses_are_as_lucky_as_the_card_says(items: dict[str, Item]) -> None:
    """The official scripts draw all guesses from one seed; here each answer has a draw of its own."""
    guessing = benchmark.variants["random_guess"]
    grades = [await guessing.grade(item, Completion(""), Services()) for item in items.values()]
    official = random.Random(12345)  # noqa: S311 # not a secret
    hits = [
        official.randint(0, len(options) - 1) == item.fields["answer_index"]
        for item in items.values()
        if isinstance(options := item.fields["options"], tuple | list)
    ]
    assert len(hits) == SIZE
    assert round(sum(grade.score for grade in grades) / SIZE, 3) == 0.113
    assert round(sum(hits) / SIZE, 3) == 0.110
    assert all(figure in " ".join(guessing.card.deviations) for figure in ("0.113", "0.110"))


def test_every_official_row_loads(folder: Path, tmp_path: Path) -> None:
    data = FileDataLibrary(tmp_path, offline=True).open(benchmark, str(folder / "test_rows.jsonl.gz"))
    item_set = benchmark.load(data.tables)
    assert len(item_set.items) == SIZE == benchmark.card.size
    assert len({item.id for item in item_set.items}) == SIZE
    assert len({item.category for item in item_set.items}) == 14
    with pytest.raises(DataMissingError, match=r"'validation' is needed too.*mmlu_pro:zero_shot"):
        item_set.prompt(item_set.items[0])


def test_the_folder_is_matched_by_name(folder: Path, tmp_path: Path) -> None:
    data = FileDataLibrary(tmp_path, offline=True).open(benchmark, str(folder))
    assert sum(1 for _ in data.tables.rows("test")) == SIZE


def test_zero_shot_prompts_list_every_option_of_the_official_rows(folder: Path, tmp_path: Path) -> None:
    zero_shot = benchmark.variants["zero_shot"]
    data = FileDataLibrary(tmp_path, offline=True).open(zero_shot, str(folder / "test_rows.jsonl.gz"))
    item_set = zero_shot.load(data.tables)
    rows = {ItemId(str(row["question_id"])): row for row in data.tables.rows("test")}
    for item in item_set.items:
        options = rows[item.id]["options"]
        assert isinstance(options, list)
        listed = "\n".join(
            f"{letter}) {option}" for letter, option in zip("ABCDEFGHIJ", options, strict=False)
        )
        assert item_set.prompt(item).text.endswith(f"\n\n{listed}"), item.id


def test_the_local_header_is_the_official_file(folder: Path) -> None:
    local = benchmark.variants["local"]
    item_set = local.load(local.demo_tables())
    item = item_set.items[0]
    header = (folder / "initial_prompt.txt").read_text(encoding="utf-8").replace("{$}", str(item.category))
    assert item_set.prompt(item).text.startswith(f"{header}\nQuestion:\n")
