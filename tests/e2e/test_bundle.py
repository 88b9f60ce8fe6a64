"""What a browser loads before a page shows what it is about."""

import gzip

import pytest
from playwright.sync_api import Page, Response, expect

from tests.e2e.screens import LIVE, PRICED

pytestmark = pytest.mark.browser

MOST_BYTES = 150_000


@pytest.mark.parametrize("path", ["/", f"/runs/{PRICED}", f"/runs/{LIVE}"], ids=["runs", "run", "live run"])
def test_the_scripts_of_a_first_visit_are_small(page: Page, site: str, path: str) -> None:
    scripts: list[Response] = []
    page.on("response", lambda one: scripts.append(one) if one.url.endswith(".js") else None)
    page.goto(site + path)
    expect(page.get_by_role("table").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    loaded = sum(len(gzip.compress(one.body())) for one in scripts)
    assert 100_000 < loaded < MOST_BYTES
