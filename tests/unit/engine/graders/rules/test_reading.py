"""Rules as users write them, and what is wrong with those that cannot be used."""

import json

import pytest

from assay.domain.dataset_report import Grading
from assay.domain.datasets.grading_rule import Rule, rules_json
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json
from assay.engine.graders.rules.reading import MOST_RULES, OPTIONS, default_grader, read_rules


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("exact", (Rule(Grading.EXACT),)),
        ({"name": "number", "tolerance": 0.5}, (Rule(Grading.NUMBER, options={"tolerance": 0.5}),)),
        (
            ["contains", {"name": "cost", "max_usd": 1, "weight": 2}],
            (Rule(Grading.CONTAINS), Rule(Grading.COST, 2.0, {"max_usd": 1})),
        ),
        ([{"name": "regex", "expected": "a+"}], (Rule(Grading.REGEX, expected="a+"),)),
    ],
)
def test_a_rule_is_a_name_an_object_or_a_list(written: Json, rules: tuple[Rule, ...]) -> None:
    assert read_rules(written) == rules
    assert read_rules(rules_json(rules)) == rules


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("nearly", "must be one of exact, "),
        (3, "must be a grader's name, an object or a list, not 3"),
        ([], "1 to 20 graders, not 0"),
        (["exact"] * (MOST_RULES + 1), "not 21"),
        (["judge", {"name": "judge", "rubric": "Be kind."}], "names the judge more than once"),
        (
            {"name": "number", "tolerence": 1},
            "number: has no option 'tolerence'; there are tolerance",
        ),
        ({"name": "number", "tolerance": -1}, "number: tolerance must be a number of at least 0, not -1"),
        ({"name": "number", "tolerance": float("nan")}, "must be a number of at least 0"),
        ({"name": "f1", "at_least": 2}, "f1: at_least must be a number from 0 to 1, not 2"),
        ({"name": "exact", "normalise": "yes"}, "must be true or false, not 'yes'"),
        (
            {"name": "exact", "weight": 0},
            "exact: weight must be a number above 0 and at most 1,000,000, not 0",
        ),
        ({"name": "exact", "weight": 1e308}, "exact: weight must be"),
        ({"name": "exact", "weight": float("nan")}, "exact: weight must be"),
        ({"name": "exact", "weight": True}, "exact: weight must be"),
        ({"name": "similarity", "at_least": 0.9}, "similarity: needs the option model"),
        ({"name": "python"}, "python: needs the option function"),
        ({"name": "latency"}, "latency: needs the option max_s or max_ttft_s"),
        ({"name": "cost"}, "cost: needs the option max_usd"),
        ({"name": "code_tests", "timeout_s": 3600}, "at most 60 seconds"),
        ([["exact"]], "must be a grader's name or an object"),
    ],
)
def test_a_rule_that_cannot_be_used_says_why(written: Json, fault: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        read_rules(written)
    assert fault in raised.value.message


def test_every_grader_says_what_options_it_has() -> None:
    assert OPTIONS.keys() == set(Grading)


def test_a_plain_name_stays_one_and_options_are_written_into_the_lines() -> None:
    assert default_grader("choice") == (Grading.CHOICE, None)
    rule = {"name": "number", "relative": 0.01}
    assert default_grader(json.dumps(rule)) == (Grading.EXACT, rule)
    with pytest.raises(InvalidValueError, match="is not JSON"):
        default_grader("{number}")
