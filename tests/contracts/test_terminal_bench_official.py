"""Screens, verdicts, replies and aggregates against those of the official harness."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks.terminal_bench_hard.aggregates import accuracy_over_runs, pass_rates
from assay.benchmarks.terminal_bench_hard.replies import parse_reply
from assay.benchmarks.terminal_bench_hard.screen import summary_count, verdict
from assay.benchmarks.terminal_bench_hard.task_names import HARD_47, SPLIT_44, UNSOLVED_BY_THE_AUTHORS

pytestmark = pytest.mark.official
OWN_FAILURES = {"unset": None, "parse_error": None}


def rows(official: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(official / "terminal_bench" / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_screen_gives_the_official_results_and_verdict(official: Path) -> None:
    """How the parser failed is our own finding; how the agent and the tests ended is given."""
    for row in rows(official, "official_post_test_panes.jsonl.gz"):
        given = OWN_FAILURES.get(row["failure_mode"], row["failure_mode"])
        found = verdict(row["post_test_pane"], parser=row.get("parser_name", "pytest"), failure=given)
        expected = None if row["failure_mode"] == "unset" else row["failure_mode"]
        assert found.results == row["parser_results"], row["trial"]
        assert found.is_resolved is row["is_resolved"], row["trial"]
        assert found.failure == expected, row["trial"]


def test_no_resolved_screen_shows_two_summaries(official: Path) -> None:
    """Two are taken for a forgery."""
    resolved = [
        one for one in rows(official, "official_post_test_panes.jsonl.gz") if one["is_resolved"] is True
    ]
    assert {summary_count(one["post_test_pane"]) for one in resolved} == {1}


def test_replies_are_read_as_by_the_official_agent(official: Path) -> None:
    vectors = json.loads((official / "terminal_bench/terminus2_json_parser_vectors.json").read_text())
    for vector in vectors["vectors"]:
        found = parse_reply(vector["response"])
        commands = [{"keystrokes": one.keystrokes, "duration": one.duration} for one in found.commands]
        assert commands == vector["commands"]
        assert found.is_task_complete == vector["is_task_complete"]
        assert (found.error, found.warning) == (vector["error"], vector["warning"])


def test_accuracy_and_pass_at_k_are_the_reported_ones(official: Path) -> None:
    for run in rows(official, "official_runs.jsonl.gz"):
        by_task: dict[str, list[bool]] = {}
        for trial in run["trials"]:
            by_task.setdefault(trial["task_id"], []).append(trial["is_resolved"] is True)
        solved = [one for tries in by_task.values() for one in tries]
        reported = run["reported"]
        assert accuracy_over_runs([solved]) == (pytest.approx(reported["accuracy"]), None)
        assert (sum(solved), len(solved) - sum(solved)) == (reported["n_resolved"], reported["n_unresolved"])
        found = {str(k): pytest.approx(sum(rates) / len(rates)) for k, rates in pass_rates(by_task).items()}
        assert found == reported["pass_at_k"]


def test_the_names_are_those_of_the_subset(official: Path) -> None:
    subset = json.loads((official / "terminal_bench/hard_subset.json").read_text())
    assert set(subset["hard_47"]) == HARD_47
    assert set(subset["aa_split_44"]) == SPLIT_44
    assert set(subset["aa_split_oracle_fails"]) == UNSOLVED_BY_THE_AUTHORS
