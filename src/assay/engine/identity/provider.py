"""An identity provider that speaks OAuth 2, as a port."""

from dataclasses import dataclass
from typing import Protocol

from assay.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class Grant:
    """The provider's response; None for what it left out."""

    access: Secret
    refresh: Secret | None
    expires_in_s: float | None
    scopes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    username: str


class IdentityProvider(Protocol):
    """Calls raise SignInError if it refuses, EndpointUnreachableError if it does not answer."""

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes that are requested."""
        ...

    def authorize_url(self, *, state: str, challenge: str, redirect_uri: str) -> str: ...

    async def exchanged(self, code: str, *, verifier: str, redirect_uri: str) -> Grant: ...

    async def renewed(self, refresh: Secret) -> Grant: ...

    async def person(self, access: Secret) -> Person: ...

    async def revoke(self, token: Secret, *, kind: str) -> None:
        """`kind` is `access_token` or `refresh_token`."""
        ...
