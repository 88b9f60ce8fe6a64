import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from assay.adapters.identity.id_token import verified_claims
from assay.domain.errors import UntrustedLoginError

KEY = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY = ec.generate_private_key(ec.SECP256R1())
ISSUER, CLIENT, NONCE = "https://idp.example", "assay", "n-1"


def published(key: ec.EllipticCurvePrivateKey = KEY, **more: str) -> dict[str, Any]:
    return {**ECAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "k-1", **more}


def claims(**changed: object) -> dict[str, Any]:
    now = int(time.time())
    usual = {"iss": ISSUER, "aud": CLIENT, "sub": "ada", "iat": now, "exp": now + 300, "nonce": NONCE}
    return {name: value for name, value in (usual | changed).items() if value is not None}


def token(told: Mapping[str, Any], key: ec.EllipticCurvePrivateKey = KEY, kid: str | None = "k-1") -> str:
    return jwt.encode(dict(told), key, "ES256", headers={} if kid is None else {"kid": kid})


def verify(sent: object, *keys: object) -> Mapping[str, Any]:
    listed: Any = {"keys": [*keys] if keys else [published()]}
    given: Any = sent
    return verified_claims(given, listed, issuer=ISSUER, client_id=CLIENT, nonce=NONCE)


def test_the_claims_of_a_token_that_the_provider_signed_are_taken() -> None:
    assert verify(token(claims()))["sub"] == "ada"
    assert verify(token(claims(aud=[CLIENT, "other"], azp=CLIENT)))["aud"] == [CLIENT, "other"]
    other = published(OTHER_KEY, kid="k-2")
    assert verify(token(claims()), other, published())["sub"] == "ada", "the key that it names"
    assert verify(token(claims(), kid=None))["sub"] == "ada", "there is one key only"
    assert verify(token(claims(exp=int(time.time()) - 30)))["sub"] == "ada", "clocks may differ a little"


def test_the_usual_kinds_of_keys_are_known() -> None:
    rsa_key, edwards_key = rsa.generate_private_key(65537, 2048), ed25519.Ed25519PrivateKey.generate()
    rsa_public = RSAAlgorithm.to_jwk(rsa_key.public_key(), as_dict=True)
    edwards_public = OKPAlgorithm.to_jwk(edwards_key.public_key(), as_dict=True)
    for algorithm in ("RS256", "PS256"):
        assert verify(jwt.encode(claims(), rsa_key, algorithm), rsa_public, edwards_public)["sub"] == "ada"
    assert verify(jwt.encode(claims(), edwards_key, "EdDSA"), rsa_public, edwards_public)["sub"] == "ada"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"exp": 1_000_000_000}, "expired"),
        ({"exp": None}, "a claim that the standard requires"),
        ({"iat": 4_000_000_000}, "dated in the future"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": ISSUER + "/"}, "another issuer"),
        ({"iss": None}, "a claim that the standard requires"),
        ({"aud": "another"}, "another client"),
        ({"aud": []}, "a claim that the standard requires"),
        ({"aud": None}, "a claim that the standard requires"),
        ({"aud": [CLIENT, "another"]}, "another client"),
        ({"azp": "another"}, "another client"),
        ({"sub": None}, "a claim that the standard requires"),
        ({"sub": 7}, "cannot be read"),
        ({"nonce": "n-2"}, "another login"),
        ({"nonce": None}, "another login"),
        ({"nonce": 1}, "another login"),
        ({"nonce": "ñ"}, "another login"),
    ],
)
def test_a_token_for_somebody_or_something_else_is_refused(changed: dict[str, object], why: str) -> None:
    with pytest.raises(UntrustedLoginError, match=why):
        verify(token(claims(**changed)))


def test_a_token_that_another_key_signed_is_refused() -> None:
    with pytest.raises(UntrustedLoginError, match="not signed with the provider's key"):
        verify(token(claims(), OTHER_KEY))
    with pytest.raises(UntrustedLoginError, match="publishes 0 keys"):
        verify(token(claims(), OTHER_KEY, "k-2"))
    with pytest.raises(UntrustedLoginError, match="publishes 2 keys"):
        verify(token(claims(), kid=None), published(), published(OTHER_KEY))
    with pytest.raises(UntrustedLoginError, match="publishes 0 keys"):
        verify(token(claims()), published(use="enc"))
    head, body, signature = token(claims()).split(".")
    forged = urlsafe_b64encode(json.dumps(claims(sub="root")).encode()).rstrip(b"=").decode()
    with pytest.raises(UntrustedLoginError, match="not signed with the provider's key"):
        verify(f"{head}.{forged}.{signature}")
    assert body != forged


def test_a_signature_that_anybody_could_make_is_refused() -> None:
    unsigned = jwt.encode(claims(), "", "none", headers={"kid": "k-1"})
    parts = [{"alg": "HS256", "kid": "k-1"}, claims()]
    signed = b".".join(urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    # The public key as a shared secret.
    made = hmac.new(json.dumps(published()).encode(), signed, hashlib.sha256).digest()
    shared = f"{signed.decode()}.{urlsafe_b64encode(made).decode().rstrip('=')}"
    for sent in (unsigned, shared):
        with pytest.raises(UntrustedLoginError, match="its signature is none of RS256"):
            verify(sent)
    with pytest.raises(UntrustedLoginError):
        verify(jwt.encode(claims(), "x" * 32, "HS256"), {"kty": "oct", "k": "eHh4"})


@pytest.mark.parametrize(
    "sent", [None, 1, "", "a", "a.b.c", "e30.e30.e30", "ñ.ñ.ñ", "\x00", ["x"], "e30=." * 1000, "W10.e30.e30"]
)
def test_what_is_no_token_is_refused(sent: object) -> None:
    with pytest.raises(UntrustedLoginError, match="ID token is not accepted"):
        verify(sent)


@pytest.mark.parametrize(
    "key",
    [
        *(None, 1, "x", [], {}, {"kty": "EC", "kid": "k-1"}, {"kty": ["EC"], "kid": "k-1"}),
        {"kty": "EC", "kid": "k-1", "crv": "P-256", "x": "AA", "y": 1},
        {"kty": "EC", "kid": "k-1", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "EC", "kid": "k-1", "crv": "P-999", "x": "AA", "y": "AA"},
        {"kty": "EC", "kid": {"k": 1}, "crv": "P-256"},
    ],
)
def test_keys_that_cannot_be_read_verify_nothing(key: object) -> None:
    with pytest.raises(UntrustedLoginError):
        verify(token(claims()), key)


@pytest.mark.parametrize("listed", [{}, {"keys": None}, {"keys": "k-1"}, {"keys": {"kid": "k-1"}}])
def test_a_list_of_keys_that_cannot_be_read_verifies_nothing(listed: dict[str, Any]) -> None:
    with pytest.raises(UntrustedLoginError, match="publishes 0 keys"):
        verified_claims(token(claims()), listed, issuer=ISSUER, client_id=CLIENT, nonce=NONCE)


def test_a_refusal_quotes_no_token() -> None:
    sent = token(claims(sub="canary-subject"), OTHER_KEY)
    with pytest.raises(UntrustedLoginError) as refused:
        verify(sent)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__
    assert sent[:10] not in str(refused.value)
