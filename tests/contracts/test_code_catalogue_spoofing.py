"""Answers that try to pass the tests of a code task without solving it: none does, none harms the sandbox."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.adapters.prepared.environments import PreparedEnvironments
from assay.adapters.sandbox.local_backend import LocalBackend, LocalOptions
from assay.benchmarks.code_catalogue import running
from assay.benchmarks.code_catalogue.languages import LANGUAGES
from assay.benchmarks.code_catalogue.task import toolchain_of
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.domain.errors import DataMissingError
from assay.domain.programs.sandbox import Sandbox
from tests.conftest import PREPARED, absent
from tests.contracts.code_catalogue_answers import DECOYS, FILES, NOISE, TESTS, program, solution
from tests.contracts.code_catalogue_attacks import ATTACKS

TIMEOUT_S = 4
# Compilers have two minutes of their own.
SOON_S = 180
EXPECTED = {"scales": [21, 35, 56], "scales_negative": [-26, 52, 1001]}


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Runs answers one after another in the same slot, so that each could harm the next."""

    sandbox: Sandbox
    prepared: PreparedEnvironments

    async def run(self, task: Task, files: Mapping[str, str]) -> running.TestRun:
        try:
            toolchain = await asyncio.to_thread(toolchain_of, task, self.prepared)
        except DataMissingError as error:
            absent(error.message)
        contents = {path: text.encode() for path, text in {**task.workspace, **files}.items()}
        async with asyncio.timeout(SOON_S):
            return await running.run_tests(task, contents, sandbox=self.sandbox, toolchain=toolchain)


@pytest.fixture
async def laboratory(toolchains: None) -> AsyncGenerator[Laboratory]:
    backend = LocalBackend("bubblewrap", LocalOptions.default(slots=1))
    if not (probe := await backend.probe()).is_available:
        absent(f"no bubblewrap: {probe.reason}")
    yield Laboratory(backend, PREPARED)
    await backend.close()


def task_in(language: str, folder: Path) -> Task:
    """A list of numbers times a factor."""
    place = folder / f"{language}_scale"
    as_text = language in ("cpp", "rust")
    files = {
        "metadata.json": json.dumps(
            {
                "task_id": place.name,
                "language": language,
                "type": "feature_implementation",
                "difficulty": "easy",
                "eval": {"timeout_seconds": TIMEOUT_S},
            }
        ),
        "instructions.md": "# Scale\n",
        "expected.json": json.dumps(
            {name: [json.dumps(values) if as_text else values] for name, values in EXPECTED.items()}
        ),
        f"tests/{LANGUAGES[language].tests_file}": TESTS[language],
        **{f"workspace/{path}": text for path, text in solution(language).items()},
    }
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (task,) = load_tasks(place)
    return task


every_language = pytest.mark.parametrize("language", sorted(LANGUAGES))


@every_language
async def test_no_answer_passes_without_the_values(
    language: str, laboratory: Laboratory, tmp_path: Path
) -> None:
    task = task_in(language, tmp_path)
    found: dict[str, object] = {}
    for name, attack in ATTACKS[language].items():
        ran = await laboratory.run(task, attack.files(language))
        messages = [one.message for one in ran.tests]
        if ran.has_passed or not re.search(attack.found_out, messages[attack.test]):
            found[name] = (messages, ran.stderr[-500:])
    assert found == {}
    honest = await laboratory.run(task, {})
    assert honest.has_passed, (honest.tests, honest.stderr)


@every_language
async def test_files_around_a_solution_do_not_matter(
    language: str, laboratory: Laboratory, tmp_path: Path
) -> None:
    """Neither do they break a right solution, nor do they help a wrong one."""
    task = task_in(language, tmp_path)
    right = await laboratory.run(task, DECOYS[language])
    assert right.has_passed, (right.tests, right.stderr)
    wrong = {FILES[language]: program(language)}
    ran = await laboratory.run(task, {**DECOYS[language], **wrong})
    assert [one.message.partition(" is ")[0] for one in ran.tests] == ["observation 1", "observation 1"]


@every_language
async def test_what_a_solution_prints_does_not_matter(
    language: str, laboratory: Laboratory, tmp_path: Path
) -> None:
    noisy = program(language, inside=NOISE[language], wrong=False)
    ran = await laboratory.run(task_in(language, tmp_path), {FILES[language]: noisy})
    assert ran.has_passed, (ran.tests, ran.stderr)
