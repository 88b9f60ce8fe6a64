"""Reading the screen after the tests."""

import pytest

from assay.benchmarks.terminal_bench_hard.screen import (
    UnreadableScreenError,
    is_resolved,
    pytest_results,
    summary_count,
    swebench_results,
    verdict,
)

BANNER = "===== short test summary info ====="


def test_only_lines_after_the_first_banner_count() -> None:
    screen = f"PASSED x.py::test_early\n{BANNER}\nPASSED x.py::test_a\n{BANNER}\nFAILED x::test_b"
    assert pytest_results(screen) == {"test_a": "passed", "test_b": "failed"}
    assert summary_count(screen) == 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("PASSED tests/x.py::TestA::test_b[1 - 2]", {"TestA::test_b[1 - 2]": "passed"}),
        ("FAILED x.py::test_b[a - b] - AssertionError", {"test_b[a - b]": "failed"}),
        ("XFAIL x.py::test_b", {"test_b": "passed"}),
        ("XPASS x.py::test_b", {"test_b": "failed"}),
        ("ERROR: x.py::test_b", {"test_b": "failed"}),
        ("passed x.py::test_b", {}),
        ("PASSED", {}),
        ("1 passed in 0.01s", {}),
    ],
)
def test_a_line_of_the_summary(line: str, expected: dict[str, str]) -> None:
    assert pytest_results(f"{BANNER}\n{line}") == expected


def test_a_banner_needs_its_signs_and_may_be_written_anyhow() -> None:
    assert pytest_results("=\n SHORT Test Summary info \n=\nPASSED x::y") == {"y": "passed"}
    with pytest.raises(UnreadableScreenError):
        pytest_results("short test summary info\nPASSED x::y")
    with pytest.raises(UnreadableScreenError):
        pytest_results("== short test summary info\nPASSED x::y")


def test_an_empty_list_is_resolved_as_in_the_official_harness() -> None:
    assert is_resolved({})


def test_swebench_wants_the_one_word() -> None:
    screen = "noise SWEBench results starts here\n PASSED \nSWEBench results ends here"
    assert swebench_results(screen) == {"tests": "passed"}
    assert swebench_results(screen.replace("PASSED", "PASSED?")) == {"tests": "failed"}
    with pytest.raises(UnreadableScreenError):
        swebench_results("SWEBench results starts here PASSED")


def test_the_tests_count_after_an_agent_that_ran_out_of_time() -> None:
    screen = f"{BANNER}\nPASSED x::y"
    assert verdict(screen, parser="pytest", failure="agent_timeout").is_resolved
    assert verdict(screen, parser="pytest", failure="test_timeout").is_resolved is None
    assert verdict("", parser="pytest", failure="agent_timeout").failure == "parse_error"


def test_a_screen_made_to_take_long_does_not() -> None:
    """With one expression for the banner this took hours."""
    screen = ("=" * 160 + "\n" + " " * 1_000_000 + "\n") * 4 + "=" * 1_000_000
    with pytest.raises(UnreadableScreenError):
        pytest_results(screen)
    assert summary_count("= short test summary info " * 50_000) == 25_000
