"""A run of 50,000 items in a database file: few rows in the page, and filters over all items."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from assay.adapters.store.stores import open_stores
from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item, ItemId
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunId, RunSpec, State
from assay.engine.results.summarise import summarise
from tests.builders import Seeded
from tests.e2e.conftest import finished, started

pytestmark = pytest.mark.browser

ITEMS = 50_000
BATCH = 5_000
MOST_ROWS = 80
RUN = "large-run"
Texts = Callable[[int], dict[str, Any]]


@pytest.fixture(scope="module")
def large_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_large_run(tmp_path_factory.mktemp("large")) as address:
        yield address


@contextmanager
def served_large_run(
    folder: Path,
    texts: Texts = lambda _number: {},
    *,
    others: Sequence[tuple[Run, Sequence[Evaluation]]] = (),
) -> Generator[str]:
    """Gives the address of the UI; `texts` changes the attempt of each number, `others` are stored beside."""
    home = folder / "home"
    home.mkdir()
    finished(_seed(home / "assay.db", texts, others))
    with started(home, "api") as address:
        yield f"{address}/ui"


async def _seed(path: Path, texts: Texts, others: Sequence[tuple[Run, Sequence[Evaluation]]]) -> None:
    ended = datetime.now(UTC) - timedelta(hours=1)
    run = Run(RunId(RUN), RunSpec(("sim/good",), ("letters",)), ended, State.SUCCEEDED, ended, ended)
    ids = tuple(ItemId(f"item-{number:05}") for number in range(ITEMS))
    evaluation = Seeded(run).evaluation(
        item_ids=ids, benchmark_size=ITEMS, state=State.SUCCEEDED, started_at=ended, finished_at=ended
    )
    attempts = [
        replace(_attempt(evaluation, item_id, number), **texts(number)) for number, item_id in enumerate(ids)
    ]

    async def made() -> AsyncIterator[Attempt]:
        for attempt in attempts:
            yield attempt

    items = [Item(item_id, {}) for item_id in ids]
    summary = await summarise(made(), benchmark=None, items=items, samples=1)
    store = await open_stores(f"sqlite:///{path}")
    await store.runs.add(run, [replace(evaluation, summary=summary)], [])
    for first in range(0, ITEMS, BATCH):
        await store.attempts.add(attempts[first : first + BATCH])
    for other, evaluations in others:
        await store.runs.add(other, evaluations, [])
    await store.close()


def _attempt(evaluation: Evaluation, item_id: ItemId, number: int) -> Attempt:
    is_right = number % 5 != 0
    at = evaluation.started_at or datetime.now(UTC)
    return Attempt(
        evaluation_id=evaluation.id,
        item_id=item_id,
        sample=0,
        outcome=Outcome.CORRECT if is_right else Outcome.INCORRECT,
        score=float(is_right),
        started_at=at,
        finished_at=at + timedelta(milliseconds=number % 700),
        answer=f"The answer is {number % 97}.",
        extracted=str(number % 97),
        expected=str(number % 97 if is_right else 98),
    )


def rows_in_page(page: Page) -> int:
    return page.get_by_role("row").count()


def test_few_rows_are_in_the_page_wherever_it_is_scrolled(page: Page, large_site: str) -> None:
    page.goto(f"{large_site}/runs/{RUN}/items")
    grid = page.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "50001")
    for share, shown in ((0, "item-00000"), (0.5, "item-25000"), (1, "item-49999")):
        grid.evaluate("(grid, share) => (grid.scrollTop = share * grid.scrollHeight)", share)
        expect(grid).to_contain_text(shown)
        assert rows_in_page(page) < MOST_ROWS
    expect(page.get_by_role("row").last).to_have_attribute("aria-rowindex", "50001")


def test_a_filter_is_applied_as_it_is_typed(page: Page, large_site: str) -> None:
    page.goto(f"{large_site}/runs/{RUN}/items")
    total = page.get_by_role("status").filter(has_text="items")
    expect(total).to_have_text("50,000 items")
    page.get_by_role("link", name="Not correct").click()
    expect(total).to_have_text("10,000 items")
    page.get_by_role("searchbox").fill("item-07")
    expect(page.get_by_role("grid")).to_contain_text("item-07000")
    expect(total).to_have_text("200 items")
