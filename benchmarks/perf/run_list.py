"""How soon the list of runs answers with 10,000 runs and a run of 50,000 items in the store.

    python -m benchmarks.perf.run_list

Opens the list with an empty cache, then sorts, filters, searches, selects and turns pages in Chromium. Prints
the best of a few tries and their median, measured in the page from the event to the change, against 1 s and
0.1 s.
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from assay.domain.outcome import Outcome
from assay.domain.run import Description, Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Summary, Tokens
from benchmarks.perf.screens import first_rows_s
from tests.builders import Seeded
from tests.e2e.conftest import FLAGS, browser_path
from tests.e2e.test_large import served_large_run

RUNS = 10_000
FIRST_ROWS_WITHIN_S = 1.0
INTERACTION_WITHIN_S = 0.1
_TRIES = 7
_ITEMS = 100
_MODELS = tuple(f"openai-api/lab-{lab}/model-{size}b-instruct" for lab in range(8) for size in (1, 8, 70))
# From the event until the rows say something else: the state of the page, frame by frame.
_TIMED = """async ({ selector, text }) => {
  const element = document.querySelector(selector);
  const seen = () =>
    [...document.querySelectorAll("tbody[data-run]")]
      .map((row) => `${row.dataset.run} ${row.dataset.picked} ${row.rows.length}`)
      .join();
  const before = seen();
  const began = performance.now();
  if (text === null) element.click();
  else {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(element, text);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }
  while (seen() === before) {
    await new Promise(requestAnimationFrame);
    if (performance.now() - began > 10_000) throw new Error(`nothing changed after ${selector}`);
  }
  return (performance.now() - began) / 1000;
}"""


@dataclass(frozen=True, slots=True)
class Interaction:
    name: str
    selector: str
    text: str | None = None
    # Where the page stands before it, as search of its address.
    at: str = ""


INTERACTIONS = (
    Interaction("sort by cost", "th[scope=col]:nth-of-type(5) button"),
    Interaction("sort by score", "th[scope=col]:nth-of-type(4) button"),
    Interaction("filter by state", "nav[aria-label='Filter by status'] a:nth-child(7)"),
    Interaction("search a model", "input[type=search]", "lab-3/model-70b"),
    Interaction("search a name", "input[type=search]", "night 4999"),
    Interaction("filter by tag", "a[title='Runs tagged ci-7']"),
    Interaction("next page", "nav[aria-label=Pages] a:last-child"),
    Interaction("page 150", "nav[aria-label=Pages] a:last-child", at="?page=149"),
    Interaction("select a run", "tbody[data-run] input"),
    Interaction("select all of the page", "thead input"),
    Interaction("unfold evaluations", "tbody[data-run] button[aria-expanded]"),
)


def stored_runs() -> Iterator[tuple[Run, list[Evaluation]]]:
    now = datetime.now(UTC)
    for number in range(RUNS):
        at = now - timedelta(minutes=10 * (number + 20))
        models = tuple(_MODELS[(number * step) % len(_MODELS)] for step in (1, 5))
        models = tuple(dict.fromkeys(models))[: 1 + number % 2]
        state = State.FAILED if number % 9 == 0 else State.SUCCEEDED
        ended = at + timedelta(seconds=number % 977)
        said = Description(f"night {number}", "", (f"ci-{number % 10}",), is_archived=number % 25 == 0)
        spec = RunSpec(models, ("letters",))
        run = Run(RunId(f"{number:08x}-run"), spec, at, state, at, ended, description=said)
        yield run, [_evaluation(run, model, number, place) for place, model in enumerate(models)]


def _evaluation(run: Run, model: str, number: int, place: int) -> Evaluation:
    right = (number * 7 + place * 13) % (_ITEMS + 1)
    summary = Summary(
        score=score_estimate([1.0] * right + [0.0] * (_ITEMS - right), None),
        scored=_ITEMS,
        total=_ITEMS,
        outcomes={Outcome.CORRECT: right, Outcome.INCORRECT: _ITEMS - right},
        bounds=None,
        cut=0,
        tokens=Tokens(input=number, output=2 * number),
        cost_usd=Decimal(number * 37 % 1009) / 100,
    )
    return Seeded(run).evaluation(
        id=EvaluationId(f"{run.id}/{place}"),
        model=model,
        state=run.state,
        summary=summary if run.state is State.SUCCEEDED else None,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )


def seconds_for(page: Page, address: str, asked: Interaction) -> float:
    page.goto(f"{address}/{asked.at}")
    page.wait_for_selector("tbody[data-run]")
    page.wait_for_load_state("networkidle")
    return page.evaluate(_TIMED, {"selector": asked.selector, "text": asked.text})


def timed(name: str, measure: Callable[[], float], within_s: float) -> bool:
    tries = [measure() for _ in range(_TRIES)]
    best, median = (1000 * of(tries) for of in (min, statistics.median))
    print(f"{name} {best:.0f} ms (median {median:.0f}), at most {1000 * within_s:.0f} ms", flush=True)
    return min(tries) <= within_s


def main() -> int:
    others = list(stored_runs())
    with (
        TemporaryDirectory() as folder,
        served_large_run(Path(folder), others=others) as address,
        sync_playwright() as tool,
    ):
        browser = tool.chromium.launch(executable_path=browser_path(), args=FLAGS)
        is_quick = [
            timed(
                "first rows",
                lambda: first_rows_s(browser, address, "/", "tbody[data-run]"),
                FIRST_ROWS_WITHIN_S,
            )
        ]
        page = browser.new_page()
        for asked in INTERACTIONS:
            measure = partial(seconds_for, page, address, asked)
            is_quick.append(timed(asked.name, measure, INTERACTION_WITHIN_S))
        browser.close()
    return int(not all(is_quick))


if __name__ == "__main__":
    sys.exit(main())
