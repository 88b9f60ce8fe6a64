"""From an empty installation to a proven score, against the real service."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenTab

pytestmark = pytest.mark.browser

SETTLED_MS = 30_000


def test_the_demo_run_ends_in_seconds(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/")
    page.get_by_role("button", name="Start the demo run").click()
    expect(page.get_by_role("main").get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    expect(page.get_by_label("How the models compare")).to_contain_text("sim/good is better than sim/weak")


def test_a_run_from_the_form_to_its_proof(open_tab: OpenTab, service: str, tmp_path: Path) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/runs/new")
    expect(page.get_by_role("button", name="Start run")).to_be_disabled()
    page.get_by_role("combobox", name="Add a model").fill("vllm/test/letter")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="sim/weak").click()
    page.get_by_text("Demo items", exact=True).click()
    page.get_by_role("checkbox", name=re.compile("MMLU-Pro")).first.check()
    page.get_by_text("n items").click()
    page.get_by_role("textbox", name="Number of items").fill("30")
    panel = page.get_by_role("complementary", name="Estimate")
    expect(panel).to_contain_text(re.compile(r"Attempts\s*60"))
    expect(panel).to_contain_text("assay run vllm/test/letter,sim/weak mmlu_pro --data demo --count 30")
    page.reload()
    expect(panel).to_contain_text(re.compile(r"Attempts\s*60"))
    page.get_by_role("button", name="Start run").click()

    bar = page.get_by_role("progressbar", name="Progress of the run")
    expect(bar).to_be_visible()
    expect(bar).to_be_hidden(timeout=SETTLED_MS)
    expect(page.get_by_role("main").get_by_text("Succeeded").first).to_be_visible()

    page.get_by_role("link", name=re.compile("^Items")).first.click()
    page.get_by_role("row", name=re.compile("correct")).first.click()
    expect(page.get_by_role("complementary", name=re.compile("^Item "))).to_contain_text("Expected")
    page.get_by_role("link", name="Compare item by item").click()
    expect(page.get_by_role("article")).to_contain_text("vllm/test/letter against sim/weak")
    page.go_back()
    require_proven(page, service, tmp_path)


def require_proven(page: Page, service: str, folder: Path) -> None:
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("link", name=re.compile("Suite"))).to_have_attribute(
        "href", re.compile("/suite$")
    )
    with page.expect_download() as started:
        page.get_by_role("link", name=re.compile("Signed bundle")).click()
    bundle = folder / "export.zip"
    started.value.save_as(bundle)
    page.goto(f"{service}/ui/verify")
    page.get_by_label("A signed export").set_input_files(bundle)
    findings = page.get_by_role("region", name="Findings on export.zip")
    expect(findings.get_by_role("heading", name="Proven", exact=True)).to_be_visible()
    proven = findings.get_by_role("region", name="Proven scores")
    expect(proven.get_by_role("row", name="vllm/test/letter mmlu_pro")).to_contain_text("30 of 30")
    broken = bytearray(bundle.read_bytes())
    broken[len(broken) // 2] ^= 1
    bundle.write_bytes(broken)
    page.get_by_label("A signed export").set_input_files(bundle)
    expect(findings.get_by_role("heading", name="Refuted")).to_be_visible()
    expect(findings.get_by_role("region", name="Proven scores")).to_have_count(0)


def test_a_live_run_is_paused_resumed_and_canceled(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    slow = "vllm/test/letter?ttft_ms=2500"
    page.goto(f"{service}/ui/runs/new?model={slow}&benchmark=mmlu_pro&data=demo&connections=2")
    page.get_by_role("button", name="Start run").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("main").get_by_text("Paused").first).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_role("main").get_by_text("Canceled").first).to_be_visible()
    page.get_by_role("button", name="Requeue").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_role("button", name="Requeue")).to_be_visible()


def test_answers_are_graded_again_and_annotated(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    page.goto(f"{service}/ui/runs/new?model=sim/good&benchmark=aa_lcr&data=demo&judge=sim/judge")
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_role("main").get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    page.get_by_role("link", name=re.compile("^Items")).first.click()
    page.get_by_role("grid", name="Items").get_by_role("row").nth(1).click()
    expect(page.get_by_role("region", name="Judge")).to_contain_text("sim/judge")
    page.get_by_role("button", name="Golden").click()
    page.get_by_role("link", name="Gradings").click()
    expect(page.get_by_role("group", name="Annotations of sim/good on aa_lcr")).to_contain_text("Cohen")
    page.get_by_role("textbox", name="Judge").fill("sim/judge?skill=0.6")
    page.get_by_role("button", name="Grade again").click()
    later = page.get_by_role("group", name="Grading of sim/good on aa_lcr")
    expect(later.get_by_role("row").last).to_contain_text("sim/judge?skill=0.6")
    expect(later).to_contain_text("The two gradings agree on")


def test_a_conversation_shows_both_sides_and_their_tools(open_tab: OpenTab, service: str) -> None:
    page = open_tab()
    chosen = "model=sim/oracle&benchmark=tau2_telecom&data=demo&user_model=sim/oracle"
    page.goto(f"{service}/ui/runs/new?{chosen}")
    expect(page.get_by_role("textbox", name="Simulated user")).to_have_value("sim/oracle")
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_role("main").get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    page.get_by_role("link", name=re.compile("^Items")).first.click()
    page.get_by_role("row", name=re.compile("demo_unpaid")).click()
    agent, user = (page.get_by_role("group", name=name, exact=True) for name in ("Agent", "User"))
    expect(agent.first).to_contain_text("Hi! How can I help you today?")
    expect(agent.filter(has_text="send_payment_request")).to_contain_text("Payment request sent")
    expect(user.filter(has_text="make_payment")).to_contain_text("Payment of 22.0 USD has been made")
    expect(page.get_by_text("ended: user_stop")).to_be_visible()


def asked(number: int) -> dict[str, object]:
    body = {"messages": [{"role": "user", "content": f"{number} + 2?"}]}
    return {"custom_id": f"q{number}", "body": body, "expected": str(number + 2)}


def test_a_data_set_is_checked_stored_and_run(open_tab: OpenTab, service: str, tmp_path: Path) -> None:
    page = open_tab(may_complain=True)  # the browser reports the refused file
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"custom_id": "q1"}\n{"custom_id": "q2"}\nnot json\n')
    page.goto(f"{service}/ui/datasets")
    page.get_by_label("A data set as JSONL").set_input_files(bad)
    errors = page.get_by_role("region", name="Errors")
    expect(errors.get_by_role("row", name=re.compile("^1\N{EN DASH}2 2"))).to_have_count(1)
    expect(errors.get_by_role("row", name=re.compile("^3 1"))).to_have_count(1)
    good = tmp_path / "good.jsonl"
    good.write_text("\n".join(json.dumps(asked(number)) for number in range(3)))
    page.get_by_label("A data set as JSONL").set_input_files(good)
    expect(page.get_by_role("region", name="Stored").first).to_contain_text("3 lines, 3 graded")
    page.get_by_role("link", name="Run it").click()
    page.get_by_role("button", name="sim/echo").click()
    page.get_by_role("button", name="sim/oracle").click()
    page.get_by_role("button", name="Start run").click()
    expect(page.get_by_role("main").get_by_text("Succeeded").first).to_be_visible(timeout=SETTLED_MS)
    require_shown_again(page, service)


def require_shown_again(page: Page, service: str) -> None:
    page.goto(f"{service}/ui/datasets")
    page.get_by_role("link", name=re.compile("^good")).click()
    expect(page.get_by_role("region", name="Lines")).to_contain_text("2 + 2?")
    results = page.get_by_role("region", name="Results by model")
    expect(results.get_by_role("row", name=re.compile("oracle"))).to_contain_text("100.0")
    page.get_by_role("link", name="Compare them line by line").click()
    page.get_by_role("link", name="Answers").click()
    expect(page.get_by_role("table", name="Agreement")).to_contain_text("0.0")
    expect(page.get_by_role("article", name="Item q2")).to_contain_text("expected 4")
    page.get_by_role("radio", name="Same").check(force=True)
    expect(page.get_by_text("No matches")).to_be_visible()
    page.reload()
    expect(page.get_by_text("No matches")).to_be_visible()
