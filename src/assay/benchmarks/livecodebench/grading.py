"""From a program and its tests to a verdict, with the official script's error codes."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import IntEnum
from importlib.resources import files
from typing import cast

from assay.benchmarks.livecodebench.comparison import (
    Mismatch,
    json_value,
    output_mismatch,
    shortened,
    value_mismatch,
)
from assay.benchmarks.livecodebench.rows import Test
from assay.domain.benchmark import Environment, Services
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError, DataMissingError, GraderError, SandboxError
from assay.domain.programs.sandbox import MIB, ExecResult, Limits, Sandbox, Spec, Status

NAME = "livecodebench"
TIME_LIMIT_S = 6.0
# The official limit is on wall time. Here it is on CPU time, so that a busy machine does not fail a correct
# program; a larger limit on wall time ends programs that only wait.
WALL_LIMIT_S = 20 * TIME_LIMIT_S
_MEMORY_BYTES = 4096 * MIB
_LEAST_OUTPUT_BYTES = 8 * MIB
# JSON may escape one character as six.
_BYTES_PER_CHARACTER = 6
_PRELOADED = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io"
    " sys json builtins typing ast decimal fractions threading array shutil subprocess"
)
# What the official script imports besides the standard library, so that every program can use it.
_PACKAGE = "numpy"
ENVIRONMENT = Environment(("numpy==2.2.6",), pythons=("3.11", "3.12", "3.13", "3.10"))
_PREPARE = f"run `assay data prepare {NAME}`"
_HARNESS = files("assay.benchmarks.livecodebench").joinpath("harness.py").read_text(encoding="utf-8")


class Code(IntEnum):
    """Error codes of the official script."""

    GLOBAL_TIMEOUT = -1
    WRONG_ANSWER = -2
    TIME_LIMIT = -3
    RUNTIME_ERROR = -4
    RUNNER_ERROR = -5


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the first failed test failed."""

    code: Code
    message: str
    details: dict[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Ran:
    """Results up to the first failure; `failure` is None if all tests passed."""

    tests: int
    passed: int
    failure: Failure | None
    cpu_s: float | None
    wall_s: float


class _PackageMissingError(Exception):
    """The program imports a package that the sandbox's Python lacks."""


def source_of(program: str, function: str | None) -> str:
    """The source that is run in the sandbox, once per test; it holds no expected output."""
    return f"{_HARNESS}\n\nrun({program!r}, {function!r})\n"


async def run_tests(source: str, function: str | None, tests: Sequence[Test], services: Services) -> Ran:
    """Run the tests in order until one fails; in the prepared Python if the sandbox's own lacks numpy."""
    try:
        return await _run_tests(source, function, tests, services.required_sandbox(), _spec(tests))
    except _PackageMissingError:
        spec = replace(_spec(tests), python=_prepared(services))
    spec = replace(spec, preload=(*spec.preload, _PACKAGE))
    try:
        return await _run_tests(source, function, tests, services.required_sandbox(), spec)
    except _PackageMissingError as error:
        raise SandboxError(f"the prepared Python has no {_PACKAGE} either; {_PREPARE}") from error


def _prepared(services: Services) -> str:
    try:
        return services.required_prepared().python(NAME, ENVIRONMENT)
    except (DataMissingError, GraderError) as error:
        raise SandboxError(
            f"the program imports {_PACKAGE}, which the sandbox's Python lacks; {_PREPARE}"
        ) from error


def _spec(tests: Sequence[Test]) -> Spec:
    largest = max(len(test.expected) for test in tests)
    limits = Limits(
        cpu_s=TIME_LIMIT_S,
        wall_s=WALL_LIMIT_S,
        memory_bytes=_MEMORY_BYTES,
        stdout_bytes=_LEAST_OUTPUT_BYTES + _BYTES_PER_CHARACTER * largest,
    )
    return Spec(profile="python", limits=limits, preload=tuple(_PRELOADED.split()))


async def _run_tests(
    source: str, function: str | None, tests: Sequence[Test], sandbox: Sandbox, spec: Spec
) -> Ran:
    cases = [test.given.encode("utf-8", "surrogatepass") for test in tests]
    cpu_s: float | None = 0.0
    wall_s = 0.0
    failure: Failure | None = None
    passed = 0
    async with await sandbox.open(spec) as session:
        # The port promises an iterator; closing early needs a generator.
        results = cast("AsyncGenerator[ExecResult]", session.exec_many(source, cases))
        async with aclosing(results):
            async for result in results:
                cpu_s = None if cpu_s is None or result.cpu_s is None else cpu_s + result.cpu_s
                wall_s += result.wall_s
                failure = _failure(result, function, tests[passed])
                if failure is None and wall_s > _overall_s(len(tests)):
                    failure = Failure(Code.GLOBAL_TIMEOUT, "Global timeout", {"limit": "wall_time"})
                if failure is not None:
                    break
                passed += 1
    if failure is None and passed != len(tests):
        raise SandboxError(f"the sandbox gave {passed} results for {len(tests)} tests")
    return Ran(len(tests), passed, failure, cpu_s, wall_s)


def _overall_s(tests: int) -> float:
    """The official limit on all tests together, plus the slack for wall time per test."""
    return WALL_LIMIT_S / TIME_LIMIT_S * ((TIME_LIMIT_S + 1) * tests + 5)


def _failure(result: ExecResult, function: str | None, test: Test) -> Failure | None:
    if result.status in _LIMITS:
        return _LIMITS[result.status]
    report = _report(result)
    if report is None:
        return Failure(Code.RUNNER_ERROR, f"TestRunnerError: {_ending(result)}")
    if report.get("end") == "error":
        return _error(report)
    return _wrong(_mismatch(report, function, test), report.get("value"))


def _mismatch(report: dict[str, Json], function: str | None, test: Test) -> Mismatch | None:
    match report:
        case {"end": "output", "value": str(given)} if function is None:
            return output_mismatch(given, test.expected)
        case {"end": "value", "value": given} if function is not None:
            return _checked(given, test)
        case _:
            return Mismatch("Wrong Answer")


_LIMITS = {
    Status.CPU_LIMIT: Failure(Code.TIME_LIMIT, "Time Limit Exceeded", {"limit": "cpu_time"}),
    Status.WALL_LIMIT: Failure(Code.TIME_LIMIT, "Time Limit Exceeded", {"limit": "wall_time"}),
    Status.MEMORY_LIMIT: Failure(Code.RUNTIME_ERROR, "Runtime Error", {"limit": "memory"}),
    Status.OUTPUT_LIMIT: Failure(
        Code.WRONG_ANSWER, "Wrong answer: mismatched output length", {"limit": "output"}
    ),
    Status.PROCESS_LIMIT: Failure(Code.RUNTIME_ERROR, "Runtime Error", {"limit": "processes"}),
    Status.DISK_LIMIT: Failure(Code.RUNTIME_ERROR, "Runtime Error", {"limit": "disk"}),
}


def _report(result: ExecResult) -> dict[str, Json] | None:
    """The last report of the harness; None if the program ended the process before it."""
    if result.status is not Status.OK:
        return None
    try:
        report = json_value(result.stdout)
    except (ValueError, RecursionError):
        return None
    return dict(report) if isinstance(report, dict) else None


def _ending(result: ExecResult) -> str:
    if result.status is Status.SIGNAL:
        return f"the process ended by signal {result.signal}"
    return f"the process ended with status {result.exit_code} before the test was over"


def _error(report: dict[str, Json]) -> Failure:
    missing, shown = report.get("missing"), str(report.get("error"))
    if isinstance(missing, str) and missing.partition(".")[0] == _PACKAGE:
        raise _PackageMissingError
    match report.get("phase"):
        case "time":
            return Failure(Code.TIME_LIMIT, "Time Limit Exceeded", {"error": shown})
        case "call":
            return Failure(Code.RUNTIME_ERROR, "Runtime Error", {"error": shown})
        case _:
            return Failure(Code.RUNTIME_ERROR, f"Error during testing: {shown}", {"error": shown})


def _checked(given: Json, test: Test) -> Mismatch | None:
    try:
        return value_mismatch(given, test.expected)
    except (ValueError, RecursionError) as error:
        raise DataError(f"an expected value is not JSON: {error}") from error


def _wrong(mismatch: Mismatch | None, given: Json) -> Failure | None:
    if mismatch is None:
        return None
    code = Code.WRONG_ANSWER if mismatch.kind == "wrong" else Code.RUNTIME_ERROR
    return Failure(code, mismatch.reason, {"output": shortened(str(given))})
