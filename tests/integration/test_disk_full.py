"""A disk that fills up while a run is executed: a real one, as small as need be."""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg import sql

from tests.conftest import absent
from tests.integration.cli import Assay
from tests.integration.fleet import ITEMS, require_complete, rows, wait_until
from tests.integration.test_up import call, up
from tests.postgres import Cluster, server_user

SAMPLES = 100
TOTAL = ITEMS * SAMPLES


@dataclass(frozen=True)
class Disk:
    folder: Path

    @property
    def _filling(self) -> Path:
        return self.folder / "filling"

    def fill(self, *, leaving_mb: float) -> None:
        free = shutil.disk_usage(self.folder).free
        self._filling.write_bytes(bytes(free - int(leaving_mb * 1_000_000)))

    def free(self) -> None:
        self._filling.unlink()


@contextmanager
def small_disk(folder: Path) -> Generator[Disk]:
    """A file system of its own, mounted at the folder."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64m", "assay-test", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        absent("mounting a small disk takes the rights of root")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_command_pauses_its_run_and_says_why(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "disk")
    with small_disk(assay.home) as disk:
        disk.fill(leaving_mb=4)
        code, said = assay.failure(
            "run", "sim/good", "mmlu_pro", "--data", "demo", "--samples", str(SAMPLES)
        )  # fmt: skip
        assert code == 4
        assert said.endswith("cannot grow: the disk is full; free space, then resume")
        (paused,) = assay.json("list")["runs"]
        assert paused["status"] == "paused"
        assert f"error: {paused['error']}" == said
        require_sound(assay)
        ((stored,),) = rows(assay, "SELECT count(*) FROM attempts")
        assert 0 < stored < TOTAL

        disk.free()
        assay.json("resume", paused["run_id"])
        require_complete(assay, paused["run_id"], total=TOTAL)
        require_sound(assay)


def test_the_service_pauses_a_run_and_goes_on(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "disk")
    with small_disk(assay.home) as disk, up(assay) as (_process, address):
        disk.fill(leaving_mb=3)
        pause_and_resume(address, disk)
        require_sound(assay)


@pytest.mark.postgres
def test_the_service_on_a_server_without_room(tmp_path: Path, postgres: Cluster) -> None:
    with (
        small_disk(postgres.folder / "disk") as disk,
        database_on(postgres, disk.folder) as url,
        up(Assay(tmp_path / "home", (("DATABASE_URL", url),))) as (_process, address),
    ):
        disk.fill(leaving_mb=2.5)
        pause_and_resume(address, disk)


def pause_and_resume(address: str, disk: Disk) -> None:
    asked = {
        "model_id": "sim/good",
        "selected_benchmarks": ["mmlu_pro"],
        "samples": SAMPLES,
        "config": {"data": "demo"},
    }
    run = f"{address}/api/runs/{call(f'{address}/api/runs', asked)['id']}"
    wait_until(lambda: call(run)["status"] == "paused", within_s=60)
    paused = call(run)
    assert "disk is full; free space, then resume" in paused["error_message"]
    assert 0 < paused["progress"]["completed"] < TOTAL
    disk.free()
    call(f"{run}/resume", {})
    wait_until(lambda: call(run)["status"] == "succeeded", within_s=60)
    assert call(run)["progress"] == {"completed": TOTAL, "total": TOTAL}


def require_sound(assay: Assay) -> None:
    assert rows(assay, "PRAGMA integrity_check") == [("ok",)]
    assert rows(assay, "PRAGMA foreign_key_check") == []


@contextmanager
def database_on(postgres: Cluster, disk: Path) -> Generator[str]:
    """All of a database's tables lie in the tablespace it was made in."""
    shutil.chown(disk, user=server_user() or os.geteuid())
    postgres.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(sql.Literal(str(disk))))
    url = postgres.new_database(tablespace="small")
    try:
        yield url
    finally:
        name = sql.Identifier(url.rpartition("/")[2])
        postgres.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        postgres.execute("DROP TABLESPACE small")
