"""The list of runs and the page of one run, as a reader meets them."""

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, Page, expect

from assay.domain.calls.messages import Json
from assay.domain.event import Event, EventType
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Summary, Tokens
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import OpenTab, Serve, finished
from tests.e2e.screens import LIVE
from tests.e2e.seeded import attempts_of_running
from tests.stores import memory_stores

pytestmark = pytest.mark.browser


def rows_of(page: Page, run_id: str) -> Locator:
    return page.locator("tbody").filter(has=page.get_by_role("link", name=run_id))


def test_the_list_shows_live_runs_first_and_scores_with_their_intervals(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.locator("tbody")).to_have_count(8)
    expect(page.locator("tbody").nth(0)).to_contain_text("Running")
    expect(page.locator("tbody").nth(1)).to_contain_text("Queued")
    priced = rows_of(page, "c81e4d2f")
    for part in (
        "85.5",
        "83.4 \N{EN DASH} 87.4",
        "1,180 / 1,203",
        "$5.79",
        "48\N{NARROW NO-BREAK SPACE}min",
    ):
        expect(priced).to_contain_text(part)
    tried = rows_of(page, "a3f2918c")
    expect(tried).to_contain_text("demo")
    expect(tried.get_by_role("cell", name="unknown")).to_be_visible()
    expect(rows_of(page, "e0457b6a")).to_contain_text("1 of 2 failed")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1615")


def test_filters_live_in_the_url_and_survive_a_reload(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.locator("tbody")).to_have_count(8)
    page.keyboard.press("/")
    page.keyboard.type("GEMINI")
    expect(page.locator("tbody")).to_have_count(2)
    page.get_by_role("link", name="Succeeded", exact=True).click()
    expect(page.locator("tbody")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"q=GEMINI&status=succeeded$"))
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("GEMINI")
    expect(page.locator("tbody")).to_have_count(1)
    page.go_back()
    expect(page.locator("tbody")).to_have_count(2)


def test_the_server_sorts_all_runs(page: Page, site: str, open_tab: OpenTab) -> None:
    page.goto(f"{site}/")
    cost = page.get_by_role("columnheader", name="Cost")
    first = page.locator("tbody").first
    cost.get_by_role("button").click()
    expect(cost).to_have_attribute("aria-sort", "descending")
    expect(first).to_contain_text("b7710c3e")
    page.reload()
    expect(first).to_contain_text("b7710c3e")
    cost.get_by_role("button").click()
    expect(first).to_contain_text("c81e4d2f")
    expect(page).to_have_url(re.compile(r"\?sort=cost$"))
    cost.get_by_role("button").click()
    expect(first).to_contain_text("Running")
    phone = open_tab(width=390)
    phone.goto(f"{site}/")
    phone.get_by_label("Sort").select_option("Longest first")
    expect(phone.locator("tbody").first).to_contain_text("0be77f43")


def test_a_run_opens_with_everything_its_score_depends_on(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("link", name="Open run c81e4d2f").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("google/gemini-2.5-pro on mmlu_pro")
    card = page.get_by_role("article")
    for part in (
        "85.5",
        "Wilson, n = 1,180",
        "scored 1,180 of 1,203, 23 missing",
        "if those were all wrong or all right",
        "version 1.0, official",
        "temperature 0, at most 2,048 tokens",
        "grader choice letter 2",
        "1,009 correct",
        "12 truncated",
        "14 timeout",
    ):
        expect(card).to_contain_text(part)
    page.reload()
    expect(card).to_contain_text("unparsed 0.6")


async def progress(store: Stores, completed: int) -> None:
    now = datetime.now(UTC)
    await store.attempts.add(attempts_of_running(completed, now))
    await store.events.add([Event(RunId(LIVE), EventType.BENCHMARK_PROGRESS, now)])


def test_progress_moves_without_a_reload(page: Page, serve: Serve, store: Stores) -> None:
    page.goto(f"{serve(store)}/")
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "1615")
    finished(progress(store, 800))
    expect(bar).to_have_attribute("value", "2003")


def test_the_page_of_a_live_run_says_why_it_is_slow(page: Page, serve: Serve, store: Stores) -> None:
    model, benchmark = "openrouter/google/gemini-2.5-pro", "mmlu_pro"
    data: dict[str, Json] = {
        "endpoint": "https://h/v1", "calls_in_flight": 3, "call_limit": 4, "rate_limited": 31,
        "retries": 1_032, "waiting_to_retry": 2, "retry_reason": "HTTP 429: slow down",
        "requests_per_s": 2.0, "input_tokens": 60_000, "output_tokens": 4_000, "cost_usd": 1.25,
    }  # fmt: skip
    slow = Event(RunId(LIVE), EventType.BENCHMARK_PROGRESS, datetime.now(UTC), "", benchmark, model, data)
    page.goto(f"{serve(store)}/runs/{LIVE}")
    expect(page).to_have_title("67 % · 2 models on mmlu_pro · Assay")
    strip = page.get_by_role("region", name="Progress")
    reason = strip.get_by_text("Rate limited: 2 attempts at openrouter/google/gemini-2.5-pro wait")
    for _ in range(100):  # until the stream is open: it begins with what happens then
        finished(store.events.add([slow]))
        page.wait_for_timeout(200)
        if reason.is_visible():
            break
    expect(reason).to_contain_text("HTTP 429: slow down")
    for figure in ("2.0/s", "3 of 4 allowed", "1,032", "$1.25"):
        expect(strip).to_contain_text(figure)
    row = page.get_by_role("table").first.get_by_role("row", name=re.compile("gemini"))
    for figure in ("so far", "412 of 1,203", "$1.25", "64K"):
        expect(row).to_contain_text(figure)


