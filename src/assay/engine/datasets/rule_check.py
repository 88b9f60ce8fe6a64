"""Checks what the lines of a file expect; rules that users wrote are compiled in another process."""

import time

from assay.domain.dataset_report import Grading
from assay.domain.errors import GraderError
from assay.domain.messages import Json
from assay.engine.graders.expected import expectation_fault
from assay.engine.grading.offload import GradingPool

_COMPILED = frozenset({Grading.REGEX, Grading.JSON_SCHEMA})
_USUAL_S = 0.1
_MOST_UNUSUAL_S = 30.0


class RuleCheck:
    """For one file: stops at a rule that exceeds a limit, and where many rules are slow."""

    def __init__(self, pool: GradingPool) -> None:
        self._pool = pool
        self._unusual_s = 0.0

    def fault_of(self, grading: Grading, expected: Json) -> str | None:
        """Why nothing could be graded against this, or None; raises GraderError at a limit."""
        if grading not in _COMPILED:
            return expectation_fault(grading, expected)
        begin = time.monotonic()
        fault = self._pool.call(expectation_fault, grading, expected)
        self._unusual_s += max(0.0, time.monotonic() - begin - _USUAL_S)
        if self._unusual_s > _MOST_UNUSUAL_S:
            raise GraderError("the rules of this file take too long to compile")
        return fault
