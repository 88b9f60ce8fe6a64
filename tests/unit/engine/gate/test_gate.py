from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError
from assay.domain.fingerprint import Fingerprint
from assay.domain.stats import score_estimate
from assay.engine.exports.figures import estimate_document
from assay.engine.gate.decide import decide, overall
from assay.engine.gate.evaluations import GateEvaluation, fingerprint_in, paired
from assay.engine.gate.policy import Policy, Rules, read_policy
from assay.engine.gate.reports import headline, junit_xml, markdown
from assay.engine.gate.rulings import Decision, RuleResult
from tests.builders import FINGERPRINT


def evaluation(right: int, count: int = 400, *, benchmark: str = "letters", **changes: Any) -> GateEvaluation:
    """The first `right` items are right, so that two evaluations differ on as few items as they can."""
    scores = {ItemId(f"{number:04}"): float(number < right) for number in range(count)}
    made: dict[str, Any] = {
        "model": "sim/good",
        "benchmark": benchmark,
        "fingerprint": FINGERPRINT,
        "state": "succeeded",
        "scores": scores,
        "summary": {
            "score": estimate_document(score_estimate(list(scores.values()))),
            "scored": count,
            "total": count,
            "cost_usd": "1.50",
            "latency": {"ttft_ms": {"p90": 250.0}},
        },
    }
    return GateEvaluation(**made | changes)


def decided(ours: GateEvaluation, theirs: GateEvaluation, rules: Rules | None = None) -> dict[str, Decision]:
    policy = Policy(rules or Rules())
    return {one.rule: one.decision for one in decide([ours], [theirs], [(ours, theirs)], policy)}


def test_the_fingerprint_of_an_export_is_read_with_every_field() -> None:
    full = Fingerprint(
        **{field.name: 7 if field.name == "samples" else field.name for field in fields(Fingerprint)}  # pyright: ignore[reportArgumentType] # one field is a number
    )
    for fingerprint in (full, FINGERPRINT):
        assert fingerprint_in(fingerprint.to_json()) == fingerprint


@pytest.mark.parametrize(
    ("ours", "theirs", "max_drop", "decision"),
    [
        (300, 300, 0.02, Decision.PASS),
        (320, 300, 0.02, Decision.PASS),
        (200, 300, 0.02, Decision.REGRESSION),
        (200, 300, 0.50, Decision.PASS),
        (290, 300, 0.02, Decision.INCONCLUSIVE),
        (290, 300, 0.00, Decision.REGRESSION),
        (300, 300, 0.00, Decision.INCONCLUSIVE),
    ],
)
def test_a_drop_is_judged_by_the_interval_of_the_difference(
    ours: int, theirs: int, max_drop: float, decision: Decision
) -> None:
    assert decided(evaluation(ours), evaluation(theirs), Rules(max_drop=max_drop)) == {"max_drop": decision}


def test_too_few_items_decide_nothing() -> None:
    assert decided(evaluation(3, 5), evaluation(4, 5)) == {"max_drop": Decision.INCONCLUSIVE}


def test_unlike_evaluations_are_not_compared() -> None:
    other = evaluation(100, fingerprint=replace(FINGERPRINT, prompts_checksum="x"))
    [result] = decide([other], [evaluation(300)], [(other, evaluation(300))], Policy())
    assert result.decision is Decision.INCONCLUSIVE
    assert "prompts_checksum differ" in result.reason


@pytest.mark.parametrize(
    ("rules", "rule", "decision"),
    [
        (Rules(min_score=0.5), "min_score", Decision.PASS),
        (Rules(min_score=0.75), "min_score", Decision.INCONCLUSIVE),
        (Rules(min_score=0.9), "min_score", Decision.REGRESSION),
        (Rules(min_scored=1.0), "min_scored", Decision.PASS),
        (Rules(max_cost_usd=2.0), "max_cost_usd", Decision.PASS),
        (Rules(max_cost_usd=1.0), "max_cost_usd", Decision.REGRESSION),
        (Rules(max_ttft_p90_ms=300), "max_ttft_p90_ms", Decision.PASS),
        (Rules(max_ttft_p90_ms=200), "max_ttft_p90_ms", Decision.REGRESSION),
    ],
)
def test_rules_that_need_no_baseline(rules: Rules, rule: str, decision: Decision) -> None:
    assert decided(evaluation(300), evaluation(300), rules)[rule] is decision


