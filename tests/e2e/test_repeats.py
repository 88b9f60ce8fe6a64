"""Answers that were taken from an earlier run, and differences that asking again may bring about."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from assay.domain.attempt import REUSED_FROM, Attempt
from assay.domain.run import Evaluation, Run, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Summary, Tokens
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt
from tests.e2e.conftest import Serve, finished
from tests.stores import memory_stores

pytestmark = pytest.mark.browser

ITEMS = 40
RIGHT = {"sim/good": 31, "sim/weak": 30}


def evaluation_of(run: Run, model: str) -> Evaluation:
    right = RIGHT[model]
    summary = Summary(
        score=score_estimate([1.0] * right + [0.0] * (ITEMS - right), None),
        scored=ITEMS,
        total=ITEMS,
        outcomes={},
        bounds=None,
        cut=0,
        tokens=Tokens(input=4_000, output=9_000),
        cost_usd=None,
        within_variance=0.25,
        retried=1,
        reused=3,
    )
    return Seeded(run, f"{run.id}/{model}").evaluation(model=model, state=State.SUCCEEDED, summary=summary)


def attempts_of(evaluation: Evaluation) -> list[Attempt]:
    return [
        attempt(
            f"{item:02}",
            evaluation_id=evaluation.id,
            score=float(item < RIGHT[evaluation.model]),
            details={REUSED_FROM: "an-earlier-evaluation"} if item == 0 else {},
        )
        for item in range(ITEMS)
    ]


@pytest.fixture(scope="module")
def repeated() -> Stores:
    store = memory_stores()
    spec = RunSpec(tuple(RIGHT), ("letters",))
    at = datetime.now(UTC)
    run = Run(RunId("repeated-run"), spec, at, State.SUCCEEDED, at, at)
    evaluations = [evaluation_of(run, model) for model in RIGHT]
    finished(store.runs.add(run, evaluations, []))
    for one in evaluations:
        finished(store.attempts.add(attempts_of(one)))
    return store


def test_reused_answers_are_counted_and_marked(page: Page, serve: Serve, repeated: Stores) -> None:
    site = serve(repeated)
    page.goto(f"{site}/runs/repeated-run/config")
    facts = page.get_by_role("group", name="sim/good on letters")
    expect(facts).to_contain_text("Retried1 attempt")
    expect(facts).to_contain_text("Reused3 answers")
    page.goto(f"{site}/runs/repeated-run/items/00?benchmark=letters&model=sim/good")
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict.get_by_text("reused", exact=True)).to_be_visible()
    expect(verdict).not_to_contain_text("an-earlier-evaluation")
    page.goto(f"{site}/runs/repeated-run/items/01?benchmark=letters&model=sim/good")
    expect(verdict).to_be_visible()
    expect(verdict.get_by_text("reused", exact=True)).to_have_count(0)


def test_a_difference_within_noise_is_marked(page: Page, serve: Serve, repeated: Stores) -> None:
    page.goto(f"{serve(repeated)}/leaderboard?benchmark=letters")
    rows = page.get_by_role("table", name="Models by score").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(2).get_by_text("within noise", exact=True)).to_be_visible()
    expect(rows.nth(1)).not_to_contain_text("within noise")
