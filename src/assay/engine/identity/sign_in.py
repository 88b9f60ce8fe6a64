"""Signing in with an identity provider (authorization code with PKCE), and the sessions."""

import contextlib
import hashlib
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from assay.domain.access.identity import LOCAL_PREFIX, Role, Session, User
from assay.domain.access.secret import LoginToken, Secret
from assay.domain.errors import AssayError, SignInError, UnauthorizedError
from assay.engine.identity.credentials import Vault
from assay.engine.identity.provider import Grant, IdentityProvider, Person, TokenService
from assay.engine.ports import Clock
from assay.engine.stores.identity import IdentityStore, PendingLogin

LOGIN_LASTS = timedelta(minutes=10)
SESSION_LASTS = timedelta(days=30)
_RENEWED_BEFORE = timedelta(minutes=5)
_RENEWAL_LASTS = timedelta(seconds=30)
_LOOK_AGAIN_S = 0.25


@dataclass(frozen=True, slots=True)
class Begun:
    """The URL the browser is sent to, and the secret it must send back."""

    url: str
    browser: Secret


@dataclass(frozen=True, slots=True)
class Completed:
    """`token` identifies the browser from now on."""

    session: Session
    token: Secret
    return_to: str


def hashed(token: str) -> str:
    """The hash of a token that this code generated, which is too long to be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


class SignIn:
    """Keeps its state in the store, so that any process can complete a login that another began."""

    def __init__(
        self,
        provider: IdentityProvider,
        store: IdentityStore,
        *,
        vault: Vault,
        clock: Clock,
        first_role: Role = Role.RUNNER,
    ) -> None:
        self._provider = provider
        self._store = store
        self._vault = vault
        self._clock = clock
        self._first_role = first_role

    async def begin(self, *, redirect_uri: str, return_to: str) -> Begun:
        state, verifier, browser = (secrets.token_urlsafe(32) for _ in range(3))
        digest = hashlib.sha256(verifier.encode()).digest()
        url = await self._provider.authorize_url(
            state=state,
            challenge=urlsafe_b64encode(digest).rstrip(b"=").decode(),
            # OpenID Connect 1.0, 15.5.2: binds the ID token to the browser's cookie.
            nonce=hashed(browser),
            redirect_uri=redirect_uri,
        )
        now = self._clock.now()
        login = PendingLogin(
            state=hashed(state),
            browser=hashed(browser),
            redirect_uri=redirect_uri,
            return_to=return_to,
            expires_at=now + LOGIN_LASTS,
            sealed_verifier=self._vault.seal(Secret(verifier)),
        )
        await self._store.add_login(login, at=now)
        return Begun(url, Secret(browser))

    async def complete(self, *, code: str, state: str, browser: str | None) -> Completed:
        """`browser` must be the secret from `begin`: a link from another site signs nobody in."""
        login = await self._store.take_login(hashed(state), at=self._clock.now())
        if login is None:
            raise SignInError("this login has expired or was completed before; sign in again")
        if browser is None or not secrets.compare_digest(login.browser, hashed(browser)):
            raise SignInError("this login was not begun in this browser; sign in again")
        verifier = self._vault.unseal(login.sealed_verifier).value
        person, grant = await self._provider.identified(
            code, verifier=verifier, nonce=login.browser, redirect_uri=login.redirect_uri
        )
        token = secrets.token_urlsafe(32)
        session = await self._store.open_session(self._session(person, grant), cookie_hash=hashed(token))
        return Completed(session, Secret(token), login.return_to)

    async def session(self, token: str) -> Session | None:
        """The session of a browser's token; None if it has expired or was ended."""
        found = await self._store.session_by_cookie(hashed(token))
        return found if found is not None and found.is_live(self._clock.now()) else None

    async def access_token(self, session_id: str) -> LoginToken:
        """The user's access token, renewed if it is about to expire; raises UnauthorizedError."""
        return LoginToken((await self._access_token(session_id)).value)

    @property
    def lends_tokens(self) -> bool:
        """Whether models are called with the tokens of users who sign in."""
        return self._provider.tokens is not None

    async def _access_token(self, session_id: str) -> Secret:
        self._token_service()
        session = await self._live(session_id)
        until = self._clock.now() + _RENEWAL_LASTS
        while not session.has_token(self._clock.now(), for_at_least=_RENEWED_BEFORE):
            now = self._clock.now()
            if await self._store.claim_renewal(session_id, lasts=_RENEWAL_LASTS):
                # Another process may have renewed it since it was read, and used up that refresh token.
                session = await self._live(session_id)
                if session.has_token(now, for_at_least=_RENEWED_BEFORE):
                    break
                return await self._renewed(session)
            if session.has_token(now):
                break
            # Another process renews it: a refresh token can be used once.
            if now >= until:
                raise _signed_out("its token could not be renewed")
            await self._clock.sleep(_LOOK_AGAIN_S)
            session = await self._live(session_id)
        return self._tokens(session)[0]

    async def end(self, session: Session) -> bool:
        """Close the session, and return whether the provider revoked the tokens."""
        is_revoked = True
        for token, kind in self._revocable(session):
            try:
                await self._token_service().revoke(token, kind=kind)
            except AssayError:
                is_revoked = False
        await self._store.close_session(session.id)
        return is_revoked

    def _session(self, person: Person, grant: Grant | None) -> Session:
        if person.id.startswith(LOCAL_PREFIX):
            raise SignInError(f"the identity provider names a user {person.id!r}, which is kept for our own")
        now = self._clock.now()
        return Session(
            id=str(uuid4()),
            user=User(person.id, person.username, self._first_role, now),
            scopes=frozenset() if grant is None else grant.scopes,
            created_at=now,
            expires_at=now + SESSION_LASTS,
            token_expires_at=None if grant is None else _expiry(grant, now),
            sealed_tokens=b"" if grant is None else self._sealed(grant),
        )

    async def _live(self, session_id: str) -> Session:
        session = await self._store.session(session_id)
        if session is None or not session.is_live(self._clock.now()):
            raise _signed_out("it has ended")
        return session

    async def _renewed(self, session: Session) -> Secret:
        access, refresh = self._tokens(session)
        if refresh is None:
            if session.has_token(self._clock.now()):
                return access
            raise _signed_out("its token has expired and cannot be renewed")
        try:
            grant = await self._token_service().renewed(refresh)
        except SignInError as error:
            raise _signed_out("the identity provider does not renew its token") from error
        # Without a new refresh token the previous one stays valid.
        grant = replace(grant, refresh=grant.refresh or refresh)
        await self._store.renew_session(
            session.id,
            sealed_tokens=self._sealed(grant),
            token_expires_at=_expiry(grant, self._clock.now()),
        )
        return grant.access

    def _token_service(self) -> TokenService:
        """Tokens of an earlier provider are never sent to one that does not give any."""
        if self._provider.tokens is None:
            raise _signed_out("the identity provider gives no tokens for models")
        return self._provider.tokens

    def _sealed(self, grant: Grant) -> bytes:
        refresh = None if grant.refresh is None else grant.refresh.value
        return self._vault.seal(Secret(json.dumps([grant.access.value, refresh])))

    def _revocable(self, session: Session) -> Iterator[tuple[Secret, str]]:
        if session.sealed_tokens:
            access, refresh = self._tokens(session)
            if refresh is not None:
                yield refresh, "refresh_token"
            yield access, "access_token"

    def _tokens(self, session: Session) -> tuple[Secret, Secret | None]:
        access, refresh = json.loads(self._vault.unseal(session.sealed_tokens).value)
        return Secret(access), None if refresh is None else Secret(refresh)


def _expiry(grant: Grant, now: datetime) -> datetime | None:
    if grant.expires_in_s is None:
        return None
    with contextlib.suppress(OverflowError):
        return now + timedelta(seconds=grant.expires_in_s)
    return None


def _signed_out(why: str) -> UnauthorizedError:
    return UnauthorizedError(f"the session is no longer valid: {why}; sign in again")
