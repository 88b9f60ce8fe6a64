"""Image names, lists and aggregates against the official ones."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks.swe_bench_pro.images import image_uri
from assay.benchmarks.swe_bench_pro.lists import names_in
from assay.benchmarks.swe_bench_pro.results import outcome_of, share_solved

pytestmark = pytest.mark.official
# As the authors' site gives them, in percent of 730 whatever a file holds.
SITE_TOTAL = 730


@pytest.fixture(scope="module")
def instances(official: Path) -> list[dict[str, Any]]:
    with gzip.open(official / "swe_bench_pro/instances.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_instance_has_the_official_image(instances: list[dict[str, Any]]) -> None:
    assert len(instances) >= 1_000
    for one in instances:
        assert image_uri(one["instance_id"], one["repo"]) == one["image_uri"]


def test_the_lists_survive_as_python_literals_and_as_json(instances: list[dict[str, Any]]) -> None:
    for one in instances:
        for column in ("fail_to_pass", "pass_to_pass", "test_files"):
            names = tuple(one[column])
            assert names_in(one[column], where=column) == names
            assert names_in(repr(one[column]), where=column) == names
            assert names_in(json.dumps(one[column]), where=column) == names


def test_passing_what_is_required_solves_an_instance(instances: list[dict[str, Any]]) -> None:
    for one in instances:
        required = sorted({*one["fail_to_pass"], *one["pass_to_pass"]})
        tests = [{"name": name, "status": "PASSED"} for name in required]
        lists = {"fail_to_pass": one["fail_to_pass"], "pass_to_pass": one["pass_to_pass"]}
        assert outcome_of({"tests": tests}, **lists).is_solved
        if required:
            tests[0]["status"] = "FAILED"
            assert outcome_of({"tests": tests}, **lists).missing == (required[0],)


def test_the_official_result_sets_add_up(official: Path) -> None:
    with gzip.open(official / "swe_bench_pro/official_eval_results.json.gz", "rt") as file:
        sets: dict[str, dict[str, bool]] = json.load(file)
    for results in sets.values():
        solved = sum(results.values())
        assert share_solved(results.values()) == solved / len(results)
        assert share_solved(results.values(), of=SITE_TOTAL) == solved / SITE_TOTAL