def test_what_is_unknown_decides_nothing() -> None:
    bare = evaluation(300, summary={"score": None, "scored": 0, "total": 4, "cost_usd": None, "latency": {}})
    rules = Rules(min_score=0.1, min_scored=0.5, max_cost_usd=1, max_ttft_p90_ms=1)
    found = decided(bare, evaluation(300), rules)
    assert {found[name] for name in ("min_score", "min_scored", "max_cost_usd", "max_ttft_p90_ms")} == {
        Decision.INCONCLUSIVE
    }


def test_a_part_of_a_run_does_not_pass() -> None:
    assert decided(evaluation(300, state="canceled"), evaluation(300))["whole"] is Decision.INCONCLUSIVE


def test_a_benchmark_that_is_missing_does_not_pass() -> None:
    results = decide([], [evaluation(300)], [], Policy())
    assert overall(results) is Decision.INCONCLUSIVE
    assert overall([]) is Decision.INCONCLUSIVE


def test_a_regression_decides_over_doubt() -> None:
    kinds = [Decision.PASS, Decision.INCONCLUSIVE, Decision.REGRESSION]
    results = [RuleResult("b", "m", "r", kind, "why") for kind in kinds]
    assert [overall(results[:count]) for count in (1, 2, 3)] == kinds


def test_evaluations_are_paired_by_model_or_as_the_only_ones() -> None:
    good, weak = evaluation(1), evaluation(2, model="sim/weak")
    assert paired([good], [weak]) == [(good, weak)]
    assert paired([good, weak], [weak, good]) == [(good, good), (weak, weak)]
    with pytest.raises(InvalidValueError, match="sim/new"):
        paired([evaluation(1, model="sim/new")], [good, weak])
    new = evaluation(1, model="sim/new")
    assert paired([good, new], [good]) == [(new, good)], "a race has the answers of its baseline too"


def test_p_values_are_adjusted_over_benchmarks() -> None:
    """One benchmark in twenty would show a loss by chance."""
    names = [f"b{number}" for number in range(20)]
    ours = [evaluation(300 if name != "b0" else 294, benchmark=name) for name in names]
    theirs = [evaluation(300, benchmark=name) for name in names]
    alone = decide(ours[:1], theirs[:1], [(ours[0], theirs[0])], Policy(Rules(max_drop=0.0)))
    together = decide(ours, theirs, list(zip(ours, theirs, strict=True)), Policy(Rules(max_drop=0.0)))
    assert alone[0].decision is Decision.REGRESSION
    assert together[0].decision is Decision.INCONCLUSIVE


def test_a_policy_is_read_with_what_differs_per_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        'required = ["ifeval"]\n'
        "[defaults]\nmax_drop = 0.01\nmin_scored = 0.9\n"
        "[benchmarks.ifeval]\nmin_score = 0.7\n"
    )
    policy = read_policy(path)
    assert policy.required == ("ifeval",)
    assert policy.rules("other") == Rules(max_drop=0.01, min_scored=0.9)
    assert policy.rules("ifeval") == Rules(max_drop=0.01, min_scored=0.9, min_score=0.7)


@pytest.mark.parametrize(
    "text",
    ["[defaults]\nmax_dorp = 1", "[defaults]\nmax_drop = 2", "nonsense = 1", "[", "[benchmarks]\nx = 1"],
)
def test_a_policy_that_nobody_can_mean_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(InvalidValueError, match=r"policy\.toml"):
        read_policy(path)


RESULTS = [
    RuleResult("letters", "sim/good", "max_drop", Decision.PASS, "fine"),
    RuleResult("letters", "sim/good", "min_score", Decision.REGRESSION, "a | b <c> \x00"),
    RuleResult("letters", "sim/good", "min_scored", Decision.INCONCLUSIVE, "unknown"),
]


def test_junit_has_a_case_per_rule() -> None:
    root = Xml.fromstring(junit_xml(RESULTS, run_id="abc"))  # noqa: S314 # our own
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "1", "1")
    assert [case.get("name") for case in root.iter("testcase")] == [
        "max_drop sim/good",
        "min_score sim/good",
        "min_scored sim/good",
    ]
    [failure] = root.iter("failure")
    assert failure.get("message") == "a | b <c> "


def test_markdown_is_a_table_that_nothing_breaks() -> None:
    text = markdown(RESULTS, run_id="abc", baseline="def")
    assert "❌ Assay gate: REGRESSION: 1 of 1 benchmark regressed" in text
    assert "a \\| b &lt;c>" in text
    assert headline([]) == "INCONCLUSIVE: nothing to compare"
