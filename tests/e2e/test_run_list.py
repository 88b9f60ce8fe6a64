"""What is done with the runs of the list: filters are kept, runs unfolded, tagged, archived and deleted."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from assay.domain.run import Description, EvaluationId, Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from tests.builders import Seeded
from tests.e2e.conftest import Serve, finished
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

ROW_PX = 45
LONG = "openrouter/some-lab/a-model-with-a-very-long-name-of-many-parts-70B-Instruct-2507"


def run_named(start: str, hours: int, *models: str, said: Description | None = None) -> Run:
    created = datetime.now(UTC) - timedelta(hours=hours)
    run = Run(RunId(f"{start}-0000"), RunSpec(models, ("letters",)), created, State.FAILED, created, created)
    return replace(run, description=said or Description())


@pytest.fixture
def listed() -> Stores:
    store = memory_stores()
    for run in (
        run_named("aaaa0001", 1, "sim/good", "sim/weak", said=Description("Nightly", "as before", ("ci",))),
        run_named("bbbb0001", 2, LONG),
        run_named("cccc0001", 3, "sim/weak"),
        run_named("dddd0001", 4, "sim/old", said=Description(is_archived=True)),
    ):
        evaluations = [
            Seeded(run).evaluation(id=EvaluationId(f"{run.id}/{model}"), model=model)
            for model in run.spec.models
        ]
        finished(store.runs.add(run, evaluations, []))
    return store


def row(page: Page, start: str) -> Locator:
    return page.locator(f"tbody[data-run^={start}]")


def pick(page: Page, *starts: str) -> Locator:
    for start in starts:
        page.get_by_role("checkbox", name=f"Select run {start}").check()
    return page.get_by_role("region", name="Selected runs")


def test_rows_are_low_and_say_what_the_run_is_called(page: Page, serve: Serve, listed: Stores) -> None:
    page.goto(f"{serve(listed)}/")
    expect(page.locator("tbody")).to_have_count(3)
    for part in ("sim/good", "+1", "Nightly", "#ci", "as before"):
        expect(row(page, "aaaa")).to_contain_text(part)
    heights = page.locator("tbody").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert all(40 <= height <= ROW_PX for height in heights), heights
    expect(row(page, "bbbb")).to_contain_text(LONG)
    row(page, "aaaa").get_by_role("button", name="2 evaluations").click()
    expect(row(page, "aaaa").get_by_role("row")).to_have_count(3)
    expect(row(page, "aaaa").get_by_role("row").nth(2)).to_contain_text("sim/weak")
    page.get_by_role("link", name="#ci").click()
    expect(page.locator("tbody")).to_have_count(1)
    page.get_by_role("link", name="Remove the filter by tag ci").click()
    expect(page.locator("tbody")).to_have_count(3)


def test_a_filter_is_saved_under_a_name(page: Page, serve: Serve, listed: Stores) -> None:
    page.goto(f"{serve(listed)}/?status=failed&q=weak")
    expect(page.locator("tbody")).to_have_count(2)
    page.get_by_role("button", name="Saved").click()
    page.get_by_role("button", name="Save or remove filters").click()
    page.get_by_label("Name of the current filter").fill("Weak failures")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(page.url.partition("?")[0])
    expect(page.locator("tbody")).to_have_count(3)
    page.get_by_role("button", name="Saved").click()
    page.get_by_role("button", name="Weak failures").click()
    expect(page).to_have_url(re.compile(r"\?q=weak&status=failed$"))
    expect(page.locator("tbody")).to_have_count(2)
    page.get_by_role("button", name="Saved").click()
    page.get_by_role("button", name="Save or remove filters").click()
    page.get_by_role("button", name="Remove the filter Weak failures").click()
    expect(page.get_by_role("dialog")).not_to_contain_text("Weak failures")


def test_runs_are_tagged_archived_and_brought_back(page: Page, serve: Serve, listed: Stores) -> None:
    page.goto(f"{serve(listed)}/")
    tray = pick(page, "aaaa0001", "bbbb0001")
    tray.get_by_role("button", name="Tag").click()
    dialog = page.get_by_role("dialog", name="Tag 2 runs")
    dialog.get_by_label("Tags to add").fill("v2 #kept")
    dialog.get_by_label("Tags to remove").fill("ci")
    dialog.get_by_role("button", name="Change tags").click()
    for start in ("aaaa", "bbbb"):
        expect(row(page, start)).to_contain_text("#kept#v2")
    expect(row(page, "aaaa")).not_to_contain_text("#ci")
    tray.get_by_role("button", name="Archive").click()
    expect(page.locator("tbody")).to_have_count(1)
    page.get_by_role("link", name="Archived").click()
    expect(page.locator("tbody")).to_have_count(3)
    pick(page, "dddd0001").get_by_role("button", name="Unarchive").click()
    expect(page.locator("tbody")).to_have_count(2)
    page.get_by_role("link", name="All", exact=True).click()
    expect(row(page, "dddd")).to_be_visible()


def test_one_run_gets_a_name_and_a_note(page: Page, serve: Serve, listed: Stores) -> None:
    page.goto(f"{serve(listed)}/")
    pick(page, "cccc0001").get_by_role("button", name="Name and note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Baseline")
    dialog.get_by_label("Note").fill("before the change")
    dialog.get_by_role("button", name="Save").click()
    expect(row(page, "cccc")).to_contain_text("Baseline")
    expect(row(page, "cccc")).to_contain_text("before the change")


def test_all_runs_of_a_page_are_deleted_together(page: Page, serve: Serve, listed: Stores) -> None:
    page.goto(f"{serve(listed)}/?q=sim")
    page.get_by_role("checkbox", name="Select all runs on this page").check()
    tray = page.get_by_role("region", name="Selected runs")
    expect(tray).to_contain_text("2 runs selected")
    tray.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete 2 runs?").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    expect(tray).to_be_hidden()
    page.get_by_role("link", name="Show all runs").click()
    expect(page.locator("tbody")).to_have_count(1)
