"""Signing in with a real OpenID provider, in a browser, at two processes of the API over one database."""

from base64 import urlsafe_b64encode
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from yarl import URL

from tests.e2e.conftest import OpenTab, started
from tests.e2e.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider, signing_key

RUN = {
    "model_id": "chutes/test/letter",
    "selected_benchmarks": ["mmlu_pro"],
    "config": {"data": "demo"},
}

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Installation:
    """Logins come back to the second process, wherever they began."""

    provider: OidcProvider
    first: str
    second: str
    key: dict[str, Any]

    def start_provider(self, key: dict[str, Any] | None = None, **more: Any) -> None:
        self.provider.kill()
        self.provider.start(key or self.key, [f"{self.second}/api/auth/callback"], **more)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Generator[Installation]:
    folder = tmp_path_factory.mktemp("sign-in")
    provider = OidcProvider(folder)
    shared = (
        ("OIDC_ISSUER", provider.issuer),
        ("OIDC_CLIENT_ID", CLIENT_ID),
        ("OIDC_CLIENT_SECRET", CLIENT_SECRET),
        ("DATABASE_URL", f"sqlite:///{folder / 'shared.db'}"),
        ("ASSAY_SECRET_KEY", urlsafe_b64encode(b"k" * 32).decode()),
        ("ASSAY_REQUIRE_LOGIN", "true"),
        ("CHUTES_API_KEY", "canary-key-of-the-server"),
        ("CHUTES_BASE_URL", "http://127.0.0.1:9/v1"),
    )
    with (
        started(folder / "second", "api", *shared) as second,
        started(folder / "first", "api", *shared, ("FRONTEND_URL", second)) as first,
    ):
        try:
            yield Installation(provider, first, second, signing_key("k-1"))
        finally:
            provider.kill()


def sign_in(page: Page, address: str, name: str) -> None:
    page.goto(f"{address}/ui/")
    page.get_by_role("link", name="Sign in", exact=True).first.click()
    page.get_by_placeholder("Enter any login").fill(name)
    page.get_by_placeholder("and password").fill("secret")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def user(page: Page, address: str) -> dict[str, Any] | None:
    return page.request.get(f"{address}/api/auth/status").json()["user"]


def callback(page: Page, installation: Installation, *, nonce: str | None = None) -> URL:
    """Where the provider sends a browser after login and consent, without going there."""
    begun = page.request.get(f"{installation.first}/api/auth/login", max_redirects=0)
    address = URL(begun.headers["location"])
    page.goto(str(address if nonce is None else address.update_query(nonce=nonce)))
    while page.url.startswith(installation.provider.issuer):
        prompt = page.locator("input[name=prompt]").input_value()
        form: dict[str, str | float | bool] = {"prompt": prompt, "login": "eve", "password": "secret"}
        submitted = page.request.post(page.url, form=form, max_redirects=0)
        resumed = page.request.get(submitted.headers["location"], max_redirects=0)
        address = URL(resumed.headers["location"])
        if address.is_absolute():
            break
        page.goto(installation.provider.issuer + str(address))
    assert str(address).startswith(f"{installation.second}/api/auth/callback?")
    return address


def failure(page: Page, address: URL | str) -> str:
    response = page.goto(str(address))
    assert response is not None
    assert response.status == 200, "a page of the web UI"
    notice = page.get_by_role("alert").filter(has_text="Signing in failed")
    expect(notice.get_by_role("link", name="Try again")).to_be_visible()
    assert "sign_in" not in page.url
    return notice.inner_text()


def test_a_login_outlives_its_process_and_the_provider(open_tab: OpenTab, installation: Installation) -> None:
    first, second, page = installation.first, installation.second, open_tab(may_complain=True)
    installation.start_provider()
    sign_in(page, first, "ada")
    assert page.url.startswith(second), "finished where the login came back to"
    assert page.get_by_title("ada of the test, runner").is_visible()
    known = {
        "id": f"ada@127.0.0.1:{installation.provider.port}",
        "username": "ada of the test",
        "role": "runner",
    }
    for address in (first, second):
        assert user(page, address) == known
    installation.provider.kill()
    assert page.request.get(f"{first}/api/runs").status == 200, "a session does not need the provider"
    run = page.request.post(f"{first}/api/runs", data=RUN).json()
    assert (run["owner"], run["auth_mode"]) == (f"user:{known['id']}", "system"), (
        "none of their tokens is kept"
    )
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in", exact=True).first).to_be_visible()
    for address in (first, second):
        assert user(page, address) is None
        assert page.request.get(f"{address}/api/ops/overview").status == 401
    installation.start_provider()
    sign_in(page, first, "ada")
    installation.start_provider(signing_key("k-2"))
    other = open_tab(may_complain=True)
    sign_in(other, second, "grace")
    assert user(page, second) == known
    assert [(user(other, address) or {})["username"] for address in (first, second)] == [
        "grace of the test"
    ] * 2


def test_a_login_that_cannot_be_trusted_or_finished_says_so_on_a_page(
    open_tab: OpenTab, installation: Installation
) -> None:
    page = open_tab(may_complain=True)
    installation.start_provider()
    back = callback(page, installation)
    assert "refused, or took too long" in failure(page, back.update_query(state="another"))
    installation.start_provider()
    assert "refused" in failure(page, back), "the provider has forgotten the code"
    assert "could not be verified" in failure(page, callback(page, installation, nonce="of-another-login"))
    installation.start_provider(signing_key("k-1"), published=installation.key)
    assert "could not be verified" in failure(page, callback(page, installation)), "foreign-signed"
    back = callback(page, installation)
    installation.provider.kill()
    assert "does not answer" in failure(page, back)
    assert "does not answer" in failure(page, f"{installation.first}/api/auth/login")
    assert user(page, installation.second) is None
