"""The form of a new run: names that are none, and what is missing before the start."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenTab

pytestmark = pytest.mark.browser


def test_half_a_name_makes_no_model(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/runs/new")
    field = page.get_by_role("combobox", name="Add a model")
    chosen = page.get_by_role("list", name="Chosen models")
    field.fill("sgl")
    expect(page.get_by_text("Providers:")).to_be_visible()
    field.press("Enter")
    expect(field).to_have_value("sglang/")
    field.fill("nothing")
    field.press("Enter")
    expect(field).to_have_value("nothing")
    expect(chosen).to_have_count(0)
    page.goto(f"{service}/ui/runs/new?model=sgl&model=other&benchmark=mmlu_pro")
    expect(page.get_by_text("sgl, other are not of the form provider/name")).to_be_visible()
    panel = page.get_by_role("complementary", name="Estimate")
    expect(panel).to_contain_text("Correct the marked fields")


def test_what_is_missing_is_told_for_each_model_and_benchmark(open_tab: OpenTab, service: str) -> None:
    page = open_tab(may_complain=True)  # the browser reports that there is no estimate
    models = "model=sim/good&model=sgl/x&model=foo/y&model=openai/gpt-5"
    page.goto(f"{service}/ui/runs/new?{models}&benchmark=hle&data=demo")
    lines = page.get_by_role("region", name="Before it starts").get_by_role("listitem")
    expect(lines).to_have_count(5)
    for place, part in enumerate(
        (
            "sim/good answers",
            "did you mean 'sglang'",
            "no model prefix 'foo'",
            "OPENAI_API_KEY",
            "choose a judge",
        )
    ):
        expect(lines.nth(place)).to_contain_text(part)
    expect(page.get_by_role("button", name="Start run")).to_be_disabled()
    page.get_by_role("button", name="Choose a judge").click()
    expect(page.get_by_role("textbox", name="Judges")).to_be_focused()


def test_the_cost_of_a_run_that_is_ready_stands_with_its_models(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/runs/new?model=sim/good&benchmark=mmlu_pro&data=demo")
    lines = page.get_by_role("region", name="Before it starts").get_by_role("listitem")
    expect(lines.nth(0)).to_contain_text("price unknown")
    expect(lines.nth(1)).to_contain_text("data: demo items")
    expect(page.get_by_role("button", name="Start run")).to_be_enabled()
