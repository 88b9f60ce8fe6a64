"""Charts: what they show, where they lead, and what is downloaded of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stats import Estimate, score_estimate
from assay.domain.summary import Summary, Tokens
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import Serve, finished
from tests.e2e.screens import OTHERS
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"
ANSWERS = 40
# How sure the model said it was, and how many of forty answers were right.
STATED = ((95, 26), (55, 22), (15, 8))


def scored(right: int) -> Estimate | None:
    return score_estimate([1.0] * right + [0.0] * (ANSWERS - right), None)


def evaluation_of(run: Run, right: int, *, version: str = "1") -> Evaluation:
    summary = Summary(
        score=scored(right),
        scored=ANSWERS,
        total=ANSWERS,
        outcomes={Outcome.CORRECT: right, Outcome.INCORRECT: ANSWERS - right},
        bounds=None,
        cut=0,
        tokens=Tokens(input=4_000, output=9_000, reasoning=6_000),
        cost_usd=None,
        metrics={"calibration_error": Estimate(0.3, None, None, ANSWERS)},
    )
    made = Seeded(run).evaluation(
        id=EvaluationId(f"{run.id}/0"),
        model="sim/good",
        benchmark="mmlu_pro",
        state=State.SUCCEEDED,
        summary=summary,
    )
    fingerprint = replace(made.fingerprint, prompts_checksum=version * 64)
    return replace(made, fingerprint=fingerprint, started_at=run.started_at, finished_at=run.finished_at)


def answers_to(evaluation: Evaluation) -> Sequence[Attempt]:
    return [
        attempt(
            f"{stated}-{number}",
            evaluation_id=evaluation.id,
            outcome=Outcome.CORRECT if number < right else Outcome.INCORRECT,
            score=float(number < right),
            details={"confidence": stated},
        )
        for stated, right in STATED
        for number in range(ANSWERS)
    ]


@pytest.fixture
def history() -> Stores:
    """Runs of a model on five days; on the third its prompts changed."""
    store = memory_stores()
    for day, (right, version) in enumerate([(20, "1"), (24, "1"), (31, "2"), (30, "2"), (33, "2")]):
        at = datetime.now(UTC) - timedelta(days=20 - 4 * day)
        run = Run(RunId(f"{day}a7e0001"), RunSpec(("sim/good",), ("mmlu_pro",)), at, State.SUCCEEDED, at, at)
        evaluation = evaluation_of(run, right, version=version)
        finished(store.runs.add(run, [evaluation], []))
        finished(store.attempts.add(answers_to(evaluation)))
    return store


def chart(page: Page, title: str) -> Locator:
    return page.get_by_role("figure").filter(has=page.get_by_text(title, exact=True))


def test_a_chart_is_downloaded_as_svg_and_png(page: Page, site: str, tmp_path: Path) -> None:
    page.goto(f"{site}/runs/{OTHERS}/charts")
    bars = chart(page, "Tokens")
    for ending in ("SVG", "PNG"):
        with page.expect_download() as download:
            bars.get_by_role("button", name=f"as {ending}").click()
        download.value.save_as(tmp_path / ending)
        assert download.value.suggested_filename == f"tokens.{ending.lower()}"
    drawing = ElementTree.parse(tmp_path / "SVG").getroot()  # noqa: S314 # the page's own
    texts = {"".join(one.itertext()) for one in drawing.iter(f"{SVG}text")}
    assert {"Tokens", "openai/gpt-5-mini", "Reasoning"} <= texts
    fills = {one.get("fill") for one in drawing.iter(f"{SVG}rect")}
    assert all(fill and fill.startswith("rgb(") for fill in fills), fills
    assert (tmp_path / "PNG").read_bytes().startswith(PNG)


def test_a_bar_of_a_category_opens_its_items(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/{OTHERS}/charts")
    bars = chart(page, "Categories of mmlu_pro")
    bars.get_by_text("Show the data").click()
    expect(bars.get_by_role("row").nth(1)).to_contain_text(re.compile(r"biology.*301"))
    bars.get_by_role("link", name="vllm/Qwen/Qwen3-30B in law: 75.1").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/items\\?benchmark=mmlu_pro&model=vllm"))
    expect(page).to_have_url(re.compile("category=law$"))
    expect(page.get_by_role("status").filter(has_text="items")).to_have_text("301 items")


def test_calibration_is_drawn_where_answers_state_a_confidence(
    page: Page, serve: Serve, history: Stores
) -> None:
    page.goto(f"{serve(history)}/runs/4a7e0001/charts")
    plot = chart(page, "Calibration")
    expect(plot.locator("circle")).to_have_count(len(STATED))
    plot.get_by_text("Show the data").click()
    expect(plot.get_by_role("row").nth(3)).to_contain_text("65.0")


def test_scores_over_time_are_cut_where_the_conditions_changed(
    page: Page, serve: Serve, history: Stores
) -> None:
    page.goto(f"{serve(history)}/leaderboard?benchmark=mmlu_pro&view=history")
    plot = chart(page, "sim/good on mmlu_pro over time")
    expect(plot.get_by_role("img")).to_have_accessible_name(
        re.compile("5 scores, conditions changed 1 times")
    )
    expect(plot.locator("circle")).to_have_count(5)
    lines: list[str] = (
        plot.get_by_role("img").locator("path").evaluate_all("all => all.map(one => one.getAttribute('d'))")
    )
    assert [line.count("L") + 1 for line in lines] == [2, 3], "points of each line"
    plot.get_by_role("link", name=re.compile("^Run 2a7e0001: 77.5")).click()
    expect(page).to_have_url(re.compile("/runs/2a7e0001$"))
