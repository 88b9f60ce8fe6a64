"""The official rows: problems of several steps, each with a function to write and tests to pass."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from assay.domain.benchmark import Row
from assay.domain.calls.messages import Json
from assay.domain.errors import BadRowError, DataError

_PREWRITTEN = files("assay.benchmarks.scicode").joinpath("prewritten")
# The official scripts give these steps to every model and test none of them.
_PREWRITTEN_STEPS = frozenset({"13.6", "62.1", "76.3"})


@dataclass(frozen=True, slots=True)
class Step:
    """`gold` is the authors' code, which only problems of the development set have."""

    number: str
    description: str
    background: str
    header: str
    return_line: str
    tests: tuple[str, ...]
    gold: str | None = None

    @property
    def prewritten(self) -> str | None:
        if self.number not in _PREWRITTEN_STEPS:
            return None
        return _PREWRITTEN.joinpath(f"{self.number}.txt").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Problem:
    id: str
    name: str
    dependencies: str
    steps: tuple[Step, ...]

    @property
    def asked(self) -> tuple[Step, ...]:
        """The steps that a model writes."""
        return tuple(step for step in self.steps if step.prewritten is None)


@dataclass(frozen=True, slots=True)
class AnsweredProblem:
    """A problem with right code for every step and wrong code for one; only our demo items have them."""

    problem: Problem
    right: Mapping[str, str]
    wrong: Mapping[str, str]


def problems(rows: Iterable[Row], *, where: str) -> Iterator[AnsweredProblem]:
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        try:
            answered = _answered_problem(row)
        except DataError as error:
            raise BadRowError(where, number, error.message) from error
        if answered.problem.id in seen:
            raise BadRowError(where, number, f"problem_id {answered.problem.id!r} is repeated")
        seen.add(answered.problem.id)
        yield answered


def problem_of(fields: Row) -> Problem:
    """The problem of an item, from the fields that the item keeps of its row."""
    return _answered_problem(fields).problem


def _answered_problem(row: Row) -> AnsweredProblem:
    steps = [_mapping(step) for step in _list(row, "sub_steps")]
    if not steps:
        raise DataError("field 'sub_steps' must have at least one step")
    problem = Problem(
        id=_text(row, "problem_id"),
        name=_text(row, "problem_name"),
        dependencies=_text(row, "required_dependencies"),
        steps=tuple(map(_step, steps)),
    )
    return AnsweredProblem(problem, _given(steps, "_right"), _given(steps, "_wrong"))


def _step(row: Row) -> Step:
    tests = _list(row, "test_cases")
    if not tests and row.get("step_number") not in _PREWRITTEN_STEPS:
        raise DataError("field 'test_cases' must have at least one test: any code would pass")
    gold = row.get("ground_truth_code")
    if gold is not None and not isinstance(gold, str):
        raise DataError(f"field 'ground_truth_code' must be a text, not {gold!r}")
    return Step(
        number=_text(row, "step_number"),
        description=_text(row, "step_description_prompt"),
        background=_text(row, "step_background", may_be_empty=True),
        header=_text(row, "function_header"),
        return_line=_text(row, "return_line", may_be_empty=True),
        tests=tuple(_case(test) for test in tests),
        gold=gold or None,
    )


def _given(steps: Sequence[Row], field: str) -> Mapping[str, str]:
    return {_text(step, "step_number"): _text(step, field) for step in steps if step.get(field) is not None}


def _case(value: Json) -> str:
    if not isinstance(value, str):
        raise DataError(f"field 'test_cases' must hold texts, not {value!r}")
    return value


def _mapping(value: Json) -> Row:
    if not isinstance(value, Mapping):
        raise DataError(f"field 'sub_steps' must hold objects, not {value!r}")
    return value


def _list(row: Row, field: str) -> Sequence[Json]:
    value = row.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise DataError(f"field {field!r} must be a list, not {value!r}")
    return value


def _text(row: Row, field: str, *, may_be_empty: bool = False) -> str:
    value = row.get(field)
    if value is None and may_be_empty:
        return ""
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise DataError(
            f"field {field!r} must be a text{'' if may_be_empty else ' that is not empty'}, not {value!r}"
        )
    return value
