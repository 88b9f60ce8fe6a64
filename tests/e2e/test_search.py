"""Runs are found however old they are: by id, model, name and tag."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from assay.domain.run import Description, Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from tests.builders import Seeded
from tests.e2e.conftest import OpenTab, Serve, finished
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

OLDEST = RunId("0ldest00-0000-4000-8000-000000000000")
NEWER = 130


async def old_store(now: datetime) -> Stores:
    store = memory_stores()
    for number in range(NEWER + 1):
        run_id = OLDEST if number == NEWER else RunId(f"{number:08}-0000-4000-8000-000000000000")
        model = "vllm/rare" if number == NEWER else "sim/good"
        spec = RunSpec((model,), ("letters",))
        run = Run(run_id, spec, now - timedelta(minutes=number), State.CANCELED)
        await store.runs.add(run, [Seeded(run, f"e{number}").evaluation(model=model)], [])
    await store.runs.describe(OLDEST, Description("before the release", "", ("baseline-7",)))
    return store


def test_an_old_run_is_found_by_every_name_it_has(open_tab: OpenTab, serve: Serve) -> None:
    page = open_tab(may_complain=True)  # the browser reports that one run alone cannot be compared
    address = serve(finished(old_store(datetime.now(UTC))))
    page.goto(f"{address}/")
    expect(page.locator("tbody")).to_have_count(50)
    for words in ("0ldest", "rare", "the release", "baseline-7", "RARE letters"):
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
        page.keyboard.type(words)
        found = page.get_by_role("option").filter(has_text="vllm/rare")
        expect(found).to_have_count(1)
        expect(found).to_contain_text("before the release · #baseline-7")
        page.keyboard.press("Escape")
    page.goto(f"{address}/compare")
    field = page.get_by_role("combobox", name="Add a run")
    field.click()
    expect(page.get_by_role("option")).to_have_count(8)
    field.fill("baseline-7")
    option = page.get_by_role("option")
    expect(option).to_have_text([re.compile("vllm/rare · 0ldest00before the release")])
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"run={OLDEST}$"))
    expect(page.get_by_role("list", name="Runs compared")).to_contain_text("vllm/rare · 0ldest00")
