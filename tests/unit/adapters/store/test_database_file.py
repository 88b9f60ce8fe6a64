import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located
from assay.adapters.store.stores import open_stores


@pytest.mark.parametrize("is_old", [False, True])
async def test_nobody_else_reads_the_database(tmp_path: Path, *, is_old: bool) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o777)
    path = folder / "assay.db"
    if is_old:
        path.touch(0o644)
    store = await open_stores(f"sqlite:///{path}")
    await store.runs.count_by_state()
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in folder.iterdir()}
    await store.close()
    assert set(modes.values()) == {"0o600"}, modes
    assert "assay.db" in modes


_READ = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM runs').fetchall()"


async def test_a_store_that_is_opened_twice_keeps_its_locks(tmp_path: Path) -> None:
    """Without them, another process that closes the file removes the log that is in use."""
    path = tmp_path / "assay.db"
    stores = await open_stores(f"sqlite:///{path}")
    await stores.runs.count_by_state()
    again = connected(located(f"sqlite:///{path}"))
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", _READ, str(path)], check=True)
    assert path.with_name("assay.db-wal").exists()
    await again.close()
    await stores.close()
