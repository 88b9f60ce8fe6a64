"""Whether an answer is the expected one, by the rules of the official script."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from assay.domain.calls.messages import Json

_SHOWN = 300
# int() refuses more digits; Decimal accepts any number of them and compares exactly.
_MOST_DIGITS_OF_AN_INT = 4300


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why an answer is wrong; a `fault` if the official comparison itself raises an error."""

    reason: str
    kind: Literal["wrong", "fault"] = "wrong"


def output_mismatch(given: str, expected: str) -> Mismatch | None:
    """Lines are compared stripped: equal as text, or as decimal numbers token by token."""
    given_lines, expected_lines = _lines(given), _lines(expected)
    if len(given_lines) != len(expected_lines):
        return Mismatch("Wrong answer: mismatched output length")
    for index, (one, other) in enumerate(zip(given_lines, expected_lines, strict=True)):
        if one == other:
            continue
        try:
            if _same_numbers(one, other):
                continue
        except InvalidOperation:
            return Mismatch(f"Error during testing: line {index} holds a signalling NaN", "fault")
        return Mismatch(
            f"Wrong answer at output_line_idx={index}: {shortened(one)} != {shortened(other)}",
        )
    return None


def value_mismatch(given: Json | Decimal, expected: str) -> Mismatch | None:
    """Values are compared as Python compares them: 1, 1.0 and True are equal."""
    return None if given == json_value(expected) else Mismatch("Wrong Answer")


def json_value(text: str | bytes) -> Json | Decimal:
    """JSON with whole numbers of any length; raises ValueError or RecursionError."""
    value: Json | Decimal = json.loads(text, parse_int=_whole_number)
    return value


def shortened(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN // 2]}...(truncated) ...{text[-_SHOWN // 2 :]}"


def _lines(text: str) -> Sequence[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _same_numbers(line: str, other: str) -> bool:
    numbers, others = _numbers(line), _numbers(other)
    return numbers is not None and others is not None and numbers == others


def _numbers(line: str) -> list[Decimal] | None:
    try:
        return [Decimal(token) for token in line.split()]
    except InvalidOperation:
        return None


def _whole_number(digits: str) -> int | Decimal:
    return int(digits) if len(digits) < _MOST_DIGITS_OF_AN_INT else Decimal(digits)
