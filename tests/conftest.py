"""Fixtures shared by all suites."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.postgres import Cluster, programs, running_cluster

IN_CI = os.environ.get("CI", "") not in ("", "0", "false")
REPOSITORY = Path(__file__).resolve().parent.parent


def absent(reason: str) -> NoReturn:
    """Skip on a developer's machine; in CI a missing component is a failure."""
    if IN_CI:
        pytest.fail(f"missing in CI: {reason}")
    pytest.skip(reason)


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
