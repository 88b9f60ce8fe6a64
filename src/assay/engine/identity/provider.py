"""An identity provider that speaks OAuth 2 or OpenID Connect, as a port."""

from dataclasses import dataclass
from typing import Protocol

from assay.domain.access.secret import Secret


@dataclass(frozen=True, slots=True)
class Grant:
    """A user's tokens; None for what the provider left out."""

    access: Secret
    refresh: Secret | None
    expires_in_s: float | None
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    username: str


class TokenService(Protocol):
    """Calls raise SignInError if it refuses, EndpointUnreachableError if it does not answer."""

    async def renewed(self, refresh: Secret) -> Grant: ...

    async def revoke(self, token: Secret, *, kind: str) -> None:
        """`kind` is `access_token` or `refresh_token`."""
        ...


class IdentityProvider(Protocol):
    """Calls raise SignInError if it refuses, EndpointUnreachableError if it does not answer."""

    @property
    def tokens(self) -> TokenService | None:
        """Renews and revokes its users' tokens; None where models are not called with them."""
        ...

    async def authorize_url(self, *, state: str, challenge: str, nonce: str, redirect_uri: str) -> str: ...

    async def identified(
        self, code: str, *, verifier: str, nonce: str, redirect_uri: str
    ) -> tuple[Person, Grant | None]:
        """Who signed in, and their tokens if they are to be kept."""
        ...
