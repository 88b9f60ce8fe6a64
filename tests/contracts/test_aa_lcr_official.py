"""AA-LCR against the official questions, fingerprints of prompts, and two judged runs."""

import json
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.benchmarks.aa_lcr.task import benchmark
from assay.cli.actions.grade_answers import grade_file
from assay.domain.benchmark import Item, ItemSet
from assay.domain.errors import DataMissingError

pytestmark = pytest.mark.official


@pytest.fixture(scope="module")
def folder(official: Path) -> Path:
    return official / "aa_lcr"


@pytest.fixture(scope="module")
def item_set(folder: Path) -> ItemSet:
    return benchmark.load(FileDataLibrary(folder / "unused").open(benchmark, str(folder)).tables)


@pytest.fixture(scope="module")
def fingerprints(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "prompt_fingerprints.jsonl").read_text().splitlines()
    return {row["question_id"]: row for row in map(json.loads, lines)}


def names(item: Item) -> tuple[str, ...]:
    found = item.fields["data_source_filenames"]
    assert isinstance(found, tuple)
    return tuple(map(str, found))


def test_every_question_loads_with_all_its_documents(
    item_set: ItemSet, fingerprints: dict[str, dict[str, Any]]
) -> None:
    assert len(item_set.items) == benchmark.card.size == 100
    assert len({item.cluster for item in item_set.items}) == 30
    for item in item_set.items:
        assert len(names(item)) == fingerprints[item.id]["n_documents"], item.id


def test_prompts_are_as_long_as_the_official_ones(
    item_set: ItemSet, fingerprints: dict[str, dict[str, Any]]
) -> None:
    """Questions over the same documents differ by their own length, blanks at the end included."""
    documents: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for item in item_set.items:
        known = fingerprints[item.id]
        if "prompt_chars" in known:
            rest = known["prompt_chars"] - len(str(item.fields["question"]))
            documents[tuple(known["document_sha256"])].add(rest)
    assert len(documents) == 29
    assert all(len(rests) == 1 for rests in documents.values())


def test_prompts_have_the_official_fingerprints_where_the_documents_are(
    item_set: ItemSet, fingerprints: dict[str, dict[str, Any]]
) -> None:
    for item in item_set.items:
        try:
            prompt = item_set.prompt(item).text
        except DataMissingError as error:
            pytest.skip(f"the documents are not here: {error.message}")
        known = fingerprints[item.id]
        if "prompt_sha256" in known:
            assert sha256(prompt.encode()).hexdigest() == known["prompt_sha256"], item.id


@pytest.mark.parametrize("run", ["20260204_124703", "20260204_134753"])
def test_every_judged_answer_gets_the_official_verdict(
    run: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    lines = (folder / f"judged_deepseek-reasoner_{run}.jsonl").read_text().splitlines()
    head, *rows = [json.loads(line) for line in lines]
    assert len(rows) == head["total"] == 100
    answers = tmp_path / "answers.jsonl"
    with answers.open("w") as out:
        for row in rows:
            line = {"item": row["question_id"], "response": row["llm_answer"], "judge": row["judge_result"]}
            out.write(json.dumps(line) + "\n")
    verdicts = tmp_path / "verdicts.jsonl"
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    grade_file("aa_lcr", answers, where=str(folder), judging=None, out=verdicts, as_json=True)
    summary = json.loads(capsysbinary.readouterr().out)
    graded = [json.loads(line) for line in verdicts.read_text().splitlines()]
    assert [(one["item"], one["outcome"].upper()) for one in graded] == [
        (row["question_id"], row["judge_result"]) for row in rows
    ]
    assert [one["details"].get("judge_result", "INCORRECT") for one in graded] == [
        row["judge_result"] for row in rows
    ]
    assert summary["score"] == head["correct"] / head["total"]
    assert f"{100 * summary['score']:.2f}%" == head["accuracy"]
