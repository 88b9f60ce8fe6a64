"""An OAuth identity provider with the paths of Chutes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from assay.adapters.identity.provider_calls import access_token, base_address, fetched, posted, username
from assay.domain.access.identity import INVOKE_SCOPE
from assay.domain.access.secret import Secret
from assay.domain.errors import SignInError
from assay.domain.json_value import Json
from assay.engine.identity.provider import Grant, Person, TokenService

_SCOPES: Final = ("openid", "profile", INVOKE_SCOPE, "account:read")
_MAX_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """A client without a secret is a public client, protected by PKCE alone."""

    url: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)


class OAuthProvider:
    """Models of Chutes are called with the tokens of its users."""

    def __init__(self, options: OAuthOptions) -> None:
        self._options = options
        self._base = base_address(options.url, setting="CHUTES_IDP_URL")

    @property
    def tokens(self) -> TokenService:
        return self

    async def authorize_url(self, *, state: str, challenge: str, nonce: str, redirect_uri: str) -> str:
        _ = nonce  # for ID tokens, which are not used here: userinfo says who signed in
        query = {
            "response_type": "code",
            "client_id": self._options.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(_SCOPES),
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return str(self._base.joinpath("idp/authorize").with_query(query))

    async def identified(
        self, code: str, *, verifier: str, nonce: str, redirect_uri: str
    ) -> tuple[Person, Grant]:
        _ = nonce
        form = {"code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
        grant = _grant(await self._post("idp/token", form | {"grant_type": "authorization_code"}))
        return await self._person(grant.access), grant

    async def renewed(self, refresh: Secret) -> Grant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh.value}
        return _grant(await self._post("idp/token", form))

    async def revoke(self, token: Secret, *, kind: str) -> None:
        await self._post("idp/token/revoke", {"token": token.value, "token_type_hint": kind})

    async def _person(self, access: Secret) -> Person:
        reply = await fetched(self._base.joinpath("idp/userinfo"), access=access)
        found = reply.get("sub") or reply.get("id")
        if not isinstance(found, str | int) or not str(found).isprintable():
            raise SignInError("the identity provider does not say who signed in")
        return Person(str(found)[:_MAX_SHOWN], username(reply, otherwise=str(found)))

    async def _post(self, path: str, form: Mapping[str, str]) -> Mapping[str, Json]:
        own = {"client_id": self._options.client_id}
        if self._options.client_secret:
            own["client_secret"] = self._options.client_secret
        return await posted(self._base.joinpath(path), {**form, **own})


def _grant(reply: Mapping[str, Json]) -> Grant:
    refresh, lasts, scope = reply.get("refresh_token"), reply.get("expires_in"), reply.get("scope")
    return Grant(
        access=access_token(reply),
        refresh=Secret(refresh) if isinstance(refresh, str) and refresh else None,
        expires_in_s=float(lasts) if isinstance(lasts, int | float) else None,
        # RFC 6749: scopes that are not returned were granted as requested.
        scopes=frozenset(scope.split() if isinstance(scope, str) else _SCOPES),
    )
