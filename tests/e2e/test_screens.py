"""Every screen, in both themes: quiet, accessible, and no wider than the window."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.conftest import REPOSITORY, absent
from tests.e2e.conftest import OpenTab
from tests.e2e.screens import SCREENS

pytestmark = pytest.mark.browser

AXE = REPOSITORY / "ui" / "node_modules" / "axe-core" / "axe.min.js"
CHECK = """rules => axe
  .run({ runOnly: rules, reporter: "no-passes", iframes: false })
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`))"""
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# Only colours differ between the themes.
OF_THEMES = ("color-contrast", "link-in-text-block")


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.is_file():
        absent("no axe-core; run `npm --prefix ui ci`")
    return AXE.read_text(encoding="utf-8")


def violations(page: Page, axe: str, rules: Sequence[str]) -> list[str]:
    # The content policy of the pages forbids scripts in them; the debugger's own world is another matter.
    page.evaluate(axe)
    found: list[str] = page.evaluate(CHECK, list(rules))
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_screen_is_accessible_and_quiet(open_tab: OpenTab, site: str, axe: str, *, dark: bool) -> None:
    page = open_tab(width=1440, dark=dark)
    wrong: dict[str, list[str]] = {}
    for name, path in SCREENS.items():
        page.goto(site + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        if found := violations(page, axe, OF_THEMES if dark else RULES):
            wrong[name] = found
    assert wrong == {}
    background: str = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    lightness = float(background.removeprefix("oklch(").split()[0])
    assert (lightness < 0.5) is dark


def test_every_screen_fits_its_window(open_tab: OpenTab, site: str) -> None:
    page = open_tab(width=390)
    too_wide: list[str] = []
    for name, path in SCREENS.items():
        page.goto(site + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for width in (390, 820, 1360):
            page.set_viewport_size(ViewportSize(width=width, height=850))
            if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                too_wide.append(f"{name} at {width}")
    assert too_wide == []


def test_the_menu_of_a_phone_leads_everywhere(open_tab: OpenTab, site: str) -> None:
    page = open_tab(width=390)
    page.goto(f"{site}/")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog", name="Menu").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Leaderboard")
    expect(page.get_by_role("dialog")).to_have_count(0)
