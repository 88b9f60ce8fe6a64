"""The files of the web UI, and what surrounds them."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assay.engine.stores import Stores
from tests.integration.serving import client_of
from tests.stores import memory_stores


@pytest.fixture
def store() -> Stores:
    return memory_stores()


@pytest.fixture
def client(store: Stores) -> TestClient:
    return client_of(store)


@pytest.fixture
def ui(tmp_path: Path) -> Path:
    folder = tmp_path / "assay_ui"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Assay</title>")
    (folder / "assets" / "index-abc.js").write_text("export {}")
    return folder


def test_browsers_are_sent_to_the_ui_and_programs_are_told_what_this_is(client: TestClient) -> None:
    browser = client.get("/", headers={"accept": "text/html,*/*"}, follow_redirects=False)
    assert (browser.status_code, browser.headers["location"]) == (307, "/ui/")
    about = client.get("/", headers={"accept": "application/json"}).json()
    assert about == {"name": "Assay", "version": "1.2.3", "docs": "/api/openapi.json"}
    assert client.get(about["docs"]).json()["openapi"].startswith("3.")


@pytest.mark.parametrize("path", ["/ui", "/ui/", "/ui/runs/abc?x=1", "/ui/index.html"])
def test_every_ui_path_is_the_page_and_is_asked_for_anew(store: Stores, ui: Path, path: str) -> None:
    response = client_of(store, ui=ui).get(path)
    assert "<title>Assay</title>" in response.text
    assert response.headers["cache-control"] == "no-cache"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"


def test_built_files_are_kept_for_good_and_missing_ones_are_missing(store: Stores, ui: Path) -> None:
    client = client_of(store, ui=ui)
    built = client.get("/ui/assets/index-abc.js")
    assert "immutable" in built.headers["cache-control"]
    assert "javascript" in built.headers["content-type"]
    assert client.get("/ui/assets/index-old.js").status_code == 404


@pytest.mark.parametrize(
    "path", ["/ui/../pyproject.toml", "/ui/..%2f..%2fpyproject.toml", "/ui/%2e%2e/secret"]
)
def test_nothing_outside_the_ui_is_served(store: Stores, ui: Path, path: str) -> None:
    (ui.parent / "secret").write_text("secret")
    response = client_of(store, ui=ui).get(path)
    assert "secret" not in response.text.replace("/secret", "")
    assert "[project]" not in response.text


def test_an_install_without_the_ui_says_what_to_run(client: TestClient) -> None:
    response = client.get("/ui/runs/abc")
    assert response.status_code == 503
    assert "ASSAY_SKIP_UI_BUILD" in response.text
