"""Runs the tests of one step: the model's code in one process, the assertions in another."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias

from assay.benchmarks.scicode.splitting import SplitTests
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError
from assay.domain.programs.sandbox import MIB, WORKSPACE, ExecResult, Limits, Mount, Sandbox, Spec, Status

# The official limit for the tests of one step.
TIME_LIMIT_S = 1800.0
_MEMORY_BYTES = 4096 * MIB
_REPORT_BYTES = 128 * MIB
_INSIDE = files("assay.benchmarks.scicode").joinpath("inside")
_TARGETS = f"{WORKSPACE}/targets.h5"
# One thread: the same sums in the same order on every machine, and no threads that count as processes.
_ENV = {
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",  # noqa: S108 - inside the sandbox
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
_TIMED_OUT = frozenset({Status.CPU_LIMIT, Status.WALL_LIMIT})

Verdict: TypeAlias = Literal["pass", "fail", "time out"]
Report: TypeAlias = tuple[int, str]
"""The number of an assertion, and the line with its values; parsed where an error counts as a verdict."""


@dataclass(frozen=True, slots=True)
class StepRunner:
    """What testing a step needs; `targets` is the official HDF5 file, if the user has it."""

    sandbox: Sandbox
    python: str
    targets: Path | None
    time_limit_s: float


@dataclass(frozen=True, slots=True)
class Tested:
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReportedValues:
    """What a program reported before it ended; `is_whole` if it reached the end of its tests."""

    reports: tuple[Report, ...]
    is_whole: bool
    result: ExecResult


async def reported_values(runner: StepRunner, code: str, tests: SplitTests) -> ReportedValues:
    """Run code and then the tests, without any target."""
    opening = "from assay_probe import __assay_record__, __assay_report__, __assay_end__"
    source = f"{opening}\n{code}\n\n{tests.model_source}\n__assay_end__()\n"
    result = await _ran(runner, {"step.py": source}, ["step.py"], mounts=())
    reports, is_whole = _reports(result.stdout, len(tests.assertions))
    return ReportedValues(tuple(reports), is_whole and result.status is Status.OK, result)


async def judged(
    runner: StepRunner,
    step: str,
    dependencies: str,
    tests: SplitTests,
    *,
    reported: ReportedValues,
    gold: ReportedValues | None,
) -> Tested:
    """Whether every assertion holds for the reported values; the targets are gold values or from the file."""
    failure = _failure(reported, tests)
    if failure is not None:
        return failure
    word = secrets.token_hex(16)
    order = {
        "word": word,
        "step": step,
        "dependencies": dependencies,
        "setups": tests.setups,
        "unpackings": tests.unpackings,
        "assertions": [assertion.to_json() for assertion in tests.assertions],
        "reports": reported.reports,
        "gold": gold.reports if gold else [],
        "hdf5": None if gold else _TARGETS,
    }
    mounts = () if gold or runner.targets is None else (Mount(str(runner.targets), _TARGETS),)
    result = await _ran(runner, {"order.json": json.dumps(order)}, ["judge.py", "order.json"], mounts=mounts)
    return _verdict(result, word, len(tests.assertions))


def _failure(reported: ReportedValues, tests: SplitTests) -> Tested | None:
    if reported.result.status in _TIMED_OUT:
        return Tested("time out", f"ended by the {reported.result.status.value.replace('_', ' ')}")
    if not reported.is_whole:
        return Tested("fail", _last_line(reported.result))
    missing = set(range(len(tests.assertions))) - {number for number, _ in reported.reports}
    if missing:
        return Tested("fail", f"{len(missing)} of {len(tests.assertions)} assertions were never reached")
    return None


def _verdict(result: ExecResult, word: str, assertions: int) -> Tested:
    if result.status not in (Status.OK, Status.NONZERO):
        # Only the reported values differ between attempts: they took the memory or the time.
        return Tested("fail", f"the reported values cannot be compared ({result.status.value})")
    try:
        answer = json.loads(result.stdout)
        faults: Mapping[str, str | None] = answer["results"]
        is_ours = answer["word"] == word and len(faults) == assertions
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"the assertions could not be computed: {_last_line(result)}") from error
    if not is_ours:
        raise DataError("the verdicts on the assertions are not complete")
    for number in sorted(faults, key=int):
        if faults[number] is not None:
            return Tested("fail", f"assertion {int(number) + 1} of {assertions}: {faults[number]}")
    return Tested("pass")


async def _ran(
    runner: StepRunner, sources: Mapping[str, str], arguments: Sequence[str], *, mounts: tuple[Mount, ...]
) -> ExecResult:
    limits = Limits(
        cpu_s=runner.time_limit_s,
        wall_s=runner.time_limit_s,
        memory_bytes=_MEMORY_BYTES,
        stdout_bytes=_REPORT_BYTES,
    )
    spec = Spec(profile="python", mounts=mounts, env=_ENV, limits=limits, python=runner.python)
    content = {name: source.encode("utf-8", "surrogatepass") for name, source in sources.items()}
    async with await runner.sandbox.open(spec) as session:
        await session.put({**_programs(), **content})
        return await session.exec([runner.python, *arguments], limits=limits)


@cache
def _programs() -> Mapping[str, bytes]:
    names = {
        "assay_values.py": "assay_values.py",
        "assay_probe.py": "assay_probe.py",
        "judge.py": "judge.py",
        "targets.py": "targets.py",
        "comparison.py": "scicode/compare/cmp.py",
    }
    programs = {target: _INSIDE.joinpath(name).read_bytes() for name, target in names.items()}
    return {**programs, "scicode/__init__.py": b"", "scicode/compare/__init__.py": b""}


def _reports(stdout: bytes, assertions: int) -> tuple[list[Report], bool]:
    """Lines in the form of a report; others are ignored, since a program can write anything."""
    reports: list[Report] = []
    is_whole = False
    for line in stdout.decode("utf-8", "replace").splitlines():
        try:
            report: Json = json.loads(line)
        except (ValueError, RecursionError):
            continue
        match report:
            case "end":
                is_whole = True
            case [int(number), list()] if 0 <= number < assertions:
                reports.append((number, line))
            case _:
                continue
    return reports, is_whole


def _last_line(result: ExecResult) -> str:
    lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines:
        return lines[-1][:500]
    return f"the process ended ({result.status.value}, exit code {result.exit_code}) before its tests did"
