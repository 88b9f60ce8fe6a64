"""One trial of a task: container, agent, tests, and what is left for the grader."""

import hashlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from assay.benchmarks.terminal_bench_hard.screen import summary_start
from assay.benchmarks.terminal_bench_hard.task_folder import TerminalTask
from assay.benchmarks.terminal_bench_hard.terminal import Terminal, TerminalLostError, require_tmux
from assay.benchmarks.terminal_bench_hard.working import Working
from assay.domain.calls.messages import Completion, Json, Usage
from assay.domain.calls.transcript import transcript_text
from assay.domain.errors import DataError
from assay.domain.programs.containers import Container, Containers, ContainerSpec
from assay.domain.programs.sandbox import Status

_MOST_SCREEN = 400_000
_MOST_RESULTS = 4_000_000
_SETUP_S = 120.0
_TESTS = "/tests"
_REWARDS = ("/logs/verifier/reward.json", "/logs/verifier/reward.txt")
_VERIFIER = "/logs/verifier"
_FOLDERS = f"/logs /agent-logs /logs/agent {_VERIFIER}"


@dataclass(frozen=True, slots=True)
class TestRun:
    """How the tests ended; `altered` are the files of the tests that were no longer ours afterwards."""

    is_in_time: bool
    screen: str
    altered: tuple[str, ...] = ()
    reward: Json = None
    status: Status = Status.OK
    reason: str = ""


async def run_trial(task: TerminalTask, containers: Containers, working: Working) -> Completion:
    """The conversation and the screen after the tests, as one answer."""
    if task.unsupported is not None:
        raise DataError(f"the task {task.id!r} is not supported: {task.unsupported}")
    image = await _image(task, containers)
    began = time.monotonic()
    async with await containers.open(_spec(task, image)) as container:
        await _prepared(container, task)
        terminal = Terminal(container, "agent", is_root=False)
        await terminal.start()
        worked = await working(container, terminal)
        tests = await _after(task, container, terminal)
    sandbox_s = time.monotonic() - began
    facts: dict[str, Json] = {
        "layout": task.layout,
        "parser": task.parser,
        "agent_ended": worked.ended,
        "steps": worked.calls,
        "agent_s": round(worked.used_s, 3),
        "sandbox_s": round(sandbox_s, 3),
        "sandbox": container.confinement.to_json(),
        **worked.facts,
        "tests": _tests_json(tests),
    }
    answer = transcript_text(worked.messages, **facts)
    # A cut reply was sent back to the model; the trial has an end of its own.
    return Completion(answer, finish_reason="stop", usage=Usage(sandbox_s=sandbox_s))


async def _image(task: TerminalTask, containers: Containers) -> str:
    if task.build is not None:
        return await containers.built(task.build)
    return await containers.pulled(task.image or "")


def _spec(task: TerminalTask, image: str) -> ContainerSpec:
    return ContainerSpec(
        image,
        env=task.env,
        network="on" if task.has_network else "none",
        limits=task.limits,
        # As long as the id that engines give, and the same in every execution.
        hostname=hashlib.sha256(task.id.encode()).hexdigest()[:12],
        workdir=task.workdir,
    )


async def _prepared(container: Container, task: TerminalTask) -> None:
    make = f"mkdir -p {_FOLDERS} && chmod 777 {_FOLDERS}"
    await container.exec(["sh", "-c", make], wall_s=_SETUP_S)
    await require_tmux(container, can_install=task.has_network)


async def _after(task: TerminalTask, container: Container, terminal: Terminal) -> TestRun:
    try:
        if task.layout == "harbor":
            return await _verified(task, container)
        return await _tested(task, container, terminal)
    except TerminalLostError as error:
        return TestRun(is_in_time=True, screen="", status=error.status, reason=str(error))


async def _tested(task: TerminalTask, container: Container, terminal: Terminal) -> TestRun:
    """Tests in a session of their own, which the agent has never seen, unless the task wants the agent's."""
    await _place_tests(task, container)
    if task.tests_in_same_shell:
        # What the agent left on its screen is not a result.
        await terminal.clear()
    else:
        terminal = Terminal(container, "tests", is_root=True)
        await terminal.start()
    is_in_time = await terminal.run(f"bash {_TESTS}/run-tests.sh", within_s=task.tests_s)
    screen = await terminal.screen(is_whole=True)
    return TestRun(is_in_time, _stored(screen), await _altered(task, container))


async def _verified(task: TerminalTask, container: Container) -> TestRun:
    """Harbor's way: the tests write a number to a file."""
    await _place_tests(task, container, _REWARDS)
    result = await container.exec(
        ["bash", f"{_TESTS}/test.sh"], wall_s=task.tests_s, env=task.tests_env, output_bytes=_MOST_SCREEN
    )
    screen = (result.stdout + result.stderr).decode("utf-8", "replace")
    if result.status is Status.WALL_LIMIT:
        return TestRun(is_in_time=False, screen=screen)
    rewards = await container.get(_VERIFIER)
    status = result.status if result.status is not Status.NONZERO else Status.OK
    altered = await _altered(task, container)
    return TestRun(is_in_time=True, screen=screen, altered=altered, reward=_reward(rewards), status=status)


async def _place_tests(task: TerminalTask, container: Container, stale: tuple[str, ...] = ()) -> None:
    result = await container.exec(["rm", "-rf", _TESTS, *stale], wall_s=_SETUP_S)
    if result.status not in (Status.OK, Status.NONZERO):
        raise TerminalLostError("the container ended before the tests", result.status)
    await container.put(_TESTS, task.test_files())


async def _altered(task: TerminalTask, container: Container) -> tuple[str, ...]:
    found = await container.get(_TESTS, max_files=100_000, max_bytes=1 << 30)
    return tuple(sorted(name for name, one in task.test_files().items() if found.get(name) != one.content))


def _reward(files: Mapping[str, bytes]) -> Json:
    """The number that the tests wrote, `reward.json` before `reward.txt`; None if there is none."""
    try:
        if "reward.json" in files:
            found: Json = json.loads(files["reward.json"])
            values = list(found.values()) if isinstance(found, Mapping) else [found]
            if not all(_is_number(one) for one in values):
                return None
            # Several rewards have no sum: the one by this name counts.
            return found.get("reward") if isinstance(found, Mapping) else found
        value = float(files.get("reward.txt", b"").decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if math.isfinite(value) else None


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _stored(screen: str) -> str:
    """A long screen without what comes before the results; results that long are none."""
    start = min(summary_start(screen), max(0, len(screen) - _MOST_SCREEN))
    return screen[start:] if len(screen) - start <= _MOST_RESULTS else ""


def _tests_json(tests: TestRun) -> Json:
    found: dict[str, Json] = {"is_in_time": tests.is_in_time, "status": tests.status.value}
    if tests.altered:
        found["altered"] = list(tests.altered)
    if tests.reward is not None:
        found["reward"] = tests.reward
    if tests.reason:
        found["reason"] = tests.reason
    return {**found, "screen": tests.screen}
