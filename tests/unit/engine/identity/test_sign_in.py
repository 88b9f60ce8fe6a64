import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from assay.adapters.vault.fernet import FernetVault
from assay.domain.access.secret import LoginToken, Secret
from assay.domain.errors import SignInError, UnauthorizedError
from assay.engine.identity.provider import Grant, Person, TokenService
from assay.engine.identity.sign_in import Completed, SignIn
from assay.engine.stores.identity import IdentityStore
from tests.builders import ManualClock
from tests.stores import memory_stores


class Provider:
    """Gives a token for ten minutes, and another each time it is renewed; a refresh token works once."""

    def __init__(self, *, subject: str = "ada-1", gives_refresh: bool = True) -> None:
        self.given = 0
        self.is_refusing = False
        self.gives_tokens = True
        self.states: list[str] = []
        self.nonces: list[str] = []
        self._subject, self._gives_refresh = subject, gives_refresh

    @property
    def tokens(self) -> TokenService | None:
        return self if self.gives_tokens else None

    async def authorize_url(self, *, state: str, challenge: str, nonce: str, redirect_uri: str) -> str:
        self.states.append(state)
        self.nonces.append(nonce)
        return f"{redirect_uri}?{challenge}"

    async def identified(
        self, code: str, *, verifier: str, nonce: str, redirect_uri: str
    ) -> tuple[Person, Grant | None]:
        assert code, (verifier, redirect_uri)
        assert nonce == self.nonces[-1]
        return Person(self._subject, "Ada"), self._grant() if self.gives_tokens else None

    async def renewed(self, refresh: Secret) -> Grant:
        await asyncio.sleep(0)
        if self.is_refusing or refresh.value != f"refresh-{self.given}":
            raise SignInError(f"no more: {refresh}")
        return self._grant()

    async def revoke(self, token: Secret, *, kind: str) -> None:
        raise AssertionError(kind, token)

    def _grant(self) -> Grant:
        self.given += 1
        refresh = Secret(f"refresh-{self.given}") if self._gives_refresh else None
        return Grant(
            Secret(f"access-{self.given}"), refresh, expires_in_s=600, scopes=frozenset({"chutes:invoke"})
        )


class LateClaims:
    """The store of sessions, where something happens between reading a session and claiming its renewal."""

    def __init__(self, store: IdentityStore, before_claim: Callable[[], Awaitable[None]]) -> None:
        self._store = store
        self._before_claim = before_claim

    async def claim_renewal(self, session_id: str, *, lasts: timedelta) -> bool:
        await self._before_claim()
        return await self._store.claim_renewal(session_id, lasts=lasts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Desk:
    def __init__(self, folder: Path, provider: Provider) -> None:
        self.clock = ManualClock()
        self.provider = provider
        self._vault = FernetVault(folder / "key")
        self._store = memory_stores().identity
        self.sign_in = SignIn(provider, self._store, vault=self._vault, clock=self.clock)

    def beside(self, *, before_claim: Callable[[], Awaitable[None]]) -> SignIn:
        """Another process, which is slow to claim a renewal."""
        store = cast("IdentityStore", LateClaims(self._store, before_claim))
        return SignIn(self.provider, store, vault=self._vault, clock=self.clock)

    async def signed_in(self) -> Completed:
        begun = await self.sign_in.begin(redirect_uri="http://h/cb", return_to="/ui/")
        state = self.provider.states[-1]
        return await self.sign_in.complete(code="c", state=state, browser=begun.browser.value)


async def test_of_many_who_need_the_token_at_once_one_renews_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Provider())
    session = (await desk.signed_in()).session
    assert await desk.sign_in.access_token(session.id) == LoginToken("access-1")
    desk.clock.passed_s += timedelta(hours=1).total_seconds()
    tokens = await asyncio.gather(*(desk.sign_in.access_token(session.id) for _ in range(5)))
    assert set(tokens) == {LoginToken("access-2")}
    assert desk.provider.given == 2


async def test_one_who_read_the_session_before_another_renewed_it_uses_the_new_token(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Provider())
    session = (await desk.signed_in()).session
    desk.clock.passed_s += timedelta(hours=1).total_seconds()

    async def renew_first() -> None:
        assert await desk.sign_in.access_token(session.id) == LoginToken("access-2")

    late = desk.beside(before_claim=renew_first)
    assert await late.access_token(session.id) == LoginToken("access-2")


async def test_while_another_renews_it_a_token_that_is_still_good_is_used(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Provider())
    session = (await desk.signed_in()).session
    desk.clock.passed_s += timedelta(minutes=7).total_seconds()
    tokens = await asyncio.gather(*(desk.sign_in.access_token(session.id) for _ in range(2)))
    assert sorted(one.value for one in tokens) == ["access-1", "access-2"]


@pytest.mark.parametrize("trouble", ["refused", "no refresh token", "signed out"])
async def test_a_token_that_cannot_be_renewed_is_of_no_use(tmp_path: Path, trouble: str) -> None:
    desk = Desk(tmp_path, Provider(gives_refresh=trouble != "no refresh token"))
    session = (await desk.signed_in()).session
    desk.provider.is_refusing = trouble == "refused"
    if trouble == "signed out":
        session_id = "another"
    else:
        session_id = session.id
        desk.clock.passed_s += timedelta(minutes=11).total_seconds()
    with pytest.raises(UnauthorizedError, match="sign in again"):
        await desk.sign_in.access_token(session_id)


async def test_a_provider_cannot_pass_somebody_off_as_one_of_ours(tmp_path: Path) -> None:
    with pytest.raises(SignInError, match="kept for our own"):
        await Desk(tmp_path, Provider(subject="local:ci")).signed_in()


async def test_without_tokens_for_models_none_are_kept_and_none_of_an_earlier_provider_are_sent(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, Provider())
    earlier = (await desk.signed_in()).session
    desk.provider.gives_tokens = False
    session = (await desk.signed_in()).session
    assert (session.sealed_tokens, session.may_invoke) == (b"", False)
    assert await desk.sign_in.end(session), "there is nothing to revoke"
    for one in (earlier, session):
        with pytest.raises(UnauthorizedError, match="sign in again"):
            await desk.sign_in.access_token(one.id)
    assert not await desk.sign_in.end(earlier), "the fake provider would fail the test if it was asked"


async def test_each_login_has_its_own_nonce(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Provider())
    begun = [await desk.sign_in.begin(redirect_uri="http://h/cb", return_to="/ui/") for _ in range(2)]
    first, second = desk.provider.nonces
    assert first != second
    assert not any(nonce in str(one) for nonce in (first, second) for one in begun)
