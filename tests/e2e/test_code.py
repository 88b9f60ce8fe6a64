"""Code tasks in the web UI, against the real service: chosen, run, looked into, ranked and deleted."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenTab

pytestmark = pytest.mark.browser

SETTLED_MS = 60_000
TASK = "python_bugfix_interval_overlap"


def test_a_task_from_the_form_to_the_leaderboard(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/code?model=sim/oracle")
    main, panel = page.get_by_role("main"), page.get_by_role("complementary", name="The run")
    for option in ("Show the tests to the model", "Accept incomplete diffs", "Rewrite fallback"):
        expect(main.get_by_role("checkbox", name=option)).not_to_be_checked()
    main.get_by_role("button", name="None", exact=True).click()
    expect(panel.get_by_role("button", name="Start run")).to_be_disabled()
    main.get_by_role("checkbox", name=re.compile(TASK)).check()
    expect(panel).to_contain_text(f"assay code run --models sim/oracle --tasks {TASK}")
    panel.get_by_role("button", name="Start run").click()

    expect(main.get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    main.get_by_role("row", name=re.compile(TASK)).get_by_role("link").first.click()
    expect(main).to_contain_text("passed all 9 tests")
    expect(main).to_contain_text("test_touching_ends")
    expect(main).to_contain_text("rooms/intervals.py")

    page.goto(f"{service}/ui/code?view=leaderboard")
    row = main.get_by_role("table", name="Best run of each model").get_by_role(
        "row", name=re.compile("oracle")
    )
    expect(row).to_contain_text("100.0 %")
    expect(row).to_contain_text("1 of 1 [2.5, 100.0]")
    parts = main.get_by_role("table", name=re.compile("by language, type and difficulty"))
    expect(parts.get_by_role("columnheader", name="python")).to_be_visible()
    row.get_by_role("button", name="Delete sim/oracle at base").click()
    page.get_by_role("button", name="Delete the runs").click()
    expect(row).to_be_hidden()


def test_an_attempt_without_a_verdict_is_made_again(open_tab: OpenTab, service: str) -> None:
    """The answer of the server is changed on its way: endpoints that fail are asked again for minutes."""
    page = open_tab()
    asked: list[object] = []

    def without_verdict(route: Route) -> None:
        response = route.fetch()
        item = response.json()
        item["attempts"][0]["outcome"] = "timeout"
        route.fulfill(response=response, json=item)

    def retried(route: Route) -> None:
        asked.append(route.request.post_data_json)
        run_id = route.request.url.split("/")[-2]
        retry = {"retry_run_id": run_id, "original_run_id": run_id, "api_errors_found": 1, "message": ""}
        route.fulfill(json=retry)

    page.route(re.compile(rf"/items/{TASK}\?"), without_verdict)
    page.route("**/retry-single", retried)
    page.goto(f"{service}/ui/code?model=sim/oracle&task={TASK}&thinking=high")
    page.get_by_role("button", name="Start run").click()
    main = page.get_by_role("main")
    expect(main.get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    main.get_by_role("row", name=re.compile(TASK)).get_by_role("link").first.click()
    main.get_by_role("button", name="Retry this attempt").click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]+/tasks"))
    attempt = {"model": "sim/oracle", "sample_index": 0, "thinking_level": "high"}
    assert asked == [{"task_id": TASK, **attempt}]
    # The page may be reading the item anew, which must not be cut off by the end of the test.
    page.unroute_all(behavior="wait")
