"""The command on either database, and a Docker engine."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import absent
from tests.docker_engine import DockerEngine, missing, running_engine
from tests.integration.cli import Assay, require_event_loop_not_blocked
from tests.integration.fleet import LEASE_S


@pytest.fixture(autouse=True)
def no_blocked_event_loop(tmp_path: Path) -> Generator[None]:
    """No service or worker that logs to the test's `log.txt`, as `Assay.start` makes them, was blocked."""
    yield
    require_event_loop_not_blocked(tmp_path / "log.txt")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def assay(request: pytest.FixtureRequest, tmp_path: Path) -> Assay:
    variables = [("WORKER_HEARTBEAT_SECONDS", str(LEASE_S / 5))]
    if request.param == "postgres":
        variables.append(("DATABASE_URL", request.getfixturevalue("postgres_url")))
    return Assay(tmp_path / "home", tuple(variables))


@pytest.fixture(scope="module")
def engine() -> Generator[DockerEngine]:
    """An engine of the module's own."""
    reason = missing()
    if reason is not None:
        absent(reason)
    with running_engine() as engine:
        yield engine
