"""Checks what the lines of a file expect; rules that users wrote are compiled in another process."""

import time

from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Grading
from assay.domain.errors import GraderError
from assay.engine.graders.rules.expected import expectation_fault
from assay.engine.grading.offload import GradingPool

_COMPILED = frozenset({Grading.REGEX, Grading.JSON_SCHEMA})
# Processor time, since other work does not lengthen it: what a rule usually takes, and how much more all
# rules of a file may take together.
_USUAL_S = 0.001
_MOST_UNUSUAL_S = 60.0


class RuleCheck:
    """For one file: stops at a rule that exceeds a limit, and where many rules are slow."""

    def __init__(self, pool: GradingPool, *, most_unusual_s: float = _MOST_UNUSUAL_S) -> None:
        self._pool = pool
        self._left_s = most_unusual_s

    def fault_of(self, grading: Grading, expected: Json) -> str | None:
        """Why nothing could be graded against this, or None; raises GraderError at a limit."""
        if grading not in _COMPILED:
            return expectation_fault(grading, expected)
        fault, took_s = self._pool.call(_timed_fault, grading, expected)
        self._left_s -= max(0.0, took_s - _USUAL_S)
        if self._left_s < 0:
            raise GraderError("the rules of this file take too long to compile")
        return fault


def _timed_fault(grading: Grading, expected: Json) -> tuple[str | None, float]:
    began_s = time.process_time()
    return expectation_fault(grading, expected), time.process_time() - began_s
