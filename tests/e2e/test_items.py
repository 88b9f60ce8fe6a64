"""The items of a run: a list to filter, an item beside it, texts that stay texts."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json, Usage
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, Run, RunId, RunSpec, State
from tests.builders import NOON, Seeded, attempt
from tests.e2e.attempts import HOSTILE_ITEM
from tests.e2e.conftest import OpenTab, Serve, finished
from tests.e2e.screens import COMPARED, DEMO, PRICED
from tests.e2e.seeded import seeded_store
from tests.stores import memory_stores

pytestmark = pytest.mark.browser


def test_the_keys_move_from_item_to_item(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}/items")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "1204")
    page.keyboard.press("j")
    panel = page.get_by_role("complementary", name=re.compile("^Item "))
    expect(panel).to_contain_text("1 of 1,203")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(panel).to_contain_text("2 of 1,203")
    expect(page.get_by_role("row", selected=True)).to_contain_text("00001")
    page.reload()
    expect(panel).to_contain_text("2 of 1,203")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile("/items$"))


def test_every_view_of_the_items_is_in_the_address(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}/items")
    page.get_by_role("link", name="Errors").click()
    total = page.get_by_role("status").filter(has_text="items")
    expect(total).to_have_text("23 items")
    page.get_by_role("button", name="Time").click()
    page.keyboard.press("/")
    page.keyboard.type("00")
    expect(page).to_have_url(re.compile("q=00&|q=00$"))
    expect(total).not_to_have_text("23 items")
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text(re.compile("timeout|rate limited"))
    shown = first.text_content() or ""
    page.reload()
    expect(first).to_have_text(shown)
    expect(page.get_by_role("searchbox")).to_have_value("00")
    expect(page.get_by_role("columnheader", name="Time")).to_have_attribute("aria-sort", "descending")


def test_a_hostile_reply_stays_text(page: Page, site: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{site}/runs/{DEMO}/items/{HOSTILE_ITEM}?benchmark=mmlu_pro&model=sim/good")
    reply = page.get_by_role("region", name="Reply")
    expect(reply).to_contain_text("<img src=x onerror=alert(1)> <script>alert(2)</script>")
    expect(reply).to_contain_text("image: pixel (https://evil.example/p.png)")
    for view in ("As sent", "Raw JSON"):
        page.get_by_text(view, exact=True).click()
    assert page.locator("main img, main iframe, main script, main a[href^='javascript']").count() == 0
    assert [url for url in asked if not url.startswith(site.removesuffix("/ui"))] == []


def test_the_arrivals_of_a_reply_are_drawn_and_listed(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{PRICED}/items?q=00007")
    page.get_by_role("row").nth(1).click()
    drawn = page.get_by_role("figure", name="How the reply came in")
    gap = re.compile(r"in \d+ chunks; the longest gap was 2\.\d")
    expect(drawn.get_by_role("img", name=gap)).to_be_visible()
    expect(drawn).to_contain_text("stalled over 2 s")
    drawn.get_by_text("Show the data").click()
    expect(drawn.get_by_role("row").nth(1)).to_contain_text("stall")


def test_masked_texts_are_revealed_in_this_tab_only(page: Page, serve: Serve) -> None:
    run = Run(RunId("gated-run"), RunSpec(("sim/good",), ("letters",)), datetime.now(UTC), State.SUCCEEDED)
    of_demo_items = Seeded(run).evaluation(state=State.SUCCEEDED)
    official = replace(of_demo_items.fingerprint, data_revision="9c2e")
    # Its benchmark is not installed here, so nobody knows whether it is gated.
    evaluation = replace(of_demo_items, fingerprint=official)
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    made = attempt("0", evaluation_id=evaluation.id, answer="the secret of the lighthouse")
    finished(store.attempts.add([made]))
    page.goto(f"{serve(store)}/runs/gated-run/items")
    expect(page.get_by_role("searchbox")).to_be_disabled()
    page.get_by_role("row").nth(1).click()
    panel = page.get_by_role("complementary", name="Item 0")
    expect(panel).to_contain_text("ask that its items not be published")
    expect(panel).not_to_contain_text("lighthouse")
    panel.get_by_role("button", name="Reveal the texts").click()
    expect(panel).to_contain_text("the secret of the lighthouse")
    page.reload()
    expect(panel).to_contain_text("[masked")
    expect(panel).not_to_contain_text("lighthouse")


def test_what_a_verdict_rests_on_is_shown(page: Page, serve: Serve) -> None:
    sandbox: dict[str, Json] = {"backend": "process", "isolation": "none", "enforced": [], "verified": True}
    details: dict[str, Json] = {
        "robust": {"extracted": "C", "is_correct": True},
        "sandbox": sandbox,
        "tests": 5,
        "stderr": "Traceback\nboom",
    }
    odd = attempt(
        "odd",
        evaluation_id=EvaluationId(f"{DEMO}-0"),
        outcome=Outcome.UNPARSED,
        score=0.0,
        extracted=None,
        test_code="assert f() == 1",
        details=details,
    )
    store = finished(seeded_store(datetime.now(UTC)))
    finished(store.attempts.add([odd]))
    page.goto(f"{serve(store)}/runs/{DEMO}/items/odd?benchmark=mmlu_pro&model=sim/good")
    verdict = page.get_by_role("region", name="Verdict")
    for part in ("the robust one reads C, which is right", "The official verdict counts", "Unsafe", "boom"):
        expect(verdict).to_contain_text(part)
    page.get_by_text("Test code").click()
    expect(page.get_by_text("assert f() == 1")).to_be_visible()


def test_a_comparison_keeps_its_view(page: Page, site: str) -> None:
    page.goto(f"{site}/compare?{COMPARED}")
    expect(page.get_by_role("article").first).to_contain_text("openrouter/google/gemini-2.5-pro against")
    page.get_by_role("link", name="Items", exact=True).click()
    page.get_by_text("All wrong").click()
    expect(page).to_have_url(re.compile("view=items.*items=all_wrong"))
    row = page.get_by_role("button", expanded=False).filter(has_text=re.compile(r"^\d{5}$")).first
    row.click()
    expect(page.get_by_role("link", name="Transcript")).to_have_count(3)
    page.reload()
    expect(page.get_by_role("link", name="Transcript")).to_have_count(3)
    page.get_by_role("link", name="Matrix").click()
    expect(page.get_by_text("solved by at least one")).to_be_visible()
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown").click()
    assert download.value.suggested_filename == "comparison.md"
    assert "openrouter/google/gemini-2.5-pro" in download.value.path().read_text()


def test_a_phone_shows_an_item_over_the_list(open_tab: OpenTab, site: str) -> None:
    page = open_tab(width=390)
    page.goto(f"{site}/runs/{PRICED}/items")
    page.get_by_role("row").nth(3).click()
    panel = page.get_by_role("complementary", name=re.compile("^Item "))
    expect(panel).to_be_in_viewport(ratio=0.9)
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


def test_a_cell_of_the_matrix_is_named_and_opened(page: Page, site: str) -> None:
    page.goto(f"{site}/compare?{COMPARED}&view=matrix")
    expect(page.get_by_role("list", name="Colours").get_by_role("listitem")).to_have_count(4)
    matrix = page.get_by_role("group", name=re.compile("items against"))
    expect(page.get_by_text("1,203 of 1,203 items")).to_be_visible()
    matrix.hover(position={"x": 2, "y": 30})
    expect(page.get_by_role("status").filter(has_text="item")).to_contain_text("openai/gpt-5-mini · item ")
    matrix.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    said = page.get_by_role("status").filter(has_text="item")
    expect(said).to_contain_text(re.compile(r"gemini-2.5-pro · item \d{5}: solved"))
    item = re.findall(r"\d{5}", said.inner_text())[0]
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/runs/{PRICED}/items/{item}"))
    page.go_back()
    matrix.click(position={"x": 2, "y": 5})
    expect(page).to_have_url(re.compile(f"/runs/{PRICED}/items/"))


@pytest.mark.parametrize("width", [390, 1440])
def test_no_figure_of_an_item_is_cut_off(open_tab: OpenTab, serve: Serve, width: int) -> None:
    run = Run(RunId("slow-run"), RunSpec(("sim/good",), ("mmlu_pro",)), datetime.now(UTC), State.SUCCEEDED)
    evaluation = Seeded(run).evaluation(benchmark="mmlu_pro", state=State.SUCCEEDED)
    slow = attempt(
        "0",
        evaluation_id=evaluation.id,
        outcome=Outcome.SANDBOX_ERROR,
        score=None,
        finished_at=NOON + timedelta(minutes=48, seconds=38),
        usage=Usage(input_tokens=900_000, output_tokens=1_288_888),
    )
    whole = replace(slow, item_id=ItemId("1"), outcome=Outcome.CORRECT, score=1.0)
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    finished(store.attempts.add([slow, whole]))
    page = open_tab(width=width)
    page.goto(f"{serve(store)}/runs/slow-run/items")
    expect(page.get_by_role("gridcell", name="48")).to_have_count(2)
    cut = page.evaluate(
        """() => [...document.querySelectorAll("[role=gridcell], [role=columnheader]")]
          .filter((cell) => cell.clientWidth > 0 && cell.scrollWidth > cell.clientWidth)
          .map((cell) => cell.textContent)"""
    )
    assert cut == []
