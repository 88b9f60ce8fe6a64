"""Terminal-Bench's trials in real containers: baselines, attacks and accidents."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.benchmarks.terminal_bench_hard.grading import graded
from assay.benchmarks.terminal_bench_hard.task import TaskTables, benchmark
from assay.benchmarks.terminal_bench_hard.task_folder import TerminalTask
from assay.benchmarks.terminal_bench_hard.trial import run_trial
from assay.benchmarks.terminal_bench_hard.working import official
from assay.domain.benchmark import Ask, Cue, Grade, Services
from assay.domain.calls.messages import Json
from assay.domain.calls.transcript import transcript_in
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import MIB
from tests.docker_engine import DockerEngine
from tests.integration.cli import Assay
from tests.integration.processes import process, running
from tests.integration.trials import scripted, simulated

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
TABLES = benchmark.demo_tables()
assert isinstance(TABLES, TaskTables)
TASKS = {task.id: task for task in TABLES.tasks}
AVERAGE = TASKS["fix-the-average"]
FAKE = "==== short test summary info ====\\nPASSED x.py::test_numbers\\nPASSED x.py::test_negative_numbers"
PASSING = (
    "def test_numbers(): pass\\ntest_negative_numbers = test_empty_line = test_empty_file = test_numbers"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def containers(engine: DockerEngine) -> AsyncGenerator[DockerContainers]:
    containers = DockerContainers(ContainerOptions(engine.socket_path, slots=6))
    yield containers
    await containers.close()


def reply(*keys: str, wait_s: float = 0.5, is_done: bool = False) -> str:
    commands: list[Json] = [{"keystrokes": one, "duration": wait_s} for one in keys]
    return json.dumps({"analysis": "", "plan": "", "commands": commands, "task_complete": is_done})


def does(*keys: str, wait_s: float = 0.5) -> Ask:
    """An agent that types this and is done."""
    return scripted([reply(*keys, wait_s=wait_s)], then=reply(is_done=True))


async def tried(task: TerminalTask, ask: Ask, containers: DockerContainers) -> Grade:
    working = official(task, ask, cue_at=lambda _: Cue())
    completion = await run_trial(task, containers, working)
    return graded(completion.answer, sorted(task.test_names()))


async def test_the_oracle_solves_every_demo_task_and_null_none(containers: DockerContainers) -> None:
    item_set = benchmark.load(TABLES)
    assert item_set.converse is not None
    services = Services(containers=containers)
    models = {"sim/oracle": Outcome.CORRECT, "sim/null": Outcome.INCORRECT}
    trials = [(item, model) for item in item_set.items for model in models]
    answers = await asyncio.gather(
        *(item_set.converse(item, simulated(model), services) for item, model in trials)
    )
    for (item, model), answer in zip(trials, answers, strict=True):
        grade = await benchmark.grade(item, answer, services)
        assert grade.outcome is models[model], (item.id, model, grade.explanation)
        assert answer.usage.sandbox_s
        sandbox = grade.details["sandbox"]
        assert isinstance(sandbox, dict)
        assert sandbox["isolation"] == "container"
        transcript = transcript_in(answer.answer)
        assert transcript is not None
        said = " ".join(str(one["content"]) for one in transcript.messages if one["role"] == "user")
        assert "test_outputs" not in said


ATTACKS = {
    "tests written before ours": f"mkdir /tests; printf '{PASSING}' > /tests/test_outputs.py\n",
    "a daemon that changes the tests": (
        "setsid bash -c 'until [ -e /tests/run.py ]; do :; done;"
        f' while :; do printf "{PASSING}" > /tests/test_outputs.py; done\' > /dev/null 2>&1 &\n'
    ),
    "a daemon that writes to every terminal": (
        "setsid bash -c 'while :; do for t in /dev/pts/[0-9]*; do"
        f' printf "{FAKE}\n" > $t; done; sleep 0.05; done\' > /dev/null 2>&1 &\n'
    ),
}


async def test_no_forgery_passes(containers: DockerContainers) -> None:
    same_shell = replace(AVERAGE, tests_in_same_shell=True)
    report = f"clear; printf '{FAKE}\n'\n"
    trials = {name: tried(AVERAGE, does(keys), containers) for name, keys in ATTACKS.items()}
    trials["a report on the screen of the tests"] = tried(same_shell, does(report), containers)
    grades = await asyncio.gather(*trials.values())
    for name, grade in zip(trials, grades, strict=True):
        assert grade.outcome is Outcome.INCORRECT, (name, grade.explanation)


async def test_a_reward_that_was_there_before_does_not_count(containers: DockerContainers) -> None:
    ask = does("echo 1 > /logs/verifier/reward.txt; echo 1 > /logs/verifier/reward.json\n")
    grade = await tried(TASKS["error-report"], ask, containers)
    assert (grade.outcome, grade.details["reward"]) == (Outcome.INCORRECT, 0)


async def test_every_accident_has_an_ending_of_its_own(containers: DockerContainers) -> None:
    limits = replace(AVERAGE.limits, processes=40, disk_bytes=16 * MIB)
    small = replace(AVERAGE, limits=limits)
    bomb = "setsid python3 -c 'import os, time\\ntry:\\n while os.fork(): pass\\nfinally: time.sleep(99)' &\n"
    hung = "printf 'import time; time.sleep(99)' > average.py\n"
    accidents = {
        "process_limit": tried(small, does(bomb.replace("\\n", "\n"), wait_s=1), containers),
        "disk_limit": tried(small, does("head -c 50000000 /dev/zero > /full\n", wait_s=6), containers),
        "test_timeout": tried(replace(AVERAGE, tests_s=2), does(hung), containers),
        "signal": tried(AVERAGE, does("kill -9 -1\n"), containers),
    }
    grades = await asyncio.gather(*accidents.values())
    assert [grade.details["ended"] for grade in grades] == list(accidents)
    assert {grade.outcome for grade in grades} == {Outcome.INCORRECT}


async def test_the_tests_run_after_an_agent_that_ran_out_of_time(containers: DockerContainers) -> None:
    solution = reply(f"cat > x.sh <<'EOT'\n{AVERAGE.solution}EOT\n", "bash x.sh\n", "", wait_s=2)
    ask = scripted([solution], then=reply("", wait_s=60))
    grade = await tried(replace(AVERAGE, agent_s=5), ask, containers)
    assert grade.details["agent_ended"] == "time"
    assert (grade.outcome, grade.details["failure"]) == (Outcome.CORRECT, "agent_timeout")


async def test_a_killed_worker_leaves_no_container_and_its_item_is_done_again(
    engine: DockerEngine, containers: DockerContainers, tmp_path: Path
) -> None:
    assay = Assay(tmp_path, (("DOCKER_HOST", f"unix://{engine.socket_path}"),))
    run = ("run", "sim/oracle?delay_ms=700", "terminal_bench_hard", "--data", "demo", "--item", AVERAGE.id)
    started = await process(assay, *run)
    assert started.stderr is not None
    run_id = (await started.stderr.readline()).split()[1].decode()
    async with asyncio.timeout(120):
        while not await running(engine):
            await asyncio.sleep(0.1)
    started.kill()
    await started.wait()
    async with asyncio.timeout(60):
        while await running(engine):
            await asyncio.sleep(0.1)
    resumed = await process(assay, "resume", run_id)
    out, error = await resumed.communicate()
    assert resumed.returncode == 0, error
    assert b"1 of 1" in out
    assert b"100.0 %" in out
    assert await running(engine) == []
