"""An OAuth identity provider over HTTP, with the paths of Chutes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import aiohttp
import orjson
from yarl import URL

from assay.domain.errors import EndpointUnreachableError, InvalidValueError, SignInError
from assay.domain.identity import INVOKE_SCOPE
from assay.domain.json_value import Json
from assay.domain.secret import Secret
from assay.engine.identity.provider import Grant, Person

_SCOPES: Final = ("openid", "profile", INVOKE_SCOPE, "account:read")
_TIMEOUT = aiohttp.ClientTimeout(total=15)
_MAX_BYTES: Final = 1024 * 1024
_SERVER_ERRORS_FROM: Final = 500
_NAMES: Final = ("username", "preferred_username", "name", "email")
_MAX_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """A client without a secret is a public client, protected by PKCE alone."""

    url: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)


class OAuthProvider:
    """Errors never quote a token or what was sent."""

    def __init__(self, options: OAuthOptions) -> None:
        self._options = options
        self._base = _checked(options.url)

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(_SCOPES)

    def authorize_url(self, *, state: str, challenge: str, redirect_uri: str) -> str:
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

    async def exchanged(self, code: str, *, verifier: str, redirect_uri: str) -> Grant:
        form = {"code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
        return _grant(await self._post("idp/token", form | {"grant_type": "authorization_code"}))

    async def renewed(self, refresh: Secret) -> Grant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh.value}
        return _grant(await self._post("idp/token", form))

    async def person(self, access: Secret) -> Person:
        reply = await self._request(
            "GET", "idp/userinfo", headers={"Authorization": f"Bearer {access.value}"}
        )
        found = reply.get("sub") or reply.get("id")
        if not isinstance(found, str | int) or not str(found).isprintable():
            raise SignInError("the identity provider does not say who signed in")
        names = (reply.get(name) for name in _NAMES)
        username = next((name for name in names if isinstance(name, str) and name.strip()), str(found))
        return Person(str(found)[:_MAX_SHOWN], username.strip()[:_MAX_SHOWN])

    async def revoke(self, token: Secret, *, kind: str) -> None:
        await self._post("idp/token/revoke", {"token": token.value, "token_type_hint": kind})

    async def _post(self, path: str, form: Mapping[str, str]) -> Mapping[str, Json]:
        own = {"client_id": self._options.client_id}
        if self._options.client_secret:
            own["client_secret"] = self._options.client_secret
        return await self._request("POST", path, form={**form, **own})

    async def _request(
        self,
        method: str,
        path: str,
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Mapping[str, Json]:
        shown = str(self._base.joinpath(path))
        accepted = {"Accept": "application/json", **(headers or {})}
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT) as session,
                # A redirect would send tokens to another host.
                session.request(method, shown, data=form, headers=accepted, allow_redirects=False) as answer,
            ):
                body = await answer.content.read(_MAX_BYTES)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # Not chained: such errors may hold the headers, with the token.
            message = f"the identity provider {shown!r} cannot be reached ({type(error).__name__})"
            raise EndpointUnreachableError(message) from None
        if answer.status >= _SERVER_ERRORS_FROM:
            raise EndpointUnreachableError(f"the identity provider {shown!r} answered {answer.status}")
        reply = _object(body)
        if not answer.ok:
            raise SignInError(f"the identity provider {shown!r} refuses: {_error(reply, answer.status)}")
        return reply


def _grant(reply: Mapping[str, Json]) -> Grant:
    access, refresh = reply.get("access_token"), reply.get("refresh_token")
    if not isinstance(access, str) or not access.isascii() or not access.isprintable() or " " in access:
        raise SignInError("the identity provider gave no token that can be used")
    lasts, scope = reply.get("expires_in"), reply.get("scope")
    return Grant(
        access=Secret(access),
        refresh=Secret(refresh) if isinstance(refresh, str) and refresh else None,
        expires_in_s=float(lasts) if isinstance(lasts, int | float) else None,
        scopes=frozenset(scope.split()) if isinstance(scope, str) else None,
    )


def _object(body: bytes) -> Mapping[str, Json]:
    try:
        reply: Json = orjson.loads(body) if body.strip() else {}
    except orjson.JSONDecodeError:
        return {}
    return reply if isinstance(reply, Mapping) else {}


def _error(reply: Mapping[str, Json], status: int) -> str:
    """The protocol's error code; a description might quote what was sent."""
    code = reply.get("error")
    is_code = isinstance(code, str) and code.replace("_", "").isalpha() and len(code) < _MAX_SHOWN
    return str(code) if is_code else f"status {status}"


def _checked(url: str) -> URL:
    try:
        base = URL(url.strip().rstrip("/"))
    except ValueError as error:
        raise InvalidValueError("CHUTES_IDP_URL cannot be read as an address") from error
    if base.scheme not in ("http", "https") or not base.host:
        raise InvalidValueError("CHUTES_IDP_URL must begin with http:// or https:// and name a host")
    return base
