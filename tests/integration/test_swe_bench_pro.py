"""SWE-Bench Pro's attempts in real containers: baselines, forgeries and accidents."""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import pytest_asyncio

from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.benchmarks.swe_bench_pro.instances import Instance
from assay.benchmarks.swe_bench_pro.task import InstanceTables, benchmark
from assay.domain.benchmark import Ask, Cue, Grade, ItemSet, Services
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.calls.transcript import transcript_in
from assay.domain.errors import DataError
from assay.domain.outcome import Outcome
from assay.domain.programs.containers import Container, ContainerLimits, ContainerSpec
from assay.domain.programs.sandbox import MIB
from tests.docker_engine import DockerEngine
from tests.integration.trials import scripted, simulated

# One loop for all: the connection lives as long as the engine.
pytestmark = pytest.mark.asyncio(loop_scope="module")
TABLES = benchmark.demo_tables()
assert isinstance(TABLES, InstanceTables)
TOTALS, EQUALS, LABELS = TABLES.instances
SUBMIT = "```bash\nSUBMIT\n```"
NO_CUE = Cue()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(engine: DockerEngine) -> AsyncGenerator[Services]:
    containers = DockerContainers(ContainerOptions(engine.socket_path, slots=6))
    yield Services(containers=containers)
    await containers.close()


def does(*blocks: str) -> Ask:
    """An agent that runs these blocks and submits."""
    return scripted([f"I look.\n```bash\n{block}\n```" for block in blocks], then=SUBMIT)


def of(instance: Instance) -> ItemSet:
    return benchmark.load(InstanceTables((instance,)))


async def answered(instance: Instance, ask: Ask, services: Services) -> Completion:
    item_set = of(instance)
    assert item_set.converse is not None
    return await item_set.converse(item_set.items[0], ask, services)


async def tried(instance: Instance, ask: Ask, services: Services) -> Grade:
    answer = await answered(instance, ask, services)
    return await benchmark.grade(of(instance).items[0], answer, services)


def said(answer: Completion) -> list[str]:
    transcript = transcript_in(answer.answer)
    assert transcript is not None
    return [str(one["content"]) for one in transcript.messages if one["role"] == "user"]


async def test_the_oracle_solves_every_demo_instance_and_null_none(services: Services) -> None:
    models = {"sim/oracle": Outcome.CORRECT, "sim/null": Outcome.INCORRECT}
    trials = [(one, model) for one in (TOTALS, EQUALS, LABELS) for model in models]
    grades = await asyncio.gather(*(tried(one, simulated(model), services) for one, model in trials))
    for (one, model), grade in zip(trials, grades, strict=True):
        assert grade.outcome is models[model], (one.id, model, grade.explanation, grade.details)


async def test_nothing_of_the_future_is_left_and_new_files_are_in_the_patch(services: Services) -> None:
    look = (
        "git log --all --format=%s; git tag; git reflog; git fsck --lost-found;"
        " git cat-file --batch-all-objects --batch-check | grep -c commit; ls /sys/class/net"
    )
    change = (
        "mkdir new; echo fresh > new/file.txt; git add -A; sleep 600 &\n"
        "git -c user.name=a -c user.email=b commit -qm x"
    )
    answer = await answered(EQUALS, does(look, change), services)
    _, shown, _ = said(answer)
    assert "Compute totals with decimals\nAdd prices of a shelf\n" in shown
    assert "Name the first" not in shown
    assert "solved" not in shown
    assert "\n2\nlo\n" in shown
    transcript = transcript_in(answer.answer)
    assert transcript is not None
    assert "+++ b/new/file.txt" in str(transcript.facts["patch"]), "also what the agent has committed"


REPORT = json.dumps({"tests": [{"name": one, "status": "PASSED"} for one in TOTALS.fail_to_pass]})
WRITES = f"mkdir -p /workspace; echo '{REPORT}' > /workspace/output.json"
FORGERIES = {
    "tests made easy": "printf 'import unittest\\n' > tests/test_total.py",
    "a report of its own": f"cat >> shelf.py <<'EOF'\nimport os\nos.system({WRITES!r})\nEOF",
    "a daemon": (
        "cat >> shelf.py <<'EOF'\nimport subprocess\n"
        f"subprocess.Popen(['setsid', 'bash', '-c', {f'while sleep 0.1; do {WRITES}; done'!r}])\nEOF"
    ),
    "modules in the way of the parser": "echo x > json.py; echo x > re.py",
}


async def test_no_forgery_passes(services: Services) -> None:
    grades = await asyncio.gather(*(tried(TOTALS, does(block), services) for block in FORGERIES.values()))
    for name, grade in zip(FORGERIES, grades, strict=True):
        assert grade.outcome is Outcome.INCORRECT, (name, grade.explanation)


async def test_tests_without_an_end_are_ended(services: Services) -> None:
    hung = replace(TOTALS, tests_s=4)
    block = "sed -i 's/^    return f/    while True: pass\\n    return f/' shelf.py"
    grade = await tried(hung, does(block), services)
    assert (grade.outcome, grade.details["ended"]) == (Outcome.INCORRECT, "wall_limit")


class SmallContainers(DockerContainers):
    """With limits that a test can reach."""

    async def open(self, spec: ContainerSpec) -> Container:
        return await super().open(replace(spec, limits=SMALL))


SMALL = ContainerLimits(processes=40, disk_bytes=16 * MIB)
BOMB = "import os, time\ntry:\n    while os.fork(): pass\nfinally:\n    time.sleep(6)\n"
ACCIDENTS = {
    "process_limit": f"cat > shelf.py <<'EOF'\n{BOMB}EOF",
    "disk_limit": (
        'printf \'import time\\nopen("/full", "wb").write(bytes(50000000))\\ntime.sleep(99)\\n\' > shelf.py'
    ),
}


async def test_every_accident_of_the_tests_has_an_ending_of_its_own(
    services: Services, engine: DockerEngine
) -> None:
    """Of the tests; an agent's own is in its transcript, and what it had changed until then is lost."""
    small = SmallContainers(ContainerOptions(engine.socket_path, slots=6))
    try:
        answers = await asyncio.gather(
            *(answered(TOTALS, does(block), services) for block in ACCIDENTS.values())
        )
        confined = Services(containers=small)
        grades = [await benchmark.grade(of(TOTALS).items[0], answer, confined) for answer in answers]
        full = await answered(TOTALS, does("head -c 50000000 /dev/zero > /full; sleep 9"), confined)
    finally:
        await small.close()
    assert [grade.details["ended"] for grade in grades] == list(ACCIDENTS)
    assert {grade.outcome for grade in grades} == {Outcome.INCORRECT}
    grade = await benchmark.grade(of(TOTALS).items[0], full, services)
    assert (grade.outcome, grade.details["agent_ended"]) == (Outcome.INCORRECT, "disk_limit")


async def test_an_instance_that_cannot_be_evaluated_is_never_asked(services: Services) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        raise AssertionError("nothing may be spent on it")

    for broken, reason in (
        (replace(TOTALS, patch="", setup="true"), "own patch of .* does not pass"),
        (replace(TOTALS, fault="fail_to_pass is not a list"), "fail_to_pass"),
        (replace(TOTALS, base_commit="nowhere"), "history"),
    ):
        with pytest.raises(DataError, match=reason):
            await answered(broken, ask, services)
