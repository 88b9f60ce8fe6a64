"""The page of one run: the table of its results, its verdict, and being told of its end."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from assay.domain.event import Event, EventType
from assay.domain.run import RunId, State
from assay.engine.stores import Stores
from tests.e2e.conftest import Serve, finished
from tests.e2e.screens import DEMO, LIVE, OTHERS

pytestmark = pytest.mark.browser

# Headless browsers show no notifications and refuse to be asked for them.
NOTIFICATIONS = """
window.asked = 0;
window.shown = [];
window.Notification = class extends EventTarget {
  static permission = "default";
  static async requestPermission() {
    window.asked += 1;
    return (this.permission = window.asked > 1 ? "granted" : "denied");
  }
  constructor(title, { body }) {
    super();
    window.shown.push([title, body]);
  }
};
"""


def test_models_and_benchmarks_are_in_one_table_that_leads_to_items(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{DEMO}")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 models on mmlu_pro, ifeval")
    expect(page).to_have_title("Done · 2 models on mmlu_pro, ifeval · Assay")
    chips = page.get_by_role("list", name="Models").get_by_role("listitem")
    expect(chips).to_contain_text(["sim/good", "sim/weak"])
    table = page.get_by_role("table", name="Models and benchmarks")
    expect(table.get_by_role("columnheader")).to_have_text(["Model", "MMLU-Pro", "IFEval"])
    cell = table.get_by_role("row", name="sim/weak").get_by_role("cell").first
    for part in ("37.5", "scored 24 of 24", "tokens", "TTFT"):
        expect(cell).to_contain_text(part)
    expect(cell).to_be_in_viewport()
    cell.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/items\\?benchmark=mmlu_pro&model=sim(/|%2F)weak"))


def test_results_on_one_benchmark_have_a_column_for_each_figure(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{OTHERS}")
    table = page.get_by_role("table", name="Models on mmlu_pro")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["Model", "Score", "Scored", "Cost", "Tokens", "TTFT"]
    )
    row = table.get_by_role("row", name=re.compile("gpt-5-mini"))
    expect(row).to_contain_text("80.0")
    expect(row).to_contain_text("1,203 of 1,203")


def test_one_verdict_stands_before_all_pairs(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{DEMO}")
    verdict = page.get_by_role("region", name="How the models compare")
    expect(verdict.get_by_role("paragraph")).to_contain_text("sim/good is better than sim/weak on mmlu_pro")
    expect(verdict.get_by_role("listitem")).to_have_count(0)
    verdict.get_by_text("Both pairs").click()
    expect(verdict.get_by_role("listitem")).to_have_count(2)


def test_the_end_of_a_run_is_told_only_if_asked_for(page: Page, serve: Serve, store: Stores) -> None:
    page.add_init_script(NOTIFICATIONS)
    page.goto(f"{serve(store)}/runs/{LIVE}")
    bell = page.get_by_role("button", name="Notify me when it ends")
    expect(bell).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.asked") == 0
    bell.click()
    expect(page.get_by_text("The browser blocks notifications")).to_be_visible()
    expect(bell).to_have_attribute("aria-pressed", "false")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_title("Updated live")).to_be_visible()
    finished(_end(store))
    expect(page).to_have_title("Done · 2 models on mmlu_pro · Assay")
    page.wait_for_function("window.shown.length === 1")
    assert page.evaluate("window.shown[0][0]") == "Done · 2 models on mmlu_pro"
    expect(bell).to_have_count(0)


async def _end(store: Stores) -> None:
    now = datetime.now(UTC)
    await store.runs.set_state(RunId(LIVE), State.SUCCEEDED, at=now)
    await store.events.add([Event(RunId(LIVE), EventType.RUN_COMPLETED, now)])
