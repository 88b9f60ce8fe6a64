"""Compares what the tests observed with what was expected.

A report is made of lines that begin with `@<nonce> `: `start NAME`, `value JSON`, `error JSON`, `end NAME`,
and `done` at the end. The nonce is new for every execution, and the expected values are not in the sandbox:
a program that prints a report without running the tests would have to know both.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from assay.domain.calls.messages import Json

TestState = Literal["passed", "failed", "not_run"]
_LONGEST_SHOWN = 300
_LONGEST_MESSAGE = 1000
_RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class TestResult:
    name: str
    result: TestState
    message: str = ""

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "result": self.result, "message": self.message}


@dataclass(slots=True)
class _Reported:
    values: list[Json]
    error: str | None = None
    is_ended: bool = False


class BadReportError(Exception):
    """The lines with the nonce are not a report: something but the tests wrote them."""


def compared(
    output: bytes, nonce: str, expected: Mapping[str, Sequence[Json]], *, reason: str
) -> list[TestResult]:
    """One result for each expected test; `reason` says why a test may not have run."""
    try:
        reported, is_done = _read(output, nonce)
    except BadReportError as error:
        return [_failed(name, f"the report is not valid: {error}") for name in expected]
    strange = reported.keys() - expected.keys()
    if strange:
        return [_failed(name, f"an unknown test ran: {min(strange)}") for name in expected]
    found = [_result(name, reported.get(name), values, reason) for name, values in expected.items()]
    if not is_done and all(one.result == "passed" for one in found):
        found[-1] = _failed(found[-1].name, reason or "the tests did not come to their end")
    return found


def _read(output: bytes, nonce: str) -> tuple[dict[str, _Reported], bool]:
    reported: dict[str, _Reported] = {}
    prefix = f"@{nonce} ".encode()
    current: _Reported | None = None
    is_done = False
    for line in output.split(b"\n"):
        if not line.startswith(prefix):
            continue
        if is_done:
            raise BadReportError("it goes on after its end")
        kind, _, rest = line[len(prefix) :].decode("utf-8", "replace").partition(" ")
        if kind == "start":
            if rest in reported:
                raise BadReportError(f"the test {rest} ran twice")
            current = reported[rest] = _Reported([])
        elif kind == "done":
            is_done = True
        elif current is None or current.is_ended:
            raise BadReportError("it has values outside of a test")
        else:
            _add(current, kind, rest)
    return reported, is_done


def _add(current: _Reported, kind: str, rest: str) -> None:
    if kind == "end":
        current.is_ended = True
        return
    try:
        value = cast("Json", json.loads(rest))
    except (ValueError, RecursionError) as error:
        raise BadReportError("a value is not JSON") from error
    if kind == "value":
        current.values.append(value)
    elif kind == "error":
        if not isinstance(value, str):
            raise BadReportError("an error is not a text")
        current.error = value
        current.is_ended = True
    else:
        raise BadReportError(f"a line of an unknown kind: {kind[:40]}")


def _result(name: str, reported: _Reported | None, expected: Sequence[Json], reason: str) -> TestResult:
    if reported is None:
        return TestResult(name, "not_run", reason)
    for number, (value, wanted) in enumerate(zip(reported.values, expected, strict=False), start=1):
        if not _is_equal(value, wanted):
            return _failed(name, f"observation {number} is {_shown(value)}, expected {_shown(wanted)}")
    if reported.error is not None:
        return _failed(name, reported.error)
    if not reported.is_ended:
        return _failed(name, reason or "the test did not come to its end")
    if len(reported.values) != len(expected):
        return _failed(name, f"{len(reported.values)} observations instead of {len(expected)}")
    return TestResult(name, "passed")


def _is_equal(value: Json, wanted: Json) -> bool:
    """Equal as JSON: true is not 1, and numbers with a fraction may differ by what rounding does."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        return _is_equal_number(value, wanted)
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_is_equal, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        return value.keys() == wanted.keys() and all(_is_equal(value[key], wanted[key]) for key in wanted)
    return value == wanted


def _is_equal_number(value: float, wanted: float) -> bool:
    if isinstance(value, int) and isinstance(wanted, int):
        return value == wanted
    try:
        # Infinity, which JSON readers make of 1e999, is close to nothing else.
        return math.isclose(value, wanted, rel_tol=_RELATIVE_TOLERANCE)
    except OverflowError:
        return False


def _failed(name: str, message: str) -> TestResult:
    return TestResult(name, "failed", _cut(message, _LONGEST_MESSAGE))


def _shown(value: Json) -> str:
    try:
        return _cut(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)
    except RecursionError:
        return "a value with too many levels"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
