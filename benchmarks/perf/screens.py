"""How soon the web UI shows something of a database with a run of 50,000 items.

    python -m benchmarks.perf.screens

Opens the list of runs with an empty cache, and types filters into the items of the run, in Chromium. It
prints the best of a few tries, against half a second for the list and 0.3 s for a filter.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.conftest import FLAGS, browser_path
from tests.e2e.test_large import RUN, served_large_run

FIRST_SCREEN_WITHIN_S = 0.5
FILTER_WITHIN_S = 0.3
_TRIES = 8
_IS_SHOWN = "text => document.querySelector('main').textContent.includes(text)"


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def first_screen_s(browser: Browser, address: str) -> float:
    with browser.new_context() as context:
        page = context.new_page()

        def show() -> None:
            page.goto(f"{address}/", wait_until="commit")
            page.wait_for_selector("tbody[data-run]")

        return seconds(show)


def filter_s(page: Page, number: int) -> float:
    def narrow() -> None:
        page.get_by_role("searchbox").fill(f"item-0{number}")
        page.wait_for_function(_IS_SHOWN, arg=f"item-0{number}000", polling=10)

    return seconds(narrow)


def main() -> int:
    with TemporaryDirectory() as folder, served_large_run(Path(folder)) as address, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=browser_path(), args=FLAGS)
        first_s = min(first_screen_s(browser, address) for _ in range(_TRIES))
        page = browser.new_page()
        page.goto(f"{address}/runs/{RUN}/items?outcome=incorrect")
        page.wait_for_function(_IS_SHOWN, arg="10,000 items")
        narrowed_s = min(filter_s(page, number) for number in range(_TRIES))
        browser.close()
    print(f"first screen {first_s:.2f} s, at most {FIRST_SCREEN_WITHIN_S} s")
    print(f"filter {narrowed_s:.2f} s, at most {FILTER_WITHIN_S} s")
    return int(first_s > FIRST_SCREEN_WITHIN_S or narrowed_s > FILTER_WITHIN_S)


if __name__ == "__main__":
    sys.exit(main())
