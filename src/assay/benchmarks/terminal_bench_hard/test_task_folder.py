"""Tasks in folders, of both layouts."""

from pathlib import Path

import pytest

from assay.benchmarks.terminal_bench_hard.task import benchmark
from assay.benchmarks.terminal_bench_hard.task_folder import load_tasks
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.programs.containers import GIB
from assay.domain.programs.sandbox import MIB

COMPOSE = "services:\n  client:\n    build: {dockerfile: Dockerfile}\n"


def task(folder: Path, *, compose: str | None = None, more: str = "") -> Path:
    place = folder / "cobol-modernization"
    (place / "tests").mkdir(parents=True)
    (place / "task.yaml").write_text(f"instruction: Do it.\ndifficulty: hard\n{more}")
    (place / "Dockerfile").write_text("FROM scratch\n")
    (place / "run-tests.sh").write_text("true\n")
    (place / "tests" / "test_outputs.py").write_text("def test_a(): pass\ndef helper(): pass\n")
    if compose is not None:
        (place / "docker-compose.yaml").write_text(compose)
    return place


def test_the_keys_of_a_task_and_what_is_taken_for_missing_ones(tmp_path: Path) -> None:
    place = task(tmp_path, more="max_agent_timeout_sec: 900\nrun_tests_in_same_shell: true\n")
    (one,) = load_tasks(tmp_path)
    assert (one.id, one.agent_s, one.tests_s, one.parser) == ("cobol-modernization", 900.0, 60.0, "pytest")
    assert (one.tests_in_same_shell, one.has_network, one.unsupported) == (True, True, None)
    assert one.test_names() == {"test_a"}
    assert one.test_files().keys() == {"run-tests.sh", "test_outputs.py"}
    assert one.build is not None
    assert {"tests", "run-tests.sh", "solution.sh", "task.yaml"} <= one.build.excluded
    assert load_tasks(place)[0].digest == one.digest
    (place / "tests" / "test_outputs.py").write_text("def test_a(): assert False\n")
    assert load_tasks(place)[0].digest != one.digest, "another test is another item"


def test_a_compose_file_with_one_service(tmp_path: Path) -> None:
    compose = COMPOSE + (
        "    container_name: ${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}\n"
        "    command: [sh, -c, sleep infinity]\n"
        "    environment: ['TEST_DIR=${T_BENCH_TEST_DIR}', A=b=c]\n"
        "    volumes: ['${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}']\n"
        "    network_mode: none\n"
        "    deploy: {resources: {limits: {cpus: '1.5', memory: 2G}}}\n"
    )
    task(tmp_path, compose=compose)
    (one,) = load_tasks(tmp_path)
    assert one.unsupported is None
    assert one.env == {"TEST_DIR": "/tests", "A": "b=c"}
    assert (one.has_network, one.limits.cpus, one.limits.memory_bytes) == (False, 1.5, 2 * GIB)


@pytest.mark.parametrize(
    ("compose", "reason"),
    [
        ("services:\n  client: {}\n  db: {image: postgres}\n", "the services client, db"),
        ("services:\n  main: {}\n", "the services main"),
        (COMPOSE + "    privileged: true\n", "privileged"),
        (COMPOSE + "    command: ./serve\n", "a command of its own"),
        (COMPOSE + "    volumes: ['/var/run/docker.sock:/var/run/docker.sock']\n", "mounts"),
        (COMPOSE + "    environment: ['KEY=${OPENAI_API_KEY}']\n", "the variable OPENAI_API_KEY"),
        (COMPOSE + "volumes: {data: {}}\n", "has volumes"),
        ("services:\n  client: {build: {context: ..}}\n", "'..'"),
        ("[]", "the services none"),
    ],
)
def test_what_a_single_container_cannot_do_is_said(tmp_path: Path, compose: str, reason: str) -> None:
    task(tmp_path, compose=compose)
    item_set = benchmark.load(benchmark.own_data(str(tmp_path)).tables)
    assert reason in benchmark.unsupported(item_set.items)[item_set.items[0].id]


def test_harbor_tasks(tmp_path: Path) -> None:
    place = tmp_path / "one"
    (place / "environment").mkdir(parents=True)
    (place / "environment" / "Dockerfile").write_text("FROM scratch\n")
    (place / "instruction.md").write_text("Do it.")
    (place / "task.toml").write_text(
        "[environment]\nmemory_mb = 100\ncpus = 2\n[verifier]\ntimeout_sec = 7\n"
    )
    (one,) = load_tasks(place)
    assert (one.layout, one.tests_s, one.limits.memory_bytes) == ("harbor", 7.0, 100 * MIB)
    (place / "environment" / "docker-compose.yaml").write_text("services: {}\n")
    assert load_tasks(place)[0].unsupported == "its environment has a compose file"


def test_only_tasks_of_the_subset_are_taken(tmp_path: Path) -> None:
    task(tmp_path)
    (tmp_path / "cobol-modernization").rename(tmp_path / "hello-world")
    with pytest.raises(InvalidValueError, match="none of the 47 tasks"):
        benchmark.load(benchmark.own_data(str(tmp_path)).tables)
    data = benchmark.variants["all_tasks"].own_data(str(tmp_path))
    assert [one.id for one in benchmark.variants["all_tasks"].load(data.tables).items] == ["hello-world"]


@pytest.mark.parametrize(
    "content", ["instruction: [", "- a", "instruction: 7", "instruction: x\nmax_agent_timeout_sec: -1"]
)
def test_a_folder_that_cannot_be_read_says_why(tmp_path: Path, content: str) -> None:
    place = task(tmp_path)
    (place / "task.yaml").write_text(content)
    with pytest.raises(InvalidValueError):
        load_tasks(tmp_path)
    with pytest.raises(InvalidValueError, match="no folder"):
        load_tasks(place / "tests")
    with pytest.raises(DataMissingError, match="--data"):
        benchmark.own_data("official")
