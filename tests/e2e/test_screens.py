"""Every screen, in both themes: quiet, accessible, and no wider than the window."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.conftest import REPOSITORY, absent
from tests.e2e.conftest import OpenTab
from tests.e2e.screens import SCREENS

pytestmark = pytest.mark.browser

AXE = REPOSITORY / "ui" / "node_modules" / "axe-core" / "axe.min.js"
CHECK = """(runOnly) => axe
  .run({ reporter: "no-passes", iframes: false, ...(runOnly ? { runOnly } : {}) })
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`))"""
WIDTHS = (390, 820, 1360)


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.is_file():
        absent("no axe-core; run `npm --prefix ui ci`")
    return AXE.read_text(encoding="utf-8")


def violations(page: Page, *rules: str) -> list[str]:
    found: list[str] = page.evaluate(CHECK, list(rules) or None)
    return found


def test_every_screen_is_accessible_quiet_and_fits_its_window(open_tab: OpenTab, site: str, axe: str) -> None:
    page = open_tab(width=1440)
    wrong: dict[str, list[str]] = {}
    for name, path in SCREENS.items():
        # A colour on its way to another is none that anybody reads.
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        page.goto(site + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        # The content policy of the pages forbids scripts in them; the debugger's own world is another matter.
        page.evaluate(axe)
        found = violations(page)
        # A theme changes nothing but colours.
        page.emulate_media(color_scheme="dark")
        found += violations(page, "color-contrast")
        found += [f"too wide at {width}" for width in WIDTHS if not fits(page, width)]
        if found:
            wrong[name] = found
        page.set_viewport_size(ViewportSize(width=1440, height=850))
    assert wrong == {}


def test_pages_that_are_not_there_are_accessible_too(open_tab: OpenTab, site: str, axe: str) -> None:
    page = open_tab(may_complain=True)  # the browser reports each 404
    for path in ("/x/y", "/runs/ffffffff", "/benchmarks/none", "/datasets/none", "/load/none"):
        page.goto(site + path)
        expect(page.get_by_role("heading", level=1)).to_contain_text("not found")
        page.evaluate(axe)
        assert violations(page) == []


def test_a_dark_system_gets_a_dark_page(open_tab: OpenTab, site: str) -> None:
    page = open_tab(dark=True)
    page.goto(f"{site}/")
    assert lightness(page) < 0.5
    page.get_by_role("button", name=re.compile("^Theme: system")).click()
    assert lightness(page) > 0.5
    page.reload()
    assert lightness(page) > 0.5


def lightness(page: Page) -> float:
    colour: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return float(colour.removeprefix("oklch(").split()[0])


def fits(page: Page, width: int) -> bool:
    page.set_viewport_size(ViewportSize(width=width, height=850))
    is_narrow: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return is_narrow


def test_the_menu_of_a_phone_leads_everywhere(open_tab: OpenTab, site: str) -> None:
    page = open_tab(width=390)
    page.goto(f"{site}/")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog", name="Menu").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Leaderboard")
    expect(page.get_by_role("dialog")).to_have_count(0)
