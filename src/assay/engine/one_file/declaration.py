"""`assay.benchmark`: declares a benchmark in a file of the user's own."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.domain.benchmark import Result, Row
from assay.domain.calls.messages import Generation
from assay.domain.datasets.grading_rule import Rule
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json
from assay.engine.graders.rules.reading import read_rules

RowsGiven = str | Iterable[Row] | Callable[[], Iterable[Row]]
PromptGiven = str | Callable[[Row], "str | Sequence[Mapping[str, Json]]"]
Metric = Callable[[Sequence[Result]], float]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PARAMETERS = ("answer", "expected", "row", "completion")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A benchmark as its author declared it; called, it grades one answer as its function does."""

    name: str
    description: str
    rows: RowsGiven
    prompt: PromptGiven
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    rules: tuple[Rule, ...]
    expected: str | None
    system: str | None
    item_id: str | None
    category: str | None
    cluster: str | None
    metrics: Mapping[str, Metric]
    generation: Generation
    chance: float
    split: str
    config: str | None
    revision: str | None

    def __call__(self, *arguments: object, **named: object) -> object:
        return self.function(*arguments, **named)


def benchmark(  # noqa: PLR0913  # one name for each thing that a benchmark may say
    *,
    rows: RowsGiven,
    prompt: PromptGiven,
    expected: str | None = None,
    grader: Json = None,
    name: str | None = None,
    system: str | None = None,
    id: str | None = None,  # noqa: A002  # what the column is called
    category: str | None = None,
    cluster: str | None = None,
    metrics: Mapping[str, Metric] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    stop: Sequence[str] = (),
    chance: float = 0.0,
    split: str = "test",
    config: str | None = None,
    revision: str | None = None,
) -> Callable[[Callable[..., Any]], Declaration]:
    """Declare a benchmark: what to ask about each row, and how the answer is graded.

    Args:
        rows: A file beside this one (JSON lines, CSV, Parquet), a list of dictionaries, a function that
            returns one, or `hf:org/name`: a data set on the Hugging Face hub.
        prompt: A template with the fields of a row, such as `"Capital of {country}?"`, or a function of the
            row that returns a text or a list of messages.
        expected: The field with the right answer.
        grader: A grader's name, a mapping with its options, or a list of them with weights. Without it the
            decorated function grades: it returns true, false, a number from 0 to 1, or a `Grade`, and may
            take `answer`, `expected`, `row` and `completion`.
        name: By default that of the function.
        system: A template of the system message.
        id: The field with the id of a row; by default `id` where rows have it, else their number.
        category: A field; scores are also given for each of its values.
        cluster: A field; rows that share its value are not independent, and the interval says so.
        metrics: Functions of all results that give further figures.
        temperature: Of the model; its own default where none is given.
        max_tokens: Cap on the tokens of a reply.
        stop: Texts at which the model stops.
        chance: The score of guessing.
        split: Of a data set on the hub.
        config: Of a data set on the hub that has several.
        revision: Of a data set on the hub: a commit, a tag or a branch.
    """

    def declared(function: Callable[..., Any]) -> Declaration:
        own_name = name or function.__name__
        if not _NAME.fullmatch(own_name):
            raise InvalidValueError(
                f"a benchmark cannot be named {own_name!r}: use up to 64 letters, digits, '.', '_' and '-'"
            )
        parameters = _parameters(own_name, function)
        return Declaration(
            name=own_name,
            description=inspect.cleandoc(function.__doc__ or own_name),
            rows=rows,
            prompt=prompt,
            function=function,
            parameters=parameters,
            rules=_rules(own_name, grader, expected, parameters),
            expected=expected,
            system=system,
            item_id=id,
            category=category,
            cluster=cluster,
            metrics=dict(metrics or {}),
            generation=Generation(temperature=temperature, max_tokens=max_tokens, stop=tuple(stop)),
            chance=chance,
            split=split,
            config=config,
            revision=revision,
        )

    return declared


def _parameters(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    found = tuple(inspect.signature(function).parameters)
    unknown = [one for one in found if one not in PARAMETERS]
    if unknown:
        raise InvalidValueError(
            f"the grader of {name!r} takes {unknown[0]!r}; it may take {', '.join(PARAMETERS)}"
        )
    return found


def _rules(name: str, grader: Json, expected: str | None, parameters: Sequence[str]) -> tuple[Rule, ...]:
    if grader is None:
        if not parameters:
            raise InvalidValueError(
                f'{name!r} has no grader: name one, as in grader="exact", or let the function take the answer'
            )
        return ()
    if parameters:
        raise InvalidValueError(
            f"{name!r} has two graders: give `grader`, or a function that takes the answer"
        )
    try:
        rules = read_rules(grader)
    except InvalidValueError as error:
        raise InvalidValueError(f"the grader of {name!r} {error.message}") from error
    needing = [rule.grader for rule in rules if rule.needs_expected and rule.expected is None]
    if needing and expected is None:
        raise InvalidValueError(
            f"the grader {needing[0].value!r} of {name!r} needs to know what is right: name the field with"
            " `expected`"
        )
    return rules
