"""The contract of the store for users, their logins and keys, and the audit log."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from assay.domain.access.identity import AuditEntry, Role, Session, User
from assay.domain.errors import ConflictError, UnknownNameError
from assay.engine.fleet.minutes import filled
from assay.engine.stores import Stores
from assay.engine.stores.fleet import FleetMinute
from assay.engine.stores.identity import PendingLogin
from tests.builders import NOON

OpenFleet = Callable[[], Awaitable[Stores]]
MINUTE = timedelta(minutes=1)
ADA = User("ada-1", "Ada", Role.RUNNER, NOON)
SESSION = Session(
    id="s-1",
    user=ADA,
    scopes=frozenset({"openid", "chutes:invoke"}),
    created_at=NOON,
    expires_at=NOON + timedelta(days=30),
    token_expires_at=NOON + timedelta(hours=1),
    sealed_tokens=b"\x00sealed\xff",
)


def login(state: str = "state") -> PendingLogin:
    return PendingLogin(state, "browser", "http://h/cb", "/ui/?a=ü", NOON + 10 * MINUTE, b"\x00verifier")


async def test_a_login_is_completed_by_any_process_and_once(store: Stores, reopen: OpenFleet) -> None:
    await store.identity.add_login(login(), at=NOON)
    other = await reopen()
    taken = await asyncio.gather(
        *(one.identity.take_login("state", at=NOON + MINUTE) for one in (store, other, other))
    )
    assert [one for one in taken if one is not None] == [login()]
    assert await store.identity.take_login("state", at=NOON) is None
    assert await store.identity.take_login("never", at=NOON) is None


async def test_a_login_expires(store: Stores) -> None:
    await store.identity.add_login(login(), at=NOON)
    assert await store.identity.take_login("state", at=NOON + 10 * MINUTE) is None
    await store.identity.add_login(login("old"), at=NOON)
    await store.identity.add_login(
        replace(login("new"), expires_at=NOON + 20 * MINUTE), at=NOON + 11 * MINUTE
    )
    assert await store.identity.take_login("old", at=NOON) is None, "forgotten when the next one came"
    assert await store.identity.take_login("new", at=NOON + 12 * MINUTE) is not None


async def test_a_session_is_found_by_what_the_browser_shows(store: Stores, reopen: OpenFleet) -> None:
    assert await store.identity.open_session(SESSION, cookie_hash="hash") == SESSION
    other = await reopen()
    assert await other.identity.session_by_cookie("hash") == await other.identity.session("s-1") == SESSION
    assert await other.identity.session_by_cookie("s-1") is None
    assert await other.identity.session("hash") is None


async def test_a_known_user_keeps_the_role_and_gets_the_new_name(store: Stores) -> None:
    await store.identity.open_session(SESSION, cookie_hash="1")
    assert (await store.identity.set_role("ada-1", Role.ADMIN)).role is Role.ADMIN
    renamed = replace(SESSION, id="s-2", user=replace(ADA, username="Ada L.", created_at=NOON + MINUTE))
    opened = await store.identity.open_session(renamed, cookie_hash="2")
    assert opened.user == replace(ADA, username="Ada L.", role=Role.ADMIN)
    first = await store.identity.session("s-1")
    assert first is not None
    assert first.user == opened.user, "other sessions see the change"
    assert await store.identity.users() == (opened.user,)


async def test_one_process_renews_the_tokens(store: Stores, reopen: OpenFleet) -> None:
    await store.identity.open_session(SESSION, cookie_hash="hash")
    stores = [store, await reopen(), await reopen()]
    claims = await asyncio.gather(*(one.identity.claim_renewal("s-1", lasts=MINUTE) for one in stores))
    assert sorted(claims) == [False, False, True]
    later = NOON + timedelta(hours=2)
    await store.identity.renew_session("s-1", sealed_tokens=b"new", token_expires_at=later)
    assert await store.identity.session("s-1") == replace(
        SESSION, sealed_tokens=b"new", token_expires_at=later
    )
    assert await store.identity.claim_renewal("s-1", lasts=MINUTE)


async def test_a_claim_on_renewing_the_tokens_expires(store: Stores) -> None:
    await store.identity.open_session(SESSION, cookie_hash="hash")
    for _ in range(2):
        assert await store.identity.claim_renewal("s-1", lasts=timedelta(0)), "whoever had it died"


async def test_a_closed_session_keeps_no_token_and_gets_none(store: Stores) -> None:
    await store.identity.open_session(SESSION, cookie_hash="hash")
    await store.identity.close_session("s-1")
    await store.identity.renew_session("s-1", sealed_tokens=b"late", token_expires_at=NOON)
    found = await store.identity.session_by_cookie("hash")
    assert found is not None
    assert (found.is_active, found.sealed_tokens, found.token_expires_at) == (False, b"", None)
    assert not await store.identity.claim_renewal("s-1", lasts=MINUTE)


async def test_a_key_stands_for_its_user(store: Stores) -> None:
    robot = User("local:ci", "ci", Role.VIEWER, NOON)
    await store.identity.add_key_user(robot, key_hash="hash")
    assert await store.identity.users_by_key(["other", "hash"]) == {"hash": robot}
    with pytest.raises(ConflictError, match="local:ci"):
        await store.identity.add_key_user(robot, key_hash="another")
    await store.identity.set_role("local:ci", Role.RUNNER)
    assert await store.identity.users_by_key(["hash"]) == {"hash": replace(robot, role=Role.RUNNER)}


async def test_a_removed_user_is_gone_with_everything(store: Stores) -> None:
    await store.identity.add_key_user(User("local:ci", "ci", Role.VIEWER, NOON), key_hash="hash")
    await store.identity.open_session(SESSION, cookie_hash="cookie")
    for user_id in ("local:ci", "ada-1"):
        await store.identity.remove_user(user_id)
        with pytest.raises(UnknownNameError):
            await store.identity.remove_user(user_id)
    assert await store.identity.users_by_key(["hash"]) == {}
    assert await store.identity.session_by_cookie("cookie") is None
    with pytest.raises(UnknownNameError):
        await store.identity.set_role("ada-1", Role.ADMIN)


async def test_the_audit_log_has_the_newest_first(store: Stores) -> None:
    entries = [AuditEntry(NOON + n * MINUTE, f"user {n}", "cancel_run", "run-1") for n in range(3)]
    for entry in (*entries[:2], replace(entries[2], outcome="forbidden")):
        await store.identity.add_audit_entry(entry)
    assert await store.identity.audit_log(limit=2) == (replace(entries[2], outcome="forbidden"), entries[1])
    assert await store.identity.audit_log(limit=2, offset=2) == (entries[0],)
    assert await store.identity.forget_audit_entries(before=NOON + MINUTE) == 1
    assert await store.identity.audit_log(limit=9, offset=1) == (entries[1],)


async def test_each_minute_is_noted_once_and_forgotten_in_time(store: Stores, reopen: OpenFleet) -> None:
    other = await reopen()
    for writer, minute in ((store, FleetMinute(NOON, 1, 2, 3)), (other, FleetMinute(NOON, 4, 5, 6))):
        await writer.fleet.record_minute(minute, forget_before=NOON)
    later = FleetMinute(NOON + 3 * MINUTE, 1, 0, 2)
    await store.fleet.record_minute(later, forget_before=NOON)
    assert await store.fleet.minutes_since(NOON) == (FleetMinute(NOON, 4, 5, 6), later)
    assert await store.fleet.minutes_since(NOON + MINUTE) == (later,)
    shown = filled(await store.fleet.minutes_since(NOON), now=NOON + 3.5 * MINUTE, minutes=5)
    assert [(one.worker_count, one.running_runs, one.queued_runs) for one in shown] == [
        (0, 0, 0),
        (4, 5, 6),
        (0, 0, 6),
        (0, 0, 6),
        (1, 0, 2),
    ]
    await store.fleet.record_minute(later, forget_before=NOON + MINUTE)
    assert await store.fleet.minutes_since(NOON) == (later,)
