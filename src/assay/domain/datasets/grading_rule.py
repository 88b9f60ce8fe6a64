"""One of the ways in which an answer is graded, with its options and its weight among the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.benchmark import Need
from assay.domain.dataset_report import Grading
from assay.domain.json_value import Json

# These say something about an answer without knowing what was expected.
_NEEDS_NOTHING = frozenset({Grading.LATENCY, Grading.COST, Grading.PYTHON})
_RUBRIC = "rubric"


@dataclass(frozen=True, slots=True)
class Rule:
    """Without `expected` of its own, the answer is held against what the item expects."""

    grader: Grading
    weight: float = 1.0
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    expected: Json = None

    @property
    def is_plain(self) -> bool:
        return self.weight == 1 and not self.options and self.expected is None

    @property
    def needs_expected(self) -> bool:
        return self.grader not in _NEEDS_NOTHING and _RUBRIC not in self.options

    def to_json(self) -> Json:
        """The form in which users write it."""
        if self.is_plain:
            return self.grader.value
        found: dict[str, Json] = {"name": self.grader.value, **self.options}
        if self.weight != 1:
            found["weight"] = self.weight
        if self.expected is not None:
            found["expected"] = self.expected
        return found


def rules_json(rules: Sequence[Rule]) -> Json:
    """A single plain rule is its name: lines were stored so before there were others."""
    [first, *others] = rules
    return first.to_json() if not others else [rule.to_json() for rule in rules]


def needs_of(graders: Mapping[Grading, int]) -> frozenset[Need]:
    """What grading by these takes; a count of 0 is of a grader that only stands beside others."""
    needs = {Need.JUDGE} if Grading.JUDGE in graders else set[Need]()
    if not graders.keys().isdisjoint({Grading.CODE_TESTS, Grading.PYTHON}):
        needs.add(Need.SANDBOX)
    return frozenset(needs)
