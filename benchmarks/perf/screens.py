"""How soon the web UI shows something of a database with a run of 50,000 items.

    python -m benchmarks.perf.screens

Its prompts have 0.6 kB and its replies 1.5 kB. Opens the list of runs and the items with an empty cache,
types filters, and goes from item to item, in Chromium. It prints the best of a few tries, the time that each
search takes, what the index adds to the database, and the JavaScript that the first screen loads.
"""

import gzip
import random
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from assay.domain.calls.messages import Prompt
from tests.e2e.conftest import FLAGS, browser_path
from tests.e2e.test_large import ITEMS, RUN, served_large_run

FIRST_ROWS_WITHIN_S = 1.0
INTERACTION_WITHIN_S = 0.1
SEARCH_WITHIN_S = 0.3
FIRST_SCREEN_WITHIN_BYTES = 150_000
_TRIES = 8
_IS_SHOWN = "text => document.querySelector('main')?.textContent.includes(text)"
_PROMPT_WORDS, _REPLY_WORDS = 100, 250
_RARE_EVERY = 997
# What every text holds has to be looked for in all of them.
_SEARCH_OF_ALL_WITHIN_S = 1.0
# In a few texts, in one of twenty, in none, in most; and in all.
_SEARCHES = {
    "zanzibar cove": SEARCH_WITHIN_S,
    "quince": SEARCH_WITHIN_S,
    "no such words": SEARCH_WITHIN_S,
    "qu": SEARCH_WITHIN_S,
    "the answer is": _SEARCH_OF_ALL_WITHIN_S,
}


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float
    most: float
    unit: str = "s"

    @property
    def is_met(self) -> bool:
        return self.value <= self.most

    def __str__(self) -> str:
        digits = 2 if self.unit == "s" else 0
        return f"{self.name}: {self.value:,.{digits}f} {self.unit}, at most {self.most:,g} {self.unit}"


@cache
def _words() -> list[str]:
    chance = random.Random(5)  # noqa: S311 # texts, no secrets
    return ["".join(chance.choices("abcdefghijklmnoprstuvwy", k=chance.randint(2, 9))) for _ in range(4_000)]


def texts(number: int) -> dict[str, Any]:
    chance = random.Random(number)  # noqa: S311 # as above
    reply = " ".join(chance.choices(_words(), k=_REPLY_WORDS))
    if number % _RARE_EVERY == 0:
        reply += " zanzibar cove"
    if number % 20 == 0:
        reply += " quince"
    prompt = Prompt.of_user(" ".join(chance.choices(_words(), k=_PROMPT_WORDS))).to_json()
    return {"prompt": prompt, "answer": f"{reply} The answer is {number % 97}."}


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def first_rows_s(browser: Browser, address: str, path: str, row: str) -> float:
    with browser.new_context() as context:
        page = context.new_page()

        def show() -> None:
            page.goto(f"{address}{path}", wait_until="commit")
            page.wait_for_selector(row)

        return seconds(show)


def filter_s(page: Page, number: int) -> float:
    def narrow() -> None:
        page.get_by_role("searchbox").fill(f"item-0{number}")
        page.wait_for_function(_IS_SHOWN, arg=f"item-0{number}000", polling=10)

    return seconds(narrow)


def next_item_s(page: Page, number: int) -> float:
    def step() -> None:
        page.keyboard.press("j")
        page.wait_for_selector(f"aside[aria-label='Item item-{number:05}'] section[aria-label=Reply]")

    return seconds(step)


def search_s(page: Page, address: str, words: str) -> float:
    url = f"{address.removesuffix('/ui')}/api/runs/{RUN}/benchmarks/letters"

    def find() -> None:
        query: dict[str, str | float | bool] = {"search": words, "summary": False, "brief": True}
        page.request.get(url, params=query)

    return min(seconds(find) for _ in range(3))


def first_screen_bytes(browser: Browser, address: str) -> int:
    """Size of the JavaScript, compressed as a server would send it."""
    sizes: list[int] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on(
            "response",
            lambda response: (
                sizes.append(len(gzip.compress(response.body()))) if response.url.endswith(".js") else None
            ),
        )
        page.goto(f"{address}/", wait_until="networkidle")
    return sum(sizes)


def index_share(path: Path) -> tuple[float, float]:
    """Megabytes of the index, and of the whole database."""
    with closing(sqlite3.connect(path)) as database:
        sizes = dict(database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    index = sum(size for name, size in sizes.items() if "search" in name)
    return index / 1e6, sum(sizes.values()) / 1e6


def measured(browser: Browser, address: str) -> list[Figure]:
    items = f"/runs/{RUN}/items"
    runs_s = min(first_rows_s(browser, address, "/", "tbody[data-run]") for _ in range(_TRIES))
    items_s = min(first_rows_s(browser, address, items, "[role=gridcell]") for _ in range(_TRIES))
    page = browser.new_page()
    page.goto(f"{address}{items}?outcome=incorrect")
    page.wait_for_function(_IS_SHOWN, arg="10,000 items")
    filtered_s = min(filter_s(page, number) for number in range(_TRIES))
    page.goto(f"{address}{items}")
    page.wait_for_function(_IS_SHOWN, arg=f"{ITEMS:,} items")
    stepped_s = min(next_item_s(page, number) for number in range(_TRIES))
    return [
        Figure("first rows of the runs", runs_s, FIRST_ROWS_WITHIN_S),
        Figure("first rows of the items", items_s, FIRST_ROWS_WITHIN_S),
        Figure("filter by id", filtered_s, SEARCH_WITHIN_S),
        Figure("next item", stepped_s, INTERACTION_WITHIN_S),
        *(
            Figure(f"search for {words!r}", search_s(page, address, words), most_s)
            for words, most_s in _SEARCHES.items()
        ),
        Figure(
            "JavaScript of the first screen",
            first_screen_bytes(browser, address),
            FIRST_SCREEN_WITHIN_BYTES,
            "bytes",
        ),
    ]


def main() -> int:
    with TemporaryDirectory() as folder:
        with served_large_run(Path(folder), texts) as address, sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=browser_path(), args=FLAGS)
            figures = measured(browser, address)
            browser.close()
        index_mb, whole_mb = index_share(Path(folder) / "home" / "assay.db")
    for figure in figures:
        print(figure)
    print(f"index of the texts: {index_mb:.0f} MB of {whole_mb:.0f} MB")
    return int(not all(figure.is_met for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