def test_an_empty_store_says_what_to_try(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(memory_stores())}/")
    expect(page.get_by_role("button", name="Start the demo run")).to_be_enabled()
    command = "assay run sim/good,sim/weak mmlu_pro,ifeval --data demo"
    expect(page.get_by_text(command)).to_be_visible()


def test_runs_are_selected_by_key_and_compared(page: Page, site: str) -> None:
    page.goto(f"{site}/?status=succeeded")
    expect(page.locator("tbody")).to_have_count(4)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("2 runs selected")).to_be_visible()
    page.reload()
    expect(page.get_by_text("2 runs selected")).to_be_visible()
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile("/compare\\?run=.*&run="))
    expect(page.get_by_role("article").first).to_contain_text("points")


def test_a_lost_connection_is_told_and_polled_until_it_is_back(
    open_tab: OpenTab, serve: Serve, store: Stores
) -> None:
    page = open_tab(may_complain=True)
    page.route("**/api/events*", lambda route: route.abort())
    page.goto(f"{serve(store)}/")
    expect(page.get_by_text("Live updates are interrupted")).to_be_visible()
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "1615")
    finished(progress(store, 700))
    expect(bar).to_have_attribute("value", "1903", timeout=8_000)
    page.unroute("**/api/events*")
    expect(page.get_by_text("Live updates are interrupted")).to_be_hidden(timeout=8_000)


def test_the_palette_and_the_map_of_keys(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.locator("tbody")).to_have_count(8)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Compare the selected runs")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
    page.keyboard.type("leader")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Leaderboard")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", level=1)).to_contain_text("System")


def test_the_chosen_theme_stays(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    page.reload()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_names_from_outside_stay_text(page: Page, serve: Serve) -> None:
    hostile = "sim/<img src=x onerror=alert(1)>"
    run = Run(RunId("hostile-run"), RunSpec((hostile,), ("letters",)), datetime.now(UTC), State.FAILED)
    evaluation = Seeded(run).evaluation(model=hostile, state=State.FAILED, error="<script>alert(2)</script>")
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    page.goto(f"{serve(store)}/")
    expect(page.locator("tbody")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator("tbody")).to_contain_text("<script>alert(2)</script>")
    expect(page.locator("tbody img, tbody script")).to_have_count(0)


def test_a_score_that_says_little_has_a_warning(page: Page, serve: Serve) -> None:
    run = Run(RunId("unread-run"), RunSpec(("sim/null",), ("mmlu_pro",)), datetime.now(UTC), State.SUCCEEDED)
    summary = Summary(
        score=score_estimate([0.0] * 4, None),
        scored=4,
        total=4,
        outcomes={Outcome.UNPARSED: 4},
        bounds=None,
        cut=0,
        tokens=Tokens(),
        cost_usd=None,
    )
    evaluation = Seeded(run).evaluation(
        model="sim/null", benchmark="mmlu_pro", state=State.SUCCEEDED, summary=summary
    )
    unread = [
        attempt(str(number), evaluation_id=evaluation.id, outcome=Outcome.UNPARSED, score=0.0)
        for number in range(4)
    ]
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    finished(store.attempts.add(unread))
    address = serve(store)
    message = "4 of 4 replies have no answer (4 unparsed)"
    page.goto(f"{address}/")
    expect(page.locator("tbody")).to_contain_text(f"Warning: {message}")
    page.goto(f"{address}/runs/{run.id}")
    expect(page.get_by_role("article")).to_contain_text(message)
    page.goto(f"{address}/leaderboard?benchmark=mmlu_pro")
    expect(page.locator("tbody")).to_contain_text(f"Warning: {message}")


def test_the_keyboard_reaches_a_run(page: Page, site: str) -> None:
    page.goto(f"{site}/")
    expect(page.locator("tbody")).to_have_count(8)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.get_by_role("link", name="Open run f6b0c7d1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("CHUTES_API_KEY")


def test_wrong_addresses_say_so(open_tab: OpenTab, site: str) -> None:
    page = open_tab(may_complain=True)  # the browser reports the 404 of the missing run
    page.goto(f"{site}/runs/ffffffff")
    expect(page.get_by_role("heading", name="Run not found")).to_be_visible()
    page.goto(f"{site}/x/y")
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
