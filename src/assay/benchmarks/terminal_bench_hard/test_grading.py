"""The verdict on trials, from their answers."""

from collections.abc import Mapping

import pytest

from assay.benchmarks.terminal_bench_hard.grading import graded
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import transcript_text
from assay.domain.outcome import Outcome

BANNER = "=== short test summary info ==="


def answer(screen: str, *, facts: Mapping[str, Json] | None = None, **tests: Json) -> str:
    given: dict[str, Json] = {"is_in_time": True, "status": "ok", "screen": screen, **tests}
    return transcript_text(
        [], **{"layout": "terminal-bench", "parser": "pytest", "tests": given, **(facts or {})}
    )


def test_all_tests_passed() -> None:
    grade = graded(answer(f"{BANNER}\nPASSED x.py::test_a[1]\nPASSED x.py::test_b"), ["test_a", "test_b"])
    assert (grade.outcome, grade.details["official_resolved"]) == (Outcome.CORRECT, True)


@pytest.mark.parametrize(
    ("screen", "more", "reason"),
    [
        (f"{BANNER}\n", {}, "no test ran"),
        (f"{BANNER}\nPASSED x::test_a\n{BANNER}\nPASSED x::test_a", {}, "more than one summary"),
        (f"{BANNER}\nPASSED x::test_z", {}, "not among the results: test_a"),
        (f"{BANNER}\nPASSED x::test_a", {"altered": ["test_outputs.py"]}, "were changed"),
    ],
)
def test_a_pass_that_proves_nothing_is_none(screen: str, more: Mapping[str, Json], reason: str) -> None:
    grade = graded(answer(screen, altered=more.get("altered")), ["test_a"])
    assert grade.outcome is Outcome.INCORRECT
    assert reason in grade.explanation
    assert grade.details["official_resolved"] is True, "the official verdict is kept beside ours"


def test_skipped_tests_need_not_be_named() -> None:
    screen = f"{BANNER}\nSKIPPED [1] x.py:3: needs a network\nPASSED x::test_a"
    assert graded(answer(screen), ["test_a", "test_b"]).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        (answer("nothing"), "parse_error"),
        (answer(f"{BANNER}\nPASSED x::y", is_in_time=False), "test_timeout"),
        (answer(f"{BANNER}\nFAILED x::y - z"), "failed"),
        (answer("", status="disk_limit"), "disk_limit"),
        (answer("", facts={"layout": "harbor"}), "parse_error"),
        (answer("", facts={"layout": "harbor"}, reward=0.5), "failed"),
        (answer("", facts={"layout": "harbor"}, reward=1, altered=["test.sh"]), "not_proven"),
    ],
)
def test_every_other_ending_is_unresolved_and_named(text: str, ended: str) -> None:
    grade = graded(text, [])
    assert (grade.outcome, grade.details["ended"]) == (Outcome.INCORRECT, ended)


def test_an_agent_without_time_left_may_have_solved_the_task() -> None:
    text = answer(f"{BANNER}\nPASSED x::y", facts={"agent_ended": "time"}, is_in_time=False)
    grade = graded(text, [])
    assert (grade.outcome, grade.details["failure"]) == (Outcome.CORRECT, "agent_timeout")


def test_harbors_reward() -> None:
    assert graded(answer("", facts={"layout": "harbor"}, reward=1), []).outcome is Outcome.CORRECT


@pytest.mark.parametrize("text", ["", "{}", "PASSED", transcript_text([]), transcript_text([], tests="x")])
def test_an_answer_without_a_trial_is_unparsed(text: str) -> None:
    assert graded(text, []).outcome is Outcome.UNPARSED
