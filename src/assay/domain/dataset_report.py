"""What is found when a data set is added."""

from dataclasses import dataclass, field
from enum import StrEnum

MAX_FAULTS = 100
MAX_PREVIEWS = 3


class Grading(StrEnum):
    """How an answer is compared with the expected one."""

    EXACT = "exact"
    CONTAINS = "contains"
    REGEX = "regex"
    NUMBER = "number"
    CHOICE = "choice"
    JSON_SCHEMA = "json_schema"
    JSON = "json"
    F1 = "f1"
    ROUGE_L = "rouge_l"
    BLEU = "bleu"
    SIMILARITY = "similarity"
    CODE_TESTS = "code_tests"
    PYTHON = "python"
    LATENCY = "latency"
    COST = "cost"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Fault:
    """An error or warning about one line; line 0 means the whole file."""

    line: int
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    custom_id: str
    model: str | None
    prompt: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a file: counts of all faults, and the first hundred of them."""

    sha256: str
    size_bytes: int
    count: int
    errors: tuple[Fault, ...] = ()
    error_count: int = 0
    warnings: tuple[Fault, ...] = ()
    warning_count: int = 0
    graders: dict[Grading, int] = field(default_factory=dict[Grading, int])
    models: tuple[str, ...] = ()
    previews: tuple[Preview, ...] = ()
