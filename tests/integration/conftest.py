"""The command on either database."""

from pathlib import Path

import pytest

from tests.integration.cli import Assay
from tests.integration.fleet import LEASE_S


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def assay(request: pytest.FixtureRequest, tmp_path: Path) -> Assay:
    variables = [("WORKER_HEARTBEAT_SECONDS", str(LEASE_S / 5))]
    if request.param == "postgres":
        variables.append(("DATABASE_URL", request.getfixturevalue("postgres_url")))
    return Assay(tmp_path / "home", tuple(variables))
