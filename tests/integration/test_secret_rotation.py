"""`assay keys rotate-secret-key` beside other processes."""

import asyncio
from pathlib import Path

import pytest

from assay.adapters.store.stores import open_stores
from assay.adapters.vault.fernet import FernetVault
from tests.contracts.test_sealed_store import NEW, OLD, SECRET, fill, stored, vault
from tests.integration.cli import Assay


@pytest.mark.parametrize("where", ["settings", "file"])
def test_processes_go_on_while_the_key_is_replaced(tmp_path: Path, where: str) -> None:
    home = tmp_path / "home"
    file = home / "keys" / "secret.key"
    # One process is yet to be given the keys in their new order.
    running = vault(OLD, NEW) if where == "settings" else FernetVault(file)
    variables = (("ASSAY_SECRET_KEY", f"{NEW},{OLD}"),) if where == "settings" else ()

    async def prepared() -> None:
        home.mkdir(mode=0o700)
        store = await open_stores(f"sqlite:///{home / 'assay.db'}")
        await fill(store, running.seal(SECRET))
        await store.close()

    async def found() -> list[bytes]:
        store = await open_stores(f"sqlite:///{home / 'assay.db'}")
        try:
            return await stored(store)
        finally:
            await store.close()

    asyncio.run(prepared())
    assert Assay(home, variables).json("keys", "rotate-secret-key") == {
        "changed": 4,
        "current": 0,
        "unreadable": 0,
    }
    resealed = asyncio.run(found())
    newest = NEW if where == "settings" else file.read_text().split()[0]
    for process in (running, vault(newest)):
        assert {process.unseal(one) for one in resealed} == {SECRET}
