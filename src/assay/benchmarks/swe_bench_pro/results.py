"""Whether an instance is solved, by the tests that passed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.domain.calls.messages import Json

_PASSED = "PASSED"


@dataclass(frozen=True, slots=True)
class TestsOutcome:
    """`missing` are the required tests that are not among the passed ones, in order of their names."""

    is_solved: bool
    passed: frozenset[str]
    missing: tuple[str, ...]


def outcome_of(output: Json, *, fail_to_pass: Collection[str], pass_to_pass: Collection[str]) -> TestsOutcome:
    """Solved if every required test is among the passed; `output` is what the instance's parser wrote."""
    passed = _passed(output)
    missing = frozenset(fail_to_pass) | frozenset(pass_to_pass)
    missing -= passed
    return TestsOutcome(not missing, passed, tuple(sorted(missing)))


def _passed(output: Json) -> frozenset[str]:
    tests = output.get("tests") if isinstance(output, Mapping) else None
    if not isinstance(tests, Sequence) or isinstance(tests, str):
        return frozenset()
    listed = [one for one in tests if isinstance(one, Mapping) and one.get("status") == _PASSED]
    return frozenset(name for one in listed if isinstance(name := one.get("name"), str))


def share_solved(solved: Collection[bool], *, of: int | None = None) -> float:
    """Of the instances that have a result, or of a fixed number: the official site divides by 730."""
    return sum(solved) / (len(solved) if of is None else of)
