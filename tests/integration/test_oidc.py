"""Providers that answer otherwise than the standard says, and what the token endpoint is sent."""

import json
import threading
import time
from base64 import b64decode
from collections.abc import Generator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from yarl import URL

from assay.adapters.identity.oidc import OidcOptions, OidcProvider
from assay.bootstrap import sign_in
from assay.domain.errors import EndpointUnreachableError, InvalidValueError, SignInError, UntrustedLoginError
from assay.settings import Settings
from tests.stores import memory_stores

KEY = ec.generate_private_key(ec.SECP256R1())
CALLBACK = "https://assay.example/api/auth/callback"


@dataclass
class Answers:
    """What a provider answers on each path; `sent` are the forms and headers of its token endpoint."""

    issuer: str = ""
    by_path: dict[str, Any] = field(default_factory=dict[str, Any])
    sent: list[tuple[dict[str, list[str]], str]] = field(
        default_factory=list[tuple[dict[str, list[str]], str]]
    )

    def as_the_standard_says(self) -> None:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "assay", "sub": "ada", "iat": now, "exp": now + 60, "nonce": "n"}
        self.by_path = {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize?tenant=7",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/me",
            },
            "/token": {"access_token": "canary-token", "id_token": jwt.encode(claims, KEY, "ES256")},
            "/keys": {"keys": [ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True)]},
            "/me": {"sub": "ada", "name": "Ada"},
        }

    @property
    def discovery(self) -> dict[str, Any]:
        return self.by_path["/.well-known/openid-configuration"]


@pytest.fixture
def answers() -> Generator[Answers]:
    answers = Answers()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = answers.by_path.get(self.path)
            body = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(200 if self.path in answers.by_path else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            answers.sent.append((form, self.headers.get("Authorization", "")))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answers.issuer = f"http://127.0.0.1:{server.server_port}"
    answers.as_the_standard_says()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield answers
    server.shutdown()
    server.server_close()
    thread.join()


def provider(answers: Answers, secret: str | None = None) -> OidcProvider:
    return OidcProvider(OidcOptions(answers.issuer, "assay", secret))


async def who(answers: Answers, secret: str | None = None) -> tuple[str, str]:
    person, grant = await provider(answers, secret).identified(
        "c", verifier="v", nonce="n", redirect_uri=CALLBACK
    )
    assert grant is None
    return person.id, person.username


async def authorize(answers: Answers) -> URL:
    return URL(
        await provider(answers).authorize_url(state="s", challenge="c", nonce="n", redirect_uri=CALLBACK)
    )


async def test_a_browser_is_sent_with_state_nonce_and_challenge(answers: Answers) -> None:
    url = await authorize(answers)
    assert str(url.with_query(None)) == f"{answers.issuer}/authorize"
    assert dict(url.query) == {
        "tenant": "7",
        "response_type": "code",
        "client_id": "assay",
        "redirect_uri": CALLBACK,
        "scope": "openid profile email",
        "state": "s",
        "nonce": "n",
        "code_challenge": "c",
        "code_challenge_method": "S256",
    }


async def test_the_client_says_who_it_is_as_the_provider_wants_it(answers: Answers) -> None:
    host = answers.issuer.removeprefix("http://")
    assert await who(answers) == (f"ada@{host}", "Ada")
    assert await who(answers, "a b:c%") == (f"ada@{host}", "Ada")
    answers.discovery["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    assert await who(answers, "a b:c%") == (f"ada@{host}", "Ada")
    (public, none), (basic, authorization), (post, also_none) = answers.sent
    asked = {"grant_type": ["authorization_code"], "code": ["c"], "code_verifier": ["v"]}
    asked["redirect_uri"] = [CALLBACK]
    assert public == asked | {"client_id": ["assay"]}
    assert basic == asked
    assert b64decode(authorization.removeprefix("Basic ")) == b"assay:a+b%3Ac%25"
    assert post == asked | {"client_id": ["assay"], "client_secret": ["a b:c%"]}
    assert none == also_none == ""


async def test_a_provider_without_userinfo_says_it_in_the_id_token(answers: Answers) -> None:
    del answers.discovery["userinfo_endpoint"]
    assert (await who(answers))[1] == "ada"


async def test_userinfo_about_somebody_else_is_refused(answers: Answers) -> None:
    for told in ({"sub": "root"}, {}, b"<html>", b"\xff"):
        answers.by_path["/me"] = told
        with pytest.raises(UntrustedLoginError, match="another user"):
            await who(answers)


async def test_keys_beyond_a_megabyte_are_not_read(answers: Answers) -> None:
    answers.by_path["/keys"] |= {"more": "x" * 300_000}
    assert (await who(answers))[1] == "Ada", "in many pieces"
    answers.by_path["/keys"] |= {"more": "x" * 1_100_000}
    with pytest.raises(UntrustedLoginError, match="publishes 0 keys"):
        await who(answers)


async def test_a_reply_without_an_id_token_is_refused(answers: Answers) -> None:
    answers.by_path["/token"] = {"access_token": "canary-token"}
    with pytest.raises(UntrustedLoginError, match="registered for OpenID Connect"):
        await who(answers)


@pytest.mark.parametrize("named", ["https://idp.example", "http://127.0.0.1:1/", None, 7])
async def test_a_provider_that_names_itself_otherwise_is_refused(answers: Answers, named: object) -> None:
    answers.discovery["issuer"] = named
    with pytest.raises(SignInError, match="OIDC_ISSUER must be the name it gives itself"):
        await authorize(answers)


@pytest.mark.parametrize(
    "endpoint", ["javascript:alert(1)", "/authorize", "", None, 7, "http://[", "file:///x"]
)
async def test_an_endpoint_that_is_no_address_is_refused(answers: Answers, endpoint: object) -> None:
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        answers.as_the_standard_says()
        answers.discovery[name] = endpoint
        with pytest.raises(SignInError, match=f"{name} is not an address"):
            await authorize(answers)


async def test_a_provider_that_is_away_or_has_no_discovery_is_told_apart(answers: Answers) -> None:
    answers.by_path.clear()
    with pytest.raises(SignInError, match="refuses: status 404"):
        await authorize(answers)
    with pytest.raises(EndpointUnreachableError, match="cannot be reached"):
        await authorize(Answers("http://127.0.0.1:9"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"oidc_issuer": "https://idp.example"}, "needed together"),
        ({"oidc_client_id": "assay"}, "needed together"),
        (
            {"oidc_issuer": "https://idp.example", "oidc_client_id": "a", "chutes_client_id": "b"},
            "one provider",
        ),
        ({"oidc_issuer": "idp.example", "oidc_client_id": "a"}, "must begin with http:// or https://"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    tmp_path: Path, given: dict[str, Any], why: str
) -> None:
    with pytest.raises(InvalidValueError, match=why):
        sign_in(Settings(assay_home=tmp_path, **given), memory_stores().identity)
