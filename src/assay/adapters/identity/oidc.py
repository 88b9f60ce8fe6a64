"""An identity provider of the OpenID Connect standard: discovery, and the code flow with PKCE."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote_plus

from yarl import URL

from assay.adapters.identity.id_token import verified_claims
from assay.adapters.identity.provider_calls import access_token, base_address, fetched, posted, username
from assay.domain.errors import SignInError, UntrustedLoginError
from assay.domain.json_value import Json
from assay.engine.identity.provider import Person

_SCOPES: Final = "openid profile email"
_DISCOVERY: Final = ".well-known/openid-configuration"
# The standard's own limit.
_MAX_SUBJECT: Final = 255


@dataclass(frozen=True, slots=True)
class OidcOptions:
    """A client without a secret is a public client, protected by PKCE alone."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _Endpoints:
    authorization: URL
    token: URL
    keys: URL
    userinfo: URL | None
    takes_basic: bool


class OidcProvider:
    """Asks for endpoints and keys anew at every login: keys may be rotated, and logins are rare."""

    def __init__(self, options: OidcOptions) -> None:
        self._options = options
        self._base = base_address(options.issuer, setting="OIDC_ISSUER")

    @property
    def tokens(self) -> None:
        return None

    async def authorize_url(self, *, state: str, challenge: str, nonce: str, redirect_uri: str) -> str:
        query = {
            "response_type": "code",
            "client_id": self._options.client_id,
            "redirect_uri": redirect_uri,
            "scope": _SCOPES,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return str((await self._discovered()).authorization.update_query(query))

    async def identified(
        self, code: str, *, verifier: str, nonce: str, redirect_uri: str
    ) -> tuple[Person, None]:
        """No token is kept: models are not called with it."""
        endpoints = await self._discovered()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
        }
        reply = await self._exchanged(endpoints, form)
        claims = verified_claims(
            reply.get("id_token"),
            await fetched(endpoints.keys),
            issuer=self._options.issuer.strip(),
            client_id=self._options.client_id,
            nonce=nonce,
        )
        if endpoints.userinfo is not None:
            told = await fetched(endpoints.userinfo, access=access_token(reply))
            if told.get("sub") != claims["sub"]:
                raise UntrustedLoginError("the identity provider's userinfo is about another user")
            claims = {**claims, **told}
        return self._person(claims), None

    async def _exchanged(self, endpoints: _Endpoints, form: Mapping[str, str]) -> Mapping[str, Json]:
        own, secret = self._options.client_id, self._options.client_secret
        if not secret:
            return await posted(endpoints.token, {**form, "client_id": own})
        if not endpoints.takes_basic:
            return await posted(endpoints.token, {**form, "client_id": own, "client_secret": secret})
        pair = b64encode(f"{quote_plus(own)}:{quote_plus(secret)}".encode()).decode()
        return await posted(endpoints.token, form, authorization=f"Basic {pair}")

    def _person(self, claims: Mapping[str, Json]) -> Person:
        """A subject is unique within its issuer only, so the id names both."""
        subject = claims["sub"]
        if not isinstance(subject, str) or not subject.isprintable() or not 0 < len(subject) <= _MAX_SUBJECT:
            raise SignInError("the identity provider does not say who signed in")
        issuer = str(self._base).removeprefix(f"{self._base.scheme}://")
        return Person(f"{subject}@{issuer}", username(claims, otherwise=subject))

    async def _discovered(self) -> _Endpoints:
        document = await fetched(self._base.joinpath(_DISCOVERY))
        issuer = self._options.issuer.strip()
        if document.get("issuer") != issuer:
            named = document.get("issuer")
            shown = (
                f"names itself {named[:_MAX_SUBJECT]!r}" if isinstance(named, str) else "does not name itself"
            )
            raise SignInError(
                f"the identity provider at {issuer!r} {shown}: OIDC_ISSUER must be the name it gives itself"
            )
        methods = document.get("token_endpoint_auth_methods_supported")
        return _Endpoints(
            authorization=self._endpoint(document, "authorization_endpoint"),
            token=self._endpoint(document, "token_endpoint"),
            keys=self._endpoint(document, "jwks_uri"),
            userinfo=(
                self._endpoint(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else None
            ),
            # The standard's default where none are listed.
            takes_basic=not isinstance(methods, list) or "client_secret_basic" in methods,
        )

    def _endpoint(self, document: Mapping[str, Json], name: str) -> URL:
        """An address of the discovery document; secrets are not sent without TLS where the issuer has it."""
        try:
            url = URL(str(document.get(name)))
        except ValueError:
            url = URL()
        schemes = ("https",) if self._base.scheme == "https" else ("http", "https")
        if url.scheme not in schemes or not url.host:
            raise SignInError(f"the identity provider's {name} is not an address with {' or '.join(schemes)}")
        return url
