"""Runs that are not simply graded and done: without a key, paused, failed, with a partly known cost."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from assay.domain.judging import Judging
from assay.domain.messages import Generation
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, RunSpec, State
from assay.domain.summary import Summary, Tokens
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import Serve, finished
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
        "Top p": "0.9",
        "Token limit per reply": "99",
        "Judges": "sim/good,sim/weak",
        "Votes of each judge": "3",
    }.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
