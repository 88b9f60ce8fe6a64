"""What a gate says about one evaluation."""

from dataclasses import dataclass
from enum import StrEnum


class Decision(StrEnum):
    PASS = "pass"  # noqa: S105 # not a password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The decision of one rule about one evaluation, with its reason."""

    benchmark: str
    model: str
    rule: str
    decision: Decision
    reason: str
