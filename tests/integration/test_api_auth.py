"""Signing in with an identity provider, what users may do, and who is asked for a key."""

import asyncio
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.identity.oauth import OAuthOptions, OAuthProvider
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.access.identity import Role
from assay.engine.identity.access_keys import new_key_user
from assay.engine.identity.sign_in import SignIn
from tests.builders import World, rewired
from tests.integration.identity_server import CLIENT_ID, CLIENT_SECRET, IdentityServer, agreed, serving
from tests.integration.serving import client_for, services

ASKED: dict[str, Any] = {
    "model_id": "sim/good",
    "selected_benchmarks": ["letters"],
    "config": {"data": "demo"},
}
BROWSER = {"Accept": "text/html"}


@pytest.fixture
def provider() -> Generator[IdentityServer]:
    with serving(IdentityServer()) as provider:
        yield provider


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def wired(world: World, provider: IdentityServer, tmp_path: Path) -> ApiServices:
    made = services(world.store)
    vault = FernetVault(tmp_path / "secret.key")
    options = OAuthOptions(provider.url, CLIENT_ID, CLIENT_SECRET)
    signing_in = SignIn(OAuthProvider(options), world.store.identity, vault=vault, clock=world.clock)
    engine = rewired(made.engine, vault=vault, clock=world.clock, sessions=signing_in)
    return replace(made, engine=engine, sign_in=signing_in)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return browser(wired)


def browser(wired: ApiServices) -> TestClient:
    client = client_for(create_app(wired))
    client.follow_redirects = False
    return client


def path_of(address: str) -> str:
    return address.removeprefix("http://127.0.0.1:8017")


def later(world: World, by: timedelta) -> None:
    asyncio.run(world.clock.sleep(by.total_seconds()))


def sign_in(client: TestClient) -> dict[str, Any]:
    begun = client.get("/api/auth/login", params={"return_to": "/ui/runs?page=2"})
    assert begun.status_code == 302
    done = client.get(path_of(agreed(begun.headers["Location"])))
    assert done.status_code == 200, done.text
    return done.json()


def test_a_login_gives_a_session_and_ends_with_the_tokens_taken_back(
    client: TestClient, provider: IdentityServer
) -> None:
    before = client.get("/api/auth/status").json()
    assert before == {
        "idp_configured": True,
        "authenticated": False,
        "user": None,
        "has_invoke_scope": False,
        "needs_identity": False,
    }
    assert client.get("/api/auth/me").status_code == 401
    signed_in = sign_in(client)
    user = {"id": "ada-1", "username": "Ada", "role": "runner"}
    assert signed_in == {
        "success": True,
        "session_id": signed_in["session_id"],
        "user": user,
        "has_invoke_scope": True,
        "return_to": "/ui/runs?page=2",
    }
    assert client.cookies["bench_session"] != signed_in["session_id"], "what is shown opens nothing"
    me = client.get("/api/auth/me").json()
    assert me == {"authenticated": True, "user": user, "has_invoke_scope": True, "has_valid_token": True}
    assert client.get("/api/auth/status").json()["user"] == user
    cookie = client.cookies["bench_session"]
    ended = client.post("/api/auth/logout")
    assert ended.json() == {"success": True, "message": "signed out"}
    assert sorted(provider.revoked) == sorted(
        zip(("access_token", "refresh_token"), provider.given, strict=True)
    )
    assert "bench_session" not in client.cookies
    client.cookies.set("bench_session", cookie)
    assert client.get("/api/auth/me").status_code == 401, "the old cookie is of no use"


@pytest.mark.parametrize("address", ["http://127.0.0.1:8017", "https://assay.example"])
def test_cookies_are_kept_from_scripts_and_other_sites(wired: ApiServices, address: str) -> None:
    client = browser(replace(wired, frontend_url=address, hosts=("assay.example",)))
    client.base_url = address
    begun = client.get("/api/auth/login")
    back = agreed(begun.headers["Location"])
    assert back.startswith(f"{address}/api/auth/callback?")
    done = client.get(back.removeprefix(address))
    [session] = [one for one in done.headers.get_list("Set-Cookie") if one.startswith("bench_session=")]
    assert "Max-Age=2592000" in session
    for cookie in (begun.headers["Set-Cookie"], session):
        words = set(cookie.lower().split("; "))
        assert {"httponly", "samesite=lax"} < words
        assert ("secure" in words) is address.startswith("https")


def test_a_browser_is_sent_back_to_where_it_came_from(client: TestClient, provider: IdentityServer) -> None:
    begun = client.get("/api/auth/login", params={"return_to": "/ui/compare"})
    done = client.get(path_of(agreed(begun.headers["Location"])), headers=BROWSER)
    assert (done.status_code, done.headers["Location"]) == (303, "/ui/compare")
    assert client.get("/api/auth/me").status_code == 200
    provider.is_refusing = True
    begun = client.get("/api/auth/login")
    refused = client.get(path_of(agreed(begun.headers["Location"])), headers=BROWSER)
    assert (refused.status_code, refused.headers["Location"]) == (303, "/ui/?sign_in=failed")


