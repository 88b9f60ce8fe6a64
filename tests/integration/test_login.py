"""A login from end to end: real processes, an identity provider, a model that wants the user's token."""

import io
import json
import re
import urllib.error
import urllib.request
import zipfile
from datetime import datetime, timedelta
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import wait_until
from tests.integration.identity_server import CLIENT_ID, CLIENT_SECRET, IdentityServer, serving
from tests.integration.test_up import up

OLD, RENEWED = "canary-access-old", "canary-access-renewed"
RUN = {
    "model_id": "chutes/test/letter",
    "selected_benchmarks": ["mmlu_pro"],
    "config": {"data": "demo"},
}


class Browser:
    """Follows redirects and keeps cookies; remembers all it was told."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies = CookieJar()
        self.told = b""
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def read(self, path: str, body: object = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data)  # noqa: S310 # our own server
        request.add_header("Content-Type", "application/json")
        with self._opener.open(request, timeout=30) as reply:
            said: bytes = reply.read()
        self.told += said
        return said

    def json(self, path: str, body: object = None) -> Any:
        return json.loads(self.read(path, body))


def everything_written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_run_calls_the_model_with_the_users_token_and_shows_it_nowhere(tmp_path: Path) -> None:
    # The token of the login is good for 100 s, so that everybody who needs one has it renewed first.
    provider = IdentityServer(next_access=[OLD, *[RENEWED] * 50], lasts_s=100)
    simulation = Assay(tmp_path / "simulation" / "home")
    simulation.home.parent.mkdir()
    with serving(provider), sim_server(simulation, "--key", RENEWED) as base_url:
        provider.inference_url = base_url
        variables = {
            "CHUTES_IDP_URL": provider.url,
            "CHUTES_CLIENT_ID": CLIENT_ID,
            "CHUTES_CLIENT_SECRET": CLIENT_SECRET,
            "CHUTES_BASE_URL": "http://llm.example/v1",
            "CHUTES_API_KEY": "canary-key-of-the-server",
            "ASSAY_LOG_LEVEL": "DEBUG",
        }
        assay = Assay(tmp_path / "service" / "home", tuple(variables.items()))
        assay.home.parent.mkdir()
        with up(assay) as (_process, address):
            browser = Browser(address)
            assert browser.json("/api/auth/login")["user"]["username"] == "Ada"
            run = browser.json("/api/runs", RUN)
            assert (run["owner"], run["auth_mode"]) == ("user:ada-1", "idp")
            path = f"/api/runs/{run['id']}"
            wait_until(lambda: browser.json(path)["completed_at"] is not None, within_s=60)
            done = browser.json(path)
            assert done["status"] == "succeeded", done
            zipped = _everything_told(browser, path)
            cookies = [one.value or "" for one in browser.cookies]
            held = everything_written(assay.home.parent)
            assert browser.json("/api/auth/logout", {})["message"] == "signed out"
            assert browser.json("/api/auth/status")["authenticated"] is False
    assert provider.inference_hosts == {"llm.example"}, "through the proxy, which goes by the host"
    assert OLD in provider.given
    assert RENEWED in dict(provider.revoked).values()
    secrets = {*provider.given, *cookies, CLIENT_SECRET, "canary-key-of-the-server"}
    assert len(secrets) > 4
    for shown in (browser.told, zipped, held, everything_written(assay.home.parent)):
        assert [one for one in secrets if one.encode() in shown] == []
        assert re.search(rb"canary-(?:access|refresh)", shown) is None


def _everything_told(browser: Browser, path: str) -> bytes:
    """Asks for all that tells of the run; gives what is in the files, unpacked."""
    for rest in ("/benchmarks/mmlu_pro", "/events", "/export?format=csv", "/export?format=jsonl"):
        browser.read(path + rest)
    for place in ("/api/runs", "/api/ops/overview", "/metrics", "/api/auth/me", "/api/auth/status"):
        browser.read(place)
    with zipfile.ZipFile(io.BytesIO(browser.read(f"{path}/export?format=zip"))) as bundle:
        return b"".join(bundle.read(name) for name in bundle.namelist())


def status(address: str, headers: dict[str, str]) -> int:
    request = urllib.request.Request(address, headers=headers)  # noqa: S310 # our own server
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310
            return reply.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_beyond_loopback_only_those_are_answered_who_are_known(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home")
    everywhere = ("--host", "0.0.0.0")  # noqa: S104 # what is tested
    code, error = assay.failure("up", "--port", "0", *everywhere)
    assert (code, "`assay users add NAME`" in error) == (2, True)
    key = assay.json("users", "add", "ci", "--role", "viewer", "--expires-in-days", "30")["key"]
    [user] = assay.json("users", "list")["users"]
    lasts = datetime.fromisoformat(user["key_expires_at"]) - datetime.fromisoformat(user["created_at"])
    assert lasts == timedelta(days=30)
    assert user["key_expires_at"][:10] in assay("users", "list").stdout
    assert (user["id"], user["role"]) == ("local:ci", "viewer")
    assert assay.json("users", "role", "local:ci", "runner")["role"] == "runner"
    with up(assay, *everywhere) as (_process, address):
        known = address.replace("0.0.0.0", "127.0.0.1") + "/api/benchmarks"  # noqa: S104
        assert status(known, {}) == status(known, {"X-API-Key": "assay_of-nobody"}) == 401
        assert status(known, {"X-API-Key": key}) == 200
        assert assay("users", "remove", "local:ci").returncode == 0
        assert status(known, {"X-API-Key": key}) == 401, "at once"
    assert key.encode() not in everything_written(tmp_path)
