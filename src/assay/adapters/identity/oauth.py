"""An identity provider over HTTP, with the paths that Chutes' has."""

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
_MOST_BYTES: Final = 1024 * 1024
_FIRST_FAULT: Final = 500
_NAMES: Final = ("username", "preferred_username", "name", "email")
_MOST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """A client without a secret is a public one, which PKCE alone protects."""

    url: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)


class OAuthProvider:
    """Nothing that it raises quotes a token or what was sent."""

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
        return _grant(await self._asked("idp/token", form | {"grant_type": "authorization_code"}))

    async def renewed(self, refresh: Secret) -> Grant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh.value}
        return _grant(await self._asked("idp/token", form))

    async def person(self, access: Secret) -> Person:
        told = await self._called("GET", "idp/userinfo", headers={"Authorization": f"Bearer {access.value}"})
        found = told.get("sub") or told.get("id")
        if not isinstance(found, str | int) or not str(found).isprintable():
            raise SignInError("the identity provider does not say who signed in")
        names = (told.get(name) for name in _NAMES)
        username = next((name for name in names if isinstance(name, str) and name.strip()), str(found))
        return Person(str(found)[:_MOST_SHOWN], username.strip()[:_MOST_SHOWN])

    async def revoke(self, token: Secret, *, kind: str) -> None:
        await self._asked("idp/token/revoke", {"token": token.value, "token_type_hint": kind})

    async def _asked(self, path: str, form: Mapping[str, str]) -> Mapping[str, Json]:
        own = {"client_id": self._options.client_id}
        if self._options.client_secret:
            own["client_secret"] = self._options.client_secret
        return await self._called("POST", path, form={**form, **own})

    async def _called(
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
                # A redirect would carry tokens elsewhere.
                session.request(method, shown, data=form, headers=accepted, allow_redirects=False) as answer,
            ):
                body = await answer.content.read(_MOST_BYTES)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            # Not chained: such errors may carry the headers, and so the token.
            message = f"the identity provider {shown!r} cannot be reached ({type(error).__name__})"
            raise EndpointUnreachableError(message) from None
        if answer.status >= _FIRST_FAULT:
            raise EndpointUnreachableError(f"the identity provider {shown!r} answered {answer.status}")
        told = _object(body)
        if not answer.ok:
            raise SignInError(f"the identity provider {shown!r} refuses: {_error(told, answer.status)}")
        return told


def _grant(told: Mapping[str, Json]) -> Grant:
    access, refresh = told.get("access_token"), told.get("refresh_token")
    if not isinstance(access, str) or not access.isascii() or not access.isprintable() or " " in access:
        raise SignInError("the identity provider gave no token that can be used")
    lasts, scope = told.get("expires_in"), told.get("scope")
    return Grant(
        access=Secret(access),
        refresh=Secret(refresh) if isinstance(refresh, str) and refresh else None,
        expires_in_s=float(lasts) if isinstance(lasts, int | float) else None,
        scopes=frozenset(scope.split()) if isinstance(scope, str) else None,
    )


def _object(body: bytes) -> Mapping[str, Json]:
    try:
        told: Json = orjson.loads(body) if body.strip() else {}
    except orjson.JSONDecodeError:
        return {}
    return told if isinstance(told, Mapping) else {}


def _error(told: Mapping[str, Json], status: int) -> str:
    """The protocol's own word for it; a description might quote what was sent."""
    word = told.get("error")
    is_word = isinstance(word, str) and word.replace("_", "").isalpha() and len(word) < _MOST_SHOWN
    return str(word) if is_word else f"status {status}"


def _checked(url: str) -> URL:
    try:
        base = URL(url.strip().rstrip("/"))
    except ValueError as error:
        raise InvalidValueError("CHUTES_IDP_URL cannot be read as an address") from error
    if base.scheme not in ("http", "https") or not base.host:
        raise InvalidValueError("CHUTES_IDP_URL must begin with http:// or https:// and name a host")
    return base
