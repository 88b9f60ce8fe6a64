"""ID tokens of OpenID Connect: who signed in, signed by the provider for one client and one login."""

from collections.abc import Mapping, Sequence
from secrets import compare_digest
from typing import Final

import jwt

from assay.domain.errors import UntrustedLoginError
from assay.domain.json_value import Json

# By the kind of key; only signatures that nobody but the provider can make.
_ALGORITHMS: Final = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
_CLOCKS_DIFFER_S: Final = 60
_REASONS: Mapping[type[Exception], str] = {
    jwt.InvalidSignatureError: "it is not signed with the provider's key",
    jwt.ExpiredSignatureError: "it has expired; compare the clocks of both machines",
    jwt.ImmatureSignatureError: "it is dated in the future; compare the clocks of both machines",
    jwt.InvalidIssuerError: "it names another issuer",
    jwt.InvalidAudienceError: "it was issued for another client",
    jwt.MissingRequiredClaimError: "a claim that the standard requires is missing",
}


def verified_claims(
    token: Json, keys: Mapping[str, Json], *, issuer: str, client_id: str, nonce: str
) -> Mapping[str, Json]:
    """The claims of an ID token; raises UntrustedLoginError unless all of it is as the standard requires."""
    if not isinstance(token, str):
        raise _untrusted("there is none; the client must be registered for OpenID Connect")
    try:
        algorithm, key = _key(token, keys)
        claims: dict[str, Json] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=issuer,
            audience=client_id,
            leeway=_CLOCKS_DIFFER_S,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
        # Not chained: such errors may quote the token.
        raise _untrusted(_REASONS.get(type(error), "it cannot be read")) from None
    if not _is_for(claims, client_id):
        raise _untrusted("it was issued to another client")
    found = claims.get("nonce")
    if not isinstance(found, str) or not compare_digest(found.encode(), nonce.encode()):
        raise _untrusted("it belongs to another login")
    return claims


def _key(token: str, keys: Mapping[str, Json]) -> tuple[str, jwt.PyJWK]:
    header = jwt.get_unverified_header(token)
    algorithm, key_id = header.get("alg"), header.get("kid")
    if algorithm not in _ALGORITHMS:
        raise _untrusted(f"its signature is none of {', '.join(_ALGORITHMS)}")
    listed = keys.get("keys")
    found = [
        one
        for one in (listed if isinstance(listed, Sequence) else ())
        if isinstance(one, Mapping)
        and one.get("kty") == _ALGORITHMS[algorithm]
        and one.get("use", "sig") == "sig"
        and (key_id is None or one.get("kid") == key_id)
    ]
    if len(found) != 1:
        raise _untrusted(f"the provider publishes {len(found)} keys that it could be signed with, not one")
    return algorithm, jwt.PyJWK(dict(found[0]), algorithm)


def _is_for(claims: Mapping[str, Json], client_id: str) -> bool:
    """An ID token for several clients names the one that asked for it."""
    is_shared = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    party = claims.get("azp")
    return party == client_id if is_shared or party is not None else True


def _untrusted(why: str) -> UntrustedLoginError:
    return UntrustedLoginError(f"the identity provider's ID token is not accepted: {why}")
