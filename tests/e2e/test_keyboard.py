"""The keyboard alone: moving through lists and menus, and where the focus is afterwards."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenTab
from tests.e2e.screens import PRICED

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [390, 1440])
def test_the_chosen_item_stays_in_sight(open_tab: OpenTab, site: str, width: int) -> None:
    page = open_tab(width=width)
    page.goto(f"{site}/runs/{PRICED}/items")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "1204")
    chosen = page.get_by_role("row", selected=True)
    place = page.get_by_role("complementary", name=re.compile("^Item "))
    for number in range(1, 31):
        page.keyboard.press("j")
        expect(place).to_contain_text(f"{number} of 1,203")
    expect(chosen).to_contain_text("00029")
    expect(chosen).to_be_in_viewport(ratio=0.99)
    assert is_below_head(page)
    for number in range(29, 0, -1):
        page.keyboard.press("k")
        expect(place).to_contain_text(f"{number} of 1,203")
    expect(chosen).to_contain_text("00000")
    expect(chosen).to_be_in_viewport(ratio=0.99)
    assert is_below_head(page)


def is_below_head(page: Page) -> bool:
    is_below: bool = page.evaluate(
        """() => document.querySelector("[role=row][aria-selected=true]").getBoundingClientRect().top >=
        document.querySelector("[role=columnheader]").getBoundingClientRect().bottom - 1"""
    )
    return is_below


def test_a_linked_item_is_the_one_that_the_keys_go_on_from(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}/items?item=00040")
    chosen = page.get_by_role("row", selected=True)
    expect(chosen).to_contain_text("00040")
    expect(chosen).to_be_in_viewport(ratio=0.99)
    page.keyboard.press("j")
    expect(chosen).to_contain_text("00041")


def test_one_filter_is_marked_as_chosen(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}/items")
    current = page.get_by_role("navigation", name="Filter by outcome").locator("[aria-current]")
    expect(current).to_have_text(["All"])
    page.get_by_role("link", name="Errors").click()
    expect(current).to_have_text(["Errors"])
    page.get_by_role("row").nth(1).click()
    expect(current).to_have_text(["Errors"])


def test_the_focus_returns_after_a_dialog(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}")
    for name in ("Keyboard shortcuts", "Go to …"):
        opener = page.get_by_role("button", name=name)
        opener.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(opener).to_be_focused()


def test_arrows_move_in_a_menu(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}")
    opener = page.get_by_role("button", name="More")
    opener.focus()
    page.keyboard.press("ArrowDown")
    again = page.get_by_role("button", name="Run again, with changes")
    copy = page.get_by_role("button", name="Copy the link")
    expect(again).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(copy).to_be_focused()
    page.keyboard.press("Home")
    expect(again).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(copy).to_be_focused()  # the entry between them is for runs that have not ended
    page.keyboard.press("Escape")
    expect(again).to_be_hidden()
    expect(opener).to_be_focused()
