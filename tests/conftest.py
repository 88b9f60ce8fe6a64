"""Fixtures shared by all suites."""

import fcntl
import os
import signal
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

from assay.adapters.prepared.environments import PreparedEnvironments
from assay.adapters.prepared.toolchains import PACKAGES
from assay.bootstrap import grading_services
from assay.domain.benchmark import HasEnvironment, Services
from assay.domain.errors import DataMissingError
from assay.settings import Settings
from tests.postgres import Cluster, programs, running_cluster

IN_CI = os.environ.get("CI", "") not in ("", "0", "false")
REPOSITORY = Path(__file__).resolve().parent.parent
PREPARED = PreparedEnvironments(REPOSITORY / ".assay" / "prepared")

# How long an example takes is up to the machine and to what runs beside the tests.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def absent(reason: str) -> NoReturn:
    """Skip on a developer's machine; in CI a missing component is a failure."""
    if IN_CI:
        pytest.fail(f"missing in CI: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def no_terminal() -> None:
    """Commands in this process print as into a pipe; pytest-xdist sets the width of a terminal."""
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session", autouse=True)
def default_interrupt() -> Generator[None]:
    """Processes that tests start end on SIGINT, also where this one was started with it ignored (`nohup`)."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture(scope="session")
def official() -> Path:
    """The folder with official inputs and verdicts: test material that is never committed."""
    named = os.environ.get("ASSAY_OFFICIAL_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "official"
    if not folder.is_dir():
        absent(f"no official data in {folder}; set ASSAY_OFFICIAL_DATA")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Generator[Cluster]:
    """A Postgres server of our own, for the whole session."""
    folder = programs()
    if folder is None:
        absent("no initdb and pg_ctl; install PostgreSQL")
    with running_cluster(folder) as cluster:
        yield cluster


@pytest.fixture
def postgres_url(postgres: Cluster) -> str:
    """An empty database of the test's own."""
    return postgres.new_database()


@pytest.fixture(scope="session")
def toolchains() -> None:
    """Go and Node, installed as `assay code setup` does where this machine has none."""
    with installing():
        for name in PACKAGES:
            try:
                PREPARED.toolchain(name)
            except DataMissingError:
                PREPARED.toolchains.install(name)


@pytest.fixture
async def code_services(toolchains: None) -> AsyncGenerator[Services]:
    """What graders run code in; nothing is started before the first program."""
    async with grading_services(Settings()) as services:
        yield replace(services, prepared=PREPARED)


def prepared(name: str, benchmark: HasEnvironment) -> None:
    """Install what the benchmark's programs need; once, for all runs of the tests."""
    if not benchmark.environment.requirements:
        return
    with installing():
        try:
            PREPARED.prepare(name, benchmark.environment, say=print)
        except DataMissingError as error:
            absent(error.message)


@contextmanager
def installing() -> Generator[None]:
    """Suites run side by side: the second waits for what the first installs."""
    folder = REPOSITORY / ".assay"
    folder.mkdir(exist_ok=True)
    with (folder / "prepared.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
