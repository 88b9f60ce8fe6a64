"""Rules of a file that is added: each may compile in time, and still all of them take for ever."""

import pytest

from assay.domain.dataset_report import Grading
from assay.domain.errors import GraderError
from assay.engine.datasets.rule_check import RuleCheck
from assay.engine.grading.offload import GradingPool


def test_many_slow_rules_are_given_up() -> None:
    pool = GradingPool()
    check = RuleCheck(pool, most_unusual_s=0.3)
    try:
        assert check.fault_of(Grading.REGEX, "a+") is None
        fault = check.fault_of(Grading.REGEX, "(")
        assert fault is not None
        assert "is not a pattern" in fault
        with pytest.raises(GraderError, match="take too long to compile"):
            _ = [check.fault_of(Grading.REGEX, rf"[\pL\pN]{{0,800}}{number}") for number in range(1_000)]
    finally:
        pool.close()
