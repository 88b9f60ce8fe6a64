"""Facts are found as whole words and equal numbers, never inside others."""

import pytest

from assay.benchmarks.janus.facts import Statements, grade_facts
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome


@pytest.mark.parametrize(
    ("fact", "reply"),
    [
        ("oxygen", "They give off Oxygen."),
        ("carbon dioxide", "carbon\n dioxide (CO\u2082)"),
        ("CO2", "It is CO\u2082."),
        ("2315.25", "In the end 2,315.25 crowns."),
        ("0.6", "that is 0.60 litres"),
        ("0.6", "that is .6 litres"),
        ("525", "take 525g of flour"),
        ("2/9", "The probability is 2/9."),
        ("30", "30% salt"),
        ("-7", "It is \u22127 degrees."),
        ("2D", "0x2D is wrong, 2d is right"),
        ("7", "7, or 3+4"),
        ("12", "x = 7,12"),
        ("10080", "10\u202f080 minutes"),
        ("10080", "10 080 minutes"),
        ("10080", r"$10{,}080$ minutes"),
        ("10080", r"\(10\,080\) minutes"),
        ("2/9", r"$\frac{8}{36} = \frac{2}{9}$"),
        ("CO2", r"$\text{CO}_2$"),
        ("CO2", "CO$_{2}$"),
        ("snake_case", "It is called snake_case."),
        ("moon", "The Moon\u2019s gravity pulls."),
        ("Pacific", "Atlantic/Pacific"),
        ("hydrogen bond", "a hydrogen-bond lattice"),
        ("45", "101101\u2082 = 45\u2081\u2080"),
        ("45", "$45_{10}$"),
        ("2D16", "$2D_{16}$ or 2D\u2081\u2086"),
    ],
)
def test_a_fact_is_found(fact: str, reply: str) -> None:
    assert Statements(reply).state(fact)


@pytest.mark.parametrize(
    ("fact", "reply"),
    [
        ("ice", "The price is fair."),
        ("12", "It costs 112."),
        ("12", "It costs 12.5."),
        ("12", "It costs 12,000."),
        ("2", "CO2 is a gas."),
        ("5", "3.5"),
        ("D", "I'd say so."),
        ("carbon dioxide", "carbon and dioxide"),
        ("7", "seven"),
    ],
)
def test_a_fact_is_not_found_inside_another(fact: str, reply: str) -> None:
    assert not Statements(reply).state(fact)


def test_the_score_is_the_share_of_facts() -> None:
    task = {"expected_facts": ["Atlantic", ["Pacific", "Pacific Ocean"]]}
    assert grade_facts(task, Completion("Atlantic and Pacific")).score == 1
    half = grade_facts(task, Completion("the Atlantic"))
    assert (half.outcome, half.score) == (Outcome.PARTIAL, 0.5)
    assert grade_facts(task, Completion("the Arctic")).outcome is Outcome.INCORRECT
    assert grade_facts(task, Completion(" \n")).outcome is Outcome.UNPARSED
