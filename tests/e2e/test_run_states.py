"""Runs that are not simply graded and done: without a key, paused, failed, with a partly known cost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from assay.domain.calls.messages import Generation
from assay.domain.event import Event, EventType
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, RunSpec, State
from assay.domain.summary import Summary, Tokens
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import Serve, finished
from tests.e2e.screens import LIVE
from tests.e2e.seeded import attempts_of_running
from tests.stores import memory_stores

pytestmark = pytest.mark.browser


def new_run(state: State, **changes: object) -> Run:
    now = datetime.now(UTC)
    run = Run(RunId("5ca1ab1e-0000-4000-8000-000000000001"), RunSpec(("sim/good",), ("letters",)), now, state)
    return replace(run, started_at=now, **changes)


def summary_of(outcome: Outcome, *, cost_usd: Decimal | None = None) -> Summary:
    return Summary(
        score=None,
        scored=0,
        total=4,
        outcomes={outcome: 4},
        bounds=None,
        cut=0,
        tokens=Tokens(),
        cost_usd=cost_usd,
    )


def store_with(run: Run, *evaluations: Evaluation) -> Stores:
    store = memory_stores()
    finished(store.runs.add(run, evaluations, []))
    return store


def test_answers_without_a_key_are_not_graded_and_no_errors(page: Page, serve: Serve) -> None:
    run = new_run(State.SUCCEEDED, finished_at=datetime.now(UTC))
    evaluation = Seeded(run).evaluation(
        state=State.SUCCEEDED, started_at=run.started_at, summary=summary_of(Outcome.ANSWERED)
    )
    store = store_with(run, evaluation)
    answers = [
        attempt(str(number), evaluation_id=evaluation.id, outcome=Outcome.ANSWERED, score=None)
        for number in range(4)
    ]
    finished(store.attempts.add(answers))
    address = serve(store)
    page.goto(f"{address}/")
    expect(page.locator("tbody")).to_contain_text("Not graded: 4 answers")
    expect(page.locator("tbody")).not_to_contain_text("100.0")
    page.goto(f"{address}/runs/{run.id}")
    expect(page.get_by_role("article")).to_contain_text("Not graded: 4 answers")
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    page.goto(f"{address}/runs/{run.id}/items")
    total = page.get_by_role("status").filter(has_text="items")
    page.get_by_role("link", name="Not graded").click()
    expect(total).to_have_text("4 items")
    page.get_by_role("link", name="Errors").click()
    expect(page.get_by_text("No item matches")).to_be_visible()


def test_a_run_is_asked_for_again_with_all_its_settings(page: Page, serve: Serve) -> None:
    spec = RunSpec(
        ("sim/good",),
        ("mmlu_pro",),
        generation=Generation(temperature=0.3, top_p=0.9, max_tokens=99),
        data="demo",
        judge=Judging(("sim/good", "sim/weak"), votes=3),
    )
    run = new_run(State.PAUSED, spec=spec)
    page.goto(f"{serve(store_with(run, Seeded(run).evaluation(state=State.PAUSED)))}/runs/{run.id}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Run again, with changes").click()
    for label, value in {
        "Temperature": "0.3",
        "Top-p": "0.9",
        "Max tokens per reply": "99",
        "Judges": "sim/good,sim/weak",
        "Votes per judge": "3",
    }.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)


def test_a_run_named_by_the_beginning_of_its_id_is_updated_live(
    page: Page, serve: Serve, store: Stores
) -> None:
    page.goto(f"{serve(store)}/runs/{LIVE[:8]}")
    bar = page.get_by_role("progressbar", name="Progress of the run")
    expect(bar).to_have_attribute("value", "1615")
    expect(page.get_by_title("Updated live")).to_be_visible()
    now = datetime.now(UTC)
    finished(store.attempts.add(attempts_of_running(500, now)))
    finished(store.events.add([Event(RunId(LIVE), EventType.BENCHMARK_PROGRESS, now)]))
    expect(bar).to_have_attribute("value", "1703")


def test_the_clock_of_a_paused_run_stands_still(page: Page, serve: Serve) -> None:
    began = datetime.now(UTC) - timedelta(hours=5)
    run = replace(new_run(State.PAUSED), started_at=began, error="paused by a user")
    store = store_with(run, Seeded(run).evaluation(state=State.PAUSED, started_at=began))
    finished(store.events.add([Event(run.id, EventType.RUN_PAUSED, began + timedelta(minutes=10))]))
    address = serve(store)
    worked = "10\N{NARROW NO-BREAK SPACE}min 00"
    page.goto(f"{address}/")
    expect(page.locator("tbody")).to_contain_text(worked)
    page.goto(f"{address}/runs/{run.id}")
    expect(page.get_by_role("definition").filter(has_text=worked)).to_be_visible()


def test_a_cost_that_is_known_in_part_is_a_least_cost(page: Page, serve: Serve) -> None:
    run = new_run(State.SUCCEEDED, finished_at=datetime.now(UTC))
    known, unknown = (
        Seeded(run, name).evaluation(
            model=f"sim/{name}", state=State.SUCCEEDED, summary=summary_of(Outcome.ANSWERED, cost_usd=cost)
        )
        for name, cost in (("priced", Decimal("0.8127")), ("free", None))
    )
    address = serve(store_with(run, known, unknown))
    page.goto(f"{address}/")
    expect(page.locator("tbody")).to_contain_text("≥\N{NO-BREAK SPACE}$0.81")
    page.goto(f"{address}/runs/{run.id}")
    expect(page.get_by_title("The cost of 1 of 2 evaluations")).to_have_text("≥\N{NO-BREAK SPACE}$0.81")


def test_an_error_is_said_once(page: Page, serve: Serve) -> None:
    fault = "the endpoint has no such model"
    run = new_run(State.FAILED, finished_at=datetime.now(UTC), error=f"2 of 2 evaluations failed: a: {fault}")
    both = [
        Seeded(run, name).evaluation(model=f"sim/{name}", state=State.FAILED, error=fault) for name in "ab"
    ]
    address = serve(store_with(run, *both))
    page.goto(f"{address}/")
    expect(page.get_by_text(fault)).to_have_count(1)
    page.goto(f"{address}/runs/{run.id}")
    expect(page.get_by_role("article")).to_have_count(2)
    expect(page.get_by_text(fault)).to_have_count(1)


def test_a_used_up_budget_is_raised_on_the_page(page: Page, serve: Serve) -> None:
    reason = "the budget of 2 USD is used up; give a larger one with `assay resume`"
    run = new_run(State.PAUSED, error=reason)
    page.goto(f"{serve(store_with(run, Seeded(run).evaluation(state=State.PAUSED)))}/runs/{run.id}")
    expect(page.get_by_text("Paused at 0 of 4: the budget of 2 USD is used up")).to_be_visible()
    expect(page.get_by_text("give a larger one")).to_have_count(0)
    page.get_by_role("button", name="Raise the budget …").click()
    expect(page.get_by_role("dialog").get_by_label("Budget in USD")).to_be_visible()


def test_a_pause_is_no_fault(page: Page, serve: Serve) -> None:
    run = new_run(State.PAUSED, error="paused by a user")
    page.goto(f"{serve(store_with(run, Seeded(run).evaluation(state=State.PAUSED)))}/runs/{run.id}")
    expect(page.get_by_text("Paused at 0 of 4")).to_be_visible()
    expect(page.get_by_text("by a user")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
