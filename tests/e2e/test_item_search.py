"""Finding items by their texts, reading them, and reviewing the answers that nobody has annotated."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Prompt
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import Serve, finished
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

ANSWER = """The keeper **counts** the waves: $\\frac{168}{4} = 42$ and

```python
def refills(hours: int) -> int:
    return 168 // hours
```
"""
LONG = "Waves and wind. " * 60 + "The buoy is green."


def reviewed(samples: int = 1) -> Stores:
    run = Run(RunId("review-run"), RunSpec(("sim/good",), ("letters",)), datetime.now(UTC), State.SUCCEEDED)
    evaluation = Seeded(run).evaluation(state=State.SUCCEEDED, samples=samples)
    made = attempt("0", evaluation_id=evaluation.id, extracted="A", expected="B", answer=ANSWER)
    store = memory_stores()
    finished(store.runs.add(run, [evaluation], []))
    asked = Prompt.of_user("How often does the lighthouse need oil?").to_json()
    attempts = [
        replace(made, prompt=asked),
        replace(made, item_id=ItemId("1"), answer=LONG),
        replace(made, item_id=ItemId("2"), answer="short", outcome=Outcome.INCORRECT, score=0.0),
    ]
    attempts += [replace(attempts[2], sample=sample) for sample in range(1, samples)]
    finished(store.attempts.add(attempts))
    return store


def test_a_search_with_very_many_matches_says_so(
    page: Page, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.store.attempts.filters._COUNTED_AHEAD", 110)
    store = reviewed()
    [evaluation] = finished(store.runs.evaluations(RunId("review-run")))
    made = attempt("0", evaluation_id=evaluation.id, answer="The sea is calm.")
    finished(store.attempts.add([replace(made, item_id=ItemId(f"sea-{at:03}")) for at in range(160)]))
    page.goto(f"{serve(store)}/runs/review-run/items")
    page.get_by_role("searchbox").fill("the sea")
    expect(page.get_by_role("status").filter(has_text="items")).to_have_text("more than 110 items")
    page.get_by_role("row").nth(1).click()
    expect(page.get_by_role("complementary")).to_contain_text("1 of more than 110")
    page.get_by_role("searchbox").fill("the sea is rough")
    expect(page.get_by_text("No item matches")).to_be_visible()


def test_any_text_is_found_and_marked(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(reviewed())}/runs/review-run/items")
    rows = page.get_by_role("row")
    expect(rows).to_have_count(4)
    page.get_by_role("searchbox").fill("LIGHTHOUSE")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("Prompt")
    expect(rows.nth(1).locator("mark")).to_have_text("lighthouse")
    page.get_by_role("searchbox").fill("the buoy")
    expect(rows.nth(1).locator("mark")).to_have_text("The buoy")
    rows.nth(1).click()
    page.wait_for_function("() => CSS.highlights.get('found')?.size === 1")
    panel = page.get_by_role("complementary", name="Item 1")
    expect(panel.get_by_text("The buoy is green.")).to_be_in_viewport()


def test_formulas_and_code_of_a_reply_are_set_from_our_own_files(page: Page, serve: Serve) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    site = serve(reviewed())
    page.goto(f"{site}/runs/review-run/items/0?benchmark=letters&model=sim/good")
    reply = page.get_by_role("region", name="Reply")
    expect(reply.locator(".katex math")).to_be_attached()
    expect(reply.locator(".hljs-keyword").first).to_have_text("def")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reply.get_by_role("button", name="Copy: Code in python").click()
    assert "return 168 // hours" in page.evaluate("navigator.clipboard.readText()")
    assert [url for url in asked if not url.startswith((site.removesuffix("/ui"), "data:"))] == []
    assert faults == []


def test_the_queue_leads_from_one_unannotated_answer_to_the_next(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(reviewed())}/runs/review-run/items")
    page.get_by_role("link", name="Review unannotated").click()
    panel = page.get_by_role("complementary")
    expect(panel).to_have_attribute("aria-label", "Item 0")
    expect(panel).to_contain_text("Is this answer right?")
    page.keyboard.press("1")
    expect(panel).to_have_attribute("aria-label", "Item 1")
    expect(panel).to_contain_text("1 of 2")
    expect(panel).to_contain_text("Is this answer right?")
    page.keyboard.press("j")
    expect(panel).to_have_attribute("aria-label", "Item 2")
    expect(panel).to_contain_text("Is this answer right?")
    page.keyboard.press("3")
    expect(panel).to_have_attribute("aria-label", "Item 1")
    state = page.get_by_role("status", name="Review")
    expect(state).to_contain_text("2 annotated · the grader agrees on 100.0")
    page.get_by_role("link", name="Leave the queue").click()
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("button", name="Training lines").click()
    link = page.get_by_role("link", name="Conversations").get_attribute("href")
    lines = page.request.get(f"{page.url.partition('/ui')[0]}{link}").text().splitlines()
    assert [json.loads(line)["messages"][-1]["content"] for line in lines] == [ANSWER]


def test_samples_of_an_item_share_a_row(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(reviewed(samples=4))}/runs/review-run/items")
    expect(page.get_by_role("row")).to_have_count(4)
    expect(page.get_by_role("row").nth(3)).to_contain_text("0 of 4")
    page.get_by_role("button", name="More filters").click()
    page.get_by_label("Each sample in its own row").check()
    expect(page.get_by_role("row")).to_have_count(7)
    page.get_by_label("At most").first.fill("1")
    expect(page.get_by_text("No item matches")).to_be_visible()
