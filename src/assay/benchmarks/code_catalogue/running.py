"""Runs the tests of a task on the files of an answer, in a sandbox."""

import json
import secrets
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from assay.benchmarks.code_catalogue.languages import LANGUAGES, OWN_FOLDER, RUNNERS, TESTS, Commands
from assay.benchmarks.code_catalogue.task_folder import Task
from assay.benchmarks.code_catalogue.verdict import TestResult, compared
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxUnavailableError
from assay.domain.programs.sandbox import (
    MIB,
    ExecResult,
    Isolation,
    Limits,
    Mount,
    Sandbox,
    SandboxSession,
    Spec,
    Status,
)
from assay.domain.programs.toolchain import Toolchain

_RUNNERS = Path(__file__).parent / "runners"
_RUN_PYTHON = (_RUNNERS / "run_python.py").read_text(encoding="utf-8")
# What the runner imports: loaded before any file of an answer is in reach.
_PRELOADED = ("asyncio", "inspect", "json", "os")
_BUILD_S = 120.0
_MOST_LOG_CHARACTERS = 20_000
_LIMITS = Limits(
    memory_bytes=2048 * MIB,
    processes=256,
    file_bytes=256 * MIB,
    disk_bytes=768 * MIB,
    inodes=20_000,
    stdout_bytes=4 * MIB,
    open_files=1024,
)
_ENDINGS = {
    Status.CPU_LIMIT: "the tests used more CPU time than allowed",
    Status.WALL_LIMIT: "the tests took longer than allowed",
    Status.MEMORY_LIMIT: "the tests used more memory than allowed",
    Status.OUTPUT_LIMIT: "the tests printed more than allowed",
    Status.PROCESS_LIMIT: "the tests started more processes than allowed",
    Status.DISK_LIMIT: "the tests wrote more than allowed",
}


@dataclass(frozen=True, slots=True)
class TestRun:
    """What the tests said, and how they were run; `build_s` is None where nothing is compiled."""

    tests: tuple[TestResult, ...]
    command: tuple[str, ...]
    exit_code: int | None
    stdout: str
    stderr: str
    build_s: float | None
    wall_s: float
    cpu_s: float | None
    toolchain: str
    is_built: bool = True

    @property
    def has_passed(self) -> bool:
        return all(one.result == "passed" for one in self.tests)

    def to_json(self) -> dict[str, Json]:
        return {
            "tests": [one.to_json() for one in self.tests],
            "command": list(self.command),
            "exit_code": self.exit_code,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "build_s": self.build_s,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "toolchain": self.toolchain,
        }


async def run_tests(
    task: Task, files: Mapping[str, bytes], *, sandbox: Sandbox, toolchain: Toolchain | None
) -> TestRun:
    """Run all tests of the task on these files of the workspace; raises SandboxError."""
    limits = replace(_LIMITS, cpu_s=2 * task.timeout_s, wall_s=task.timeout_s)
    mounts = (Mount(str(task.tests_folder), TESTS), Mount(str(_RUNNERS), RUNNERS))
    spec = Spec(
        profile=task.language,
        mounts=mounts if toolchain is None else (*mounts, *toolchain.mounts),
        env={} if toolchain is None else toolchain.env,
        limits=limits,
        preload=_PRELOADED if toolchain is None else (),
    )
    async with await sandbox.open(spec) as session:
        if session.confinement.isolation < Isolation.NAMESPACES:
            raise SandboxUnavailableError(
                "tests of code tasks need a sandbox with a file system of its own:"
                f" {session.confinement.backend!r} has none"
            )
        await session.put(files)
        make_commands = LANGUAGES[task.language].commands
        if toolchain is None or make_commands is None:
            return await _run_cases(session, task)
        return await _run_commands(
            session, task, make_commands(toolchain, sorted(files), tuple(task.expected)), toolchain
        )


