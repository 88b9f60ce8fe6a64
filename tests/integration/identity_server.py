"""An identity provider that speaks OAuth 2 with PKCE, as a real server on loopback."""

import hashlib
import json
import secrets
import threading
from base64 import urlsafe_b64encode
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID = "assay-test"
CLIENT_SECRET = "canary-client-secret"  # noqa: S105 - a test value


@dataclass
class IdentityServer:
    """Refresh tokens are good for one use; every token it gives begins with `canary-`."""

    url: str = ""
    subject: str = "ada-1"
    username: str = "Ada"
    scope: str | None = "openid profile chutes:invoke account:read"
    lasts_s: int = 3600
    is_refusing: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    access: set[str] = field(default_factory=set[str])
    refresh: set[str] = field(default_factory=set[str])
    revoked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    given: list[str] = field(default_factory=list[str])
    # Given out first, before any of its own making.
    next_access: list[str] = field(default_factory=list[str])
    # The endpoint that inference is passed on to, and the hosts that requests for it named.
    inference_url: str = ""
    inference_hosts: set[str] = field(default_factory=set[str])

    def authorize(self, query: Mapping[str, str]) -> str:
        """Where the browser is sent once the user has agreed."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        assert "chutes:invoke" in query["scope"].split()
        back = {"state": query["state"]}
        if self.is_refusing:
            return f"{query['redirect_uri']}?{urlencode(back | {'error': 'access_denied'})}"
        code = secrets.token_urlsafe(8)
        self.codes[code] = dict(query)
        return f"{query['redirect_uri']}?{urlencode(back | {'code': code})}"

    def token(self, form: Mapping[str, str]) -> tuple[int, dict[str, object]]:
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return 401, {"error": "invalid_client"}
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.refresh:
                return 400, {"error": "invalid_grant", "error_description": form["refresh_token"]}
            self.refresh.remove(form["refresh_token"])
            return 200, self._grant()
        asked = self.codes.pop(form["code"], None)
        challenge = urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        if asked is None or asked["code_challenge"] != challenge.decode():
            return 400, {"error": "invalid_grant"}
        if asked["redirect_uri"] != form["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        return 200, self._grant()

    def _grant(self) -> dict[str, object]:
        access, refresh = (f"canary-{kind}-{secrets.token_urlsafe(8)}" for kind in ("access", "refresh"))
        access = self.next_access.pop(0) if self.next_access else access
        self.access.add(access)
        self.refresh.add(refresh)
        self.given += [access, refresh]
        granted: dict[str, object] = {
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": self.lasts_s,
        }
        return granted if self.scope is None else granted | {"scope": self.scope}

    def userinfo(self, authorization: str) -> tuple[int, dict[str, object]]:
        if authorization.removeprefix("Bearer ") not in self.access:
            return 401, {"error": "invalid_token"}
        return 200, {"sub": self.subject, "username": self.username}

    def revoke(self, form: Mapping[str, str]) -> tuple[int, dict[str, object]]:
        self.revoked.append((form["token_type_hint"], form["token"]))
        self.access.discard(form["token"])
        self.refresh.discard(form["token"])
        return 200, {}


@contextmanager
def serving(provider: IdentityServer) -> Generator[IdentityServer]:  # noqa: C901 # one short method each
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/idp/authorize?"):
                self.send_response(302)
                self.send_header("Location", provider.authorize(_only(urlsplit(self.path).query)))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if self.path.startswith("/v1/"):
                self._pass_on(None)
                return
            assert self.path == "/idp/userinfo"
            self._tell(*provider.userinfo(self.headers.get("Authorization", "")))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.startswith("/v1/"):
                self._pass_on(body)
                return
            form = _only(body.decode())
            answers = {"/idp/token": provider.token, "/idp/token/revoke": provider.revoke}
            self._tell(*answers[self.path](form))

        def _pass_on(self, body: bytes | None) -> None:
            provider.inference_hosts.add(self.headers["Host"])
            target = urlsplit(provider.inference_url)
            with closing(HTTPConnection(target.netloc, timeout=30)) as endpoint:
                endpoint.request(
                    self.command, self.path, body, {"Authorization": self.headers["Authorization"]}
                )
                reply = endpoint.getresponse()
                content = reply.read()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.headers["Content-Type"])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _tell(self, status: int, told: Mapping[str, object]) -> None:
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def agreed(address: str) -> str:
    """What the user's browser is sent back to, once it has followed the link to the provider."""
    link = urlsplit(address)
    with closing(HTTPConnection(link.netloc, timeout=30)) as connection:
        connection.request("GET", f"{link.path}?{link.query}")
        response = connection.getresponse()
        assert response.status == 302
        return response.headers["Location"]


def _only(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