@pytest.mark.parametrize(
    "elsewhere",
    [
        *("https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "ui", ""),
        *("/\t/evil.example", "/ui\r\nSet-Cookie: a=b", "javascript:alert(1)", "/ /evil.example"),
    ],
)
def test_a_login_never_leads_elsewhere(client: TestClient, elsewhere: str) -> None:
    response = client.get("/api/auth/login", params={"return_to": elsewhere})
    assert (response.status_code, response.json()["errors"][0]["field"]) == (422, "return_to")


def test_a_login_is_completed_once_in_time_and_where_it_was_begun(
    wired: ApiServices, world: World, provider: IdentityServer
) -> None:
    ada, mallory = browser(wired), browser(wired)
    link = path_of(agreed(mallory.get("/api/auth/login").headers["Location"]))
    assert ada.get(link).json()["code"] == "sign-in-failed", "a link from elsewhere signs nobody in"
    assert mallory.get(link).status_code == 400, "and is used up"
    link = path_of(agreed(ada.get("/api/auth/login").headers["Location"]))
    later(world, timedelta(minutes=11))
    assert "expired" in ada.get(link).json()["detail"]
    link = path_of(agreed(ada.get("/api/auth/login").headers["Location"]))
    provider.codes.clear()
    assert "invalid_grant" in ada.get(link).json()["detail"]
    for query in ({}, {"code": "x"}, {"state": "x"}, {"code": "x", "state": "y"}, {"error": "access_denied"}):
        assert ada.get("/api/auth/callback", params=query).status_code == 400
    assert ada.get("/api/auth/me").status_code == 401


def test_any_process_goes_on_with_a_login(wired: ApiServices) -> None:
    first, second = browser(wired), browser(wired)
    link = path_of(agreed(first.get("/api/auth/login").headers["Location"]))
    second.cookies.update(first.cookies)
    assert second.get(link).status_code == 200
    first.cookies.update(second.cookies)
    assert first.get("/api/auth/me").status_code == 200


def test_without_a_provider_nobody_can_sign_in(wired: ApiServices) -> None:
    client = browser(replace(wired, sign_in=None))
    assert client.get("/api/auth/login").status_code == 501
    assert client.get("/api/auth/callback").json()["code"] == "no-identity-provider"
    assert client.get("/api/auth/status").json()["idp_configured"] is False
    client.cookies.set("bench_session", "of old")
    assert client.post("/api/runs", json=ASKED).status_code == 201


def test_a_provider_that_is_away_is_not_the_users_fault(client: TestClient, wired: ApiServices) -> None:
    options = OAuthOptions("http://127.0.0.1:9", CLIENT_ID)
    engine = wired.engine
    away = SignIn(
        OAuthProvider(options), engine.stores.identity, vault=engine.credentials.vault, clock=engine.clock
    )
    link = path_of(agreed(client.get("/api/auth/login").headers["Location"]))
    elsewhere = browser(replace(wired, sign_in=away))
    elsewhere.cookies.update(client.cookies)
    response = elsewhere.get(link)
    assert (response.status_code, response.json()["code"]) == (502, "unreachable")
    sign_in(client)
    elsewhere.cookies.update(client.cookies)
    assert "did not confirm" in elsewhere.post("/api/auth/logout").json()["message"]
    assert client.get("/api/auth/me").status_code == 401


def test_a_token_is_renewed_shortly_before_it_expires(
    client: TestClient, world: World, provider: IdentityServer
) -> None:
    sign_in(client)
    later(world, timedelta(minutes=54))
    assert client.get("/api/auth/me").json()["has_valid_token"]
    assert len(provider.given) == 2
    later(world, timedelta(minutes=2))
    assert client.get("/api/auth/me").json()["has_valid_token"]
    assert client.get("/api/auth/me").json()["has_valid_token"]
    assert len(provider.given) == 4, "once"
    provider.refresh.clear()
    later(world, timedelta(hours=2))
    assert not client.get("/api/auth/me").json()["has_valid_token"]
    refused = client.post("/api/runs", json=ASKED | {"model_id": "chutes/test/letter"})
    assert (refused.status_code, refused.json()["code"]) == (401, "session-ended")


def test_a_session_ends_after_thirty_days(client: TestClient, world: World) -> None:
    sign_in(client)
    later(world, timedelta(days=30, minutes=1))
    refused = client.post("/api/runs", json=ASKED)
    assert (refused.status_code, refused.json()["code"]) == (401, "session-ended")
    assert client.post("/api/runs", json=ASKED).status_code == 201, "the browser has dropped the cookie"


def test_a_login_without_the_scope_may_use_other_providers(
    client: TestClient, provider: IdentityServer
) -> None:
    provider.scope = "openid profile"
    assert sign_in(client)["has_invoke_scope"] is False
    refused = client.post("/api/runs", json=ASKED | {"model_id": "chutes/test/letter"})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-needed")
    assert client.post("/api/runs", json=ASKED).json()["owner"] == "user:ada-1"


def test_scopes_that_are_not_named_were_granted_as_asked(
    client: TestClient, provider: IdentityServer
) -> None:
    provider.scope = None
    assert sign_in(client)["has_invoke_scope"] is True


async def test_runs_belong_to_who_started_them(
    wired: ApiServices, world: World, provider: IdentityServer
) -> None:
    ada, grace, anybody = (browser(wired) for _ in range(3))
    sign_in(ada)
    provider.subject, provider.username = "grace-2", "Grace"
    sign_in(grace)
    run = ada.post("/api/runs", json=ASKED).json()
    assert (run["owner"], run["auth_mode"]) == ("user:ada-1", "system"), "no model here takes the token"
    path = f"/api/runs/{run['id']}"
    for other in (grace, anybody):
        refused = [other.post(f"{path}/{what}") for what in ("cancel", "pause", "resume", "retry")]
        refused.append(other.patch(path, json={"priority": 1}))
        refused.append(other.delete("/api/runs", params={"run": run["id"]}))
        assert {(one.status_code, one.json()["code"]) for one in refused} == {(403, "not-the-owner")}
        assert other.get(path).status_code == 200, "looking is free"
    assert ada.patch(path, json={"priority": 1}).status_code == 200
    await world.store.identity.set_role("grace-2", Role.ADMIN)
    assert grace.post(f"{path}/pause").status_code == 200
    assert ada.post(f"{path}/cancel").status_code == 200
    nobodys = anybody.post("/api/runs", json=ASKED).json()
    assert (nobodys["owner"], nobodys["auth_mode"]) == (None, "system")
    assert grace.post(f"/api/runs/{nobodys['id']}/cancel").status_code == 200


async def test_admins_do_what_the_secret_does(wired: ApiServices, world: World) -> None:
    client = browser(wired)
    assert client.get("/api/admin/audit").json()["code"] == "admin-disabled"
    sign_in(client)
    assert client.get("/api/admin/audit").json()["code"] == "role-needed"
    client.post("/api/runs", json=ASKED)
    client.post("/api/runs", json=ASKED | {"model_id": "nobody/x"})
    await world.store.identity.set_role("ada-1", Role.ADMIN)
    entries = client.get("/api/admin/audit", params={"limit": 3}).json()["entries"]
    assert [(one["actor"], one["action"], one["target"], one["outcome"]) for one in entries] == [
        ("user:ada-1", "create_run", "/api/runs", "unknown-name"),
        ("user:ada-1", "create_run", "/api/runs", "done"),
        ("user:ada-1", "sign_in", "", "done"),
    ]


async def test_where_identity_is_needed_a_key_or_a_login_opens(wired: ApiServices, world: World) -> None:
    client = browser(replace(wired, needs_identity=True, admin_secret="s3cret"))  # noqa: S106 - a test value
    for path in ("/api/benchmarks", "/metrics", "/api/events", "/admin/datasets", "/v1/files"):
        assert client.get(path).status_code == 401, path
    assert client.post("/api/runs", json=ASKED).json()["code"] == "sign-in-needed"
    assert client.get("/v1/files").json()["error"]["code"] == "sign-in-needed"
    for path in ("/api/health", "/api/status", "/api/auth/status"):
        assert client.get(path).status_code == 200, path
    assert client.get("/api/runs", headers={"X-Admin-Secret": "s3cret"}).status_code == 200
    assert client.get("/metrics", headers={"Authorization": "Bearer of-some-provider"}).status_code == 401
    _user, key = await new_key_user("ci", Role.RUNNER, store=world.store.identity, clock=world.clock)
    for header in ({"X-API-Key": key.value}, {"Authorization": f"Bearer {key.value}"}):
        assert client.get("/api/runs", headers=header).status_code == 200
        run = client.post("/api/runs", json=ASKED, headers=header).json()
        assert run["owner"] == "user:local:ci"
    assert client.get("/api/runs", headers={"X-API-Key": key.value + "x"}).status_code == 401
    sent_on = client.post("/api/runs/api", json=ASKED, headers={"Authorization": f"Bearer {key.value}"})
    assert "X-API-Key" in sent_on.json()["detail"], "an access key is no key for models"
    sign_in(client)
    assert client.get("/api/runs").status_code == 200


async def test_a_viewer_looks_and_changes_nothing(wired: ApiServices, world: World) -> None:
    client = browser(wired)
    _user, key = await new_key_user("board", Role.VIEWER, store=world.store.identity, clock=world.clock)
    client.headers["X-API-Key"] = key.value
    assert client.get("/api/runs").status_code == 200
    assert client.post("/api/runs/estimate", json=ASKED).status_code == 200
    refused = client.post("/api/runs", json=ASKED)
    assert (refused.status_code, refused.json()["code"]) == (403, "role-needed")
    assert client.delete("/v1/files/file-1").status_code == 403
    await world.store.identity.remove_user("local:board")
    assert client.get("/api/runs").status_code == 401