async def _run_cases(session: SandboxSession, task: Task) -> TestRun:
    """Each test of a Python task in a process of its own."""
    nonce = secrets.token_hex(16)
    names = tuple(task.expected)
    cases = [json.dumps({"nonce": nonce, "test": name, "folder": TESTS}).encode() for name in names]
    results: list[ExecResult] = []
    tests: list[TestResult] = []
    # The port promises an iterator; closing early needs a generator.
    async with aclosing(session.exec_many(_RUN_PYTHON, cases)) as ended:  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
        async for found in ended:  # pyright: ignore[reportUnknownVariableType]
            result = cast("ExecResult", found)
            expected = {names[len(tests)]: task.expected[names[len(tests)]]}
            results.append(result)
            tests += compared(result.stdout, nonce, expected, reason=_ending(result))
            if sum(one.wall_s for one in results) >= task.timeout_s:
                break
    tests += [TestResult(name, "not_run", _ENDINGS[Status.WALL_LIMIT]) for name in names[len(tests) :]]
    cpu = [one.cpu_s for one in results]
    return TestRun(
        tests=tuple(tests),
        command=("python", f"{RUNNERS}/run_python.py"),
        exit_code=next((one.exit_code for one in results if one.exit_code), 0),
        stdout=_log(b"".join(one.stdout for one in results), nonce),
        stderr=_log(b"".join(one.stderr for one in results), nonce),
        build_s=None,
        wall_s=sum(one.wall_s for one in results),
        cpu_s=None if None in cpu else sum(one for one in cpu if one is not None),
        toolchain="python",
    )


async def _run_commands(
    session: SandboxSession, task: Task, commands: Commands, toolchain: Toolchain
) -> TestRun:
    await session.put(
        {f"{OWN_FOLDER}/README": b"", **{name: text.encode() for name, text in commands.files.items()}}
    )
    build_s = 0.0
    limits = replace(_LIMITS, cpu_s=2 * _BUILD_S, wall_s=_BUILD_S)
    for command in commands.builds:
        built = await session.exec(command, limits=limits)
        build_s += built.wall_s
        if built.status is not Status.OK:
            return _not_built(task, command, built, build_s, toolchain)
    nonce = secrets.token_hex(16)
    result = await session.exec(commands.run, stdin=f"{nonce}\n".encode())
    reason = _ending(result)
    return TestRun(
        tests=tuple(compared(result.stdout, nonce, task.expected, reason=reason)),
        command=tuple(commands.run),
        exit_code=result.exit_code,
        stdout=_log(result.stdout, nonce),
        stderr=_log(result.stderr, nonce),
        build_s=build_s if commands.builds else None,
        wall_s=result.wall_s,
        cpu_s=result.cpu_s,
        toolchain=toolchain.version,
    )


def _not_built(
    task: Task, command: tuple[str, ...] | object, built: ExecResult, build_s: float, toolchain: Toolchain
) -> TestRun:
    reason = "the program could not be built" if built.status is Status.NONZERO else _ending(built)
    return TestRun(
        tests=tuple(TestResult(name, "not_run", reason) for name in task.expected),
        command=tuple(cast("tuple[str, ...]", command)),
        exit_code=built.exit_code,
        stdout=_log(built.stdout, ""),
        stderr=_log(built.stderr, ""),
        build_s=build_s,
        wall_s=0.0,
        cpu_s=built.cpu_s,
        toolchain=toolchain.version,
        is_built=False,
    )


def _ending(result: ExecResult) -> str:
    if result.status in _ENDINGS:
        return _ENDINGS[result.status]
    if result.status is Status.SIGNAL:
        return f"the program ended by signal {result.signal} before its tests did"
    return f"the program ended with status {result.exit_code} before its tests did"


def _log(output: bytes, nonce: str) -> str:
    """What a program printed besides the report."""
    text = output.decode("utf-8", "replace")
    if nonce:
        lines = [line for line in text.split("\n") if not line.startswith(f"@{nonce} ")]
        text = "\n".join(lines).strip("\n")
    return text if len(text) <= _MOST_LOG_CHARACTERS else f"{text[:_MOST_LOG_CHARACTERS]}\n… cut"
