"""The contract of the store of all sealed values, and of bringing them under a new key."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from assay.adapters.vault.fernet import FernetVault
from assay.domain.access.identity import Role, Session, User
from assay.domain.access.secret import Secret
from assay.engine.identity.rotation import Resealed, rotate
from assay.engine.stores import Stores
from assay.engine.stores.identity import PendingLogin
from assay.engine.stores.webhooks import Webhook
from tests.builders import NOON
from tests.contracts.test_fleet_store import new_run, nothing_more

LATER = NOON + timedelta(days=1)
SECRET = Secret("sk-canary-1234567890")
OLD, NEW = (Fernet.generate_key().decode() for _ in range(2))


def vault(*keys: str) -> FernetVault:
    return FernetVault(Path("unused"), key=",".join(keys))


async def fill(store: Stores, sealed: bytes) -> None:
    """One value of each kind, and a session that has ended."""
    new = new_run("run-1")
    run = replace(new.run, spec=replace(new.run.spec, credential="credential"))
    await store.runs.create(replace(new, run=run, sealed_key=sealed), within=nothing_more)
    ada = User("ada", "Ada", Role.RUNNER, NOON)
    session = Session("s-1", ada, frozenset(), NOON, LATER, sealed_tokens=sealed)
    await store.identity.open_session(session, cookie_hash="cookie")
    await store.identity.open_session(replace(session, id="s-2"), cookie_hash="another")
    await store.identity.close_session("s-2")
    await store.identity.add_login(PendingLogin("state", "b", "u", "/", LATER, sealed), at=NOON)
    await store.webhooks.add(Webhook(run.id, "https://example.org", NOON, NOON, sealed_secret=sealed))


async def stored(store: Stores) -> list[bytes]:
    session = await store.identity.session("s-1")
    webhook = await store.webhooks.get(new_run("run-1").run.id)
    key = await store.secrets.get("credential")
    login = await store.identity.take_login("state", at=NOON)
    assert login is not None
    await store.identity.add_login(login, at=NOON)
    assert session is not None
    assert webhook is not None
    assert key is not None
    assert webhook.sealed_secret is not None
    return [key, session.sealed_tokens, login.sealed_verifier, webhook.sealed_secret]


async def test_everything_sealed_is_brought_under_the_new_key(store: Stores) -> None:
    await fill(store, vault(OLD).seal(SECRET))
    assert await rotate(store.sealed, vault(NEW, OLD)) == Resealed(changed=4)
    assert {vault(NEW).unseal(one) for one in await stored(store)} == {SECRET}
    assert await rotate(store.sealed, vault(NEW, OLD)) == Resealed(current=4)
    ended = await store.identity.session("s-2")
    assert ended is not None
    assert ended.sealed_tokens == b""


class KilledError(Exception):
    pass


class KilledVault(FernetVault):
    """Ends with the third value, as a process that is killed does."""

    left = 2

    def resealed(self, sealed: bytes) -> bytes:
        if self.left == 0:
            raise KilledError
        self.left -= 1
        return super().resealed(sealed)


async def test_a_rotation_that_was_killed_leaves_everything_readable(store: Stores) -> None:
    await fill(store, vault(OLD).seal(SECRET))
    with pytest.raises(KilledError):
        await rotate(store.sealed, KilledVault(Path("unused"), key=f"{NEW},{OLD}"))
    for process in (vault(NEW, OLD), vault(OLD, NEW)):
        assert {process.unseal(one) for one in await stored(store)} == {SECRET}
    done = await rotate(store.sealed, vault(NEW, OLD))
    assert (done.changed + done.current, done.unreadable) == (4, 0)
    assert {vault(NEW).unseal(one) for one in await stored(store)} == {SECRET}


async def test_a_value_that_no_key_opens_stays_and_is_counted(store: Stores) -> None:
    await fill(store, b"of another installation")
    assert await rotate(store.sealed, vault(NEW, OLD)) == Resealed(unreadable=4)
    assert set(await stored(store)) == {b"of another installation"}
