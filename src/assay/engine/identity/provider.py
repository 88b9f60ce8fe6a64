"""What is asked of an identity provider that speaks OAuth 2."""

from dataclasses import dataclass
from typing import Protocol

from assay.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class Grant:
    """Tokens as the provider gave them; None where it did not say."""

    access: Secret
    refresh: Secret | None
    expires_in_s: float | None
    scopes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    username: str


class IdentityProvider(Protocol):
    """Calls raise SignInError where it refuses, EndpointUnreachableError where it does not answer."""

    @property
    def scopes(self) -> frozenset[str]:
        """Those that are asked for."""
        ...

    def authorize_url(self, *, state: str, challenge: str, redirect_uri: str) -> str: ...

    async def exchanged(self, code: str, *, verifier: str, redirect_uri: str) -> Grant: ...

    async def renewed(self, refresh: Secret) -> Grant: ...

    async def person(self, access: Secret) -> Person: ...

    async def revoke(self, token: Secret, *, kind: str) -> None:
        """`kind` is `access_token` or `refresh_token`."""
        ...
